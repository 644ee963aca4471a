//! The daemons under attack: who they are, and what becomes of each.
//!
//! A *unit* is one daemon that is started again whenever it is gone. Of a runner and its guard
//! only one is ever hurt at a time: both frozen or gone at once is the case that no guard can help
//! in, and exempt.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::daemons::{Daemon, LIMIT, Process};
use crate::plan::{Blow, Victim};
use crate::scene::Scene;

/// What a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Runner,
    Scheduler,
    Up,
}

/// Everything that serves the ledger.
pub(crate) const UNITS: [(&str, Kind); 6] = [
    ("runner-1", Kind::Runner),
    ("runner-2", Kind::Runner),
    ("runner-3", Kind::Runner),
    ("scheduler-1", Kind::Scheduler),
    ("scheduler-2", Kind::Scheduler),
    ("up", Kind::Up),
];

/// How a unit is.
enum Condition {
    Up(Daemon),
    Frozen {
        daemon: Daemon,
        victim: Process,
        until: Instant,
        then_kill: bool,
    },
    /// It was told to end, or lost its runner: nothing else happens to it until it is gone.
    Ending {
        daemon: Daemon,
        since: Instant,
        asked: bool,
    },
    Down {
        until: Instant,
    },
}

struct Unit {
    name: &'static str,
    kind: Kind,
    condition: Condition,
}

/// True for the end of what was asked to end: by itself, or by the signal when it came too early
/// to be caught.
fn is_orderly(status: ExitStatus) -> bool {
    let by = |signal: Signal| {
        let number = signal.as_raw();
        status.signal() == Some(number) || status.code() == Some(128 + number)
    };
    status.success() || by(Signal::TERM) || by(Signal::INT)
}

/// The units, and what was seen of them.
pub(crate) struct Cluster<'a> {
    scene: &'a Scene,
    units: Vec<Unit>,
    /// Runners without a guard, each with the moment of its loss: they must end by themselves.
    orphans: Vec<(&'static str, Process, Instant)>,
    /// What should not have happened.
    pub(crate) faults: Vec<String>,
    /// How many attacks were made.
    pub(crate) blows: u32,
}

impl<'a> Cluster<'a> {
    /// Everything is down, and comes up at the first look.
    pub(crate) fn new(scene: &'a Scene) -> Self {
        let down = |(name, kind)| {
            let condition = Condition::Down { until: Instant::now() };
            Unit { name, kind, condition }
        };
        let units = UNITS.into_iter().map(down).collect();
        Self { scene, units, orphans: Vec::new(), faults: Vec::new(), blows: 0 }
    }

    /// Strikes, unless the unit is hurt already or only just starting. Tells whether it did.
    pub(crate) fn strike(&mut self, unit: usize, victim: Victim, blow: Blow) -> bool {
        let Unit { name, kind, condition } = &mut self.units[unit];
        let Condition::Up(daemon) = &*condition else { return false };
        let Some(top) = daemon.process() else { return false };
        let runner = match kind {
            Kind::Scheduler => None,
            Kind::Runner | Kind::Up => match daemon.runner() {
                Some(runner) => Some(runner),
                None => return false,
            },
        };
        let target = match victim {
            Victim::Guard => top,
            Victim::Runner => runner.unwrap_or(top),
        };
        let now = Instant::now();
        let is_guard = runner.is_some() && target == top;
        let Condition::Up(daemon) = std::mem::replace(condition, Condition::Down { until: now })
        else {
            return false;
        };
        *condition = match blow {
            Blow::Kill => {
                target.signal(Signal::KILL);
                if is_guard {
                    self.orphans.extend(runner.map(|runner| (*name, runner, now)));
                }
                Condition::Ending { daemon, since: now, asked: false }
            }
            Blow::Freeze { span, then_kill } => {
                target.signal(Signal::STOP);
                Condition::Frozen { daemon, victim: target, until: now + span, then_kill }
            }
            Blow::Stop { hurry } => {
                daemon.signal(Signal::TERM);
                if hurry {
                    daemon.signal(Signal::INT);
                }
                Condition::Ending { daemon, since: now, asked: true }
            }
        };
        self.blows += 1;
        true
    }

