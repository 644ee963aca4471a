//! The periods of a rule: its days, weeks, months or years, one every INTERVAL.
//!
//! Promise: the period that holds a date, or the first after it, is found by division, however
//! far it lies from DTSTART.

use jiff::SignedDuration;
use jiff::civil::{Date, Weekday};

use super::parts::{Frequency, Parts};

/// The days before 1970-01-01 on which the first week of the count, a Monday's, begins.
const FIRST_MONDAY: i64 = -3;

/// The periods of a rule that names times of day.
#[derive(Debug)]
pub(super) struct Periods {
    unit: Unit,
    interval: i64,
    /// The number of the unit that DTSTART lies in.
    first: i64,
}

/// What is counted.
#[derive(Debug, Clone, Copy)]
enum Unit {
    Day,
    Week(Weekday),
    Month,
    Year,
    /// The weeks 1 to 52 or 53, which begin and end beside the calendar's year.
    YearOfWeeks(Weekday),
}

impl Periods {
    /// The periods of `parts` in a rule that starts on `start`.
    pub(super) fn new(parts: &Parts, start: Date) -> Self {
        let unit = match parts.frequency {
            Frequency::Yearly if parts.weeks.is_empty() => Unit::Year,
            Frequency::Yearly => Unit::YearOfWeeks(parts.week_start),
            Frequency::Monthly => Unit::Month,
            Frequency::Weekly => Unit::Week(parts.week_start),
            Frequency::Daily | Frequency::Hourly | Frequency::Minutely => Unit::Day,
        };
        Self { unit, interval: parts.interval.into(), first: unit.number_of(start) }
    }

    /// The periods from the one that holds `date`, or the first after it, on: of each the first
    /// and the last date.
    pub(super) fn from(&self, date: Date) -> impl Iterator<Item = (Date, Date)> {
        let number = self.first + self.begun_before(date) * self.interval;
        (0..).map_while(move |step| self.unit.dates_of(number + step * self.interval))
    }

    /// How many periods begin before the one that holds `date`, or else before `date`.
    pub(super) fn begun_before(&self, date: Date) -> i64 {
        let ahead = (self.unit.number_of(date) - self.first).max(0);
        // Rounded up to a whole interval.
        (ahead + self.interval - 1) / self.interval
    }

    /// Whether a period holds `date`.
    pub(super) fn hold(&self, date: Date) -> bool {
        let ahead = self.unit.number_of(date) - self.first;
        ahead >= 0 && ahead % self.interval == 0
    }

    /// One in so many is meant.
    pub(super) fn interval(&self) -> i64 {
        self.interval
    }

    /// How many periods begin within INTERVAL turns of the calendar, and how many months and how
    /// many dates one has at the most.
    pub(super) const fn of_a_turn(&self) -> [u64; 3] {
        match self.unit {
            Unit::Day => [146_097, 1, 1],
            Unit::Week(_) => [20_871, 2, 7],
            Unit::Month => [4_800, 1, 31],
            Unit::Year => [400, 12, 366],
            Unit::YearOfWeeks(_) => [400, 14, 371],
        }
    }

    /// About how many days lie between the starts of two periods, and never fewer.
    pub(super) fn days_between(&self) -> u64 {
        let days = match self.unit {
            Unit::Day => 1,
            Unit::Week(_) => 7,
            Unit::Month => 31,
            Unit::Year | Unit::YearOfWeeks(_) => 371,
        };
        days * self.interval.unsigned_abs()
    }
}

impl Unit {
    /// The number of the unit that holds `date`.
    fn number_of(self, date: Date) -> i64 {
        match self {
            Self::Day => day_number(date),
            Self::Week(start) => (day_number(date) - FIRST_MONDAY - offset(start)).div_euclid(7),
            Self::Month => i64::from(date.year()) * 12 + i64::from(date.month()) - 1,
            Self::Year => date.year().into(),
            Self::YearOfWeeks(start) => year_of_week(date, start).into(),
        }
    }

    /// The first and the last date of a unit; `None` outside the calendar.
    fn dates_of(self, number: i64) -> Option<(Date, Date)> {
        match self {
            Self::Day => numbered(number).map(|date| (date, date)),
            Self::Week(start) => {
                let first = number * 7 + FIRST_MONDAY + offset(start);
                Some((numbered(first)?, numbered(first + 6)?))
            }
            Self::Month => {
                let year = i16::try_from(number.div_euclid(12)).ok()?;
                let month = i8::try_from(number.rem_euclid(12) + 1).ok()?;
                let first = Date::new(year, month, 1).ok()?;
                Some((first, first.last_of_month()))
            }
            Self::Year => {
                let first = Date::new(i16::try_from(number).ok()?, 1, 1).ok()?;
                Some((first, first.last_of_year()))
            }
            Self::YearOfWeeks(start) => {
                let year = i16::try_from(number).ok()?;
                let first = first_week(year, start)?;
                let last = first_week(year.checked_add(1)?, start)? - 1;
                Some((numbered(first)?, numbered(last)?))
            }
        }
    }
}

/// The week that `date` lies in and how many weeks its year has. Week 1 is the first with at
/// least four days in its year.
pub(super) fn week_of_year(date: Date, week_start: Weekday) -> (i16, i16) {
    let year = year_of_week(date, week_start);
    let first = first_week(year, week_start);
    let next = year.checked_add(1).and_then(|year| first_week(year, week_start));
    let weeks = |days: i64| i16::try_from(days.div_euclid(7)).unwrap_or(i16::MAX);
    match (first, next) {
        (Some(first), Some(next)) => (weeks(day_number(date) - first) + 1, weeks(next - first)),
        // The calendar's last year has no next.
        (Some(first), None) => (weeks(day_number(date) - first) + 1, 52),
        (None, _) => (1, 52),
    }
}

/// The year to which the week of `date` belongs.
fn year_of_week(date: Date, week_start: Weekday) -> i16 {
    let (year, day) = (date.year(), day_number(date));
    let begins = |year: i16| first_week(year, week_start).is_some_and(|first| first <= day);
    match year.checked_add(1) {
        Some(next) if begins(next) => next,
        Some(_) | None if begins(year) => year,
        Some(_) | None => year - 1,
    }
}

/// The number of the first day of week 1.
fn first_week(year: i16, week_start: Weekday) -> Option<i64> {
    // The fourth of January always lies in it.
    let fourth = Date::new(year, 1, 4).ok()?;
    Some(day_number(fourth) - i64::from(fourth.weekday().since(week_start)))
}

/// How many days after Monday a week begins.
fn offset(week_start: Weekday) -> i64 {
    week_start.to_monday_zero_offset().into()
}

/// The days from 1970-01-01 to `date`.
pub(super) fn day_number(date: Date) -> i64 {
    date.duration_since(EPOCH).as_hours().div_euclid(24)
}

/// The date of that number; `None` outside the calendar.
pub(super) fn numbered(day: i64) -> Option<Date> {
    EPOCH.checked_add(SignedDuration::from_hours(day.checked_mul(24)?)).ok()
}

const EPOCH: Date = Date::constant(1970, 1, 1);
