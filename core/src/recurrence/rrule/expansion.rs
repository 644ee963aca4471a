//! The wall-clock times of a rule that names times of day: DAILY and coarser.
//!
//! Promises: the time after another is found, and the times between two are counted, at a cost
//! that does not depend on how far DTSTART lies back; no set of a period is ever written out but
//! its dates.

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};

use super::date_filter::DateFilter;
use super::named_dates::NamedDates;
use super::parts::Parts;
use super::periods::Periods;
use super::work::Work;
use crate::recurrence::Wall;
use crate::recurrence::clock_change::{HORIZON, WallTimes};
use crate::words::time::Span;

/// After so many days, 400 years, the calendar begins anew: each date is the same day of the week
/// and lies in the same week of its year.
const TURN: i64 = 146_097;

/// A rule looks at this many of its periods at least, however long they are.
const FEWEST_PERIODS: u64 = 100;

/// The named times from DTSTART on, whenever the rule ends.
#[derive(Debug)]
pub(super) struct Expansion {
    start: Wall,
    periods: Periods,
    dates: NamedDates,
    /// The times of each named date, in order.
    times: Vec<Time>,
    /// Which of a period's times are meant, from 1 or, negative, from its end; all when empty.
    positions: Vec<i16>,
}

impl Expansion {
    /// The times of `parts` in a rule that starts at `start`.
    pub(super) fn new(parts: &Parts, start: Wall) -> Self {
        let (date, time) = (start.civil().date(), start.civil().time());
        let or_its = |list: &[i16], its: i8| {
            if list.is_empty() { vec![its.into()] } else { list.to_vec() }
        };
        let second = parts.second.unwrap_or(time.second().into());
        let minutes = or_its(&parts.minutes, time.minute());
        let times = or_its(&parts.hours, time.hour()).into_iter().flat_map(|hour| {
            minutes.iter().filter_map(move |minute| time_of_day(hour, *minute, second))
        });
        Self {
            start,
            periods: Periods::new(parts, date),
            dates: NamedDates::new(DateFilter::new(parts, date)),
            times: times.collect(),
            positions: parts.positions.clone(),
        }
    }

    /// The first time that can be named.
    pub(super) fn start(&self) -> Wall {
        self.start
    }

    /// How many named times there are from `first` to `last`, both included; beyond `enough` they
    /// need not be counted.
    pub(super) fn count(&self, first: Wall, last: Wall, enough: u64, work: &mut Work) -> u64 {
        let first = first.max(self.start);
        let Some(end) = last.next().filter(|end| first < *end) else { return 0 };
        if self.positions.is_empty() && self.dates.is_every() {
            return self.daily_before(end).saturating_sub(self.daily_before(first));
        }
        // What is named in INTERVAL turns of the calendar is named in the next ones again.
        let round = TURN * self.periods.interval();
        let rounds = end.civil().duration_since(first.civil()).as_hours() / (24 * round);
        match (days_later(first, round), days_later(first, rounds * round)) {
            (Some(second), Some(rest)) if rounds > 1 => {
                let each = self.count_before(first, second, enough, work);
                let left = enough.saturating_sub(each);
                each.saturating_mul(rounds.unsigned_abs())
                    .saturating_add(self.count_before(rest, end, left, work))
            }
            (Some(_) | None, _) => self.count_before(first, end, enough, work),
        }
    }

    /// Counts as much of the calendar as [`count`](Self::count) ever looks at, period by period.
    pub(super) fn count_turns(&self, enough: u64, work: &mut Work) {
        let turns = TURN.saturating_mul(self.periods.interval()).saturating_mul(2);
        let end = days_later(self.start, turns);
        self.count_before(self.start, end.unwrap_or(Wall::LAST), enough, work);
    }

    /// More steps are never needed to count all times of two turns, and those of so many gaps.
    pub(super) fn most_steps(&self, gaps: u64) -> u64 {
        let [periods, months, dates] = self.periods.of_a_turn();
        let month = self.dates.steps_a_month();
        let has_positions = !self.positions.is_empty();
        let period = months * month + if has_positions { dates } else { 0 };
        let gap = match (self.times.len(), has_positions) {
            (0 | 1, _) => 0,
            (_, true) => 2 * period,
            (_, false) => 2 * month,
        };
        2 * periods * period + gaps * gap
    }

