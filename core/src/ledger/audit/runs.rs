//! What the audit looks at in a run's life.

use crate::config::Config;
use crate::ledger::Claim;
use crate::ledger::command::{Command, ReportEvent};
use crate::run::{
    CancelRequest, Cancellation, End, Failure, Hold, Interruption, Outcome, Run, RunStatus,
    Scheduled, Started, Trigger, Units, Word,
};
use crate::words::{Attempt, Backoff, RetryPolicy, RunId, Span, Timestamp};

use super::watch::{Audit, Step};
use super::{Found, Invariant, Violation, hold};

impl Audit {
    pub(super) fn run_created(&mut self, step: &mut Step<'_>, run: &Run) -> Found {
        hold(!self.runs.contains_key(&run.id), Invariant::NoDoubleEnqueue, || {
            format!("run {} was created twice", run.id)
        })?;
        let holder = self.slot.get(&run.worker);
        hold(holder.is_none(), Invariant::OneActiveRow, || {
            format!("{} has {holder:?} and got {} as well", run.worker, run.id)
        })?;
        self.is_now(step, run.enqueued_at, "enqueued_at")?;
        hold(run.not_before >= run.enqueued_at, Invariant::NotBefore, || {
            format!("{} may start before it was accepted", run.id)
        })?;
        hold(run.units.is_none(), Invariant::CountersApart, || {
            format!("{} was created with units", run.id)
        })?;
        match &run.trigger {
            Trigger::Manual | Trigger::Cli => {}
            Trigger::Schedule(scheduled) => self.scheduled_created(run, scheduled)?,
        }
        match &run.status {
            RunStatus::Queued => {}
            RunStatus::Running(held) => {
                let by_holder = matches!(
                    step.command,
                    Command::StartForeground { runner, .. } if *runner == held.runner
                );
                hold(by_holder, Invariant::Fenced, || {
                    format!("{} was created running by somebody else", run.id)
                })?;
                self.fence_drawn(step, run, held)?;
            }
            RunStatus::Ended(_) => {
                return Err(Violation::of(
                    Invariant::NothingLost,
                    format!("{} was created ended", run.id),
                ));
            }
        }
        step.created.insert(run.id);
        self.remember(run);
        Ok(())
    }

    fn scheduled_created(&mut self, run: &Run, scheduled: &Scheduled) -> Found {
        let key = (run.worker.clone(), scheduled.scheduled_for);
        let Some(before) = scheduled.retry_of else {
            let first = self.first_attempts.get(&key);
            hold(first.is_none(), Invariant::NoDoubleEnqueue, || {
                format!("{key:?} had {first:?} and got {}", run.id)
            })?;
            hold(scheduled.attempt.get() == 1, Invariant::BoundedAttempts, || {
                format!("{} begins a chain as {:?}", run.id, scheduled.attempt)
            })?;
            let owed = self.owed.keys().find(|(worker, _)| *worker == run.worker);
            return hold(owed.is_none(), Invariant::SkipNotQueue, || {
                format!("{} was created while {owed:?} owed a retry", run.id)
            });
        };
        let Some(failed) = self.runs.get(&before) else {
            return Err(Violation::of(
                Invariant::BoundedAttempts,
                format!("{} repeats {before}, which is not there", run.id),
            ));
        };
        let Some(earlier) = failed.trigger.scheduled() else {
            return Err(Violation::of(
                Invariant::OnlyScheduledRetried,
                format!("{} repeats {before}, which is {:?}", run.id, failed.trigger.kind()),
            ));
        };
        hold(may_be_retried(failed), Invariant::OnlyScheduledRetried, || {
            format!("{} repeats {before}, which is {:?}", run.id, failed.status)
        })?;
        hold(!self.retried.contains(&before), Invariant::BoundedAttempts, || {
            format!("{before} was repeated twice")
        })?;
        let linear = earlier.scheduled_for == scheduled.scheduled_for
            && earlier.attempt.get() + 1 == scheduled.attempt.get()
            && scheduled.attempt <= failed.retry.max_attempts
            && scheduled.attempt.get() <= 3
            && failed.worker == run.worker;
        hold(linear, Invariant::BoundedAttempts, || {
            format!("{scheduled:?} follows {earlier:?}, of at most {:?}", failed.retry)
        })?;
        hold(failed.request == run.request, Invariant::RequestIsPinned, || {
            format!("{} repeats {before} with another request", run.id)
        })?;
        let soonest = run.enqueued_at.plus(shortest_delay(failed.retry, earlier.attempt));
        hold(run.not_before >= soonest, Invariant::NotBefore, || {
            format!("{} may repeat {before} before {soonest}", run.id)
        })
    }

