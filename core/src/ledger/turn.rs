//! The turn: a runner says everything at once and is answered at once.
//!
//! The rules (each has a transcript that breaks without it): a number is taken once and only
//! upward; what the runner does not hold changes nothing and is told so; what the store holds
//! for the runner and the turn does not name is handed over again, renewed; a cancelled run that
//! never started ends on give-back and on hand-over alike.

use std::collections::BTreeSet;

use crate::run::{Hold, Run, Started, Word};
use crate::words::{RunId, Span, Timestamp};

use super::command::{Ending, Handlers};
use super::reply::{HoldAnswer, ReportAnswer};
use super::{Claim, Event, Grant, Reply, Report, ReportEvent, Stale, Transaction, Turn, Turned};

impl Transaction<'_> {
    pub(super) fn turn(&mut self, turn: &Turn) -> Reply {
        let (handlers, lease) = match self.ledger.rows.runners.get(&turn.runner) {
            None => return Reply::Stale(Stale::Unknown),
            Some(known) if known.stopped_at.is_some() => return Reply::Stale(Stale::Stopped),
            Some(known) if turn.number.get() <= known.turn => {
                return Reply::Stale(Stale::Number { taken: known.turn });
            }
            Some(known) => (known.registration.handlers.clone(), known.registration.lease),
        };
        self.emit(Event::TurnTaken {
            runner: turn.runner,
            number: turn.number.get(),
            at: self.now,
        });

        let reports = turn.reports.iter().map(|report| self.report(turn, report)).collect();
        let renewal = self.now.plus(lease);
        // A claim that is named twice is held once, and renewed if it is asked for once.
        let renewed: BTreeSet<Claim> =
            turn.holding.iter().filter(|held| held.renew).map(|held| held.claim).collect();
        let holding = turn
            .holding
            .iter()
            .map(|held| held.claim)
            .map(|claim| self.hold(turn, claim, renewed.contains(&claim).then_some(renewal)))
            .collect();
        let mut granted = self.hand_over_again(turn, renewal);
        self.claim(turn, &handlers, lease, &mut granted);
        Reply::Turned(Turned { reports, holding, granted })
    }

    fn held(&self, turn: &Turn, claim: Claim) -> Option<&Run> {
        let run = self.ledger.rows.runs.get(&claim.run)?;
        run.is_held_by(turn.runner, claim.fence).then_some(run)
    }

    fn report(&mut self, turn: &Turn, report: &Report) -> ReportAnswer {
        let claim = report.claim;
        let Some(run) = self.held(turn, claim) else {
            return self.report_on_lost(turn, report);
        };
        if self.locked.runs.contains(&claim.run) {
            return ReportAnswer::Busy;
        }
        match &report.event {
            ReportEvent::Started { config } => {
                // Said again after a lost answer: the first report stands.
                if run.hold().is_some_and(|hold| hold.started.is_none()) {
                    self.emit(Event::RunStarted {
                        run: claim.run,
                        at: self.now,
                        config: Box::new(config.clone()),
                    });
                }
            }
            ReportEvent::Progressed { units, message } => self.emit(Event::RunProgressed {
                run: claim.run,
                units: *units,
                message: message.clone(),
            }),
            ReportEvent::Ended(Ending { outcome, units, output }) => {
                self.end_run(claim.run, outcome.clone(), Word::Runner, *units, output.clone());
            }
            ReportEvent::GivenBack if run.cancel.is_some() => self.end_cancelled(claim.run),
            ReportEvent::GivenBack => self.emit(Event::RunGivenBack { run: claim.run }),
        }
        ReportAnswer::Done
    }

    /// Finishing twice is finishing, if it was this runner that finished under this fence.
    fn report_on_lost(&self, turn: &Turn, report: &Report) -> ReportAnswer {
        let claim = report.claim;
        let run = self.ledger.rows.runs.get(&claim.run);
        let ended = run.is_some_and(|run| run.was_ended_by(turn.runner, claim.fence));
        match report.event {
            ReportEvent::Ended(_) if ended => ReportAnswer::Done,
            ReportEvent::Ended(_)
            | ReportEvent::Started { .. }
            | ReportEvent::Progressed { .. }
            | ReportEvent::GivenBack => ReportAnswer::Lost,
        }
    }

    fn hold(&mut self, turn: &Turn, claim: Claim, renewal: Option<Timestamp>) -> HoldAnswer {
        if self.held(turn, claim).is_none() {
            return HoldAnswer::Lost;
        }
        if self.locked.runs.contains(&claim.run) {
            return HoldAnswer::Busy;
        }
        self.renew(claim.run, renewal);
        match self.held(turn, claim) {
            Some(run) => {
                HoldAnswer::Held { remaining: self.remaining(run), cancel: run.cancel.is_some() }
            }
            None => HoldAnswer::Lost,
        }
    }

    /// A renewal never shortens a lease: the clock may have stepped back.
    fn renew(&mut self, run: RunId, renewal: Option<Timestamp>) {
        let current = self.ledger.rows.runs.get(&run).and_then(Run::hold);
        let later = renewal.filter(|at| current.is_some_and(|hold| hold.lease_expires_at < *at));
        if let Some(lease_expires_at) = later {
            self.emit(Event::LeaseRenewed { run, lease_expires_at });
        }
    }

    /// What is left of a lease, never more than the lease: the clock may have stepped back.
    fn remaining(&self, run: &Run) -> Span {
        let Some(hold) = run.hold() else {
            return Span::ZERO;
        };
        let lease = self
            .ledger
            .rows
            .runners
            .get(&hold.runner)
            .map_or(Span::ZERO, |runner| runner.registration.lease);
        hold.lease_expires_at.since(self.now).min(lease)
    }

    /// Runs that the store holds for the runner and that the turn does not name: the answer that
    /// handed them over was lost, so no job was started for them.
    fn hand_over_again(&mut self, turn: &Turn, renewal: Timestamp) -> Vec<Grant> {
        let named: BTreeSet<Claim> = turn
            .reports
            .iter()
            .map(|report| report.claim)
            .chain(turn.holding.iter().map(|held| held.claim))
            .collect();
        let forgotten: Vec<(Claim, bool)> = self
            .ledger
            .held_by(turn.runner)
            .filter(|run| !self.locked.runs.contains(&run.id))
            .filter_map(|run| {
                let claim = Claim { run: run.id, fence: run.hold()?.fence };
                Some((claim, run.cancel.is_some()))
            })
            .filter(|(claim, _)| !named.contains(claim))
            .collect();
        let mut granted = Vec::new();
        for (claim, cancelled) in forgotten {
            if cancelled {
                self.end_cancelled(claim.run);
            } else {
                self.renew(claim.run, Some(renewal));
                granted.extend(self.grant(claim));
            }
        }
        granted
    }

    /// Claims what is due, oldest first, up to the runner's capacity. What the same turn gave
    /// back waits for the next one: a turn sees the queue as it found it.
    fn claim(&mut self, turn: &Turn, handlers: &Handlers, lease: Span, granted: &mut Vec<Grant>) {
        let held = self.ledger.held_by(turn.runner).count();
        let capacity = usize::try_from(turn.capacity).unwrap_or(usize::MAX);
        let claimable: Vec<RunId> = self
            .ledger
            .queue()
            .take_while(|run| run.not_before <= self.now)
            .filter(|run| run.start_before.is_none_or(|latest| self.now <= latest))
            .filter(|run| handlers.serves(&run.worker.handler()))
            .filter(|run| !self.locked.runs.contains(&run.id) && !gives_back(turn, run.id))
            .map(|run| run.id)
            .take(capacity.saturating_sub(held))
            .collect();
        for run in claimable {
            let fence = self.ledger.next_fence();
            let hold = Hold {
                runner: turn.runner,
                fence,
                claimed_at: self.now,
                lease_expires_at: self.now.plus(lease),
                started: None::<Started>,
                progress: None,
            };
            self.emit(Event::RunClaimed { run, hold });
            granted.extend(self.grant(Claim { run, fence }));
        }
    }

    /// What a runner needs to execute a claim.
    pub(super) fn grant(&self, claim: Claim) -> Option<Grant> {
        let run = self.ledger.rows.runs.get(&claim.run)?;
        Some(Grant {
            claim,
            number: run.number,
            worker: run.worker.clone(),
            trigger: run.trigger.clone(),
            request: run.request.clone(),
            settings: self.settings(&run.worker),
            catalogue: run.catalogue.clone(),
            timeout: run.timeout,
            remaining: self.remaining(run),
        })
    }
}

/// True when the turn gives the run back.
fn gives_back(turn: &Turn, run: RunId) -> bool {
    turn.reports
        .iter()
        .any(|report| report.claim.run == run && report.event == ReportEvent::GivenBack)
}
