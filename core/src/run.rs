//! The run: one row of the ledger, one attempt.
//!
//! Promise: each status carries exactly what it has. A queued run has no holder, a running one
//! has a lease and a fence, a terminal one says how and when it ended and by whose word.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::catalogue::{CatalogueHash, Timeout};
use crate::config::Config;
use crate::words::{
    Attempt, By, Fence, Note, Request, RetryPolicy, RunId, RunNumber, RunnerId, Timestamp,
    WorkerName,
};

/// One run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Run {
    /// Its id, made by whoever enqueued it.
    pub id: RunId,
    /// Its short number.
    pub number: RunNumber,
    /// Whose slot it takes.
    pub worker: WorkerName,
    /// Why it exists.
    pub trigger: Trigger,
    /// What it is asked to do. Pinned.
    pub request: Request,
    /// What that resolved to when it was enqueued (the promise).
    pub config: Config,
    /// The catalogue entry that it was resolved with.
    pub catalogue: CatalogueHash,
    /// How long it may take. Pinned.
    pub timeout: Timeout,
    /// How it is retried, if it is a scheduled one. Pinned.
    pub retry: RetryPolicy,
    /// Who asked for it.
    pub by: By,
    /// When it was accepted.
    pub enqueued_at: Timestamp,
    /// It never starts before this.
    pub not_before: Timestamp,
    /// No claim grants it later than this.
    pub start_before: Option<Timestamp>,
    /// The wish to end it early.
    pub cancel: Option<CancelRequest>,
    /// Units of work as the job counted them.
    pub units: Option<Units>,
    /// How far it is.
    pub status: RunStatus,
}

/// Why a run exists.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// Somebody enqueued it.
    Manual,
    /// Somebody runs it in the foreground.
    Cli,
    /// A schedule was due.
    Schedule(Scheduled),
}

impl Trigger {
    /// The trigger's plain name.
    pub const fn kind(&self) -> TriggerKind {
        match self {
            Self::Manual => TriggerKind::Manual,
            Self::Cli => TriggerKind::Cli,
            Self::Schedule(_) => TriggerKind::Schedule,
        }
    }

    /// What a scheduled run stands for.
    pub const fn scheduled(&self) -> Option<&Scheduled> {
        match self {
            Self::Schedule(scheduled) => Some(scheduled),
            Self::Manual | Self::Cli => None,
        }
    }
}

/// A trigger without what it carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TriggerKind {
    /// API, panel or a CLI that only enqueues.
    Manual,
    /// A foreground run.
    Cli,
    /// A schedule.
    Schedule,
}

impl fmt::Display for TriggerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Manual => "MANUAL",
            Self::Cli => "CLI",
            Self::Schedule => "SCHEDULE",
        })
    }
}

/// What a scheduled run stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Scheduled {
    /// The occurrence.
    pub scheduled_for: Timestamp,
    /// Which attempt at it.
    pub attempt: Attempt,
    /// The failed run that this one repeats.
    pub retry_of: Option<RunId>,
}

/// The wish to end a run early.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CancelRequest {
    /// When it was accepted.
    pub at: Timestamp,
    /// By whom.
    pub by: By,
}

/// Units of work, as the job counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Units {
    /// Still to do.
    pub pending: u64,
    /// Done.
    pub processed: u64,
}

/// How far a run is, with what each status has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RunStatus {
    /// Waits for a runner.
    Queued,
    /// A runner holds it.
    Running(Hold),
    /// Ended.
    Ended(Box<End>),
}

/// A runner's hold on a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hold {
    /// Who.
    pub runner: RunnerId,
    /// Under which fence.
    pub fence: Fence,
    /// Since when.
    pub claimed_at: Timestamp,
    /// Until when, unless renewed.
    pub lease_expires_at: Timestamp,
    /// What the runner said when the job had started.
    pub started: Option<Started>,
    /// What the job said last about its progress.
    pub progress: Option<Note>,
}

/// The start of a job, as its runner reported it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Started {
    /// When the report was written.
    pub at: Timestamp,
    /// What the request really resolved to (the truth).
    pub config: Config,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct End {
    /// When.
    pub at: Timestamp,
    /// How.
    pub outcome: Outcome,
    /// Whose word it is.
    pub word: Word,
    /// The hold that it ended, if the run was ever held: the fence stays on the finished row.
    pub hold: Option<Hold>,
    /// The tail of what the job wrote.
    pub output: Output,
}

/// Whose word a run's end is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Word {
    /// The runner that held it reported it.
    Runner,
    /// The store decided it: a sweep, a cancel, a release.
    Store,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The job did its work.
    Success,
    /// The job did not.
    Failed(Failure),
    /// The job was ended by something that was not its fault.
    Interrupted(Interruption),
    /// Somebody wanted it so, or it was too late.
    Cancelled(Cancellation),
}

/// Why a job failed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Failure {
    /// What happened.
    pub cause: Cause,
    /// True when the worker declared that trying again is no use.
    pub is_final: bool,
}

/// What made a job fail.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// It exited with this code.
    Exit(i32),
    /// This signal killed it.
    Signal(i32),
    /// It took longer than it may.
    Timeout,
    /// Its config was invalid at the start.
    Config(Note),
    /// It could not be started.
    Spawn(Note),
    /// The handler said so.
    Handler(Note),
}

/// What interrupted a job.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    /// The runner was asked to stop.
    Drain,
    /// The runner could not renew the lease in time and stopped the job.
    Lease,
    /// The lease ran out; nobody reported.
    LeaseExpired,
    /// An operator released the slot.
    Released(By),
}

/// Why a run was cancelled.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cancellation {
    /// Somebody asked for it; who, stands in the cancel request.
    Requested,
    /// It was not claimed before its latest start.
    TooLate,
}

