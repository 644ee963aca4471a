//! What a person sees of the coming occasions of an RRULE, above all where the clock changes.
#![allow(clippy::unwrap_used)] // the helpers of a test may fail as the test does

use horarium_core::recurrence::{Dates, Recurrence, RruleRule};

fn shown(
    rule: &str,
    zone: &str,
    dtstart: &str,
    rdate: &[&str],
    after: &str,
    count: usize,
) -> String {
    let zone = zone.parse().unwrap();
    let rdate = rdate.iter().map(|text| text.parse().unwrap()).collect();
    let dates = Dates { rdate, exdate: Vec::new() };
    let rule = RruleRule::new(rule.parse().unwrap(), dtstart.parse().unwrap(), zone, dates);
    let recurrence = Recurrence::Rrule(rule.unwrap());
    let zone = recurrence.zone();
    let lines = recurrence.preview(after.parse().unwrap(), count).into_iter().map(|next| {
        let mark = next.mark.map_or_else(String::new, |mark| format!("\n    {mark}"));
        format!("  {} for {}{mark}", zone.render(next.at), next.wall)
    });
    let lines: Vec<String> = lines.collect();
    format!("{} `{}` after {after}\n{}", recurrence.kind(), recurrence.text(), lines.join("\n"))
}

#[test]
fn a_clock_set_forward_moves_merges_and_drops() {
    let (zone, evening_before) = ("America/New_York", "2026-03-08T00:00:00Z");
    let new_york = |rule, dtstart| shown(rule, zone, dtstart, &[], evening_before, 3);
    let shown = [
        new_york("FREQ=DAILY", "2026-03-01T02:30"),
        new_york("FREQ=DAILY;BYHOUR=2;BYMINUTE=0,30", "2026-03-01T00:00"),
        new_york("FREQ=DAILY;BYHOUR=2,3", "2026-03-01T00:00"),
        new_york("FREQ=HOURLY", "2026-03-07T20:00"),
        new_york("FREQ=HOURLY;BYHOUR=2", "2026-03-01T00:00"),
        new_york("FREQ=MINUTELY;INTERVAL=15;BYHOUR=1,2", "2026-03-08T01:30"),
        new_york("FREQ=MONTHLY;BYDAY=2SU;COUNT=1", "2026-03-08T02:30"),
        shown("FREQ=DAILY", "Pacific/Apia", "2011-12-20T12:00", &[], "2011-12-29T12:00:00Z", 3),
    ]
    .join("\n");
    insta::assert_snapshot!(shown);
}

#[test]
fn a_clock_set_back_repeats_real_time_rules_alone() {
    let (zone, evening_before) = ("America/New_York", "2026-11-01T00:00:00Z");
    let shown = [
        shown("FREQ=DAILY", zone, "2026-10-25T01:30", &[], evening_before, 2),
        shown("FREQ=HOURLY", zone, "2026-10-31T23:30", &[], evening_before, 5),
        shown("FREQ=HOURLY;INTERVAL=2", zone, "2026-10-31T21:00", &[], evening_before, 5),
    ]
    .join("\n");
    insta::assert_snapshot!(shown);
}

#[test]
fn an_added_time_is_named_by_the_clock_whatever_the_rule() {
    let zone = "America/New_York";
    let shown = [
        shown(
            "FREQ=HOURLY;INTERVAL=3",
            zone,
            "2026-03-08T00:00",
            &["2026-03-08T02:30"],
            "2026-03-08T05:00:00Z",
            3,
        ),
        // The rule has ended before.
        shown(
            "FREQ=DAILY;COUNT=1",
            zone,
            "2026-03-07T02:00",
            &["2026-03-08T02:30", "2026-11-01T01:30"],
            "2026-03-08T00:00:00Z",
            3,
        ),
    ]
    .join("\n");
    insta::assert_snapshot!(shown);
}
