//! The law through every change of every zone since 1970.
//!
//! What is expected follows from the two offsets around a change and from nothing else.

use std::collections::BTreeMap;

use horarium_core::recurrence::{Cron, CronRule, Dates, LocalTime, Recurrence, RruleRule, Zone};
use horarium_core::words::time::Timestamp;
use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use oracle::zone::{every_name, offsets, shown};
use oracle::{DAY, MINUTE};

use crate::at;

/// From 1970 until about 2045.
const CHANGES: usize = 150;

const ONE_DAY: SignedDuration = SignedDuration::from_hours(24);

/// A change of a zone's clock.
struct Change {
    at: i64,
    /// The first wall-clock time that is missing or comes again.
    first: DateTime,
    /// The first after those.
    end: DateTime,
}

impl Change {
    fn all_of(zone: &TimeZone) -> Vec<Self> {
        zone.following(jiff::Timestamp::from_second(4 * DAY).unwrap())
            .take(CHANGES)
            .map(|change| {
                let at = change.timestamp().as_second();
                let before = zone.to_offset(jiff::Timestamp::from_second(at - 1).unwrap());
                let sides = [before, change.offset()].map(|o| o.to_datetime(change.timestamp()));
                Self { at, first: sides[0].min(sides[1]), end: sides[0].max(sides[1]) }
            })
            .collect()
    }

    /// Times just outside, just inside and amid what is missing or comes again.
    fn times_of_interest(&self) -> [DateTime; 5] {
        let minute = SignedDuration::from_mins(1);
        let amid = self.first.duration_until(self.end).as_secs() / 120;
        [
            self.first.checked_sub(minute).unwrap(),
            self.first,
            self.first.checked_add(SignedDuration::from_mins(amid)).unwrap(),
            self.end.checked_sub(minute).unwrap(),
            self.end,
        ]
    }

    /// The first instant at which the clock shows `wall`, or jumps over it, within a day or two of
    /// this change, the only one then.
    fn instant_of(&self, zone: &TimeZone, wall: DateTime) -> i64 {
        let read_as_utc = jiff::tz::Offset::UTC.to_timestamp(wall).unwrap().as_second();
        let sides = [self.at - 1, self.at].map(|near| {
            let offset = zone.to_offset(jiff::Timestamp::from_second(near).unwrap());
            read_as_utc - i64::from(offset.seconds())
        });
        let named = sides.into_iter().filter(|second| shown(zone, *second) == wall).min();
        named.unwrap_or(self.at)
    }
}

/// The rules that name the time of day of `wall` every day, in both languages.
fn daily(zone: &Zone, wall: DateTime, crons: &mut BTreeMap<String, Cron>) -> Vec<Recurrence> {
    let start: LocalTime = wall.checked_sub(ONE_DAY).unwrap().to_string().parse().unwrap();
    let rrule = "FREQ=DAILY".parse().unwrap();
    let rrule = RruleRule::new(rrule, start, zone.clone(), Dates::default()).unwrap();
    let mut rules = vec![Recurrence::Rrule(rrule)];
    if wall.second() == 0 {
        let text = format!("{} {} * * *", wall.minute(), wall.hour());
        let cron = crons.entry(text.clone()).or_insert_with(|| text.parse().unwrap());
        rules.push(Recurrence::Cron(CronRule::new(cron.clone(), zone.clone()).unwrap()));
    }
    rules
}