/// A status without what it carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum StatusKind {
    /// Waits for a runner.
    Queued,
    /// A runner holds it.
    Running,
    /// The job did its work.
    Success,
    /// The job did not.
    Failed,
    /// Ended by something that was not its fault.
    Interrupted,
    /// Ended because somebody wanted it so, or too late.
    Cancelled,
}

impl StatusKind {
    /// True for a status that never changes again.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Queued | Self::Running => false,
            Self::Success | Self::Failed | Self::Interrupted | Self::Cancelled => true,
        }
    }

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "QUEUED",
            Self::Running => "RUNNING",
            Self::Success => "SUCCESS",
            Self::Failed => "FAILED",
            Self::Interrupted => "INTERRUPTED",
            Self::Cancelled => "CANCELLED",
        }
    }
}

impl fmt::Display for StatusKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The tail of what a job wrote: bytes, not text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Output {
    /// The tail of standard output.
    pub stdout: Tail,
    /// The tail of standard error.
    pub stderr: Tail,
}

/// The last bytes of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Tail {
    /// What was kept.
    pub bytes: Vec<u8>,
    /// How many bytes before it were dropped.
    pub dropped: u64,
}

impl Outcome {
    /// The status that the outcome gives.
    pub const fn status(&self) -> StatusKind {
        match self {
            Self::Success => StatusKind::Success,
            Self::Failed(_) => StatusKind::Failed,
            Self::Interrupted(_) => StatusKind::Interrupted,
            Self::Cancelled(_) => StatusKind::Cancelled,
        }
    }

    /// The outcome's part in the question of another attempt: only a failure that is not final
    /// and an interruption that nobody ordered allow one.
    pub const fn allows_another_attempt(&self) -> bool {
        match self {
            Self::Success
            | Self::Cancelled(_)
            | Self::Interrupted(Interruption::Released(_))
            | Self::Failed(Failure { is_final: true, .. }) => false,
            Self::Failed(Failure { is_final: false, .. })
            | Self::Interrupted(
                Interruption::Drain | Interruption::Lease | Interruption::LeaseExpired,
            ) => true,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Success => f.write_str("success"),
            Self::Failed(failure) => write!(f, "{failure}"),
            Self::Interrupted(Interruption::Drain) => f.write_str("the runner was stopped"),
            Self::Interrupted(Interruption::Lease) => {
                f.write_str("the runner could not renew its lease in time")
            }
            Self::Interrupted(Interruption::LeaseExpired) => {
                f.write_str("the runner was not heard of until its lease ran out")
            }
            Self::Interrupted(Interruption::Released(by)) => write!(f, "released by {by}"),
            Self::Cancelled(Cancellation::Requested) => f.write_str("cancelled on request"),
            Self::Cancelled(Cancellation::TooLate) => {
                f.write_str("not claimed before its latest start")
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Exit(code) => write!(f, "exit code {code}")?,
            Cause::Signal(signal) => write!(f, "killed by signal {signal}")?,
            Cause::Timeout => f.write_str("timeout")?,
            Cause::Config(why) => write!(f, "invalid config: {why}")?,
            Cause::Spawn(why) => write!(f, "could not start: {why}")?,
            Cause::Handler(why) => write!(f, "{why}")?,
        }
        if self.is_final { f.write_str(" (final)") } else { Ok(()) }
    }
}

impl Run {
    /// The status without what it carries.
    pub fn status_kind(&self) -> StatusKind {
        match &self.status {
            RunStatus::Queued => StatusKind::Queued,
            RunStatus::Running(_) => StatusKind::Running,
            RunStatus::Ended(end) => end.outcome.status(),
        }
    }

    /// True while the run takes its worker's slot.
    pub fn is_active(&self) -> bool {
        match self.status {
            RunStatus::Queued | RunStatus::Running(_) => true,
            RunStatus::Ended(_) => false,
        }
    }

    /// The hold, while a runner has one.
    pub fn hold(&self) -> Option<&Hold> {
        match &self.status {
            RunStatus::Running(hold) => Some(hold),
            RunStatus::Queued | RunStatus::Ended(_) => None,
        }
    }

    /// The end, once there is one.
    pub fn end(&self) -> Option<&End> {
        match &self.status {
            RunStatus::Ended(end) => Some(end),
            RunStatus::Queued | RunStatus::Running(_) => None,
        }
    }

    /// True while `runner` holds the run under `fence`.
    pub fn is_held_by(&self, runner: RunnerId, fence: Fence) -> bool {
        self.hold().is_some_and(|hold| hold.runner == runner && hold.fence == fence)
    }

    /// True when the recorded end was written by `runner` under `fence`: finishing twice is then
    /// finishing.
    pub fn was_ended_by(&self, runner: RunnerId, fence: Fence) -> bool {
        self.end().is_some_and(|end| {
            end.word == Word::Runner
                && end
                    .hold
                    .as_ref()
                    .is_some_and(|hold| hold.runner == runner && hold.fence == fence)
        })
    }

    /// The attempt that is owed when the run ends with `outcome`, if any: only a scheduled run
    /// that failed or was interrupted, without a cancel request, not released, not final, with
    /// attempts left.
    pub fn attempt_owed_after(&self, outcome: &Outcome) -> Option<Attempt> {
        self.next_attempt().filter(|_| self.cancel.is_none() && outcome.allows_another_attempt())
    }

    /// The run's part in the question of another attempt, known from its beginning: the attempt
    /// that its policy allows after it. None for a run that no schedule made.
    pub fn next_attempt(&self) -> Option<Attempt> {
        self.retry.after(self.trigger.scheduled()?.attempt)
    }
}
