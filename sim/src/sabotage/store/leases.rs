//! Bugs about leases: heartbeats and sweeps.

use horarium_core::ledger::reply::HoldAnswer;
use horarium_core::ledger::{Command, Event, Reply};
use horarium_core::run::{Interruption, Outcome, Word};
use horarium_core::words::{RunId, Span};

use super::Spoiling;

impl Spoiling<'_> {
    pub(super) fn hand_over_unrenewed(&mut self) {
        if let Reply::Turned(turned) = &self.handled.reply {
            let granted: Vec<RunId> = turned.granted.iter().map(|grant| grant.claim.run).collect();
            self.drop_events(
                |event| matches!(event, Event::LeaseRenewed { run, .. } if granted.contains(run)),
            );
        }
    }

    pub(super) fn heartbeat_unwritten(&mut self) {
        if let Command::Turn(turn) = self.command {
            let held: Vec<RunId> = turn.holding.iter().map(|held| held.claim.run).collect();
            self.drop_events(
                |event| matches!(event, Event::LeaseRenewed { run, .. } if held.contains(run)),
            );
        }
    }

    pub(super) fn heartbeat_revives(&mut self) {
        let Command::Turn(turn) = self.command else { return };
        let settled = turn.holding.iter().filter(|held| held.renew).find_map(|held| {
            let end = self.run(held.claim.run)?.end()?;
            Some((held.claim.run, end.hold.clone()?))
        });
        if let Some((run, hold)) = settled.filter(|(_, hold)| hold.runner == turn.runner) {
            self.add(Event::RunClaimed { run, hold });
        }
    }

    pub(super) fn lost_hold_held(&mut self) {
        let (Command::Turn(turn), Reply::Turned(turned)) = (self.command, &mut self.handled.reply)
        else {
            return;
        };
        let runner = self.before.rows().runners.get(&turn.runner);
        for answer in &mut turned.holding {
            if let (HoldAnswer::Lost, Some(runner)) = (*answer, runner) {
                let remaining = runner.registration.lease;
                *answer = HoldAnswer::Held { remaining, cancel: false };
            }
        }
    }

    pub(super) fn early_sweep(&mut self) {
        if !matches!(self.command, Command::Sweep { .. }) {
            return;
        }
        let soon = self.now.plus(Span::from_secs(3));
        let early: Vec<RunId> = self
            .before
            .running()
            .filter(|run| {
                run.hold().is_some_and(|hold| {
                    hold.lease_expires_at > self.now && hold.lease_expires_at < soon
                })
            })
            .map(|run| run.id)
            .collect();
        for run in early {
            self.end(run, Outcome::Interrupted(Interruption::LeaseExpired), Word::Store);
        }
    }

    pub(super) fn edge_spared(&mut self) {
        let now = self.now;
        let at_the_edge = self
            .before
            .running()
            .find(|run| run.hold().is_some_and(|hold| hold.lease_expires_at == now));
        if let (Command::Sweep { .. }, Some(run)) = (self.command, at_the_edge) {
            self.spare(run.id);
        }
    }

    pub(super) fn sweep_skips_one(&mut self) {
        let Reply::Swept { interrupted: 2.., more: false, .. } = self.handled.reply else {
            return;
        };
        let last = self.handled.events.iter().rev().find_map(|event| match event {
            Event::RunEnded { run, .. } => Some(*run),
            _ => None,
        });
        if let Some(run) = last {
            self.spare(run);
        }
    }

    /// The sweep leaves this run alone.
    fn spare(&mut self, id: RunId) {
        let chain = self.run(id).and_then(|run| {
            let scheduled = run.trigger.scheduled()?;
            Some((run.worker.clone(), scheduled.scheduled_for))
        });
        self.drop_events(|event| match event {
            Event::RunEnded { run, .. } => *run == id,
            Event::RetryChanged { worker, scheduled_for, .. } => {
                chain.as_ref().is_some_and(|(of, at)| of == worker && at == scheduled_for)
            }
            _ => false,
        });
    }

    pub(super) fn sweep_succeeds(&mut self) {
        for event in &mut self.handled.events {
            if let Event::RunEnded { end, .. } = event
                && end.outcome == Outcome::Interrupted(Interruption::LeaseExpired)
            {
                end.outcome = Outcome::Success;
            }
        }
    }
}
