//! `horarium next --batch`: many questions, one JSON line each, one line of answer each.
//!
//! Promises: every line is answered, in order, whatever it holds; an answer is written as soon as
//! no further question is at hand, so that another program can ask and wait.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use horarium_core::recurrence::{LocalTime, Recurrence};
use horarium_core::words::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::failure::Failure;
use super::super::terminal::gone;
use super::{LARGEST_COUNT, now};
use crate::zone_data;

/// The longest line that is read, in bytes.
const LONGEST_LINE: u64 = 4 * 1024 * 1024;
/// How many instants are given when the question does not say.
const DEFAULT_COUNT: u32 = 5;

/// A question. `dtstart` belongs to RRULEs and is passed over for cron.
#[derive(Debug, Deserialize)]
struct Question {
    kind: String,
    expression: String,
    timezone: String,
    #[serde(default)]
    dtstart: Option<String>,
    #[serde(default)]
    after: Option<String>,
    #[serde(default)]
    count: Option<u32>,
}

/// An answer: `next`, perhaps with `exhausted`, or `error`.
#[derive(Debug, Serialize)]
struct Answer {
    id: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Vec<String>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    exhausted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Answers every line of the file.
pub(super) fn batch(file: &Path) -> Result<(), Failure> {
    if file == Path::new("-") {
        return answer_all(BufReader::new(io::stdin().lock()));
    }
    let opened = File::open(file).map_err(|error| {
        Failure::Usage(format!("--batch: {} cannot be read: {error}", file.display()))
    })?;
    answer_all(BufReader::new(opened))
}

fn answer_all<R: Read>(mut questions: BufReader<R>) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut line = Vec::new();
    while let Some(complete) = read_line(&mut questions, &mut line)? {
        let answer = if complete {
            answer(&line)
        } else {
            refused(Value::Null, format!("the line has more than {LONGEST_LINE} bytes"))
        };
        serde_json::to_writer(&mut out, &answer).map_err(|error| gone(error.into()))?;
        out.write_all(b"\n").map_err(gone)?;
        if questions.buffer().is_empty() {
            out.flush().map_err(gone)?;
        }
    }
    out.flush().map_err(gone)
}

/// Reads the next line; false when it is too long and was passed over.
fn read_line(questions: &mut impl BufRead, line: &mut Vec<u8>) -> Result<Option<bool>, Failure> {
    let unreadable = |error| Failure::Failed(format!("the questions cannot be read: {error}"));
    line.clear();
    let read = questions.by_ref().take(LONGEST_LINE).read_until(b'\n', line).map_err(unreadable)?;
    if read == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        return Ok(Some(true));
    }
    // The end of the file, or of what we take.
    let rest = questions.skip_until(b'\n').map_err(unreadable)?;
    Ok(Some(rest == 0))
}

fn answer(line: &[u8]) -> Answer {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return refused(Value::Null, format!("not a JSON object: {error}")),
    };
    if !value.is_object() {
        return refused(Value::Null, String::from("not a JSON object: write {…} on each line"));
    }
    let id = value.get("id").cloned().unwrap_or_default();
    match next(value) {
        Ok((next, exhausted)) => Answer { id, next: Some(next), exhausted, error: None },
        Err(error) => refused(id, error),
    }
}

fn refused(id: Value, error: String) -> Answer {
    Answer { id, next: None, exhausted: false, error: Some(error) }
}

fn next(question: Value) -> Result<(Vec<String>, bool), String> {
    let question: Question = serde_json::from_value(question).map_err(|error| {
        format!("{error}: a question has id, kind, expression, timezone, dtstart, after and count")
    })?;
    let count = question.count.unwrap_or(DEFAULT_COUNT);
    if !(1..=LARGEST_COUNT).contains(&count) {
        return Err(format!("count {count}: ask for 1 to {LARGEST_COUNT} instants"));
    }
    let zone = zone_data::zone(&question.timezone).map_err(|error| format!("timezone: {error}"))?;
    let recurrence = match question.kind.as_str() {
        "cron" => Recurrence::cron(&question.expression, zone),
        "rrule" => Recurrence::rrule(&question.expression, start(&question)?, zone),
        kind => return Err(format!("kind `{kind}` is not supported: write cron or rrule")),
    };
    let recurrence = recurrence.map_err(|error| error.to_string())?;
    let after = question.after.as_deref().map_or_else(|| Ok(now()), instant)?;
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let occasions = recurrence.occasions_after(after).take(count);
    let next: Vec<String> = occasions.map(|occasion| occasion.at.to_string()).collect();
    let exhausted = next.len() < count;
    Ok((next, exhausted))
}

/// The start of an RRULE.
fn start(question: &Question) -> Result<LocalTime, String> {
    let dtstart = question.dtstart.as_deref().ok_or_else(|| {
        String::from("dtstart: an RRULE needs its start, a local time like 20260101T090000")
    })?;
    dtstart.parse().map_err(|error| format!("dtstart: {error}"))
}

/// An instant. No schedule comes due before 1970, so an earlier question is the same as that one.
fn instant(text: &str) -> Result<Timestamp, String> {
    let is_earlier =
        text.parse::<jiff::Timestamp>().is_ok_and(|instant| instant < jiff::Timestamp::UNIX_EPOCH);
    if is_earlier {
        return Ok(Timestamp::EPOCH);
    }
    text.parse().map_err(|error| format!("after: {error}"))
}
