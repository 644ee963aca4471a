//! The two runner processes of the search, their jobs, and the time in which they live.

use horarium_core::ledger::audit::Invariant;
use horarium_core::ledger::{Claim, Command, Reply};
use horarium_core::run::Output as JobOutput;
use horarium_core::runner::{Exit, Input, JobExit, Output};
use horarium_core::words::{Moment, RunnerId};

use crate::breach::{Breach, Law};
use crate::describe;

use super::scope::GRID;
use super::shared::Shared;
use super::state::{Host, Message, State};

impl State {
    /// Gives a runner that wants one a fresh id.
    pub(super) fn identify(&mut self, runner: u8) {
        self.identities += 1;
        let id = RunnerId::from_bits(u128::from(self.identities));
        self.feed(runner, Input::Identity(id));
    }

    /// Tells a runner machine something, as soon as everything that is wanted now is done.
    pub(super) fn feed(&mut self, runner: u8, input: Input) {
        self.soon.push_back((runner, input));
    }

    /// Tells the runner machines all that they are to be told, and does what they want done.
    pub(super) fn settle(&mut self) -> Result<(), Breach> {
        while let Some((runner, input)) = self.soon.pop_front() {
            let place = usize::from(runner);
            if self.hosts[place].is_gone {
                continue;
            }
            let mut out = Vec::new();
            self.hosts[place].change().machine.handle(self.now, input, &mut out);
            for output in out {
                self.carry_out(runner, output)?;
            }
        }
        Ok(())
    }

    pub(super) fn change(&mut self, runner: u8, change: impl FnOnce(&mut Host)) {
        change(self.hosts[usize::from(runner)].change());
    }

    fn carry_out(&mut self, runner: u8, output: Output) -> Result<(), Breach> {
        match output {
            Output::Identify => self.identify(runner),
            // Somebody may sweep at any time anyway: its own sweeps need no way of their own.
            Output::Send(call, Command::Sweep { .. }) => {
                let swept = Reply::Swept { interrupted: 0, too_late: 0, more: false };
                self.feed(runner, Input::Answered(call, swept));
            }
            Output::Send(call, command) => {
                self.change(runner, |host| host.last_call = call.0);
                self.post(Shared::new(Message::Request(runner, call, command)));
            }
            Output::Start { grant, kill_at, .. } => {
                return self.job_starts(runner, grant.claim, kill_at);
            }
            Output::Deadline { claim, kill_at } => self.change(runner, |host| {
                if let Some(deadline) = host.jobs.get_mut(&claim) {
                    *deadline = kill_at;
                }
            }),
            Output::Kill(claim, _) => self.job_dies(runner, claim),
            Output::WakeAt(moment) => self.change(runner, |host| host.alarm = moment),
            Output::Terminate(..) | Output::ForegroundRefused(_) | Output::ForegroundEnded(_) => {}
            Output::Finished { .. } => self.ends(runner),
        }
        Ok(())
    }

    pub(super) fn job_starts(
        &mut self,
        runner: u8,
        claim: Claim,
        kill_at: Moment,
    ) -> Result<(), Breach> {
        if !self.started.insert(claim) {
            let what = format!("{} was started before", describe::claim(claim));
            return Err(Breach::new(Law::StartedOnce, what));
        }
        let live = self.hosts.iter().find_map(|host| host.jobs.keys().next());
        if let Some(live) = live {
            let (new, old) = (describe::claim(claim), describe::claim(*live));
            let what = format!("{new} starts while {old} lives");
            return Err(Breach::of(Invariant::NoOverlap, what));
        }
        self.change(runner, |host| {
            host.jobs.insert(claim, kill_at);
        });
        self.feed(runner, Input::JobStarted(claim));
        Ok(())
    }

    fn job_exits(&mut self, runner: u8, claim: Claim, exit: Exit) {
        self.change(runner, |host| {
            host.jobs.remove(&claim);
        });
        let output = JobOutput::default();
        let exit = JobExit { exit, group_empty: true, is_final: false, output };
        self.feed(runner, Input::JobExited(claim, exit));
    }

    pub(super) fn job_ends(&mut self, runner: u8, is_well: bool) {
        let job = self.hosts[usize::from(runner)].jobs.keys().next().copied();
        if let Some(claim) = job {
            self.job_exits(runner, claim, Exit::Code(i32::from(!is_well)));
        }
    }

    fn job_dies(&mut self, runner: u8, claim: Claim) {
        if self.hosts[usize::from(runner)].jobs.contains_key(&claim) {
            self.job_exits(runner, claim, Exit::Signal(9));
        }
    }

    /// A runner process ends; its guard kills its jobs, and nobody reads its answers.
    pub(super) fn ends(&mut self, runner: u8) {
        self.change(runner, |host| {
            host.is_gone = true;
            host.alarm = Moment::NEVER;
            host.jobs.clear();
        });
        self.messages
            .retain(|message| !matches!(&**message, Message::Answer(of, _, _) if *of == runner));
    }

    /// Time goes on to the grid point at or after the next alarm.
    pub(super) fn time_goes_on(&mut self) {
        let alarms = self.hosts.iter().map(|host| host.alarm);
        let next = alarms.min().filter(|alarm| *alarm != Moment::NEVER);
        let expiry = self.next_expiry();
        self.wake_at(next.or(expiry).unwrap_or(self.now));
    }

    /// Everybody but the guards stands still until a lease has run out.
    pub(super) fn freeze(&mut self) {
        if let Some(expiry) = self.next_expiry() {
            self.wake_at(expiry);
        }
    }

    pub(super) fn next_expiry(&self) -> Option<Moment> {
        let run = self.store.ledger.running().next()?;
        let expiry = run.hold()?.lease_expires_at;
        Some(Moment::START.plus(expiry.since(Self::store_time(Moment::START))))
    }

    /// Time goes on to the grid point at or after `moment`: guards kill what was due to die on
    /// the way, then runners wake.
    pub(super) fn wake_at(&mut self, moment: Moment) {
        let at_least = moment.max(self.now.plus(GRID));
        let points = at_least.micros().div_ceil(GRID.micros());
        self.now = Moment::START.plus(GRID.times(points));
        for runner in 0..2 {
            let jobs = self.hosts[usize::from(runner)].jobs.clone();
            for (claim, deadline) in jobs {
                if deadline <= self.now {
                    self.job_dies(runner, claim);
                }
            }
        }
        for runner in 0..2 {
            if self.hosts[usize::from(runner)].alarm <= self.now {
                self.feed(runner, Input::Wake);
            }
        }
    }
}