    fn fence_drawn(&mut self, step: &Step<'_>, run: &Run, held: &Hold) -> Found {
        let last = self.fences.get(&run.worker);
        hold(last.is_none_or(|last| held.fence > *last), Invariant::FenceGrows, || {
            format!("{} got {:?} after {last:?}", run.worker, held.fence)
        })?;
        self.is_now(step, held.claimed_at, "claimed_at")?;
        hold(held.lease_expires_at > step.now, Invariant::NothingLost, || {
            format!("the lease of {} had run out when it was given", run.id)
        })
    }

    pub(super) fn run_claimed(&mut self, step: &Step<'_>, id: RunId, held: &Hold) -> Found {
        let run = self.known(id)?;
        hold(run.status == RunStatus::Queued, Invariant::Fenced, || {
            format!("{id} was claimed while it was {}", run.status_kind())
        })?;
        hold(step.is_turn_of(held.runner), Invariant::Fenced, || {
            format!("{id} was claimed for a runner that did not ask")
        })?;
        hold(run.not_before <= step.now, Invariant::NotBefore, || {
            format!("{id} was claimed at {}, before {}", step.now, run.not_before)
        })?;
        hold(
            run.start_before.is_none_or(|latest| step.now <= latest),
            Invariant::NotBefore,
            || format!("{id} was claimed at {}, later than {:?}", step.now, run.start_before),
        )?;
        self.fence_drawn(step, &run, held)?;
        self.remember(&Run { status: RunStatus::Running(held.clone()), ..run });
        Ok(())
    }

    pub(super) fn run_started(&mut self, step: &Step<'_>, id: RunId, config: &Config) -> Found {
        let (mut run, mut held) =
            self.reported(step, id, |event| matches!(event, ReportEvent::Started { .. }))?;
        hold(held.started.is_none(), Invariant::Fenced, || format!("{id} was started twice"))?;
        held.started = Some(Started { at: step.now, config: config.clone() });
        run.status = RunStatus::Running(held);
        self.remember(&run);
        Ok(())
    }

    pub(super) fn run_progressed(
        &mut self,
        step: &Step<'_>,
        id: RunId,
        units: Option<Units>,
    ) -> Found {
        let (mut run, _) =
            self.reported(step, id, |event| matches!(event, ReportEvent::Progressed { .. }))?;
        run.units = units.or(run.units);
        self.remember(&run);
        Ok(())
    }

    pub(super) fn lease_renewed(&mut self, step: &Step<'_>, id: RunId, until: Timestamp) -> Found {
        let mut run = self.known(id)?;
        let RunStatus::Running(held) = &mut run.status else {
            return Err(not_running(&run));
        };
        hold(step.is_turn_of(held.runner), Invariant::Fenced, || {
            format!("the lease of {id} was renewed by somebody else")
        })?;
        hold(until >= held.lease_expires_at, Invariant::NothingLost, || {
            format!("the lease of {id} was shortened")
        })?;
        held.lease_expires_at = until;
        self.remember(&run);
        Ok(())
    }

    pub(super) fn run_given_back(&mut self, step: &Step<'_>, id: RunId) -> Found {
        let (mut run, _) =
            self.reported(step, id, |event| matches!(event, ReportEvent::GivenBack))?;
        run.status = RunStatus::Queued;
        self.remember(&run);
        Ok(())
    }

    pub(super) fn cancel_requested(&mut self, id: RunId, request: &CancelRequest) -> Found {
        let run = self.known(id)?;
        hold(run.is_active(), Invariant::TerminalIsFinal, || {
            format!("a cancel was written on {id}, which is {}", run.status_kind())
        })?;
        self.remember(&Run { cancel: Some(request.clone()), ..run });
        Ok(())
    }

    pub(super) fn run_ended(
        &mut self,
        step: &mut Step<'_>,
        id: RunId,
        end: &End,
        units: Option<Units>,
    ) -> Found {
        let run = self.known(id)?;
        hold(run.is_active(), Invariant::TerminalIsFinal, || {
            format!("{id} was {} and ended again as {}", run.status_kind(), end.outcome)
        })?;
        self.is_now(step, end.at, "ended_at")?;
        hold(end.hold.as_ref() == run.hold(), Invariant::Fenced, || {
            format!("{id} ended with another hold than it had")
        })?;
        match end.word {
            Word::Runner => {
                self.reported(step, id, |event| matches!(event, ReportEvent::Ended(_)))?;
            }
            Word::Store => {
                may_store_end(step, &run, &end.outcome)?;
                hold(units.is_none(), Invariant::CountersApart, || {
                    format!("the store moved the units of {id}")
                })?;
            }
        }
        let ended = Run {
            units: units.or(run.units),
            status: RunStatus::Ended(Box::new(end.clone())),
            ..run
        };
        if may_be_retried(&ended)
            && let Some(scheduled) = ended.trigger.scheduled()
            && scheduled.attempt < ended.retry.max_attempts
        {
            step.unwritten.insert(id);
        }
        self.slot.remove(&ended.worker);
        self.remember(&ended);
        Ok(())
    }

