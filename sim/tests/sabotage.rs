//! The harness can fail: every seeded bug is caught, by a law that it breaks.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use sim::hunt::hunt;
use sim::sabotage::{Sabotage, Side};
use sim::timeline::KEPT;

/// Every bug is caught within so many worlds.
const MOST_WORLDS: u64 = 1_000;

/// What is wrong about the hunt after this bug, if anything is.
#[cfg(test)]
fn complaint(sabotage: Sabotage) -> Option<String> {
    let Some(caught) = hunt(sabotage, 0, MOST_WORLDS, KEPT) else {
        return Some(format!("{sabotage:?} is not caught within {MOST_WORLDS} worlds"));
    };
    let (law, worlds) = (caught.failure.breach.law, caught.worlds);
    println!("{:>5} {sabotage:?}: {}", worlds, caught.failure.breach);
    let is_its_own = sabotage.laws().contains(&law);
    (!is_its_own).then(|| format!("{sabotage:?} is caught by {law}:\n{}", caught.failure))
}

#[cfg(test)]
fn all_are_caught(side: Side) {
    let bugs: Vec<Sabotage> =
        Sabotage::ALL.iter().copied().filter(|sabotage| sabotage.side() == side).collect();
    assert!(!bugs.is_empty());
    let next = AtomicUsize::new(0);
    let hunter = || {
        let mut complaints = Vec::new();
        while let Some(bug) = bugs.get(next.fetch_add(1, Ordering::Relaxed)) {
            complaints.extend(complaint(*bug));
        }
        complaints
    };
    let complaints: Vec<String> = thread::scope(|scope| {
        let hunters = [scope.spawn(hunter), scope.spawn(hunter)];
        hunters.into_iter().flat_map(|hunter| hunter.join().unwrap()).collect()
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

#[test]
fn every_broken_store_is_caught() {
    all_are_caught(Side::Store);
}

#[test]
fn every_broken_runner_is_caught() {
    all_are_caught(Side::Runner);
}

#[test]
fn every_broken_guard_is_caught() {
    all_are_caught(Side::Guard);
}

#[test]
fn every_broken_scheduler_is_caught() {
    all_are_caught(Side::Scheduler);
}

#[test]
fn every_careless_client_is_caught() {
    all_are_caught(Side::Operator);
}
