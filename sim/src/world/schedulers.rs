//! Scheduler processes, and the lock that says which of them leads.

use horarium_core::recurrence::ZoneData;
use horarium_core::scheduler::{Input, Output, Scheduler, SchedulerConfig};
use horarium_core::words::{Moment, SchedulerId, Span};

use crate::clock::HostClock;
use crate::facts::Fact;
use crate::incident::Incident;
use crate::sabotage::SchedulerShell;

use super::moments::Waiting;
use super::network::Sender;
use super::runners::Condition;
use super::work::Process;
use super::{Happening, World};

/// How often expired rows are looked for.
const PRUNE_EVERY: Span = Span::from_minutes(5);

/// A scheduler process.
#[derive(Debug)]
pub(super) struct SchedulerProcess {
    clock: HostClock,
    machine: Scheduler,
    pub(super) condition: Condition,
    shell: SchedulerShell,
    /// The call for whose answer it waits.
    pub(super) waiting: Option<Waiting>,
    alarm: u64,
    /// True once it wanted the lock and another one had it.
    stands_by: bool,
    inbox: Vec<Input>,
    /// The zone data that it was built with.
    zones: ZoneData,
}

impl SchedulerProcess {
    /// True while it believes to lead.
    pub(super) fn leads(&self) -> bool {
        self.machine.is_leading()
    }

    /// The zone data that it was built with.
    pub(super) const fn zones(&self) -> &ZoneData {
        &self.zones
    }
}

impl World {
    /// A scheduler process starts.
    pub(super) fn scheduler_starts(&mut self) {
        if self.is_away() {
            if !self.schedulers_lag.is_zero() {
                self.see(Fact::SchedulersBackLast);
            }
            let back = self.away_until.plus(self.schedulers_lag);
            self.queue.put(back, Happening::SchedulerStarts);
            return;
        }
        if self.phase.is_stopping() {
            return;
        }
        let rate = self.profile.seats.first().map_or(1_000_000, |seat| seat.clock_rate);
        let clock = HostClock { boot: self.latency.below(1_000_000_000), rate };
        let timing = self.profile.scheduler;
        let config = SchedulerConfig {
            id: SchedulerId::from_bits(self.latency.wide_bits()),
            poll: timing.poll,
            lock_retry: timing.lock_retry,
            probe: timing.probe,
            statement_timeout: timing.statement_timeout,
            batch: timing.batch,
            retention: self.profile.retention.map(|retention| (retention, PRUNE_EVERY)),
            seed: self.latency.bits(),
        };
        let mut out = Vec::new();
        let machine = Scheduler::new(config, clock.at(self.time), &mut out);
        let zones = self.data_of_a_new_process();
        let scheduler = self.schedulers.len();
        self.schedulers.push(SchedulerProcess {
            clock,
            machine,
            condition: Condition::Well,
            shell: SchedulerShell::new(self.sabotage),
            waiting: None,
            alarm: 0,
            stands_by: false,
            inbox: Vec::new(),
            zones,
        });
        let interval = timing.poll.min(timing.statement_timeout);
        self.expect_work(Process::Scheduler(scheduler), interval);
        self.tell(|| format!("scheduler {scheduler} starts"));
        self.carry_out_for_scheduler(scheduler, out);
        if self.is_chaos()
            && self.faults.chance(self.profile.faults.crash_again)
            && self.lets(Incident::CrashAgain)
        {
            let soon = self.faults.span(Span::ZERO, timing.statement_timeout);
            self.after(soon, Happening::SchedulerDiesAgain { scheduler });
        }
    }

    /// A scheduler dies before it has heard much.
    pub(super) fn scheduler_dies_again(&mut self, scheduler: usize) {
        if self.is_chaos() && self.schedulers[scheduler].condition == Condition::Well {
            self.see(Fact::CrashedAgain);
            self.scheduler_crashes(scheduler);
        }
    }

    pub(super) fn scheduler_wakes(&mut self, scheduler: usize, alarm: u64) {
        if self.schedulers[scheduler].alarm == alarm {
            self.scheduler_hears(scheduler, Input::Wake);
        }
    }

    pub(super) fn scheduler_hears(&mut self, scheduler: usize, input: Input) {
        let process = &mut self.schedulers[scheduler];
        match process.condition {
            Condition::Gone => return,
            Condition::Frozen { .. } => {
                process.inbox.push(input);
                return;
            }
            Condition::Well => {}
        }
        self.mark(&(scheduler, &input));
        let reasons = match &input {
            Input::Wake => 0,
            Input::Answered(_, reply) => Self::reasons_in(reply),
            Input::LockHeld
            | Input::LockMissing
            | Input::Unanswered(_)
            | Input::Hint
            | Input::Shutdown => 1,
        };
        self.has_reason(Process::Scheduler(scheduler), reasons);
        let process = &mut self.schedulers[scheduler];
        process.waiting = process.waiting.filter(|it| !it.ends_by_scheduler(&input));
        let Some(input) = process.shell.hear(input) else {
            return;
        };
        let mut out = Vec::new();
        process.machine.handle(process.clock.at(self.time), input, &mut out);
        self.carry_out_for_scheduler(scheduler, out);
    }

    fn carry_out_for_scheduler(&mut self, scheduler: usize, outputs: Vec<Output>) {
        for output in outputs {
            if self.schedulers[scheduler].condition == Condition::Gone {
                return;
            }
            if self.is_chaos()
                && self.faults.chance(self.profile.faults.crash_amid)
                && self.lets(Incident::CrashAmid)
            {
                self.scheduler_crashes(scheduler);
                return;
            }
            self.carry_out_one_for_scheduler(scheduler, output);
        }
    }

