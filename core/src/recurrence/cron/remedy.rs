//! What to write instead of what other cron dialects allow.
//!
//! Promises: a rewritten expression is itself accepted, and an RRULE names the same days at the
//! same times; where nothing says exactly the same, the text says so.

use super::error::{CronError, CronProblem};
use super::expression::{CronField, Values};
use super::grammar;
use crate::recurrence::piece::Piece;
use crate::words::time::Span;

/// In microseconds.
const MINUTE: u64 = 60_000_000;
const WORKDAYS: &str = "MO,TU,WE,TH,FR";
/// More positions than these are no remedy that anybody wants to read.
const MOST_POSITIONS: usize = 31;
const RRULE_WEEKDAYS: [&str; 8] = ["SU", "MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const LONG_NAMES: [&str; 19] = [
    "SUNDAY",
    "MONDAY",
    "TUESDAY",
    "WEDNESDAY",
    "THURSDAY",
    "FRIDAY",
    "SATURDAY",
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];

/// For six fields or more: the five that were probably meant.
pub(super) fn without_extra_fields(fields: &[Piece<'_>]) -> String {
    let texts: Vec<&str> =
        fields.iter().map(|field| if field.text == "?" { "*" } else { field.text }).collect();
    let seconds = match texts[..] {
        [seconds, ref five @ ..] if grammar::accepts(five) => Some((seconds, five, "")),
        [seconds, ref five @ .., _] if grammar::accepts(five) && texts.len() == 7 => {
            Some((seconds, five, " and no year"))
        }
        _ => None,
    };
    // Zero seconds lose nothing; a sixth field of another dialect may count weekdays from 1.
    match seconds {
        Some((seconds, five, year)) => {
            let lost = if seconds.bytes().all(|byte| byte == b'0') {
                ""
            } else {
                " (one minute is the shortest interval)"
            };
            let weekday =
                if five.last().is_some_and(|days| days.bytes().any(|byte| byte.is_ascii_digit())) {
                    "; in it, Sunday is 0 or 7 and Monday is 1"
                } else {
                    ""
                };
            format!("there is no seconds field{year}; write `{}`{lost}{weekday}", five.join(" "))
        }
        None if texts.get(..5).is_some_and(grammar::accepts) => format!(
            "a year, a user or a command does not belong here; write `{}`",
            texts[..5].join(" ")
        ),
        None => "write minute, hour, day-of-month, month and day-of-week, `*` for any".to_owned(),
    }
}

/// For a nickname that crontab(5) does not have, or that names no time.
pub(super) fn nickname(text: &str) -> CronProblem {
    let found = text.to_owned();
    if text.eq_ignore_ascii_case("@reboot") {
        return CronProblem::Reboot;
    }
    if let Some(interval) = text.strip_prefix("@every") {
        let interval = interval.trim().parse::<Span>().map_or(0, Span::micros);
        let minutes = if interval % MINUTE == 0 { interval / MINUTE } else { 0 };
        let remedy = match minutes {
            0 => "`*/5 * * * *` or the RRULE `FREQ=MINUTELY;INTERVAL=5` (one minute is the \
                  shortest interval)"
                .to_owned(),
            1 => "`* * * * *`".to_owned(),
            60 => "`0 * * * *`".to_owned(),
            minutes if minutes < 60 && 60 % minutes == 0 => format!("`*/{minutes} * * * *`"),
            minutes if minutes % 60 == 0 => {
                format!("the RRULE `FREQ=HOURLY;INTERVAL={}`", minutes / 60)
            }
            minutes => format!("the RRULE `FREQ=MINUTELY;INTERVAL={minutes}`"),
        };
        return CronProblem::Every { found, remedy };
    }
    CronProblem::UnknownNickname { found }
}

/// For `?`, `H` and `~`, which other dialects allow in any field.
pub(super) fn foreign_sign(field: CronField, text: &str) -> Option<CronProblem> {
    let found = text.to_owned();
    let remedy = if text.contains('?') {
        "`*`".to_owned()
    } else if text.contains('~') || is_jenkins_hash(text) {
        match text.split_once('/') {
            Some((_, step)) => format!("`*/{step}`"),
            None => format!("a fixed number from {} to {}", field.first(), field.last()),
        }
    } else {
        return None;
    };
    Some(CronProblem::Foreign { field, found, remedy })
}

/// `H`, `H/15`, `H(0-29)`; but no other word that begins with the letter.
fn is_jenkins_hash(text: &str) -> bool {
    text.strip_prefix('H').is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

/// For `L`, `W` and `#` in a day field: the RRULE that says the same.
pub(super) fn day_extension(
    field: CronField,
    days: Piece<'_>,
    months: Option<&Values>,
    hours: &Values,
    minutes: &Values,
) -> Option<CronError> {
    let values = |values: &Values| {
        let mut values: Vec<u8> = values.iter().collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let list = |values: &[u8]| values.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    let (hours, minutes) = (values(hours), values(minutes));
    let mut column = days.column;
    for item in days.text.split(',') {
        let times = hours.len() * minutes.len();
        if let Some((by, note)) = rrule_days(field, &item.to_ascii_uppercase(), times) {
            let months = months
                .map(values)
                .filter(|months| months.len() < 12)
                .map_or_else(String::new, |months| format!("BYMONTH={};", list(&months)));
            let (hours, minutes) = (list(&hours), list(&minutes));
            let remedy = format!(
                "the RRULE `FREQ=MONTHLY;{months}{by};BYHOUR={hours};BYMINUTE={minutes}`{note}"
            );
            let found = item.to_owned();
            return Some(CronProblem::Foreign { field, found, remedy }.at(column));
        }
        column += item.len() + 1;
    }
    None
}

/// The `BYxxx` parts for one item in upper case, of a day with so many `times`, and what to say
/// where they are not exactly the same.
fn rrule_days(field: CronField, item: &str, times: usize) -> Option<(String, &'static str)> {
    let weekday = |text: &str| {
        let named = CronField::DayOfWeek.value_of(text);
        let value = named.or_else(|| text.parse().ok())?;
        RRULE_WEEKDAYS.get(usize::from(value)).copied()
    };
    let day = |text: &str| text.parse::<u8>().ok().filter(|day| (1..=31).contains(day));
    match field {
        CronField::DayOfMonth => {
            if item == "L" {
                return Some(("BYMONTHDAY=-1".to_owned(), ""));
            }
            if item == "LW" || item == "WL" {
                let (last, note) = positions("-", times);
                return Some((format!("BYDAY={WORKDAYS};BYSETPOS={last}"), note));
            }
            if let Some(before) = item.strip_prefix("L-").and_then(day) {
                return Some((format!("BYMONTHDAY=-{}", before + 1), ""));
            }
            match day(item.strip_suffix('W').or_else(|| item.strip_prefix('W'))?)? {
                1 => {
                    let (first, note) = positions("", times);
                    Some((format!("BYDAY={WORKDAYS};BYSETPOS={first}"), note))
                }
                // Neither language can look both ways from a date.
                day => {
                    let from: Vec<String> = (day..=31).take(3).map(|day| day.to_string()).collect();
                    let from = from.join(",");
                    let (first, _) = positions("", times);
                    Some((
                        format!("BYMONTHDAY={from};BYDAY={WORKDAYS};BYSETPOS={first}"),
                        " (the first working day of these dates; the nearest one cannot be said)",
                    ))
                }
            }
        }
        CronField::DayOfWeek => {
            if item == "L" {
                return Some((
                    "BYDAY=-1SA".to_owned(),
                    " for the last Saturday of the month, or `6` for every one",
                ));
            }
            if let Some((name, nth)) = item.split_once('#') {
                let nth = nth.parse::<u8>().ok().filter(|nth| (1..=5).contains(nth))?;
                return Some((format!("BYDAY={nth}{}", weekday(name)?), ""));
            }
            let last = weekday(item.strip_suffix('L')?)?;
            Some((format!("BYDAY=-1{last}"), ""))
        }
        CronField::Minute | CronField::Hour | CronField::Month => None,
    }
}

/// The positions of all times of the first day or, after a `-`, of the last, and what to say when
/// they are too many.
fn positions(sign: &str, times: usize) -> (String, &'static str) {
    if times > MOST_POSITIONS {
        return (
            format!("{sign}1"),
            " at one of these times; each other time is a rule of its own",
        );
    }
    let positions: Vec<String> = (1..=times).map(|place| format!("{sign}{place}")).collect();
    (positions.join(","), "")
}

/// For `5/15`: the range that begins there.
pub(super) fn step_on_value(field: CronField, found: &str, first: &str, value: u8) -> CronProblem {
    let step = found.split_once('/').map_or("", |(_, step)| step);
    let last = if field == CronField::DayOfWeek { 6 } else { field.last() };
    let remedy = if value >= last { first.to_owned() } else { format!("{first}-{last}/{step}") };
    CronProblem::StepWithoutRange { field, found: found.to_owned(), remedy }
}

/// For `22-2`: the two ranges that it wraps into; with a step, the values one by one.
pub(super) fn wrapping(
    field: CronField,
    (first_text, first): (&str, u8),
    (last_text, last): (&str, u8),
    step: Option<u8>,
) -> String {
    let names = field.names();
    let (lowest, highest) =
        (field.first(), if field == CronField::DayOfWeek { 6 } else { field.last() });
    if let Some(step) = step.filter(|step| *step > 1) {
        let around = (first..=highest).chain(lowest..=last).step_by(step.into());
        return around.map(|value| value.to_string()).collect::<Vec<_>>().join(",");
    }
    let named = |text: &str, value: u8, name: Option<&&str>| match name {
        Some(name) if !text.starts_with(|c: char| c.is_ascii_digit()) => (*name).to_owned(),
        Some(_) | None => value.to_string(),
    };
    let highest_text = named(first_text, highest, names.last());
    let lowest_text = named(last_text, lowest, names.first());
    let range = |from: &str, to: &str, single: bool| {
        if single { from.to_owned() } else { format!("{from}-{to}") }
    };
    format!(
        "{},{}",
        range(first_text, &highest_text, first >= highest),
        range(&lowest_text, last_text, last == lowest)
    )
}

/// For a word where a number or a short name belongs.
pub(super) fn word(field: CronField, text: &str) -> CronProblem {
    let upper = text.to_ascii_uppercase();
    let short = upper.get(..3).filter(|short| field.value_of(short).is_some());
    let home = [CronField::Month, CronField::DayOfWeek]
        .into_iter()
        .find(|home| *home != field && home.value_of(&upper).is_some());
    let remedy = match (short, home) {
        (Some(short), _) if LONG_NAMES.contains(&upper.as_str()) => format!("`{short}`"),
        (_, Some(home)) => {
            format!("{} to {}; `{text}` belongs into the {home} field", field.first(), field.last())
        }
        (_, None) => match (field.names().first(), field.names().last()) {
            (Some(first), Some(last)) => {
                format!("{} to {}, or {first} to {last}", field.first(), field.last())
            }
            (_, _) => format!("{} to {}", field.first(), field.last()),
        },
    };
    CronProblem::Word { field, found: text.to_owned(), remedy }
}
