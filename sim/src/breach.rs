//! What a world can break, and how that is told.

use std::fmt;

use horarium_core::ledger::audit::{Invariant, Violation};

/// A law of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// One of the sixteen of the design.
    Invariant(Invariant),
    /// A ledger is the fold of its events, and its indexes follow from its rows.
    Fold,
    /// No claim is started twice.
    StartedOnce,
    /// Who runs in the foreground is told what the ledger says.
    ForegroundWord,
    /// Occurrences expected from the rule by an independent count are those recorded.
    Occurrences,
    /// Accepted runs are live, terminal or pruned.
    Conservation,
    /// Answers agree with the order of changes and with real time.
    History,
    /// No runner is given more than it has room for.
    Capacity,
    /// Nobody asks the store again and again for nothing.
    WorkBound,
    /// When the faults stop, everything converges in time.
    Convergence,
    /// A world ends.
    StepBudget,
}

impl Law {
    /// All of them.
    pub fn all() -> Vec<Self> {
        let own = [
            Self::Fold,
            Self::StartedOnce,
            Self::ForegroundWord,
            Self::Occurrences,
            Self::Conservation,
            Self::History,
            Self::Capacity,
            Self::WorkBound,
            Self::Convergence,
            Self::StepBudget,
        ];
        Invariant::ALL.into_iter().map(Self::Invariant).chain(own).collect()
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invariant(invariant) => invariant.name(),
            Self::Fold => "ledger-is-fold-of-events",
            Self::StartedOnce => "started-once",
            Self::ForegroundWord => "foreground-word",
            Self::Occurrences => "occurrences-by-rule",
            Self::Conservation => "conservation",
            Self::History => "history",
            Self::Capacity => "capacity",
            Self::WorkBound => "work-bound",
            Self::Convergence => "convergence",
            Self::StepBudget => "step-budget",
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A law that was broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{law}: {what}")]
pub struct Breach {
    /// Which.
    pub law: Law,
    /// What was seen.
    pub what: String,
}

impl Breach {
    /// A breach of `law`.
    pub fn new(law: Law, what: impl Into<String>) -> Self {
        Self { law, what: what.into() }
    }

    /// A breach of one of the sixteen.
    pub fn of(invariant: Invariant, what: impl Into<String>) -> Self {
        Self::new(Law::Invariant(invariant), what)
    }
}

impl From<Violation> for Breach {
    fn from(violation: Violation) -> Self {
        Self::of(violation.invariant, violation.what)
    }
}
