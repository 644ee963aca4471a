//! The instants of a rule, found by walking.

use std::str::FromStr;
use std::sync::Arc;

use horarium_core::recurrence::Recurrence;
use horarium_core::words::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use super::WallClock;
use super::rules::{CRON, Language, RRULE, Rule, Times};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const MICROS: i64 = 1_000_000;

/// A rule that is not of the pool: nothing is known of its meaning.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nobody knows by hand what `{0}` means: add it to the pool of rules")]
pub struct UnknownRule(pub String);

/// The instants of one rule in one zone.
#[derive(Debug, Clone)]
pub struct Series {
    kind: Kind,
    clock: Arc<WallClock>,
    /// DTSTART, as an instant and on the wall.
    start: Option<(i64, i64)>,
    /// The last instant, by COUNT or UNTIL.
    last: Option<i64>,
}

#[derive(Debug, Clone)]
enum Kind {
    Once(Timestamp),
    ByRule(Rule),
}

impl Series {
    /// The instants of a recurrence, given the clock of its zone.
    pub fn of(recurrence: &Recurrence, clock: Arc<WallClock>) -> Result<Self, UnknownRule> {
        let unknown = || UnknownRule(recurrence.text().into_owned());
        match recurrence {
            Recurrence::Once(once) => {
                Ok(Self { kind: Kind::Once(once.at()), clock, start: None, last: None })
            }
            Recurrence::Cron(cron) => {
                let kind =
                    Kind::ByRule(known(Language::Cron, cron.cron().text()).ok_or_else(unknown)?);
                Ok(Self { kind, clock, start: None, last: None })
            }
            Recurrence::Rrule(rrule) => {
                let text = rrule.rrule().text();
                let (base, count, until) = without_end(text).ok_or_else(unknown)?;
                let rule = known(Language::Rrule, base).ok_or_else(unknown)?;
                let wall = seconds(&rrule.dtstart().to_string()).ok_or_else(unknown)?;
                let start = Some((clock.read(wall).instant(), wall));
                let mut series = Self { kind: Kind::ByRule(rule), clock, start, last: until };
                if let Some(count) = count {
                    // A rule that ends before its COUNT within the years that are known does not end.
                    series.last = series.instant_number(count);
                }
                Ok(series)
            }
        }
    }

    /// The first instant after `after`; none when none lies within the years that are known.
    pub fn first_after(&self, after: Timestamp) -> Option<Timestamp> {
        if let Kind::Once(at) = self.kind {
            return (at > after).then_some(at);
        }
        let at = self.second_after(after.micros().div_euclid(MICROS))?;
        Timestamp::from_micros(at * MICROS).ok()
    }

    /// True when the years that are known reach so far.
    pub fn knows(&self, at: Timestamp) -> bool {
        at.micros().div_euclid(MICROS) < self.clock.until()
    }

    /// True when a change of the clock lies in the hours before `at`.
    pub fn is_near_a_change(&self, at: Timestamp) -> bool {
        let at = at.micros().div_euclid(MICROS);
        self.clock.stretch(at).0 != self.clock.stretch(at - 3 * HOUR).0
    }

    fn instant_number(&self, count: u32) -> Option<i64> {
        let mut at = self.start?.0 - 1;
        for _ in 0..count {
            at = self.second_after(at)?;
        }
        Some(at)
    }

    fn second_after(&self, after: i64) -> Option<i64> {
        let Kind::ByRule(rule) = &self.kind else { return None };
        let after = self.start.map_or(after, |(start, _)| after.max(start - 1));
        let found = match rule.times {
            Times::Every { minutes } => {
                let (start, step) = (self.start?.0, minutes * MINUTE);
                Some(start + ((after - start).div_euclid(step) + 1) * step)
            }
            Times::OfDay { hours, minutes } => self.named_after(rule, hours, minutes, after),
            Times::Shown { hours, minutes } => self.shown_after(rule, hours, minutes, after),
        };
        found.filter(|at| self.last.is_none_or(|last| *at <= last))
    }

    /// Day by day, time by time.
    fn named_after(&self, rule: &Rule, hours: &[i64], minutes: &[i64], after: i64) -> Option<i64> {
        let start = self.start.map_or(i64::MIN, |(_, wall)| wall);
        let of_start = [start.rem_euclid(DAY) / HOUR];
        let hours = if hours.is_empty() { &of_start } else { hours };
        let of_start = [start.rem_euclid(HOUR) / MINUTE];
        let minutes = if minutes.is_empty() { &of_start } else { minutes };
        let mut day = self.clock.shows(after).div_euclid(DAY) - 1;
        while day * DAY < self.clock.until() {
            if self.is_meant(rule, day) {
                for hour in hours {
                    for minute in minutes {
                        let wall = day * DAY + hour * HOUR + minute * MINUTE;
                        let at = self.clock.read(wall).instant();
                        if wall >= start && at > after {
                            return Some(at);
                        }
                    }
                }
            }
            day += 1;
        }
        None
    }