    fn carry_out_one_for_scheduler(&mut self, scheduler: usize, output: Output) {
        match output {
            Output::TryLock => {
                let is_free = self.lock.is_none() || self.lock == Some(scheduler);
                let is_held = is_free && !self.outages.refuses(self.time);
                if is_held {
                    self.lock = Some(scheduler);
                } else {
                    self.schedulers[scheduler].stands_by = true;
                }
                self.answer_about_lock(scheduler, is_held);
            }
            Output::ProbeLock => {
                let is_reachable = !self.outages.refuses(self.time);
                let is_held = self.lock == Some(scheduler) && is_reachable;
                self.answer_about_lock(scheduler, is_held);
            }
            Output::Unlock => {
                if self.lock == Some(scheduler) {
                    self.lock = None;
                }
            }
            Output::Send(call, command) => {
                self.schedulers[scheduler].waiting = Waiting::after(call, &command, self.time);
                let patience = self.profile.scheduler.statement_timeout;
                self.send(Sender::Scheduler(scheduler, call), command, patience);
                if self.is_stopped_amid() {
                    self.see(Fact::ShutdownAmid);
                    let soon = self.moment_later();
                    let input = Box::new(Input::Shutdown);
                    self.after(soon, Happening::SchedulerHears { scheduler, input });
                }
            }
            Output::Leading => {
                let led = self.led.replace(scheduler);
                let is_gone = |it: usize| self.schedulers[it].condition == Condition::Gone;
                if self.schedulers[scheduler].stands_by && led.is_some_and(is_gone) {
                    self.see(Fact::LeaderTookOver);
                }
                self.tell(|| format!("scheduler {scheduler} leads"));
                let leaders = self.schedulers.iter().filter(|other| {
                    other.condition != Condition::Gone && other.machine.is_leading()
                });
                if leaders.count() > 1 {
                    self.see(Fact::TwoLeaders);
                }
            }
            Output::Standby => self.tell(|| format!("scheduler {scheduler} stands by")),
            Output::Ticked(_) => {}
            Output::Refused(refusal) => self.note(|| format!("scheduler {scheduler}: {refusal}")),
            Output::WakeAt(moment) => self.set_scheduler_alarm(scheduler, moment),
            Output::Finished => {
                self.tell(|| format!("scheduler {scheduler} ends"));
                self.schedulers[scheduler].condition = Condition::Gone;
                if self.is_chaos() {
                    let pause = self.faults.span(Span::from_millis(50), Span::from_secs(30));
                    self.after(pause, Happening::SchedulerStarts);
                }
            }
        }
    }

    fn answer_about_lock(&mut self, scheduler: usize, is_held: bool) {
        let input = Box::new(if is_held { Input::LockHeld } else { Input::LockMissing });
        let way = self.moment_later().plus(self.moment_later());
        self.after(way, Happening::SchedulerHears { scheduler, input });
    }

    fn set_scheduler_alarm(&mut self, scheduler: usize, moment: Moment) {
        let process = &mut self.schedulers[scheduler];
        process.alarm += 1;
        let alarm = process.alarm;
        if let Some(time) = process.clock.when(moment) {
            let late = self.moment_later();
            let time = time.max(self.time).plus(late);
            self.queue.put(time, Happening::SchedulerWakes { scheduler, alarm });
        }
    }

    /// A scheduler dies; another starts with a new identity.
    pub(super) fn scheduler_crashes(&mut self, scheduler: usize) {
        self.tell(|| format!("scheduler {scheduler} crashes"));
        self.schedulers[scheduler].condition = Condition::Gone;
        if self.lock == Some(scheduler) {
            self.lock = None;
        }
        let pause = self.faults.span(Span::from_millis(50), Span::from_secs(60));
        self.after(pause, Happening::SchedulerStarts);
    }

    /// Sooner or later every process is replaced by one that has the newest zone data.
    pub(super) fn older_schedulers_are_replaced(&mut self) {
        for scheduler in 0..self.schedulers.len() {
            let process = &self.schedulers[scheduler];
            let is_older = process.zones != *self.releases.newest();
            if is_older && process.condition != Condition::Gone {
                self.scheduler_crashes(scheduler);
            }
        }
    }

    /// A scheduler freezes; its lock does not outlive a few probes.
    pub(super) fn scheduler_freezes(&mut self, scheduler: usize) {
        let timing = self.profile.scheduler;
        let pause = self.faults.span(Span::ZERO, timing.poll.times(5).plus(timing.probe));
        self.tell(|| format!("scheduler {scheduler} freezes for {pause}"));
        self.schedulers[scheduler].condition = Condition::Frozen { since: self.time };
        if pause > timing.probe.times(3) && self.lock == Some(scheduler) {
            self.lock = None;
        }
        self.after(pause, Happening::SchedulerThaws { scheduler });
    }

    pub(super) fn scheduler_thaws(&mut self, scheduler: usize) {
        let process = &mut self.schedulers[scheduler];
        if !matches!(process.condition, Condition::Frozen { .. }) {
            return;
        }
        process.condition = Condition::Well;
        self.tell(|| format!("scheduler {scheduler} goes on"));
        for input in std::mem::take(&mut self.schedulers[scheduler].inbox) {
            self.scheduler_hears(scheduler, input);
        }
        self.scheduler_hears(scheduler, Input::Wake);
    }

    /// Some scheduler process that may be struck by a fault.
    pub(super) fn some_scheduler(&mut self) -> Option<usize> {
        let well: Vec<usize> = (0..self.schedulers.len())
            .filter(|it| self.schedulers[*it].condition == Condition::Well)
            .collect();
        self.faults.pick_of(&well).copied()
    }
}
