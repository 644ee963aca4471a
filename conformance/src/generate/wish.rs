//! What people and programs ask for: runs, and their end.

use horarium_core::ledger::command::LARGEST_BATCH;
use horarium_core::ledger::{Command, Ledger, Wish};
use horarium_core::run::{Run, StatusKind, TriggerKind};
use horarium_core::words::{Attempt, RunId, Span, Timestamp};

use super::{runner, value};
use crate::cast;
use crate::draw::Draw;

pub(super) fn enqueue(draw: &mut Draw, model: &Ledger, now: Timestamp) -> Command {
    let count = match draw.weighted(&[94, 4, 1, 1]) {
        0 => 1 + draw.below(3),
        1 => 30,
        2 => 0,
        _ => LARGEST_BATCH + 1,
    };
    let wish = |draw: &mut Draw| some_wish(draw, model, TriggerKind::Manual, now);
    if count > 100 {
        return Command::Enqueue(vec![wish(draw); count]);
    }
    Command::Enqueue((0..count).map(|_| wish(draw)).collect())
}

pub(super) fn start_foreground(draw: &mut Draw, model: &Ledger, now: Timestamp) -> Command {
    let wish = match given_back(model) {
        Some(run) if draw.chance(40) => again(run),
        Some(_) | None => some_wish(draw, model, TriggerKind::Cli, now),
    };
    let holder = model.rows().runs.get(&wish.run).and_then(Run::hold).map(|hold| hold.runner);
    let runner = match holder {
        Some(holder) if draw.chance(60) => holder,
        Some(_) | None => runner::some_runner(draw, model),
    };
    Command::StartForeground { runner, wish }
}

/// A foreground run that its runner gave back, which another one will soon claim.
pub(super) fn given_back(model: &Ledger) -> Option<&Run> {
    model.queue().find(|run| run.trigger.kind() == TriggerKind::Cli)
}

/// A new wish, one that was accepted already, or one whose id was used for something else.
fn some_wish(draw: &mut Draw, model: &Ledger, trigger: TriggerKind, now: Timestamp) -> Wish {
    let fresh = fresh_wish(draw, now);
    let lives = draw.chance(50);
    let accepted: Vec<&Run> = model
        .rows()
        .runs
        .values()
        .filter(|run| run.trigger.kind() == trigger && (!lives || run.is_active()))
        .collect();
    match draw.weighted(&[78, 14, 6, 2]) {
        0 => fresh,
        1 => draw.one(&accepted).map_or(fresh, |run| again(run)),
        2 => {
            let runs: Vec<RunId> = model.rows().runs.keys().copied().collect();
            let run = draw.one(&runs).copied().unwrap_or(fresh.run);
            Wish { run, ..fresh }
        }
        // What the scheduler would make of it.
        _ => Wish { run: RunId::of_occurrence(&fresh.worker, now, Attempt::FIRST), ..fresh },
    }
}

fn fresh_wish(draw: &mut Draw, now: Timestamp) -> Wish {
    let worker =
        if draw.chance(4) { cast::worker_name(cast::UNKNOWN_HANDLER) } else { cast::worker(draw) };
    let not_before = match draw.weighted(&[70, 20, 10]) {
        0 => None,
        1 => Some(now.plus(Span::from_secs(draw.between(1, 90)))),
        _ => Some(now.minus(Span::from_secs(draw.between(0, 90)))),
    };
    Wish {
        run: RunId::v7(now.millis(), draw.wide_bits()),
        worker,
        request: value::request(draw),
        not_before,
        by: cast::by(draw),
    }
}

/// The wish that the run was.
fn again(run: &Run) -> Wish {
    Wish {
        run: run.id,
        worker: run.worker.clone(),
        request: run.request.clone(),
        not_before: Some(run.not_before),
        by: run.by.clone(),
    }
}

pub(super) fn cancel(draw: &mut Draw, model: &Ledger) -> Command {
    Command::Cancel { run: some_run(draw, model), by: cast::by(draw) }
}

pub(super) fn release(draw: &mut Draw, model: &Ledger) -> Command {
    Command::Release { run: some_run(draw, model), force: draw.chance(70), by: cast::by(draw) }
}

/// A run of each status as often as of any other, or of one that owes a retry; or none.
fn some_run(draw: &mut Draw, model: &Ledger) -> RunId {
    let of = |status: StatusKind| -> Vec<RunId> {
        let runs = model.rows().runs.values();
        runs.filter(|run| run.status_kind() == status).map(|run| run.id).collect()
    };
    let owing = || -> Vec<RunId> {
        model
            .owed_retries()
            .filter_map(|owed| owed.chain.as_ref())
            .map(|chain| chain.last_run)
            .collect()
    };
    let choices = match draw.weighted(&[20, 30, 10, 10, 10, 10, 15, 3]) {
        0 => of(StatusKind::Queued),
        1 => of(StatusKind::Running),
        2 => of(StatusKind::Success),
        3 => of(StatusKind::Failed),
        4 => of(StatusKind::Interrupted),
        5 => of(StatusKind::Cancelled),
        6 => owing(),
        _ => Vec::new(),
    };
    let any: Vec<RunId> = model.rows().runs.keys().copied().collect();
    let choices = if choices.is_empty() && draw.chance(80) { any } else { choices };
    draw.one(&choices).copied().unwrap_or_else(|| RunId::from_bits(draw.wide_bits()))
}
