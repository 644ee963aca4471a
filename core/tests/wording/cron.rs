//! Cron expressions, read back.

use horarium_core::recurrence::{Recurrence, Zone};
use horarium_core::words::time::Timestamp;
use jiff::civil::Date;
use proptest::prelude::*;

use crate::reading::{list, month, ordinal, times, weekday};

/// Days on which the sentence says that it runs.
struct Days {
    dates: Option<Vec<i64>>,
    weekdays: Option<Vec<i64>>,
    months: Option<Vec<i64>>,
    either: bool,
}

impl Days {
    fn read(text: &str) -> Self {
        let (text, either) = match text.strip_suffix(" (either is enough)") {
            Some(text) => (text, true),
            None => (text.strip_suffix(" (both must hold)").unwrap_or(text), false),
        };
        let (text, months) = match text.rsplit_once(" in ") {
            Some((text, months)) => (text, Some(list(months, month))),
            None => (text, None),
        };
        let days = |dates: Option<&str>, weekdays: Option<&str>| Self {
            dates: dates.map(|dates| list(dates, ordinal)),
            weekdays: weekdays.map(|weekdays| list(weekdays, weekday)),
            months: months.clone(),
            either,
        };
        if text.is_empty() || text == "every day" {
            days(None, None)
        } else if let Some(rest) = text.strip_prefix("on those of the ") {
            let (dates, weekdays) = rest.split_once(" of the month that are ").unwrap();
            days(Some(dates), Some(weekdays))
        } else if let Some((dates, weekdays)) = text.split_once(" of the month or on ") {
            days(dates.strip_prefix("on the "), Some(weekdays))
        } else if let Some(dates) = text.strip_suffix(" of the month") {
            days(Some(dates.strip_prefix("on the ").unwrap()), None)
        } else {
            days(None, Some(text.strip_prefix("on ").unwrap_or_else(|| panic!("`{text}`"))))
        }
    }

    fn hold(&self, date: Date) -> bool {
        let has = |list: &Option<Vec<i64>>, value: i8| {
            list.as_ref().is_none_or(|list| list.contains(&value.into()))
        };
        let (by_date, by_weekday) = (
            has(&self.dates, date.day()),
            has(&self.weekdays, date.weekday().to_monday_zero_offset()),
        );
        let by_day = if self.either { by_date || by_weekday } else { by_date && by_weekday };
        by_day && has(&self.months, date.month())
    }
}

/// The first instants that the sentence claims from the start of 2027 on.
fn claimed(sentence: &str, count: usize) -> Vec<String> {
    let sentence = sentence.strip_suffix(", UTC time").unwrap();
    let cut = [" on ", " every day"].iter().filter_map(|mark| sentence.find(mark)).min();
    let (named_times, days) = sentence.split_at(cut.unwrap_or(sentence.len()));
    let (times, days) = (times(named_times), Days::read(days.trim_start()));
    let start = jiff::civil::date(2027, 1, 1);
    let dates = std::iter::successors(Some(start), |date| date.tomorrow().ok()).take(366 * 400);
    let instants = dates.filter(|date| days.hold(*date)).flat_map(|date| {
        times.iter().map(move |(hour, minute)| format!("{date}T{hour:02}:{minute:02}"))
    });
    instants.take(count).collect()
}

fn actual(rule: &Recurrence, count: usize) -> Vec<String> {
    let before: Timestamp = "2026-12-31T23:59:59Z".parse().unwrap();
    rule.occasions_after(before).take(count).map(|occasion| occasion.wall.to_string()).collect()
}

fn field(first: u8, last: u8) -> impl Strategy<Value = String> {
    let value = move || first..=last;
    let item = prop_oneof![
        4 => Just(String::from("*")),
        4 => value().prop_map(|value| value.to_string()),
        2 => (1_u8..=last + 3).prop_map(|step| format!("*/{step}")),
        2 => (value(), value()).prop_map(|(one, other)| format!("{}-{}", one.min(other), one.max(other))),
        1 => (value(), value(), 1_u8..=9).prop_map(|(one, other, step)| {
            format!("{}-{}/{step}", one.min(other), one.max(other))
        }),
    ];
    proptest::collection::vec(item, 1..=3)
        .prop_map(|items| if items[0] == "*" { items[0].clone() } else { items.join(",") })
}

proptest! {
    #[test]
    fn an_expression_read_back_from_its_words_fires_at_the_same_times(
        minute in field(0, 59),
        hour in field(0, 23),
        day in field(1, 31),
        month in field(1, 12),
        weekday in field(0, 7),
    ) {
        let text = format!("{minute} {hour} {day} {month} {weekday}");
        let Ok(rule) = Recurrence::cron(&text, Zone::utc()) else { return Ok(()) };
        let words = rule.in_words();
        prop_assert_eq!(claimed(&words, 150), actual(&rule, 150), "`{}`: {}", text, words);
    }
}
