//! The grammar of crontab(5), and nothing looser.
//!
//! Promises: what passes is five fields of `*`, numbers, names, ranges and steps, in range, none
//! empty, none reversed, and names a date of some year. What does not pass is refused with the
//! column at fault.

use super::error::{CronError, CronProblem};
use super::expression::{CronField, Expression, Item, Values};
use super::remedy;
use crate::recurrence::piece::{Piece, pieces};

/// The most bytes of an expression.
const MAX_BYTES: usize = 256;

/// The nicknames of crontab(5) and what they stand for.
const NICKNAMES: [(&str, &str); 7] = [
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

/// Reads a whole expression.
pub(super) fn parse(text: &str) -> Result<Expression, CronError> {
    if text.len() > MAX_BYTES {
        return Err(CronProblem::TooLong { bytes: text.len() }.at(MAX_BYTES + 1));
    }
    let allowed = |c: char| c.is_ascii_graphic() || c == ' ' || c == '\t';
    if let Some((at, character)) = text.char_indices().find(|(_, c)| !allowed(*c)) {
        return Err(CronProblem::BadCharacter { character }.at(at + 1));
    }
    let fields = pieces(text, &[' ', '\t'], 1).filter(|piece| !piece.text.is_empty());
    let fields: Vec<Piece<'_>> = fields.collect();
    let Some(first) = fields.first() else {
        return Err(CronProblem::Empty.at(1));
    };
    if first.text.starts_with('@') {
        return parse_nickname(text.trim(), *first);
    }
    if first.text.contains('=') {
        return Err(CronProblem::ZonePrefix { found: first.text.to_owned() }.at(first.column));
    }
    match fields[..] {
        [minute, hour, day_of_month, month, day_of_week] => {
            parse_fields([minute, hour, day_of_month, month, day_of_week])
        }
        [_, _, _, _, _, sixth, ..] => Err(CronProblem::TooManyFields {
            count: fields.len(),
            remedy: remedy::without_extra_fields(&fields),
        }
        .at(sixth.column)),
        _ => Err(CronProblem::TooFewFields { count: fields.len() }.at(text.len() + 1)),
    }
}

/// Whether exactly these five fields are an expression.
pub(super) fn accepts(fields: &[&str]) -> bool {
    fields.len() == 5 && parse(&fields.join(" ")).is_ok()
}

fn parse_nickname(text: &str, first: Piece<'_>) -> Result<Expression, CronError> {
    match NICKNAMES.iter().find(|(nickname, _)| *nickname == text) {
        Some((_, fields)) => parse(fields),
        None => Err(remedy::nickname(text).at(first.column)),
    }
}

fn parse_fields(fields: [Piece<'_>; 5]) -> Result<Expression, CronError> {
    let [minute, hour, day_of_month, month, day_of_week] = fields;
    let day_of_month_column = day_of_month.column;
    let minute = parse_values(CronField::Minute, minute)?;
    let hour = parse_values(CronField::Hour, hour)?;
    // What crontab(5) cannot say of a day, RRULE says at the same times in the same months.
    for (field, days) in
        [(CronField::DayOfMonth, day_of_month), (CronField::DayOfWeek, day_of_week)]
    {
        let months = parse_values(CronField::Month, month).ok();
        if let Some(error) = remedy::day_extension(field, days, months.as_ref(), &hour, &minute) {
            return Err(error);
        }
    }
    let expression = Expression {
        minute,
        hour,
        day_of_month: parse_values(CronField::DayOfMonth, day_of_month)?,
        month: parse_values(CronField::Month, month)?,
        day_of_week: parse_values(CronField::DayOfWeek, day_of_week)?,
    };
    match expression.impossible_day() {
        None => Ok(expression),
        Some(day) => Err(CronProblem::NeverFires { day }.at(day_of_month_column)),
    }
}

fn parse_values(field: CronField, piece: Piece<'_>) -> Result<Values, CronError> {
    let items = pieces(piece.text, &[','], piece.column).map(|item| parse_item(field, item));
    Ok(Values {
        items: items.collect::<Result<_, _>>()?,
        begins_with_star: piece.text.starts_with('*'),
    })
}

fn parse_item(field: CronField, item: Piece<'_>) -> Result<Item, CronError> {
    if item.text.is_empty() {
        return Err(CronProblem::EmptyItem { field }.at(item.column));
    }
    if let Some(problem) = remedy::foreign_sign(field, item.text) {
        return Err(problem.at(item.column));
    }
    let mut halves = pieces(item.text, &['/'], item.column);
    let range = halves.next().unwrap_or(item);
    let step = match (halves.next(), halves.next()) {
        (None, _) => None,
        (Some(step), None) => Some(parse_step(field, item, step)?),
        (Some(_), Some(second)) => {
            return Err(CronProblem::SecondStep { field }.at(second.column - 1));
        }
    };
    let whole = |first, last| Item { first, last, step: step.unwrap_or(1) };
    if range.text == "*" {
        return Ok(whole(field.first(), field.last()));
    }
    if let Some(at) = range.text.find('*') {
        let found = item.text.to_owned();
        return Err(CronProblem::StarInside { field, found }.at(range.column + at));
    }
    parse_range(field, item, range, step)
}

/// `range` is the part of `item` before its `/step`.
fn parse_range(
    field: CronField,
    item: Piece<'_>,
    range: Piece<'_>,
    step: Option<u8>,
) -> Result<Item, CronError> {
    let mut bounds = pieces(range.text, &['-'], range.column);
    let first = bounds.next().unwrap_or(range);
    match (bounds.next(), bounds.next()) {
        (None, _) if first.text.is_empty() => {
            let remedy = format!("*{}", item.text);
            Err(CronProblem::StepWithoutRange { field, found: item.text.to_owned(), remedy }
                .at(item.column))
        }
        (None, _) => {
            let value = parse_value(field, first)?;
            match step {
                None => Ok(Item { first: value, last: value, step: 1 }),
                Some(_) => {
                    Err(remedy::step_on_value(field, item.text, first.text, value).at(item.column))
                }
            }
        }
        (Some(last), None) => {
            if first.text.is_empty() || last.text.is_empty() {
                let found = range.text.to_owned();
                return Err(CronProblem::OpenRange { field, found }.at(range.column));
            }
            let (from, to) = (parse_value(field, first)?, parse_value(field, last)?);
            // Sunday ends the week as 7 and begins it as 0.
            let named_sunday =
                field == CronField::DayOfWeek && field.value_of(last.text) == Some(0);
            let to = if named_sunday { 7 } else { to };
            if from > to {
                let remedy = remedy::wrapping(field, (first.text, from), (last.text, to), step);
                let found = item.text.to_owned();
                return Err(CronProblem::ReversedRange { field, found, remedy }.at(item.column));
            }
            Ok(Item { first: from, last: to, step: step.unwrap_or(1) })
        }
        (Some(_), Some(second)) => {
            let found = range.text.to_owned();
            Err(CronProblem::DoubleRange { field, found }.at(second.column - 1))
        }
    }
}

fn parse_step(field: CronField, item: Piece<'_>, step: Piece<'_>) -> Result<u8, CronError> {
    let number = step.text.parse::<u16>().ok().filter(|_| is_number(step.text));
    match number {
        Some(0) => Err(CronProblem::ZeroStep { field }.at(step.column)),
        // No field has more than 60 values, so a longer step leaves the first one only.
        Some(number) => Ok(u8::try_from(number.min(60)).unwrap_or(60)),
        None => Err(CronProblem::BadStep { field, found: item.text.to_owned() }.at(step.column)),
    }
}

fn parse_value(field: CronField, value: Piece<'_>) -> Result<u8, CronError> {
    let found = || value.text.to_owned();
    if is_number(value.text) {
        let number = value.text.parse::<u8>().ok();
        return number
            .filter(|number| (field.first()..=field.last()).contains(number))
            .ok_or_else(|| CronProblem::OutOfRange { field, found: found() }.at(value.column));
    }
    field.value_of(value.text).ok_or_else(|| remedy::word(field, value.text).at(value.column))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
