//! The instants of a rule that follows elapsed time: HOURLY and MINUTELY.
//!
//! Promises: real minutes are counted from DTSTART, and the BY parts are read on the clock that
//! the zone shows at each; days, hours and minutes that cannot match are skipped, so that the
//! cost depends neither on the distance from DTSTART nor on how often the rule repeats.

use jiff::civil::Date;

use super::date_filter::DateFilter;
use super::named_dates::NamedDates;
use super::parts::{Frequency, Parts};
use super::periods::{day_number, numbered};
use super::work::Work;
use crate::recurrence::bits::Bits;
use crate::recurrence::clock_change::HORIZON;
use crate::recurrence::zone::{Gap, instant, timestamp};
use crate::recurrence::{Occasion, Wall, Zone};
use crate::words::time::Timestamp;

const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;

/// How many steps it takes to find a change of the clock.
pub(super) const CHANGE: u64 = 16;

/// Minutes of real time, counted from a first one, and which of them are meant.
#[derive(Debug)]
pub(super) struct Elapsed {
    /// Where minute 0 begins, in seconds since 1970: with DTSTART's minute, or with its hour when
    /// the minutes of each hour are listed.
    base: i64,
    /// The first minute that does not lie before DTSTART.
    first: i64,
    /// In each minute, the second that is meant.
    second: i64,
    /// From the start of one step to that of the next, in minutes.
    period: i64,
    /// How many minutes belong to a step: one, or an hour's.
    width: i64,
    dates: NamedDates,
    hours: Bits,
    minutes: Bits,
}

/// Minutes while the clock runs evenly.
struct Even {
    /// The first of them.
    from: i64,
    /// The first that no longer belongs to them.
    end: i64,
    /// What to add to a minute's number for the minute that the wall clock shows, counted from
    /// 1970-01-01T00:00.
    shift: i64,
}

impl Elapsed {
    /// The instants of `parts` in a rule that starts at the instant `start`.
    pub(super) fn new(parts: &Parts, start: jiff::Timestamp, zone: &Zone) -> Self {
        let shown = zone.stretch(start).civil_at(start);
        let is_hourly = parts.frequency == Frequency::Hourly;
        let lists_minutes = is_hourly && !parts.minutes.is_empty();
        let into_step = if lists_minutes { i64::from(shown.minute()) } else { 0 };
        let second = parts.second.map_or(i64::from(shown.second()), i64::from);
        let interval = i64::from(parts.interval);
        let minutes = listed(&parts.minutes, 60);
        Self {
            base: start.as_second() - i64::from(shown.second()) - into_step * 60,
            first: into_step + i64::from(second < i64::from(shown.second())),
            second,
            period: if is_hourly { interval * HOUR } else { interval },
            width: if lists_minutes { HOUR } else { 1 },
            dates: NamedDates::new(DateFilter::new(parts, shown.date())),
            hours: listed(&parts.hours, 24),
            // The set that positions choose from is what an hour lists, or a single minute.
            minutes: if lists_minutes {
                at_positions(minutes, &parts.positions)
            } else if parts.positions.is_empty() || parts.positions.iter().any(|p| p.abs() == 1) {
                minutes
            } else {
                Bits::NONE
            },
        }
    }

    /// The first occasion after `after` that is none of `excluded`.
    pub(super) fn next_after(
        &self,
        zone: &Zone,
        after: Timestamp,
        excluded: &[Timestamp],
    ) -> Option<Occasion> {
        let limit = self.minutes_until(after.plus(HORIZON));
        let mut found = None;
        let work = &mut Work::unlimited();
        self.walk(zone, self.minutes_until(after), limit, work, |minute| {
            let at = self.instant_of(minute).and_then(timestamp);
            found = at.filter(|at| excluded.binary_search(at).is_err());
            found.is_none()
        });
        found.map(|at| Occasion { at, wall: zone.wall_at(at), ordinal: None })
    }

    /// How many instants lie after `after`, or from the start, up to `last`; beyond `enough` they
    /// need not be counted.
    pub(super) fn count(
        &self,
        zone: &Zone,
        after: Option<Timestamp>,
        last: Timestamp,
        enough: u64,
        work: &mut Work,
    ) -> u64 {
        let from = after.map_or(self.first, |after| self.minutes_until(after)).max(self.first);
        let end = self.minutes_until(last);
        if self.is_every_step() {
            let steps_before = |minute: i64| (minute + self.period - 1).div_euclid(self.period);
            return u64::try_from(steps_before(end) - steps_before(from)).unwrap_or(0);
        }
        let mut count = 0;
        self.walk(zone, from, end, work, |_| {
            count += 1;
            count <= enough
        });
        count
    }

    /// The wall-clock times that `gap`, which ends at `gap_end`, leaves out and at which the rule
    /// would have run, had the clock not been set forward; it does not run instead.
    pub(super) fn lost(&self, zone: &Zone, gap_end: jiff::Timestamp, gap: Gap) -> Vec<Wall> {
        let Some(before) = gap_end.checked_sub(jiff::SignedDuration::from_nanos(1)).ok() else {
            return Vec::new();
        };
        let (before, after) = (zone.stretch(before), zone.stretch(gap_end));
        let from = self.first_from(gap_end.as_second()).max(self.first);
        let shown = |minute: i64| {
            Some(before.civil_at(self.instant_of(minute)?))
                .filter(|shown| gap.leaves_out(Wall::containing(*shown)))
        };
        let left_out = (from..).map_while(|minute| Some((minute, shown(minute)?)));
        left_out
            .filter(|(minute, _)| {
                minute.rem_euclid(self.period) < self.width
                    && self.names(minute + self.shift(before.seconds_east()))
                    && !self.names(minute + self.shift(after.seconds_east()))
            })
            .map(|(_, shown)| Wall::containing(shown))
            .collect()
    }

