//! What people read.

use std::fmt::Write;

use horarium_core::recurrence::{Recurrence, Zone};
use horarium_core::words::time::Timestamp;

fn shown(rule: &Recurrence, now: &str) -> String {
    let now: Timestamp = now.parse().unwrap();
    let mut text = format!("{}\n  {}\n", rule.text(), rule.in_words());
    for advice in rule.advice(now) {
        writeln!(text, "  - {advice}").unwrap();
    }
    text
}

#[test]
fn cron_expressions_in_words_and_with_advice() {
    let berlin: Zone = "Europe/Berlin".parse().unwrap();
    let shown: String = [
        "* * * * *",
        "*/15 * * * *",
        "*/7 * * * *",
        "*/90 * * * *",
        "5 * * * *",
        "30 4 * * *",
        "30 2 * * *",
        "30 2 * 6-8 *",
        "*/15 2 * * *",
        "0 */2 * * *",
        "0 */5 * * *",
        "0,30 9-17 * * 1-5",
        "* 9-17 * * *",
        "0 0 31 * *",
        "0 0 29 2 *",
        "0 12 13 * FRI",
        "0 12 */2 * MON",
        "0 12 1,15 1,7 *",
        "0 3 * * SUN",
        "@hourly",
    ]
    .iter()
    .map(|text| shown(&Recurrence::cron(text, berlin.clone()).unwrap(), "2026-01-10T00:00:00Z"))
    .collect();
    insta::assert_snapshot!(shown);
}

#[test]
fn rrules_in_words_and_with_advice() {
    let berlin: Zone = "Europe/Berlin".parse().unwrap();
    let shown: String = [
        "FREQ=DAILY",
        "FREQ=DAILY;INTERVAL=3;BYHOUR=2;BYMINUTE=30",
        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
        "FREQ=WEEKLY;INTERVAL=2;WKST=SU",
        "FREQ=MONTHLY;BYDAY=-1SU",
        "FREQ=MONTHLY;BYDAY=2TU;COUNT=10",
        "FREQ=MONTHLY;BYMONTHDAY=-1",
        "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
        "FREQ=MONTHLY;BYMONTHDAY=31",
        "FREQ=YEARLY",
        "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
        "FREQ=YEARLY;BYYEARDAY=100,-1;UNTIL=20300101T000000Z",
        "FREQ=HOURLY;INTERVAL=5",
        "FREQ=HOURLY;BYMINUTE=0,30;BYHOUR=9,10,11,12;BYDAY=MO",
        "FREQ=MINUTELY;INTERVAL=90",
    ]
    .iter()
    .map(|text| {
        let dtstart = "2026-01-05T09:00".parse().unwrap();
        let rule = Recurrence::rrule(text, dtstart, berlin.clone()).unwrap();
        shown(&rule, "2026-01-10T00:00:00Z")
    })
    .collect();
    insta::assert_snapshot!(shown);
}

#[test]
fn one_instant_in_words() {
    let berlin: Zone = "Europe/Berlin".parse().unwrap();
    let rule = Recurrence::once("2026-06-01T07:00:00Z".parse().unwrap(), berlin);
    assert_eq!(rule.in_words(), "once, at 2026-06-01T09:00, Europe/Berlin time");
}
