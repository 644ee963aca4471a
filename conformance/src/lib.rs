//! One suite for every store.
//!
//! Promise: a store that passes answers every command as the ledger does and keeps the rows that
//! the ledger keeps, in every state that a few thousand random commands reach, and every outcome
//! that a sequential store can give has occurred on the way.
//!
//! The suite takes "make me a store" and nothing else: see [`exercise`].

mod cast;
mod coverage;
mod draw;
mod generate;
pub mod history;
mod lockstep;
mod reading;
mod scenario;
mod shorten;

use std::fmt;
use std::future::Future;

use horarium_core::ledger::Rows;
use horarium_core::recurrence::ZoneData;
use horarium_core::store::{ReadError, Reader, Store};
use horarium_core::words::Timestamp;

pub use coverage::{Coverage, EXPECTED, IMPOSSIBLE};
pub use reading::Snapshot;

/// A store whose clock can be set and whose rows can be looked at.
pub trait Specimen: Send + Sync {
    /// The store itself, in the hands of a process with these zone data.
    fn store(&self, zones: &ZoneData) -> impl Store + Reader;

    /// Sets the store's clock, forwards or back.
    fn set_clock(&self, now: Timestamp);

    /// Every row that the store keeps. The zone data make no difference.
    fn dump(&self) -> impl Future<Output = Result<Rows, ReadError>> + Send;
}

/// The variable that names the one seed to run, or a range of them such as `1000..2000`.
pub const SEED_VARIABLE: &str = "CONFORMANCE_SEED";

/// How many sequences an ordinary run has at the least; it goes on until every outcome occurred.
const FEWEST: u64 = 24;
/// And at the most.
const MOST: u64 = 200;
/// How many commands a sequence has.
const LENGTH: usize = 200;

/// A store that does not conform.
#[derive(Debug, thiserror::Error)]
pub enum Nonconformance {
    /// Model and store came apart.
    #[error("{0}")]
    Split(Box<SplitReport>),
    /// Not everything that can happen has happened, or something that cannot.
    #[error(
        "outcomes that never occurred: {missing:#?}\noutcomes that cannot occur: {unexpected:#?}"
    )]
    Coverage {
        /// Expected outcomes that did not occur.
        missing: Vec<&'static str>,
        /// Outcomes that occurred and are not expected.
        unexpected: Vec<&'static str>,
    },
    /// The seed variable holds no seed.
    #[error("{SEED_VARIABLE}={0}: write a number or a range like 10..20")]
    Seed(String),
}

/// Where model and store came apart, and the shortest way there that was found.
#[derive(Debug)]
pub struct SplitReport {
    origin: Origin,
    length: usize,
    steps: Vec<lockstep::Step>,
    split: lockstep::Split,
}

/// Where a sequence of commands comes from.
#[derive(Debug)]
enum Origin {
    /// It was drawn.
    Seed(u64),
    /// It was written down.
    Scenario(&'static str),
}

impl SplitReport {
    /// How many commands are enough to see it.
    pub fn commands(&self) -> usize {
        self.steps.len()
    }
}

impl fmt::Display for SplitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "model and store came apart at command {} of {}; {} commands are enough:\n",
            self.length,
            self.origin,
            self.steps.len()
        )?;
        for lockstep::Step { now, zones, command } in &self.steps {
            writeln!(f, "  {now}  {}  {command:?}", zones.release())?;
        }
        match &self.split {
            lockstep::Split::Reply { expected, found } => {
                writeln!(f, "\nexpected answer: {expected:?}\nfound answer:    {found}")?;
            }
            lockstep::Split::Rows { differences } => {
                writeln!(f, "\nthe rows differ:")?;
                for line in differences {
                    writeln!(f, "  {line}")?;
                }
            }
            lockstep::Split::Reading(difference) => {
                writeln!(f, "\nreading differs: {difference}")?;
            }
        }
        match self.origin {
            Origin::Seed(seed) => {
                write!(f, "\nto see it again: {SEED_VARIABLE}={seed} and the same test")
            }
            Origin::Scenario(_) => Ok(()),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seed(seed) => write!(f, "seed {seed}"),
            Self::Scenario(name) => write!(f, "the scenario `{name}`"),
        }
    }
}

/// Runs random commands in lockstep on the ledger and on stores from `make_store`, a new one for
/// each sequence. After every command the answers and all rows are compared, and after every
/// sequence what people read. The seeds are fixed;
/// the variable [`SEED_VARIABLE`] names others, and then coverage is not asked for.
pub async fn exercise<S: Specimen, F: AsyncFn() -> S>(
    make_store: F,
) -> Result<Coverage, Nonconformance> {
    let chosen = chosen_seeds()?;
    let is_ordinary = chosen.is_none();
    let mut coverage = Coverage::default();
    for (name, steps) in scenario::all() {
        let store = make_store().await;
        if let Some((index, split)) = lockstep::replay(&store, &steps, &mut coverage).await {
            let report =
                SplitReport { origin: Origin::Scenario(name), length: index + 1, steps, split };
            return Err(Nonconformance::Split(Box::new(report)));
        }
    }
    for seed in chosen.unwrap_or(0..MOST) {
        if is_ordinary && seed >= FEWEST && coverage.missing().is_empty() {
            break;
        }
        let store = make_store().await;
        let outcome = lockstep::sequence(&store, seed, LENGTH, &mut coverage).await;
        drop(store);
        if let Err((steps, split)) = outcome {
            let length = steps.len();
            let (steps, split) = shorten::shorten(&make_store, steps, split).await;
            let report = SplitReport { origin: Origin::Seed(seed), length, steps, split };
            return Err(Nonconformance::Split(Box::new(report)));
        }
    }
    let (missing, unexpected) = (coverage.missing(), coverage.unexpected());
    if !unexpected.is_empty() || is_ordinary && !missing.is_empty() {
        return Err(Nonconformance::Coverage { missing, unexpected });
    }
    Ok(coverage)
}

fn chosen_seeds() -> Result<Option<std::ops::Range<u64>>, Nonconformance> {
    let Ok(text) = std::env::var(SEED_VARIABLE) else {
        return Ok(None);
    };
    let refused = || Nonconformance::Seed(text.clone());
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| refused());
    if let Some((first, end)) = text.split_once("..") {
        return Ok(Some(number(first)?..number(end)?));
    }
    let only = number(&text)?;
    Ok(Some(only..only.saturating_add(1)))
}