    /// Looks after every unit: thaws what was frozen long enough, starts what is down.
    pub(crate) fn look_after(&mut self, pause: Duration) {
        let now = Instant::now();
        for unit in 0..self.units.len() {
            self.look_after_one(unit, now, pause);
        }
        self.orphans.retain(|(name, runner, since)| {
            if now > *since + LIMIT && runner.lives() {
                self.faults.push(format!("the runner of {name} outlives its guard"));
                return false;
            }
            runner.lives()
        });
    }

    fn look_after_one(&mut self, unit: usize, now: Instant, pause: Duration) {
        let Unit { name, kind, condition } = &mut self.units[unit];
        let was = std::mem::replace(condition, Condition::Down { until: now + pause });
        *condition = match was {
            Condition::Up(mut daemon) => match daemon.ended() {
                None => Condition::Up(daemon),
                Some(status) => {
                    self.faults.push(format!("{name} ended by itself: {status}"));
                    Condition::Down { until: now + pause }
                }
            },
            Condition::Frozen { daemon, victim, until, then_kill } if now >= until => {
                let is_guard = daemon.process() == Some(victim);
                if then_kill {
                    let runner = daemon.runner();
                    victim.signal(Signal::KILL);
                    if is_guard {
                        self.orphans.extend(runner.map(|runner| (*name, runner, now)));
                    }
                    Condition::Ending { daemon, since: now, asked: false }
                } else {
                    victim.signal(Signal::CONT);
                    Condition::Up(daemon)
                }
            }
            frozen @ Condition::Frozen { .. } => frozen,
            Condition::Ending { mut daemon, since, asked } => {
                if let Some(status) = daemon.ended() {
                    if asked && !is_orderly(status) {
                        self.faults.push(format!("{name} was asked to end and said: {status}"));
                    }
                    Condition::Down { until: now + pause }
                } else if now > since + LIMIT {
                    self.faults.push(format!("{name} does not end"));
                    Condition::Ending { daemon, since: now, asked }
                } else {
                    Condition::Ending { daemon, since, asked }
                }
            }
            Condition::Down { until } if now >= until => {
                let command = match kind {
                    Kind::Runner => self.scene.runner(),
                    Kind::Scheduler => self.scene.scheduler(),
                    Kind::Up => self.scene.up(),
                };
                Condition::Up(Daemon::start(command, self.scene.log(name)))
            }
            down @ Condition::Down { .. } => down,
        };
    }

    /// Ends every freeze and every pause, and waits until all units are up again.
    pub(crate) fn heal(&mut self) {
        let give_up = Instant::now() + 2 * LIMIT;
        while !self.is_whole() {
            if Instant::now() > give_up {
                self.faults.push("not everything came up again".to_owned());
                return;
            }
            for unit in &mut self.units {
                if let Condition::Frozen { until, then_kill, .. } = &mut unit.condition {
                    *until = Instant::now();
                    *then_kill = false;
                }
            }
            self.look_after(Duration::ZERO);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn is_whole(&self) -> bool {
        let is_up = |unit: &Unit| matches!(unit.condition, Condition::Up(_));
        self.orphans.is_empty() && self.units.iter().all(is_up)
    }

    /// Asks every unit to end, and waits until it has.
    pub(crate) fn stop(mut self) -> Vec<String> {
        for unit in &self.units {
            if let Condition::Up(daemon) = &unit.condition {
                daemon.signal(Signal::TERM);
            }
        }
        for unit in &mut self.units {
            if let Condition::Up(daemon) = &mut unit.condition {
                let status = daemon.end();
                if !is_orderly(status) {
                    self.faults.push(format!("{} was asked to end and said: {status}", unit.name));
                }
            }
        }
        self.faults
    }
}
