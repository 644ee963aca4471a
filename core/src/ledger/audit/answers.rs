//! What was answered agrees with what is so.

use crate::ledger::command::{ReportEvent, Turn, Wish};
use crate::ledger::reply::{Accepted, Cancelling, HoldAnswer, ReportAnswer};
use crate::ledger::{Claim, Command, Refusal, Reply, Turned};
use crate::run::{Run, StatusKind};
use crate::words::{RunId, RunnerId};

use super::watch::Audit;
use super::{Found, Invariant, hold};

impl Audit {
    /// Looks at a reply when everything that it tells of is in the memory.
    pub(super) fn answered(&self, command: &Command, reply: &Reply) -> Found {
        match (command, reply) {
            (Command::Turn(turn), Reply::Turned(turned)) => self.turned(turn, turned),
            (Command::StartForeground { runner, .. }, Reply::Started(grant)) => {
                self.is_held(*runner, grant.claim)
            }
            (Command::Enqueue(wishes), Reply::Enqueued(answers)) => {
                hold(wishes.len() == answers.len(), Invariant::NothingLost, || {
                    String::from("an enqueue was not answered item by item")
                })?;
                wishes.iter().zip(answers).try_for_each(|(wish, answer)| self.wished(wish, answer))
            }
            (Command::Cancel { run, .. }, Reply::Cancelling(cancelling)) => {
                self.cancelling(*run, cancelling)
            }
            _ => Ok(()),
        }
    }

    fn turned(&self, turn: &Turn, turned: &Turned) -> Found {
        let sizes = turn.reports.len() == turned.reports.len()
            && turn.holding.len() == turned.holding.len();
        hold(sizes, Invariant::Fenced, || String::from("a turn was not answered item by item"))?;
        for (report, answer) in turn.reports.iter().zip(&turned.reports) {
            let run = self.runs.get(&report.claim.run);
            let ended = run.is_some_and(|run| run.was_ended_by(turn.runner, report.claim.fence));
            let agrees = match (&report.event, answer) {
                (ReportEvent::Ended(_), ReportAnswer::Done) => ended,
                (ReportEvent::Ended(_), ReportAnswer::Lost) => !ended,
                (ReportEvent::GivenBack, ReportAnswer::Done) => {
                    self.is_held(turn.runner, report.claim).is_err()
                }
                (
                    ReportEvent::Started { .. } | ReportEvent::Progressed { .. },
                    ReportAnswer::Done | ReportAnswer::Lost,
                )
                | (ReportEvent::GivenBack, ReportAnswer::Lost)
                | (_, ReportAnswer::Busy) => true,
            };
            hold(agrees, Invariant::Fenced, || {
                format!("the end of {:?} was answered {answer:?}", report.claim)
            })?;
        }
        for (held, answer) in turn.holding.iter().zip(&turned.holding) {
            match answer {
                HoldAnswer::Held { cancel, .. } => {
                    self.is_held(turn.runner, held.claim)?;
                    hold(*cancel == self.is_unwanted(held.claim), Invariant::NothingLost, || {
                        format!("the holder of {:?} was told of a cancel: {cancel}", held.claim)
                    })?;
                }
                HoldAnswer::Lost => {
                    hold(
                        self.is_held(turn.runner, held.claim).is_err(),
                        Invariant::Fenced,
                        || format!("{:?} was answered lost to its holder", held.claim),
                    )?;
                }
                HoldAnswer::Busy => {}
            }
        }
        for grant in &turned.granted {
            self.is_held(turn.runner, grant.claim)?;
            hold(!self.is_unwanted(grant.claim), Invariant::NothingLost, || {
                format!("{:?} was handed over although it is cancelled", grant.claim)
            })?;
        }
        Ok(())
    }

    pub(super) fn is_held(&self, runner: RunnerId, claim: Claim) -> Found {
        let held = self.runs.get(&claim.run).is_some_and(|run| run.is_held_by(runner, claim.fence));
        hold(held, Invariant::Fenced, || format!("{runner} does not hold {claim:?}"))
    }

    fn is_unwanted(&self, claim: Claim) -> bool {
        self.runs.get(&claim.run).is_some_and(|run| run.cancel.is_some())
    }

    /// An accepted wish is there as it was wished; a lost slot is taken by the run that is named.
    fn wished(&self, wish: &Wish, answer: &Result<Accepted, Refusal>) -> Found {
        let found = self.runs.get(&wish.run);
        match answer {
            Ok(accepted) => {
                let is_there = found.is_some_and(|run| {
                    run.worker == wish.worker
                        && run.request == wish.request
                        && run.by == wish.by
                        && run.number == accepted.number
                        // A later item of the same batch may have swept one that was there.
                        && (accepted.existed || run.status_kind() == accepted.status)
                });
                hold(is_there, Invariant::NothingLost, || {
                    format!("{} was accepted, and there is {found:?}", wish.run)
                })
            }
            Err(Refusal::SlotTaken { worker, run, .. }) => {
                let is_true = *worker == wish.worker && self.slot.get(worker) == Some(run);
                hold(is_true, Invariant::OneActiveRow, || {
                    format!("{} was refused for {run}, which does not hold its slot", wish.run)
                })
            }
            Err(_) => Ok(()),
        }
    }

    fn cancelling(&self, id: RunId, cancelling: &Cancelling) -> Found {
        let run = self.runs.get(&id);
        let status = run.map(Run::status_kind);
        let agrees = match cancelling {
            Cancelling::Cancelled => status == Some(StatusKind::Cancelled),
            Cancelling::Requested => {
                status == Some(StatusKind::Running) && run.is_some_and(|run| run.cancel.is_some())
            }
            Cancelling::RetryDropped => !self.owed.values().any(|failed| *failed == id),
            Cancelling::AlreadyEnded(told) => status == Some(*told),
        };
        hold(agrees, Invariant::NothingLost, || {
            format!("the cancel of {id} was answered {cancelling:?}, and it is {status:?}")
        })
    }
}
