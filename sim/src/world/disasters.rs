//! Disasters: what strikes processes, locks and clocks, each kind with its own mean interval.

use horarium_core::runner::Input;
use horarium_core::words::Span;

use crate::clock::Time;
use crate::draw::Stream;
use crate::facts::Fact;
use crate::incident::Incident;

use super::guards::Watch;
use super::runners::Condition;
use super::{Happening, World};

/// A kind of disaster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Disaster {
    RunnerCrash,
    SchedulerCrash,
    RunnerFreeze,
    GuardFreeze,
    GuardDeath,
    SchedulerFreeze,
    CutOff,
    CutOffAgain,
    LockLoss,
    ClockStep,
    Shutdown,
    SchedulersAway,
    AllAway,
}

impl Disaster {
    const ALL: [Self; 12] = [
        Self::RunnerCrash,
        Self::SchedulerCrash,
        Self::RunnerFreeze,
        Self::GuardFreeze,
        Self::GuardDeath,
        Self::SchedulerFreeze,
        Self::CutOff,
        Self::LockLoss,
        Self::ClockStep,
        Self::Shutdown,
        Self::SchedulersAway,
        Self::AllAway,
    ];

    /// What it is among the incidents.
    const fn incident(self) -> Incident {
        match self {
            Self::RunnerCrash => Incident::RunnerCrash,
            Self::SchedulerCrash => Incident::SchedulerCrash,
            Self::RunnerFreeze => Incident::RunnerFreeze,
            Self::GuardFreeze => Incident::GuardFreeze,
            Self::GuardDeath => Incident::GuardDeath,
            Self::SchedulerFreeze => Incident::SchedulerFreeze,
            Self::CutOff => Incident::CutOff,
            Self::CutOffAgain => Incident::CutOffAgain,
            Self::LockLoss => Incident::LockLoss,
            Self::ClockStep => Incident::ClockStep,
            Self::Shutdown => Incident::Shutdown,
            Self::SchedulersAway => Incident::SchedulersAway,
            Self::AllAway => Incident::AllAway,
        }
    }
}

impl World {
    pub(super) fn plan_disasters(&mut self) {
        for disaster in Disaster::ALL {
            self.plan_disaster(disaster);
        }
    }

    /// The mean time between two disasters of a kind, if this world knows it.
    fn interval(&self, disaster: Disaster) -> Option<Span> {
        let faults = &self.profile.faults;
        match disaster {
            Disaster::RunnerCrash => faults.runner_crash,
            Disaster::SchedulerCrash => faults.scheduler_crash,
            Disaster::RunnerFreeze => faults.runner_freeze,
            Disaster::GuardFreeze => faults.guard_freeze,
            Disaster::GuardDeath => faults.guard_death,
            Disaster::SchedulerFreeze => faults.scheduler_freeze,
            Disaster::CutOff => faults.cut_off,
            // Follows from one that was planned.
            Disaster::CutOffAgain => None,
            Disaster::LockLoss => faults.lock_loss,
            Disaster::ClockStep => faults.clock_step,
            Disaster::Shutdown => faults.shutdown,
            Disaster::SchedulersAway => faults.schedulers_away,
            Disaster::AllAway => faults.all_away,
        }
    }

    fn plan_disaster(&mut self, disaster: Disaster) {
        if disaster == Disaster::AllAway && self.away_until > Time::START {
            return;
        }
        if let Some(interval) = self.interval(disaster) {
            let mut own = self.drawn_from(Stream::Strikes, disaster as usize);
            let wait = own.span(Span::ZERO, interval.times(2));
            let from = self.time.max(self.away_until);
            self.queue.put(from.plus(wait), Happening::Strikes(disaster));
        }
    }

    pub(super) fn strikes(&mut self, disaster: Disaster) {
        if !self.is_chaos() {
            return;
        }
        if !self.is_away() && self.lets(disaster.incident()) {
            self.strike(disaster);
        }
        self.plan_disaster(disaster);
    }

