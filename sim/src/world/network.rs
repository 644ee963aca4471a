//! The network between everybody and the store: requests and answers are lost, late and doubled.

use std::num::NonZeroU32;
use std::sync::Arc;

use horarium_core::ledger::{Command, Event, Handled, Locked, Reply};
use horarium_core::runner;
use horarium_core::runner::CallId;
use horarium_core::scheduler;
use horarium_core::words::Span;

use crate::check::history::{CallNumber, Change};
use crate::describe;
use crate::draw::Draw;
use crate::facts::Fact;
use crate::incident::Incident;
use crate::signature;

use super::outages::{Connection, Hindrance};
use super::runners::Condition;
use super::{Happening, World};

/// Who sent a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Sender {
    /// A runner process.
    Runner(usize, CallId),
    /// A scheduler process.
    Scheduler(usize, CallId),
    /// An operator.
    Operator(usize),
    /// Whoever sweeps a lease in the very instant in which it runs out.
    Vulture,
}

/// A command that was sent.
#[derive(Debug, Clone)]
struct Sent {
    sender: Sender,
    call: CallNumber,
    command: Arc<Command>,
    connection: Connection,
}

/// A command on its way.
#[derive(Debug)]
pub(super) struct Letter {
    sent: Sent,
    /// True when its sender has given it up.
    is_late: bool,
    /// True when a slow store has let it wait.
    has_waited: bool,
    /// What becomes of the answer.
    answer: Way,
    /// What is drawn when it arrives.
    pub(super) draw: Draw,
}

/// An answer on its way.
#[derive(Debug)]
pub(super) struct Answer {
    to: Sent,
    reply: Reply,
}

impl Answer {
    /// Whom it is for.
    pub(super) const fn addressee(&self) -> Sender {
        self.to.sender
    }
}

/// What becomes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Fine,
    Lost,
    Late,
    Twice,
}

impl World {
    /// Sends a command to the store.
    pub(super) fn send(&mut self, sender: Sender, command: Command, patience: Span) {
        let own = self.draws_of_message(sender);
        self.with_own_draws(own, |world| world.dispatch(sender, command, patience));
    }

    fn dispatch(&mut self, sender: Sender, command: Command, patience: Span) {
        let command = Arc::new(command);
        let text = Self::sender_name(sender);
        self.note(|| format!("{text} → {}", describe::command(&command)));
        let call = self.history.sent(text, Arc::clone(&command), self.time);
        self.count_sent(sender);
        let connection = self.outages.connect();
        let sent = Sent { sender, call, command: Arc::clone(&command), connection };
        let faults = self.profile.faults;
        // A foreground start that comes late is rare and worth more tries.
        let often = if matches!(*command, Command::StartForeground { .. }) { 4 } else { 1 };
        let late = faults.request_late * often;
        let request = self.draw_way(faults.request_lost, late, faults.request_twice);
        let answer = self.draw_way(faults.answer_lost, faults.answer_late, faults.answer_twice);
        let request = self.unless_left_out(
            request,
            [Incident::RequestLost, Incident::RequestLate, Incident::RequestTwice],
        );
        let answer = self.unless_left_out(
            answer,
            [Incident::AnswerLost, Incident::AnswerLate, Incident::AnswerTwice],
        );
        let way = self.one_way();
        let request = if self.is_mute(sender) { Way::Lost } else { request };
        match request {
            Way::Fine => self.post(way, &sent, false, answer),
            Way::Twice => {
                let later = way.plus(self.latency.span(Span::ZERO, patience.times(2)));
                self.post(way, &sent, false, answer);
                self.post(later, &sent, false, answer);
            }
            Way::Late => {
                let longest = self.latency.pick([Span::from_millis(300), patience.times(6)]);
                let late = self.latency.span(Span::ZERO, longest);
                let from = if self.perhaps_told(sender, way) { way } else { patience };
                self.post(from.plus(late), &sent, true, answer);
            }
            Way::Lost => {
                self.see(Fact::RequestLost);
                let text = Self::sender_name(sender);
                self.tell(|| format!("the request of {text} is lost"));
                self.perhaps_told(sender, way);
            }
        }
    }

    /// True while nothing that the sender sends arrives.
    fn is_mute(&self, sender: Sender) -> bool {
        match sender {
            Sender::Runner(runner, _) => {
                self.is_chaos() && self.time < self.runners[runner].mute_until
            }
            Sender::Scheduler(..) | Sender::Operator(_) | Sender::Vulture => false,
        }
    }

    /// True while no answer reaches the sender.
    fn is_deaf(&self, sender: Sender) -> bool {
        match sender {
            Sender::Runner(runner, _) => {
                self.is_chaos() && self.time < self.runners[runner].deaf_until
            }
            Sender::Scheduler(..) | Sender::Operator(_) | Sender::Vulture => false,
        }
    }

    fn draw_way(&mut self, lost: u64, late: u64, twice: u64) -> Way {
        let draw = self.faults.below(1_000);
        if draw < lost {
            Way::Lost
        } else if draw < lost + late {
            Way::Late
        } else if draw < lost + late + twice {
            Way::Twice
        } else {
            Way::Fine
        }
    }

