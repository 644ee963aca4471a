//! Many worlds, on as many threads as there are processors, and what to print when one fails.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::breach::Breach;
use crate::coverage::Coverage;
use crate::facts::Facts;
use crate::named;
use crate::profile::Kind;
use crate::sabotage::Sabotage;
use crate::scenario::Scenario;
use crate::timeline::Timeline;
use crate::world::{Story, World};

/// How many lines of its story are printed.
const STORY: usize = 20;

/// A world that broke a law, with all that is needed to see why.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The world.
    pub scenario: Scenario,
    /// The bug that was seeded, if one was.
    pub sabotage: Option<Sabotage>,
    /// What it broke.
    pub breach: Breach,
    /// After so many steps.
    pub steps: u64,
    /// Its last steps.
    pub lines: Vec<String>,
    /// The end of its story.
    pub story: Vec<String>,
}

impl Failure {
    /// What follows a subcommand of `sim` to name this world.
    fn arguments(&self) -> String {
        let mut text = self.scenario.seed.to_string();
        if self.scenario.profile.kind != Kind::Ordinary {
            text = format!("{text} --kind {}", self.scenario.profile.kind);
        }
        if let Some(sabotage) = self.sabotage {
            text = format!("{text} --sabotage {}", named::name(&sabotage));
        }
        text
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "world {} broke {}", self.scenario.seed, self.breach)?;
        let from = self.story.len().saturating_sub(STORY);
        writeln!(f, "\nhow it came, in true seconds:")?;
        for line in self.story.iter().skip(from) {
            writeln!(f, "  {line}")?;
        }
        writeln!(f, "\nthe last {} of {} steps:", self.lines.len(), self.steps)?;
        for line in &self.lines {
            writeln!(f, "  {line}")?;
        }
        write!(f, "\ndrawn:\n{}", self.scenario.profile)?;
        if self.scenario.is_drawn() {
            let arguments = self.arguments();
            write!(f, "\nreplay: cargo run --release -p sim -- replay {arguments}")?;
            write!(f, "\nshrink: cargo run --release -p sim -- shrink {arguments}")?;
        }
        Ok(())
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
    /// How many different things their commands met.
    pub signatures: BTreeSet<u64>,
    /// The time that the processors worked on them.
    pub cpu: Duration,
    /// What those met that keep every law.
    pub coverage: Coverage,
}

/// Lets a world happen; if it fails, once more, with the last `kept` lines of its timeline.
pub fn play(
    scenario: Scenario,
    sabotage: Option<Sabotage>,
    kept: usize,
) -> Result<Story, Box<Failure>> {
    let first = World::new(scenario.clone(), sabotage, Timeline::unread()).run();
    first.map_err(|breach| {
        let mut again = World::new(scenario.clone(), sabotage, Timeline::keeping(kept));
        let breach = match again.run() {
            Err(same) if same == breach => breach,
            Err(_) | Ok(_) => Breach {
                what: format!("{}; and the replay went another way", breach.what),
                ..breach
            },
        };
        let (steps, lines, story) = (again.steps(), again.lines(), again.story());
        Box::new(Failure { scenario, sabotage, breach, steps, lines, story })
    })
}

/// Plays all `worlds`. Of several that fail, the first is answered.
pub fn play_all(worlds: &[(Kind, u64)], kept: usize) -> Result<Batch, Box<Failure>> {
    let began = worked();
    let next = AtomicU64::new(0);
    let failed: Mutex<Option<(usize, Box<Failure>)>> = Mutex::new(None);
    let done: Mutex<Batch> = Mutex::new(Batch::default());
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((index, (kind, seed))) = take(worlds, &next) {
                    let played = play(Scenario::of(kind, seed), None, kept);
                    let (Ok(mut done), Ok(mut failed)) = (done.lock(), failed.lock()) else {
                        return;
                    };
                    match played {
                        Ok(story) => done.add(kind, &story),
                        Err(failure) => {
                            if failed.as_ref().is_none_or(|(earlier, _)| index < *earlier) {
                                *failed = Some((index, failure));
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
    let mut done = done.into_inner().unwrap_or_default();
    done.cpu = worked().saturating_sub(began);
    failed.map_or(Ok(done), |(_, failure)| Err(failure))
}

/// How long processors have worked for this process.
fn worked() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default()
}

fn take(worlds: &[(Kind, u64)], next: &AtomicU64) -> Option<(usize, (Kind, u64))> {
    let index = usize::try_from(next.fetch_add(1, Ordering::Relaxed)).ok()?;
    worlds.get(index).map(|world| (index, *world))
}

impl Batch {
    fn add(&mut self, kind: Kind, story: &Story) {
        self.worlds += 1;
        self.steps += story.steps;
        self.commands += story.commands;
        self.facts.add(&story.facts);
        self.signatures.extend(&story.signatures);
        if kind.weakened().is_empty() {
            self.coverage.add(&story.coverage);
        }
    }

    /// So many of something, per second of a processor.
    pub fn per_second(&self, number: u64) -> u64 {
        let millis = u64::try_from(self.cpu.as_millis()).unwrap_or(u64::MAX).max(1);
        number.saturating_mul(1_000) / millis
    }

    /// Counts the worlds of another batch too.
    pub fn join(&mut self, other: &Self) {
        self.worlds += other.worlds;
        self.steps += other.steps;
        self.commands += other.commands;
        self.facts.add(&other.facts);
        self.signatures.extend(&other.signatures);
        self.cpu += other.cpu;
        self.coverage.add(&other.coverage);
    }
}

impl fmt::Display for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signatures = u64::try_from(self.signatures.len()).unwrap_or(u64::MAX);
        write!(
            f,
            "{} worlds, {} checked steps, {} commands, {signatures} signatures; {} steps and {} \
             signatures per CPU-second",
            self.worlds,
            self.steps,
            self.commands,
            self.per_second(self.steps),
            self.per_second(signatures)
        )
    }
}
