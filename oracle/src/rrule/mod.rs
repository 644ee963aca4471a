//! What an RRULE means, by looking at every date or at every minute.

mod series;

use jiff::civil::DateTime;

pub use series::{by_parts, names, series};

const WEEKDAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const FREQUENCIES: [(&str, Freq); 6] = [
    ("YEARLY", Freq::Yearly),
    ("MONTHLY", Freq::Monthly),
    ("WEEKLY", Freq::Weekly),
    ("DAILY", Freq::Daily),
    ("HOURLY", Freq::Hourly),
    ("MINUTELY", Freq::Minutely),
];

/// FREQ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the words of RFC 5545
pub enum Freq {
    Yearly,
    Monthly,
    Weekly,
    Daily,
    Hourly,
    Minutely,
}

/// When the rule ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It does not.
    Never,
    /// After so many instants.
    Count(usize),
    /// After this second since 1970.
    Until(i64),
}

/// A rule with its start, its zone and its dates; weekdays count from Monday, 0, and their number
/// is 0 where every one is meant.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // the parts of RFC 5545
pub struct Rule {
    pub freq: Freq,
    pub interval: i64,
    pub end: End,
    pub months: Vec<i16>,
    pub weeks: Vec<i16>,
    pub year_days: Vec<i16>,
    pub month_days: Vec<i16>,
    pub weekdays: Vec<(i16, i8)>,
    pub hours: Vec<i16>,
    pub minutes: Vec<i16>,
    pub second: Option<i16>,
    pub positions: Vec<i16>,
    pub week_start: i8,
    pub zone: String,
    pub start: DateTime,
    pub rdate: Vec<DateTime>,
    pub exdate: Vec<DateTime>,
}

impl Rule {
    /// Reads a rule that RFC 5545 allows.
    pub fn read(text: &str, zone: &str, start: DateTime) -> Self {
        let upper = text.to_ascii_uppercase();
        let value =
            |key: &str| upper.split(';').find_map(|part| part.strip_prefix(key)?.strip_prefix('='));
        let numbers = |key: &str| -> Vec<i16> {
            value(key).map_or_else(Vec::new, |list| {
                list.split(',').map(|number| number.parse().unwrap()).collect()
            })
        };
        let weekdays = value("BYDAY").map_or_else(Vec::new, |list| {
            list.split(',')
                .map(|item| {
                    let (nth, name) = item.split_at(item.len() - 2);
                    (if nth.is_empty() { 0 } else { nth.parse().unwrap() }, weekday(name))
                })
                .collect()
        });
        let until = |text: &str| {
            let wall = DateTime::strptime("%Y%m%dT%H%M%SZ", text).unwrap();
            jiff::tz::Offset::UTC.to_timestamp(wall).map_or(i64::MAX, jiff::Timestamp::as_second)
        };
        let freq = value("FREQ").unwrap();
        Self {
            freq: FREQUENCIES.iter().find(|(name, _)| *name == freq).unwrap().1,
            interval: value("INTERVAL").map_or(1, |number| number.parse().unwrap()),
            end: match (value("COUNT"), value("UNTIL")) {
                (Some(count), _) => End::Count(count.parse().unwrap()),
                (None, Some(last)) => End::Until(until(last)),
                (None, None) => End::Never,
            },
            months: numbers("BYMONTH"),
            weeks: numbers("BYWEEKNO"),
            year_days: numbers("BYYEARDAY"),
            month_days: numbers("BYMONTHDAY"),
            weekdays,
            hours: numbers("BYHOUR"),
            minutes: numbers("BYMINUTE"),
            second: numbers("BYSECOND").first().copied(),
            positions: numbers("BYSETPOS"),
            week_start: value("WKST").map_or(0, weekday),
            zone: zone.to_owned(),
            start,
            rdate: Vec::new(),
            exdate: Vec::new(),
        }
    }

    /// Whether the rule follows elapsed time.
    pub fn is_elapsed(&self) -> bool {
        matches!(self.freq, Freq::Hourly | Freq::Minutely)
    }

    /// The text of the RRULE.
    pub fn text(&self) -> String {
        let weekday = |(nth, day): &(i16, i8)| {
            let nth = if *nth == 0 { String::new() } else { nth.to_string() };
            format!("{nth}{}", WEEKDAYS[usize::try_from(*day).unwrap()])
        };
        let numbers = |list: &[i16]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let freq = FREQUENCIES.iter().find(|(_, freq)| *freq == self.freq).unwrap().0;
        let mut parts = vec![format!("FREQ={freq}"), format!("INTERVAL={}", self.interval)];
        match self.end {
            End::Never => {}
            End::Count(count) => parts.push(format!("COUNT={count}")),
            End::Until(second) => {
                let until = jiff::Timestamp::from_second(second).unwrap();
                parts.push(until.strftime("UNTIL=%Y%m%dT%H%M%SZ").to_string());
            }
        }
        for (key, list) in [
            ("BYMONTH", numbers(&self.months)),
            ("BYWEEKNO", numbers(&self.weeks)),
            ("BYYEARDAY", numbers(&self.year_days)),
            ("BYMONTHDAY", numbers(&self.month_days)),
            ("BYDAY", self.weekdays.iter().map(weekday).collect()),
            ("BYHOUR", numbers(&self.hours)),
            ("BYMINUTE", numbers(&self.minutes)),
            ("BYSECOND", numbers(&Vec::from_iter(self.second))),
            ("BYSETPOS", numbers(&self.positions)),
        ] {
            if !list.is_empty() {
                parts.push(format!("{key}={}", list.join(",")));
            }
        }
        if self.week_start != 0 {
            parts.push(format!("WKST={}", weekday(&(0, self.week_start))));
        }
        parts.join(";")
    }
}

fn weekday(name: &str) -> i8 {
    i8::try_from(WEEKDAYS.iter().position(|weekday| *weekday == name).unwrap()).unwrap()
}
