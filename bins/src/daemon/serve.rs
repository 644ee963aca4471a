//! Serving: a runner, a scheduler, or both in one process, until a signal ends it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use horarium_core::runner::{self, RunnerConfig};
use horarium_core::scheduler::{self, SchedulerConfig};
use horarium_core::words::Name;
use tokio::sync::mpsc::UnboundedSender;
use tracing::{info, warn};

use crate::guard::GuardLink;
use crate::local_handler::LocalHandler;
use crate::open_store::OpenStore;

use super::duration;
use super::leadership::StoreLeadership;
use super::runner::{RunnerEnd, RunnerShell};
use super::scheduler::SchedulerShell;
use super::signals::{Signal, signals};
use super::watch::watch;

/// What this process does.
pub struct Roles {
    /// It executes runs.
    pub runner: Option<RunnerRole>,
    /// It makes the scheduler's passes, or stands by.
    pub scheduler: Option<SchedulerRole>,
}

/// What a runner needs.
pub struct RunnerRole {
    /// The link to its guard.
    pub guard: GuardLink,
    /// What the machine is told.
    pub config: RunnerConfig,
    /// What it can execute.
    pub handlers: BTreeMap<Name, LocalHandler>,
}

/// What a scheduler needs.
pub struct SchedulerRole {
    /// What the machine is told.
    pub config: SchedulerConfig,
}

/// How serving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServeEnd {
    /// A signal asked for it.
    Stopped,
    /// The guard was lost.
    GuardLost,
}

/// Serving could not begin.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Signals cannot be caught.
    #[error("signals cannot be caught ({0}), so nothing could be stopped in an orderly way")]
    Signals(#[from] std::io::Error),
}

/// Serves until a signal ends it: the first one lets jobs end within the drain grace, the second
/// stops them at once.
pub async fn serve(store: Arc<OpenStore>, roles: Roles) -> Result<ServeEnd, ServeError> {
    let mut signals = signals()?;
    let handlers: BTreeSet<Name> = roles
        .runner
        .as_ref()
        .map(|role| role.handlers.keys().cloned().collect())
        .unwrap_or_default();

    let runner = roles.runner.map(|role| {
        RunnerShell::new(Arc::clone(&store), role.config, role.handlers, role.guard, false)
    });
    let runner_inputs = runner.as_ref().map(RunnerShell::inputs);
    let scheduler = roles.scheduler.map(|role| {
        let hint = runner_inputs.clone();
        let on_work = move || {
            if let Some(runner) = &hint {
                drop(runner.send(runner::Input::Hint));
            }
        };
        let lock = StoreLeadership::of(&store, duration(role.config.probe));
        SchedulerShell::new(Arc::clone(&store), lock, role.config, on_work)
    });
    let scheduler_inputs = scheduler.as_ref().map(SchedulerShell::inputs);

    let watching =
        tokio::spawn(watch(store, handlers, runner_inputs.clone(), scheduler_inputs.clone()));
    let runner = runner.map(|shell| tokio::spawn(shell.run()));
    let scheduler = scheduler.map(|shell| tokio::spawn(shell.run()));
    let mut ends = std::pin::pin!(both_end(runner, scheduler, scheduler_inputs.clone()));

    let mut asked = 0_u32;
    let end = loop {
        tokio::select! {
            end = &mut ends => break end,
            Some(signal) = signals.recv() => {
                asked += 1;
                ask_to_stop(signal, asked, runner_inputs.as_ref(), scheduler_inputs.as_ref());
            }
        }
    };
    watching.abort();
    Ok(end)
}

/// Waits for both. A runner that has ended takes the scheduler along.
async fn both_end(
    runner: Option<tokio::task::JoinHandle<RunnerEnd>>,
    scheduler: Option<tokio::task::JoinHandle<()>>,
    scheduler_inputs: Option<UnboundedSender<scheduler::Input>>,
) -> ServeEnd {
    let mut end = ServeEnd::Stopped;
    if let Some(runner) = runner {
        match runner.await {
            Ok(ended) => {
                if ended.guard_lost {
                    end = ServeEnd::GuardLost;
                }
                if !ended.retired {
                    warn!("the store does not know that the runner has ended; its leases run out");
                }
            }
            Err(error) => warn!(%error, "the runner's task has failed"),
        }
        if let Some(scheduler) = scheduler_inputs {
            drop(scheduler.send(scheduler::Input::Shutdown));
        }
    }
    if let Some(scheduler) = scheduler
        && let Err(error) = scheduler.await
    {
        warn!(%error, "the scheduler's task has failed");
    }
    end
}

fn ask_to_stop(
    signal: Signal,
    times: u32,
    runner: Option<&UnboundedSender<runner::Input>>,
    scheduler: Option<&UnboundedSender<scheduler::Input>>,
) {
    let first = times == 1;
    if first {
        info!(?signal, "stopping: running jobs may end; a second signal stops them at once");
    } else {
        warn!(?signal, "stopping at once");
    }
    if let Some(runner) = runner {
        drop(runner.send(if first { runner::Input::Shutdown } else { runner::Input::Hurry }));
    }
    if let Some(scheduler) = scheduler {
        drop(scheduler.send(scheduler::Input::Shutdown));
    }
}
