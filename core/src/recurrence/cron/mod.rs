//! Cron: the five fields of crontab(5), in a time zone.
//!
//! Promises: exactly crontab(5) and its nicknames, nothing looser; a [`Cron`] that exists fires
//! on some date; every refusal names the column and the remedy. What crontab(5) cannot say is
//! said in RRULE, and the remedy shows how.
//!
//! `grammar` reads the text into an `expression`, `error` and `remedy` answer what it refuses,
//! `matcher` finds the wall-clock times, `wording` says it in English.

mod error;
mod expression;
mod grammar;
mod matcher;
mod remedy;
mod wording;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

pub use error::{CronError, CronProblem};
pub(super) use expression::DayFields;
pub use expression::{CronField, UnevenStep};

use self::expression::Expression;
use self::matcher::Matcher;
use super::advice::Dates;
use super::clock_change::{self, Pace, WallTimes};
use super::{Occasion, Wall, Zone};
use crate::words::time::Timestamp;

/// A cron expression. Equal, ordered and hashed by its text as typed.
#[derive(Clone)]
pub struct Cron {
    text: Arc<str>,
    expression: Arc<Expression>,
    matcher: Matcher,
}

/// A cron expression in its time zone: the zone is part of the rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CronRule {
    cron: Cron,
    zone: Zone,
}

/// A rule that is well formed and yet never comes due.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{expression}` can never fire in {zone}: every time that it names is left out by a clock \
     change of that zone; choose another hour"
)]
pub struct NeverFires {
    /// The expression, as typed.
    pub expression: String,
    /// The zone.
    pub zone: Zone,
}

impl Cron {
    /// The expression as typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it names times of day or follows elapsed time.
    pub fn pace(&self) -> Pace {
        self.expression.pace()
    }

    /// How its two day fields combine.
    pub(super) fn day_fields(&self) -> DayFields {
        self.expression.day_fields()
    }

    /// The steps that do not come out even.
    pub(super) fn uneven_steps(&self) -> Vec<UnevenStep> {
        self.expression.uneven_steps()
    }

    /// The days of the month that stand alone in it.
    pub(super) fn single_dates(&self) -> Dates {
        self.expression.single_dates()
    }

    /// What it says, in English, without a zone.
    pub(super) fn in_words(&self) -> String {
        wording::in_words(&self.expression)
    }
}

impl FromStr for Cron {
    type Err = CronError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let expression = grammar::parse(text)?;
        let matcher = Matcher::new(&expression);
        Ok(Self { text: text.into(), expression: Arc::new(expression), matcher })
    }
}

impl CronRule {
    /// The first hundred years from here decide whether a rule can fire at all: a fixed instant,
    /// so that the same rule gets the same answer on every day.
    const JUDGED_FROM: Timestamp = match Timestamp::from_micros(1_767_225_600_000_000) {
        Ok(start_of_2026) => start_of_2026,
        Err(_) => Timestamp::EPOCH,
    };

    /// `cron` in `zone`, if it ever fires there.
    pub fn new(cron: Cron, zone: Zone) -> Result<Self, NeverFires> {
        let rule = Self { cron, zone };
        if rule.next_after(Self::JUDGED_FROM, None).is_some() {
            Ok(rule)
        } else {
            Err(NeverFires { expression: rule.cron.text().to_owned(), zone: rule.zone })
        }
    }

    /// The expression.
    pub fn cron(&self) -> &Cron {
        &self.cron
    }

    /// The zone.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// The wall-clock times that the expression names.
    pub(super) fn wall_times(&self) -> &impl WallTimes {
        &self.cron.matcher
    }

    /// The first occasion after `after`; see [`Recurrence::next_after`](super::Recurrence).
    pub(super) fn next_after(&self, after: Timestamp, last_wall: Option<Wall>) -> Option<Occasion> {
        let times = self.wall_times();
        match self.cron.pace() {
            Pace::FixedTime => clock_change::next_fixed_time(times, &self.zone, after, last_wall),
            Pace::RealTime => clock_change::next_real_time(times, &self.zone, after),
        }
    }
}

impl PartialEq for Cron {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Cron {}

impl PartialOrd for Cron {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cron {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for Cron {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cron({})", self.text)
    }
}
