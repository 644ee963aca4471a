//! One call against one state: what the ledger says, given what others may have held.

use std::collections::{BTreeSet, VecDeque};

use horarium_core::ledger::reply::{Accepted, Ticked};
use horarium_core::ledger::{Command, Draws, Handled, Ledger, Locked, Refusal, Reply};

use super::{Call, Change, Row};

/// What the ledger makes of the call in this state.
pub(super) fn handle(call: &Call, change: Option<&Change>, alone: bool, state: &Ledger) -> Handled {
    let nothing = Change::default();
    let change = change.unwrap_or(&nothing);
    let draws = Draws {
        numbers: change.numbers.iter().copied().collect::<VecDeque<_>>(),
        fences: change.fences.iter().copied().collect::<VecDeque<_>>(),
    };
    let locked = if alone { Locked::default() } else { passed_by(call, change, state) };
    state.clone().with_draws(draws).handle_amid(call.now, &call.command, &locked)
}

/// Everything that the call may pass by and did not write.
fn passed_by(call: &Call, change: &Change, state: &Ledger) -> Locked {
    let rows = state.rows();
    match &call.command {
        Command::Turn(_) | Command::Sweep { .. } => {
            let others = rows.runs.keys().filter(|run| !change.rows.contains(&Row::Run(**run)));
            Locked { runs: others.copied().collect(), workers: BTreeSet::new() }
        }
        Command::Tick(_) => {
            let others = rows.workers.keys().filter(|worker| {
                let is_written = |row: fn(_) -> Row| change.rows.contains(&row((*worker).clone()));
                !is_written(Row::Worker) && !is_written(Row::Slot)
            });
            Locked { workers: others.cloned().collect(), runs: BTreeSet::new() }
        }
        Command::Register(_)
        | Command::Retire { .. }
        | Command::Prune(_)
        | Command::Enqueue(_)
        | Command::StartForeground { .. }
        | Command::Cancel { .. }
        | Command::Release { .. }
        | Command::PutSchedule { .. }
        | Command::EnableSchedule { .. }
        | Command::DisableSchedule { .. }
        | Command::DeleteSchedule { .. }
        | Command::PutSettings { .. }
        | Command::PublishCatalogue { .. } => Locked::default(),
    }
}

/// The answer as far as it is of one moment. A batch of wishes looks up one after the other what
/// is there already: an answer to a wish that created nothing is of its own moment, and is taken
/// from `elsewhere`, what the ledger says in the other states that the call may have seen.
pub(super) fn by_parts(expected: Reply, heard: &Reply, elsewhere: &[Reply]) -> Reply {
    let (Reply::Enqueued(mut answers), Reply::Enqueued(heard)) = (expected.clone(), heard) else {
        return expected;
    };
    for (place, (answer, heard)) in answers.iter_mut().zip(heard).enumerate() {
        let created = |answer: &Result<Accepted, Refusal>| {
            answer.as_ref().is_ok_and(|accepted| !accepted.existed)
        };
        let is_said = |reply: &Reply| matches!(reply, Reply::Enqueued(answers) if answers.get(place) == Some(heard));
        if !created(answer) && !created(heard) && elsewhere.iter().any(is_said) {
            answer.clone_from(heard);
        }
    }
    Reply::Enqueued(answers)
}

/// True when the answer that was heard is the one expected. Whether more may be left, and what
/// comes next, depends on what others held, so only who was alone must hear it exactly.
pub(super) fn agrees(expected: &Reply, heard: &Reply, alone: bool) -> bool {
    if alone {
        return expected == heard;
    }
    match (expected, heard) {
        (
            Reply::Swept { interrupted, too_late, more: _ },
            Reply::Swept { interrupted: also, too_late: also_late, more: _ },
        ) => (interrupted, too_late) == (also, also_late),
        (
            Reply::Pruned { runs, occurrences, more: _ },
            Reply::Pruned { runs: also, occurrences: also_occurrences, more: _ },
        ) => (runs, occurrences) == (also, also_occurrences),
        (
            Reply::Ticked(Ticked { done, recomputed, more: _, wait: _ }),
            Reply::Ticked(Ticked { done: also, recomputed: also_recomputed, more: _, wait: _ }),
        ) => (done, recomputed) == (also, also_recomputed),
        (expected, heard) => expected == heard,
    }
}