    /// The way, or a fine one if that is left out of this world.
    fn unless_left_out(&mut self, way: Way, [lost, late, twice]: [Incident; 3]) -> Way {
        let happens = match way {
            Way::Fine => true,
            Way::Lost => self.lets(lost),
            Way::Late => self.lets(late),
            Way::Twice => self.lets(twice),
        };
        if happens { way } else { Way::Fine }
    }

    fn one_way(&mut self) -> Span {
        self.latency.span(Span::from_micros(100), self.profile.latency)
    }

    fn post(&mut self, way: Span, sent: &Sent, is_late: bool, answer: Way) {
        let draw = self.latency.fork();
        let letter = Letter { sent: sent.clone(), is_late, has_waited: false, answer, draw };
        self.after(way, Happening::Arrives(Box::new(letter)));
    }

    /// A failed call is noticed at once, or only by its silence. True when it is noticed.
    fn perhaps_told(&mut self, sender: Sender, way: Span) -> bool {
        self.faults.chance(500) && self.told(sender, way)
    }

    /// A failed call is noticed, unless nobody waits for its answer.
    fn told(&mut self, sender: Sender, way: Span) -> bool {
        match sender {
            Sender::Runner(runner, call) => {
                let input = Box::new(runner::Input::Unanswered(call));
                self.after(way, Happening::RunnerHears { runner, input });
            }
            Sender::Scheduler(scheduler, call) => {
                let input = Box::new(scheduler::Input::Unanswered(call));
                self.after(way, Happening::SchedulerHears { scheduler, input });
            }
            Sender::Operator(_) | Sender::Vulture => return false,
        }
        true
    }

    /// A command reaches the store.
    pub(super) fn arrives(&mut self, letter: Letter) {
        let Letter { sent, has_waited, .. } = &letter;
        let (sender, command) = (sent.sender, Arc::clone(&sent.command));
        match self.hindrance(sent.connection, &command, *has_waited) {
            None => {}
            Some(Hindrance::Gone) => {
                self.perhaps_told(sender, Span::ZERO);
                return;
            }
            Some(Hindrance::NotTaken) => {
                let way = self.one_way();
                self.told(sender, way);
                return;
            }
            Some(Hindrance::Waits(until)) => {
                let letter = Box::new(Letter { is_late: true, has_waited: true, ..letter });
                self.queue.put(until, Happening::Arrives(letter));
                return;
            }
        }
        let Letter { sent, is_late, answer, .. } = letter;
        let Some(handled) = self.handle(sender, sent.call, &command) else {
            return;
        };
        // What waited on its way says nothing of how often its sender asks.
        if !is_late {
            self.count_work(sender, &handled);
        }
        if is_late && matches!(handled.reply, Reply::Turned(_)) {
            self.see(Fact::LateTurn);
        }
        if matches!(sender, Sender::Operator(_)) {
            self.notify(&command);
        }
        let way = self.one_way();
        let answer = if self.is_deaf(sender) { Way::Lost } else { answer };
        match answer {
            Way::Fine => self.answer(&sent, way, handled.reply),
            Way::Twice => {
                let later = way.plus(self.latency.span(Span::ZERO, Span::from_secs(10)));
                self.answer(&sent, way, handled.reply.clone());
                self.answer(&sent, later, handled.reply);
            }
            Way::Late => {
                let late = way.plus(self.latency.span(Span::ZERO, Span::from_secs(20)));
                self.answer(&sent, late, handled.reply);
            }
            Way::Lost => {
                self.see(Fact::AnswerLost);
                if matches!(&handled.reply, Reply::Turned(turned) if !turned.granted.is_empty()) {
                    self.see(Fact::AnswerLostWithClaim);
                }
                let text = Self::sender_name(sender);
                self.tell(|| format!("the answer to {text} is lost"));
                self.perhaps_told(sender, way);
            }
        }
    }

    /// Whoever is told that something has changed may look at once; nobody relies on it.
    fn notify(&mut self, command: &Command) {
        if !self.latency.chance(300) || !self.lets(Incident::Hint) {
            return;
        }
        let is_cancel = matches!(command, Command::Cancel { .. });
        for runner in 0..self.runners.len() {
            let input = if is_cancel { runner::Input::CancelHint } else { runner::Input::Hint };
            if self.runners[runner].condition != Condition::Gone && self.latency.chance(500) {
                self.runner_hears_soon(runner, input);
            }
        }
        for scheduler in 0..self.schedulers.len() {
            if self.schedulers[scheduler].condition != Condition::Gone && self.latency.chance(500) {
                let soon = self.moment_later();
                let input = Box::new(scheduler::Input::Hint);
                self.after(soon, Happening::SchedulerHears { scheduler, input });
            }
        }
    }

