//! Jobs as they really are: processes that live, hear or do not hear, and die. Here `no-overlap`
//! is judged, in true time.

use std::collections::{BTreeMap, BTreeSet};

use horarium_core::catalogue::Timeout;
use horarium_core::ledger::audit::Invariant;
use horarium_core::ledger::{Claim, Event, Grant, Handled};
use horarium_core::run::{Cause, Interruption, Outcome, Output, Tail, Units};
use horarium_core::runner::{Exit, Input, JobExit};
use horarium_core::words::{Note, RunId, Span, WorkerName};

use crate::breach::{Breach, Law};
use crate::describe;
use crate::draw::{Draw, Stream};
use crate::facts::Fact;
use crate::incident::Incident;
use crate::sabotage::Sabotage;

use super::guards::Word;
use super::{Happening, World};

/// What a job does by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// It says how far it is.
    Talks,
    /// It has done its work, or failed.
    Ends,
    /// It has heard TERM and ends.
    Obeys,
}

/// All jobs' processes.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    bodies: BTreeMap<(usize, Claim), Body>,
    started: BTreeSet<Claim>,
}

/// How much of a job lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Life {
    /// It works.
    Whole,
    /// Its leader has ended; a child of it lives.
    Remains,
    /// Nothing of it lives.
    Dead,
}

/// A job's process, with all its children.
#[derive(Debug)]
struct Body {
    worker: WorkerName,
    life: Life,
    /// True when an operator gave its slot away by force: it may overlap.
    is_released: bool,
    code: i32,
    is_final: bool,
    /// How long after TERM it ends; deaf if none.
    obeys_after: Option<Span>,
    leaves_something: bool,
    processed: u64,
}

impl Body {
    const fn is_alive(&self) -> bool {
        match self.life {
            Life::Whole | Life::Remains => true,
            Life::Dead => false,
        }
    }
}

impl Bodies {
    /// The claims of a runner whose jobs live.
    pub(super) fn alive_of(&self, runner: usize) -> Vec<Claim> {
        let alive = self.bodies.iter().filter(|((of, _), body)| *of == runner && body.is_alive());
        alive.map(|((_, claim), _)| *claim).collect()
    }

    /// True when anything of the job lives.
    pub(super) fn is_alive(&self, runner: usize, claim: Claim) -> bool {
        self.bodies.get(&(runner, claim)).is_some_and(Body::is_alive)
    }

    /// True when a job of the runner ever left something behind.
    pub(super) fn left_something(&self, runner: usize) -> bool {
        self.bodies.iter().any(|((of, _), body)| *of == runner && body.leaves_something)
    }

    /// A job that lives, if any does.
    pub(super) fn any_alive(&self) -> Option<Claim> {
        self.bodies.iter().find(|(_, body)| body.is_alive()).map(|((_, claim), _)| *claim)
    }
}

impl World {
    /// A runner process starts a job.
    pub(super) fn start_body(&mut self, runner: usize, grant: &Grant) {
        let claim = grant.claim;
        if !self.bodies.started.insert(claim) {
            let what = format!("{} was started before", describe::claim(claim));
            self.broke(Breach::new(Law::StartedOnce, what));
        }
        let kinds = self.profile.jobs;
        let which = u128::from_be_bytes(claim.run.to_bytes());
        let mut draw = Draw::of(self.seed, Stream::Jobs, which);
        if draw.chance(kinds.unstartable) && self.lets(Incident::JobUnstartable) {
            let cause = Cause::Spawn(Note::lossy("no such file"));
            self.runner_hears_soon(runner, Input::JobNotStarted(claim, cause));
            self.tell_guard(runner, Word::Empty(claim));
            return;
        }
        // Its slot may have been given away by force while the grant was on its way.
        let is_released = self.was_released(claim.run);
        if !is_released {
            self.judge_overlap(claim, &grant.worker);
        }
        let works = draw.span(Span::ZERO, kinds.longest);
        let obeys_after = draw.span(Span::ZERO, Span::from_secs(2));
        let hangs = draw.chance(kinds.hanging)
            && grant.timeout != Timeout::None
            && self.lets(Incident::JobHangs);
        let fails = draw.chance(kinds.failing) && self.lets(Incident::JobFails);
        let is_final = draw.chance(kinds.hopeless) && fails && self.lets(Incident::JobHopeless);
        let is_deaf = draw.chance(kinds.deaf) && self.lets(Incident::JobDeaf);
        let leaves_something = draw.chance(kinds.leaving) && self.lets(Incident::JobLeaves);
        let body = Body {
            worker: grant.worker.clone(),
            life: Life::Whole,
            is_released,
            code: i32::from(fails),
            is_final,
            obeys_after: (!is_deaf).then_some(obeys_after),
            leaves_something,
            processed: 0,
        };
        self.bodies.bodies.insert((runner, claim), body);
        if !hangs {
            self.after(works, Happening::JobActs { runner, claim, act: Act::Ends });
        }
        if draw.chance(kinds.talking) && self.lets(Incident::JobTalks) {
            let soon = draw.span(Span::ZERO, works);
            self.after(soon, Happening::JobActs { runner, claim, act: Act::Talks });
        }
        self.runner_hears_soon(runner, Input::JobStarted(claim));
    }

