//! The commands: the whole protocol.
//!
//! Promise: every command is safe to send again, and none carries the time: the store's clock
//! says when it happens.

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

use crate::catalogue::Definition;
use crate::config::Config;
use crate::run::{Outcome, Output, Units};
use crate::schedule::{Plan, Revision};
use crate::words::{
    By, Fence, Name, Note, Request, RunId, RunnerId, SchedulerId, Span, Timestamp, WorkerName,
};

/// The most items of one enqueue command.
pub const LARGEST_BATCH: usize = 1_000;

/// A command to the store.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Command {
    /// A runner says who it is and what it can do.
    Register(Registration),
    /// A runner says everything at once and asks for work.
    Turn(Turn),
    /// A runner stops for good.
    Retire {
        /// Which runner.
        runner: RunnerId,
    },
    /// Whoever finds the time closes expired leases and runs that may no longer start.
    Sweep {
        /// At most so many runs.
        limit: NonZeroU32,
    },
    /// The scheduler creates owed retries and enqueues what is due.
    Tick(Tick),
    /// Finished runs past their retention are deleted.
    Prune(Retention),
    /// Runs are asked for.
    Enqueue(Vec<Wish>),
    /// A run is asked for and claimed by the asking runner at once.
    StartForeground {
        /// Who will execute it.
        runner: RunnerId,
        /// What is asked for.
        wish: Wish,
    },
    /// A run is to end early.
    Cancel {
        /// Which run.
        run: RunId,
        /// Who wants it.
        by: By,
    },
    /// A running row is closed by an operator who knows that its job is gone.
    Release {
        /// Which run.
        run: RunId,
        /// Said explicitly: nothing proves that the job is gone.
        force: bool,
        /// Who wants it.
        by: By,
    },
    /// A schedule is saved.
    PutSchedule {
        /// Whose.
        worker: WorkerName,
        /// The revision that was seen.
        seen: Revision,
        /// What is wanted.
        plan: Box<Plan>,
        /// Start counting `max_runs` anew.
        reset_runs: bool,
        /// Who wants it.
        by: By,
    },
    /// A schedule fires again.
    EnableSchedule {
        /// Whose.
        worker: WorkerName,
        /// The revision that was seen.
        seen: Revision,
        /// Who wants it.
        by: By,
    },
    /// A schedule fires no more until it is enabled.
    DisableSchedule {
        /// Whose.
        worker: WorkerName,
        /// The revision that was seen.
        seen: Revision,
        /// Who wants it.
        by: By,
    },
    /// A schedule goes; its occurrences stay.
    DeleteSchedule {
        /// Whose.
        worker: WorkerName,
        /// The revision that was seen.
        seen: Revision,
        /// Who wants it.
        by: By,
    },
    /// An operator's defaults for a worker are saved; an empty request clears them.
    PutSettings {
        /// Whose.
        worker: WorkerName,
        /// The revision that was seen.
        seen: Revision,
        /// The defaults.
        settings: Request,
        /// Who wants it.
        by: By,
    },
    /// Handlers are made known by hand.
    PublishCatalogue {
        /// The handlers.
        definitions: Vec<Definition>,
        /// Who publishes them.
        by: By,
    },
}

/// Which handlers a runner can execute.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Handlers {
    /// Every one.
    All,
    /// These.
    Only(BTreeSet<Name>),
}

impl Handlers {
    /// True when the runner can execute `handler`.
    pub fn serves(&self, handler: &Name) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(handler),
        }
    }
}

/// What a runner says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Registration {
    /// Fresh and random for each registration.
    pub runner: RunnerId,
    /// A name for people.
    pub name: Note,
    /// The machine it runs on, for people.
    pub host: Note,
    /// Its program's version, for people.
    pub version: Note,
    /// What it can execute.
    pub handlers: Handlers,
    /// How many runs at a time.
    pub concurrency: NonZeroU32,
    /// Time between its heartbeats.
    pub heartbeat: Span,
    /// How long its claims and heartbeats hold.
    pub lease: Span,
    /// What it knows of its handlers.
    pub catalogue: Vec<Definition>,
}

/// One run under one fence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Claim {
    /// The run.
    pub run: RunId,
    /// The fence that was drawn when it was claimed.
    pub fence: Fence,
}

impl std::fmt::Debug for Claim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{:?}", self.run, self.fence)
    }
}

/// A claim that a runner holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Holding {
    /// Which claim.
    pub claim: Claim,
    /// True when its lease is to be renewed.
    pub renew: bool,
}

/// Everything that a runner has to say.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Turn {
    /// Who.
    pub runner: RunnerId,
    /// Which turn: each number is taken once and only upward.
    pub number: NonZeroU64,
    /// What happened to its claims since they were last answered.
    pub reports: Vec<Report>,
    /// Every claim that it has not been told to forget, but for those whose end or give-back it
    /// reports.
    pub holding: Vec<Holding>,
    /// How many runs it may hold in all.
    pub capacity: u32,
}

/// What happened to one claim.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Report {
    /// Which claim.
    pub claim: Claim,
    /// What happened.
    pub event: ReportEvent,
}

/// What happened to a claim.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ReportEvent {
    /// The job was started.
    Started {
        /// What the request resolved to.
        config: Config,
    },
    /// The job said how far it is.
    Progressed {
        /// Its units.
        units: Option<Units>,
        /// Its words.
        message: Option<Note>,
    },
    /// The job ended.
    Ended(Ending),
    /// The job was never started; somebody else may have the run.
    GivenBack,
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ending {
    /// How.
    pub outcome: Outcome,
    /// Its last units.
    pub units: Option<Units>,
    /// The tail of what it wrote.
    pub output: Output,
}

/// One pass of the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tick {
    /// Who.
    pub scheduler: SchedulerId,
    /// At most so many retries, and at most so many due schedules.
    pub limit: NonZeroU32,
    /// Where the jitter of retries is drawn from.
    pub seed: u64,
}

/// How long finished runs are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retention {
    /// For so long after their end.
    pub keep: Span,
    /// And in any case the last so many of each worker.
    pub keep_per_worker: u32,
    /// At most so many rows in one command.
    pub limit: NonZeroU32,
}

/// A run that somebody asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wish {
    /// The run's id, made by the caller, so that asking twice is asking once.
    pub run: RunId,
    /// Whose slot it takes.
    pub worker: WorkerName,
    /// What it is asked to do.
    pub request: Request,
    /// It never starts before this.
    pub not_before: Option<Timestamp>,
    /// Who asks.
    pub by: By,
}
