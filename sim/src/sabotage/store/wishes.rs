//! Bugs about what people and programs ask for.

use horarium_core::ledger::reply::{Accepted, Cancelling, HoldAnswer};
use horarium_core::ledger::{Claim, Command, Event, Grant, Refusal, Reply, Wish};
use horarium_core::run::{
    CancelRequest, Cancellation, Hold, Outcome, Run, RunStatus, Trigger, Word,
};

use super::Spoiling;

impl Spoiling<'_> {
    fn drop_created(&mut self) {
        self.drop_events(|event| matches!(event, Event::RunCreated(_)));
    }

    /// The answers to a batch of which an item lost its slot.
    fn mixed_batch(&mut self) -> Option<(Refusal, &mut Vec<Result<Accepted, Refusal>>)> {
        let Reply::Enqueued(answers) = &mut self.handled.reply else { return None };
        let refusal = answers.iter().find_map(|answer| match answer {
            Err(refusal @ Refusal::SlotTaken { .. }) => Some(refusal.clone()),
            _ => None,
        })?;
        Some((refusal, answers))
    }

    pub(super) fn enqueue_unwritten(&mut self) {
        if self.mixed_batch().is_some() {
            self.drop_created();
        }
    }

    pub(super) fn batch_fails(&mut self) {
        let Command::Enqueue(wishes) = self.command else { return };
        let Some((refusal, answers)) = self.mixed_batch() else { return };
        let mut has_failed = false;
        for (wish, answer) in wishes.iter().zip(answers) {
            if answer.as_ref().is_ok_and(|accepted| !accepted.existed) {
                let mut refusal = refusal.clone();
                if let Refusal::SlotTaken { worker, .. } = &mut refusal {
                    *worker = wish.worker.clone();
                }
                *answer = Err(refusal);
                has_failed = true;
            }
        }
        if has_failed {
            self.drop_created();
        }
    }

    pub(super) fn other_body_accepted(&mut self) {
        let (Command::Enqueue(wishes), Reply::Enqueued(answers)) =
            (self.command, &mut self.handled.reply)
        else {
            return;
        };
        for (wish, answer) in wishes.iter().zip(answers) {
            if let (Err(Refusal::IdTaken { .. }), Some(run)) =
                (&*answer, self.before.rows().runs.get(&wish.run))
            {
                *answer =
                    Ok(Accepted { number: run.number, status: run.status_kind(), existed: true });
            }
        }
    }

    pub(super) fn started_beside(&mut self) {
        let (
            Command::StartForeground { runner, wish },
            Reply::Refused(Refusal::SlotTaken { run, .. }),
        ) = (self.command, &self.handled.reply)
        else {
            return;
        };
        let known = self.before.rows().runners.get(runner);
        let (Some(holder), Some(known)) = (self.run(*run), known) else { return };
        let Wish { run, worker, request, by, .. } = wish.clone();
        let hold = Hold {
            runner: *runner,
            fence: self.before.rows().sequences.fence,
            claimed_at: self.now,
            lease_expires_at: self.now.plus(known.registration.lease),
            started: None,
            progress: None,
        };
        let claim = Claim { run, fence: hold.fence };
        let run = Run {
            id: run,
            number: self.before.rows().sequences.number,
            worker,
            trigger: Trigger::Cli,
            request,
            by,
            enqueued_at: self.now,
            not_before: self.now,
            start_before: None,
            cancel: None,
            units: None,
            status: RunStatus::Running(hold),
            ..holder.clone()
        };
        self.handled.reply = Reply::Started(Box::new(Grant {
            claim,
            number: run.number,
            worker: run.worker.clone(),
            trigger: Trigger::Cli,
            request: run.request.clone(),
            settings: None,
            catalogue: run.catalogue.clone(),
            timeout: run.timeout,
            remaining: known.registration.lease,
        }));
        self.add(Event::RunCreated(Box::new(run)));
    }

    pub(super) fn cancel_unwritten(&mut self) {
        if self.handled.reply == Reply::Cancelling(Cancelling::Requested) {
            self.handled.events.clear();
        }
    }

    pub(super) fn cancel_rewrites(&mut self) {
        if let (Command::Cancel { run, by }, Reply::Cancelling(Cancelling::AlreadyEnded(_))) =
            (self.command, &self.handled.reply)
        {
            self.handled.reply = Reply::Cancelling(Cancelling::Cancelled);
            let request = CancelRequest { at: self.now, by: by.clone() };
            self.add(Event::CancelRequested { run: *run, request });
            self.end(*run, Outcome::Cancelled(Cancellation::Requested), Word::Store);
        }
    }

    pub(super) fn cancel_untold(&mut self) {
        if let Reply::Turned(turned) = &mut self.handled.reply {
            for answer in &mut turned.holding {
                if let HoldAnswer::Held { cancel, .. } = answer {
                    *cancel = false;
                }
            }
        }
    }

    pub(super) fn cancelled_handed_over(&mut self) {
        let (Command::Turn(turn), Reply::Turned(turned)) = (self.command, &mut self.handled.reply)
        else {
            return;
        };
        let is_named = |run| {
            turn.reports.iter().any(|report| report.claim.run == run)
                || turn.holding.iter().any(|held| held.claim.run == run)
        };
        let forgotten =
            self.before.held_by(turn.runner).find(|run| run.cancel.is_some() && !is_named(run.id));
        let Some((run, hold)) = forgotten.and_then(|run| Some((run, run.hold()?))) else { return };
        turned.granted.push(Grant {
            claim: Claim { run: run.id, fence: hold.fence },
            number: run.number,
            worker: run.worker.clone(),
            trigger: run.trigger.clone(),
            request: run.request.clone(),
            settings: None,
            catalogue: run.catalogue.clone(),
            timeout: run.timeout,
            remaining: hold.lease_expires_at.since(self.now),
        });
        let id = run.id;
        self.drop_events(|event| matches!(event, Event::RunEnded { run, .. } if *run == id));
    }
}
