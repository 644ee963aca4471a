//! What a person reads who wrote something that is no rule: the place and the remedy.
#![allow(clippy::unwrap_used)] // the helpers of a test may fail as the test does

use horarium_core::recurrence::{
    Dates, LocalTime, Recurrence, RecurrenceError, RruleRule, TooManyDates, Zone, ZoneData,
};
use horarium_core::words::time::Timestamp;

fn start() -> LocalTime {
    "2026-01-05T09:00".parse().unwrap()
}

fn refusal(rule: &str) -> String {
    match Recurrence::rrule(rule, start(), Zone::utc()) {
        Ok(_) => format!("{rule:?} is accepted"),
        Err(error) => format!("{rule:?}\n    {error}"),
    }
}

#[test]
fn a_refused_rule_is_answered_with_place_and_remedy() {
    let refusals: Vec<String> = [
        // Not one line of keys and values.
        "",
        "FREQ=DAILY; COUNT=3",
        "FREQ=DAILY\nEXDATE:20260506T120000Z",
        "FREQ=DAILY\r\nDTSTART:20000101T000000Z",
        "FREQ=T\u{c4}GLICH",
        "RRULE:FREQ=DAILY",
        "DTSTART;TZID=Europe/Berlin:20260101T090000",
        "FREQ=DAILY;",
        ";FREQ=DAILY",
        "FREQ=DAILY;COUNT",
        "every day",
        "30 2 * * *",
        // Keys.
        "FREQ=DAILY;FOO=1",
        "FREQ=DAILY;BYEASTER=0",
        "FREQ=DAILY;FREQ=WEEKLY",
        "FREQ=DAILY;BYHOUR=1;BYHOUR=2",
        "INTERVAL=2",
        // Frequencies.
        "FREQ=",
        "FREQ=FORTNIGHTLY",
        "FREQ=SECONDLY;INTERVAL=3600",
        // Ends.
        "FREQ=DAILY;COUNT=3;UNTIL=20270101T000000Z",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=100001",
        "FREQ=DAILY;UNTIL=20270101",
        "FREQ=DAILY;UNTIL=20270101T000000",
        "FREQ=DAILY;UNTIL=20270230T000000Z",
        "FREQ=DAILY;UNTIL=19691231T235959Z",
        "FREQ=DAILY;UNTIL=tomorrow",
        // Numbers.
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;INTERVAL=-1",
        "FREQ=DAILY;INTERVAL=999999999",
        "FREQ=DAILY;INTERVAL=99999999999999999999",
        "FREQ=DAILY;BYHOUR=24",
        "FREQ=DAILY;BYHOUR=+2",
        "FREQ=DAILY;BYHOUR=1-3",
        "FREQ=DAILY;BYHOUR=*",
        "FREQ=DAILY;BYMINUTE=0,60",
        "FREQ=DAILY;BYMONTH=JAN",
        "FREQ=DAILY;BYSECOND=0,30",
        "FREQ=MONTHLY;BYMONTHDAY=0",
        "FREQ=MONTHLY;BYMONTHDAY=-32",
        "FREQ=YEARLY;BYYEARDAY=367",
        "FREQ=YEARLY;BYWEEKNO=54",
        "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0",
        // Lists.
        "FREQ=MONTHLY;BYDAY=",
        "FREQ=MONTHLY;BYDAY=MO,,TU",
        "FREQ=MONTHLY;BYMONTHDAY=1,",
        // Weekdays.
        "FREQ=MONTHLY;BYDAY=XX",
        "FREQ=MONTHLY;BYDAY=MONDAY",
        "FREQ=MONTHLY;BYDAY=0MO",
        "FREQ=MONTHLY;BYDAY=MO1",
        "FREQ=YEARLY;BYDAY=54MO",
        "FREQ=WEEKLY;WKST=1MO",
        "FREQ=MONTHLY;BYDAY=TU,6MO",
        "FREQ=YEARLY;BYMONTH=3;BYDAY=-6SU",
        "FREQ=WEEKLY;BYDAY=1MO",
        "FREQ=DAILY;BYDAY=2TU",
        "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO,1TU",
        // What does not go together.
        "FREQ=MONTHLY;BYWEEKNO=5",
        "FREQ=MONTHLY;BYYEARDAY=5",
        "FREQ=WEEKLY;BYMONTHDAY=5",
        "FREQ=MONTHLY;BYSETPOS=1",
        // Never.
        "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=HOURLY;INTERVAL=2;BYHOUR=2",
        "FREQ=MINUTELY;INTERVAL=2;BYMINUTE=1",
        "FREQ=HOURLY;BYMINUTE=0;BYSETPOS=2",
        "FREQ=DAILY;INTERVAL=7;BYDAY=TU",
        "FREQ=DAILY;UNTIL=20250101T000000Z",
    ]
    .into_iter()
    .map(refusal)
    .collect();
    let refusals = refusals.join("\n");
    insta::assert_snapshot!(refusals);
}

