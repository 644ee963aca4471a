//! RRULEs, read back.

use horarium_core::recurrence::{Recurrence, Zone};
use horarium_core::words::time::Timestamp;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::reading::{hours, list, month, number, ordinal, times, weekday};

const WEEKDAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

fn key<T: ToString>(name: &str, values: &[T]) -> String {
    let values: Vec<String> = values.iter().map(T::to_string).collect();
    format!(";{name}={}", values.join(","))
}

fn ordinals(text: &str) -> Vec<i64> {
    let text = text.replace(" and ", ", ");
    let member = |part: &str| match part.split_once(" to ") {
        Some((nth, "last")) => vec![-ordinal(nth)],
        Some((first, last)) => (ordinal(first)..=ordinal(last)).collect(),
        None => vec![ordinal(part)],
    };
    text.split(", ").flat_map(member).collect()
}

/// `Monday, Tuesday and the 2nd to last Friday of the month`.
fn weekdays(text: &str) -> Vec<String> {
    let text = text.replace(" of the month", "").replace(" of the year", "");
    let code = |day: i64| WEEKDAYS[usize::try_from(day).unwrap()];
    let text = text.replace(" and ", ", ");
    let members = text.split(", ").flat_map(|part| {
        let nth = part.strip_prefix("the ").map(|rest| rest.rsplit_once(' ').unwrap());
        match (nth, part.split_once(" to ")) {
            (Some((nth, day)), _) => {
                let nth =
                    nth.strip_suffix(" to last").map_or_else(|| ordinal(nth), |n| -ordinal(n));
                vec![format!("{nth}{}", code(weekday(day)))]
            }
            (None, Some((first, last))) => {
                (weekday(first)..=weekday(last)).map(|day| code(day).to_owned()).collect()
            }
            (None, None) => vec![code(weekday(part)).to_owned()],
        }
    });
    members.collect()
}

/// The keys of one condition on a date.
fn condition(text: &str) -> String {
    if let Some(days) = text.strip_suffix(" day of the month") {
        key("BYMONTHDAY", &ordinals(days.strip_prefix("on the ").unwrap()))
    } else if let Some(days) = text.strip_suffix(" day of the year") {
        key("BYYEARDAY", &ordinals(days.strip_prefix("on the ").unwrap()))
    } else if let Some(weeks) = text.strip_suffix(" week of the year") {
        key("BYWEEKNO", &ordinals(weeks.strip_prefix("in the ").unwrap()))
    } else {
        key("BYDAY", &weekdays(text.strip_prefix("on ").unwrap_or_else(|| panic!("`{text}`"))))
    }
}

fn frequency(text: &str) -> String {
    let text = text.strip_prefix("every ").unwrap();
    let (interval, unit) = match text.split_once(' ') {
        Some((interval, unit)) if interval.parse::<u16>().is_ok() => (interval, unit),
        _ => ("1", text),
    };
    let unit = match unit.trim_end_matches(" of real time").trim_end_matches(" of weeks") {
        "minute" | "minutes" => "MINUTELY",
        "hour" | "hours" => "HOURLY",
        "day" | "days" => "DAILY",
        "week" | "weeks" => "WEEKLY",
        "month" | "months" => "MONTHLY",
        "year" | "years" => "YEARLY",
        other => panic!("`{other}` is no unit"),
    };
    format!("FREQ={unit};INTERVAL={interval}")
}

/// The words between commas that begin something new.
const STARTS: [&str; 15] = [
    ", only if also ",
    ", only ",
    ", of these the ",
    ", weeks beginning on ",
    ", from ",
    ", once in all",
    ", until ",
    ", also at ",
    ", but not at ",
    ", at second ",
    ", at minute",
    ", every ",
    " in each ",
    " times in all",
    " on, ",
];

/// The rule that the sentence says: the text of an RRULE and its DTSTART.
fn read(sentence: &str) -> (String, String) {
    let sentence = sentence.strip_suffix(", UTC time").unwrap();
    let (head, tail) = sentence.split_once(", from ").unwrap();
    let (start, tail) = tail.split_once(" on").unwrap();
    let mut text = rule(head);
    for part in tail.split(", ").filter(|part| !part.is_empty()) {
        let key = match (part.strip_suffix(" times in all"), part.strip_prefix("until ")) {
            (Some(count), _) => format!(";COUNT={count}"),
            (_, Some(until)) => format!(";UNTIL={}", until.replace(['-', ':'], "")),
            (None, None) if part == "once in all" => String::from(";COUNT=1"),
            (None, None) => panic!("`{part}`"),
        };
        text.push_str(&key);
    }
    (text, start.to_owned())
}

fn rule(head: &str) -> String {
    if head.contains("real time") {
        return real_time(head);
    }
    let (head, week_start) = match head.split_once(", weeks beginning on ") {
        Some((head, day)) => (head, weekdays(day)[0].clone()),
        None => (head, String::from("MO")),
    };
    let (head, positions) = match head.split_once(", of these the ") {
        Some((head, rest)) => {
            (head, key("BYSETPOS", &ordinals(rest.split_once(" in each ").unwrap().0)))
        }
        None => (head, String::new()),
    };
    let cut = [", every ", ", at minute", " at "].iter().find_map(|mark| head.rfind(mark)).unwrap();
    let (head, named_times) = head.split_at(cut);
    let named_times = times(named_times.trim_start_matches([',', ' ']));
    let (head, months) = match head.rsplit_once(" in ") {
        Some((head, months)) if !months.starts_with("the ") => {
            (head, key("BYMONTH", &list(months, month)))
        }
        _ => (head, String::new()),
    };
    let (unit, days) = match [" on ", " in the "].iter().filter_map(|mark| head.find(mark)).min() {
        Some(cut) => (&head[..cut], &head[cut + 1..]),
        None => (head, ""),
    };
    let days = days.split(", only if also ").filter(|days| !days.is_empty()).map(condition);
    let (mut in_hours, mut minutes): (Vec<i64>, Vec<i64>) = named_times.into_iter().unzip();
    for numbers in [&mut in_hours, &mut minutes] {
        numbers.sort_unstable();
        numbers.dedup();
    }
    let days: String = days.collect();
    format!(
        "{}{days}{months}{}{}{positions};WKST={week_start}",
        frequency(unit),
        key("BYHOUR", &in_hours),
        key("BYMINUTE", &minutes),
    )
}

