//! Whether an answer that says "that is all" left nothing, and a turn claimed no more than it may.
//!
//! What other transactions hold is passed over; everything else that a sweep or a tick is there
//! for must be done when it says that no more is left.

use horarium_core::ledger::audit::Invariant;
use horarium_core::ledger::{Command, Event, Handled, Ledger, Locked, Reply, Turn};
use horarium_core::run::Run;
use horarium_core::words::Timestamp;

use crate::breach::{Breach, Law};
use crate::describe;

/// Looks at what a handled command left behind in `ledger`.
pub fn look(
    ledger: &Ledger,
    now: Timestamp,
    command: &Command,
    locked: &Locked,
    handled: &Handled,
) -> Result<(), Breach> {
    match (command, &handled.reply) {
        (Command::Sweep { .. }, Reply::Swept { more: false, .. }) => {
            left(expired(ledger, now, locked), "a sweep left a lease that has run out")?;
            left(too_late(ledger, now, locked), "a sweep left a run that is too late")
        }
        (Command::Tick(_), Reply::Ticked(ticked)) if !ticked.more => {
            left(due(ledger, now, locked), "a tick left a schedule that is due")?;
            left(owed(ledger, locked), "a tick left a retry that is owed")
        }
        (Command::Turn(turn), Reply::Turned(_)) => room(ledger, turn, &handled.events),
        _ => Ok(()),
    }
}

fn left(what: Option<String>, words: &str) -> Result<(), Breach> {
    match what {
        Some(what) => Err(Breach::of(Invariant::NothingLost, format!("{words}: {what}"))),
        None => Ok(()),
    }
}

fn is_free(run: &Run, locked: &Locked) -> bool {
    !locked.runs.contains(&run.id) && !locked.workers.contains(&run.worker)
}

fn expired(ledger: &Ledger, now: Timestamp, locked: &Locked) -> Option<String> {
    let mut running = ledger.running().filter(|run| is_free(run, locked));
    let first = running.find(|run| run.hold().is_some_and(|hold| hold.lease_expires_at <= now));
    first.map(|run| describe::run(run.id))
}

fn too_late(ledger: &Ledger, now: Timestamp, locked: &Locked) -> Option<String> {
    let mut queue = ledger.queue().filter(|run| is_free(run, locked));
    let first = queue.find(|run| run.start_before.is_some_and(|latest| latest < now));
    first.map(|run| describe::run(run.id))
}

fn due(ledger: &Ledger, now: Timestamp, locked: &Locked) -> Option<String> {
    let mut agenda = ledger.agenda().filter(|(_, worker)| !locked.workers.contains(*worker));
    agenda.next().filter(|(at, _)| *at <= now).map(|(at, worker)| format!("{worker} at {at}"))
}

fn owed(ledger: &Ledger, locked: &Locked) -> Option<String> {
    let mut owed = ledger.owed_retries().filter(|it| !locked.workers.contains(&it.worker));
    let first = owed.find(|it| ledger.slot(&it.worker).is_none());
    first.map(|it| format!("{} at {}", it.worker, it.scheduled_for))
}

/// A turn that claims leaves its runner with no more than it has room for.
fn room(ledger: &Ledger, turn: &Turn, events: &[Event]) -> Result<(), Breach> {
    let held = ledger.held_by(turn.runner).count();
    let capacity = usize::try_from(turn.capacity).unwrap_or(usize::MAX);
    let claims = events.iter().any(|event| matches!(event, Event::RunClaimed { .. }));
    if claims && held > capacity {
        let what = format!("a runner with room for {capacity} holds {held}");
        return Err(Breach::new(Law::Capacity, what));
    }
    Ok(())
}
