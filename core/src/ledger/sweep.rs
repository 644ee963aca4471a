//! Sweeping: what ran out takes effect, and only here.
//!
//! Until a sweep the holder of an expired lease may still renew and finish, since its slot was
//! never given away.

use crate::run::{Cancellation, End, Interruption, Outcome, Output, RunStatus, Units, Word};
use crate::schedule::Retry;
use crate::words::{RunId, WorkerName};

use super::{Event, Reply, Transaction};

impl Transaction<'_> {
    pub(super) fn sweep(&mut self, limit: u32) -> Reply {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut expired: Vec<RunId> = Vec::new();
        let mut late: Vec<RunId> = Vec::new();
        for (at, run) in &self.ledger.index.expiry {
            if *at > self.now || expired.len() > limit {
                break;
            }
            if !self.is_locked(*run) {
                expired.push(*run);
            }
        }
        for (_, run) in &self.ledger.index.queue {
            if expired.len() + late.len() > limit {
                break;
            }
            if self.is_too_late(*run) && !self.is_locked(*run) {
                late.push(*run);
            }
        }
        let more = expired.len() + late.len() > limit;
        expired.truncate(limit);
        late.truncate(limit - expired.len());
        for run in &expired {
            self.expire(*run);
        }
        for run in &late {
            self.close_too_late(*run);
        }
        let count = |runs: &[RunId]| u32::try_from(runs.len()).unwrap_or(u32::MAX);
        Reply::Swept { interrupted: count(&expired), too_late: count(&late), more }
    }

    /// Sweeps one worker, for a command that needs its slot.
    pub(super) fn sweep_worker(&mut self, worker: &WorkerName) {
        let Some(run) = self.ledger.slot(worker) else {
            return;
        };
        let id = run.id;
        let expired = run.hold().is_some_and(|hold| hold.lease_expires_at <= self.now);
        if expired {
            self.expire(id);
        } else if self.is_too_late(id) {
            self.close_too_late(id);
        }
    }

    fn is_locked(&self, run: RunId) -> bool {
        self.locked.runs.contains(&run)
    }

    /// True when a queued run may no longer start.
    fn is_too_late(&self, run: RunId) -> bool {
        self.ledger.rows.runs.get(&run).is_some_and(|run| {
            run.status == RunStatus::Queued
                && run.start_before.is_some_and(|latest| latest < self.now)
        })
    }

    fn expire(&mut self, run: RunId) {
        let outcome = Outcome::Interrupted(Interruption::LeaseExpired);
        self.end_run(run, outcome, Word::Store, None, Output::default());
    }

    fn close_too_late(&mut self, run: RunId) {
        let outcome = Outcome::Cancelled(Cancellation::TooLate);
        self.end_run(run, outcome, Word::Store, None, Output::default());
    }

    /// Ends an active run. If another attempt is owed, its occurrence says so from now on.
    pub(super) fn end_run(
        &mut self,
        id: RunId,
        outcome: Outcome,
        word: Word,
        units: Option<Units>,
        output: Output,
    ) {
        let Some(run) = self.ledger.rows.runs.get(&id).filter(|run| run.is_active()) else {
            return;
        };
        let owed = run.attempt_owed_after(&outcome).is_some();
        let anchor = run.trigger.scheduled().map(|scheduled| scheduled.scheduled_for);
        let worker = run.worker.clone();
        let hold = run.hold().cloned();
        let end = Box::new(End { at: self.now, outcome, word, hold, output });
        self.emit(Event::RunEnded { run: id, end, units });
        if let (true, Some(scheduled_for)) = (owed, anchor) {
            let retry = Retry::Owed { since: self.now };
            self.emit(Event::RetryChanged { worker, scheduled_for, retry });
        }
    }
}
