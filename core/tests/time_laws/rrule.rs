//! The laws of RRULEs.

use std::str::FromStr;

use horarium_core::recurrence::{
    Dates, LocalTime, Mark, Occasion, Pace, Recurrence, RecurrenceError, RruleRule, Wall,
    WrittenRecurrence, Zone, ZoneData,
};
use horarium_core::words::time::{Span, Timestamp};
use jiff::civil::DateTime;
use oracle::rrule::{End, Freq, Rule, by_parts, names, series};
use oracle::zone::{instant, offsets};
use oracle::{DAY, Named};
use proptest::prelude::*;

use crate::near_changes::{ZONES, question};
use crate::rrule_draw::rule;
use crate::{at, shown};

/// As a rule of ours; `None` when it is refused.
fn recurrence(rule: &Rule) -> Option<Recurrence> {
    accepted(rule).ok()
}

fn accepted(rule: &Rule) -> Result<Recurrence, RecurrenceError> {
    let local = |wall: &DateTime| wall.to_string().parse::<LocalTime>().unwrap();
    let dates = Dates {
        rdate: rule.rdate.iter().map(local).collect(),
        exdate: rule.exdate.iter().map(local).collect(),
    };
    let rrule = rule.text().parse().unwrap();
    RruleRule::new(rrule, local(&rule.start), rule.zone.parse().unwrap(), dates)
        .map(Recurrence::Rrule)
}

/// How long to look: for a few periods of the rule.
fn window(rule: &Rule) -> i64 {
    match rule.freq {
        Freq::Minutely => DAY,
        Freq::Hourly => 4 * DAY,
        Freq::Daily => 15 * DAY,
        Freq::Weekly => 60 * DAY,
        Freq::Monthly => 250 * DAY,
        Freq::Yearly => 1_200 * DAY,
    }
}

