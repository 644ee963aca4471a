//! How many worlds it takes until a seeded bug is caught: the measure of the harness's power.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::batch::{Failure, play};
use crate::breach::Law;
use crate::sabotage::Sabotage;
use crate::scenario::Scenario;

/// Starting points lie so far apart that no two hunts meet the same world.
const APART: u64 = 1_000_000;

/// A bug that was caught.
#[derive(Debug, Clone)]
pub struct Catch {
    /// How many worlds it took.
    pub worlds: u64,
    /// The world that caught it.
    pub failure: Box<Failure>,
}

/// Plays worlds from `first` on until one catches the bug, at most `most`.
pub fn hunt(sabotage: Sabotage, first: u64, most: u64, kept: usize) -> Option<Catch> {
    (0..most).find_map(|passed| {
        let scenario = Scenario::ordinary(first.saturating_add(passed));
        let failure = play(scenario, Some(sabotage), kept).err()?;
        Some(Catch { worlds: passed + 1, failure })
    })
}

/// What many hunts after one bug came to.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The bug.
    pub sabotage: Sabotage,
    /// How many worlds each hunt took, in order; none for one that caught nothing.
    pub worlds: Vec<Option<u64>>,
    /// How often each law was the first that was seen broken.
    pub laws: BTreeMap<Law, usize>,
}

impl Measured {
    /// The number of worlds within which that share, in a hundred, of the hunts came to an end.
    pub fn within(&self, percent: usize) -> Option<u64> {
        let rank = (self.worlds.len() * percent).div_ceil(100);
        self.worlds.get(rank.saturating_sub(1)).copied().flatten()
    }

    /// True when every hunt caught the bug, each by a law that it breaks.
    pub fn is_caught(&self) -> bool {
        self.worlds.iter().all(Option::is_some)
            && self.laws.keys().all(|law| self.sabotage.laws().contains(law))
    }
}

/// Hunts each bug from so many starting points, on as many threads as there are processors, and
/// tells each as soon as it is measured.
pub fn measure(
    sabotages: &[Sabotage],
    starts: u64,
    most: u64,
    tell: impl Fn(&Measured) + Sync,
) -> Vec<Measured> {
    let next = AtomicUsize::new(0);
    let all: Mutex<Vec<Measured>> = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(sabotage) = sabotages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let measured = measure_one(*sabotage, starts, most);
                    tell(&measured);
                    if let Ok(mut all) = all.lock() {
                        all.push(measured);
                    }
                }
            });
        }
    });
    let mut all = all.into_inner().unwrap_or_default();
    all.sort_by_key(|measured| measured.sabotage);
    all
}

fn measure_one(sabotage: Sabotage, starts: u64, most: u64) -> Measured {
    let mut worlds = Vec::new();
    let mut laws = BTreeMap::new();
    for start in 0..starts {
        let catch = hunt(sabotage, start.saturating_mul(APART), most, 0);
        if let Some(catch) = &catch {
            *laws.entry(catch.failure.breach.law).or_insert(0) += 1;
        }
        worlds.push(catch.map(|catch| catch.worlds));
    }
    // What was not caught took longest.
    worlds.sort_by_key(|worlds| worlds.unwrap_or(u64::MAX));
    Measured { sabotage, worlds, laws }
}