    /// The most of its times that one gap can make one: no gap is longer than a day.
    pub(super) fn most_merged(&self) -> u64 {
        number(self.times.len()) + 1
    }

    /// How many named times there are from `first` to before `end`, looked at period by period.
    fn count_before(&self, first: Wall, end: Wall, enough: u64, work: &mut Work) -> u64 {
        let mut count = 0_u64;
        for (begins, ends) in self.periods.from(first.civil().date()) {
            if begins > end.civil().date() || count > enough || work.is_spent() {
                break;
            }
            count += if self.positions.is_empty() {
                self.count_in(begins, ends, first, end, work)
            } else {
                let times = self.of_period(begins, ends, work);
                times.before(end).saturating_sub(times.before(first))
            };
        }
        count
    }

    /// How many times come before `wall`, in a rule whose periods are days and all named.
    fn daily_before(&self, wall: Wall) -> u64 {
        let (date, time) = (wall.civil().date(), wall.civil().time());
        let earlier_that_day = if self.periods.hold(date) {
            self.times.partition_point(|named| *named < time)
        } else {
            0
        };
        self.periods.begun_before(date).unsigned_abs() * number(self.times.len())
            + number(earlier_that_day)
    }

    /// How many times a period has from `first` to before `end`, in a rule without positions.
    fn count_in(&self, begins: Date, ends: Date, first: Wall, end: Wall, work: &mut Work) -> u64 {
        let (first, end) = (first.civil(), end.civil());
        let (begins, ends) = (begins.max(first.date()), ends.min(end.date()));
        let earlier = |than: DateTime| self.times.partition_point(|time| *time < than.time());
        let of_day = |than: DateTime, times: usize| {
            let is_in = (begins..=ends).contains(&than.date()) && self.dates.has(than.date());
            if is_in { times } else { 0 }
        };
        let dates = self.dates.count_between(begins, ends, work);
        // On the first date some are too early, on the last some too late.
        let left_out = of_day(first, earlier(first)) + of_day(end, self.times.len() - earlier(end));
        (dates * number(self.times.len())).saturating_sub(number(left_out))
    }

    /// All that a period names, also what lies before DTSTART: positions are counted in it.
    fn of_period(&self, begins: Date, ends: Date, work: &mut Work) -> PeriodTimes<'_> {
        let dates = self.dates.between(begins, ends, work);
        work.take(number(dates.len()));
        PeriodTimes { dates, times: &self.times, positions: &self.positions }
    }

    /// Whether any two of its times may be among those that the clock leaves out from `first` to
    /// `last`.
    pub(super) fn can_merge(&self, first: Wall, last: Wall) -> bool {
        let (first, last) = (first.civil(), last.civil());
        first.date() != last.date() || {
            let before = |than: Time| self.times.partition_point(|time| *time < than);
            let until_last = self.times.partition_point(|time| *time <= last.time());
            until_last.saturating_sub(before(first.time())) > 1
        }
    }
}

