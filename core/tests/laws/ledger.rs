//! The laws of the ledger.

use horarium_core::ledger::audit::{self, Audit};
use horarium_core::ledger::reply::{Accepted, Ticked};
use horarium_core::ledger::{Command, Handled, Ledger, Reply};
use horarium_core::words::Timestamp;
use proptest::prelude::*;

use crate::draft::{Step, by, dawn, definition, steps, wild_steps};

/// One handled command, with the ledger before and after it.
struct Handling {
    now: Timestamp,
    before: Ledger,
    command: Command,
    handled: Handled,
    after: Ledger,
}

/// Plays the steps on a ledger that knows one handler.
fn play(
    steps: &[Step],
    mut look: impl FnMut(&Handling) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let mut ledger = Ledger::new();
    let mut now = dawn();
    let definitions = vec![definition(0)];
    ledger.handle(now, &Command::PublishCatalogue { definitions, by: by() });
    for step in steps {
        now = step.leap.from(now);
        let before = ledger.clone();
        let command = step.draft.command(&ledger);
        let locked = step.locked(&ledger);
        let handled = ledger.handle_amid(now, &command, &locked);
        look(&Handling { now, before, command, handled, after: ledger.clone() })?;
    }
    Ok(())
}

/// True when the command said that it left something undone.
fn has_more(reply: &Reply) -> bool {
    match reply {
        Reply::Swept { more, .. }
        | Reply::Pruned { more, .. }
        | Reply::Ticked(Ticked { more, .. }) => *more,
        _ => false,
    }
}

/// Sent again, a command that was carried out is answered as carried out.
fn agrees(first: &Reply, again: &Reply) -> bool {
    match (first, again) {
        (Reply::Enqueued(first), Reply::Enqueued(again)) => {
            first.iter().zip(again).all(|(first, again)| match (first, again) {
                (Ok(first), Ok(again)) => {
                    *again == Accepted { existed: true, status: again.status, ..*first }
                }
                (Ok(_), Err(_)) => false,
                (Err(_), _) => true,
            })
        }
        // The number is taken: the runner says the same under the next one.
        (Reply::Turned(_), again) => matches!(again, Reply::Stale(_)),
        (Reply::Started(first), Reply::Started(again)) => first.claim == again.claim,
        (Reply::ScheduleSaved(first), Reply::ScheduleSaved(again)) => {
            !again.changed && first.revision == again.revision
        }
        (Reply::ScheduleDeleted { .. }, Reply::ScheduleDeleted { existed, .. }) => !existed,
        (Reply::Refused(first), Reply::Refused(again)) => first == again,
        (first, again) => std::mem::discriminant(first) == std::mem::discriminant(again),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn no_command_breaks_an_invariant(steps in steps()) {
        let mut audit: Option<Audit> = None;
        play(&steps, |handling| {
            let audit = audit.get_or_insert_with(|| Audit::of(handling.before.rows()));
            let seen = audit.observe(handling.now, &handling.command, &handling.handled);
            prop_assert!(seen.is_ok(), "{:?} after {:?}", seen, handling.command);
            let found = audit::check(handling.after.rows());
            prop_assert!(found.is_empty(), "{:?} after {:?}", found, handling.command);
            Ok(())
        })?;
    }

    #[test]
    fn a_ledger_is_the_fold_of_its_events_and_nothing_but_its_rows(steps in wild_steps()) {
        play(&steps, |handling| {
            let mut folded = handling.before.clone();
            for event in &handling.handled.events {
                folded.evolve(event);
            }
            prop_assert_eq!(&folded, &handling.after);
            let from_rows = Ledger::from_rows(handling.after.rows().clone());
            prop_assert_eq!(&from_rows, &handling.after);
            Ok(())
        })?;
    }

    /// Whatever is sent again at once changes no row, and is answered as the first time. Three
    /// commands go on where they left off when they had said that more is left: sweep, tick and
    /// prune. A turn's number is taken, so that a repeated one is stale; its rows do not even
    /// keep that it was repeated.
    #[test]
    fn a_command_sent_again_at_once_changes_nothing_more(steps in wild_steps()) {
        play(&steps, |handling| {
            // Without locks: what was passed by the first time would be done the second.
            let mut once = handling.before.clone();
            let first = once.handle(handling.now, &handling.command).reply;
            let mut twice = once.clone();
            let second = twice.handle(handling.now, &handling.command).reply;
            if !has_more(&first) {
                prop_assert_eq!(once.rows(), twice.rows(), "{:?}", handling.command);
                prop_assert!(
                    agrees(&first, &second),
                    "{:?}: {:?}, then {:?}", handling.command, first, second
                );
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_refused_command_changes_nothing(steps in wild_steps()) {
        play(&steps, |handling| {
            let refused = matches!(
                &handling.handled.reply,
                Reply::Refused(_) | Reply::Stale(_) | Reply::StillHolding(_)
            );
            // A foreground start sweeps its own worker before it is refused.
            let sweeps = matches!(handling.command, Command::StartForeground { .. });
            if refused && !sweeps {
                prop_assert_eq!(&handling.after, &handling.before, "{:?}", handling.command);
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_pass_leaves_nothing_due_behind(steps in wild_steps()) {
        play(&steps, |handling| {
            let mut ledger = handling.after.clone();
            let limit = std::num::NonZeroU32::MAX;
            ledger.handle(handling.now, &Command::Sweep { limit });
            let scheduler = horarium_core::words::SchedulerId::from_bits(9);
            let tick = horarium_core::ledger::command::Tick { scheduler, limit, seed: 1 };
            let Reply::Ticked(ticked) = ledger.handle(handling.now, &Command::Tick(tick)).reply
            else {
                return Err(TestCaseError::fail("a tick was answered as something else"));
            };
            prop_assert!(!ticked.more);
            prop_assert!(ticked.wait.is_none_or(|wait| !wait.is_zero()));
            prop_assert!(ledger.agenda().all(|(at, _)| at > handling.now));
            for run in ledger.running() {
                prop_assert!(run.hold().unwrap().lease_expires_at > handling.now);
            }
            for owed in ledger.owed_retries() {
                prop_assert!(ledger.slot(&owed.worker).is_some());
            }
            Ok(())
        })?;
    }
}
