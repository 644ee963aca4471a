//! What a cron rule means, by looking at every minute.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use jiff::civil::DateTime;

use crate::zone::{offsets, shown};
use crate::{DAY, MINUTE, Named};

/// First and last value of each field, and its names.
const FIELDS: [(i8, i8, &[&str]); 5] = [
    (0, 59, &[]),
    (0, 23, &[]),
    (1, 31, &[]),
    (1, 12, &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]),
    (0, 7, &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]),
];

/// One field: its text and the values that it names.
#[derive(Debug, Clone)]
pub struct Field {
    /// As it is typed.
    pub text: String,
    /// Sunday may be 0, 7 or both.
    pub values: BTreeSet<i8>,
}

/// Minute, hour, day of month, month and day of week.
#[derive(Debug, Clone)]
pub struct Rule {
    /// In that order.
    pub fields: [Field; 5],
}

impl Rule {
    /// Reads an expression that crontab(5) allows.
    pub fn read(expression: &str) -> Self {
        let fields = match expression.trim_matches([' ', '\t']) {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            fields => fields,
        };
        let fields: Vec<Field> =
            fields.split_ascii_whitespace().zip(FIELDS).map(Field::read).collect();
        Self { fields: fields.try_into().unwrap() }
    }

    /// The expression.
    pub fn text(&self) -> String {
        self.fields.clone().map(|field| field.text).join(" ")
    }

    /// Whether the rule follows elapsed time.
    pub fn is_real_time(&self) -> bool {
        self.begins_with_star(0) || self.begins_with_star(1)
    }

    fn begins_with_star(&self, field: usize) -> bool {
        self.fields[field].text.starts_with('*')
    }

    /// Whether the rule names the minute that `wall` lies in.
    pub fn names(&self, wall: DateTime) -> bool {
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

    /// The instants after `after`, up to `end`, each with the latest wall-clock time that it
    /// stands for.
    pub fn watch(&self, zone: &str, after: i64, end: i64) -> Vec<Named> {
        let zone = offsets(zone);
        let minute = SignedDuration::from_mins(1);
        // Three days early, to know which wall-clock times were shown before.
        let mut now = after - after.rem_euclid(MINUTE) - 3 * DAY;
        let mut latest_shown = shown(&zone, now);
        let mut seen = Vec::new();
        while now + MINUTE <= end {
            now += MINUTE;
            let wall = shown(&zone, now);
            // Everything that the clock passed over since the latest time shown, and this time.
            let mut passed = Vec::new();
            let mut next = latest_shown.checked_add(minute).unwrap();
            while next <= wall {
                passed.push(next);
                next = next.checked_add(minute).unwrap();
            }
            latest_shown = latest_shown.max(wall);
            let named = if self.is_real_time() {
                Some(wall).filter(|wall| self.names(*wall))
            } else {
                passed.into_iter().rfind(|wall| self.names(*wall))
            };
            if let Some(wall) = named.filter(|_| now > after) {
                seen.push((now, wall));
            }
        }
        seen
    }
}

impl Field {
    fn read((text, (first, last, names)): (&str, (i8, i8, &[&str]))) -> Self {
        let value = |text: &str| {
            let name = names.iter().position(|name| name.eq_ignore_ascii_case(text));
            name.map_or_else(|| text.parse().unwrap(), |at| first + i8::try_from(at).unwrap())
        };
        let mut values = BTreeSet::new();
        for item in text.split(',') {
            let (range, step) = item.split_once('/').unwrap_or((item, "1"));
            let (from, to) = match range.split_once('-') {
                _ if range == "*" => (first, last),
                None => (value(range), value(range)),
                // A week that ends with SUN ends with 7.
                Some((from, to)) if to.eq_ignore_ascii_case("SUN") => (value(from), 7),
                Some((from, to)) => (value(from), value(to)),
            };
            let step = step.trim_start_matches('0').parse().unwrap_or(usize::MAX);
            values.extend((from..=to).step_by(step));
        }
        Self { text: text.to_owned(), values }
    }
}
