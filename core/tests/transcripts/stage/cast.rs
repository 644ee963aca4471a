//! The cast: machines, and the way of their calls to the store and back.

use std::collections::BTreeMap;

use horarium_core::ledger::{Claim, Command, Reply};
use horarium_core::runner::{self, CallId, Runner};
use horarium_core::scheduler::{self, Scheduler};
use horarium_core::words::Moment;

use super::Stage;

/// A machine of either kind.
pub(super) enum Machine {
    Runner(Box<Runner>),
    Scheduler(Box<Scheduler>),
}

/// One of the cast.
pub(super) struct Member {
    pub(super) machine: Machine,
    /// The call that it wants to make, or has made.
    pub(super) call: Option<(CallId, Command)>,
    /// When it wants to be woken.
    pub(super) alarm: Moment,
    /// How many ids it has been given.
    pub(super) ids: u32,
    /// The newest claim that it was asked to start, by worker.
    pub(super) jobs: BTreeMap<String, Claim>,
    /// True for a scheduler that waits to hear of its lock.
    pub(super) is_probing: bool,
}

impl Member {
    pub(super) fn new(machine: Machine) -> Self {
        let alarm = Moment::NEVER;
        Self { machine, call: None, alarm, ids: 0, jobs: BTreeMap::new(), is_probing: false }
    }
}

/// A request that is under way to the store.
#[derive(Clone)]
pub(crate) struct Request {
    from: &'static str,
    id: CallId,
    command: Command,
    is_late: bool,
}

/// An answer that is under way to a machine.
#[derive(Clone)]
pub(crate) struct Answer {
    to: &'static str,
    id: CallId,
    reply: Reply,
}

impl Stage {
    pub(super) fn member(&mut self, who: &str) -> &mut Member {
        self.cast.get_mut(who).unwrap_or_else(|| panic!("{who} is not on the stage"))
    }

    /// The call that the machine wants to make now; time passes until it wants to make one.
    pub(super) fn call(&mut self, who: &'static str) -> (CallId, Command) {
        for _ in 0..4 {
            if let Some(call) = self.member(who).call.take() {
                return call;
            }
            self.wake(who);
            if self.member(who).call.is_none() {
                self.wait_for_alarm(who);
            }
        }
        panic!("{who} has nothing to say\n{}", self.lines.join("\n"));
    }

    /// Lets time pass until the machine wants to be woken, and wakes it.
    pub(crate) fn wait_for_alarm(&mut self, who: &'static str) {
        let alarm = self.member(who).alarm;
        self.pass(alarm.since(self.moment));
        self.wake(who);
    }

    /// The call reaches the store and its answer comes back at once.
    pub(crate) fn call_and_answer(&mut self, who: &'static str) {
        let request = self.delay_request(who);
        let answer = self.store_takes(&request);
        self.hears_quietly(answer);
    }

    /// As [`call_and_answer`](Self::call_and_answer), for as long as it has something to say.
    pub(crate) fn settle(&mut self, who: &'static str) {
        while self.member(who).call.is_some() {
            self.call_and_answer(who);
        }
    }

    /// The machine's call is sent and on its way.
    pub(crate) fn delay_request(&mut self, who: &'static str) -> Request {
        let (id, command) = self.call(who);
        Request { from: who, id, command, is_late: false }
    }

    /// As [`delay_request`](Self::delay_request), told.
    pub(crate) fn send_slowly(&mut self, who: &'static str) -> Request {
        let request = self.delay_request(who);
        self.names.today = self.now;
        let said = self.names.command(&request.command);
        self.line(&format!("{who} {said}"));
        self.under("", "-- the request is slow");
        Request { is_late: true, ..request }
    }

    /// A request reaches the store.
    pub(crate) fn store_takes(&mut self, request: &Request) -> Answer {
        let late = if request.is_late { "late: " } else { "" };
        let reply = self.say(&format!("{late}{}", request.from), &request.command);
        Answer { to: request.from, id: request.id, reply }
    }

    /// A request reaches the store, and its answer is slow.
    pub(crate) fn answer_slowly(&mut self, who: &'static str) -> Answer {
        let request = self.delay_request(who);
        let answer = self.store_takes(&request);
        self.under("", "-- the answer is slow");
        answer
    }

    /// An answer arrives, late.
    pub(crate) fn hears(&mut self, answer: Answer) {
        let said = match &answer.reply {
            Reply::Stale(stale) => format!("stale: {stale}"),
            _ => String::from("the late answer"),
        };
        self.line(&format!("{} hears {said}", answer.to));
        self.hears_quietly(answer);
    }

    /// The store is confused: it answers the machine's next call with an answer that it gave
    /// before.
    pub(crate) fn hears_instead(&mut self, who: &'static str, before: &Answer) {
        let request = self.delay_request(who);
        let said = self.names.command(&request.command);
        self.line(&format!("{who} {said}"));
        self.under("", "-- the store answers as it did before");
        self.hears_quietly(Answer { to: who, id: request.id, reply: before.reply.clone() });
    }

    fn hears_quietly(&mut self, Answer { to, id, reply }: Answer) {
        match self.member(to).machine {
            Machine::Runner(_) => self.runner_input(to, runner::Input::Answered(id, reply)),
            Machine::Scheduler(_) => {
                self.scheduler_input(to, scheduler::Input::Answered(id, reply));
            }
        }
    }

    /// The machine's call never reaches the store.
    pub(crate) fn lose_request(&mut self, who: &'static str) {
        let request = self.delay_request(who);
        self.names.today = self.now;
        let said = self.names.command(&request.command);
        self.line(&format!("{who} {said}"));
        self.under("", "-- the request is lost");
        self.unanswered(who, request.id);
    }

    /// The store handles the machine's call, and the answer is lost.
    pub(crate) fn lose_answer(&mut self, who: &'static str) {
        let request = self.delay_request(who);
        let answer = self.store_takes(&request);
        self.under("", "-- the answer is lost");
        self.unanswered(who, answer.id);
    }

    fn unanswered(&mut self, who: &'static str, id: CallId) {
        match self.member(who).machine {
            Machine::Runner(_) => self.runner_input(who, runner::Input::Unanswered(id)),
            Machine::Scheduler(_) => self.scheduler_input(who, scheduler::Input::Unanswered(id)),
        }
    }

    /// The machine is woken now.
    pub(crate) fn wake(&mut self, who: &'static str) {
        match self.member(who).machine {
            Machine::Runner(_) => self.runner_input(who, runner::Input::Wake),
            Machine::Scheduler(_) => self.scheduler_input(who, scheduler::Input::Wake),
        }
    }

    /// The machine is gone, with all that it knew.
    pub(crate) fn crashes(&mut self, who: &'static str) {
        self.cast.remove(who);
        self.note(&format!("{who} dies"));
    }
}