    /// True when every step is meant, whatever the clock shows.
    fn is_every_step(&self) -> bool {
        self.width == 1
            && self.dates.is_every()
            && self.hours == Bits::below(24)
            && self.minutes == Bits::below(60)
    }

    /// The number of the first minute whose instant is later than `at`.
    fn minutes_until(&self, at: Timestamp) -> i64 {
        self.first_from(instant(at).as_second() + 1)
    }

    /// The number of the first minute whose instant is `second`, counted since 1970, or later.
    fn first_from(&self, second: i64) -> i64 {
        (second - 1 - self.base - self.second).div_euclid(60) + 1
    }

    fn instant_of(&self, minute: i64) -> Option<jiff::Timestamp> {
        jiff::Timestamp::from_second(self.base + minute * 60 + self.second).ok()
    }

    fn shift(&self, seconds_east: i64) -> i64 {
        (self.base + seconds_east).div_euclid(60)
    }

    /// Shows `visit` the meant minutes from `from` to before `end`, until it has seen enough.
    fn walk(
        &self,
        zone: &Zone,
        from: i64,
        end: i64,
        work: &mut Work,
        mut visit: impl FnMut(i64) -> bool,
    ) {
        let mut from = from.max(self.first);
        while from < end && !work.is_spent() {
            work.take(CHANGE);
            let Some(at) = self.instant_of(from) else { return };
            let stretch = zone.stretch(at);
            let change = stretch.until.map_or(end, |change| self.first_from(change.as_second()));
            let even =
                Even { from, end: change.min(end), shift: self.shift(stretch.seconds_east()) };
            if self.can_meet(even.shift, work) && !self.walk_evenly(&even, work, &mut visit) {
                return;
            }
            from = even.end;
        }
    }

    /// False as soon as `visit` has seen enough.
    fn walk_evenly(
        &self,
        even: &Even,
        work: &mut Work,
        visit: &mut impl FnMut(i64) -> bool,
    ) -> bool {
        let last_day = numbered((even.end + even.shift).div_euclid(DAY)).unwrap_or(Date::MAX);
        let mut minute = even.from;
        let is_every_day = self.dates.is_every();
        let mut tested_day = None;
        while minute < even.end && !work.is_spent() {
            work.take(1);
            let into_step = minute.rem_euclid(self.period);
            if into_step >= self.width {
                minute += self.period - into_step;
                continue;
            }
            let shown = minute + even.shift;
            let day = shown.div_euclid(DAY);
            if !is_every_day && tested_day != Some(day) {
                let named = numbered(day).and_then(|d| self.dates.first_between(d, last_day, work));
                let Some(named) = named.map(day_number) else { return true };
                tested_day = Some(named);
                if named != day {
                    minute = named * DAY - even.shift;
                    continue;
                }
            }
            let of_day = shown.rem_euclid(DAY);
            match self.time_from(of_day) {
                Some(meant) if meant == of_day => {
                    if !visit(minute) {
                        return false;
                    }
                    minute += 1;
                }
                Some(meant) => minute += meant - of_day,
                None => minute += DAY - of_day,
            }
        }
        true
    }

    /// The first meant minute of a day from `of_day` on.
    fn time_from(&self, of_day: i64) -> Option<i64> {
        let (hour, minute) = (of_day / HOUR, of_day % HOUR);
        let this_hour = self.minutes.first_from(minute).filter(|_| self.hours.has(hour));
        this_hour.map(|minute| hour * HOUR + minute).or_else(|| {
            let hour = self.hours.first_from(hour + 1)?;
            Some(hour * HOUR + self.minutes.first_from(0)?)
        })
    }

    /// Whether the minute that the wall clock shows, counted from 1970, is meant.
    fn names(&self, shown: i64) -> bool {
        let of_day = shown.rem_euclid(DAY);
        self.hours.has(of_day / HOUR)
            && self.minutes.has(of_day % HOUR)
            && numbered(shown.div_euclid(DAY)).is_some_and(|date| self.dates.has(date))
    }

    /// Whether steps can meet a meant time of day at all while the clock runs with this shift:
    /// every second minute never meets an odd one.
    fn can_meet(&self, shift: i64, work: &mut Work) -> bool {
        if self.hours == Bits::below(24) && self.minutes == Bits::below(60) {
            return true;
        }
        let common = greatest_common_divisor(self.period, DAY);
        let mut meant = self.time_from(0);
        while let Some(minute) = meant {
            work.take(1);
            if (minute - shift).rem_euclid(common) < self.width {
                return true;
            }
            meant = self.time_from(minute + 1);
        }
        false
    }
}

/// The numbers of `list`; all below `count` when it is empty.
fn listed(list: &[i16], count: u32) -> Bits {
    if list.is_empty() {
        return Bits::below(count);
    }
    list.iter().filter_map(|number| u32::try_from(*number).ok()).collect()
}

/// Those at the given places, from 1 or, negative, from the end; all when none are given.
fn at_positions(numbers: Bits, positions: &[i16]) -> Bits {
    if positions.is_empty() {
        return numbers;
    }
    let count = i16::try_from(numbers.count()).unwrap_or(i16::MAX);
    let chosen = numbers
        .iter()
        .zip(1_i16..)
        .filter(|(_, place)| positions.contains(place) || positions.contains(&(place - 1 - count)));
    chosen.filter_map(|(number, _)| u32::try_from(number).ok()).collect()
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
