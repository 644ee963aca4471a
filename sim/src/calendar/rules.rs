//! The rules that operators put: beside each text what it means, written by hand.

use horarium_core::recurrence::{LocalTime, Recurrence, Zone};
use horarium_core::words::{Span, Timestamp};
use jiff::civil::{Date, Weekday};

use crate::draw::Draw;

/// A language of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Cron,
    Rrule,
}

/// A text and its meaning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub(super) language: Language,
    pub(super) text: &'static str,
    /// Which dates are meant, given that of DTSTART.
    pub(super) dates: fn(Date, Date) -> bool,
    pub(super) times: Times,
}

/// Which times of such a date.
#[derive(Debug, Clone, Copy)]
pub(super) enum Times {
    /// These times of day, each once whatever the clock does; none: DTSTART's.
    OfDay { hours: &'static [i64], minutes: &'static [i64] },
    /// Every minute of real time at which the clock shows one of these; none: any.
    Shown { hours: &'static [i64], minutes: &'static [i64] },
    /// Every so many minutes of real time from DTSTART on.
    Every { minutes: i64 },
}

const fn cron(text: &'static str, dates: fn(Date, Date) -> bool, times: Times) -> Rule {
    Rule { language: Language::Cron, text, dates, times }
}

const fn rrule(text: &'static str, dates: fn(Date, Date) -> bool, times: Times) -> Rule {
    Rule { language: Language::Rrule, text, dates, times }
}

const fn of_day(hours: &'static [i64], minutes: &'static [i64]) -> Times {
    Times::OfDay { hours, minutes }
}

const fn shown(hours: &'static [i64], minutes: &'static [i64]) -> Times {
    Times::Shown { hours, minutes }
}

const fn every(minutes: i64) -> Times {
    Times::Every { minutes }
}

fn any(_: Date, _: Date) -> bool {
    true
}

fn leap_day(date: Date, _: Date) -> bool {
    (date.month(), date.day()) == (2, 29)
}

fn last_sunday(date: Date, _: Date) -> bool {
    date.weekday() == Weekday::Sunday && date.day() + 7 > date.days_in_month()
}

fn days_between(date: Date, start: Date) -> i64 {
    let days = |date: Date| {
        let since = date.duration_since(Date::constant(1970, 1, 1));
        since.as_hours() / 24
    };
    days(date) - days(start)
}

const EVERY_MINUTE: Rule = cron("* * * * *", any, shown(&[], &[]));

pub(super) const CRON: &[Rule] = &[
    EVERY_MINUTE,
    cron("*/2 * * * *", any, shown(&[], &EVEN)),
    cron("*/5 * * * *", any, shown(&[], &[0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55])),
    cron("0 * * * *", any, shown(&[], &[0])),
    cron("*/10 1-3 * * *", any, shown(&[1, 2, 3], &[0, 10, 20, 30, 40, 50])),
    cron("30 1-3 * * *", any, of_day(&[1, 2, 3], &[30])),
    cron("0,15,30,45 0-4 * * *", any, of_day(&[0, 1, 2, 3, 4], &[0, 15, 30, 45])),
    cron("15 2 29 2 *", leap_day, of_day(&[2], &[15])),
    cron("0 0 1 1 *", |date, _| date.day_of_year() == 1, of_day(&[0], &[0])),
    cron("59 23 31 12 *", |date, _| (date.month(), date.day()) == (12, 31), of_day(&[23], &[59])),
    cron(
        "30 2 13 * 0",
        |date, _| date.day() == 13 || date.weekday() == Weekday::Sunday,
        of_day(&[2], &[30]),
    ),
    cron(
        "0 9-17 * * 1-5",
        |date, _| !matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday),
        of_day(&[9, 10, 11, 12, 13, 14, 15, 16, 17], &[0]),
    ),
];

const EVEN: [i64; 30] = [
    0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48,
    50, 52, 54, 56, 58,
];

