//! The protocol searched to the end in small scopes; the counts are pinned, so that a change of
//! the protocol shows.

use sim::exhaustive::{Budget, Found, Part, Scope, Work, search};

const MOST_STATES: usize = 1_000_000;

fn searched(scope: &Scope) -> Found {
    let found = search(scope).unwrap_or_else(|trace| panic!("{trace}"));
    println!("{found:?}");
    found
}

/// One runner alone, and much that goes wrong with its messages.
#[test]
fn one_runner_whose_messages_are_lost_late_and_doubled() {
    let scope = Scope {
        parts: [Part::Serves, Part::Absent],
        work: Work::Manual,
        budget: Budget { losses: 2, doubles: 1, cancels: 1, times: 3, ..Budget::default() },
        most_messages: 3,
        most_states: MOST_STATES,
    };
    searched(&scope);
}

#[test]
fn two_runners_of_which_one_dies_or_freezes() {
    let scope = Scope {
        parts: [Part::Serves, Part::Serves],
        work: Work::Manual,
        budget: Budget { losses: 1, crashes: 1, times: 2, ..Budget::default() },
        most_messages: 3,
        most_states: MOST_STATES,
    };
    searched(&scope);
}

#[test]
fn two_runners_of_which_one_is_stopped() {
    let scope = Scope {
        parts: [Part::Serves, Part::Serves],
        work: Work::Manual,
        budget: Budget { drains: 1, times: 2, ..Budget::default() },
        most_messages: 3,
        most_states: MOST_STATES,
    };
    searched(&scope);
}

#[test]
fn a_runner_that_is_stopped_while_its_messages_are_lost() {
    let scope = Scope {
        parts: [Part::Serves, Part::Absent],
        work: Work::Manual,
        budget: Budget { losses: 1, drains: 1, cancels: 1, times: 3, ..Budget::default() },
        most_messages: 3,
        most_states: MOST_STATES,
    };
    searched(&scope);
}

#[test]
fn a_foreground_run_beside_a_runner() {
    let scope = Scope {
        parts: [Part::Serves, Part::Foreground],
        work: Work::Manual,
        budget: Budget { losses: 1, interrupts: 1, times: 1, ..Budget::default() },
        most_messages: 3,
        most_states: MOST_STATES,
    };
    searched(&scope);
}

#[test]
fn a_scheduled_run_that_fails_and_is_retried() {
    let scope = Scope {
        parts: [Part::Serves, Part::Serves],
        work: Work::Schedule,
        budget: Budget { crashes: 1, ticks: 2, cancels: 1, times: 2, ..Budget::default() },
        most_messages: 3,
        most_states: MOST_STATES,
    };
    searched(&scope);
}
