//! Why a worker ran, or did not, at an instant.

use std::fmt;

use super::Scene;
use crate::schedule::Occurrence;
use crate::words::{Span, Timestamp};

/// What became of an instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// A row accounts for it.
    Accounted(Box<Occurrence>),
    /// The rule does not name it; the next one that it does.
    NotNamed {
        /// The first instant after the one that was asked about.
        next: Option<Timestamp>,
    },
    /// It has not come yet, and the rule names it.
    ToCome,
    /// It is due, and no scheduler has seen to it yet.
    Pending,
    /// The worker has no schedule.
    NoSchedule,
    /// The schedule was not made, changed or enabled before that; what was before is not known.
    BeforeChange {
        /// When it was.
        changed_at: Timestamp,
    },
    /// The rule names it, and no row is left: pruned with its age.
    Forgotten,
}

/// What became of `instant`, by today's rule and the rows that are left.
pub fn explain_at(scene: &Scene<'_>, instant: Timestamp) -> At {
    let its_own = scene.occurrences.iter().find(|row| row.scheduled_for == instant);
    let accounting = its_own.or_else(|| {
        let accounts =
            |row: &&Occurrence| row.accounts_from <= instant && instant <= row.recorded_at;
        scene.occurrences.iter().find(accounts)
    });
    let accounted = |row: &Occurrence| At::Accounted(Box::new(row.clone()));
    let Some(schedule) = scene.row.and_then(|row| row.schedule.as_ref()) else {
        return accounting.map_or(At::NoSchedule, accounted);
    };
    if let Some(row) = its_own {
        return accounted(row);
    }
    if instant <= schedule.changed_at {
        // Today's rule says nothing of it.
        let changed = At::BeforeChange { changed_at: schedule.changed_at };
        return accounting.map_or(changed, accounted);
    }
    let just_before = instant.minus(Span::from_micros(1));
    let next = schedule.plan.next_after(just_before, None, None).occasion().map(|next| next.at);
    if next != Some(instant) {
        return At::NotNamed { next };
    }
    if instant > scene.now {
        return At::ToCome;
    }
    if let Some(row) = accounting {
        return accounted(row);
    }
    if schedule.next.is_some_and(|next| next.at <= instant) {
        return At::Pending;
    }
    At::Forgotten
}

impl At {
    /// The row that accounts for it.
    pub fn occurrence(&self) -> Option<&Occurrence> {
        match self {
            Self::Accounted(row) => Some(row),
            Self::NotNamed { .. }
            | Self::ToCome
            | Self::Pending
            | Self::NoSchedule
            | Self::BeforeChange { .. }
            | Self::Forgotten => None,
        }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accounted(row) => write!(
                f,
                "the occurrence of {}, decided at {}: {}",
                row.scheduled_for, row.recorded_at, row.fate
            ),
            Self::NotNamed { next: Some(next) } => {
                write!(f, "the schedule does not name it; the next instant after it is {next}")
            }
            Self::NotNamed { next: None } => {
                f.write_str("the schedule does not name it, and none after it")
            }
            Self::ToCome => f.write_str("it has yet to come"),
            Self::Pending => f.write_str("it is due, and no scheduler has seen to it yet"),
            Self::NoSchedule => f.write_str("the worker has no schedule"),
            Self::BeforeChange { changed_at } => write!(
                f,
                "the schedule was changed after it, at {changed_at}, and a change makes no \
                 occurrence in the past"
            ),
            Self::Forgotten => f.write_str("the schedule names it, and its row is no longer kept"),
        }
    }
}