#[test]
fn a_daily_rule_fires_once_for_each_named_time_through_every_change_of_every_zone() {
    let mut crons = BTreeMap::new();
    let mut looked_at = 0;
    for name in every_name() {
        let Ok(zone) = name.parse::<Zone>() else { continue };
        let rules = offsets(name);
        for change in Change::all_of(&rules) {
            for wall in change.times_of_interest() {
                let days = [wall.checked_sub(ONE_DAY), Ok(wall), wall.checked_add(ONE_DAY)];
                let mut expected: Vec<Timestamp> =
                    days.map(|wall| at(change.instant_of(&rules, wall.unwrap()))).to_vec();
                // The times of one gap are one run.
                expected.dedup();
                let before = at(change.instant_of(&rules, wall.checked_sub(ONE_DAY).unwrap()) - 1);
                for rule in daily(&zone, wall, &mut crons) {
                    let fires: Vec<Timestamp> = rule
                        .occasions_after(before)
                        .take(expected.len())
                        .map(|occasion| occasion.at)
                        .collect();
                    assert_eq!(fires, expected, "{} at {wall} in {name}", rule.text());
                }
            }
            looked_at += 1;
        }
    }
    assert!(looked_at > 34_000, "{looked_at}");
}

#[test]
fn a_rule_in_real_time_keeps_its_distance_through_every_change_of_every_zone() {
    let every_minute: Cron = "* * * * *".parse().unwrap();
    let start: LocalTime = "1970-01-01T00:17".parse().unwrap();
    for name in every_name() {
        let Ok(zone) = name.parse::<Zone>() else { continue };
        let cron = CronRule::new(every_minute.clone(), zone.clone()).unwrap();
        let hourly =
            RruleRule::new("FREQ=HOURLY".parse().unwrap(), start, zone, Dates::default()).unwrap();
        let rules = [(Recurrence::Cron(cron), MINUTE), (Recurrence::Rrule(hourly), 60 * MINUTE)];
        for change in Change::all_of(&offsets(name)) {
            if change.first.second() != 0 || change.end.second() != 0 {
                continue; // before 1973 some clocks moved by seconds, and so does a minute of theirs
            }
            for (rule, distance) in &rules {
                let occasions = rule.occasions_after(at(change.at - 2 * distance));
                let fires: Vec<Timestamp> = occasions.take(4).map(|next| next.at).collect();
                let first = fires[0].micros() / 1_000_000;
                let expected: Vec<Timestamp> = (0..4).map(|n| at(first + n * distance)).collect();
                assert_eq!(fires, expected, "{} in {name}", rule.text());
            }
        }
    }
}

#[test]
fn a_rule_in_real_time_runs_whenever_the_clock_shows_its_time_around_every_change_of_every_zone() {
    let every_half_hour: Cron = "*/30 * * * *".parse().unwrap();
    for name in every_name() {
        let Ok(zone) = name.parse::<Zone>() else { continue };
        let rules = offsets(name);
        let rule = Recurrence::Cron(CronRule::new(every_half_hour.clone(), zone).unwrap());
        for change in Change::all_of(&rules) {
            if change.first.second() != 0 || change.end.second() != 0 {
                continue;
            }
            let (after, end) = (change.at - 50 * MINUTE, change.at + 50 * MINUTE);
            let minutes = (1..=100).map(|minute| after + minute * MINUTE);
            let expected: Vec<Timestamp> =
                minutes.filter(|at| shown(&rules, *at).minute() % 30 == 0).map(at).collect();
            let occasions = rule.occasions_after(at(after)).take_while(|next| next.at <= at(end));
            let fires: Vec<Timestamp> = occasions.map(|next| next.at).collect();
            assert_eq!(fires, expected, "in {name}");
        }
    }
}

/// The law takes for granted that no clock is set back so soon after it was set forward that a
/// wall time left out comes again, or the other way round. New zone data has to keep that.
#[test]
fn no_zone_changes_its_clock_twice_within_two_days() {
    for name in every_name() {
        let zone = offsets(name);
        let epoch = jiff::Timestamp::UNIX_EPOCH;
        let changes: Vec<i64> =
            zone.following(epoch).take(300).map(|change| change.timestamp().as_second()).collect();
        for pair in changes.windows(2) {
            assert!(pair[1] - pair[0] > 2 * DAY, "{name} at {}", at(pair[0]));
        }
    }
}
