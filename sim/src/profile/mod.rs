//! The drawn profile of a world: its kind, its sizes, its timings and its own subset of the faults
//! (swarm: a world in which everything fails at once reaches less than many that differ).
//!
//! Promise: a profile that was written down stays true. A file keeps the whole of it, and a part
//! that a later version adds is off where a file does not name it.

mod check;
mod drawn;
mod faults;
mod kind;

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;

use horarium_core::catalogue::Definition;
use horarium_core::ledger::command::Retention;
use horarium_core::words::{Lease, Name, Span, Timestamp, WorkerName};
use serde::{Deserialize, Serialize};

use crate::calendar::ZoneNews;
use crate::draw::{Draw, Stream};

pub use check::OutOfRange;
pub use drawn::retry;
pub use faults::Faults;
pub use kind::Kind;

/// A world before it begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Which kind of world it is.
    #[serde(default)]
    pub kind: Kind,
    /// What the store's clock shows at the beginning.
    pub base: Timestamp,
    /// Where most of the schedules are.
    #[serde(default = "utc")]
    pub zone: String,
    /// How long the chaos lasts.
    pub chaos: Span,
    /// The workers that operators know.
    pub workers: Vec<WorkerName>,
    /// The newest definition of each handler.
    pub definitions: BTreeMap<Name, Definition>,
    /// Where runners run.
    pub seats: Vec<Seat>,
    /// How many schedulers there are.
    pub schedulers: u64,
    /// The schedulers' timing.
    pub scheduler: SchedulerTiming,
    /// Finished runs are kept so long, if not for ever.
    pub retention: Option<Retention>,
    /// How far the store's clock may be off to either side.
    pub clock_step: Span,
    /// How far it is off beyond that bound, which runners know nothing of.
    #[serde(default)]
    pub wild_clock: Span,
    /// The longest time between two wishes of operators.
    pub operator_gap: Span,
    /// True when somebody sweeps each lease in the very instant in which it runs out.
    pub has_vulture: bool,
    /// True when every worker has a schedule of every minute from the start.
    pub is_scheduled: bool,
    /// True when every second of them has one of every second minute instead, the first among
    /// them, and all go by their definitions' retry policies.
    #[serde(default)]
    pub is_out_of_step: bool,
    /// Newer zone data that come up meanwhile, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_news: Option<ZoneNews>,
    /// What they want, and how often.
    pub wishes: Wishes,
    /// The longest way of a message, one way.
    pub latency: Span,
    /// What jobs are like.
    pub jobs: JobKinds,
    /// What goes wrong.
    pub faults: Faults,
}

fn utc() -> String {
    String::from("UTC")
}

/// A place for a runner process: when one ends, another starts there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    /// How many jobs at a time.
    pub concurrency: NonZeroU32,
    /// What it serves; older definitions than the newest on some seats.
    pub definitions: BTreeMap<Name, Definition>,
    /// Its lease.
    pub lease: Lease,
    /// How often it asks for work.
    pub poll: Span,
    /// How long its jobs may go on when it is stopped.
    pub drain_grace: Span,
    /// Its host's microseconds in a million true ones.
    pub clock_rate: u64,
}

/// How schedulers keep time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchedulerTiming {
    /// The longest time between two passes.
    pub poll: Span,
    /// How often a standby asks.
    pub lock_retry: Span,
    /// How often a leader makes sure.
    pub probe: Span,
    /// When an answer counts as lost.
    pub statement_timeout: Span,
    /// Rows in one command.
    pub batch: NonZeroU32,
}

/// How often, in a thousand, a job is of some kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobKinds {
    /// Fails.
    pub failing: u64,
    /// Declares its failure final, of those that fail.
    pub hopeless: u64,
    /// Never ends by itself.
    pub hanging: u64,
    /// Does not hear TERM.
    pub deaf: u64,
    /// Cannot be started.
    pub unstartable: u64,
    /// Leaves a process behind that nobody can be sure about.
    pub leaving: u64,
    /// Says how far it is.
    pub talking: u64,
    /// The longest that one works.
    pub longest: Span,
}

/// What operators want: the weight of each kind of wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wishes {
    /// Enqueue runs.
    pub enqueue: u64,
    /// Cancel a run.
    pub cancel: u64,
    /// Release a slot.
    pub release: u64,
    /// Run in the foreground.
    pub foreground: u64,
    /// End a foreground run.
    pub interrupt: u64,
    /// Save a schedule.
    pub put: u64,
    /// Enable a schedule.
    pub enable: u64,
    /// Disable one.
    pub disable: u64,
    /// Delete one.
    pub delete: u64,
    /// Save settings.
    pub settings: u64,
    /// Of a thousand enqueues, those that carry an id that somebody else has used.
    #[serde(default)]
    pub used_ids: u64,
}

impl Profile {
    /// The profile of `seed` in worlds of a kind.
    pub fn of(kind: Kind, seed: u64) -> Self {
        let mut draw = Draw::new(seed, Stream::Profile);
        let profile = Self::drawn(&mut draw);
        let profile = match draw.below(100) {
            0..6 => profile.piled_up(),
            6..9 => profile.crowded(&mut draw),
            _ => profile,
        };
        let mut profile = profile.beyond_bounds(kind, &mut draw);
        if kind == Kind::Ordinary && draw.chance(150) {
            profile.zone_news = Some(ZoneNews::draw(&mut draw, &profile.zone, profile.chaos));
        }
        profile
    }

    /// The same world with nothing going wrong.
    #[must_use]
    pub fn without_faults(self) -> Self {
        let seats = self.seats.into_iter().map(|seat| Seat { clock_rate: 1_000_000, ..seat });
        Self { faults: Faults::default(), seats: seats.collect(), ..self }
    }
}

/// Short enough to read under a failure.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {} world, chaos for {}", self.kind, self.chaos)?;
        writeln!(f, "  base {} in {}", self.base, self.zone)?;
        if let Some(news) = &self.zone_news {
            writeln!(f, "  {news:?}")?;
        }
        writeln!(
            f,
            "  workers {:?}, operator gap {}, vulture {}",
            self.workers, self.operator_gap, self.has_vulture
        )?;
        for (handler, definition) in &self.definitions {
            writeln!(
                f,
                "  {handler}: timeout {}, stop grace {}, {:?}",
                definition.timeout, definition.stop_grace, definition.retry
            )?;
        }
        for (index, seat) in self.seats.iter().enumerate() {
            let served: Vec<&Name> = seat.definitions.keys().collect();
            writeln!(
                f,
                "  seat {index}: {} at a time of {served:?}, poll {}, drain {}, clock {}, {:?}",
                seat.concurrency,
                seat.poll,
                seat.drain_grace,
                seat.clock_rate,
                seat.lease.timing()
            )?;
        }
        writeln!(f, "  {} schedulers, {:?}", self.schedulers, self.scheduler)?;
        writeln!(f, "  latency {}, retention {:?}", self.latency, self.retention)?;
        writeln!(f, "  {:?}", self.wishes)?;
        writeln!(f, "  {:?}", self.jobs)?;
        writeln!(f, "  {:?}", self.faults)
    }
}
