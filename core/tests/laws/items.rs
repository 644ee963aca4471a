//! A store that works on sets takes a turn item by item: the law is that it comes to the same.

use std::collections::BTreeMap;

use horarium_core::ledger::items::{Found, Item, Last, answers, items};
use horarium_core::ledger::{Claim, Command, Draws, Event, Ledger, Locked, Reply, Turn};
use horarium_core::run::{Run, RunStatus, Started, Word};
use horarium_core::words::{Fence, RunNumber, Timestamp};
use proptest::prelude::*;

use crate::draft::{by, dawn, definition, wild_steps};

/// What a store finds for an item, looking at the rows before and after the turn.
fn find(
    item: &Item<'_>,
    (turn, now): (&Turn, Timestamp),
    (before, after): (&Ledger, &Ledger),
    locked: &Locked,
) -> Found {
    let Some(run) = before.rows().runs.get(&item.claim.run) else {
        return Found::Lost;
    };
    if !run.is_held_by(turn.runner, item.claim.fence) {
        let ended = run.was_ended_by(turn.runner, item.claim.fence);
        return if ended { Found::EndedBefore } else { Found::Lost };
    }
    if locked.runs.contains(&run.id) {
        return Found::Busy;
    }
    match item.last {
        Last::Ended(_) | Last::GivenBack => Found::Gone,
        Last::Kept { .. } => {
            let run = &after.rows().runs[&item.claim.run];
            let lease = after.rows().runners[&turn.runner].registration.lease;
            let remaining = run.hold().unwrap().lease_expires_at.since(now).min(lease);
            Found::Held { remaining, cancel: run.cancel.is_some() }
        }
    }
}

/// The run as the item leaves it.
fn carried_out(item: &Item<'_>, mut run: Run, now: Timestamp) -> Run {
    run.units = item.units.or(run.units);
    if let RunStatus::Running(hold) = &mut run.status {
        let config = item.started.cloned();
        hold.started = hold.started.take().or(config.map(|config| Started { at: now, config }));
        hold.progress = item.message.cloned().or(hold.progress.take());
    }
    run
}

/// The same but for the lease, which the law on the answers looks at.
fn without_lease(mut run: Run) -> Run {
    if let RunStatus::Running(hold) = &mut run.status {
        hold.lease_expires_at = Timestamp::EPOCH;
    }
    run
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_turn_taken_item_by_item_comes_to_the_same(steps in wild_steps()) {
        let mut ledger = Ledger::new();
        let mut now = dawn();
        let definitions = vec![definition(0)];
        ledger.handle(now, &Command::PublishCatalogue { definitions, by: by() });
        for step in &steps {
            now = step.leap.from(now);
            let before = ledger.clone();
            let command = step.draft.command(&ledger);
            let locked = step.locked(&ledger);
            let reply = ledger.handle_amid(now, &command, &locked).reply;
            let (Command::Turn(turn), Reply::Turned(turned)) = (&command, reply) else {
                continue;
            };
            let items = items(turn);
            let found: BTreeMap<Claim, Found> = items
                .iter()
                .map(|item| (item.claim, find(item, (turn, now), (&before, &ledger), &locked)))
                .collect();
            prop_assert_eq!(answers(turn, &found), (turned.reports, turned.holding));
            for item in items {
                let after = &ledger.rows().runs.get(&item.claim.run);
                match (found[&item.claim], item.last, after) {
                    (Found::Held { .. }, Last::Kept { .. }, Some(after)) => {
                        let expected =
                            carried_out(&item, before.rows().runs[&after.id].clone(), now);
                        prop_assert_eq!(
                            without_lease((*after).clone()), without_lease(expected)
                        );
                    }
                    (Found::Gone, Last::Ended(ending), Some(after)) => {
                        prop_assert_eq!(&after.end().unwrap().outcome, &ending.outcome);
                        prop_assert_eq!(after.end().unwrap().word, Word::Runner);
                        let run = carried_out(&item, before.rows().runs[&after.id].clone(), now);
                        prop_assert_eq!(after.end().unwrap().hold.as_ref(), run.hold());
                        prop_assert_eq!(after.units, run.units);
                    }
                    (Found::Gone, Last::GivenBack, Some(after)) => {
                        prop_assert!(after.hold().is_none());
                        let run = &before.rows().runs[&after.id];
                        prop_assert_eq!(after.units, item.units.or(run.units));
                    }
                    _ => {}
                }
            }
        }
    }

    /// With other numbers and fences everything else comes out the same, and what is drawn is
    /// what is used.
    #[test]
    fn drawn_numbers_are_used_in_order_and_change_nothing_else(steps in wild_steps()) {
        let mut ledger = Ledger::new();
        let mut now = dawn();
        let definitions = vec![definition(0)];
        ledger.handle(now, &Command::PublishCatalogue { definitions, by: by() });
        for step in &steps {
            now = step.leap.from(now);
            let command = step.draft.command(&ledger);
            let before = ledger.clone();
            let handled = ledger.handle(now, &command);
            let (numbers, fences) = handled.used();
            let numbers: Vec<_> = (0..numbers as u64).map(|n| RunNumber(n * 7 + 1_000)).collect();
            let fences: Vec<_> =
                (0..fences as u64).map(|n| Fence::from_number(n * 5 + 2_000)).collect();
            let draws = Draws { numbers: numbers.clone().into(), fences: fences.clone().into() };
            let mut drawn = before.with_draws(draws);
            let again = drawn.handle(now, &command);
            prop_assert_eq!(again.events.len(), handled.events.len());
            let mut given = (Vec::new(), Vec::new());
            for event in &again.events {
                match event {
                    Event::RunCreated(run) => {
                        given.0.push(run.number);
                        given.1.extend(run.hold().map(|hold| hold.fence));
                    }
                    Event::RunClaimed { hold, .. } => given.1.push(hold.fence),
                    _ => {}
                }
            }
            prop_assert_eq!(given, (numbers, fences));
            prop_assert_eq!(drawn.with_draws(Draws::default()).rows().runs.len(),
                ledger.rows().runs.len());
        }
    }
}
