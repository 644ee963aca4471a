//! What is searched: who takes part, and how much of each disaster there is.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use horarium_core::catalogue::{Definition, Execution, Timeout};
use horarium_core::ledger::Wish;
use horarium_core::recurrence::{Recurrence, Zone};
use horarium_core::runner::{Purpose, RunnerConfig};
use horarium_core::schedule::Plan;
use horarium_core::words::{
    Actor, ActorKind, Attempt, Backoff, By, LeaseTiming, Name, Note, Request, RetryPolicy, RunId,
    Span, Timestamp, WorkerName,
};

use crate::sabotage::Sabotage;

/// What a runner of the scope is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// It serves.
    Serves,
    /// It runs one run in the foreground.
    Foreground,
    /// It is not there.
    Absent,
}

/// What there is to do at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Nothing.
    None,
    /// A manual run is queued.
    Manual,
    /// A schedule is due.
    Schedule,
}

/// How much of each disaster there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Budget {
    /// Messages lost.
    pub losses: u8,
    /// Messages doubled.
    pub doubles: u8,
    /// Cancels.
    pub cancels: u8,
    /// Drains.
    pub drains: u8,
    /// Interrupts.
    pub interrupts: u8,
    /// Crashes.
    pub crashes: u8,
    /// Enqueues of manual runs.
    pub enqueues: u8,
    /// Ticks, of two schedulers that both believe to lead.
    pub ticks: u8,
    /// Steps of time.
    pub times: u8,
}

/// What is searched.
#[derive(Debug, Clone)]
pub struct Scope {
    /// What each of the two runners is for.
    pub parts: [Part; 2],
    /// What there is to do at first.
    pub work: Work,
    /// How many attempts a scheduled run has.
    pub attempts: Attempt,
    /// The disasters.
    pub budget: Budget,
    /// A seeded bug of the store, to show that the search would find it.
    pub sabotage: Option<Sabotage>,
    /// The most messages on their way at once.
    pub most_messages: usize,
    /// A search that finds more states than this is stopped.
    pub most_states: usize,
}

/// Time moves in steps of this.
pub(super) const GRID: Span = Span::from_secs(10);

/// Who plays.
#[derive(Debug, Clone)]
pub(super) struct Cast {
    pub(super) worker: WorkerName,
    pub(super) definition: Definition,
    pub(super) by: By,
}

impl Cast {
    /// The cast, unless a name is none.
    pub(super) fn new(attempts: Attempt) -> Option<Self> {
        let handler: Name = "w".parse().ok()?;
        let by =
            By { actor: Actor { kind: ActorKind::Person, name: Note::lossy("p") }, reason: None };
        let definition = Definition {
            timeout: Timeout::None,
            stop_grace: Span::ZERO,
            retry: RetryPolicy {
                max_attempts: attempts,
                backoff: Backoff::Exponential,
                base: Span::ZERO,
            },
            ..Definition::plain(handler.clone(), Execution::Rust)
        };
        Some(Self { worker: handler.into(), definition, by })
    }

    /// The manual run with this number.
    pub(super) fn wish(&self, number: u8) -> Wish {
        Wish {
            run: RunId::from_bits(u128::from(number)),
            worker: self.worker.clone(),
            request: Request::default(),
            not_before: None,
            by: self.by.clone(),
        }
    }

    /// A schedule of one instant.
    pub(super) fn plan(at: Timestamp) -> Plan {
        Plan {
            recurrence: Recurrence::once(at, Zone::utc()),
            request: Request::default(),
            not_before: None,
            until: None,
            max_runs: None,
            max_lateness: None,
            retry: None,
        }
    }

    /// The configuration of the runner at `place`.
    pub(super) fn config(&self, part: Part, place: u8) -> RunnerConfig {
        let timing = LeaseTiming {
            heartbeat: GRID,
            lease: Span::from_secs(41),
            statement_timeout: GRID,
            kill_grace: Span::ZERO,
            clock_step: Span::ZERO,
        };
        let definitions =
            BTreeMap::from([(self.definition.handler.clone(), self.definition.clone())]);
        RunnerConfig {
            name: Note::lossy("r"),
            host: Note::lossy("h"),
            version: Note::lossy("1"),
            definitions,
            concurrency: NonZeroU32::MIN,
            lease: timing.checked().unwrap_or_default(),
            poll: GRID,
            drain_grace: GRID,
            purpose: match part {
                Part::Serves | Part::Absent => Purpose::Serve,
                Part::Foreground => Purpose::Foreground(Box::new(self.wish(100 + place))),
            },
            seed: u64::from(place),
        }
    }
}