#[test]
fn what_the_rfc_allows_is_accepted_in_any_order_and_case() {
    for rule in [
        "BYDAY=MO;FREQ=WEEKLY",
        "freq=weekly;byday=mo,we;wkst=su",
        "FREQ=MONTHLY;BYDAY=-5FR",
        "FREQ=MONTHLY;BYDAY=+1MO;BYHOUR=09",
        "FREQ=YEARLY;BYDAY=53TH",
        "FREQ=DAILY;BYHOUR=9,9,10;BYSECOND=0",
        "FREQ=HOURLY;BYYEARDAY=-1",
        "FREQ=DAILY;UNTIL=99991231T235959Z",
        "FREQ=DAILY;until=20271231t235959z",
    ] {
        assert!(Recurrence::rrule(rule, start(), Zone::utc()).is_ok(), "{}", refusal(rule));
    }
}

#[test]
fn a_text_without_bound_is_refused_by_its_length() {
    let message = refusal(&format!("FREQ=DAILY;BYHOUR={}1", "1,".repeat(1_000_000)));
    assert!(message.contains("column 1025: the rule has 2000019 bytes, more than 1024"));
    let lines = format!("RRULE:FREQ=DAILY{}", "\n X".repeat(100_000));
    let message = Recurrence::ics(&lines, &ZoneData::bundled()).unwrap_err().to_string();
    assert!(message.contains("300016 bytes, more than 65536"), "{message}");
}

#[test]
fn a_rule_that_its_exdates_empty_is_refused() {
    let exdate = vec![start(), "2026-01-06T09:00".parse().unwrap()];
    let rule = |count: &str| {
        let dates = Dates { rdate: Vec::new(), exdate: exdate.clone() };
        RruleRule::new(
            format!("FREQ=DAILY;COUNT={count}").parse().unwrap(),
            start(),
            Zone::utc(),
            dates,
        )
    };
    assert!(rule("3").is_ok());
    insta::assert_snapshot!(rule("2").unwrap_err());
}

#[test]
fn more_than_a_thousand_dates_are_refused() {
    let rule = |count| {
        let dates = Dates { rdate: vec![start(); count], exdate: vec![start(); 500] };
        RruleRule::new("FREQ=DAILY".parse().unwrap(), start(), Zone::utc(), dates)
    };
    assert!(rule(500).is_ok());
    let refused = RecurrenceError::TooManyDates(TooManyDates { dates: 1_001 });
    assert_eq!(rule(501).unwrap_err(), refused);
}

#[test]
fn a_refused_local_time_is_answered_with_what_to_write() {
    let refusals: Vec<String> = [
        "",
        "tomorrow",
        "2026-01-01",
        "20260101",
        "20260101T090000Z",
        "2026-01-01T09:00+01:00",
        "2026-02-30T09:00",
        "1969-12-31T23:59",
        "99991231T000000",
    ]
    .into_iter()
    .map(|text| match text.parse::<LocalTime>() {
        Ok(time) => format!("{text:?} is accepted as {time}"),
        Err(error) => format!("{text:?}\n    {error}"),
    })
    .collect();
    let refusals = refusals.join("\n");
    insta::assert_snapshot!(refusals);
}

