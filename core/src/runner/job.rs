//! One job of a runner: a claim and what became of it.

use crate::ledger::Grant;
use crate::ledger::command::Ending;
use crate::run::{Cancellation, Cause, Failure, Interruption, Outcome, Units};
use crate::words::{Lease, Moment, Note, Span};

use super::{JobExit, StopReason};

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// A claim and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Job {
    pub(super) grant: Grant,
    pub(super) stage: Stage,
    /// When it must be dead, unless the lease is renewed.
    pub(super) kill_at: Moment,
    /// Time between TERM and KILL when it is stopped on request.
    pub(super) stop_grace: Span,
    /// The first reason to stop it: it decides the outcome, whatever the exit code.
    pub(super) stop: Option<StopReason>,
    /// What the store must still be told of its start and progress.
    pub(super) news: News,
}

/// How far a job is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    /// The shell was asked to start it.
    Starting,
    /// It runs.
    Running {
        /// When its time is up.
        timeout_at: Moment,
    },
    /// It was asked to end.
    Terminated {
        /// When it is ended.
        kill_at: Moment,
    },
    /// It was ended; its exit has not been seen.
    Killed,
    /// It ended, and the store must be told.
    Ended(Box<Ending>),
    /// It was never started, and the store must be told.
    GivenBack,
    /// It ended, but something of it may still run: its lease must run out.
    Abandoned,
}

/// What the store must still be told of a job's start and progress.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct News {
    /// The config it was started with, until the store knows it.
    pub(super) started: Option<crate::config::Config>,
    /// Its units, since the store was last told.
    pub(super) units: Option<Units>,
    /// Its words, since the store was last told.
    pub(super) message: Option<Note>,
    /// Not to be told before this.
    pub(super) progress_at: Moment,
}

impl News {
    pub(super) fn has_progress(&self) -> bool {
        self.units.is_some() || self.message.is_some()
    }
}

impl Job {
    /// True when the store has said that the run is not ours.
    pub(super) fn is_forgotten(&self) -> bool {
        self.stop == Some(StopReason::Lost)
    }

    /// True when no process of it runs, as far as this runner knows.
    pub(super) fn is_dead(&self) -> bool {
        match self.stage {
            Stage::Ended(_) | Stage::GivenBack | Stage::Abandoned => true,
            Stage::Starting | Stage::Running { .. } | Stage::Terminated { .. } | Stage::Killed => {
                false
            }
        }
    }

    /// True while it has not been asked to end.
    pub(super) fn is_stoppable(&self) -> bool {
        match self.stage {
            Stage::Starting => self.stop.is_none(),
            Stage::Running { .. } => true,
            Stage::Terminated { .. }
            | Stage::Killed
            | Stage::Ended(_)
            | Stage::GivenBack
            | Stage::Abandoned => false,
        }
    }

    /// True when its lease is to be renewed.
    pub(super) fn wants_lease(&self) -> bool {
        match self.stage {
            Stage::Starting
            | Stage::Running { .. }
            | Stage::Terminated { .. }
            | Stage::Killed
            | Stage::Ended(_) => !self.is_forgotten(),
            Stage::GivenBack | Stage::Abandoned => false,
        }
    }

    /// The next moment at which something must be done about it.
    pub(super) fn next_deadline(&self, lease: &Lease) -> Moment {
        match &self.stage {
            Stage::Starting | Stage::Abandoned => self.kill_at,
            Stage::Running { timeout_at } => lease.term_at(self.kill_at).min(*timeout_at),
            Stage::Terminated { kill_at } => self.kill_at.min(*kill_at),
            Stage::Killed | Stage::Ended(_) | Stage::GivenBack => Moment::NEVER,
        }
    }

    /// What its exit means: the first TERM decides; an exit before it keeps its own status.
    pub(super) fn outcome(&self, exit: &JobExit) -> Outcome {
        match self.stop {
            None => match exit.exit {
                Exit::Code(0) => Outcome::Success,
                Exit::Code(code) => {
                    Outcome::Failed(Failure { cause: Cause::Exit(code), is_final: exit.is_final })
                }
                Exit::Signal(signal) => {
                    Outcome::Failed(Failure { cause: Cause::Signal(signal), is_final: false })
                }
            },
            Some(StopReason::Cancel) => Outcome::Cancelled(Cancellation::Requested),
            Some(StopReason::Timeout) => {
                Outcome::Failed(Failure { cause: Cause::Timeout, is_final: false })
            }
            Some(StopReason::Drain) => Outcome::Interrupted(Interruption::Drain),
            Some(StopReason::Lease | StopReason::Lost) => Outcome::Interrupted(Interruption::Lease),
        }
    }
}
