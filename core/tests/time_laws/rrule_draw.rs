//! Random RRULEs that start some time before a change of the clock.

use oracle::rrule::{End, Freq, Rule};
use oracle::zone::{offsets, shown};
use oracle::{DAY, MINUTE};
use proptest::prelude::*;

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
            let wall = |at: i64| shown(&zone_rules, at);
            // Whole minutes of the wall clock; some of them do not exist or exist twice.
            let start = wall((change - ago * farthest / 950).max(DAY));
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
                zone: zone.to_owned(),
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
