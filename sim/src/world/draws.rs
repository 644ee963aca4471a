//! Who draws from where. Everything that happens has draws of its own, by whom it happens to and
//! how often something did already: so what is left out of a world shifts nobody else's draws.

use std::mem;

use crate::draw::{Draw, Stream};
use crate::incident::Incident;

use super::network::Sender;
use super::{Happening, World};

impl World {
    /// Lets something happen with draws of its own.
    pub(super) fn with_own_draws<T>(&mut self, own: Draw, act: impl FnOnce(&mut Self) -> T) -> T {
        let faults = mem::replace(&mut self.faults, own.beside(1));
        let latency = mem::replace(&mut self.latency, own.beside(2));
        let workload = mem::replace(&mut self.workload, own);
        let done = act(self);
        self.faults = faults;
        self.latency = latency;
        self.workload = workload;
        done
    }

    /// The draws of what happens, for the time that it happens.
    pub(super) fn own_draws(&mut self, happening: &Happening) -> Draw {
        let (stream, who) = match happening {
            Happening::RunnerStarts { seat } => (Stream::Seats, *seat),
            Happening::RunnerWakes { runner, .. }
            | Happening::RunnerHears { runner, .. }
            | Happening::RunnerThaws { runner }
            | Happening::GuardWakes { runner }
            | Happening::GuardThaws { runner }
            | Happening::RunnerDiesAgain { runner }
            | Happening::JobActs { runner, .. } => (Stream::Runners, *runner),
            Happening::SchedulerWakes { scheduler, .. }
            | Happening::SchedulerHears { scheduler, .. }
            | Happening::SchedulerDiesAgain { scheduler }
            | Happening::SchedulerThaws { scheduler } => (Stream::Schedulers, *scheduler),
            Happening::Arrives(letter) => return letter.draw.clone(),
            Happening::Strikes(disaster) => (Stream::Strikes, *disaster as usize),
            Happening::OperatorActs => (Stream::Operators, 0),
            Happening::OperatorGivesUp { operation } => (Stream::Operations, *operation),
            Happening::Answers(answer) => match answer.addressee() {
                Sender::Runner(runner, _) => (Stream::Runners, runner),
                Sender::Scheduler(scheduler, _) => (Stream::Schedulers, scheduler),
                Sender::Operator(operation) => (Stream::Operations, operation),
                Sender::Vulture => (Stream::World, 1),
            },
            Happening::SchedulerStarts
            | Happening::Expires
            | Happening::OperatorsBegin
            | Happening::Heals
            | Happening::Looks => (Stream::World, 0),
        };
        self.drawn_from(stream, who)
    }

    /// The next draws of somebody.
    pub(super) fn drawn_from(&mut self, stream: Stream, who: usize) -> Draw {
        let count = self.drawn.entry((stream, who)).or_default();
        *count += 1;
        let which = u128::try_from(who).unwrap_or(0) << 64 | u128::from(*count);
        Draw::of(self.seed, stream, which)
    }

    /// The draws of a message: they depend on who sends it and how many he sent before.
    pub(super) fn draws_of_message(&mut self, sender: Sender) -> Draw {
        match sender {
            Sender::Runner(runner, _) => self.drawn_from(Stream::RunnerMessages, runner),
            Sender::Scheduler(scheduler, _) => {
                self.drawn_from(Stream::SchedulerMessages, scheduler)
            }
            Sender::Operator(operation) => self.drawn_from(Stream::OperatorMessages, operation),
            Sender::Vulture => self.drawn_from(Stream::World, 1),
        }
    }

    /// True unless an incident that was drawn is left out of this world.
    pub(super) fn lets(&mut self, incident: Incident) -> bool {
        let happens = self.incidents.happens(incident, self.time);
        if happens && incident.is_fault() {
            let moments = self.moments();
            self.coverage.struck(incident, moments);
        }
        happens
    }
}
