//! Why a text is no cron expression.
//!
//! Promises: every refusal says where, what and what to write instead.

use super::expression::CronField;

/// A refused expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {problem}")]
pub struct CronError {
    /// The place of the byte at fault, from 1.
    pub column: usize,
    /// What is wrong there, and what to write.
    pub problem: CronProblem,
}

/// What is wrong with an expression. In every variant `found` is the part at fault as typed and
/// `remedy` what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the message of each variant is its documentation
pub enum CronProblem {
    #[error(
        "the expression is empty: write minute, hour, day-of-month, month and day-of-week, \
         like `30 2 * * *`"
    )]
    Empty,
    #[error("the expression has {bytes} bytes, more than 256: shorten it with ranges and steps")]
    TooLong { bytes: usize },
    #[error(
        "{character:?} is not allowed: write printable ASCII, and blanks or tabs between the fields, on one line"
    )]
    BadCharacter { character: char },
    #[error("`{found}` does not belong here: give the time zone beside the expression, not in it")]
    ZonePrefix { found: String },
    #[error("`@reboot` is no time: enqueue the run from a service that starts with the machine")]
    Reboot,
    #[error("`{found}` is not crontab(5): write {remedy}")]
    Every { found: String, remedy: String },
    #[error(
        "`{found}` is no nickname of crontab(5): write @yearly, @annually, @monthly, @weekly, \
         @daily, @midnight or @hourly, or five fields"
    )]
    UnknownNickname { found: String },
    #[error(
        "the expression ends after {count} of five fields: write minute, hour, day-of-month, \
         month and day-of-week, `*` for any"
    )]
    TooFewFields { count: usize },
    #[error("the expression has {count} fields, not five: {remedy}")]
    TooManyFields { count: usize, remedy: String },
    #[error("the list in the {field} field has an empty item: remove the comma or add a value")]
    EmptyItem { field: CronField },
    #[error("`{found}` in the {field} field is not crontab(5): write {remedy}")]
    Foreign { field: CronField, found: String, remedy: String },
    #[error("`{found}`: in the {field} field a step needs `*` or a range; write `{remedy}`")]
    StepWithoutRange { field: CronField, found: String, remedy: String },
    #[error("a second `/` in the {field} field: write one step, like `*/15`")]
    SecondStep { field: CronField },
    #[error("a step of 0 in the {field} field never advances: write 1 or more")]
    ZeroStep { field: CronField },
    #[error("`{found}` in the {field} field has no step: write a whole number from 1, like `*/15`")]
    BadStep { field: CronField, found: String },
    #[error("`{found}`: in the {field} field `*` stands alone or before a step, like `*/15`")]
    StarInside { field: CronField, found: String },
    #[error(
        "`{found}` in the {field} field is a range with one end: write both, from {first} to {last}",
        first = field.first(), last = field.last()
    )]
    OpenRange { field: CronField, found: String },
    #[error("`{found}` in the {field} field has a second `-`: write a range as `first-last`")]
    DoubleRange { field: CronField, found: String },
    #[error("`{found}` in the {field} field runs backwards: write `{remedy}`")]
    ReversedRange { field: CronField, found: String, remedy: String },
    #[error(
        "`{found}` is no {field}: write {first} to {last}",
        first = field.first(), last = field.last()
    )]
    OutOfRange { field: CronField, found: String },
    #[error("`{found}` is no value of the {field} field: write {remedy}")]
    Word { field: CronField, found: String, remedy: String },
    #[error(
        "day {day} exists in none of the months named, so the rule can never fire: choose another \
         day or another month"
    )]
    NeverFires { day: u8 },
}

impl CronProblem {
    /// This problem at that column.
    pub(super) fn at(self, column: usize) -> CronError {
        CronError { column, problem: self }
    }
}
