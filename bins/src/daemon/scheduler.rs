//! The scheduler's shell: one scheduler machine, the leader's lock, and the store.

use std::future::Future;
use std::sync::Arc;

use horarium_core::ledger::reply::Done;
use horarium_core::ledger::{Command, Refusal};
use horarium_core::runner::CallId;
use horarium_core::scheduler::{Input, Output, Scheduler, SchedulerConfig};
use horarium_core::store::Store;
use horarium_core::words::{Moment, Timestamp};
use tokio::sync::mpsc;
use tracing::{error, info, warn};

use crate::boot_clock;

use super::ask::ask;
use super::{duration, sleep_towards};

/// The leader's lock, as a store offers it.
pub(super) trait Leadership: Send + 'static {
    /// Tries to get the lock. True when it is held now.
    fn try_lock(&mut self) -> impl Future<Output = bool> + Send;

    /// True when the lock is still held.
    fn probe(&mut self) -> impl Future<Output = bool> + Send;

    /// Gives the lock back, if it is held.
    fn unlock(&mut self) -> impl Future<Output = ()> + Send;
}

/// A scheduler machine and what it needs to act.
pub(super) struct SchedulerShell<S, L> {
    store: Arc<S>,
    lock: L,
    machine: Scheduler,
    outputs: Vec<Output>,
    inputs: mpsc::UnboundedReceiver<Input>,
    sender: mpsc::UnboundedSender<Input>,
    /// Called when a tick has created runs.
    on_work: Box<dyn Fn() + Send>,
    wake_at: Moment,
    call_timeout: std::time::Duration,
    /// True once it was said that another one leads.
    stands_by: bool,
    /// Why it must not lead, as was said last.
    refused: Option<Refusal>,
}

impl<S: Store + 'static, L: Leadership> SchedulerShell<S, L> {
    /// A standby. `on_work` is called after each tick that created a run.
    pub(super) fn new(
        store: Arc<S>,
        lock: L,
        config: SchedulerConfig,
        on_work: impl Fn() + Send + 'static,
    ) -> Self {
        let (sender, inputs) = mpsc::unbounded_channel();
        let call_timeout = duration(config.statement_timeout);
        let mut outputs = Vec::new();
        let machine = Scheduler::new(config, boot_clock::now(), &mut outputs);
        Self {
            store,
            lock,
            machine,
            outputs,
            inputs,
            sender,
            on_work: Box::new(on_work),
            wake_at: Moment::NEVER,
            call_timeout,
            stands_by: false,
            refused: None,
        }
    }

    /// Where to say that schedules may have changed, or that it should stop.
    pub(super) fn inputs(&self) -> mpsc::UnboundedSender<Input> {
        self.sender.clone()
    }

    /// Runs until the machine is finished.
    pub(super) async fn run(mut self) {
        loop {
            for output in std::mem::take(&mut self.outputs) {
                if self.carry_out(output).await {
                    return;
                }
            }
            let input = tokio::select! {
                Some(input) = self.inputs.recv() => input,
                () = sleep_towards(self.wake_at) => Input::Wake,
            };
            self.machine.handle(boot_clock::now(), input, &mut self.outputs);
        }
    }

    /// Carries out one output. True when it was the last.
    async fn carry_out(&mut self, output: Output) -> bool {
        match output {
            Output::TryLock => {
                let held = self.lock.try_lock().await;
                if !held && !self.stands_by {
                    info!("scheduler stands by: another one leads");
                }
                self.stands_by = !held;
                self.tell(if held { Input::LockHeld } else { Input::LockMissing });
            }
            Output::ProbeLock => {
                let held = self.lock.probe().await;
                self.tell(if held { Input::LockHeld } else { Input::LockMissing });
            }
            Output::Unlock => self.lock.unlock().await,
            Output::Send(call, command) => self.send(call, command),
            Output::Leading => info!("scheduler leads"),
            Output::Standby => warn!("scheduler leads no more and stands by"),
            Output::Refused(refusal) => self.say_refused(refusal),
            Output::Ticked(ticked) => {
                for done in &ticked.done {
                    log(done);
                }
                if ticked.recomputed > 0 {
                    info!(schedules = ticked.recomputed, "computed anew: the zone data are newer");
                }
                let created = ticked.done.iter().any(|done| match done {
                    Done::Retried { .. } => true,
                    Done::Occurred { fate, .. } => fate.creates_run(),
                    Done::ZoneDataAdopted { .. }
                    | Done::Recomputed { .. }
                    | Done::Poisoned { .. } => false,
                });
                if created {
                    (self.on_work)();
                }
            }
            Output::WakeAt(moment) => self.wake_at = moment,
            Output::Finished => {
                info!("scheduler has ended");
                return true;
            }
        }
        false
    }

    /// Once for each reason: it is asked for again every few seconds.
    fn say_refused(&mut self, refusal: Refusal) {
        if self.refused.as_ref() != Some(&refusal) {
            error!("the ledger lets this scheduler not lead: {refusal}");
            self.refused = Some(refusal);
        }
    }

    fn tell(&self, input: Input) {
        // The receiver lives as long as self.
        let _: Result<(), mpsc::error::SendError<Input>> = self.sender.send(input);
    }

    fn send(&self, call: CallId, command: Command) {
        let store = Arc::clone(&self.store);
        let sender = self.sender.clone();
        let patience = self.call_timeout;
        tokio::spawn(async move {
            let input = match ask(store.as_ref(), &command, patience).await {
                Some(reply) => Input::Answered(call, reply),
                None => Input::Unanswered(call),
            };
            let _: Result<(), mpsc::error::SendError<Input>> = sender.send(input);
        });
    }
}

fn log(done: &Done) {
    match done {
        Done::ZoneDataAdopted { before: None, release } => info!("zone data {release}"),
        Done::ZoneDataAdopted { before: Some(before), release } => {
            info!("zone data {release} after {before}: every schedule is computed anew");
        }
        Done::Recomputed { worker, before, now } => {
            let shown = |at: &Option<Timestamp>| at.map_or("never".into(), |at| at.to_string());
            info!(%worker, before = shown(before), now = shown(now), "moved by new zone data");
        }
        Done::Retried { worker, run, attempt, not_before } => {
            info!(%worker, %run, %attempt, %not_before, "retry is queued");
        }
        Done::Occurred { worker, scheduled_for, fate } => {
            info!(%worker, %scheduled_for, "due: {fate}");
        }
        Done::Poisoned { worker, why } => warn!(%worker, %why, "schedule is disabled"),
    }
}
