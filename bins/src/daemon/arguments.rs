//! What an operator can set for a runner and a scheduler, on the command line or in the
//! environment, turned into checked configurations.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use clap::Args;
use horarium_core::ledger::command::Retention;
use horarium_core::runner::{Purpose, RunnerConfig};
use horarium_core::scheduler::SchedulerConfig;
use horarium_core::words::lease::LeaseTimingError;
use horarium_core::words::{LeaseTiming, Name, Note, Span};

use crate::local_handler::LocalHandler;

use super::{fresh_scheduler_id, fresh_seed};

/// How often old rows are looked after.
const PRUNE_EVERY: Span = Span::from_hours(1);
/// At most so many rows in one prune.
const PRUNE_BATCH: NonZeroU32 = match NonZeroU32::new(500) {
    Some(batch) => batch,
    None => NonZeroU32::MIN,
};
/// The shortest retention: within it a command may be sent again.
const SHORTEST_RETENTION: Span = Span::from_days(7);

/// The lease of a runner.
#[derive(Debug, Clone, Copy, Args)]
pub struct LeaseArguments {
    /// Time between two heartbeats
    #[arg(long, env = "HORARIUM_HEARTBEAT", default_value = "15s", value_name = "DURATION")]
    pub heartbeat: Span,
    /// How long a claim holds without a heartbeat; at least three heartbeats, a statement
    /// timeout and the time to kill
    #[arg(long, env = "HORARIUM_LEASE", default_value = "60s", value_name = "DURATION")]
    pub lease: Span,
    /// How long the store may take to answer
    #[arg(long, env = "HORARIUM_STATEMENT_TIMEOUT", default_value = "5s", value_name = "DURATION")]
    pub statement_timeout: Span,
    /// Time between TERM and KILL when a lease could not be renewed
    #[arg(long, env = "HORARIUM_KILL_GRACE", default_value = "3s", value_name = "DURATION")]
    pub kill_grace: Span,
}

impl LeaseArguments {
    fn timing(self) -> LeaseTiming {
        let Self { heartbeat, lease, statement_timeout, kill_grace } = self;
        LeaseTiming { heartbeat, lease, statement_timeout, kill_grace, ..LeaseTiming::default() }
    }
}

/// What an operator can set for a runner.
#[derive(Debug, Clone, Args)]
pub struct RunnerArguments {
    /// How many jobs run at a time
    #[arg(long, env = "HORARIUM_CONCURRENCY", default_value = "4", value_name = "N", value_parser = at_least_one)]
    pub concurrency: NonZeroU32,
    /// The runner's name in `horarium runner list`; the host's name when not given
    #[arg(long, env = "HORARIUM_RUNNER_NAME", value_name = "NAME")]
    pub runner_name: Option<Note>,
    /// How long running jobs may go on after the runner was asked to stop
    #[arg(long, env = "HORARIUM_DRAIN_GRACE", default_value = "30s", value_name = "DURATION")]
    pub drain_grace: Span,
    /// How often it asks for work when nothing hints at any
    #[arg(long, env = "HORARIUM_RUNNER_POLL", default_value = "10s", value_name = "DURATION")]
    pub runner_poll: Span,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub lease: LeaseArguments,
}

/// What an operator can set for a scheduler.
#[derive(Debug, Clone, Args)]
pub struct SchedulerArguments {
    /// The longest time between two passes
    #[arg(long, env = "HORARIUM_SCHEDULER_POLL", default_value = "5s", value_name = "DURATION")]
    pub scheduler_poll: Span,
    /// How many schedules are handled in one transaction
    #[arg(long, env = "HORARIUM_SCHEDULER_BATCH", default_value = "200", value_name = "N", value_parser = at_least_one)]
    pub scheduler_batch: NonZeroU32,
    /// How long finished runs are kept; at least 7d, within which commands may be sent again
    #[arg(long, env = "HORARIUM_RETENTION", default_value = "90d", value_name = "DURATION")]
    pub retention: Span,
    /// How many finished runs of each worker are kept however old they are
    #[arg(long, env = "HORARIUM_KEEP_PER_WORKER", default_value = "20", value_name = "N")]
    pub keep_per_worker: u32,
}