fn real_time(head: &str) -> String {
    let mut parts = STARTS.iter().fold(head.to_owned(), |text, start| {
        text.replace(start, &format!("|{}", start.trim_start_matches(", ")))
    });
    parts.push('|');
    let mut parts = parts.split_terminator('|');
    let first = parts.next().unwrap();
    let mut text = match first.strip_prefix("at minute ") {
        Some(rest) => {
            let (minutes, every) = rest.split_once(" of every ").unwrap();
            let nth = every.strip_suffix("hour of real time").unwrap().trim();
            let interval = if nth.is_empty() { 1 } else { ordinal(nth) };
            format!("FREQ=HOURLY;INTERVAL={interval}{}", key("BYMINUTE", &list(minutes, number)))
        }
        None => frequency(first),
    };
    for part in parts {
        let condition_on_date = |part: &str| match part.strip_prefix("in ") {
            Some(months) if !months.starts_with("the ") => key("BYMONTH", &list(months, month)),
            _ => condition(part),
        };
        text += &match part.split_once(' ').unwrap() {
            ("only", hour) if hour.starts_with("in the hour") || hour.starts_with("in every") => {
                key("BYHOUR", &hours(hour.strip_prefix("in ").unwrap()))
            }
            ("only", minutes) if minutes.starts_with("at minute ") => {
                key("BYMINUTE", &list(minutes.strip_prefix("at minute ").unwrap(), number))
            }
            ("only", rest) => condition_on_date(rest),
            ("weeks", rest) => key("WKST", &weekdays(rest.strip_prefix("beginning on ").unwrap())),
            _ => panic!("`{part}`"),
        };
    }
    text
}

fn numbers(name: &'static str, pool: Vec<i16>) -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just(String::new()),
        2 => subsequence(pool, 1..=3).prop_map(move |values| key(name, &values)),
    ]
}

fn by_day() -> impl Strategy<Value = String> {
    let nth = select(vec!["", "", "", "1", "2", "-1", "-2"]);
    let day = (nth, select(WEEKDAYS.to_vec())).prop_map(|(nth, day)| format!("{nth}{day}"));
    prop_oneof![
        2 => Just(String::new()),
        2 => proptest::collection::vec(day, 1..=4).prop_map(|days| key("BYDAY", &days)),
    ]
}

fn written() -> impl Strategy<Value = String> {
    let frequency = select(vec!["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"]);
    let end = prop_oneof![
        Just(String::new()),
        (1_u32..40).prop_map(|count| format!(";COUNT={count}")),
        Just(String::from(";UNTIL=20280301T093000Z")),
    ];
    let dates = (
        numbers("BYMONTH", (1..=12).collect()),
        numbers("BYMONTHDAY", vec![1, 2, 3, 13, 29, 30, 31, -1, -2]),
        numbers("BYYEARDAY", vec![1, 60, 100, 365, -1]),
        numbers("BYWEEKNO", vec![1, 20, 53, -1]),
        by_day(),
    );
    let times = (
        numbers("BYHOUR", vec![0, 1, 2, 3, 9, 12, 23]),
        numbers("BYMINUTE", vec![0, 15, 30, 31, 32, 45]),
        numbers("BYSETPOS", vec![1, 2, -1]),
    );
    let week_start = select(vec!["", ";WKST=SU", ";WKST=TH"]);
    (frequency, 1_u16..=4, dates, times, week_start, end).prop_map(
        |(frequency, interval, (month, day, year_day, week, weekday), times, week_start, end)| {
            let (hour, minute, position) = times;
            // Few of the combinations are allowed, and few rules have all of them.
            format!(
                "FREQ={frequency};INTERVAL={interval}{month}{day}{}{}{weekday}{hour}{minute}\
                 {position}{week_start}{end}",
                if frequency == "YEARLY" { year_day } else { String::new() },
                if frequency == "YEARLY" { week } else { String::new() },
            )
        },
    )
}

fn first_instants(rule: &Recurrence) -> Vec<Timestamp> {
    rule.occasions_after(Timestamp::EPOCH).take(60).map(|occasion| occasion.at).collect()
}

proptest! {
    #[test]
    fn a_rule_read_back_from_its_words_fires_at_the_same_times(text in written()) {
        let rule = Recurrence::rrule(&text, "2026-01-30T09:30".parse().unwrap(), Zone::utc());
        let Ok(rule) = rule else { return Ok(()) };
        let words = rule.in_words();
        let (again, start) = read(&words);
        let again = Recurrence::rrule(&again, start.parse().unwrap(), Zone::utc());
        let again = again.map_err(|why| TestCaseError::fail(format!("{text}: {words}: {why}")))?;
        prop_assert_eq!(first_instants(&again), first_instants(&rule), "{}: {}", text, words);
    }
}
