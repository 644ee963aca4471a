//! A run is to end early.

use crate::run::{CancelRequest, Cancellation, Interruption, Outcome, Output, RunStatus, Word};
use crate::schedule::Retry;
use crate::words::{By, RunId};

use super::reply::Cancelling;
use super::{Event, Refusal, Reply, Transaction};

impl Transaction<'_> {
    /// A queued run is cancelled at once, a running one when its runner has stopped the job; the
    /// cancel of a failed run drops the retry that is owed.
    pub(super) fn cancel(&mut self, id: RunId, by: &By) -> Reply {
        let Some(run) = self.ledger.rows.runs.get(&id) else {
            return Reply::Refused(Refusal::NoSuchRun { run: id });
        };
        let request = CancelRequest { at: self.now, by: by.clone() };
        match &run.status {
            RunStatus::Queued => {
                self.emit(Event::CancelRequested { run: id, request });
                self.end_cancelled(id);
                Reply::Cancelling(Cancelling::Cancelled)
            }
            RunStatus::Running(_) => {
                if run.cancel.is_none() {
                    self.emit(Event::CancelRequested { run: id, request });
                }
                Reply::Cancelling(Cancelling::Requested)
            }
            RunStatus::Ended(end) => {
                let status = end.outcome.status();
                match self.owed_after(id) {
                    Some((worker, scheduled_for)) => {
                        let retry = Retry::Dropped { at: self.now, by: by.clone() };
                        self.emit(Event::RetryChanged { worker, scheduled_for, retry });
                        Reply::Cancelling(Cancelling::RetryDropped)
                    }
                    None => Reply::Cancelling(Cancelling::AlreadyEnded(status)),
                }
            }
        }
    }

    /// The occurrence that owes a retry after this run.
    fn owed_after(&self, id: RunId) -> Option<super::OccurrenceKey> {
        let run = self.ledger.rows.runs.get(&id)?;
        let key = (run.worker.clone(), run.trigger.scheduled()?.scheduled_for);
        let occurrence = self.ledger.rows.occurrences.get(&key)?;
        let is_last = occurrence.chain.as_ref().is_some_and(|chain| chain.last_run == id);
        (is_last && occurrence.owes_retry()).then_some(key)
    }

    pub(super) fn end_cancelled(&mut self, id: RunId) {
        let outcome = Outcome::Cancelled(Cancellation::Requested);
        self.end_run(id, outcome, Word::Store, None, Output::default());
    }

    /// An operator closes a running row. Nothing proves that the job is gone, so it must be
    /// forced; it is never retried.
    pub(super) fn release(&mut self, id: RunId, force: bool, by: &By) -> Reply {
        let Some(run) = self.ledger.rows.runs.get(&id) else {
            return Reply::Refused(Refusal::NoSuchRun { run: id });
        };
        let Some(hold) = run.hold() else {
            let released = run.end().is_some_and(|end| {
                matches!(end.outcome, Outcome::Interrupted(Interruption::Released(_)))
            });
            return if released {
                Reply::Released
            } else {
                Reply::Refused(Refusal::NotRunning { run: id, status: run.status_kind() })
            };
        };
        if !force {
            let remaining = hold.lease_expires_at.since(self.now);
            return Reply::Refused(Refusal::ForceNeeded { run: id, remaining });
        }
        let outcome = Outcome::Interrupted(Interruption::Released(by.clone()));
        self.end_run(id, outcome, Word::Store, None, Output::default());
        Reply::Released
    }
}
