//! The grammar of RFC 5545, section 3.3.10, as far as schedules need it, and nothing looser.
//!
//! Promises: what passes is one line of known keys, each once, each value in range and in a
//! combination that the RFC allows. What does not pass is refused with the column at fault.

use std::collections::BTreeMap;

use jiff::civil::{DateTime, Weekday};

use super::error::{RruleError, RruleProblem};
use super::parts::{End, Frequency, NthWeekday, Parts, RruleKey};
use crate::recurrence::piece::{Piece, pieces};
use crate::words::time::Timestamp;

/// The most bytes of a rule.
const MAX_BYTES: usize = 1_024;

/// In UTC.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("MO", Weekday::Monday),
    ("TU", Weekday::Tuesday),
    ("WE", Weekday::Wednesday),
    ("TH", Weekday::Thursday),
    ("FR", Weekday::Friday),
    ("SA", Weekday::Saturday),
    ("SU", Weekday::Sunday),
];

/// The value of each key that is given.
type Given<'a> = BTreeMap<RruleKey, Piece<'a>>;

/// Reads a whole rule.
pub(super) fn parse(text: &str) -> Result<Parts, RruleError> {
    let given = given(text)?;
    let number = |key| given.get(&key).map(|value| parse_number(key, *value)).transpose();
    let list = |key| given.get(&key).map_or_else(|| Ok(Vec::new()), |list| numbers(key, *list));
    let parts = Parts {
        frequency: frequency(&given)?,
        interval: number(RruleKey::Interval)?.and_then(|n| u16::try_from(n).ok()).unwrap_or(1),
        end: end(&given)?,
        second: match list(RruleKey::BySecond)?[..] {
            [] => None,
            [second] => Some(second),
            [..] => return Err(RruleProblem::SeveralSeconds.at(column(&given, RruleKey::BySecond))),
        },
        minutes: list(RruleKey::ByMinute)?,
        hours: list(RruleKey::ByHour)?,
        weekdays: given.get(&RruleKey::ByDay).map_or_else(|| Ok(Vec::new()), |w| weekdays(*w))?,
        month_days: list(RruleKey::ByMonthDay)?,
        year_days: list(RruleKey::ByYearDay)?,
        weeks: list(RruleKey::ByWeekNo)?,
        months: list(RruleKey::ByMonth)?,
        positions: list(RruleKey::BySetPos)?,
        week_start: match given.get(&RruleKey::Wkst) {
            None => Weekday::Monday,
            Some(value) => weekday(value.text)
                .ok_or_else(|| bad_weekday(RruleKey::Wkst, *value).at(value.column))?,
        },
    };
    check_keys(&parts, &given)?;
    check_nth(&parts, &given)?;
    Ok(parts)
}

/// Takes the text apart into keys and values.
fn given(text: &str) -> Result<Given<'_>, RruleError> {
    if text.is_empty() {
        return Err(RruleProblem::Empty.at(1));
    }
    if text.len() > MAX_BYTES {
        return Err(RruleProblem::TooLong { bytes: text.len() }.at(MAX_BYTES + 1));
    }
    if let Some((at, character)) = text.char_indices().find(|(_, c)| !c.is_ascii_graphic()) {
        return Err(RruleProblem::BadCharacter { character }.at(at + 1));
    }
    let mut given = Given::new();
    for part in pieces(text, &[';'], 1) {
        let found = || part.text.to_owned();
        let Some((name, value)) = part.text.split_once('=') else {
            let problem = if part.text.is_empty() {
                RruleProblem::EmptyPart
            } else {
                RruleProblem::NoValue { found: found() }
            };
            return Err(problem.at(part.column));
        };
        if let Some((prefix, _)) = name.split_once(':') {
            let found = format!("{prefix}:");
            return Err(RruleProblem::Prefix { found }.at(part.column));
        }
        let key = RruleKey::named(name)
            .ok_or_else(|| RruleProblem::UnknownKey { found: name.to_owned() }.at(part.column))?;
        let value = Piece { text: value, column: part.column + name.len() + 1 };
        if given.insert(key, value).is_some() {
            return Err(RruleProblem::SecondTime { key }.at(part.column));
        }
    }
    Ok(given)
}

fn frequency(given: &Given<'_>) -> Result<Frequency, RruleError> {
    let value = given.get(&RruleKey::Freq).ok_or_else(|| RruleProblem::NoFrequency.at(1))?;
    match value.text.to_ascii_uppercase().as_str() {
        "YEARLY" => Ok(Frequency::Yearly),
        "MONTHLY" => Ok(Frequency::Monthly),
        "WEEKLY" => Ok(Frequency::Weekly),
        "DAILY" => Ok(Frequency::Daily),
        "HOURLY" => Ok(Frequency::Hourly),
        "MINUTELY" => Ok(Frequency::Minutely),
        "SECONDLY" => Err(RruleProblem::Secondly.at(value.column)),
        _ => {
            let found = value.text.to_owned();
            Err(RruleProblem::UnknownFrequency { found }.at(value.column))
        }
    }
}

