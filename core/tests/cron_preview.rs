//! What a person sees of the coming occasions, above all where the clock changes.
#![allow(clippy::unwrap_used)] // the helpers of a test may fail as the test does

use horarium_core::recurrence::{Recurrence, RecurrenceKind, ZoneRelease};
use horarium_core::words::time::Timestamp;

fn shown(recurrence: &Recurrence, after: &str, count: usize) -> String {
    let zone = recurrence.zone();
    let lines = recurrence.preview(after.parse().unwrap(), count).into_iter().map(|next| {
        let mark = next.mark.map_or_else(String::new, |mark| format!("\n    {mark}"));
        format!("  {} for {}{mark}", zone.render(next.at), next.wall)
    });
    let lines: Vec<String> = lines.collect();
    format!("{} `{}` after {after}\n{}", recurrence.kind(), recurrence.text(), lines.join("\n"))
}

fn cron(expression: &str, zone: &str) -> Recurrence {
    Recurrence::cron(expression, zone.parse().unwrap()).unwrap()
}

#[test]
fn a_clock_set_forward_moves_merges_and_drops() {
    let evening_before = "2026-03-08T00:00:00Z";
    let zone = "America/New_York";
    let shown = [
        shown(&cron("30 2 * * *", zone), evening_before, 2),
        shown(&cron("0,30 2 * * *", zone), evening_before, 2),
        shown(&cron("0 2,3 * * *", zone), evening_before, 2),
        shown(&cron("0-59 2 * * *", zone), evening_before, 2),
        shown(&cron("0 1,3 * * *", zone), evening_before, 2),
        shown(&cron("*/30 1-3 * * *", zone), evening_before, 5),
        shown(&cron("*/10 2 * * *", zone), evening_before, 2),
        shown(&cron("0 12 30 12 *", "Pacific/Apia"), "2011-12-01T00:00:00Z", 2),
        shown(&cron("0 */6 * * *", "Pacific/Apia"), "2011-12-30T02:00:00Z", 3),
    ]
    .join("\n");
    insta::assert_snapshot!(shown);
}

#[test]
fn a_clock_set_back_repeats_real_time_rules_alone() {
    let evening_before = "2026-11-01T00:00:00Z";
    let zone = "America/New_York";
    let shown = [
        shown(&cron("30 1 * * *", zone), evening_before, 2),
        shown(&cron("0,30 1 * * *", zone), evening_before, 3),
        shown(&cron("30 * * * *", zone), "2026-11-01T04:00:00Z", 4),
        shown(&cron("*/15 * * * *", "Australia/Lord_Howe"), "2026-04-04T14:30:00Z", 5),
    ]
    .join("\n");
    insta::assert_snapshot!(shown);
}

#[test]
fn a_single_instant_is_shown_in_its_zone() {
    let at: Timestamp = "2026-03-08T07:00:30Z".parse().unwrap();
    let once = Recurrence::once(at, "America/New_York".parse().unwrap());
    assert_eq!(once.kind(), RecurrenceKind::Once);
    assert_eq!(once.text(), "2026-03-08T07:00:30Z");
    assert_eq!(once.zone().render(at), "2026-03-08 03:00:30 -04:00 America/New_York");
    let occasion = once.next_after(Timestamp::EPOCH, None).unwrap();
    assert_eq!((occasion.at, occasion.wall.to_string().as_str()), (at, "2026-03-08T03:00:30"));
    assert_eq!(once.next_after(at, None), None);
    assert_eq!(once.preview(Timestamp::EPOCH, 5).len(), 1);
}

#[test]
fn rules_are_equal_by_text_and_zone() {
    let daily = cron("0 2 * * *", "Europe/Berlin");
    assert_eq!(daily, cron("0 2 * * *", "Europe/Berlin"));
    assert_ne!(daily, cron("0  2 * * *", "Europe/Berlin"));
    assert_ne!(daily, cron("0 2 * * *", "Europe/Vienna"));
    assert!(Recurrence::once(Timestamp::MAX, "UTC".parse().unwrap()) < daily);
}

#[test]
fn new_zone_data_does_not_repeat_a_wall_time() {
    let daily = cron("0 2 * * *", "Europe/Berlin");
    let after: Timestamp = "2026-05-04T23:30:00Z".parse().unwrap();
    // It ran for 02:00 by rules under which that was an hour earlier.
    let last = "2026-05-05T02:00".parse().unwrap();
    let next = daily.next_after(after, Some(last)).unwrap();
    assert_eq!(next.wall.to_string(), "2026-05-06T02:00");
    let hourly = cron("0 * * * *", "Europe/Berlin");
    let next = hourly.next_after(after, Some(last)).unwrap();
    assert_eq!(next.wall.to_string(), "2026-05-05T02:00");
}

#[test]
fn the_zone_data_are_the_release_that_the_case_table_was_made_with() {
    assert_eq!(ZoneRelease::BUNDLED.to_string(), "2026f");
}
