//! Advice is given where there is something to say, and says what will happen.

use horarium_core::recurrence::{Advice, Mark, Recurrence, Zone};
use horarium_core::words::time::Timestamp;

fn advice(text: &str, zone: &str, now: &str) -> Vec<Advice> {
    let now: Timestamp = now.parse().unwrap();
    Recurrence::cron(text, zone.parse().unwrap()).unwrap().advice(now)
}

fn clock_change(advice: &[Advice]) -> Option<&Mark> {
    advice.iter().find_map(|advice| match advice {
        Advice::ClockChange { first, .. } => first.mark.as_ref(),
        Advice::UnevenStep(_)
        | Advice::ShortMonths { .. }
        | Advice::LeapDay
        | Advice::EitherDay
        | Advice::BothDays
        | Advice::StartSkipped { .. } => None,
    })
}

#[test]
fn a_rule_without_surprises_gets_no_advice() {
    for text in ["30 4 * * *", "0 9 * * 1-5", "0 0 1 * *", "0 12 1,15 * *", "0 12 * 6-8 *"] {
        assert_eq!(advice(text, "Europe/Berlin", "2026-01-10T00:00:00Z"), [], "{text}");
    }
    for text in ["* * * * *", "*/15 * * * *", "@hourly"] {
        let now = "2026-06-10T00:00:00Z";
        assert_eq!(advice(text, "Europe/Berlin", now), [], "{text} only meets other names");
    }
    for text in ["*/15 * * * *", "30 2 * * *", "* * * * *"] {
        assert_eq!(advice(text, "UTC", "2026-01-10T00:00:00Z"), [], "{text}");
    }
}

#[test]
fn a_time_inside_the_next_clock_change_is_named() {
    let spring = advice("30 2 * * *", "Europe/Berlin", "2026-01-10T00:00:00Z");
    assert!(matches!(clock_change(&spring), Some(Mark::Moved { .. })), "{spring:?}");
    let autumn = advice("30 2 * * *", "Europe/Berlin", "2026-06-10T00:00:00Z");
    assert!(matches!(clock_change(&autumn), Some(Mark::FirstPass)), "{autumn:?}");
}

#[test]
fn a_rule_in_real_time_is_said_to_lose_and_repeat_runs() {
    let spring = advice("*/15 2 * * *", "Europe/Berlin", "2026-01-10T00:00:00Z");
    assert!(matches!(clock_change(&spring), Some(Mark::Dropped { .. })), "{spring:?}");
    let autumn = advice("*/15 2 * * *", "Europe/Berlin", "2026-06-10T00:00:00Z");
    assert!(matches!(clock_change(&autumn), Some(Mark::SecondPass)), "{autumn:?}");
}

#[test]
fn a_clock_that_is_set_by_a_whole_day_is_noticed() {
    // Samoa left out 30 December 2011.
    let gone = advice("0 12 * * *", "Pacific/Apia", "2011-12-01T00:00:00Z");
    assert!(clock_change(&gone).is_some(), "{gone:?}");
}

#[test]
fn the_first_touched_run_is_one_that_a_preview_marks() {
    let now: Timestamp = "2026-01-10T00:00:00Z".parse().unwrap();
    for zone in ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Tokyo"] {
        let zone: Zone = zone.parse().unwrap();
        for text in [
            "30 2 * * *",
            "15,45 1 * * *",
            "0 3 * * *",
            "0 */2 * * *",
            "20 12 * * *",
            "*/20 1,2 * * *",
        ] {
            let rule = Recurrence::cron(text, zone.clone()).unwrap();
            let previewed = rule.preview(now, 24 * 400).into_iter().find(|it| it.mark.is_some());
            let within = previewed
                .filter(|it| it.at.since(now) < horarium_core::words::Span::from_days(400));
            let advised = rule.advice(now).into_iter().find_map(|advice| match advice {
                Advice::ClockChange { first, .. } => Some(first),
                Advice::UnevenStep(_)
                | Advice::ShortMonths { .. }
                | Advice::LeapDay
                | Advice::EitherDay
                | Advice::BothDays
                | Advice::StartSkipped { .. } => None,
            });
            assert_eq!(advised, within, "{text} in {zone}");
        }
    }
}

#[test]
fn a_start_that_the_clock_skips_moves_all_runs_of_a_rule_in_real_time() {
    let advice = |rule: &str, dtstart: &str| {
        let zone: Zone = "Europe/Berlin".parse().unwrap();
        let rule = Recurrence::rrule(rule, dtstart.parse().unwrap(), zone).unwrap();
        let advice = rule.advice("2026-03-01T00:00:00Z".parse().unwrap());
        let skipped = advice.iter().filter(|it| matches!(it, Advice::StartSkipped { .. }));
        skipped.map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        advice("FREQ=HOURLY", "2026-03-29T02:30"),
        ["the clock skips 2026-03-29T02:30, at which the rule starts: it counts from \
          2026-03-29T03:00 on, and so do all its runs"]
    );
    assert_eq!(advice("FREQ=HOURLY", "2026-03-29T03:30"), [""; 0]);
    assert_eq!(advice("FREQ=HOURLY", "2026-10-25T02:30"), [""; 0]);
    assert_eq!(advice("FREQ=DAILY", "2026-03-29T02:30"), [""; 0], "each day has its own time");
}