    /// Minute by minute of real time; days and hours that cannot match are passed over.
    fn shown_after(&self, rule: &Rule, hours: &[i64], minutes: &[i64], after: i64) -> Option<i64> {
        let meant = |among: &[i64], it: i64| among.is_empty() || among.contains(&it);
        let mut at = after + 1;
        while at < self.clock.until() {
            let (offset, until) = self.clock.stretch(at);
            let wall = at + offset;
            let next = if wall.rem_euclid(MINUTE) != 0 {
                wall.div_euclid(MINUTE) * MINUTE + MINUTE
            } else if !self.is_meant(rule, wall.div_euclid(DAY)) {
                wall.div_euclid(DAY) * DAY + DAY
            } else if !meant(hours, wall.rem_euclid(DAY) / HOUR) {
                wall.div_euclid(HOUR) * HOUR + HOUR
            } else if !meant(minutes, wall.rem_euclid(HOUR) / MINUTE) {
                wall + MINUTE
            } else {
                return Some(at);
            };
            at = (next - offset).min(until);
        }
        None
    }

    fn is_meant(&self, rule: &Rule, day: i64) -> bool {
        let start = self.start.map_or(day, |(_, wall)| wall.div_euclid(DAY));
        match (date(day), date(start)) {
            (Some(date), Some(start)) => (rule.dates)(date, start),
            _ => false,
        }
    }
}

fn date(day: i64) -> Option<Date> {
    let at = jiff::Timestamp::from_second(day * DAY).ok()?;
    Some(TimeZone::UTC.to_datetime(at).date())
}

/// A time on the wall, in seconds since 1970 on it.
fn seconds(wall: &str) -> Option<i64> {
    let civil = DateTime::from_str(wall).ok()?;
    Some(TimeZone::UTC.to_timestamp(civil).ok()?.as_second())
}

fn known(language: Language, text: &str) -> Option<Rule> {
    let pool = match language {
        Language::Cron => CRON,
        Language::Rrule => RRULE,
    };
    pool.iter().find(|rule| rule.language == language && rule.text == text).copied()
}

/// An RRULE's text without COUNT or UNTIL, and what they said.
fn without_end(text: &str) -> Option<(&str, Option<u32>, Option<i64>)> {
    if let Some((base, count)) = text.split_once(";COUNT=") {
        return Some((base, Some(count.parse().ok()?), None));
    }
    if let Some((base, until)) = text.split_once(";UNTIL=") {
        let civil = DateTime::from_str(until.strip_suffix('Z')?).ok()?;
        return Some((base, None, Some(TimeZone::UTC.to_timestamp(civil).ok()?.as_second())));
    }
    Some((text, None, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(recurrence: &Recurrence) -> Series {
        let clock = WallClock::around(recurrence.zone().name(), 1_792_890_000).unwrap();
        Series::of(recurrence, Arc::new(clock)).unwrap()
    }

    fn texts(series: &Series, after: &str, count: usize) -> Vec<String> {
        let first = series.first_after(after.parse().unwrap());
        std::iter::successors(first, |at| series.first_after(*at))
            .take(count)
            .map(|at| at.to_string())
            .collect()
    }

    #[test]
    fn a_time_of_day_comes_once_when_the_clock_is_set_back() {
        let rule = Recurrence::cron("30 1-3 * * *", "Europe/Berlin".parse().unwrap()).unwrap();
        assert_eq!(
            texts(&of(&rule), "2026-10-24T23:00:00Z", 4),
            [
                "2026-10-24T23:30:00Z",
                "2026-10-25T00:30:00Z",
                "2026-10-25T02:30:00Z",
                "2026-10-26T00:30:00Z"
            ]
        );
    }

    #[test]
    fn real_minutes_go_on_when_the_clock_is_set_back() {
        let rule = Recurrence::cron("0 * * * *", "Australia/Lord_Howe".parse().unwrap()).unwrap();
        // 01:00 at +10:30, the second 01:30 passes, 02:00 follows.
        assert_eq!(
            texts(&of(&rule), "2026-04-04T13:59:00Z", 3),
            ["2026-04-04T14:00:00Z", "2026-04-04T15:30:00Z", "2026-04-04T16:30:00Z"]
        );
    }

    #[test]
    fn count_ends_a_series() {
        let zone = "UTC".parse().unwrap();
        let start = "2026-10-25T10:00".parse().unwrap();
        let rule = Recurrence::rrule("FREQ=MINUTELY;COUNT=2", start, zone).unwrap();
        assert_eq!(
            texts(&of(&rule), "2026-10-25T09:00:00Z", 9),
            ["2026-10-25T10:00:00Z", "2026-10-25T10:01:00Z"]
        );
    }

    #[test]
    fn a_rule_that_is_not_of_the_pool_is_told() {
        let rule = Recurrence::cron("1 1 1 1 *", "UTC".parse().unwrap()).unwrap();
        let clock = WallClock::around("UTC", 0).unwrap();
        let told = Series::of(&rule, Arc::new(clock)).unwrap_err().to_string();
        assert!(told.contains("`1 1 1 1 *`"), "{told}");
    }
}
