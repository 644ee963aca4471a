//! What a person reads who wrote something that is no rule: the place and the remedy.

use horarium_core::recurrence::{Recurrence, Zone};

fn refusal(expression: &str) -> String {
    match Recurrence::cron(expression, Zone::utc()) {
        Ok(_) => format!("{expression:?} is accepted"),
        Err(error) => format!("{expression:?}\n    {error}"),
    }
}

#[test]
fn a_refused_expression_is_answered_with_place_and_remedy() {
    let refusals: Vec<String> = [
        // Not five fields.
        "",
        " \t ",
        "* * * *",
        "0 2 * * * *",
        "*/10 * * * * *",
        "0 0 12 1 1 ? 2026",
        "0 0 12 ? * 2",
        "0 2 * * * 2027",
        "0 2 * * * root",
        "0 2 * * * /usr/bin/backup --all",
        "TZ=UTC 0 0 * * *",
        // Signs that no crontab has.
        "0\u{a0}0 * * *",
        "0 0 * * *\n0 1 * * *",
        "0 0 * * \u{17f}un",
        "0 0 * * *;",
        // Nicknames.
        "@reboot",
        "@Daily",
        "@fortnightly",
        "@every 5m",
        "@every 90m",
        "@every 2h",
        "@every 10s",
        // Other dialects, which RRULE or plain fields replace.
        "30 2 L * *",
        "30 2 L-2 * *",
        "30 2 LW 3,6 *",
        "30 2 1W * *",
        "30 2 15W * *",
        "0,30 8-10 * * 5L",
        "0 9 * * L",
        "0 9 * * TUE#2",
        "0 9 * 1 7#1",
        "0 9 * * MON#9",
        "0 0 ? * 1",
        "H H * * *",
        "H/15 * * * *",
        "H(0-29) * * * *",
        "~ * * * *",
        "0~30 * * * *",
        // Steps.
        "5/15 * * * *",
        "59/15 * * * *",
        "0 9 * * 2/2",
        "/5 * * * *",
        "*/0 * * * *",
        "*/ * * * *",
        "*/-5 * * * *",
        "*/99999999999999999999 * * * *",
        "*/5/2 * * * *",
        // Ranges.
        "0 22-2 * * *",
        "0 23-0 * * *",
        "0 0 1 11-2/3 *",
        "0 8 * * FRI-MON",
        "0 8 * * SAT-FRI",
        "1- * * * *",
        "-5 * * * *",
        "1-2-3 * * * *",
        // Lists.
        "1,,2 * * * *",
        "1, * * * *",
        ", * * * *",
        // Stars.
        "** * * * *",
        "* *1 * * *",
        "*-5 * * * *",
        // Values.
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 8",
        "1.5 * * * *",
        "99999999999999999999 * * * *",
        // Words.
        "MON * * * *",
        "0 0 * MON *",
        "0 0 JAN * *",
        "0 0 * * MONDAY",
        "0 0 1 january *",
        "0 0 * * SUNMON",
        "0 0 * * 1MON",
        "0 noon * * *",
        // Never.
        "0 0 31 2 *",
        "0 0 30-31 2,2 *",
        "30 2 31 4,6,9,11 *",
        "0 0 30 2 */7",
    ]
    .into_iter()
    .map(refusal)
    .collect();
    let refusals = refusals.join("\n");
    insta::assert_snapshot!(refusals);
}

#[test]
fn a_text_without_bound_is_refused_by_its_length() {
    let message = refusal(&"0,".repeat(1_000_000));
    assert!(message.contains("column 257: the expression has 2000000 bytes, more than 256"));
}

#[test]
fn a_rule_that_only_clock_changes_leave_out_is_refused_in_that_zone() {
    // The second Sunday of March at two: exactly what summer time leaves out.
    let expression = "*/15 2 8-14 3 */7";
    assert!(Recurrence::cron(expression, "UTC".parse().unwrap()).is_ok());
    let error = Recurrence::cron(expression, "America/New_York".parse().unwrap()).unwrap_err();
    insta::assert_snapshot!(error);
}

#[test]
fn a_rewritten_expression_is_accepted() {
    for (refused, rewritten) in [
        ("0 2 * * * *", "2 * * * *"),
        ("0 0 12 1 1 ? 2026", "0 12 1 1 *"),
        ("0 2 * * * root", "0 2 * * *"),
        ("@every 5m", "*/5 * * * *"),
        ("5/15 * * * *", "5-59/15 * * * *"),
        ("59/15 * * * *", "59 * * * *"),
        ("0 9 * * 2/2", "0 9 * * 2-6/2"),
        ("/5 * * * *", "*/5 * * * *"),
        ("0 22-2 * * *", "0 22-23,0-2 * * *"),
        ("0 23-0 * * *", "0 23,0 * * *"),
        ("0 0 1 11-2/3 *", "0 0 1 11,2 *"),
        ("0 8 * * FRI-MON", "0 8 * * FRI-SAT,SUN-MON"),
        ("0 8 * * SAT-FRI", "0 8 * * SAT,SUN-FRI"),
        ("0 0 * * MONDAY", "0 0 * * MON"),
        ("H/15 * * * *", "*/15 * * * *"),
    ] {
        let message = refusal(refused);
        assert!(Recurrence::cron(rewritten, Zone::utc()).is_ok(), "{rewritten}");
        // The remedy is the whole expression, or the field that differs.
        let field = rewritten.split(' ').find(|field| !refused.split(' ').any(|f| f == *field));
        let quoted = |text: &str| message.contains(&format!("`{text}`"));
        assert!(quoted(rewritten) || field.is_some_and(quoted), "{message}");
    }
}

#[test]
fn a_refused_zone_is_answered_with_what_to_write() {
    let refusals: Vec<String> = [
        "",
        "CET",
        "EST5EDT",
        "PST",
        "IST",
        "GMT+3",
        "UTC-5",
        "UTC+05:30",
        "+0200",
        "GMT0",
        "GMT+20",
        "New_York",
        "Berlin",
        "Europe/Berlim",
        "Factory",
        "../etc/passwd",
        "/usr/share/zoneinfo/Europe/Berlin",
        "Europe/Berlin ",
        "Europe\\Berlin",
        "Zürich",
        &"x".repeat(65),
    ]
    .into_iter()
    .map(|name| match name.parse::<Zone>() {
        Ok(zone) => format!("{name:?} is accepted as {zone}"),
        Err(error) => format!("{name:?}\n    {error}"),
    })
    .collect();
    let refusals = refusals.join("\n");
    insta::assert_snapshot!(refusals);
}

#[test]
fn old_and_linked_zone_names_are_kept_as_typed() {
    for name in [
        "UTC",
        "GMT",
        "Etc/UTC",
        "Etc/GMT+5",
        "Europe/Kiev",
        "Europe/Kyiv",
        "US/Pacific",
        "US/Eastern",
        "America/Argentina/ComodRivadavia",
        "America/Port-au-Prince",
        "Cuba",
    ] {
        assert_eq!(name.parse::<Zone>().unwrap().to_string(), name);
    }
    assert_ne!("Europe/Kiev".parse::<Zone>(), "Europe/Kyiv".parse::<Zone>());
    assert_eq!("europe/berlin".parse::<Zone>().unwrap().name(), "Europe/Berlin");
}
