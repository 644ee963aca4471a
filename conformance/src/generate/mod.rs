//! The generator: the next command, and how much time goes by before it.
//!
//! It looks at the model, so that most commands name what is there (ids, fences, revisions, turn
//! numbers) and deep states are reached; the rest miss by a little on purpose. Each sequence
//! weighs the kinds of commands anew, so that some live without a scheduler and some without a
//! runner.

mod agenda;
mod runner;
mod value;
mod wish;

use std::num::NonZeroU32;

use horarium_core::ledger::command::{Retention, Tick};
use horarium_core::ledger::event::Event;
use horarium_core::ledger::{Command, Ledger};
use horarium_core::recurrence::ZoneData;
use horarium_core::run::Run;
use horarium_core::schedule::{Fate, SkipReason};
use horarium_core::words::{SchedulerId, Span, Timestamp};

use crate::cast;
use crate::draw::Draw;
use crate::lockstep::Step;

/// How many commands are remembered, to be said again much later.
const MEMORY: usize = 24;

/// Makes the commands of one sequence.
pub(crate) struct Generator {
    draw: Draw,
    now: Timestamp,
    weights: [u64; KINDS.len()],
    opening: Vec<Command>,
    said: Vec<Command>,
    /// Which of [`cast::zone_data`] most processes have.
    release: usize,
}

/// A kind of command and how often it comes, in thousandths or so.
type Kind = (u64, fn(&mut Generator, &Ledger) -> Command);

const KINDS: [Kind; 17] = [
    (35, |generator, model| runner::register(&mut generator.draw, model)),
    (320, |generator, model| runner::turn(&mut generator.draw, model)),
    (12, |generator, model| runner::retire(&mut generator.draw, model)),
    (40, |generator, _| Command::Sweep { limit: small_limit(&mut generator.draw) }),
    (150, |generator, _| tick(&mut generator.draw)),
    (25, |generator, model| prune(&mut generator.draw, model, generator.now)),
    (70, |generator, model| wish::enqueue(&mut generator.draw, model, generator.now)),
    (35, |generator, model| wish::start_foreground(&mut generator.draw, model, generator.now)),
    (45, |generator, model| wish::cancel(&mut generator.draw, model)),
    (30, |generator, model| wish::release(&mut generator.draw, model)),
    (110, |generator, model| agenda::put_schedule(&mut generator.draw, model, generator.now)),
    (20, |generator, model| agenda::enable(&mut generator.draw, model)),
    (15, |generator, model| agenda::disable(&mut generator.draw, model)),
    (15, |generator, model| agenda::delete(&mut generator.draw, model)),
    (25, |generator, model| agenda::put_settings(&mut generator.draw, model)),
    (25, |generator, _| agenda::publish(&mut generator.draw)),
    (25, |generator, _| generator.said_before()),
];

impl Generator {
    pub(crate) fn from_seed(seed: u64) -> Self {
        let mut draw = Draw::from_seed(seed);
        let weights = KINDS.map(|(weight, _)| weight * draw.pick([0, 1, 1, 1, 1, 2, 4]));
        let opening = opening(&mut draw);
        Self { draw, now: cast::start(), weights, opening, said: Vec::new(), release: 0 }
    }

    /// The next command, when it comes, and from a process with which zone data.
    pub(crate) fn next(&mut self, model: &Ledger) -> Step {
        self.now = self.later(model);
        let mut command = self.command(model);
        let zones = self.zone_data();
        if let Command::PutSchedule { plan, .. } = &mut command
            && let Ok(recurrence) = plan.recurrence.in_data(&zones)
        {
            plan.recurrence = recurrence;
        }
        Step { now: self.now, zones, command }
    }

    /// Now and then most processes get newer zone data; a few have others.
    fn zone_data(&mut self) -> ZoneData {
        let all = cast::zone_data();
        if self.draw.chance(1) {
            self.release = (self.release + 1).min(all.len() - 1);
        }
        let one = if self.draw.chance(12) { self.draw.below(all.len()) } else { self.release };
        all[one.min(self.release + 1)].clone()
    }

    fn command(&mut self, model: &Ledger) -> Command {
        if let Some(command) = self.opening.pop() {
            return command;
        }
        let command = match model.owed_retries().count() {
            1.. if self.draw.chance(20) => self.meddle_with_retry(model),
            // A second one, before a tick creates the first.
            1 if self.draw.chance(40) => runner::turn(&mut self.draw, model),
            2.. if self.draw.chance(50) => self.retry_some(model),
            _ if wish::given_back(model).is_some() && self.draw.chance(25) => {
                wish::start_foreground(&mut self.draw, model, self.now)
            }
            _ => {
                let kind = self.draw.weighted(&self.weights);
                KINDS[kind].1(self, model)
            }
        };
        self.remember(&command);
        command
    }

    /// True now and then: the answer to what was said last was lost, so it is said again.
    pub(crate) fn answer_is_lost(&mut self) -> bool {
        self.draw.chance(8)
    }

    /// True now and then: the model is made anew from the store's own rows.
    pub(crate) fn starts_over(&mut self) -> bool {
        self.draw.chance(2)
    }

