//! Why a text is no RRULE.
//!
//! Promises: every refusal says where, what and what to write instead.

use super::local_time::LocalTime;
use super::parts::{Frequency, RruleKey};
use super::work::Work;
use crate::recurrence::Zone;
use crate::recurrence::piece::{Piece, pieces};

/// A refused rule text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {problem}")]
pub struct RruleError {
    /// The place of the byte at fault, from 1.
    pub column: usize,
    /// What is wrong there, and what to write.
    pub problem: RruleProblem,
}

/// What is wrong with a rule's text. In every variant `found` is the part at fault as typed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the message of each variant is its documentation
pub enum RruleProblem {
    #[error("the rule is empty: write it like `FREQ=MONTHLY;BYDAY=-1SU`")]
    Empty,
    #[error("the rule has {bytes} bytes, more than 1024: split it into several schedules")]
    TooLong { bytes: usize },
    #[error(
        "{character:?} is not allowed: write one rule on one line without blanks; DTSTART, RDATE \
         and EXDATE stand beside it, not in it"
    )]
    BadCharacter { character: char },
    #[error("`{found}` does not belong here: write the rule alone, from FREQ on")]
    Prefix { found: String },
    #[error("a part is empty: remove the semicolon or write KEY=VALUE")]
    EmptyPart,
    #[error("`{found}` is no part of a rule: write KEY=VALUE, like INTERVAL=2")]
    NoValue { found: String },
    #[error(
        "`{found}` is no key of a rule: write FREQ, INTERVAL, COUNT, UNTIL, BYMONTH, BYWEEKNO, \
         BYYEARDAY, BYMONTHDAY, BYDAY, BYHOUR, BYMINUTE, BYSECOND, BYSETPOS or WKST"
    )]
    UnknownKey { found: String },
    #[error("{key} is given a second time: write each key once, with a list of values")]
    SecondTime { key: RruleKey },
    #[error("the list of {key} has an empty item: remove the comma or add a value")]
    EmptyItem { key: RruleKey },
    #[error("FREQ is missing: begin with YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY or MINUTELY")]
    NoFrequency,
    #[error(
        "`{found}` is no frequency: write YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY or MINUTELY; \
         two weeks are `FREQ=WEEKLY;INTERVAL=2`"
    )]
    UnknownFrequency { found: String },
    #[error("SECONDLY is too often, one minute is the shortest interval: write FREQ=MINUTELY")]
    Secondly,
    #[error(
        "`{found}` cannot be {key}: write {}", numbers(*key)
    )]
    BadNumber { key: RruleKey, found: String },
    #[error(
        "`{found}` is no weekday: write MO, TU, WE, TH, FR, SA or SU{}",
        if *key == RruleKey::ByDay { ", with a number before it for the nth, like -1SU" } else { "" }
    )]
    BadWeekday { key: RruleKey, found: String },
    #[error("`{found}` is no UNTIL: write {remedy}")]
    BadUntil { found: String, remedy: String },
    #[error("COUNT and UNTIL exclude each other: keep one of them")]
    CountAndUntil,
    #[error("{key} does not go with {frequency}: write {remedy}")]
    NotWith { key: RruleKey, frequency: Frequency, remedy: &'static str },
    #[error("`{found}`: only a month or a year has an nth weekday; write {remedy}")]
    NthNotWith { found: String, remedy: &'static str },
    #[error("`{found}`: a month has a weekday at most five times; write 1 to 5 or -1 to -5")]
    NthBeyondMonth { found: String },
    #[error(
        "BYSETPOS chooses among what other BY parts name, and there is none: add BYDAY or another"
    )]
    NothingToChooseFrom,
    #[error("one minute is the shortest interval: write one BYSECOND, like BYSECOND=0")]
    SeveralSeconds,
}

/// The range of a key, as a sentence goes on.
fn numbers(key: RruleKey) -> String {
    let (range, from_end) = key.numbers();
    let (first, last) = (range.start(), range.end());
    let from_end =
        if from_end { format!(", or -{first} to -{last} from the end") } else { String::new() };
    format!("{first} to {last}{from_end}")
}

/// A rule that is well formed and yet has no instant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the RRULE `{rrule}` from {dtstart} can never fire in {zone}: no time within a hundred years of \
     its start matches all of its parts, or UNTIL and EXDATE leave none; drop one of them"
)]
pub struct RruleNeverFires {
    /// The rule's text, as typed.
    pub rrule: String,
    /// From when.
    pub dtstart: LocalTime,
    /// The zone.
    pub zone: Zone,
}

/// A rule whose instants cost too much to count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "column {column}: `{count}` costs too much: so few of the times that the rule passes match its \
     BY parts that counting them takes more than {} steps; write UNTIL instead, a smaller COUNT, or \
     a FREQ and INTERVAL that meet the BY parts more often",
    Work::MOST
)]
pub struct RruleTooCostly {
    /// The place of COUNT in the rule's text, from 1.
    pub column: usize,
    /// The part as typed.
    pub count: String,
}

impl RruleTooCostly {
    /// For the rule of that text, which has a COUNT.
    pub(super) fn of(text: &str) -> Self {
        let is_count = |piece: &Piece<'_>| {
            let key = piece.text.split('=').next().unwrap_or_default();
            RruleKey::named(key) == Some(RruleKey::Count)
        };
        let found = pieces(text, &[';'], 1).find(is_count);
        let Piece { text, column } = found.unwrap_or(Piece { text, column: 1 });
        Self { column, count: text.to_owned() }
    }
}

/// More dates than a rule may carry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{dates} RDATEs and EXDATEs are more than 1000: find a rule that says the same")]
pub struct TooManyDates {
    /// How many were given.
    pub dates: usize,
}

impl RruleProblem {
    /// This problem at that column.
    pub(super) fn at(self, column: usize) -> RruleError {
        RruleError { column, problem: self }
    }
}
