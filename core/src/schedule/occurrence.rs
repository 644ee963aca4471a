//! The occurrence: a due instant of a schedule and what became of it.
//!
//! Promise: no due instant is without a row that accounts for it, and the row says why. It
//! anchors the chain of attempts.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::run::StatusKind;
use crate::words::{Attempt, By, RunId, RunNumber, Timestamp, WorkerName};

/// A due instant and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Occurrence {
    /// Whose.
    pub worker: WorkerName,
    /// The instant. With the worker it is the key.
    pub scheduled_for: Timestamp,
    /// The first instant that this row accounts for; earlier than `scheduled_for` when others
    /// went by before it.
    pub accounts_from: Timestamp,
    /// When it was decided. The row accounts for every instant up to then.
    pub recorded_at: Timestamp,
    /// What became of it.
    pub fate: Fate,
    /// The attempts, if a run was created.
    pub chain: Option<Chain>,
}

/// What became of a due instant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// A run was created for it.
    Enqueued,
    /// One run was created for it and others before or after it.
    CaughtUp,
    /// No run was created.
    Skipped(SkipReason),
    /// It could only have started too late.
    Missed,
}

impl Fate {
    /// True when a run was created.
    pub const fn creates_run(&self) -> bool {
        match self {
            Self::Enqueued | Self::CaughtUp => true,
            Self::Skipped(_) | Self::Missed => false,
        }
    }

    /// The word for it.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Enqueued => "ENQUEUED",
            Self::CaughtUp => "CAUGHT_UP",
            Self::Skipped(_) => "SKIPPED",
            Self::Missed => "MISSED",
        }
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skipped(reason) => write!(f, "SKIPPED: {reason}"),
            Self::Enqueued | Self::CaughtUp | Self::Missed => f.write_str(self.as_str()),
        }
    }
}

/// Why a due instant got no run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// A run held the slot.
    SlotTaken {
        /// Which run.
        run: RunId,
        /// Its number.
        number: RunNumber,
        /// Queued (nobody had claimed it) or running.
        status: StatusKind,
    },
    /// A retry of an earlier occurrence was still to be created.
    RetryOwed {
        /// The failed run.
        run: RunId,
    },
    /// The schedule was edited while it was due.
    Edited(By),
    /// The schedule was disabled while it was due.
    Disabled(By),
    /// The schedule was deleted while it was due.
    Deleted(By),
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SlotTaken { number, status: StatusKind::Queued, .. } => {
                write!(f, "run {number} is queued and no runner has claimed it")
            }
            Self::SlotTaken { number, .. } => write!(f, "run {number} is running"),
            Self::RetryOwed { .. } => f.write_str("a retry is owed"),
            Self::Edited(by) => write!(f, "edited by {by}"),
            Self::Disabled(by) => write!(f, "disabled by {by}"),
            Self::Deleted(by) => write!(f, "deleted by {by}"),
        }
    }
}

/// The attempts at one occurrence.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Chain {
    /// The run of the latest attempt.
    pub last_run: RunId,
    /// Which attempt that is.
    pub attempt: Attempt,
    /// Whether another one is owed.
    pub retry: Retry,
}

/// Whether another attempt is owed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    /// No: the latest attempt is under way, did its work, or was the last.
    None,
    /// Yes: it will be created as soon as the slot is free.
    Owed {
        /// Since when.
        since: Timestamp,
    },
    /// It was, until somebody cancelled the failed run.
    Dropped {
        /// When.
        at: Timestamp,
        /// By whom.
        by: By,
    },
}

impl Retry {
    /// True while another attempt must still be created.
    pub const fn is_owed(&self) -> bool {
        match self {
            Self::Owed { .. } => true,
            Self::None | Self::Dropped { .. } => false,
        }
    }
}

impl Occurrence {
    /// True while another attempt must still be created.
    pub fn owes_retry(&self) -> bool {
        self.chain.as_ref().is_some_and(|chain| chain.retry.is_owed())
    }
}