    /// A retry is owed until the next tick only: whoever wants to see what else can happen to it
    /// must be quick.
    fn meddle_with_retry(&mut self, model: &Ledger) -> Command {
        let draw = &mut self.draw;
        match draw.weighted(&[30, 20, 15, 15, 20, 20]) {
            0 => wish::cancel(draw, model),
            1 => agenda::enable(draw, model),
            2 => agenda::disable(draw, model),
            3 => agenda::delete(draw, model),
            4 => agenda::put_schedule(draw, model, self.now),
            _ => prune(draw, model, self.now),
        }
    }

    /// Of several retries that are owed a tick creates some, and may find the schedule of another
    /// one due. The model is asked with which limit that is so.
    fn retry_some(&mut self, model: &Ledger) -> Command {
        let last = model.owed_retries().last().map(|owed| &owed.worker);
        let row = last.and_then(|worker| model.rows().workers.get(worker));
        let due = row.and_then(|row| row.schedule.as_ref()).and_then(|schedule| schedule.next);
        self.now = due.map_or(self.now, |next| next.at.max(self.now));
        let seed = self.draw.bits();
        let tick = |limit| {
            let limit = NonZeroU32::new(limit).unwrap_or(NonZeroU32::MIN);
            Command::Tick(Tick { scheduler: SchedulerId::from_bits(1), limit, seed })
        };
        let limit = (1..4).find(|limit| {
            let handled = model.clone().handle(self.now, &tick(*limit));
            handled.events.iter().any(|event| match event {
                Event::OccurrenceRecorded(occurrence) => {
                    matches!(occurrence.fate, Fate::Skipped(SkipReason::RetryOwed { .. }))
                }
                _ => false,
            })
        });
        tick(limit.unwrap_or(1))
    }

    fn remember(&mut self, command: &Command) {
        if self.said.len() < MEMORY {
            self.said.push(command.clone());
        } else {
            let index = self.draw.below(MEMORY);
            self.said[index] = command.clone();
        }
    }

    fn said_before(&mut self) -> Command {
        self.draw.one(&self.said).cloned().unwrap_or_else(|| tick(&mut Draw::from_seed(0)))
    }

    /// Time goes by, mostly a little, often right up to where something changes, and sometimes
    /// the clock steps back.
    fn later(&mut self, model: &Ledger) -> Timestamp {
        let now = self.now;
        match self.draw.weighted(&[38, 18, 16, 4, 1, 18, 5]) {
            0 => now,
            1 => now.plus(Span::from_micros(self.draw.between(1, 900_000))),
            2 => now.plus(Span::from_secs(self.draw.between(1, 40))),
            3 => now.plus(Span::from_minutes(self.draw.between(1, 12))),
            4 => now.plus(Span::from_hours(self.draw.between(1, 30))),
            5 => self.turning_point(model),
            _ => now.minus(Span::from_millis(self.draw.between(1, 2_500))),
        }
    }

    /// An instant at which something in the model changes, or one microsecond beside it.
    fn turning_point(&mut self, model: &Ledger) -> Timestamp {
        let mut points: Vec<Timestamp> = Vec::new();
        points.extend(model.agenda().map(|(at, _)| at).take(3));
        points.extend(
            model.running().filter_map(|run| run.hold()).map(|hold| hold.lease_expires_at).take(3),
        );
        points.extend(
            model.queue().flat_map(|run| [Some(run.not_before), run.start_before]).flatten(),
        );
        points.retain(|at| *at >= self.now);
        points.sort_unstable();
        points.truncate(4);
        let at = self.draw.one(&points).copied().unwrap_or(self.now);
        let beside = Span::from_micros(1);
        self.draw.pick([at, at.plus(beside), at.minus(beside).max(self.now)])
    }
}

/// How most sequences begin: the handlers are known and a runner is up.
fn opening(draw: &mut Draw) -> Vec<Command> {
    if draw.chance(10) {
        return Vec::new();
    }
    let definitions = cast::first_definitions(draw);
    let publish = Command::PublishCatalogue { definitions, by: cast::by(draw) };
    vec![runner::register(draw, &Ledger::new()), publish]
}

/// Limits are small, so that they are reached.
fn small_limit(draw: &mut Draw) -> NonZeroU32 {
    let limit = draw.pick([1, 1, 2, 3, 100]);
    NonZeroU32::new(limit).unwrap_or(NonZeroU32::MIN)
}

fn tick(draw: &mut Draw) -> Command {
    let scheduler = SchedulerId::from_bits(draw.pick([1, 1, 1, 2]));
    Command::Tick(Tick { scheduler, limit: small_limit(draw), seed: draw.bits() })
}

/// The retention of some run ends right now, or another one is given.
fn prune(draw: &mut Draw, model: &Ledger, now: Timestamp) -> Command {
    let ends: Vec<Timestamp> =
        model.rows().runs.values().filter_map(Run::end).map(|end| end.at).collect();
    let keep = match draw.one(&ends) {
        Some(end) if draw.chance(50) => now.since(*end),
        Some(_) | None => {
            draw.pick([Span::ZERO, Span::from_secs(30), Span::from_minutes(5), Span::from_hours(1)])
        }
    };
    let keep_per_worker = draw.pick([0, 0, 1, 2, 5]);
    Command::Prune(Retention { keep, keep_per_worker, limit: small_limit(draw) })
}