pub(super) const RRULE: &[Rule] = &[
    rrule("FREQ=MINUTELY", any, every(1)),
    rrule("FREQ=MINUTELY;INTERVAL=2", any, every(2)),
    rrule("FREQ=MINUTELY;INTERVAL=7", any, every(7)),
    rrule("FREQ=MINUTELY;BYHOUR=1,2,3", any, shown(&[1, 2, 3], &[])),
    rrule("FREQ=HOURLY", any, every(60)),
    rrule("FREQ=HOURLY;INTERVAL=2", any, every(120)),
    rrule("FREQ=HOURLY;BYMINUTE=10,20,30,40,50", any, shown(&[], &[10, 20, 30, 40, 50])),
    rrule("FREQ=DAILY", any, of_day(&[], &[])),
    rrule("FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=0,30", any, of_day(&[1, 2, 3], &[0, 30])),
    rrule(
        "FREQ=DAILY;INTERVAL=2;BYHOUR=0,2;BYMINUTE=15",
        |date, start| days_between(date, start) % 2 == 0,
        of_day(&[0, 2], &[15]),
    ),
    rrule(
        "FREQ=WEEKLY;BYDAY=SU;BYHOUR=2;BYMINUTE=30",
        |date, _| date.weekday() == Weekday::Sunday,
        of_day(&[2], &[30]),
    ),
    rrule(
        "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=23;BYMINUTE=59",
        |date, _| date.day() == date.days_in_month(),
        of_day(&[23], &[59]),
    ),
    rrule(
        "FREQ=MONTHLY;BYDAY=-1SU;BYHOUR=2,3;BYMINUTE=0,30",
        last_sunday,
        of_day(&[2, 3], &[0, 30]),
    ),
    rrule("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=0;BYMINUTE=0", leap_day, of_day(&[0], &[0])),
];

/// A rule of the pool in `zone`, for somebody who thinks of it at `now`. Half of them come every
/// minute, so that a world has something to do.
pub fn draw(draw: &mut Draw, now: Timestamp, zone: Zone) -> Recurrence {
    let soon = now.plus(draw.span(Span::ZERO, Span::from_minutes(5)));
    let found = match draw.below(20) {
        0..8 => Recurrence::cron(EVERY_MINUTE.text, zone.clone()).ok(),
        8..12 => {
            let text = draw.pick_of(CRON).map_or("", |rule| rule.text);
            Recurrence::cron(text, zone.clone()).ok()
        }
        12..18 => draw_rrule(draw, now, &zone),
        _ => None,
    };
    found.unwrap_or_else(|| Recurrence::once(soon, zone))
}

/// An RRULE that started a while ago or starts soon, without an end or near it.
fn draw_rrule(draw: &mut Draw, now: Timestamp, zone: &Zone) -> Option<Recurrence> {
    let often = draw.pick_of(RRULE.get(..3)?)?;
    let any = draw.pick_of(RRULE)?;
    let rule = if draw.chance(400) { often } else { any };
    let longest = draw.pick([Span::from_minutes(5), Span::from_minutes(5), Span::from_days(3)]);
    let away = draw.span(Span::ZERO, longest);
    let start = if draw.chance(500) { now.minus(away) } else { now.plus(away) };
    let start: LocalTime = zone.wall_at(start).to_string().get(..16)?.parse().ok()?;
    let end = match draw.below(10) {
        0..3 => format!(";COUNT={}", draw.between(1, 8)),
        3 => format!(";COUNT={}", draw.between(100, 5_000)),
        4..6 => {
            let until = now.plus(draw.span(Span::ZERO, Span::from_minutes(20)));
            let until = jiff::Timestamp::from_microsecond(until.micros()).ok()?;
            format!(";UNTIL={}", until.strftime("%Y%m%dT%H%M%SZ"))
        }
        _ => String::new(),
    };
    Recurrence::rrule(&format!("{}{end}", rule.text), start, zone.clone()).ok()
}
