//! The guard of a runner, as a small model: it learns a deadline before a job starts, kills what
//! is past it, and kills everything when its runner has ended.

use std::collections::BTreeMap;

use horarium_core::ledger::Claim;
use horarium_core::words::Moment;

use crate::facts::Fact;
use crate::sabotage::Sabotage;

use super::{Happening, World};

/// What a guard is told through its pipe.
#[derive(Debug, Clone, Copy)]
pub(super) enum Word {
    /// The job must be dead then, unless another word comes.
    Deadline(Claim, Moment),
    /// Nothing is left of the job.
    Empty(Claim),
    /// End of file: the runner is gone.
    RunnerGone,
}

/// How a guard is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Watch {
    Awake,
    Frozen,
    Dead,
}

/// A guard.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) watch: Watch,
    deadlines: BTreeMap<Claim, Moment>,
    /// What came while it was frozen.
    pipe: Vec<Word>,
}

impl Default for Guard {
    fn default() -> Self {
        Self { watch: Watch::Awake, deadlines: BTreeMap::new(), pipe: Vec::new() }
    }
}

impl World {
    /// Tells a guard something.
    pub(super) fn tell_guard(&mut self, runner: usize, word: Word) {
        let guard = &mut self.runners[runner].guard;
        match guard.watch {
            Watch::Awake => self.guard_hears(runner, word),
            Watch::Frozen => guard.pipe.push(word),
            Watch::Dead => {}
        }
    }

    fn guard_hears(&mut self, runner: usize, word: Word) {
        let clock = self.runners[runner].clock;
        let guard = &mut self.runners[runner].guard;
        match word {
            Word::Deadline(claim, at) => {
                guard.deadlines.insert(claim, at);
                if let Some(time) = clock.when(at) {
                    self.queue.put(time.max(self.time), Happening::GuardWakes { runner });
                }
            }
            Word::Empty(claim) => {
                guard.deadlines.remove(&claim);
            }
            Word::RunnerGone => {
                let known = std::mem::take(&mut guard.deadlines);
                if self.has(Sabotage::GuardEndsToo) {
                    return;
                }
                for claim in self.bodies.alive_of(runner) {
                    if self.has(Sabotage::GuardToldLate) && !known.contains_key(&claim) {
                        continue;
                    }
                    self.see(Fact::OrphansKilled);
                    self.kill_body(runner, claim);
                }
            }
        }
    }

    /// A guard kills what is past its deadline.
    pub(super) fn guard_looks(&mut self, runner: usize) {
        let now = self.runners[runner].clock.at(self.time);
        if self.runners[runner].guard.watch != Watch::Awake || self.has(Sabotage::GuardAsleep) {
            return;
        }
        let guard = &self.runners[runner].guard;
        let past: Vec<Claim> =
            guard.deadlines.iter().filter(|(_, at)| **at <= now).map(|(claim, _)| *claim).collect();
        for claim in past {
            self.runners[runner].guard.deadlines.remove(&claim);
            if self.bodies.is_alive(runner, claim) {
                self.see(Fact::GuardKilled);
                self.tell(|| format!("guard {runner} kills {}", crate::describe::claim(claim)));
                self.kill_body(runner, claim);
            }
        }
    }

    /// A guard goes on after a freeze: it reads its pipe, then looks.
    pub(super) fn guard_thaws(&mut self, runner: usize) {
        let guard = &mut self.runners[runner].guard;
        if guard.watch != Watch::Frozen {
            return;
        }
        guard.watch = Watch::Awake;
        self.tell(|| format!("guard {runner} goes on"));
        for word in std::mem::take(&mut self.runners[runner].guard.pipe) {
            self.guard_hears(runner, word);
        }
        self.guard_looks(runner);
    }
}