    fn strike(&mut self, disaster: Disaster) {
        match disaster {
            Disaster::RunnerCrash => {
                if let Some(runner) = self.some_runner() {
                    self.runner_crashes(runner);
                }
            }
            Disaster::RunnerFreeze => {
                if let Some(runner) = self.some_runner() {
                    self.runner_freezes(runner);
                }
            }
            Disaster::GuardFreeze => {
                if let Some(runner) = self.some_runner() {
                    let pause = self.faults.span(Span::ZERO, Span::from_secs(120));
                    self.tell(|| format!("guard {runner} freezes for {pause}"));
                    self.runners[runner].guard.watch = Watch::Frozen;
                    self.after(pause, Happening::GuardThaws { runner });
                }
            }
            Disaster::GuardDeath => {
                if let Some(runner) = self.some_runner() {
                    self.guard_dies(runner);
                }
            }
            Disaster::SchedulerCrash => {
                if let Some(scheduler) = self.some_scheduler() {
                    self.scheduler_crashes(scheduler);
                }
            }
            Disaster::SchedulerFreeze => {
                if let Some(scheduler) = self.some_scheduler() {
                    self.scheduler_freezes(scheduler);
                }
            }
            Disaster::CutOff | Disaster::CutOffAgain => {
                if let Some(runner) = self.some_runner() {
                    let pause = self.faults.span(Span::ZERO, self.runners[runner].lease.times(2));
                    self.tell(|| format!("runner {runner} is cut off for {pause}"));
                    let until = self.time.plus(pause);
                    let (mute, deaf) =
                        self.faults.pick([(true, true), (true, false), (false, true)]);
                    let process = &mut self.runners[runner];
                    if mute {
                        process.mute_until = until;
                    }
                    if deaf {
                        process.deaf_until = until;
                    }
                    // Lines that are bad once are soon bad again.
                    if self.faults.chance(500) {
                        let soon = self.faults.span(Span::ZERO, Span::from_secs(3));
                        self.after(pause.plus(soon), Happening::Strikes(Disaster::CutOffAgain));
                    }
                }
            }
            Disaster::LockLoss => {
                self.tell(|| String::from("the leader's lock is lost"));
                self.lock = None;
            }
            Disaster::ClockStep => self.step_clock(),
            Disaster::Shutdown => {
                if let Some(runner) = self.some_runner() {
                    let input =
                        if self.faults.chance(800) { Input::Shutdown } else { Input::Hurry };
                    self.runner_hears(runner, input);
                }
            }
            Disaster::SchedulersAway => self.all_schedulers_go(Span::from_minutes(20)),
            Disaster::AllAway => {
                let away = self.faults.span(Span::from_hours(1), Span::from_days(15));
                self.tell(|| format!("everything is away for {away}"));
                self.see(Fact::AllAway);
                self.away_until = self.time.plus(away);
                self.all_schedulers_go(Span::ZERO);
                for runner in 0..self.runners.len() {
                    if self.runners[runner].condition != Condition::Gone {
                        self.guard_thaws(runner);
                        self.runner_crashes(runner);
                    }
                }
            }
        }
    }

    fn all_schedulers_go(&mut self, longest: Span) {
        let away = self.faults.span(Span::ZERO, longest);
        self.lock = None;
        for scheduler in 0..self.schedulers.len() {
            if self.schedulers[scheduler].condition != Condition::Gone {
                self.tell(|| format!("scheduler {scheduler} goes away"));
                self.schedulers[scheduler].condition = Condition::Gone;
                self.after(away, Happening::SchedulerStarts);
            }
        }
    }

    /// The store's clock steps to somewhere within its bound around true time.
    fn step_clock(&mut self) {
        let bound = self.profile.clock_step;
        let micros = self.faults.span(Span::ZERO, bound.times(2)).micros();
        let reach = i64::try_from(bound.micros()).unwrap_or(0);
        let ahead = i64::try_from(micros).unwrap_or(0) - reach;
        let before = self.store_clock.ahead;
        if ahead < before {
            self.see(Fact::ClockSteppedBack);
        } else if ahead > before {
            self.see(Fact::ClockSteppedForward);
        }
        self.tell(|| format!("the store's clock steps by {} µs", ahead - before));
        self.store_clock.ahead = ahead;
    }
}