    pub(super) fn run_pruned(&mut self, id: RunId) -> Found {
        let run = self.known(id)?;
        hold(!run.is_active(), Invariant::NothingLost, || format!("{id} was pruned alive"))?;
        hold(!self.owed.values().any(|failed| *failed == id), Invariant::NothingLost, || {
            format!("{id} was pruned while its retry was owed")
        })?;
        self.runs.remove(&id);
        Ok(())
    }

    fn known(&self, id: RunId) -> Result<Run, Violation> {
        self.runs.get(&id).cloned().ok_or_else(|| {
            Violation::of(
                Invariant::NothingLost,
                format!("an event about {id}, which is not there"),
            )
        })
    }

    /// The run and its hold, if its holder reports such an event under its fence in this step.
    fn reported(
        &self,
        step: &Step<'_>,
        id: RunId,
        is: impl Fn(&ReportEvent) -> bool,
    ) -> Result<(Run, Hold), Violation> {
        let run = self.known(id)?;
        let Some(held) = run.hold().cloned() else { return Err(not_running(&run)) };
        let claim = Claim { run: id, fence: held.fence };
        hold(step.is_turn_of(held.runner) && step.reports(claim, is), Invariant::Fenced, || {
            format!("{id} was changed by somebody who does not hold {claim:?}")
        })?;
        Ok((run, held))
    }
}

fn not_running(run: &Run) -> Violation {
    let invariant = if run.is_active() { Invariant::Fenced } else { Invariant::TerminalIsFinal };
    Violation::of(invariant, format!("{} was changed while {}", run.id, run.status_kind()))
}

/// The shortest delay after an attempt, said again without the policy's own words for it: the
/// back-off less a fifth.
fn shortest_delay(policy: RetryPolicy, attempt: Attempt) -> Span {
    let growth = match (policy.backoff, attempt.get()) {
        (Backoff::Exponential, number) => 2_u64.saturating_pow(u32::from(number.saturating_sub(1))),
        (Backoff::Quadratic, number) => u64::from(number).saturating_pow(2),
    };
    policy.base.times(growth).min(Span::from_minutes(30)).scaled(4, 5)
}

/// The fourth invariant, said again without the ledger's own words for it.
pub(super) fn may_be_retried(run: &Run) -> bool {
    let failed = match run.end().map(|end| &end.outcome) {
        Some(Outcome::Failed(Failure { is_final, .. })) => !is_final,
        Some(Outcome::Interrupted(why)) => !matches!(why, Interruption::Released(_)),
        Some(Outcome::Success | Outcome::Cancelled(_)) | None => false,
    };
    failed && run.trigger.scheduled().is_some() && run.cancel.is_none()
}

/// What the store itself may decide about a run.
fn may_store_end(step: &Step<'_>, run: &Run, outcome: &Outcome) -> Found {
    let id = run.id;
    match outcome {
        Outcome::Interrupted(Interruption::LeaseExpired) => {
            let expired = run.hold().is_some_and(|held| held.lease_expires_at <= step.now);
            hold(expired, Invariant::Fenced, || format!("{id} was swept while its lease held"))
        }
        Outcome::Interrupted(Interruption::Released(_)) => {
            let forced =
                matches!(step.command, Command::Release { run, force: true, .. } if *run == id);
            hold(forced, Invariant::Fenced, || format!("{id} was released by nobody"))
        }
        Outcome::Cancelled(Cancellation::TooLate) => {
            let late =
                run.hold().is_none() && run.start_before.is_some_and(|latest| latest < step.now);
            hold(late, Invariant::NothingLost, || format!("{id} was closed as too late too early"))
        }
        Outcome::Cancelled(Cancellation::Requested) => {
            let asked = run.cancel.is_some()
                && match (step.command, run.hold()) {
                    (Command::Cancel { run, .. }, None) => *run == id,
                    (Command::Turn(turn), Some(held)) => turn.runner == held.runner,
                    _ => false,
                };
            hold(asked, Invariant::Fenced, || format!("{id} was cancelled by nobody"))
        }
        Outcome::Success
        | Outcome::Failed(_)
        | Outcome::Interrupted(Interruption::Drain | Interruption::Lease) => {
            Err(Violation::of(Invariant::Fenced, format!("the store ended {id} as {outcome}")))
        }
    }
}
