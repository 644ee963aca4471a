//! Bugs about claims and what is reported of them.

use horarium_core::ledger::command::Ending;
use horarium_core::ledger::reply::ReportAnswer;
use horarium_core::ledger::{Claim, Command, Event, Reply, ReportEvent, Turn};
use horarium_core::run::{Hold, Interruption, Outcome, Run, Word};
use horarium_core::words::{Fence, RunId, Span};

use super::Spoiling;

impl<'a> Spoiling<'a> {
    /// The reports of a turn that were answered so, with their claims.
    fn reported(&self, answered: ReportAnswer) -> Vec<(Claim, ReportEvent)> {
        match (self.command, &self.handled.reply) {
            (Command::Turn(turn), Reply::Turned(turned)) => turn
                .reports
                .iter()
                .zip(&turned.reports)
                .filter(|(_, answer)| **answer == answered)
                .map(|(report, _)| (report.claim, report.event.clone()))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Answers the report of an end as done.
    fn answer_done(&mut self, claim: Claim) {
        let (Command::Turn(turn), Reply::Turned(turned)) = (self.command, &mut self.handled.reply)
        else {
            return;
        };
        for (report, answer) in turn.reports.iter().zip(&mut turned.reports) {
            if report.claim == claim && matches!(report.event, ReportEvent::Ended(_)) {
                *answer = ReportAnswer::Done;
            }
        }
    }

    pub(super) fn finish_without_fence(&mut self) {
        for (claim, event) in self.reported(ReportAnswer::Lost) {
            if let (ReportEvent::Ended(Ending { outcome, .. }), Some(_)) =
                (event, self.run(claim.run))
            {
                self.answer_done(claim);
                self.end(claim.run, outcome, Word::Runner);
            }
        }
    }

    pub(super) fn progress_without_fence(&mut self) {
        for (claim, event) in self.reported(ReportAnswer::Lost) {
            if let (ReportEvent::Progressed { units, message }, Some(_)) =
                (event, self.run(claim.run))
            {
                self.add(Event::RunProgressed { run: claim.run, units, message });
            }
        }
    }

    pub(super) fn end_unwritten(&mut self) {
        self.drop_events(|event| match event {
            Event::RunEnded { end, .. } => end.word == Word::Runner,
            Event::RetryChanged { .. } => true,
            _ => false,
        });
    }

    pub(super) fn given_back_running(&mut self) {
        self.drop_events(|event| matches!(event, Event::RunGivenBack { .. }));
    }

    pub(super) fn given_back_charged(&mut self) {
        for (claim, event) in self.reported(ReportAnswer::Done) {
            if event == ReportEvent::GivenBack {
                self.drop_events(
                    |event| matches!(event, Event::RunGivenBack { run } if *run == claim.run),
                );
                self.end(claim.run, Outcome::Interrupted(Interruption::Drain), Word::Runner);
            }
        }
    }

    /// The turn, if it has room and found nothing to claim.
    fn idle_turn(&self) -> Option<&'a Turn> {
        match (self.command, &self.handled.reply) {
            (Command::Turn(turn), Reply::Turned(turned))
                if turn.capacity > 0 && turned.granted.is_empty() =>
            {
                Some(turn)
            }
            _ => None,
        }
    }

    /// A hold of the turn's runner, without another look.
    fn hold_of(&self, turn: &Turn) -> Option<Hold> {
        let runner = self.before.rows().runners.get(&turn.runner)?;
        Some(Hold {
            runner: turn.runner,
            fence: self.before.rows().sequences.fence,
            claimed_at: self.now,
            lease_expires_at: self.now.plus(runner.registration.lease),
            started: None,
            progress: None,
        })
    }

    /// Claims a run for the turn's runner, without another look.
    fn claim(&mut self, run: Option<RunId>) {
        let hold = self.idle_turn().and_then(|turn| self.hold_of(turn));
        if let (Some(run), Some(hold)) = (run, hold) {
            self.add(Event::RunClaimed { run, hold });
        }
    }

    pub(super) fn claim_too_soon(&mut self) {
        let waiting = self.before.queue().find(|run| run.not_before > self.now);
        self.claim(waiting.map(|run| run.id));
    }

    pub(super) fn claimed_too_late(&mut self) {
        let is_late = |run: &&Run| run.start_before.is_some_and(|latest| latest < self.now);
        let late = self.before.queue().find(is_late);
        self.claim(late.map(|run| run.id));
    }

    pub(super) fn held_claimed(&mut self) {
        let Some(turn) = self.idle_turn() else { return };
        let others = |run: &&Run| run.hold().is_some_and(|hold| hold.runner != turn.runner);
        let held = self.before.running().find(others);
        self.claim(held.map(|run| run.id));
    }

    pub(super) fn claimed_too_many(&mut self) {
        let (Command::Turn(turn), Reply::Turned(turned)) = (self.command, &self.handled.reply)
        else {
            return;
        };
        let Some(runner) = self.before.rows().runners.get(&turn.runner) else { return };
        let claimed: Vec<RunId> = turned.granted.iter().map(|grant| grant.claim.run).collect();
        let next = self.before.queue().find(|run| {
            run.not_before <= self.now
                && run.start_before.is_none_or(|latest| self.now <= latest)
                && runner.registration.handlers.serves(&run.worker.handler())
                && !claimed.contains(&run.id)
        });
        let (run, hold) = (next.map(|run| run.id), self.hold_of(turn));
        if let (true, Some(run), Some(hold)) = (turn.capacity > 0, run, hold) {
            let drawn = u64::try_from(claimed.len()).unwrap_or(0);
            let fence = Fence::from_number(hold.fence.number().saturating_add(drawn));
            self.add(Event::RunClaimed { run, hold: Hold { fence, ..hold } });
        }
    }

    pub(super) fn fence_of_runner(&mut self) {
        let Command::Turn(turn) = self.command else { return };
        let own = Fence::from_number(turn.number.get());
        let Reply::Turned(turned) = &mut self.handled.reply else { return };
        for event in &mut self.handled.events {
            let Event::RunClaimed { run, hold } = event else { continue };
            hold.fence = own;
            for grant in turned.granted.iter_mut().filter(|grant| grant.claim.run == *run) {
                grant.claim.fence = own;
            }
        }
    }

    pub(super) fn claim_by_host_clock(&mut self) {
        for event in &mut self.handled.events {
            if let Event::RunClaimed { hold, .. } = event {
                hold.claimed_at = hold.claimed_at.plus(Span::from_millis(3));
            }
        }
    }
}
