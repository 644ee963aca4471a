//! Every row of the case table, and the inputs that other expanders choke on.
#![allow(clippy::unwrap_used, clippy::panic)] // the helpers of a test may fail as the test does
#![allow(clippy::disallowed_types, clippy::disallowed_methods)] // the test looks at the clock

use std::time::{Duration, Instant};

use horarium_core::recurrence::{LocalTime, Recurrence, Zone};
use horarium_core::words::time::Timestamp;

const TABLE: &str = include_str!("cases/rrule.tsv");

/// Generous, for a busy machine; what it rules out takes seconds.
const TIME_LIMIT: Duration = Duration::from_millis(500);

/// The table's escapes: `\t`, `\n`, `\r`, `\uXXXX`, and `{{text*N}}` for a repeated text.
fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((body, tail)) = rest.strip_prefix("{{").and_then(|r| r.split_once("}}")) {
            let (repeated, count) = body.rsplit_once('*').unwrap();
            plain.push_str(&unescape(repeated).repeat(count.parse().unwrap()));
            rest = tail;
        } else if let Some(escape) = rest.strip_prefix('\\') {
            let (c, length) = match &escape[..1] {
                "t" => ('\t', 1),
                "n" => ('\n', 1),
                "r" => ('\r', 1),
                "u" => {
                    (char::from_u32(u32::from_str_radix(&escape[1..5], 16).unwrap()).unwrap(), 5)
                }
                other => panic!("unknown escape {other}"),
            };
            plain.push(c);
            rest = &escape[length..];
        } else {
            plain.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    plain
}

fn recurrence(rule: &str, zone: &str, dtstart: &str) -> Result<Recurrence, String> {
    let zone: Zone = zone.parse().map_err(|error| format!("{error}"))?;
    let dtstart: LocalTime = dtstart.parse().map_err(|error| format!("{error}"))?;
    Recurrence::rrule(rule, dtstart, zone).map_err(|error| error.to_string())
}

fn answer(rule: &str, zone: &str, dtstart: &str, after: Timestamp) -> String {
    let Ok(recurrence) = recurrence(rule, zone, dtstart) else {
        return "error".to_owned();
    };
    let mut instants: Vec<String> =
        recurrence.preview(after, 5).iter().map(|next| next.at.to_string()).collect();
    if instants.len() < 5 {
        instants.push("exhausted".to_owned());
    }
    instants.join(",")
}

#[test]
fn every_row_of_the_case_table_holds() {
    let mut rows = TABLE.lines();
    let columns = rows.next().unwrap();
    assert_eq!(columns, "id\tkind\texpression\ttimezone\tdtstart\tafter\texpected\twhy");
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in rows {
        let [id, "rrule", rule, zone, dtstart, after, expected, why] =
            row.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("malformed row: {row}");
        };
        let started = Instant::now();
        let answer = answer(&unescape(rule), zone, dtstart, after.parse().unwrap());
        let elapsed = started.elapsed();
        // Refusing a rule that never fires is as right as an empty series.
        let right = answer == expected || (expected == "exhausted" && answer == "error");
        if !right || elapsed > TIME_LIMIT {
            wrong.push(format!(
                "{id}: {rule} from {dtstart} in {zone} after {after} ({why})\n  expected {expected}\n  got      {answer} in {elapsed:?}"
            ));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{} of {count} rows are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, 269);
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
    for rule in [
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
                "9999-12-30T21:59:59Z".parse().unwrap(),
                Timestamp::MAX,
            ] {
                let started = Instant::now();
                answer(rule, zone, dtstart, after);
                let elapsed = started.elapsed();
                if std::env::var_os("SHOW").is_some() && elapsed > Duration::from_millis(3) {
                    println!("{elapsed:?} {rule:.60} in {zone} from {dtstart} after {after}");
                }
                assert!(elapsed < TIME_LIMIT, "{rule:.60} in {zone} from {dtstart}: {elapsed:?}");
            }
        }
    }
}
