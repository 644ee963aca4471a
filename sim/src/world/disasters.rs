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

/// Nothing of a kind strikes twice within so long.
const COOLDOWN: Span = Span::from_millis(200);

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
    StoreRefuses,
    StoreSlow,
    StoreReadOnly,
    StoreRestart,
    Restore,
    RowHeld,
    AllRunnersCrash,
    BothFreeze,
}

impl Disaster {
    const ALL: [Self; 20] = [
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
        Self::StoreRefuses,
        Self::StoreSlow,
        Self::StoreReadOnly,
        Self::StoreRestart,
        Self::Restore,
        Self::RowHeld,
        Self::AllRunnersCrash,
        Self::BothFreeze,
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
            Self::StoreRefuses => Incident::StoreRefuses,
            Self::StoreSlow => Incident::StoreSlow,
            Self::StoreReadOnly => Incident::StoreReadOnly,
            Self::StoreRestart => Incident::StoreRestart,
            Self::Restore => Incident::Restore,
            Self::RowHeld => Incident::RowHeld,
            Self::AllRunnersCrash => Incident::AllRunnersCrash,
            Self::BothFreeze => Incident::BothFreeze,
        }
    }
}

impl World {
    pub(super) fn plan_disasters(&mut self) {
        for disaster in Disaster::ALL {
            self.plan_disaster(disaster, Time::START);
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
            Disaster::StoreRefuses => faults.store_refuses,
            Disaster::StoreSlow => faults.store_slow,
            Disaster::StoreReadOnly => faults.store_read_only,
            Disaster::StoreRestart => faults.store_restart,
            Disaster::Restore => faults.restore,
            Disaster::RowHeld => faults.row_held,
            Disaster::AllRunnersCrash => faults.all_runners_crash,
            Disaster::BothFreeze => faults.both_freeze,
        }
    }

    /// The next of a kind, at the earliest a moment after the last one is over.
    fn plan_disaster(&mut self, disaster: Disaster, over: Time) {
        if disaster == Disaster::AllAway && self.away_until > Time::START {
            return;
        }
        if let Some(interval) = self.interval(disaster) {
            let mut own = self.drawn_from(Stream::Strikes, disaster as usize);
            let wait = own.span(Span::ZERO, interval.times(2));
            let from = over.max(self.away_until);
            self.queue.put(from.plus(wait), Happening::Strikes(disaster));
        }
    }

    pub(super) fn strikes(&mut self, disaster: Disaster) {
        if !self.is_chaos() {
            return;
        }
        let mut over = self.time;
        if !self.is_away() && self.lets(disaster.incident()) {
            over = over.plus(self.strike(disaster)).plus(COOLDOWN);
        }
        self.plan_disaster(disaster, over);
    }

    /// How long it lasts, where another of its kind would not be felt meanwhile.
    fn strike(&mut self, disaster: Disaster) -> Span {
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
            Disaster::SchedulersAway => {
                let longest = if self.profile.is_out_of_step { 3 } else { 20 };
                self.all_schedulers_go(Span::from_minutes(longest));
            }
            Disaster::AllAway => {
                let away = self.faults.span(Span::from_hours(1), Span::from_days(21));
                self.tell(|| format!("everything is away for {away}"));
                self.see(Fact::AllAway);
                self.away_until = self.time.plus(away);
                if self.faults.chance(500) {
                    self.schedulers_lag = self.faults.span(Span::ZERO, Span::from_minutes(8));
                }
                self.all_schedulers_go(Span::ZERO);
                for runner in 0..self.runners.len() {
                    if self.runners[runner].condition != Condition::Gone {
                        self.guard_thaws(runner);
                        self.runner_crashes(runner);
                    }
                }
            }
            Disaster::AllRunnersCrash => {
                let well: Vec<usize> =
                    (0..self.runners.len()).filter(|it| self.may_crash(*it)).collect();
                if well.len() > 1 {
                    self.see(Fact::AllRunnersCrashed);
                }
                for runner in well {
                    self.runner_crashes(runner);
                }
            }
            Disaster::BothFreeze => {
                if let Some(runner) = self.some_runner() {
                    self.see(Fact::BothFroze);
                    let pause = self.faults.span(Span::ZERO, self.runners[runner].lease.times(3));
                    self.tell(|| format!("runner {runner} and its guard freeze, up to {pause}"));
                    self.runner_freezes(runner);
                    self.runners[runner].guard.watch = Watch::Frozen;
                    self.after(pause, Happening::GuardThaws { runner });
                }
            }
            Disaster::StoreRefuses
            | Disaster::StoreSlow
            | Disaster::StoreReadOnly
            | Disaster::StoreRestart
            | Disaster::Restore
            | Disaster::RowHeld => return self.store_suffers(disaster),
        }
        Span::ZERO
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
        let bound = self.profile.clock_step.max(self.profile.wild_clock);
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
