//! What a COUNT may cost: a rule that is accepted is never asked for more steps than it may take.

use horarium_core::recurrence::{
    Dates, LocalTime, MOST_STEPS, Recurrence, RecurrenceError, RruleRule, WrittenRecurrence,
    ZoneData,
};
use horarium_core::words::time::Timestamp;
use proptest::prelude::*;

use crate::at;

/// In seconds since 1970: 1970, 1999, 2026, 2100, 2199, 2400, 2800, 5000 and 9999.
const ASKED: [i64; 9] = [
    0,
    931_000_000,
    1_772_949_000,
    4_102_444_800,
    7_258_118_399,
    13_569_465_600,
    26_223_871_400,
    95_617_584_000,
    253_402_200_000,
];

/// A rule that is made to cost much: sparse, crowded, counted far.
fn hostile() -> impl Strategy<Value = (String, String, &'static str)> {
    let numbers = |first: i64, last: i64, most: usize| {
        prop::collection::vec(
            (first..=last).prop_filter("no zero", move |number| *number != 0 || first == 0),
            1..=most,
        )
        .prop_map(|list| list.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
    };
    let part = |key: &'static str, list: BoxedStrategy<String>| {
        prop::option::weighted(0.4, list)
            .prop_map(move |list| list.map_or(String::new(), |list| format!(";{key}={list}")))
    };
    let weekdays = || {
        prop::collection::vec(
            prop::sample::select(vec!["MO", "TU", "WE", "TH", "FR", "SA", "SU"]),
            1..8,
        )
        .prop_map(|days| days.join(","))
    };
    let freq = prop_oneof![
        3 => Just("MINUTELY"), 3 => Just("HOURLY"),
        1 => Just("DAILY"), 1 => Just("WEEKLY"), 1 => Just("MONTHLY"), 2 => Just("YEARLY"),
    ];
    let interval = prop_oneof![
        2 => Just(1_u32),
        4 => prop::sample::select(vec![7_u32, 11, 13, 17, 23, 31, 59, 61, 331, 719, 1_439, 1_441, 9_973]),
        4 => 2..60_u32,
        2 => 2..10_000_u32,
    ];
    let count = prop_oneof![1 => 1..50_u32, 1 => 50..5_000_u32, 3 => Just(100_000_u32)];
    let start = (prop::sample::select(vec![1970, 1999, 2026, 2199]), 1..=12, 1..=28, 0..24, 0..60)
        .prop_map(|(year, month, day, hour, minute)| {
            format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}")
        });
    let zone = prop::sample::select(vec![
        "UTC",
        "America/New_York",
        "Africa/Casablanca",
        "Australia/Lord_Howe",
        "Antarctica/Troll",
        "Pacific/Apia",
    ]);
    let parts = (
        part("BYMONTH", numbers(1, 12, 3).boxed()),
        part("BYWEEKNO", numbers(-53, 53, 20).boxed()),
        part("BYYEARDAY", numbers(-366, 366, 20).boxed()),
        part("BYMONTHDAY", numbers(-31, 31, 6).boxed()),
        part("BYDAY", weekdays().boxed()),
        part("BYHOUR", numbers(0, 23, 6).boxed()),
        part("BYMINUTE", numbers(0, 59, 6).boxed()),
        part("BYSETPOS", numbers(-366, 366, 6).boxed()),
    );
    (freq, interval, count, parts, start, zone).prop_map(
        |(freq, interval, count, parts, start, zone)| {
            let (months, weeks, year_days, month_days, weekdays, hours, minutes, positions) = parts;
            let weeks = if freq == "YEARLY" { weeks } else { String::new() };
            let year_days = if matches!(freq, "YEARLY" | "HOURLY" | "MINUTELY") {
                year_days
            } else {
                String::new()
            };
            let month_days = if freq == "WEEKLY" { String::new() } else { month_days };
            let parts = format!("{months}{weeks}{year_days}{month_days}{weekdays}{hours}{minutes}");
            let positions = if parts.is_empty() { String::new() } else { positions };
            let text = format!("FREQ={freq};INTERVAL={interval};COUNT={count}{parts}{positions}");
            (text, start, zone)
        },
    )
}

fn rule(text: &str, start: &str, zone: &str) -> Result<RruleRule, RecurrenceError> {
    let start: LocalTime = start.parse().unwrap();
    RruleRule::new(text.parse()?, start, zone.parse().unwrap(), Dates::default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_count_takes_more_steps_than_a_rule_may(
        (text, start, zone) in hostile(),
        anywhere in 0..253_402_200_000_i64,
    ) {
        let Ok(rule) = rule(&text, &start, zone) else { return Ok(()) };
        let recurrence = Recurrence::Rrule(rule.clone());
        let mut known = Vec::new();
        for asked in ASKED.into_iter().chain([anywhere]).map(at).chain([Timestamp::MAX]) {
            let steps = rule.steps_to(asked, None);
            prop_assert!(steps <= MOST_STEPS, "{text} from {start} in {zone}, {asked}: {steps}");
            known.extend(recurrence.next_after(asked, None));
        }
        for known in known {
            for asked in [at(anywhere), at(95_617_584_000), Timestamp::MAX] {
                let steps = rule.steps_to(asked, Some(known));
                prop_assert!(steps <= MOST_STEPS, "{text} from {known:?}, {asked}: {steps}");
            }
        }
    }
}

#[test]
fn a_count_that_costs_too_much_is_refused_with_its_place() {
    let costly = "FREQ=MINUTELY;INTERVAL=59;BYMINUTE=0;COUNT=100000";
    let error = rule(costly, "2026-01-01T00:00", "UTC").unwrap_err();
    assert_eq!(error.column(), Some(38));
    assert_eq!(
        error.to_string(),
        "RRULE, column 38: `COUNT=100000` costs too much: so few of the times that the rule passes \
         match its BY parts that counting them takes more than 1250000 steps; write UNTIL instead, \
         a smaller COUNT, or a FREQ and INTERVAL that meet the BY parts more often"
    );
    for affordable in [
        "FREQ=MINUTELY;INTERVAL=59;BYMINUTE=0;UNTIL=99991231T235959Z",
        "FREQ=MINUTELY;INTERVAL=59;BYMINUTE=0;COUNT=1000",
        "FREQ=MINUTELY;INTERVAL=15;BYHOUR=8,9,10,11,12;BYDAY=MO,TU,WE,TH,FR;COUNT=100000",
        "FREQ=HOURLY;BYDAY=SA,SU;COUNT=100000",
        "FREQ=DAILY;BYDAY=MO;COUNT=100000",
        "FREQ=YEARLY;BYWEEKNO=1,53;BYHOUR=2;BYMINUTE=0,30;COUNT=100000",
    ] {
        for zone in ["UTC", "America/New_York"] {
            assert!(rule(affordable, "2026-01-01T00:00", zone).is_ok(), "{affordable} in {zone}");
        }
    }
}

#[test]
fn a_rule_that_was_saved_before_is_read_whatever_its_count_costs() {
    let json = r#"{"kind":"rrule","rrule":"FREQ=MINUTELY;INTERVAL=59;BYMINUTE=0;COUNT=100000","dtstart":"2026-01-01T00:00","timezone":"UTC"}"#;
    let written: WrittenRecurrence = serde_json::from_str(json).unwrap();
    let recurrence = written.read(&ZoneData::bundled()).unwrap();
    let next = recurrence.next_after(at(1_772_949_000), None).unwrap();
    assert!(next.ordinal.unwrap() > 1);
    assert_eq!(serde_json::to_string(&recurrence).unwrap(), json);
}
