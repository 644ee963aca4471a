//! RRULE: every row of the case table, and the inputs that other expanders choke on.

use std::time::{Duration, Instant};

use horarium_core::recurrence::{Recurrence, RecurrenceError};
use horarium_core::words::time::Timestamp;

use crate::table::{TIME_LIMIT, every_row_holds, next_five};

pub(crate) fn rule(text: &str, zone: &str, dtstart: &str) -> Result<Recurrence, RecurrenceError> {
    Recurrence::rrule(text, dtstart.parse()?, zone.parse()?)
}

#[test]
fn every_row_of_the_case_table_holds() {
    let rows = every_row_holds(include_str!("rrule.tsv"), |case| {
        assert_eq!(case.kind, "rrule");
        rule(&case.expression, case.zone, case.dtstart)
    });
    assert_eq!(rows, 269);
}

/// All numbers of a range, as a list.
fn all(numbers: std::ops::RangeInclusive<u8>) -> String {
    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(",")
}

#[test]
fn heavy_rules_are_answered_or_refused_at_once() {
    let (days, hours, minutes) = (all(1..=31), all(0..=23), all(0..=59));
    let every_second = format!(
        "FREQ=YEARLY;BYMONTHDAY={days};BYHOUR={hours};BYMINUTE={minutes};BYSECOND={minutes}"
    );
    let every_minute = format!(
        "FREQ=YEARLY;BYMONTHDAY={days};BYHOUR={hours};BYMINUTE={minutes};BYSETPOS=-366,366"
    );
    let counted = format!("{}COUNT=100000", every_minute.replace("BYSETPOS=-366,366", ""));
    for text in [
        every_second.as_str(),
        every_minute.as_str(),
        counted.as_str(),
        "FREQ=MINUTELY",
        "FREQ=SECONDLY;COUNT=2000000000",
        "FREQ=SECONDLY;INTERVAL=2;BYSECOND=1",
        "FREQ=HOURLY;INTERVAL=24;BYHOUR=5",
        "FREQ=DAILY;INTERVAL=999999999",
        "FREQ=DAILY;UNTIL=99991231T235959Z",
        // Rules that search long: nearly or wholly impossible.
        "FREQ=MINUTELY;INTERVAL=2;BYMINUTE=1,3,5,7,9,11,13,15",
        "FREQ=MINUTELY;INTERVAL=7;BYDAY=MO;BYHOUR=3",
        "FREQ=MINUTELY;INTERVAL=14;BYDAY=MO,TU,WE,TH,FR,SA;BYHOUR=0,1,2,3,4;BYMINUTE=1",
        "FREQ=MINUTELY;INTERVAL=9999;BYMONTH=2;BYMONTHDAY=29;BYHOUR=7",
        "FREQ=HOURLY;INTERVAL=10000;BYMONTH=2;BYMONTHDAY=29",
        "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30;BYMINUTE=0,30",
        "FREQ=DAILY;INTERVAL=7;BYDAY=MO;BYSETPOS=1",
        "FREQ=DAILY;INTERVAL=10000;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU",
        "FREQ=WEEKLY;INTERVAL=10000;BYMONTH=2",
        "FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=30;BYMONTH=2",
        "FREQ=YEARLY;INTERVAL=10000",
        "FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYMONTH=6",
        "FREQ=YEARLY;BYYEARDAY=366;BYMONTHDAY=31;BYDAY=SU;COUNT=100000",
        "FREQ=MINUTELY;BYHOUR=3;BYMINUTE=7;COUNT=100000",
        "FREQ=HOURLY;BYMINUTE=0,15,30,45;BYSETPOS=-1;COUNT=100000",
        "FREQ=DAILY;BYHOUR=1,2,3;COUNT=100000",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;COUNT=100000",
        "FREQ=DAILY;INTERVAL=2;BYDAY=MO;BYMONTHDAY=13;COUNT=100000",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYMONTH=6;BYSETPOS=1;COUNT=100000",
        "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=5;COUNT=100000",
        "FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU;COUNT=100000",
        "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=3;BYMINUTE=7;COUNT=100000",
        "FREQ=MINUTELY;INTERVAL=7;BYDAY=2MO;BYHOUR=3;BYMINUTE=7;COUNT=100000",
        "FREQ=HOURLY;BYMONTHDAY=13;BYDAY=FR;BYHOUR=3;COUNT=100000",
    ] {
        for (zone, dtstart) in [
            ("UTC", "19700101T000000"),
            ("America/New_York", "20200303T023000"),
            ("Africa/Casablanca", "19991231T235959"),
            ("Pacific/Apia", "20111230T120000"),
            ("Australia/Lord_Howe", "22001231T234500"),
            ("UTC", "00010101T000000"),
            ("UTC", "99991231T000000"),
            ("UTC", "999990101T000000"),
        ] {
            for after in [
                Timestamp::EPOCH,
                "2026-03-08T06:30:00Z".parse().unwrap(),
                "2199-12-31T23:59:59Z".parse().unwrap(),
                "9000-01-01T00:00:00Z".parse().unwrap(),
                "9999-12-30T21:59:59Z".parse().unwrap(),
                Timestamp::MAX,
            ] {
                let started = Instant::now();
                next_five(rule(text, zone, dtstart), after);
                let elapsed = started.elapsed();
                if std::env::var_os("SHOW").is_some() && elapsed > Duration::from_millis(3) {
                    println!("{elapsed:?} {text:.60} in {zone} from {dtstart} after {after}");
                }
                assert!(elapsed < TIME_LIMIT, "{text:.60} in {zone} from {dtstart}: {elapsed:?}");
            }
        }
    }
}