#[test]
fn refused_lines_are_answered_with_their_number() {
    let refusals: Vec<String> = [
        "",
        "DTSTART;TZID=Europe/Berlin:20260101T090000",
        "RRULE:FREQ=DAILY",
        " RRULE:FREQ=DAILY",
        "FREQ=DAILY",
        "DTSTART;TZID=Europe/Berlin",
        "DTSTART;TZID=\"Europe/Berlin:20260101T090000",
        "BEGIN:VEVENT\nDTSTART:20260101T090000Z",
        "DTSTART:20260101T090000\nRRULE:FREQ=DAILY",
        "DTSTART;VALUE=DATE:20260101\nRRULE:FREQ=DAILY",
        "DTSTART:20260101Z\nRRULE:FREQ=DAILY",
        "DTSTART;TZID=Europe/Berlin:20260101T090000Z\nRRULE:FREQ=DAILY",
        "DTSTART;TZID=Mars/Base:20260101T090000\nRRULE:FREQ=DAILY",
        "DTSTART:20260101T090000Z\nDTSTART:20260101T090000Z",
        "DTSTART:20260101T090000Z,20260102T090000Z",
        "DTSTART:20260101T090000Z\nRRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY",
        "DTSTART:20260101T090000Z\nRRULE;X-NOTE=hi:FREQ=DAILY",
        "DTSTART:20260101T090000Z\r\nRRULE:FREQ=DA\r\n ILY;BYHOUR=25",
        "DTSTART:20260101T090000Z\nEXDATE:20260102T090000Z,20260103T090000\nRRULE:FREQ=DAILY",
        "DTSTART;TZID=Europe/Berlin:20260101T090000\nEXDATE:20260102T080000Z\nRRULE:FREQ=DAILY",
        "DTSTART;TZID=Europe/Berlin:20260101T090000\nEXDATE:20260102T090000\nRRULE:FREQ=DAILY",
        "DTSTART:20260101T090000Z\nRDATE;VALUE=PERIOD:20260102T090000Z/PT1H\nRRULE:FREQ=DAILY",
        "DTSTART:20260101T090000Z\nRRULE:FREQ=DAILY\nEXRULE:FREQ=WEEKLY",
        "DTSTART:20260101T090000Z\nRRULE:FREQ=DAILY;UNTIL=20250101T000000Z",
    ]
    .into_iter()
    .map(|lines| match Recurrence::ics(lines, &ZoneData::bundled()) {
        Ok(_) => format!("{lines:?} is accepted"),
        Err(error) => format!("{lines:?}\n    {error}"),
    })
    .collect();
    let refusals = refusals.join("\n");
    insta::assert_snapshot!(refusals);
}

#[test]
fn a_rule_that_first_fires_after_more_than_a_hundred_years_is_refused() {
    // Every 97th day from either start; a 29 February that is a Monday first comes in 2196.
    let rule = "FREQ=DAILY;INTERVAL=97;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO";
    let from = |start: &str| Recurrence::rrule(rule, start.parse().unwrap(), Zone::utc());
    assert_eq!(
        from("2089-12-06T09:00").unwrap_err().to_string(),
        format!(
            "the RRULE `{rule}` from 2089-12-06T09:00 can never fire in UTC: no time within a \
             hundred years of its start matches all of its parts, or UNTIL and EXDATE leave none; \
             drop one of them"
        )
    );
    let first = from("2103-03-19T09:00").unwrap().occasions_after(Timestamp::EPOCH).next();
    assert_eq!(first.unwrap().at.to_string(), "2196-02-29T09:00:00Z");
}

#[test]
fn the_rules_that_cron_s_remedies_name_are_accepted() {
    for expression in [
        "@every 90m",
        "@every 7h",
        "@every 10s",
        "30 2 L * *",
        "30 2 L-2 * *",
        "30 2 LW 3,6 *",
        "0,30 8-10 LW * *",
        "*/5 * LW * *",
        "30 2 1W * *",
        "0 6,18 1W * *",
        "30 2 15W * *",
        "30 2 31W * *",
        "0,30 8-10 * * 5L",
        "0 9 * * L",
        "0 9 * * TUE#2",
        "0 9 * 1 7#1",
    ] {
        let message = Recurrence::cron(expression, Zone::utc()).unwrap_err().to_string();
        let rule = message.split_once("the RRULE `").and_then(|(_, rest)| rest.split_once('`'));
        let (rule, _) = rule.unwrap();
        assert!(Recurrence::rrule(rule, start(), Zone::utc()).is_ok(), "{}", refusal(rule));
    }
}

#[test]
fn the_last_working_day_keeps_all_its_times() {
    let message = Recurrence::cron("0,30 8 LW * *", Zone::utc()).unwrap_err().to_string();
    assert!(message.contains("BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1,-2;BYHOUR=8;BYMINUTE=0,30`"));
}
