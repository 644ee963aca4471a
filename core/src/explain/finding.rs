//! What is found, in words.

use std::fmt;

use crate::schedule::Exhausted;
use crate::words::{By, Name, Note, RunNumber, RunnerId, Timestamp};

/// One thing that had to be true, and whether it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// Nothing takes the worker's slot.
    SlotFree,
    /// A run waits in the slot.
    Queued {
        /// Which.
        run: RunNumber,
        /// Since when.
        since: Timestamp,
    },
    /// It may start.
    MayStart {
        /// Since when.
        since: Timestamp,
    },
    /// It may not start yet: a retry that waits out its delay, or a run that was wanted later.
    NotBefore {
        /// When it may.
        at: Timestamp,
    },
    /// It may not start any more.
    TooLate {
        /// The latest start.
        latest: Timestamp,
    },
    /// Runners that serve the handler are up.
    RunnersUp {
        /// The handler.
        handler: Name,
        /// How many.
        count: usize,
    },
    /// No runner that serves the handler is up.
    NoRunner {
        /// The handler.
        handler: Name,
        /// When one was last heard of.
        last_seen: Option<Timestamp>,
        /// How many runners are up that serve other handlers alone.
        others: usize,
    },
    /// One of the runners has room.
    RunnerHasRoom,
    /// Each of the runners has as many jobs as it takes.
    RunnersFull {
        /// How many runners.
        count: usize,
    },
    /// A run is under way.
    Running {
        /// Which.
        run: RunNumber,
        /// On which runner.
        runner: RunnerId,
        /// The runner's name for people, if the registry still has it.
        name: Option<Note>,
        /// Since when.
        since: Timestamp,
        /// Its lease ends then, unless it is renewed.
        until: Timestamp,
    },
    /// Somebody asked to end the run early.
    CancelAsked {
        /// When.
        at: Timestamp,
        /// Who.
        by: By,
    },
    /// The lease of the run has run out, and nobody has swept it yet.
    LeaseRanOut {
        /// When.
        at: Timestamp,
    },
    /// A failed run is to be tried again.
    RetryOwed {
        /// The occurrence.
        scheduled_for: Timestamp,
    },
    /// Nobody asked for a run: there is no schedule and nothing is enqueued.
    NothingWanted,
    /// The schedule is enabled.
    Enabled,
    /// The schedule is disabled.
    Disabled {
        /// Since when.
        at: Timestamp,
        /// By whom, and why.
        by: By,
    },
    /// The schedule has come to its end.
    Exhausted {
        /// Why.
        why: Exhausted,
    },
    /// The schedule is enabled and knows no next instant.
    NoInstant,
    /// The schedule comes due later.
    ComesDue {
        /// When.
        at: Timestamp,
    },
    /// The schedule is due.
    IsDue {
        /// Since when.
        since: Timestamp,
    },
    /// The scheduler's next pass will see to it.
    NextPass,
    /// No scheduler has seen to it.
    NoScheduler {
        /// When one ticked last.
        last_tick: Option<Timestamp>,
    },
}

/// What a finding means for the run that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// As it has to be.
    Holds,
    /// It will come by itself.
    Waits,
    /// Somebody has to do something.
    Fails,
}

impl Finding {
    /// What it means.
    pub const fn standing(&self) -> Standing {
        match self {
            Self::SlotFree
            | Self::Queued { .. }
            | Self::MayStart { .. }
            | Self::RunnersUp { .. }
            | Self::RetryOwed { .. }
            | Self::Enabled
            | Self::IsDue { .. } => Standing::Holds,
            Self::NotBefore { .. }
            | Self::RunnerHasRoom
            | Self::RunnersFull { .. }
            | Self::Running { .. }
            | Self::CancelAsked { .. }
            | Self::ComesDue { .. }
            | Self::NextPass => Standing::Waits,
            Self::TooLate { .. }
            | Self::NoRunner { .. }
            | Self::LeaseRanOut { .. }
            | Self::NothingWanted
            | Self::Disabled { .. }
            | Self::Exhausted { .. }
            | Self::NoInstant
            | Self::NoScheduler { .. } => Standing::Fails,
        }
    }

