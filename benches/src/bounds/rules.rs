//! Random rules, made to cost much: sparse, crowded, far away, counted to the end.

use std::fmt;

use horarium_core::recurrence::{LocalTime, Recurrence};

use crate::random::Random;

const ZONES: [&str; 6] = [
    "UTC",
    "America/New_York",
    "Africa/Casablanca",
    "Australia/Lord_Howe",
    "Antarctica/Troll",
    "Pacific/Apia",
];
const WEEKDAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

pub(crate) struct Rule {
    text: String,
    dtstart: Option<String>,
    zone: &'static str,
}

impl Rule {
    pub(crate) fn recurrence(&self) -> Option<Recurrence> {
        let zone = self.zone.parse().expect("a zone");
        match &self.dtstart {
            None => Recurrence::cron(&self.text, zone).ok(),
            Some(dtstart) => {
                let dtstart: LocalTime = dtstart.parse().expect("a time");
                Recurrence::rrule(&self.text, dtstart, zone).ok()
            }
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.text)?;
        if let Some(dtstart) = &self.dtstart {
            write!(f, " from {dtstart}")?;
        }
        write!(f, " in {}", self.zone)
    }
}

pub(crate) fn rule(random: &mut Random) -> Rule {
    let zone = random.choose(&ZONES);
    if random.percent(30) {
        return Rule { text: cron(random), dtstart: None, zone };
    }
    let year = *random.choose(&[1970, 1999, 2020, 2026, 2026, 2199]);
    let dtstart = format!(
        "{year}-{:02}-{:02}T{:02}:{:02}:{:02}",
        random.number(1, 12),
        random.number(1, 28),
        random.number(0, 23),
        random.number(0, 59),
        random.choose(&[0, 0, 0, 59])
    );
    Rule { text: rrule(random), dtstart: Some(dtstart), zone }
}

fn cron(random: &mut Random) -> String {
    let fields = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)].map(|(first, last)| {
        if random.percent(35) {
            let step = random.number(1, last);
            return if step == 1 { "*".to_owned() } else { format!("*/{step}") };
        }
        if random.percent(20) { format!("{first}-{last}") } else { random.list(3, first, last) }
    });
    fields.join(" ")
}

fn rrule(random: &mut Random) -> String {
    let freq = *random.choose(&["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"]);
    let mut text = format!("FREQ={freq}");
    match random.number(0, 9) {
        0..=3 => {}
        4..=5 => text += &format!(";INTERVAL={}", random.number(2, 40)),
        6 => {
            let meets_few = random.choose(&[7, 11, 13, 17, 31, 59, 61, 331, 719, 1_439, 1_441]);
            text += &format!(";INTERVAL={meets_few}");
        }
        7..=8 => text += &format!(";INTERVAL={}", random.number(2, 10_000)),
        _ => text += ";INTERVAL=10000",
    }
    match random.number(0, 9) {
        0..=4 => {}
        5..=6 => text += &format!(";COUNT={}", random.number(1, 1_000)),
        7..=8 => text += ";COUNT=100000",
        _ => text += ";UNTIL=99991231T235959Z",
    }
    let is_coarse = matches!(freq, "YEARLY" | "MONTHLY");
    let mut has_part = false;
    let mut part =
        |chance: i64, random: &mut Random, text: &mut String, key: &str, list: String| {
            if random.percent(chance) {
                *text += &format!(";{key}={list}");
                has_part = true;
            }
        };
    let months = random.list(3, 1, 12);
    part(30, random, &mut text, "BYMONTH", months);
    if freq == "YEARLY" {
        let weeks = random.list(3, -53, 53);
        part(20, random, &mut text, "BYWEEKNO", weeks);
    }
    if matches!(freq, "YEARLY" | "HOURLY" | "MINUTELY") {
        let days = random.list(4, -366, 366);
        part(15, random, &mut text, "BYYEARDAY", days);
    }
    if freq != "WEEKLY" {
        let days = random.list(4, -31, 31);
        part(30, random, &mut text, "BYMONTHDAY", days);
    }
    let weekdays: Vec<String> = (0..random.number(1, 4))
        .map(|_| {
            let nth = random.number(-5, 5);
            let with_nth = is_coarse && nth != 0 && !text.contains("WEEKNO") && random.percent(60);
            let weekday = *random.choose(&WEEKDAYS);
            if with_nth { format!("{nth}{weekday}") } else { weekday.to_owned() }
        })
        .collect();
    part(30, random, &mut text, "BYDAY", weekdays.join(","));
    let crowded = random.percent(15);
    let hours = random.list(if crowded { 60 } else { 3 }, 0, 23);
    part(30, random, &mut text, "BYHOUR", hours);
    let crowded = random.percent(15);
    let minutes = random.list(if crowded { 120 } else { 3 }, 0, 59);
    part(30, random, &mut text, "BYMINUTE", minutes);
    if has_part && random.percent(20) {
        text += &format!(";BYSETPOS={}", random.list(3, -366, 366));
    }
    text
}
