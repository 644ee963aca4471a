//! Schedulers on the stage: what happens to them, and what they want done.

use std::num::NonZeroU32;

use horarium_core::scheduler::{Input, Output, Scheduler, SchedulerConfig};

use super::cast::{Machine, Member};
use super::{Stage, span};

impl Stage {
    /// A scheduler that keeps every row appears.
    pub(crate) fn scheduler(&mut self, who: &'static str) {
        self.scheduler_with(who, |_| {});
    }

    /// A scheduler that differs from the usual one appears.
    pub(crate) fn scheduler_with(
        &mut self,
        who: &'static str,
        differ: impl FnOnce(&mut SchedulerConfig),
    ) {
        let mut config = SchedulerConfig {
            id: Self::scheduler_id(who),
            poll: span("30s"),
            lock_retry: span("5s"),
            probe: span("10s"),
            statement_timeout: span("5s"),
            batch: NonZeroU32::new(100).unwrap(),
            retention: None,
            seed: u64::from(who.as_bytes()[0]),
        };
        differ(&mut config);
        self.names.schedulers.insert(config.id, who.to_owned());
        let mut out = Vec::new();
        let machine = Scheduler::new(config, self.moment, &mut out);
        let machine = Machine::Scheduler(Box::new(machine));
        let member = Member::new(machine);
        self.cast.insert(who, member);
        self.line(&format!("{who} appears"));
        self.scheduler_wants(who, out);
    }

    pub(super) fn scheduler_input(&mut self, who: &'static str, input: Input) {
        let moment = self.moment;
        let mut out = Vec::new();
        let Machine::Scheduler(scheduler) = &mut self.member(who).machine else {
            panic!("{who} is no scheduler");
        };
        scheduler.handle(moment, input, &mut out);
        self.scheduler_wants(who, out);
    }

    fn scheduler_wants(&mut self, who: &'static str, out: Vec<Output>) {
        for output in out {
            match output {
                Output::TryLock => self.does(who, "asks for the lock"),
                Output::ProbeLock => {
                    self.member(who).is_probing = true;
                    self.does(who, "probes the lock");
                }
                Output::Unlock => self.does(who, "gives the lock back"),
                Output::Send(id, command) => self.member(who).call = Some((id, command)),
                Output::Leading => self.does(who, "LEADS"),
                Output::Standby => self.does(who, "STANDS BY"),
                // The reply says it.
                Output::Ticked(_) | Output::Refused(_) => {}
                Output::WakeAt(moment) => self.member(who).alarm = moment,
                Output::Finished => self.does(who, "ends"),
            }
        }
    }

    /// When the scheduler wants to be woken, told.
    pub(crate) fn sleeps(&mut self, who: &'static str) {
        let time = self.member(who).alarm.since(self.moment);
        self.does(who, &format!("sleeps for {time}"));
    }

    /// True when the scheduler waits to hear of its lock.
    pub(crate) fn is_probing(&mut self, who: &'static str) -> bool {
        self.member(who).is_probing
    }

    /// The lock is the scheduler's: its try or its probe was answered.
    pub(crate) fn lock_held(&mut self, who: &'static str) {
        self.line(&format!("{who} has the lock"));
        self.member(who).is_probing = false;
        self.scheduler_input(who, Input::LockHeld);
    }

    /// The lock is not the scheduler's.
    pub(crate) fn lock_missing(&mut self, who: &'static str) {
        self.line(&format!("{who} has not the lock"));
        self.scheduler_input(who, Input::LockMissing);
    }

    /// The scheduler is told that schedules may have changed.
    pub(crate) fn hint(&mut self, who: &'static str) {
        self.line(&format!("{who} is told that schedules may have changed"));
        self.scheduler_input(who, Input::Hint);
    }

    /// The scheduler is asked to stop.
    pub(crate) fn scheduler_shutdown(&mut self, who: &'static str) {
        self.line(&format!("{who} is asked to stop"));
        self.scheduler_input(who, Input::Shutdown);
    }
}
