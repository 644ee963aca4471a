//! What is added to a rule and left out of it, where it ends, and how all of it is written down.
#![allow(clippy::unwrap_used)] // the helpers of a test may fail as the test does

use horarium_core::recurrence::{
    Dates, LocalTime, Recurrence, RecurrenceKind, RruleRule, WrittenRecurrence, ZoneData,
};
use horarium_core::words::time::Timestamp;

fn local(text: &str) -> LocalTime {
    text.parse().unwrap()
}

fn with_dates(
    rule: &str,
    zone: &str,
    dtstart: &str,
    rdate: &[&str],
    exdate: &[&str],
) -> Recurrence {
    let locals = |texts: &[&str]| texts.iter().map(|text| local(text)).collect();
    let dates = Dates { rdate: locals(rdate), exdate: locals(exdate) };
    let zone = zone.parse().unwrap();
    let rule = RruleRule::new(rule.parse().unwrap(), local(dtstart), zone, dates);
    Recurrence::Rrule(rule.unwrap())
}

fn instants(recurrence: &Recurrence) -> Vec<String> {
    recurrence.occasions_after(Timestamp::EPOCH).take(9).map(|next| next.at.to_string()).collect()
}

#[test]
fn an_exdate_leaves_out_and_an_rdate_adds() {
    let recurrence = with_dates(
        "FREQ=WEEKLY;COUNT=3",
        "UTC",
        "2026-01-05T09:00",
        &["2026-01-07T18:30", "2026-01-01T00:00", "2026-03-01T09:00"],
        &["2026-01-12T09:00", "2026-01-13T09:00"],
    );
    assert_eq!(
        instants(&recurrence),
        [
            "2026-01-01T00:00:00Z",
            "2026-01-05T09:00:00Z",
            "2026-01-07T18:30:00Z",
            "2026-01-19T09:00:00Z",
            "2026-03-01T09:00:00Z",
        ]
    );
}

#[test]
fn an_exdate_takes_back_an_rdate() {
    let twice = ["2026-01-07T18:30"];
    let recurrence = with_dates("FREQ=DAILY;COUNT=1", "UTC", "2026-01-05T09:00", &twice, &twice);
    assert_eq!(instants(&recurrence), ["2026-01-05T09:00:00Z"]);
}

#[test]
fn an_rdate_on_an_instant_of_the_rule_is_one_run() {
    let rdate = ["2026-03-08T02:10", "2026-03-08T03:00"];
    let recurrence =
        with_dates("FREQ=DAILY;COUNT=2", "America/New_York", "2026-03-07T02:30", &rdate, &[]);
    assert_eq!(instants(&recurrence), ["2026-03-07T07:30:00Z", "2026-03-08T07:00:00Z"]);
}

#[test]
fn a_count_counts_what_an_exdate_leaves_out_and_no_rdate() {
    let recurrence = with_dates(
        "FREQ=DAILY;COUNT=3",
        "UTC",
        "2026-01-05T09:00",
        &["2026-01-05T12:00"],
        &["2026-01-06T09:00"],
    );
    let ordinals: Vec<Option<u32>> =
        recurrence.occasions_after(Timestamp::EPOCH).map(|next| next.ordinal).collect();
    assert_eq!(ordinals, [Some(1), Some(1), Some(3)]);
}

#[test]
fn a_count_counts_what_a_gap_merges_once() {
    // 02:00 does not exist on the second day, so that day has one run at 03:00.
    let rule = "FREQ=DAILY;BYHOUR=2,3;COUNT=5";
    let recurrence = with_dates(rule, "America/New_York", "2026-03-07T02:00", &[], &[]);
    assert_eq!(
        instants(&recurrence),
        [
            "2026-03-07T07:00:00Z",
            "2026-03-07T08:00:00Z",
            "2026-03-08T07:00:00Z",
            "2026-03-09T06:00:00Z",
            "2026-03-09T07:00:00Z",
        ]
    );
}

#[test]
fn an_exdate_of_a_repeated_hour_leaves_out_its_first_pass() {
    let exdate = ["2026-11-01T01:30"];
    let hourly =
        with_dates("FREQ=HOURLY;COUNT=4", "America/New_York", "2026-11-01T00:30", &[], &exdate);
    assert_eq!(
        instants(&hourly),
        ["2026-11-01T04:30:00Z", "2026-11-01T06:30:00Z", "2026-11-01T07:30:00Z"]
    );
}

#[test]
fn an_exdate_that_a_gap_leaves_out_takes_nothing_from_elapsed_time() {
    let exdate = ["2026-03-08T02:00"];
    let hourly =
        with_dates("FREQ=HOURLY;COUNT=3", "America/New_York", "2026-03-08T01:00", &[], &exdate);
    assert_eq!(
        instants(&hourly),
        ["2026-03-08T06:00:00Z", "2026-03-08T07:00:00Z", "2026-03-08T08:00:00Z"]
    );
}

#[test]
fn until_bounds_the_rule_and_no_rdate() {
    let recurrence = with_dates(
        "FREQ=DAILY;UNTIL=20260106T090000Z",
        "UTC",
        "2026-01-05T09:00",
        &["2026-02-01T00:00"],
        &[],
    );
    assert_eq!(
        instants(&recurrence),
        ["2026-01-05T09:00:00Z", "2026-01-06T09:00:00Z", "2026-02-01T00:00:00Z"]
    );
}

