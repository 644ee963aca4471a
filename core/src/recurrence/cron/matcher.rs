//! Which wall-clock times a cron expression names.
//!
//! Promises: total, in every year of the calendar; months that are not named are passed over, and
//! of the others a question looks at the first days alone. docs/adr/0002-cron-matcher.md says why
//! it is our own.

use jiff::civil::{Date, Time, Weekday};

use super::expression::{Expression, Values};
use crate::recurrence::Wall;
use crate::recurrence::bits::Bits;
use crate::recurrence::clock_change::WallTimes;

/// The wall-clock times of one expression. A number of each set stands for itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matcher {
    minutes: Bits,
    hours: Bits,
    months: Bits,
    /// The named days of a month, by the weekday on which it begins, counted from Sunday.
    days: [Bits; 7],
}

impl Matcher {
    pub(super) fn new(expression: &Expression) -> Self {
        let month_days = set(&expression.day_of_month);
        let weekdays: Bits =
            expression.day_of_week.iter().map(|weekday| u32::from(weekday % 7)).collect();
        let mut days = [Bits::NONE; 7];
        for (first, days) in (0..).zip(&mut days) {
            let on_weekdays =
                (1..=31).filter(|day| weekdays.has((i64::from(*day) - 1 + first) % 7)).collect();
            *days = if expression.needs_both_days() {
                month_days.and(on_weekdays)
            } else {
                month_days.or(on_weekdays)
            };
        }
        Self {
            minutes: set(&expression.minute),
            hours: set(&expression.hour),
            months: set(&expression.month),
            days,
        }
    }

    /// The first named date from `from` on. The grammar lets no expression through that names
    /// none, and each comes again within 40 years.
    fn date_from(&self, from: Date) -> Option<Date> {
        let (mut year, mut month, mut day) = (from.year(), from.month(), from.day());
        loop {
            let Some(named) = small(self.months.first_from(month.into())) else {
                (year, month, day) = (year.checked_add(1)?, 1, 1);
                continue;
            };
            if named > month {
                (month, day) = (named, 1);
            }
            let first = Date::new(year, month, 1).ok()?;
            let days = self.days[sunday_first(first.weekday())];
            match small(days.first_from(day.into())) {
                Some(named) if named <= first.days_in_month() => {
                    return Date::new(year, month, named).ok();
                }
                Some(_) | None => (month, day) = (month + 1, 1),
            }
        }
    }

    /// The first named time of a day from the minute of `hour` on.
    fn time_from(&self, hour: i8, minute: i8) -> Option<Time> {
        let this_hour = self.minutes.first_from(minute.into());
        let (hour, minute) = match this_hour.filter(|_| self.hours.has(hour.into())) {
            Some(minute) => (hour.into(), minute),
            None => (self.hours.first_from(i64::from(hour) + 1)?, self.minutes.first_from(0)?),
        };
        Time::new(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, 0, 0).ok()
    }
}

impl WallTimes for Matcher {
    fn at_or_after(&self, from: Wall) -> Option<Wall> {
        let from = from.whole_minute()?.civil();
        let mut date = self.date_from(from.date())?;
        if date == from.date() {
            if let Some(time) = self.time_from(from.hour(), from.minute()) {
                return Some(Wall::containing(date.to_datetime(time)));
            }
            date = self.date_from(date.tomorrow().ok()?)?;
        }
        Some(Wall::containing(date.to_datetime(self.time_from(0, 0)?)))
    }
}

fn set(values: &Values) -> Bits {
    values.iter().map(u32::from).collect()
}

/// A number of a set as the calendar counts.
fn small(number: Option<i64>) -> Option<i8> {
    i8::try_from(number?).ok()
}

/// How many days after Sunday.
fn sunday_first(weekday: Weekday) -> usize {
    weekday.to_sunday_zero_offset().unsigned_abs().into()
}

#[cfg(test)]
mod tests {
    use super::super::grammar::parse;
    use super::*;

    /// Whether day of month, month and weekday, from Sunday, are named.
    type Names = fn(i8, i8, i8) -> bool;

    fn walls(text: &str, from: &str) -> impl Iterator<Item = Wall> {
        let matcher = Matcher::new(&parse(text).unwrap());
        let first = matcher.at_or_after(from.parse().unwrap());
        std::iter::successors(first, move |wall| matcher.at_or_after(wall.next()?))
    }

    #[test]
    fn the_dates_are_those_of_a_walk_through_two_turns_of_the_calendar() {
        let rules: [(&str, Names); 7] = [
            ("0 0 29 2 *", |day, month, _| day == 29 && month == 2),
            ("0 0 29 2 */7", |day, month, weekday| day == 29 && month == 2 && weekday == 0),
            ("0 0 31 */2 *", |day, month, _| day == 31 && month % 2 == 1),
            ("0 0 */31 * 1,5", |day, _, weekday| day == 1 && matches!(weekday, 1 | 5)),
            ("0 0 13,31 4,12 5", |day, month, weekday| {
                matches!(month, 4 | 12) && (matches!(day, 13 | 31) || weekday == 5)
            }),
            ("0 0 1-31 11 1", |_, month, _| month == 11),
            ("0 0 * 1-12/5 6-7", |_, month, weekday| month % 5 == 1 && matches!(weekday, 0 | 6)),
        ];
        let last = Date::constant(2799, 12, 31);
        for (text, names) in rules {
            let named =
                Date::constant(2000, 1, 1).series(jiff::Span::new().days(1)).filter(|date| {
                    names(date.day(), date.month(), date.weekday().to_sunday_zero_offset())
                });
            let found = walls(text, "2000-01-01T00:00").map(|wall| wall.civil().date());
            assert!(
                found.take_while(|date| *date <= last).eq(named.take_while(|date| *date <= last)),
                "{text}"
            );
        }
    }

    #[test]
    fn the_minutes_are_those_that_both_fields_name() {
        let shown = |text, from| {
            let walls = walls(text, from).take(4).map(|wall| wall.to_string());
            walls.collect::<Vec<_>>().join(" ")
        };
        for (text, expected) in [
            ("0 0 * * *", "2026-03-01T00:00 2026-03-02T00:00 2026-03-03T00:00 2026-03-04T00:00"),
            (
                "59,0 23,7 28 2 *",
                "2026-02-28T23:59 2027-02-28T07:00 2027-02-28T07:59 2027-02-28T23:00",
            ),
            (
                "58-59 * * * *",
                "2026-02-28T23:58 2026-02-28T23:59 2026-03-01T00:58 2026-03-01T00:59",
            ),
        ] {
            assert_eq!(shown(text, "2026-02-28T23:57:01"), expected, "{text}");
        }
    }

    #[test]
    fn the_calendar_ends_and_so_does_every_search() {
        for (text, last) in [
            ("* * * * *", Some("9999-12-31T23:59")),
            ("0 12 31 12 *", None),
            ("0 0 29 2 *", None),
            ("30 23 * * *", Some("9999-12-31T23:30")),
        ] {
            let found = walls(text, "9999-12-31T12:00:01").last().map(|wall| wall.to_string());
            assert_eq!(found.as_deref(), last, "{text}");
        }
        assert_eq!(walls("0 0 29 2 */7", "9999-01-01T00:00").next(), None);
    }
}
