//! Many worlds, on as many threads as there are processors, and what to print when one fails.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::breach::Breach;
use crate::facts::Facts;
use crate::profile::Profile;
use crate::sabotage::Sabotage;
use crate::timeline::Timeline;
use crate::world::{Story, World};

/// A world that broke a law, with all that is needed to see why.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The world.
    pub seed: u64,
    /// What it broke.
    pub breach: Breach,
    /// Its last steps.
    pub lines: Vec<String>,
    /// How it was drawn.
    pub profile: Profile,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "world {} broke {}", self.seed, self.breach)?;
        writeln!(f, "\nthe last {} steps, in true seconds:", self.lines.len())?;
        for line in &self.lines {
            writeln!(f, "  {line}")?;
        }
        writeln!(f, "\ndrawn:\n{}", self.profile)?;
        write!(f, "replay: SIM_SEED={} cargo test -p sim --test batch", self.seed)
    }
}

/// What became of many worlds.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// How many ended well.
    pub worlds: u64,
    /// Their steps.
    pub steps: u64,
    /// The commands that their stores handled.
    pub commands: u64,
    /// The facts that they met.
    pub facts: Facts,
}

/// Lets the world of `seed` happen; if it fails, once more, with the last `kept` lines of its
/// timeline.
pub fn play(seed: u64, sabotage: Option<Sabotage>, kept: usize) -> Result<Story, Box<Failure>> {
    let profile = Profile::of(seed);
    let first = World::new(seed, profile.clone(), sabotage, Timeline::unread()).run();
    first.map_err(|breach| {
        let mut again = World::new(seed, profile.clone(), sabotage, Timeline::keeping(kept));
        let second = again.run();
        let breach = match second {
            Err(same) if same == breach => breach,
            Err(_) | Ok(_) => Breach {
                what: format!("{}; and the replay went another way", breach.what),
                ..breach
            },
        };
        Box::new(Failure { seed, breach, lines: again.lines(), profile })
    })
}

/// Plays all `seeds`. Of several that fail, the first is answered.
pub fn play_all(seeds: impl Iterator<Item = u64>, kept: usize) -> Result<Batch, Box<Failure>> {
    let seeds: Vec<u64> = seeds.collect();
    let next = AtomicU64::new(0);
    let failed: Mutex<Option<Box<Failure>>> = Mutex::new(None);
    let done: Mutex<Batch> = Mutex::new(Batch::default());
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(seed) = take(&seeds, &next) {
                    let played = play(seed, None, kept);
                    let (Ok(mut done), Ok(mut failed)) = (done.lock(), failed.lock()) else {
                        return;
                    };
                    match played {
                        Ok(story) => done.add(&story),
                        Err(failure) => {
                            let earlier = failed.as_ref().is_some_and(|old| old.seed < seed);
                            if !earlier {
                                *failed = Some(failure);
                            }
                        }
                    }
                    if failed.is_some() {
                        return;
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_default();
    let done = done.into_inner().unwrap_or_default();
    failed.map_or(Ok(done), Err)
}

fn take(seeds: &[u64], next: &AtomicU64) -> Option<u64> {
    let index = usize::try_from(next.fetch_add(1, Ordering::Relaxed)).ok()?;
    seeds.get(index).copied()
}

impl Batch {
    fn add(&mut self, story: &Story) {
        self.worlds += 1;
        self.steps += story.steps;
        self.commands += story.commands;
        self.facts.add(&story.facts);
    }
}
