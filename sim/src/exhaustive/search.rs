//! Breadth first over states, each visited once by its hash; a breach comes with its shortest
//! trace.

use std::collections::{HashSet, VecDeque};
use std::fmt::Write;

use crate::breach::{Breach, Law};

use super::action::Action;
use super::scope::Scope;
use super::state::State;

/// From every so manieth state everything is let go on in good order.
const HEAL_EVERY: usize = 200;

/// What a search saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// How many different states.
    pub states: usize,
    /// How many steps between them.
    pub steps: usize,
    /// How many actions lead to the farthest.
    pub depth: usize,
}

/// Searches a scope to its end. A breach is told with its trace.
pub fn search(scope: &Scope) -> Result<Found, String> {
    let first = State::first(scope).map_err(|breach| breach.to_string())?;
    // Only asked for membership: the order of a hash set never shows.
    let mut visited: HashSet<u128> = HashSet::from([first.digest()]);
    let mut trail: Vec<(usize, Action)> = vec![(0, Action::Time)];
    let mut frontier: VecDeque<(usize, usize, State)> = VecDeque::from([(0, 0, first)]);
    let mut found = Found { states: 1, steps: 0, depth: 0 };
    while let Some((index, depth, state)) = frontier.pop_front() {
        found.depth = depth;
        if index.is_multiple_of(HEAL_EVERY)
            && let Err(breach) = state.clone().heal()
        {
            return Err(told(scope, &trail, index, None, &breach));
        }
        for action in state.actions() {
            let mut next = state.clone();
            if let Err(breach) = next.apply(action) {
                return Err(told(scope, &trail, index, Some(action), &breach));
            }
            found.steps += 1;
            if next.is_within(scope) && visited.insert(next.digest()) {
                if found.states == scope.most_states {
                    let what = format!("more than {} states", scope.most_states);
                    return Err(Breach::new(Law::StepBudget, what).to_string());
                }
                frontier.push_back((trail.len(), depth + 1, next));
                trail.push((index, action));
                found.states += 1;
            }
        }
    }
    Ok(found)
}

/// The way to a breach, for people.
fn told(
    scope: &Scope,
    trail: &[(usize, Action)],
    mut index: usize,
    last: Option<Action>,
    breach: &Breach,
) -> String {
    let mut way: Vec<Action> = last.into_iter().collect();
    while index != 0 {
        let Some((before, action)) = trail.get(index).copied() else { break };
        way.push(action);
        index = before;
    }
    let mut text = format!("{breach}\nafter {} actions:\n", way.len());
    let Ok(mut state) = State::first(scope) else {
        return text;
    };
    for action in way.into_iter().rev() {
        let _ = writeln!(text, "  {}", state.describe(action));
        if state.apply(action).is_err() {
            break;
        }
    }
    if last.is_none() {
        let _ = writeln!(text, "  … and then everything goes on in good order:");
        let _ = state.heal_telling(&mut |line| {
            let _ = writeln!(text, "  {line}");
        });
    }
    text
}