impl WallTimes for Expansion {
    fn at_or_after(&self, from: Wall) -> Option<Wall> {
        let from = from.max(self.start);
        let horizon = i64::try_from(self.horizon().micros()).unwrap_or(i64::MAX);
        let limit = from.civil().date().checked_add(SignedDuration::from_micros(horizon));
        let limit = limit.unwrap_or(Date::MAX);
        let work = &mut Work::unlimited();
        for (begins, ends) in self.periods.from(from.civil().date()) {
            if begins > limit {
                break;
            }
            let found = if self.positions.is_empty() {
                self.first_in(begins, ends, from, work)
            } else {
                self.of_period(begins, ends, work).at_or_after(from)
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn horizon(&self) -> Span {
        let fewest = Span::from_days(self.periods.days_between()).times(FEWEST_PERIODS);
        HORIZON.max(fewest)
    }
}

impl Expansion {
    /// The first time of a period from `from` on, in a rule without positions.
    fn first_in(&self, begins: Date, ends: Date, from: Wall, work: &mut Work) -> Option<Wall> {
        let civil = from.civil();
        let date = self.dates.first_between(begins.max(civil.date()), ends, work)?;
        let on_time = |time: &&Time| date > civil.date() || **time >= civil.time();
        if let Some(time) = self.times.iter().find(on_time) {
            return Some(Wall::containing(date.to_datetime(*time)));
        }
        let date = self.dates.first_between(date.tomorrow().ok()?, ends, work)?;
        Some(Wall::containing(date.to_datetime(*self.times.first()?)))
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// The same time of day so many days later; `None` past the calendar's end.
fn days_later(wall: Wall, days: i64) -> Option<Wall> {
    let hours = SignedDuration::from_hours(24 * days);
    wall.civil().checked_add(hours).ok().map(Wall::containing)
}

/// The times of one period: those of each date, among which the positions choose.
struct PeriodTimes<'a> {
    dates: Vec<Date>,
    times: &'a [Time],
    positions: &'a [i16],
}

impl PeriodTimes<'_> {
    /// How many chosen times come before `wall`.
    fn before(&self, wall: Wall) -> u64 {
        let before = self.all_before(wall);
        number(self.chosen().into_iter().filter(|place| *place < before).count())
    }

    /// The first chosen time from `from` on.
    fn at_or_after(&self, from: Wall) -> Option<Wall> {
        let before = self.all_before(from);
        let place = self.chosen().into_iter().find(|place| *place >= before)?;
        let (date, time) = (place / self.times.len(), place % self.times.len());
        Some(Wall::containing(self.dates.get(date)?.to_datetime(*self.times.get(time)?)))
    }

    /// How many times, chosen or not, come before `wall`.
    fn all_before(&self, wall: Wall) -> usize {
        let civil = wall.civil();
        let dates = self.dates.partition_point(|date| *date < civil.date());
        let times = if self.dates.get(dates) == Some(&civil.date()) {
            self.times.partition_point(|time| *time < civil.time())
        } else {
            0
        };
        dates * self.times.len() + times
    }

    /// The places of the chosen times among all, from 0, in order.
    fn chosen(&self) -> Vec<usize> {
        let all = self.dates.len() * self.times.len();
        let place = |position: &i16| {
            let distance = usize::from(position.unsigned_abs());
            let place =
                if *position > 0 { distance.checked_sub(1) } else { all.checked_sub(distance) };
            place.filter(|place| *place < all)
        };
        let mut places: Vec<usize> = self.positions.iter().filter_map(place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// `None` outside the day, which the grammar rules out.
fn time_of_day(hour: i16, minute: i16, second: i16) -> Option<Time> {
    let part = |number: i16| i8::try_from(number).ok();
    Time::new(part(hour)?, part(minute)?, part(second)?, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::super::grammar::parse;
    use super::*;

    #[test]
    fn whole_turns_of_the_calendar_are_counted_as_their_parts_are() {
        let wall = |text: &str| text.parse::<Wall>().unwrap();
        for text in [
            "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;COUNT=9",
            "FREQ=WEEKLY;BYDAY=MO,SU;BYHOUR=3,4;COUNT=9",
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1,2;COUNT=9",
            "FREQ=MONTHLY;BYMONTHDAY=31;COUNT=9",
            "FREQ=YEARLY;BYWEEKNO=53,1;BYDAY=MO,SU;COUNT=9",
            "FREQ=YEARLY;BYYEARDAY=366,-1;BYDAY=SU;COUNT=9",
            "FREQ=WEEKLY;INTERVAL=2;COUNT=9",
            "FREQ=DAILY;INTERVAL=3;BYDAY=MO;BYMONTHDAY=13;COUNT=9",
            "FREQ=MONTHLY;INTERVAL=5;BYDAY=-1FR;COUNT=9",
            "FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29;COUNT=9",
            "FREQ=YEARLY;INTERVAL=7;BYWEEKNO=53;COUNT=9",
        ] {
            let start = wall("1999-12-31T23:59:59");
            let expansion = Expansion::new(&parse(text).unwrap(), start);
            for (first, last) in [
                ("1999-12-31T23:59:59", "9999-12-30T00:00"),
                ("2024-02-29T12:00", "4800-02-29T12:00"),
                ("2100-07-01T00:00", "2899-06-30T23:59:59"),
            ] {
                let (first, last) = (wall(first), wall(last));
                let work = &mut Work::unlimited();
                let whole = expansion.count(first, last, u64::MAX, work);
                let end = last.next().unwrap();
                assert_eq!(whole, expansion.count_before(first, end, u64::MAX, work), "{text}");
            }
        }
    }
}