/// A rule in a zone, and an instant near a change of its clock. Some of what it names around then
/// is left out by EXDATE.
fn rule_and_question() -> impl Strategy<Value = (Rule, i64)> {
    let leave_out = prop::collection::vec(0_usize..12, 0..=3);
    (question(), leave_out).prop_flat_map(|((zone, change, after), leave_out)| {
        rule(zone, change).prop_map(move |mut rule| {
            if leave_out.len() > 1 {
                let named = by_parts(&rule, change + DAY);
                let latest = named.iter().rev();
                let picked =
                    |(place, named): (usize, &Named)| leave_out.contains(&place).then_some(named.1);
                rule.exdate = latest.enumerate().filter_map(picked).collect();
                rule.exdate.extend(rule.rdate.first().filter(|_| leave_out.len() > 2));
            }
            (rule, after)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_answers_are_those_of_a_watcher_of_every_date_and_minute(
        (rule, after) in rule_and_question(),
    ) {
        let end = after + window(&rule);
        let seen: Vec<_> =
            series(&rule, end).iter().filter(|(at, _)| *at > after).map(shown).collect();
        let answers = match accepted(&rule) {
            Ok(recurrence) => recurrence
                .occasions_after(at(after))
                .take_while(|next| next.at <= at(end))
                .map(|next| (next.at, next.wall.to_string()))
                .collect(),
            // What is refused for the price of its COUNT may have an RDATE.
            Err(RecurrenceError::RruleTooCostly(_)) => return Ok(()),
            // Any other rule that is refused has nothing to see.
            Err(_) => Vec::new(),
        };
        prop_assert_eq!(answers, seen, "{} after {}: {:?}", rule.text(), at(after), rule);
    }

    #[test]
    fn the_next_occasion_is_the_first_of_the_series_that_is_later(
        (rule, start) in rule_and_question(),
        steps in prop::collection::vec(0_i64..12 * 3_600, 1..8),
    ) {
        let Some(recurrence) = recurrence(&rule) else { return Ok(()) };
        let series: Vec<Occasion> = recurrence.occasions_after(at(start)).take(200).collect();
        for pair in series.windows(2) {
            prop_assert!(pair[0].at < pair[1].at, "{pair:?}");
        }
        let mut asked = start;
        for step in steps {
            asked += step;
            let first_later = series.iter().find(|next| next.at > at(asked)).copied();
            if first_later.is_some() || series.len() < 200 {
                prop_assert_eq!(recurrence.next_after(at(asked), None), first_later);
                // However far the count had come.
                for known in series.iter().take(3).chain(series.last()) {
                    let next = recurrence.checked_next_after(at(asked), None, Some(*known));
                    prop_assert_eq!(next.unwrap(), first_later);
                }
            }
        }
    }

    #[test]
    fn every_instant_has_a_wall_time_that_the_rule_names((rule, start) in rule_and_question()) {
        let Some(recurrence) = recurrence(&rule) else { return Ok(()) };
        let zone: Zone = rule.zone.parse().unwrap();
        for next in recurrence.occasions_after(at(start)).take(200) {
            let wall = next.wall.to_string().parse().unwrap();
            prop_assert!(names(&rule, wall) || rule.rdate.contains(&wall), "{next:?}");
            // What the clock shows is that time, or the clock was set forward over it.
            let shown = zone.wall_at(next.at);
            prop_assert!(shown == next.wall || (shown > next.wall && !rule.is_elapsed()));
        }
    }

    #[test]
    fn a_count_ends_after_as_many_instants_as_it_says(
        (rule, start) in rule_and_question(),
        count in 1_usize..40,
    ) {
        let end = start + window(&rule);
        let rule = Rule { end: End::Count(count), ..rule };
        let Some(recurrence) = recurrence(&rule) else { return Ok(()) };
        let mut counted: Vec<i64> =
            by_parts(&rule, end).into_iter().map(|(second, _)| second).collect();
        counted.dedup();
        for next in recurrence.occasions_after(at(start)).take_while(|next| next.at <= at(end)) {
            let place = counted.iter().filter(|second| at(**second) <= next.at).count();
            let ordinal = usize::try_from(next.ordinal.unwrap()).unwrap();
            prop_assert_eq!(ordinal, place.min(count + 1));
        }
    }

    #[test]
    fn a_rule_that_names_times_never_repeats_one(
        (rule, start) in rule_and_question(),
        back in 0_u64..72,
    ) {
        let Some(recurrence) = recurrence(&rule) else { return Ok(()) };
        let Recurrence::Rrule(rrule) = &recurrence else { return Ok(()) };
        if rrule.rrule().pace() == Pace::RealTime {
            return Ok(());
        }
        let series: Vec<Occasion> = recurrence.occasions_after(at(start)).take(50).collect();
        for pair in series.windows(2) {
            prop_assert!(pair[0].wall < pair[1].wall, "{pair:?}");
        }
        // Asked again from earlier, as after new zone data.
        for occasion in series.iter().take(5) {
            let earlier = occasion.at.minus(Span::from_hours(back));
            let next = recurrence.next_after(earlier, Some(occasion.wall));
            prop_assert!(next.is_none_or(|next| next.wall > occasion.wall), "{next:?}");
        }
    }

    #[test]
    fn a_rule_in_elapsed_time_keeps_its_distance(
        (zone, change, after) in question(),
        ago in 0_i64..100_000,
        interval in 1_i64..300,
        is_hourly in any::<bool>(),
    ) {
        let start = offsets(zone).to_datetime(jiff::Timestamp::from_second(change).unwrap());
        let start = start.checked_sub(jiff::SignedDuration::from_mins(ago)).unwrap();
        let start = start.max(jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0));
        let start = LocalTime::from_str(&start.strftime("%Y-%m-%dT%H:%M:%S").to_string()).unwrap();
        let (freq, unit) = if is_hourly { ("HOURLY", 3_600) } else { ("MINUTELY", 60) };
        let text = format!("FREQ={freq};INTERVAL={interval}");
        let recurrence = Recurrence::rrule(&text, start, zone.parse().unwrap()).unwrap();
        let series: Vec<Occasion> = recurrence.occasions_after(at(after)).take(20).collect();
        prop_assert_eq!(series.len(), 20);
        for pair in series.windows(2) {
            let apart = pair[1].at.since(pair[0].at);
            prop_assert_eq!(apart, Span::from_secs(u64::try_from(interval * unit).unwrap()));
        }
    }

    #[test]
    fn it_does_not_matter_how_long_ago_a_rule_began(
        (rule, after) in rule_and_question(),
        intervals in 1_i64..400,
    ) {
        let days = match rule.freq {
            Freq::Daily => Some(rule.interval * intervals),
            Freq::Weekly => Some(rule.interval * intervals * 7),
            Freq::Yearly | Freq::Monthly | Freq::Hourly | Freq::Minutely => None,
        };
        let Some(days) = days else { return Ok(()) };
        let rule = Rule { end: End::Never, ..rule };
        let earlier = rule.start.checked_sub(jiff::SignedDuration::from_hours(24 * days)).unwrap();
        let earlier = Rule { start: earlier, ..rule.clone() };
        if earlier.start.year() < 1970 {
            return Ok(());
        }
        let start = instant(&offsets(&rule.zone), rule.start).max(after);
        // One that first fires more than a hundred years after its start is refused.
        let (Some(ours), Some(earlier)) = (recurrence(&rule), recurrence(&earlier)) else {
            return Ok(());
        };
        let answers =
            |rule: &Recurrence| rule.occasions_after(at(start)).take(8).collect::<Vec<_>>();
        prop_assert_eq!(answers(&earlier), answers(&ours));
    }

    #[test]
    fn a_preview_is_the_series_and_marks_it((rule, start) in rule_and_question()) {
        let Some(recurrence) = recurrence(&rule) else { return Ok(()) };
        let previews = recurrence.preview(at(start), 40);
        let series = recurrence.occasions_after(at(start)).take(40);
        let shown = previews.iter().map(|next| (next.at, next.wall));
        prop_assert!(shown.eq(series.map(|next| (next.at, next.wall))));
        let zone: Zone = rule.zone.parse().unwrap();
        for preview in previews {
            let moved = zone.wall_at(preview.at) != preview.wall;
            match preview.mark {
                Some(Mark::Moved { missing }) => prop_assert!(moved && missing == preview.wall),
                Some(Mark::Merged { named }) => {
                    prop_assert!(named.len() > 1 && named.last() == Some(&preview.wall));
                }
                Some(Mark::Dropped { missing }) => {
                    prop_assert!(!moved && !missing.is_empty() && rule.is_elapsed());
                    prop_assert!(missing.iter().all(|wall| *wall < preview.wall));
                }
                Some(Mark::FirstPass | Mark::SecondPass) | None => prop_assert!(!moved),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_text_makes_it_panic(
        text in prop_oneof![
            any::<String>(),
            "FREQ=(YEARLY|MONTHLY|WEEKLY|DAILY|HOURLY|MINUTELY)(;[A-Z]{3,8}=[0-9A-Z,+-]{0,8}){0,4}",
            "FREQ=(YEARLY|MONTHLY|WEEKLY|DAILY|HOURLY|MINUTELY)(;(INTERVAL|COUNT)=[0-9]{1,5})?\
             (;BY(MONTH|WEEKNO|YEARDAY|MONTHDAY|HOUR|MINUTE|SECOND|SETPOS)=[+-]?[0-9]{1,3}\
             (,[0-9]{1,2}){0,2}){0,3}(;BYDAY=(-?[0-9])?(MO|SU)(,(-?[0-9]{1,2})?(TU|FR))?)?",
        ],
        dtstart in prop_oneof![Just(String::from("20260308T023000")), any::<String>(),
            "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?", "[0-9]{8}T[0-9]{6}Z?"],
        lines in prop_oneof![any::<String>(),
            "(DTSTART|RRULE|EXDATE|[A-Z]{4})(;[A-Z]{4}=[A-Za-z/\"]{0,8}){0,2}:?[0-9TZ,]{0,17}(\r\n ?)?"],
    ) {
        let zones = ZoneData::bundled();
        let _ = Recurrence::ics(&lines, &zones);
        let line = format!("DTSTART;TZID=Europe/Berlin:{dtstart}\nRRULE:{text}");
        let _ = Recurrence::ics(&line, &zones);
        let zone: Zone = "America/New_York".parse().unwrap();
        let dtstart = dtstart.parse();
        let Some(recurrence) =
            dtstart.ok().and_then(|dtstart| Recurrence::rrule(&text, dtstart, zone).ok())
        else {
            return Ok(());
        };
        for after in [Timestamp::EPOCH, at(1_775_000_000), at(7_000_000_000), Timestamp::MAX] {
            let next = recurrence.next_after(after, None);
            prop_assert!(next.is_none_or(|next| next.at > after));
            let json = serde_json::to_string(&recurrence).unwrap();
            let written: WrittenRecurrence = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(&written.read(&ZoneData::bundled()).unwrap(), &recurrence);
        }
    }
}

#[test]
fn the_last_instants_of_the_calendar_end_every_series() {
    for zone in ZONES {
        for text in ["FREQ=MINUTELY", "FREQ=HOURLY;BYMINUTE=59", "FREQ=DAILY", "FREQ=YEARLY"] {
            let start = "2200-12-31T23:59:59".parse().unwrap();
            let recurrence = Recurrence::rrule(text, start, zone.parse().unwrap()).unwrap();
            for before_the_end in [0, 1, 60, 3_600, 86_400, 172_800] {
                let after = Timestamp::MAX.minus(Span::from_secs(before_the_end));
                let last_wall: Wall = "9999-12-31T23:58".parse().unwrap();
                let next = recurrence.next_after(after, Some(last_wall));
                assert!(next.is_none_or(|next| next.at > after), "{text} in {zone}");
            }
            assert_eq!(recurrence.next_after(Timestamp::MAX, None), None);
        }
    }
}