    fn was_released(&self, run: RunId) -> bool {
        let row = self.store.ledger().rows().runs.get(&run);
        row.and_then(|run| run.end()).is_some_and(|end| {
            matches!(end.outcome, Outcome::Interrupted(Interruption::Released(_)))
        })
    }

    fn judge_overlap(&mut self, claim: Claim, worker: &WorkerName) {
        let other = self
            .bodies
            .bodies
            .iter()
            .find(|(_, body)| body.is_alive() && !body.is_released && body.worker == *worker);
        if let Some(((runner, other), _)) = other {
            let what = format!(
                "{} of worker {worker} starts while {} of runner {runner} lives",
                describe::claim(claim),
                describe::claim(*other)
            );
            self.broke(Breach::of(Invariant::NoOverlap, what));
        }
    }

    /// A job does what it does by itself.
    pub(super) fn job_acts(&mut self, runner: usize, claim: Claim, act: Act) {
        let Some(body) = self.bodies.bodies.get_mut(&(runner, claim)) else {
            return;
        };
        if body.life != Life::Whole {
            return;
        }
        match act {
            Act::Talks => {
                body.processed += 1;
                let units = Units { pending: 0, processed: body.processed };
                let input = Input::JobProgressed(claim, Some(units), None);
                self.runner_hears_soon(runner, input);
                let later = self.workload.span(Span::from_millis(200), Span::from_secs(5));
                self.after(later, Happening::JobActs { runner, claim, act: Act::Talks });
            }
            Act::Ends => self.body_exits(runner, claim, true),
            Act::Obeys => self.body_exits(runner, claim, false),
        }
    }

    fn body_exits(&mut self, runner: usize, claim: Claim, by_itself: bool) {
        let Some(body) = self.bodies.bodies.get_mut(&(runner, claim)) else {
            return;
        };
        body.life = if body.leaves_something { Life::Remains } else { Life::Dead };
        let leaves_something = body.leaves_something;
        let exit = if by_itself { Exit::Code(body.code) } else { Exit::Signal(15) };
        let is_final = by_itself && body.is_final;
        let worker = body.worker.clone();
        let how = if by_itself { "by itself" } else { "as it was asked to" };
        let group_empty = !leaves_something || self.has(Sabotage::ReportedAlive);
        self.tell(|| format!("the job of {worker} on runner {runner} ends {how}"));
        let exit = JobExit {
            exit,
            group_empty,
            is_final,
            output: Output {
                stdout: Tail { bytes: b"bye".to_vec(), dropped: 0 },
                ..Output::default()
            },
        };
        if group_empty {
            self.tell_guard(runner, Word::Empty(claim));
        } else {
            self.see(Fact::Abandoned);
        }
        self.runner_hears_soon(runner, Input::JobExited(claim, exit));
    }

    /// A job is asked to end.
    pub(super) fn terminate_body(&mut self, runner: usize, claim: Claim) {
        let Some(body) = self.bodies.bodies.get(&(runner, claim)) else {
            return;
        };
        if let (Life::Whole, Some(after)) = (body.life, body.obeys_after) {
            self.after(after, Happening::JobActs { runner, claim, act: Act::Obeys });
        }
    }

    /// Everything of a job is killed.
    pub(super) fn kill_body(&mut self, runner: usize, claim: Claim) {
        let Some(body) = self.bodies.bodies.get_mut(&(runner, claim)) else {
            return;
        };
        if !body.is_alive() {
            return;
        }
        let had_exited = body.life == Life::Remains;
        body.life = Life::Dead;
        self.tell_guard(runner, Word::Empty(claim));
        if !had_exited {
            let exit = JobExit {
                exit: Exit::Signal(9),
                group_empty: true,
                is_final: false,
                output: Output::default(),
            };
            self.runner_hears_soon(runner, Input::JobExited(claim, exit));
        }
    }

    /// When the store gives a slot away, nothing of the job that had it may live. Who releases
    /// one by force takes the risk of an overlap.
    pub(super) fn judge_slots(&mut self, handled: &Handled) {
        for event in &handled.events {
            let (id, is_released) = match event {
                Event::RunEnded { run, end, .. } => {
                    (*run, matches!(end.outcome, Outcome::Interrupted(Interruption::Released(_))))
                }
                Event::RunGivenBack { run } => (*run, false),
                _ => continue,
            };
            let mut living = None;
            for ((runner, claim), body) in &mut self.bodies.bodies {
                if claim.run == id {
                    body.is_released |= is_released;
                    if body.is_alive() && !body.is_released {
                        living = Some((*runner, *claim));
                    }
                }
            }
            if let Some((runner, claim)) = living {
                let claim = describe::claim(claim);
                let what = format!("the slot of {claim} is free while it lives on runner {runner}");
                self.broke(Breach::of(Invariant::NoOverlap, what));
            }
        }
    }
}
