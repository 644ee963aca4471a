//! Reads lists of numbers, names and ordinals as the wording writes them.

pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub(crate) const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// The members of `a, b and c to f`, each read by `value`.
pub(crate) fn list(text: &str, value: impl Fn(&str) -> i64) -> Vec<i64> {
    let text = text.replace(" and ", ", ").replace(" or ", ", ");
    let members = text.split(", ").flat_map(|part| match part.split_once(" to ") {
        Some((first, "last")) => vec![-value(first)],
        Some((first, last)) => (value(first)..=value(last)).collect(),
        None => vec![value(part)],
    });
    members.collect()
}

pub(crate) fn number(text: &str) -> i64 {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is no number"))
}

pub(crate) fn ordinal(text: &str) -> i64 {
    match text {
        "last" => -1,
        text => number(text.trim_end_matches(|c: char| c.is_ascii_alphabetic())),
    }
}

/// January is 1.
pub(crate) fn month(text: &str) -> i64 {
    named(text, &MONTHS) + 1
}

/// Monday is 0.
pub(crate) fn weekday(text: &str) -> i64 {
    named(text, &WEEKDAYS)
}

fn named(text: &str, names: &[&str]) -> i64 {
    let place = names.iter().position(|name| *name == text);
    i64::try_from(place.unwrap_or_else(|| panic!("`{text}` is no name"))).unwrap()
}

/// Minutes and hours of `every 15 minutes`, `at 02:30 and 14:30`, `at minute 5 of every hour`.
pub(crate) fn times(text: &str) -> Vec<(i64, i64)> {
    let all = |minutes: &[i64], hours: &[i64]| {
        let of_hour =
            |hour: &i64| minutes.iter().map(|minute| (*hour, *minute)).collect::<Vec<_>>();
        hours.iter().flat_map(of_hour).collect::<Vec<_>>()
    };
    let every_minute: Vec<i64> = (0..60).collect();
    let every_hour: Vec<i64> = (0..24).collect();
    if text == "every minute" {
        all(&every_minute, &every_hour)
    } else if let Some(hours) = text.strip_prefix("every minute of ") {
        all(&every_minute, &self::hours(hours))
    } else if let Some(step) = text.strip_prefix("every ") {
        let step = usize::try_from(number(step.strip_suffix(" minutes").unwrap())).unwrap();
        all(&(0..60).step_by(step).collect::<Vec<i64>>(), &every_hour)
    } else if let Some(rest) = text.strip_prefix("at minute") {
        let (minutes, hours) = rest.trim_start_matches('s').trim().split_once(" of ").unwrap();
        all(&list(minutes, number), &self::hours(hours))
    } else {
        let times = text.strip_prefix("at ").unwrap_or_else(|| panic!("no times: `{text}`"));
        let minute_of_day = |time: &str| {
            let (hour, minute) = time.split_once(':').unwrap();
            number(hour) * 60 + number(minute)
        };
        list(times, minute_of_day).into_iter().map(|time| (time / 60, time % 60)).collect()
    }
}

pub(crate) fn hours(text: &str) -> Vec<i64> {
    if text == "every hour" {
        (0..24).collect()
    } else if let Some(rest) = text.strip_prefix("every ") {
        let (step, first) = rest.split_once(" hour from hour ").unwrap();
        (number(first)..24).step_by(usize::try_from(ordinal(step)).unwrap()).collect()
    } else if let Some(hour) = text.strip_prefix("the hour ") {
        vec![number(hour)]
    } else {
        list(text.strip_prefix("the hours ").unwrap(), number)
    }
}
