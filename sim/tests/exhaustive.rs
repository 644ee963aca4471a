//! The protocol searched to the end in small scopes. The counts are pinned: a change of the
//! protocol shows, and somebody looks whether it was meant.

use horarium_core::words::Attempt;
use sim::exhaustive::{Budget, Found, Part, Scope, Work, search};
use sim::sabotage::Sabotage;

const MOST_STATES: usize = 1_000_000;

#[cfg(test)]
fn searched(scope: &Scope) -> Found {
    search(scope).unwrap_or_else(|trace| panic!("{trace}"))
}

#[cfg(test)]
fn one_runner(budget: Budget) -> Scope {
    Scope {
        parts: [Part::Serves, Part::Absent],
        work: Work::Manual,
        attempts: Attempt::FIRST.next().unwrap(),
        budget,
        sabotage: None,
        most_messages: 3,
        most_states: MOST_STATES,
    }
}

#[cfg(test)]
fn two_runners(budget: Budget) -> Scope {
    Scope { parts: [Part::Serves, Part::Serves], ..one_runner(budget) }
}

#[test]
#[cfg(test)]
fn one_runner_whose_messages_are_lost_late_and_doubled() {
    let budget = Budget { losses: 2, doubles: 1, cancels: 1, times: 3, ..Budget::default() };
    assert_eq!(searched(&one_runner(budget)), Found { states: 160_953, steps: 288_722, depth: 23 });
}

#[test]
#[cfg(test)]
fn one_runner_that_is_stopped_while_its_messages_are_lost() {
    let budget = Budget { losses: 1, drains: 1, cancels: 1, times: 3, ..Budget::default() };
    assert_eq!(searched(&one_runner(budget)), Found { states: 123_092, steps: 173_614, depth: 22 });
}

#[test]
fn two_runners_of_which_one_dies_or_freezes() {
    let budget = Budget { losses: 1, crashes: 1, times: 2, ..Budget::default() };
    assert_eq!(
        searched(&two_runners(budget)),
        Found { states: 123_754, steps: 276_594, depth: 20 }
    );
}

#[test]
fn two_runners_of_which_one_is_stopped() {
    let budget = Budget { drains: 1, times: 2, ..Budget::default() };
    assert_eq!(
        searched(&two_runners(budget)),
        Found { states: 140_074, steps: 272_882, depth: 24 }
    );
}

#[test]
fn a_foreground_run_beside_a_runner() {
    let budget = Budget { losses: 1, interrupts: 1, times: 1, ..Budget::default() };
    let scope = Scope { parts: [Part::Serves, Part::Foreground], ..two_runners(budget) };
    assert_eq!(searched(&scope), Found { states: 28_568, steps: 59_669, depth: 28 });
}

#[test]
fn a_foreground_run_alone_whose_start_comes_late_and_twice() {
    let budget = Budget { losses: 1, doubles: 1, interrupts: 1, times: 3, ..Budget::default() };
    let scope =
        Scope { parts: [Part::Foreground, Part::Absent], work: Work::None, ..one_runner(budget) };
    assert_eq!(searched(&scope), Found { states: 68_621, steps: 152_092, depth: 22 });
}

#[test]
fn two_runners_and_two_schedulers_while_somebody_cancels() {
    let budget = Budget { crashes: 1, ticks: 2, cancels: 1, times: 1, ..Budget::default() };
    let scope = Scope { work: Work::Schedule, ..two_runners(budget) };
    assert_eq!(searched(&scope), Found { states: 238_617, steps: 587_061, depth: 25 });
}

#[test]
fn a_scheduled_run_that_fails_and_is_retried_while_messages_are_lost() {
    let budget = Budget { losses: 1, ticks: 2, cancels: 1, times: 2, ..Budget::default() };
    let scope = Scope { work: Work::Schedule, ..one_runner(budget) };
    assert_eq!(searched(&scope), Found { states: 124_703, steps: 223_578, depth: 23 });
}

#[test]
fn two_runners_of_which_one_dies_while_somebody_cancels() {
    let budget = Budget { crashes: 1, cancels: 1, times: 2, ..Budget::default() };
    assert_eq!(
        searched(&two_runners(budget)),
        Found { states: 165_311, steps: 344_856, depth: 21 }
    );
}

#[test]
fn two_schedulers_that_both_believe_to_lead() {
    let budget = Budget { losses: 1, doubles: 1, ticks: 3, times: 1, ..Budget::default() };
    let scope = Scope { work: Work::Schedule, ..one_runner(budget) };
    assert_eq!(searched(&scope), Found { states: 82_682, steps: 221_388, depth: 27 });
}

#[test]
fn three_attempts_at_one_occurrence() {
    let budget = Budget { cancels: 1, ticks: 4, times: 1, ..Budget::default() };
    let scope = Scope { work: Work::Schedule, attempts: Attempt::LAST, ..one_runner(budget) };
    assert_eq!(searched(&scope), Found { states: 28_804, steps: 67_646, depth: 24 });
}

#[cfg(test)]
fn trace_of(sabotage: Sabotage) -> String {
    let budget = Budget { losses: 1, cancels: 1, times: 3, ..Budget::default() };
    search(&Scope { sabotage: Some(sabotage), ..one_runner(budget) }).unwrap_err()
}

#[test]
fn the_search_finds_a_store_that_takes_old_turns() {
    assert!(trace_of(Sabotage::OldTurnsTaken).starts_with("fenced"));
}

#[test]
fn the_search_finds_a_store_that_takes_a_finish_without_its_fence() {
    assert!(trace_of(Sabotage::FinishWithoutFence).starts_with("terminal-is-final"));
}

#[test]
fn the_search_finds_a_store_that_hands_over_unrenewed_leases() {
    assert!(trace_of(Sabotage::HandOverUnrenewed).starts_with("no-overlap"));
}

#[cfg(test)]
fn trace_of_two_schedulers(sabotage: Sabotage) -> String {
    let budget = Budget { ticks: 3, times: 1, ..Budget::default() };
    let scope = Scope { work: Work::Schedule, sabotage: Some(sabotage), ..one_runner(budget) };
    search(&scope).unwrap_err()
}

#[test]
fn the_search_finds_a_store_that_moves_on_before_it_inserts() {
    assert!(trace_of_two_schedulers(Sabotage::MovedBeforeInsert).starts_with("one-catch-up"));
}

#[test]
fn the_search_finds_a_store_that_still_owes_what_it_has_created() {
    assert!(trace_of_two_schedulers(Sabotage::RetryStillOwed).starts_with("no-double-enqueue"));
}
