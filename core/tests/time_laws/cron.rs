//! The laws of cron rules.

use horarium_core::recurrence::{Mark, Occasion, Pace, Recurrence, Wall, Zone};
use horarium_core::words::time::{Span, Timestamp};
use jiff::civil::DateTime;
use oracle::DAY;
use proptest::prelude::*;

use crate::cron_draw::rule;
use crate::near_changes::{ZONES, question};
use crate::{at, shown};

/// The rule's own answers in the same time.
fn answers(recurrence: &Recurrence, after: i64, end: i64) -> Vec<(Timestamp, String)> {
    sequence(recurrence, at(after))
        .take_while(|next| next.at <= at(end))
        .map(|next| (next.at, next.wall.to_string()))
        .collect()
}

fn sequence(recurrence: &Recurrence, after: Timestamp) -> impl Iterator<Item = Occasion> {
    std::iter::successors(recurrence.next_after(after, None), |before| {
        recurrence.next_after(before.at, None)
    })
}

fn recurrence(expression: &str, zone: &str) -> Option<Recurrence> {
    Recurrence::cron(expression, zone.parse().unwrap()).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_answers_are_those_of_a_watcher_of_every_minute(
        rule in rule(),
        (zone, _, after) in question(),
    ) {
        let end = after + 4 * DAY;
        let seen: Vec<_> = rule.watch(zone, after, end).iter().map(shown).collect();
        // A rule that is refused has nothing to see.
        let answers = recurrence(&rule.text(), zone)
            .map_or_else(Vec::new, |recurrence| answers(&recurrence, after, end));
        prop_assert_eq!(answers, seen, "{} in {} after {}", rule.text(), zone, at(after));
    }

    #[test]
    fn the_next_occasion_is_the_first_of_the_series_that_is_later(
        rule in rule(),
        (zone, _, start) in question(),
        steps in prop::collection::vec(0_i64..12 * 3_600, 1..8),
    ) {
        let Some(recurrence) = recurrence(&rule.text(), zone) else { return Ok(()) };
        let series: Vec<Occasion> = sequence(&recurrence, at(start)).take(200).collect();
        for pair in series.windows(2) {
            prop_assert!(pair[0].at < pair[1].at, "{pair:?}");
        }
        let mut asked = start;
        for step in steps {
            asked += step;
            let first_later = series.iter().find(|next| next.at > at(asked)).copied();
            if first_later.is_some() {
                prop_assert_eq!(recurrence.next_after(at(asked), None), first_later);
            }
        }
    }

    #[test]
    fn every_instant_has_a_wall_time_that_the_rule_names(
        rule in rule(),
        (zone, _, start) in question(),
    ) {
        let Some(recurrence) = recurrence(&rule.text(), zone) else { return Ok(()) };
        let zone: Zone = zone.parse().unwrap();
        for next in sequence(&recurrence, at(start)).take(200) {
            prop_assert!(rule.names(next.wall.to_string().parse().unwrap()), "{next:?}");
            // What the clock shows is that time, or the clock was set forward over it.
            let shown = zone.wall_at(next.at);
            prop_assert!(shown == next.wall || (shown > next.wall && !rule.is_real_time()));
        }
    }

    #[test]
    fn a_fixed_time_rule_never_repeats_a_wall_time(
        rule in rule(),
        (zone, _, start) in question(),
        back in 0_u64..72,
    ) {
        let Some(recurrence) = recurrence(&rule.text(), zone) else { return Ok(()) };
        let series: Vec<Occasion> = sequence(&recurrence, at(start)).take(100).collect();
        if !rule.is_real_time() {
            for pair in series.windows(2) {
                prop_assert!(pair[0].wall < pair[1].wall, "{pair:?}");
            }
        }
        // Asked again from earlier, as after new zone data.
        for occasion in series.iter().take(5) {
            let earlier = occasion.at.minus(Span::from_hours(back));
            let next = recurrence.next_after(earlier, Some(occasion.wall));
            if !rule.is_real_time() {
                prop_assert!(next.is_none_or(|next| next.wall > occasion.wall));
            }
            prop_assert!(next.is_none_or(|next| next.at > earlier));
        }
    }

    #[test]
    fn a_daily_rule_fires_once_for_every_date(
        hour in 0..24_u8,
        minute in 0..60_u8,
        (zone, _, start) in question(),
    ) {
        let recurrence = recurrence(&format!("{minute} {hour} * * *"), zone).unwrap();
        let dates: Vec<_> = sequence(&recurrence, at(start))
            .take(10)
            .map(|next| next.wall.to_string().parse::<DateTime>().unwrap().date())
            .collect();
        for pair in dates.windows(2) {
            prop_assert_eq!(pair[0].tomorrow().unwrap(), pair[1]);
        }
    }

    #[test]
    fn a_preview_is_the_series_and_marks_it(rule in rule(), (zone, _, start) in question()) {
        let Some(recurrence) = recurrence(&rule.text(), zone) else { return Ok(()) };
        let previews = recurrence.preview(at(start), 40);
        let series = sequence(&recurrence, at(start)).take(40);
        let shown =
            previews.iter().map(|next| Occasion { at: next.at, wall: next.wall, ordinal: None });
        prop_assert!(shown.eq(series));
        let zone: Zone = zone.parse().unwrap();
        for preview in previews {
            let moved = zone.wall_at(preview.at) != preview.wall;
            match preview.mark {
                Some(Mark::Moved { missing }) => prop_assert!(moved && missing == preview.wall),
                Some(Mark::Merged { named }) => {
                    prop_assert!(named.len() > 1 && named.last() == Some(&preview.wall));
                }
                Some(Mark::Dropped { missing }) => {
                    prop_assert!(!moved && !missing.is_empty());
                    prop_assert!(missing.iter().all(|wall| *wall < preview.wall));
                }
                Some(Mark::FirstPass | Mark::SecondPass) | None => prop_assert!(!moved),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn no_text_makes_it_panic(
        expression in prop_oneof![
            any::<String>(),
            "[0-9*/,~#?LWH@ \t-]{0,40}",
            "(@every |@)?[0-9A-Za-z*/,-]{1,8}( [0-9A-Za-z*/,?#-]{1,7}){0,6}",
            "([0-9*]{1,2}|[0-9]-[0-9]|\\*/[0-9]|[JFMASOND][AEUPCO][NBRYLGPTVC]|[a-z]{3}|[0-9]?[LW#?H]) ?",
        ],
        zone in prop_oneof![any::<String>(), "[A-Za-z_/+-]{1,20}", "(GMT|UTC)?[+-]?[0-9:]{0,6}"],
        text in prop_oneof![any::<String>(), "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}"],
    ) {
        let _ = text.parse::<Wall>();
        let _ = zone.parse::<Zone>();
        if let Some(recurrence) = recurrence(&expression, "America/New_York") {
            for after in [Timestamp::EPOCH, at(1_775_000_000), Timestamp::MAX] {
                let next = recurrence.next_after(after, None);
                prop_assert!(next.is_none_or(|next| next.at > after));
            }
        }
    }
}

#[test]
fn the_last_instants_of_the_calendar_end_every_series() {
    for zone in ZONES {
        for expression in ["* * * * *", "0-59 0-23 * * *", "0 0 29 2 *"] {
            let recurrence = recurrence(expression, zone).unwrap();
            for before_the_end in [0, 1, 60, 3_600, 86_400, 172_800] {
                let after = Timestamp::MAX.minus(Span::from_secs(before_the_end));
                let next = recurrence.next_after(after, Some("9999-12-31T23:58".parse().unwrap()));
                assert!(next.is_none_or(|next| next.at > after), "{expression} in {zone}");
            }
            assert_eq!(recurrence.next_after(Timestamp::MAX, None), None);
        }
    }
}

#[test]
fn the_star_decides_the_pace() {
    for (expression, pace) in [
        ("0 2 * * *", Pace::FixedTime),
        ("0,30 1-3 * * *", Pace::FixedTime),
        ("5,* 2 * * *", Pace::FixedTime),
        ("* 2 * * *", Pace::RealTime),
        ("*/15 2 * * *", Pace::RealTime),
        ("0 */2 * * *", Pace::RealTime),
        ("0 *,5 * * *", Pace::RealTime),
        ("@hourly", Pace::RealTime),
        ("@daily", Pace::FixedTime),
    ] {
        match recurrence(expression, "UTC").unwrap() {
            Recurrence::Cron(rule) => assert_eq!(rule.cron().pace(), pace, "{expression}"),
            Recurrence::Once(_) | Recurrence::Rrule(_) => panic!("{expression} is cron"),
        }
    }
}
