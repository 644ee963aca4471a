//! The sixteen invariants as code: over every step, and over the rows at rest.
//!
//! [`Audit`] watches a ledger's events with a memory of its own, which shares nothing with the
//! ledger's decisions; it costs little enough for every step. [`check`] looks at rows alone, for
//! databases of which nobody watched the steps.

mod answers;
mod rest;
mod runs;
mod schedules;
mod watch;

use std::fmt;

pub use rest::check;
pub use watch::Audit;

/// What must always hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invariant {
    /// At most one QUEUED or RUNNING row per worker.
    OneActiveRow,
    /// A chain is linear, carries one request and is no longer than its policy allows.
    BoundedAttempts,
    /// At most one attempt-1 run per worker and occurrence.
    NoDoubleEnqueue,
    /// Only scheduled rows without a cancel request, not released and not final, are retried.
    OnlyScheduledRetried,
    /// No run starts before its time.
    NotBefore,
    /// A terminal row never changes again.
    TerminalIsFinal,
    /// Only the holder changes a running row.
    Fenced,
    /// For one worker, fences grow in claim order.
    FenceGrows,
    /// Two executions of one worker never overlap in real time.
    NoOverlap,
    /// A due schedule gives one run, skip or miss, and moves strictly ahead.
    OneCatchUp,
    /// A due schedule that finds the slot taken or a retry owed creates no run.
    SkipNotQueue,
    /// A series ends where its bounds say.
    BoundedSeries,
    /// A request never changes.
    RequestIsPinned,
    /// Schedules, skips and retries move no unit counters.
    CountersApart,
    /// Every accepted run has a next mover; nothing outlives its lease by more than one sweep.
    NothingLost,
    /// Every stored instant comes from the store's clock.
    DatabaseClock,
}

impl Invariant {
    /// All of them, in the order of the design.
    pub const ALL: [Self; 16] = [
        Self::OneActiveRow,
        Self::BoundedAttempts,
        Self::NoDoubleEnqueue,
        Self::OnlyScheduledRetried,
        Self::NotBefore,
        Self::TerminalIsFinal,
        Self::Fenced,
        Self::FenceGrows,
        Self::NoOverlap,
        Self::OneCatchUp,
        Self::SkipNotQueue,
        Self::BoundedSeries,
        Self::RequestIsPinned,
        Self::CountersApart,
        Self::NothingLost,
        Self::DatabaseClock,
    ];

    /// The name by which people speak of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneActiveRow => "one-active-row",
            Self::BoundedAttempts => "bounded-attempts",
            Self::NoDoubleEnqueue => "no-double-enqueue",
            Self::OnlyScheduledRetried => "only-scheduled-retried",
            Self::NotBefore => "not-before",
            Self::TerminalIsFinal => "terminal-is-final",
            Self::Fenced => "fenced",
            Self::FenceGrows => "fence-grows",
            Self::NoOverlap => "no-overlap",
            Self::OneCatchUp => "one-catch-up",
            Self::SkipNotQueue => "skip-not-queue",
            Self::BoundedSeries => "bounded-series",
            Self::RequestIsPinned => "request-is-pinned",
            Self::CountersApart => "counters-apart",
            Self::NothingLost => "nothing-lost",
            Self::DatabaseClock => "database-clock",
        }
    }
}

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An invariant that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{invariant}: {what}")]
pub struct Violation {
    /// Which.
    pub invariant: Invariant,
    /// What was found.
    pub what: String,
}

impl Violation {
    fn of(invariant: Invariant, what: impl Into<String>) -> Self {
        Self { invariant, what: what.into() }
    }
}

/// What a look at one thing found.
type Found = Result<(), Violation>;

/// Holds, or is a violation that says what was found.
fn hold(holds: bool, invariant: Invariant, what: impl FnOnce() -> String) -> Found {
    if holds { Ok(()) } else { Err(Violation::of(invariant, what())) }
}
