//! Bugs about retries and retention.

use horarium_core::ledger::{Command, Event};
use horarium_core::run::{Interruption, Outcome, Run, RunStatus, Scheduled, Trigger};
use horarium_core::schedule::Retry;
use horarium_core::words::{Attempt, Request, RunId, Timestamp, WorkerName};

use super::{Spoiling, forged};

impl Spoiling<'_> {
    /// Owes a retry of each of these runs.
    fn owe(&mut self, runs: Vec<(WorkerName, Timestamp)>) {
        let since = self.now;
        for (worker, scheduled_for) in runs {
            let retry = Retry::Owed { since };
            self.add(Event::RetryChanged { worker, scheduled_for, retry });
        }
    }

    pub(super) fn cancelled_retried(&mut self) {
        let mut owed = Vec::new();
        for event in &self.handled.events {
            let Event::RunEnded { run, .. } = event else { continue };
            let Some(run) = self.run(*run).filter(|run| run.cancel.is_some()) else { continue };
            let left = |attempt| run.retry.after(attempt).is_some();
            if let Some(scheduled) = run.trigger.scheduled().filter(|it| left(it.attempt)) {
                owed.push((run.worker.clone(), scheduled.scheduled_for));
            }
        }
        self.owe(owed);
    }

    /// Creates a retry of a run in a tick, without another look.
    fn repeat(&mut self, failed: &Run, scheduled_for: Timestamp, attempt: Attempt) {
        let trigger =
            Trigger::Schedule(Scheduled { scheduled_for, attempt, retry_of: Some(failed.id) });
        self.add(Event::RunCreated(Box::new(Run {
            id: forged(failed.id),
            number: self.before.rows().sequences.number,
            trigger,
            enqueued_at: self.now,
            not_before: self.now,
            start_before: None,
            cancel: None,
            units: None,
            status: RunStatus::Queued,
            ..failed.clone()
        })));
    }

    /// A run that could be repeated in this tick, for its slot is free and nothing else happens.
    fn repeatable(&self, is: impl Fn(&Run) -> bool) -> Option<Run> {
        let creates = self.handled.events.iter().any(|it| matches!(it, Event::RunCreated(_)));
        if creates || !matches!(self.command, Command::Tick(_)) {
            return None;
        }
        let runs = self.before.rows().runs.values();
        let failed = runs.filter(|run| {
            self.before.slot(&run.worker).is_none()
                && self.run(forged(run.id)).is_none()
                && run.cancel.is_none()
                && matches!(
                    run.end().map(|end| &end.outcome),
                    Some(Outcome::Failed(_) | Outcome::Interrupted(Interruption::LeaseExpired))
                )
        });
        failed.into_iter().find(|run| is(run)).cloned()
    }

    pub(super) fn retried_beyond(&mut self) {
        let is_last = |run: &Run| {
            run.trigger.scheduled().is_some_and(|it| run.retry.after(it.attempt).is_none())
        };
        let Some(failed) = self.repeatable(is_last) else { return };
        if let Some(scheduled) = failed.trigger.scheduled() {
            let attempt = scheduled.attempt.next().unwrap_or(Attempt::LAST);
            self.repeat(&failed, scheduled.scheduled_for, attempt);
        }
    }

    pub(super) fn manual_retried(&mut self) {
        if let Some(failed) = self.repeatable(|run| run.trigger == Trigger::Manual) {
            let second = Attempt::FIRST.next().unwrap_or(Attempt::LAST);
            self.repeat(&failed, failed.enqueued_at, second);
        }
    }

    pub(super) fn retried_otherwise(&mut self) {
        let before = self.before;
        for event in &mut self.handled.events {
            let Event::RunCreated(run) = event else { continue };
            let now = before.rows().workers.get(&run.worker).and_then(|row| row.schedule.as_ref());
            if run.trigger.scheduled().is_some_and(|scheduled| scheduled.retry_of.is_some()) {
                run.request = now.map_or(Request::default(), |now| now.plan.request.clone());
            }
        }
    }

    pub(super) fn retried_too_soon(&mut self) {
        for event in &mut self.handled.events {
            let Event::RunCreated(run) = event else { continue };
            if run.trigger.scheduled().is_some_and(|scheduled| scheduled.retry_of.is_some()) {
                run.not_before = run.enqueued_at;
            }
        }
    }

    pub(super) fn retry_forgotten(&mut self) {
        self.drop_events(|event| {
            matches!(event, Event::RetryChanged { retry: Retry::Owed { .. }, .. })
        });
    }

    pub(super) fn retry_still_owed(&mut self) {
        self.drop_events(|event| matches!(event, Event::ChainExtended { .. }));
    }

    pub(super) fn pruned_alive(&mut self) {
        let alive = self.before.queue().chain(self.before.running()).next().map(|run| run.id);
        self.prune_too(alive);
    }

    pub(super) fn pruned_owed(&mut self) {
        let owed = self.before.owed_retries().next();
        let failed = owed.and_then(|owed| owed.chain.as_ref()).map(|chain| chain.last_run);
        self.prune_too(failed);
    }

    fn prune_too(&mut self, run: Option<RunId>) {
        if let (Command::Prune(_), Some(run)) = (self.command, run) {
            self.add(Event::RunPruned { run });
        }
    }
}