fn end(given: &Given<'_>) -> Result<End, RruleError> {
    match (given.get(&RruleKey::Count), given.get(&RruleKey::Until)) {
        (None, None) => Ok(End::Never),
        (Some(count), Some(until)) => {
            Err(RruleProblem::CountAndUntil.at(count.column.max(until.column)))
        }
        (Some(count), None) => {
            parse_number(RruleKey::Count, *count).map(|number| End::Count(number.unsigned_abs()))
        }
        (None, Some(until)) => parse_until(*until),
    }
}

/// `20261231T225900Z`. RFC 5545 wants UTC as soon as DTSTART has a zone.
fn parse_until(until: Piece<'_>) -> Result<End, RruleError> {
    let text = until.text.to_ascii_uppercase();
    let has_shape = |shape: &str| {
        text.len() == shape.len()
            && text.bytes().zip(shape.bytes()).all(|(byte, shape)| match shape {
                b'd' => byte.is_ascii_digit(),
                mark => byte == mark,
            })
    };
    let refused = |remedy: String| {
        RruleProblem::BadUntil { found: until.text.to_owned(), remedy }.at(until.column)
    };
    if has_shape("dddddddd") {
        return Err(refused(format!(
            "the instant in UTC at which {text} ends in the zone of DTSTART: `{text}T235959Z` is \
             that only in UTC"
        )));
    }
    if has_shape("ddddddddTdddddd") {
        return Err(refused(
            "the same instant in UTC, with a Z at its end; this one is local".to_owned(),
        ));
    }
    let instant = has_shape("ddddddddTddddddZ").then(|| {
        let number = |range| text.get(range).and_then(|digits: &str| digits.parse::<i16>().ok());
        let small = |range| number(range).and_then(|number| i8::try_from(number).ok());
        let civil = DateTime::new(
            number(0..4)?,
            small(4..6)?,
            small(6..8)?,
            small(9..11)?,
            small(11..13)?,
            small(13..15)?,
            0,
        );
        let since_epoch = civil.ok()?.duration_since(EPOCH).as_micros();
        // The last day of the calendar has no instants any more.
        let micros = i64::try_from(since_epoch).ok()?.min(Timestamp::MAX.micros());
        Timestamp::from_micros(micros).ok()
    });
    instant.flatten().map(End::Until).ok_or_else(|| {
        refused(
            "a real instant in UTC of the years 1970 to 9999, like `20271231T235959Z`".to_owned(),
        )
    })
}