#[test]
fn the_seconds_of_a_rule_are_those_of_its_start_or_of_bysecond() {
    let next =
        |rule| instants(&with_dates(rule, "UTC", "2026-01-05T09:00:28", &[], &[]))[0].clone();
    assert_eq!(next("FREQ=DAILY"), "2026-01-05T09:00:28Z");
    assert_eq!(next("FREQ=HOURLY"), "2026-01-05T09:00:28Z");
    assert_eq!(next("FREQ=DAILY;BYSECOND=0"), "2026-01-06T09:00:00Z");
    assert_eq!(next("FREQ=HOURLY;BYSECOND=0"), "2026-01-05T10:00:00Z");
    assert_eq!(next("FREQ=MINUTELY;BYSECOND=30"), "2026-01-05T09:00:30Z");
}

#[test]
fn every_second_hour_of_a_half_hour_zone_is_that_of_its_clock() {
    let rule = "FREQ=HOURLY;INTERVAL=2;BYMINUTE=0,45;COUNT=4";
    let recurrence = with_dates(rule, "Asia/Kolkata", "2026-01-05T09:10", &[], &[]);
    let walls: Vec<String> =
        recurrence.occasions_after(Timestamp::EPOCH).map(|next| next.wall.to_string()).collect();
    assert_eq!(
        walls,
        ["2026-01-05T09:45", "2026-01-05T11:00", "2026-01-05T11:45", "2026-01-05T13:00"]
    );
}

#[test]
fn a_week_that_belongs_to_the_year_before_is_of_that_year() {
    // DTSTART lies in week 1 of 2025, so every second year is an odd one.
    let rule = "FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1;BYDAY=MO;COUNT=3";
    let recurrence = with_dates(rule, "UTC", "2024-12-30T09:00", &[], &[]);
    assert_eq!(
        instants(&recurrence),
        ["2024-12-30T09:00:00Z", "2027-01-04T09:00:00Z", "2029-01-01T09:00:00Z"]
    );
    // Which day of the week is left open, and so is that of DTSTART.
    let rule = "FREQ=YEARLY;BYWEEKNO=20;COUNT=2";
    let recurrence = with_dates(rule, "UTC", "2026-01-07T09:00", &[], &[]);
    assert_eq!(instants(&recurrence), ["2026-05-13T09:00:00Z", "2027-05-19T09:00:00Z"]);
}

#[test]
fn a_rule_that_starts_far_ahead_waits_for_its_start() {
    let recurrence = with_dates("FREQ=YEARLY;INTERVAL=150", "UTC", "2190-01-01T00:00", &[], &[]);
    assert_eq!(instants(&recurrence)[..2], ["2190-01-01T00:00:00Z", "2340-01-01T00:00:00Z"]);
}

#[test]
fn the_lines_of_a_calendar_are_a_rule() {
    let lines = "DTSTART;TZID=Europe/Berlin:20260101T090000\r\n\
                 RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,\r\n TH,FR;BYSETPOS=-1\r\n\
                 EXDATE;TZID=\"Europe/Berlin\";VALUE=DATE-TIME:20260227T090000,20260331T09000\r\n\t0\r\n\
                 rdate;tzid=europe/berlin:20260215T120000\r\n";
    let recurrence = Recurrence::ics(lines, &ZoneData::bundled()).unwrap();
    assert_eq!(recurrence.kind(), RecurrenceKind::Rrule);
    assert_eq!(recurrence.text(), "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1");
    assert_eq!(recurrence.zone().name(), "Europe/Berlin");
    assert_eq!(
        instants(&recurrence)[..3],
        ["2026-01-30T08:00:00Z", "2026-02-15T11:00:00Z", "2026-04-30T07:00:00Z"]
    );
    let json = serde_json::to_string(&recurrence).unwrap();
    let written: WrittenRecurrence = serde_json::from_str(&json).unwrap();
    assert_eq!(written.read(&ZoneData::bundled()).unwrap(), recurrence);
}

#[test]
fn lines_in_utc_need_no_zone() {
    let lines = "RRULE:FREQ=DAILY;COUNT=3\nDTSTART:20260101T090000Z\nEXDATE:20260102T090000Z";
    let recurrence = Recurrence::ics(lines, &ZoneData::bundled()).unwrap();
    assert_eq!(recurrence.zone().name(), "UTC");
    assert_eq!(instants(&recurrence), ["2026-01-01T09:00:00Z", "2026-01-03T09:00:00Z"]);
}

#[test]
fn rules_are_equal_by_text_start_zone_and_dates() {
    let rule = |exdate: &[&str]| with_dates("FREQ=DAILY", "UTC", "2026-01-05T09:00", &[], exdate);
    assert_eq!(rule(&[]), rule(&[]));
    assert_ne!(rule(&[]), rule(&["2026-01-06T09:00"]));
    let (one, other) = ("2026-01-06T09:00", "2026-01-07T09:00");
    assert_eq!(rule(&[one, other]), rule(&[other, one, one]));
    assert!(Recurrence::cron("@daily", "UTC".parse().unwrap()).unwrap() < rule(&[]));
}
