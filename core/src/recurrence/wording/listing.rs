//! Lists of numbers, weekdays and months, as a person would write them.
//!
//! Promise: a list names exactly its members, in order; three or more in a row are `first to last`.

use std::fmt::Display;

use jiff::civil::Weekday;

pub(in crate::recurrence) const MONTHS: [&str; 12] = [
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
/// As a week that begins on Monday has them.
const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// `1, 3 and 5 to 9`; members of `numbers` are in order, each once.
pub(in crate::recurrence) fn numbers<T: Into<i64> + Copy, D: Display>(
    numbers: &[T],
    show: impl Fn(i64) -> D,
) -> String {
    let numbers: Vec<i64> = numbers.iter().map(|number| (*number).into()).collect();
    let rows = numbers.chunk_by(|one, next| one + 1 == *next);
    let parts = rows.flat_map(|row| match row {
        [first, _, .., last] => vec![format!("{} to {}", show(*first), show(*last))],
        few => few.iter().map(|number| show(*number).to_string()).collect(),
    });
    and(&parts.collect::<Vec<_>>())
}

/// `a, b and c`.
pub(in crate::recurrence) fn and(parts: &[String]) -> String {
    joined(parts, "and")
}

/// `a, b or c`.
pub(in crate::recurrence) fn or(parts: &[String]) -> String {
    joined(parts, "or")
}

fn joined(parts: &[String], word: &str) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [all @ .., last] => format!("{} {word} {last}", all.join(", ")),
    }
}

/// `1st`, `22nd`, `last`, `3rd to last`.
pub(in crate::recurrence) fn ordinal(number: i64) -> String {
    match number {
        -1 => String::from("last"),
        ..-1 => format!("{} to last", ordinal(-number)),
        0.. => {
            let ending = match (number % 10, number % 100) {
                (_, 11..=13) => "th",
                (1, _) => "st",
                (2, _) => "nd",
                (3, _) => "rd",
                _ => "th",
            };
            format!("{number}{ending}")
        }
    }
}

/// `1st, 3rd and last`; those that count from the end come last.
pub(in crate::recurrence) fn ordinals<T: Into<i64> + Copy>(numbers: &[T]) -> String {
    let (behind, ahead): (Vec<i64>, Vec<i64>) =
        numbers.iter().map(|number| (*number).into()).partition(|number: &i64| *number < 0);
    let ahead = ahead.chunk_by(|one, next| one + 1 == *next).flat_map(|row| match row {
        [first, _, .., last] => vec![format!("{} to {}", ordinal(*first), ordinal(*last))],
        few => few.iter().copied().map(ordinal).collect(),
    });
    and(&ahead.chain(behind.into_iter().map(ordinal)).collect::<Vec<_>>())
}

/// The name of a month from 1 to 12.
pub(in crate::recurrence) fn month(number: i64) -> &'static str {
    usize::try_from(number - 1).ok().and_then(|index| MONTHS.get(index)).unwrap_or(&"no month")
}

/// The name of the weekday `number` days after a Monday.
pub(in crate::recurrence) fn weekday(number: i64) -> &'static str {
    usize::try_from(number).ok().and_then(|index| WEEKDAYS.get(index)).unwrap_or(&"no weekday")
}

/// The name of a weekday.
pub(in crate::recurrence) fn name(weekday: Weekday) -> &'static str {
    self::weekday(weekday.to_monday_zero_offset().into())
}

/// The distance between neighbours, when it is the same all around a circle of `size` and there
/// are at least two.
pub(in crate::recurrence) fn even_step(numbers: &[i64], size: i64) -> Option<i64> {
    let step = match numbers {
        [first, second, ..] => second - first,
        _ => return None,
    };
    let is_even = numbers.windows(2).all(|pair| matches!(pair, [one, next] if next - one == step));
    let around = numbers.first()? + size - numbers.last()?;
    (is_even && around == step).then_some(step)
}
