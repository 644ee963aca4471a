//! How a broken store spoils what a sound one would have done.

use std::num::NonZeroU64;

use horarium_core::ledger::reply::{Done, HoldAnswer, ReportAnswer};
use horarium_core::ledger::{Command, Event, Handled, Ledger, Reply, ReportEvent, Turn};
use horarium_core::run::{End, Hold, Interruption, Outcome, Output, Run, RunStatus, Word};
use horarium_core::schedule::{Fate, Retry, SkipReason};
use horarium_core::words::{RunId, RunNumber, Span, Timestamp};

use super::Sabotage;

/// The turn with a number that the store takes.
pub(super) fn renumbered(ledger: &Ledger, turn: &Turn) -> Turn {
    let taken = ledger.rows().runners.get(&turn.runner).map_or(0, |runner| runner.turn);
    let number = NonZeroU64::new(taken.saturating_add(1)).unwrap_or(NonZeroU64::MIN);
    Turn { number: number.max(turn.number), ..turn.clone() }
}

/// Spoils what was done to `before`.
pub(super) fn spoil(
    sabotage: Sabotage,
    before: &Ledger,
    now: Timestamp,
    command: &Command,
    handled: &mut Handled,
) {
    match sabotage {
        Sabotage::FinishWithoutFence => finish_without_fence(before, now, command, handled),
        Sabotage::HandOverUnrenewed => {
            if let Reply::Turned(turned) = &handled.reply {
                let granted: Vec<RunId> =
                    turned.granted.iter().map(|grant| grant.claim.run).collect();
                handled.events.retain(|event| {
                    !matches!(event, Event::LeaseRenewed { run, .. } if granted.contains(run))
                });
            }
        }
        Sabotage::LostHoldHeld => {
            if let (Command::Turn(turn), Reply::Turned(turned)) = (command, &mut handled.reply) {
                let lease = before.rows().runners.get(&turn.runner);
                for answer in &mut turned.holding {
                    if let (HoldAnswer::Lost, Some(runner)) = (*answer, lease) {
                        let remaining = runner.registration.lease;
                        *answer = HoldAnswer::Held { remaining, cancel: false };
                    }
                }
            }
        }
        Sabotage::ClaimTooSoon => claim_too_soon(before, now, command, handled),
        Sabotage::DoubleEnqueue => double_enqueue(before, now, command, handled),
        Sabotage::CancelledRetried => cancelled_retried(before, now, handled),
        Sabotage::DroppedInstant => {
            if !matches!(command, Command::Tick(_)) {
                handled.events.retain(|event| !matches!(event, Event::OccurrenceRecorded(_)));
            }
        }
        Sabotage::CatchUpEach => catch_up_each(before, handled),
        Sabotage::SkipQueued => skip_queued(before, now, handled),
        Sabotage::EarlySweep => early_sweep(before, now, command, handled),
        Sabotage::OldTurnsTaken
        | Sabotage::DeadlineFromAnswer
        | Sabotage::AnyAnswerTaken
        | Sabotage::ReportedAlive
        | Sabotage::GuardAsleep
        | Sabotage::KillIgnored
        | Sabotage::NewIdForOldWish => {}
    }
}

/// What is left of each lease, as if it had been told at the moment of the answer.
pub(super) fn prolong(reply: &mut Reply, by: Span) {
    match reply {
        Reply::Turned(turned) => {
            for answer in &mut turned.holding {
                if let HoldAnswer::Held { remaining, .. } = answer {
                    *remaining = remaining.plus(by);
                }
            }
            for grant in &mut turned.granted {
                grant.remaining = grant.remaining.plus(by);
            }
        }
        Reply::Started(grant) => grant.remaining = grant.remaining.plus(by),
        _ => {}
    }
}

fn finish_without_fence(before: &Ledger, now: Timestamp, command: &Command, handled: &mut Handled) {
    let (Command::Turn(turn), Reply::Turned(turned)) = (command, &mut handled.reply) else {
        return;
    };
    for (report, answer) in turn.reports.iter().zip(&mut turned.reports) {
        let run = before.rows().runs.get(&report.claim.run);
        if let (ReportEvent::Ended(ending), ReportAnswer::Lost, Some(run)) =
            (&report.event, *answer, run)
        {
            *answer = ReportAnswer::Done;
            handled.events.push(Event::RunEnded {
                run: run.id,
                end: Box::new(End {
                    at: now,
                    outcome: ending.outcome.clone(),
                    word: Word::Runner,
                    hold: run.hold().cloned(),
                    output: ending.output.clone(),
                }),
                units: ending.units,
            });
        }
    }
}