/// A setting that cannot be.
#[derive(Debug, thiserror::Error)]
pub enum ArgumentError {
    /// The lease cannot keep its promise.
    #[error(transparent)]
    Lease(#[from] LeaseTimingError),
    /// The retention is shorter than the window in which commands may be sent again.
    #[error("--retention {0} is too short: commands may be sent again within it; at least 7d")]
    Retention(Span),
    /// A poll interval of nothing.
    #[error("{0} must be longer than 0s")]
    NoInterval(&'static str),
}

impl RunnerArguments {
    /// The checked configuration of a runner that serves these handlers.
    pub fn config(
        &self,
        handlers: &BTreeMap<Name, LocalHandler>,
        purpose: Purpose,
    ) -> Result<RunnerConfig, ArgumentError> {
        if self.runner_poll.is_zero() {
            return Err(ArgumentError::NoInterval("--runner-poll"));
        }
        runner_config(self, handlers, purpose)
    }
}

fn runner_config(
    arguments: &RunnerArguments,
    handlers: &BTreeMap<Name, LocalHandler>,
    purpose: Purpose,
) -> Result<RunnerConfig, ArgumentError> {
    let host = host();
    Ok(RunnerConfig {
        name: arguments.runner_name.clone().unwrap_or_else(|| host.clone()),
        host,
        version: Note::lossy(env!("CARGO_PKG_VERSION")),
        definitions: handlers
            .iter()
            .map(|(name, handler)| (name.clone(), handler.definition.clone()))
            .collect(),
        concurrency: arguments.concurrency,
        lease: arguments.lease.timing().checked()?,
        poll: arguments.runner_poll,
        drain_grace: arguments.drain_grace,
        purpose,
        seed: fresh_seed(),
    })
}

impl LeaseArguments {
    /// The checked configuration of a runner for one foreground run.
    pub fn foreground_config(
        &self,
        handlers: &BTreeMap<Name, LocalHandler>,
        purpose: Purpose,
    ) -> Result<RunnerConfig, ArgumentError> {
        let arguments = RunnerArguments {
            concurrency: NonZeroU32::MIN,
            runner_name: None,
            drain_grace: Span::ZERO,
            runner_poll: Span::from_secs(10),
            lease: *self,
        };
        runner_config(&arguments, handlers, purpose)
    }
}

impl SchedulerArguments {
    /// The checked configuration of a scheduler.
    pub fn config(&self) -> Result<SchedulerConfig, ArgumentError> {
        if self.scheduler_poll.is_zero() {
            return Err(ArgumentError::NoInterval("--scheduler-poll"));
        }
        if self.retention < SHORTEST_RETENTION {
            return Err(ArgumentError::Retention(self.retention));
        }
        let retention = Retention {
            keep: self.retention,
            keep_per_worker: self.keep_per_worker,
            limit: PRUNE_BATCH,
        };
        Ok(SchedulerConfig {
            id: fresh_scheduler_id(),
            poll: self.scheduler_poll,
            lock_retry: Span::from_secs(3),
            probe: Span::from_secs(5),
            statement_timeout: Span::from_secs(30),
            batch: self.scheduler_batch,
            retention: Some((retention, PRUNE_EVERY)),
            seed: fresh_seed(),
        })
    }
}

/// A whole number from 1.
pub(crate) fn at_least_one(text: &str) -> Result<NonZeroU32, String> {
    text.parse().map_err(|_| format!("write a whole number from 1 to {}", u32::MAX))
}

/// This machine's name, for people.
fn host() -> Note {
    Note::lossy(&rustix::system::uname().nodename().to_string_lossy())
}