    /// What to do, where somebody has to.
    pub fn remedy(&self) -> Option<String> {
        let text = match self {
            Self::SlotFree
            | Self::Queued { .. }
            | Self::MayStart { .. }
            | Self::RunnersUp { .. }
            | Self::RetryOwed { .. }
            | Self::Enabled
            | Self::IsDue { .. }
            | Self::NotBefore { .. }
            | Self::RunnerHasRoom
            | Self::Running { .. }
            | Self::CancelAsked { .. }
            | Self::ComesDue { .. }
            | Self::NextPass => return None,
            Self::RunnersFull { .. } => {
                "start another runner, or let the runners take more jobs at a time"
            }
            Self::TooLate { .. } => {
                "the next pass of a scheduler closes it; start one if none is up"
            }
            Self::NoRunner { handler, .. } => {
                return Some(format!("start a runner whose catalogue has the handler {handler}"));
            }
            Self::LeaseRanOut { .. } => "any runner or scheduler that is up sweeps it; start one",
            Self::NothingWanted => "enqueue a run, or give the worker a schedule",
            Self::Disabled { .. } => "enable the schedule",
            Self::Exhausted { why: Exhausted::MaxRuns } => "raise max_runs, or start counting anew",
            Self::Exhausted { why: Exhausted::Until } => "move `until`, or leave it out",
            Self::Exhausted { why: Exhausted::Rule } => "give the schedule another rule",
            Self::NoInstant => "save the schedule again",
            Self::NoScheduler { .. } => "start a scheduler",
        };
        Some(String::from(text))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SlotFree => f.write_str("the worker's slot is free"),
            Self::Queued { run, since } => {
                write!(f, "run {run} has been queued since {since} and has the worker's slot")
            }
            Self::MayStart { since } => write!(f, "it may start since {since}"),
            Self::NotBefore { at } => write!(f, "it may not start before {at}"),
            Self::TooLate { latest } => {
                write!(f, "it had to start by {latest}; no runner had taken it by then")
            }
            Self::RunnersUp { handler, count: 1 } => {
                write!(f, "a runner that serves {handler} is up")
            }
            Self::RunnersUp { handler, count } => {
                write!(f, "{count} runners that serve {handler} are up")
            }
            Self::NoRunner { handler, last_seen, others } => {
                write!(f, "no runner that serves {handler} is up")?;
                match last_seen {
                    Some(at) => write!(f, "; one was last heard of at {at}")?,
                    None => write!(f, ", and none ever was")?,
                }
                match others {
                    0 => Ok(()),
                    others => write!(f, " ({others} up that serve other handlers)"),
                }
            }
            Self::RunnerHasRoom => f.write_str("one has room and takes it at its next turn"),
            Self::RunnersFull { count: 1 } => f.write_str("it has as many jobs as it takes"),
            Self::RunnersFull { count } => {
                write!(f, "each of the {count} has as many jobs as it takes")
            }
            Self::Running { run, runner, name, since, until } => {
                write!(f, "run {run} has the worker's slot: runner ")?;
                match name {
                    Some(name) => write!(f, "{name}")?,
                    None => write!(f, "{runner}")?,
                }
                write!(f, " holds it since {since}, until {until} unless it renews")
            }
            Self::CancelAsked { at, by } => write!(f, "{by} asked at {at} to cancel it"),
            Self::LeaseRanOut { at } => {
                write!(f, "its lease ran out at {at} and nobody has swept it yet")
            }
            Self::RetryOwed { scheduled_for } => {
                write!(f, "a retry is owed of the occurrence of {scheduled_for}")
            }
            Self::NothingWanted => {
                f.write_str("nothing asks for a run: no schedule, nothing enqueued")
            }
            Self::Enabled => f.write_str("the schedule is enabled"),
            Self::Disabled { at, by } => write!(f, "the schedule is disabled since {at} by {by}"),
            Self::Exhausted { why } => write!(f, "the schedule is exhausted: {why}"),
            Self::NoInstant => f.write_str("the schedule has no next instant"),
            Self::ComesDue { at } => write!(f, "it comes due at {at}"),
            Self::IsDue { since } => write!(f, "it is due since {since}"),
            Self::NextPass => f.write_str("the scheduler's next pass sees to it"),
            Self::NoScheduler { last_tick } => {
                f.write_str("no scheduler has seen to it")?;
                match last_tick {
                    Some(at) => write!(f, "; the last pass was at {at}"),
                    None => write!(f, ", and none has ever made a pass"),
                }
            }
        }
    }
}
