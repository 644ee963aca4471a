//! A run in the foreground: asked for and claimed in one command.

use crate::run::{Hold, RunStatus, Trigger};
use crate::words::RunnerId;

use super::enqueue::is_same;
use super::{Claim, Event, Refusal, Reply, Stale, Transaction, Wish};

impl Transaction<'_> {
    /// Needs a registered, not stopped runner. Sent again by the holder it answers the same
    /// fence and what is left of the lease; sent by another it is refused.
    pub(super) fn start_foreground(&mut self, runner: RunnerId, wish: &Wish) -> Reply {
        let lease = match self.ledger.rows.runners.get(&runner) {
            None => return Reply::Stale(Stale::Unknown),
            Some(known) if known.stopped_at.is_some() => return Reply::Stale(Stale::Stopped),
            Some(known) => known.registration.lease,
        };
        // In the foreground there is no later than now: were it kept, a start that is sent again
        // would not be recognised.
        let wish = &Wish { not_before: None, ..wish.clone() };
        if let Some(run) = self.ledger.rows.runs.get(&wish.run) {
            if !is_same(run, wish, &Trigger::Cli) {
                return Reply::Refused(Refusal::IdTaken { run: wish.run });
            }
            return match run.hold().filter(|hold| hold.runner == runner) {
                Some(hold) => {
                    let claim = Claim { run: run.id, fence: hold.fence };
                    self.grant(claim)
                        .map_or(Reply::Refused(Refusal::NoSuchRun { run: wish.run }), |grant| {
                            Reply::Started(Box::new(grant))
                        })
                }
                None => {
                    Reply::Refused(Refusal::NotYours { run: run.id, status: run.status_kind() })
                }
            };
        }
        if wish.run.is_reserved() {
            return Reply::Refused(Refusal::ReservedId { run: wish.run });
        }
        let promise = match self.promise(&wish.worker, &wish.request) {
            Ok(promise) => promise,
            Err(refusal) => return Reply::Refused(refusal),
        };
        if let Err(refusal) = self.free_slot(&wish.worker) {
            return Reply::Refused(refusal);
        }
        let fence = self.ledger.next_fence();
        let hold = Hold {
            runner,
            fence,
            claimed_at: self.now,
            lease_expires_at: self.now.plus(lease),
            started: None,
            progress: None,
        };
        let run = self.new_run(wish, promise, Trigger::Cli, self.now, RunStatus::Running(hold));
        let claim = Claim { run: run.id, fence };
        self.emit(Event::RunCreated(Box::new(run)));
        self.grant(claim).map_or(Reply::Refused(Refusal::NoSuchRun { run: wish.run }), |grant| {
            Reply::Started(Box::new(grant))
        })
    }
}