fn early_sweep(before: &Ledger, now: Timestamp, command: &Command, handled: &mut Handled) {
    if !matches!(command, Command::Sweep { .. }) {
        return;
    }
    let soon = now.plus(Span::from_secs(3));
    for run in before.running() {
        let hold = run.hold();
        if hold.is_some_and(|hold| hold.lease_expires_at > now && hold.lease_expires_at < soon) {
            handled.events.push(Event::RunEnded {
                run: run.id,
                end: Box::new(End {
                    at: now,
                    outcome: Outcome::Interrupted(Interruption::LeaseExpired),
                    word: Word::Store,
                    hold: hold.cloned(),
                    output: Output::default(),
                }),
                units: None,
            });
        }
    }
}

fn claim_too_soon(before: &Ledger, now: Timestamp, command: &Command, handled: &mut Handled) {
    let (Command::Turn(turn), Reply::Turned(turned)) = (command, &handled.reply) else {
        return;
    };
    let Some(runner) = before.rows().runners.get(&turn.runner) else {
        return;
    };
    let waiting = before.queue().find(|run| run.not_before > now);
    if let (true, Some(run)) = (turn.capacity > 0 && turned.granted.is_empty(), waiting) {
        handled.events.push(Event::RunClaimed {
            run: run.id,
            hold: Hold {
                runner: turn.runner,
                fence: before.rows().sequences.fence,
                claimed_at: now,
                lease_expires_at: now.plus(runner.registration.lease),
                started: None,
                progress: None,
            },
        });
    }
}

/// An id that no honest run has.
fn forged(run: RunId) -> RunId {
    RunId::from_bytes(run.to_bytes().map(|byte| !byte))
}

/// The same run once more, under a forged id.
fn queued_again(run: &Run, number: RunNumber, now: Timestamp) -> Run {
    Run {
        id: forged(run.id),
        number,
        status: RunStatus::Queued,
        enqueued_at: now,
        not_before: now,
        start_before: None,
        cancel: None,
        units: None,
        ..run.clone()
    }
}

fn double_enqueue(before: &Ledger, now: Timestamp, command: &Command, handled: &mut Handled) {
    if !matches!(command, Command::Tick(_)) {
        return;
    }
    let again = before.rows().runs.values().find(|run| {
        run.trigger.scheduled().is_some_and(|scheduled| scheduled.attempt.get() == 1)
            && before.slot(&run.worker).is_none()
            && !before.rows().runs.contains_key(&forged(run.id))
    });
    let created = handled.events.iter().any(|event| matches!(event, Event::RunCreated(_)));
    if let (Some(run), false) = (again, created) {
        let number = before.rows().sequences.number;
        let twin = queued_again(run, number, now);
        handled.events.push(Event::RunCreated(Box::new(twin)));
    }
}

fn cancelled_retried(before: &Ledger, now: Timestamp, handled: &mut Handled) {
    let mut owed = Vec::new();
    for event in &handled.events {
        let Event::RunEnded { run, .. } = event else { continue };
        let Some(run) = before.rows().runs.get(run).filter(|run| run.cancel.is_some()) else {
            continue;
        };
        let left = |attempt| run.retry.after(attempt).is_some();
        if let Some(scheduled) = run.trigger.scheduled().filter(|it| left(it.attempt)) {
            owed.push(Event::RetryChanged {
                worker: run.worker.clone(),
                scheduled_for: scheduled.scheduled_for,
                retry: Retry::Owed { since: now },
            });
        }
    }
    handled.events.extend(owed);
}

fn catch_up_each(before: &Ledger, handled: &mut Handled) {
    let caught_up: Vec<_> = handled
        .events
        .iter()
        .filter_map(|event| match event {
            Event::OccurrenceRecorded(row) if row.fate == Fate::CaughtUp => {
                Some((row.worker.clone(), row.scheduled_for))
            }
            _ => None,
        })
        .collect();
    for event in &mut handled.events {
        let Event::ScheduleAdvanced { worker, advance, .. } = event else { continue };
        let from = caught_up.iter().find(|(of, _)| of == worker).map(|(_, at)| *at);
        let schedule = before.rows().workers.get(worker).and_then(|row| row.schedule.as_ref());
        if let (Some(from), Some(schedule)) = (from, schedule) {
            advance.accounted_until = from;
            advance.next = schedule.plan.next_after(from, None, None).occasion();
        }
    }
}

fn skip_queued(before: &Ledger, now: Timestamp, handled: &mut Handled) {
    let Reply::Ticked(ticked) = &handled.reply else {
        return;
    };
    let skipped = ticked.done.iter().find_map(|done| match done {
        Done::Occurred {
            worker, fate: Fate::Skipped(SkipReason::SlotTaken { run, .. }), ..
        } => before.rows().runs.get(run).filter(|run| run.worker == *worker),
        _ => None,
    });
    if let Some(run) = skipped {
        let twin = queued_again(run, before.rows().sequences.number, now);
        if !before.rows().runs.contains_key(&twin.id) {
            handled.events.push(Event::RunCreated(Box::new(twin)));
        }
    }
}
