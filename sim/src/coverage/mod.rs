//! What a batch of worlds has met: every state × command × outcome, and every fault × moment.
//!
//! Promise: each cell is declared reachable, rare or impossible. A batch that misses a reachable one
//! proves nothing about it; a cell that is hit although it is declared impossible is a surprise
//! that somebody must look at. Both fail.

mod before;
mod cell;
mod declared;
mod moments;
mod outcome;

use std::collections::BTreeMap;
use std::fmt;

pub use before::Before;
pub use cell::{Ask, Cell, Outcome, State};
pub use declared::{is_possible, rare, reachable};
pub use moments::{Moment, Moments, is_asked_for};

use crate::incident::Incident;
use crate::named;

/// How often each cell was hit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    cells: BTreeMap<Cell, u64>,
    struck: BTreeMap<(Incident, Moment), u64>,
}

/// What is wrong with a coverage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Reachable cells that were never hit.
    pub missed: Vec<Cell>,
    /// Cells that were hit and are declared impossible.
    pub surprising: Vec<Cell>,
    /// Faults that never struck at a moment.
    pub unstruck: Vec<(Incident, Moment)>,
}

impl Coverage {
    /// A cell was hit.
    pub fn hit(&mut self, cell: Cell) {
        *self.cells.entry(cell).or_default() += 1;
    }

    /// A fault struck at these moments.
    pub fn struck(&mut self, incident: Incident, moments: Moments) {
        for moment in moments.all() {
            *self.struck.entry((incident, moment)).or_default() += 1;
        }
    }

    /// How often each cell was hit.
    pub const fn cells(&self) -> &BTreeMap<Cell, u64> {
        &self.cells
    }

    /// How often a fault struck at a moment.
    pub fn strikes(&self, incident: Incident, moment: Moment) -> u64 {
        self.struck.get(&(incident, moment)).copied().unwrap_or(0)
    }

    /// Counts those of another world too.
    pub fn add(&mut self, other: &Self) {
        for (cell, count) in &other.cells {
            *self.cells.entry(*cell).or_default() += count;
        }
        for (cell, count) in &other.struck {
            *self.struck.entry(*cell).or_default() += count;
        }
    }

    /// What was declared otherwise than it was found.
    pub fn gaps(&self) -> Gaps {
        let missed = reachable().filter(|cell| !self.cells.contains_key(cell)).collect();
        let surprising = self.cells.keys().copied().filter(|cell| !is_possible(*cell)).collect();
        let faults = Incident::ALL.iter().filter(|incident| incident.is_fault());
        let all = faults.flat_map(|incident| Moment::ALL.iter().map(|moment| (*incident, *moment)));
        let unstruck = all
            .filter(|(incident, moment)| is_asked_for(*incident, *moment))
            .filter(|(incident, moment)| self.strikes(*incident, *moment) == 0)
            .collect();
        Gaps { missed, surprising, unstruck }
    }
}

impl Gaps {
    /// True when everything was found as it is declared.
    pub fn is_empty(&self) -> bool {
        self.missed.is_empty() && self.surprising.is_empty() && self.unstruck.is_empty()
    }
}

impl fmt::Display for Gaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for cell in &self.missed {
            writeln!(f, "never hit: {}", told(*cell))?;
        }
        for cell in &self.surprising {
            writeln!(f, "hit, and declared impossible: {}", told(*cell))?;
        }
        for (incident, moment) in &self.unstruck {
            writeln!(f, "never struck: {} amid {}", named::name(incident), named::name(moment))?;
        }
        Ok(())
    }
}

/// A cell for people.
pub fn told((ask, state, outcome): Cell) -> String {
    format!("{} of {} → {}", named::name(&ask), named::name(&state), named::name(&outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A coverage in which all is as it is declared.
    fn whole() -> Coverage {
        let mut coverage = Coverage::default();
        reachable().for_each(|cell| coverage.hit(cell));
        for incident in Incident::ALL.iter().filter(|incident| incident.is_fault()) {
            let mut moments = Moments::default();
            for moment in Moment::ALL {
                moments.add(moment);
            }
            coverage.struck(*incident, moments);
        }
        coverage
    }

    #[test]
    fn what_is_as_declared_has_no_gaps() {
        let mut coverage = whole();
        rare().for_each(|cell| coverage.hit(cell));
        assert!(coverage.gaps().is_empty(), "{}", coverage.gaps());
    }

    #[test]
    fn a_reachable_cell_that_is_never_hit_is_a_gap() {
        let mut coverage = whole();
        let cell = (Ask::Cancel, State::Held, Outcome::Requested);
        coverage.cells.remove(&cell);
        assert_eq!(coverage.gaps().missed, [cell]);
    }

    #[test]
    fn a_cell_that_is_hit_although_it_is_impossible_is_a_gap() {
        let mut coverage = whole();
        let cell = (Ask::Ended, State::Others, Outcome::Done);
        coverage.hit(cell);
        assert_eq!(coverage.gaps().surprising, [cell]);
    }

    #[test]
    fn a_fault_that_never_struck_at_a_moment_is_a_gap() {
        let mut coverage = whole();
        let strike = (Incident::RunnerCrash, Moment::TickOut);
        coverage.struck.remove(&strike);
        assert_eq!(coverage.gaps().unstruck, [strike]);
    }
}