    /// Has the store handle a command, and looks at what that did.
    fn handle(&mut self, sender: Sender, call: CallNumber, command: &Command) -> Option<Handled> {
        self.history.delivered(call);
        let now = self.store_clock.at(self.time);
        let locked = self.draw_locked(command);
        let zones = self.zone_data_of(sender).clone();
        let change = Change { call, at: self.time, now, locked, zones };
        let handled = match self.store.handle(change, command, &mut self.facts, &mut self.coverage)
        {
            Ok(handled) => handled,
            Err(breach) => {
                let name = Self::sender_name(sender);
                self.note(|| format!("  store at {now}: {name} {}", describe::command(command)));
                self.broke(breach);
                return None;
            }
        };
        let active = self.incidents.active(self.time);
        let signature = signature::of(self.store.ledger(), command, &handled, active);
        self.signatures.insert(signature);
        self.tell_events(command, &handled);
        let name = Self::sender_name(sender);
        self.note(|| {
            let command = describe::command(command);
            format!("  store at {now}: {name} {command} ⇒ {}", describe::reply(&handled.reply))
        });
        self.judge_slots(&handled);
        self.watch_leases(&handled);
        if let (Sender::Scheduler(scheduler, _), Command::Tick(_)) = (sender, command)
            && self.lock != Some(scheduler)
            && handled.events.iter().any(|event| matches!(event, Event::OccurrenceRecorded(_)))
        {
            self.see(Fact::TickWithoutLock);
        }
        if let (Sender::Scheduler(scheduler, _), Command::Tick(_)) = (sender, command) {
            self.watch_ticks(scheduler, &handled);
        }
        Some(handled)
    }

    fn answer(&mut self, to: &Sent, way: Span, reply: Reply) {
        let answer = Answer { to: to.clone(), reply };
        self.after(way, Happening::Answers(Box::new(answer)));
    }

    /// An answer reaches its addressee, unless the store was restarted meanwhile.
    pub(super) fn answers(&mut self, answer: Answer) {
        let Answer { to: Sent { sender, call, connection, .. }, reply } = answer;
        if self.outages.is_cut(connection) {
            self.see(Fact::StoreRestarted);
            self.perhaps_told(sender, Span::ZERO);
            return;
        }
        self.history.answered(call, self.time, &reply);
        match sender {
            Sender::Runner(runner, call) => {
                self.runner_hears(runner, runner::Input::Answered(call, reply));
            }
            Sender::Scheduler(scheduler, call) => {
                self.scheduler_hears(scheduler, scheduler::Input::Answered(call, reply));
            }
            Sender::Operator(operation) => self.operator_hears(operation, &reply),
            Sender::Vulture => {}
        }
    }

    /// A vulture looks at each lease in the instant in which it runs out.
    fn watch_leases(&mut self, handled: &Handled) {
        if !self.profile.has_vulture {
            return;
        }
        for event in &handled.events {
            let expiry = match event {
                Event::RunClaimed { hold, .. } => hold.lease_expires_at,
                Event::LeaseRenewed { lease_expires_at, .. } => *lease_expires_at,
                Event::RunCreated(run) => match run.hold() {
                    Some(hold) => hold.lease_expires_at,
                    None => continue,
                },
                _ => continue,
            };
            let wait = expiry.since(self.now());
            self.after(wait, Happening::Expires);
        }
    }

    /// A lease runs out: it is swept at once.
    pub(super) fn expires(&mut self) {
        let now = self.now();
        let first = self.store.ledger().running().next().and_then(|run| run.hold());
        let is_reachable = !self.outages.refuses(self.time);
        if is_reachable && first.is_some_and(|hold| hold.lease_expires_at <= now) {
            let sweep = Arc::new(Command::Sweep { limit: NonZeroU32::MIN });
            let name = Self::sender_name(Sender::Vulture);
            let call = self.history.sent(name, Arc::clone(&sweep), self.time);
            self.handle(Sender::Vulture, call, &sweep);
        }
    }

    /// The rows that other transactions hold when a command arrives. Only the commands of daemons
    /// pass over them; others wait.
    fn draw_locked(&mut self, command: &Command) -> Locked {
        let passes_over =
            matches!(command, Command::Turn(_) | Command::Tick(_) | Command::Sweep { .. });
        let mut locked = Locked::default();
        if passes_over {
            self.lock_held(&mut locked);
        }
        let is_drawn = passes_over && self.faults.chance(self.profile.faults.rows_locked);
        if !is_drawn || !self.lets(Incident::RowsLocked) {
            return locked;
        }
        let ledger = self.store.ledger();
        for run in ledger.queue().chain(ledger.running()) {
            if self.faults.chance(500) {
                locked.runs.insert(run.id);
            }
        }
        for worker in &self.profile.workers {
            if self.faults.chance(500) {
                locked.workers.insert(worker.clone());
            }
        }
        locked
    }

    pub(super) fn sender_name(sender: Sender) -> String {
        match sender {
            Sender::Runner(runner, call) => format!("runner {runner} call {}", call.0),
            Sender::Scheduler(scheduler, call) => format!("scheduler {scheduler} call {}", call.0),
            Sender::Operator(operation) => format!("operator {operation}"),
            Sender::Vulture => String::from("vulture"),
        }
    }
}
