//! What a profile that was read from a file must keep to, so that its world makes sense and ends.

use horarium_core::recurrence::Zone;
use horarium_core::words::Span;
use serde_json::Value;

use super::{Faults, JobKinds, Profile, Seat};

/// The longest chaos of a world.
const LONGEST_CHAOS: Span = Span::from_days(1);
/// The most seats or schedulers.
const MOST: u64 = 16;
/// The most workers.
const MOST_WORKERS: u64 = 100;
/// How fast a host's clock may be: microseconds in a million true ones.
const RATES: [u64; 2] = [900_000, 1_100_000];

/// A part of a profile that is out of its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{part} is {value}: it must be {range}")]
pub struct OutOfRange {
    /// Which part.
    pub part: String,
    /// What it is.
    pub value: String,
    /// What it may be.
    pub range: String,
}

impl Profile {
    /// Looks whether every part is within its range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        within("the number of `seats`", count(self.seats.len()), 1, MOST)?;
        within("the number of `workers`", count(self.workers.len()), 1, MOST_WORKERS)?;
        within("`schedulers`", self.schedulers, 1, MOST)?;
        for worker in &self.workers {
            if !self.definitions.contains_key(&worker.handler()) {
                let value = format!("{worker}, of a handler without a definition");
                return Err(out("a name in `workers`", value, "of a handler in `definitions`"));
            }
        }
        if let Err(unknown) = self.zone.parse::<Zone>() {
            return Err(out("`zone`", unknown.to_string(), "a name of the IANA database"));
        }
        if let Some(news) = &self.zone_news {
            within("`zone_news.older`", news.older, 0, 1_000)?;
            for (part, name) in [("zone", &news.zone), ("like", &news.like)] {
                if let Err(unknown) = name.parse::<Zone>() {
                    let part = format!("`zone_news.{part}`");
                    return Err(out(&part, unknown.to_string(), "a name of the IANA database"));
                }
            }
        }
        spans("`wild_clock`", self.wild_clock, Span::ZERO, Span::from_hours(1))?;
        spans("`chaos`", self.chaos, Span::from_secs(1), LONGEST_CHAOS)?;
        spans("`latency`", self.latency, Span::ZERO, Span::from_minutes(1))?;
        let longest = Span::from_hours(1);
        spans("`operator_gap`", self.operator_gap, Span::from_millis(10), longest)?;
        let timing = self.scheduler;
        let least = Span::from_millis(10);
        spans("`scheduler.poll`", timing.poll, least, longest)?;
        spans("`scheduler.lock_retry`", timing.lock_retry, least, longest)?;
        spans("`scheduler.probe`", timing.probe, least, longest)?;
        spans("`scheduler.statement_timeout`", timing.statement_timeout, least, longest)?;
        for (index, seat) in self.seats.iter().enumerate() {
            seat.check(index)?;
        }
        self.jobs.check()?;
        self.faults.check()
    }
}

impl Seat {
    fn check(&self, index: usize) -> Result<(), OutOfRange> {
        let part = |name: &str| format!("`{name}` of seat {index}");
        within(&part("clock_rate"), self.clock_rate, RATES[0], RATES[1])?;
        spans(&part("poll"), self.poll, Span::from_millis(10), Span::from_hours(1))?;
        spans(&part("drain_grace"), self.drain_grace, Span::ZERO, Span::from_hours(1))
    }
}

impl JobKinds {
    fn check(&self) -> Result<(), OutOfRange> {
        for (name, permille) in [
            ("failing", self.failing),
            ("hopeless", self.hopeless),
            ("hanging", self.hanging),
            ("deaf", self.deaf),
            ("unstartable", self.unstartable),
            ("leaving", self.leaving),
            ("talking", self.talking),
        ] {
            within(&format!("`jobs.{name}`"), permille, 0, 1_000)?;
        }
        spans("`jobs.longest`", self.longest, Span::ZERO, Span::from_days(1))
    }
}

impl Faults {
    /// Each is how often in a thousand, or the mean time between two, whichever faults there are.
    fn check(&self) -> Result<(), OutOfRange> {
        let Ok(Value::Object(faults)) = serde_json::to_value(self) else {
            return Ok(());
        };
        for (name, often) in &faults {
            let part = format!("`faults.{name}`");
            if let Some(permille) = often.as_u64() {
                within(&part, permille, 0, 1_000)?;
            }
            if let Some(every) = often.as_str().and_then(|text| text.parse().ok()) {
                spans(&part, every, Span::from_secs(1), Span::from_days(1))?;
            }
        }
        Ok(())
    }
}

fn within(part: &str, value: u64, least: u64, most: u64) -> Result<(), OutOfRange> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(out(part, value.to_string(), &format!("from {least} to {most}")))
}

fn spans(part: &str, value: Span, least: Span, most: Span) -> Result<(), OutOfRange> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(out(part, value.to_string(), &format!("from {least} to {most}")))
}

fn out(part: &str, value: String, range: &str) -> OutOfRange {
    OutOfRange { part: part.to_owned(), value, range: range.to_owned() }
}

#[cfg(test)]
mod tests {
    use crate::profile::Kind;

    use super::*;

    #[test]
    fn every_drawn_profile_is_within_range() {
        for kind in Kind::ALL {
            for seed in 0..500 {
                assert_eq!(Profile::of(*kind, seed).check(), Ok(()), "{kind} {seed}");
            }
        }
    }

    fn told(spoil: impl FnOnce(&mut Profile)) -> String {
        let mut profile = Profile::of(Kind::Ordinary, 1);
        spoil(&mut profile);
        profile.check().unwrap_err().to_string()
    }

    #[test]
    fn what_is_out_of_range_is_told_with_its_range() {
        assert_eq!(
            told(|it| it.faults.answer_lost = 1_001),
            "`faults.answer_lost` is 1001: it must be from 0 to 1000"
        );
        assert!(told(|it| it.seats.clear()).starts_with("the number of `seats` is 0"));
        assert!(told(|it| it.chaos = Span::ZERO).starts_with("`chaos` is 0"));
        assert!(told(|it| it.seats[0].clock_rate = 1).contains("`clock_rate` of seat 0"));
        assert!(told(|it| it.zone = String::from("Mars/Olympus")).starts_with("`zone` is"));
        assert!(told(|it| it.wild_clock = Span::from_days(1)).starts_with("`wild_clock` is"));
        assert!(told(|it| it.definitions.clear()).contains("without a definition"));
        assert!(told(|it| it.jobs.deaf = 2_000).contains("`jobs.deaf`"));
        assert!(told(|it| it.faults.cut_off = Some(Span::ZERO)).contains("`faults.cut_off`"));
    }
}