fn numbers(key: RruleKey, list: Piece<'_>) -> Result<Vec<i16>, RruleError> {
    let mut numbers = items(key, list, |item| {
        let number = parse_number(key, item)?;
        // No list takes more than three digits.
        Ok(i16::try_from(number).unwrap_or(i16::MAX))
    })?;
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

fn weekdays(list: Piece<'_>) -> Result<Vec<NthWeekday>, RruleError> {
    items(RruleKey::ByDay, list, |item| {
        let bad = || bad_weekday(RruleKey::ByDay, item).at(item.column);
        let at = item.text.len().checked_sub(2).ok_or_else(bad)?;
        let (nth, name) = item.text.split_at(at); // all is ASCII
        let weekday = weekday(name).ok_or_else(bad)?;
        if nth.is_empty() {
            return Ok(NthWeekday { nth: None, weekday });
        }
        let nth = parse_number(RruleKey::ByDay, Piece { text: nth, column: item.column })?;
        Ok(NthWeekday { nth: i16::try_from(nth).ok(), weekday })
    })
}

fn items<T>(
    key: RruleKey,
    list: Piece<'_>,
    parse: impl Fn(Piece<'_>) -> Result<T, RruleError>,
) -> Result<Vec<T>, RruleError> {
    let items = pieces(list.text, &[','], list.column).map(|item| {
        if item.text.is_empty() {
            Err(RruleProblem::EmptyItem { key }.at(item.column))
        } else {
            parse(item)
        }
    });
    items.collect()
}

/// A number in the range of its key, with a sign where the RFC has one.
fn parse_number(key: RruleKey, value: Piece<'_>) -> Result<i32, RruleError> {
    let (range, from_end) = key.numbers();
    let (is_negative, digits) = match value.text.as_bytes().first() {
        Some(b'-') if from_end => (true, &value.text[1..]),
        Some(b'+') if from_end => (false, &value.text[1..]),
        Some(_) | None => (false, value.text),
    };
    let is_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let magnitude = digits.parse::<u32>().ok().filter(|n| is_digits && range.contains(n));
    magnitude
        .and_then(|magnitude| i32::try_from(magnitude).ok())
        .map(|magnitude| if is_negative { -magnitude } else { magnitude })
        .ok_or_else(|| {
            RruleProblem::BadNumber { key, found: value.text.to_owned() }.at(value.column)
        })
}

fn weekday(name: &str) -> Option<Weekday> {
    WEEKDAYS.iter().find_map(|(known, day)| known.eq_ignore_ascii_case(name).then_some(*day))
}

fn bad_weekday(key: RruleKey, value: Piece<'_>) -> RruleProblem {
    RruleProblem::BadWeekday { key, found: value.text.to_owned() }
}

/// Where the value of `key` stands.
fn column(given: &Given<'_>, key: RruleKey) -> usize {
    given.get(&key).map_or(1, |value| value.column)
}

/// The table of RFC 5545 that says which BY parts go with which frequency.
fn check_keys(parts: &Parts, given: &Given<'_>) -> Result<(), RruleError> {
    use Frequency::{Daily, Hourly, Minutely, Monthly, Weekly, Yearly};
    for key in given.keys().copied() {
        let remedy = match (key, parts.frequency) {
            (RruleKey::ByWeekNo, Monthly | Weekly | Daily | Hourly | Minutely) => {
                "FREQ=YEARLY, or the months of these weeks in BYMONTH"
            }
            (RruleKey::ByYearDay, Monthly | Weekly | Daily) => "FREQ=YEARLY, or BYMONTHDAY",
            (RruleKey::ByMonthDay, Weekly) => "FREQ=MONTHLY, or BYDAY",
            (
                RruleKey::Freq
                | RruleKey::Interval
                | RruleKey::Count
                | RruleKey::Until
                | RruleKey::BySecond
                | RruleKey::ByMinute
                | RruleKey::ByHour
                | RruleKey::ByDay
                | RruleKey::ByMonthDay
                | RruleKey::ByYearDay
                | RruleKey::ByWeekNo
                | RruleKey::ByMonth
                | RruleKey::BySetPos
                | RruleKey::Wkst,
                Yearly | Monthly | Weekly | Daily | Hourly | Minutely,
            ) => continue,
        };
        let problem = RruleProblem::NotWith { key, frequency: parts.frequency, remedy };
        return Err(problem.at(column(given, key)));
    }
    let chooses_from = |key: &RruleKey| match key {
        RruleKey::BySecond
        | RruleKey::ByMinute
        | RruleKey::ByHour
        | RruleKey::ByDay
        | RruleKey::ByMonthDay
        | RruleKey::ByYearDay
        | RruleKey::ByWeekNo
        | RruleKey::ByMonth => true,
        RruleKey::Freq
        | RruleKey::Interval
        | RruleKey::Count
        | RruleKey::Until
        | RruleKey::BySetPos
        | RruleKey::Wkst => false,
    };
    if given.contains_key(&RruleKey::BySetPos) && !given.keys().any(chooses_from) {
        return Err(RruleProblem::NothingToChooseFrom.at(column(given, RruleKey::BySetPos)));
    }
    Ok(())
}

/// An nth weekday needs a month or a year to be counted in.
fn check_nth(parts: &Parts, given: &Given<'_>) -> Result<(), RruleError> {
    let Some(list) = given.get(&RruleKey::ByDay) else { return Ok(()) };
    for item in pieces(list.text, &[','], list.column) {
        let found = || item.text.to_owned();
        let [nth] = weekdays(item)?[..] else { continue };
        let Some(nth) = nth.nth else { continue };
        let in_a_month = match parts.frequency {
            Frequency::Monthly => true,
            Frequency::Yearly if parts.weeks.is_empty() => !parts.months.is_empty(),
            Frequency::Yearly => {
                let remedy = "the weekday alone, BYWEEKNO says which";
                return Err(RruleProblem::NthNotWith { found: found(), remedy }.at(item.column));
            }
            Frequency::Weekly | Frequency::Daily | Frequency::Hourly | Frequency::Minutely => {
                let remedy = "the weekday alone, or FREQ=MONTHLY";
                return Err(RruleProblem::NthNotWith { found: found(), remedy }.at(item.column));
            }
        };
        if in_a_month && nth.abs() > 5 {
            return Err(RruleProblem::NthBeyondMonth { found: found() }.at(item.column));
        }
    }
    Ok(())
}
