//! A state of the search: the store, two runners, their jobs, and what is on its way.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU32;
use std::ops::Deref;
use std::rc::Rc;

use horarium_core::ledger::audit::{self, Audit, Invariant};
use horarium_core::ledger::command::Tick;
use horarium_core::ledger::{Claim, Command, Event, Handled, Ledger, Locked, Reply};
use horarium_core::run::Output as JobOutput;
use horarium_core::runner::{CallId, Exit, Input, JobExit, Output, Runner};
use horarium_core::schedule::Revision;
use horarium_core::words::{Moment, RunId, RunnerId, SchedulerId, Timestamp};

use crate::breach::{Breach, Law};
use crate::describe;
use crate::sabotage::Sabotage;

use super::action::Action;
use super::scope::{Budget, Cast, GRID, Part, Scope, Work};

/// A value that many states share, with its digest once somebody asked for it.
#[derive(Debug)]
pub(super) struct Shared<T>(Rc<Digested<T>>);

#[derive(Debug, Clone)]
struct Digested<T> {
    value: T,
    digest: OnceCell<u128>,
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T: Hash + Clone> Shared<T> {
    fn new(value: T) -> Self {
        Self(Rc::new(Digested { value, digest: OnceCell::new() }))
    }

    fn digest(&self) -> u128 {
        *self.0.digest.get_or_init(|| digest_of(&self.0.value))
    }

    /// The value, to be changed; others that share it keep theirs.
    fn change(&mut self) -> &mut T {
        let own = Rc::make_mut(&mut self.0);
        own.digest = OnceCell::new();
        &mut own.value
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

fn digest_of(value: &impl Hash) -> u128 {
    let mut low = DefaultHasher::new();
    let mut high = DefaultHasher::new();
    value.hash(&mut low);
    (1_u8, value).hash(&mut high);
    u128::from(high.finish()) << 64 | u128::from(low.finish())
}

/// The store and who watches it.
#[derive(Debug, Clone)]
struct Watched {
    ledger: Ledger,
    audit: Audit,
}

/// Two stores with the same rows are the same, however they came to them.
impl Hash for Watched {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.ledger.rows().hash(hasher);
    }
}

/// Something on its way.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Message {
    Request(u8, CallId, Command),
    Answer(u8, CallId, Reply),
}

impl Message {
    const fn key(&self) -> (bool, u8, u64) {
        match self {
            Self::Request(runner, call, _) => (false, *runner, call.0),
            Self::Answer(runner, call, _) => (true, *runner, call.0),
        }
    }
}

/// A runner process.
#[derive(Debug, Clone, Hash)]
struct Host {
    machine: Runner,
    alarm: Moment,
    is_gone: bool,
    /// The call that it sent last.
    last_call: u64,
    /// Live jobs, each with its deadline.
    jobs: BTreeMap<Claim, Moment>,
}

impl Host {
    const fn new(machine: Runner, alarm: Moment) -> Self {
        Self { machine, alarm, is_gone: false, last_call: 0, jobs: BTreeMap::new() }
    }
}

/// A state.
#[derive(Debug, Clone)]
pub(super) struct State {
    cast: Rc<Cast>,
    sabotage: Option<Sabotage>,
    now: Moment,
    store: Shared<Watched>,
    hosts: [Shared<Host>; 2],
    messages: Vec<Shared<Message>>,
    started: BTreeSet<Claim>,
    identities: u8,
    enqueued: u8,
    left: Budget,
}

const LIMIT: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);

impl State {
    /// The first state of a scope: both runners are registered, and what they say next is on its
    /// way.
    pub(super) fn first(scope: &Scope) -> Result<Self, Breach> {
        let cast = Cast::new()
            .ok_or_else(|| Breach::new(Law::StepBudget, "the cast has a name that is none"))?;
        let ledger = Ledger::new();
        let audit = Audit::of(ledger.rows());
        let start = Moment::START;
        let host = |place: u8, part: Part| {
            let machine = Runner::new(cast.config(part, place), start, &mut Vec::new());
            Shared::new(Host::new(machine, start))
        };
        let mut state = Self {
            sabotage: scope.sabotage,
            now: start,
            store: Shared::new(Watched { ledger, audit }),
            hosts: [host(0, scope.parts[0]), host(1, scope.parts[1])],
            messages: Vec::new(),
            started: BTreeSet::new(),
            identities: 0,
            enqueued: 0,
            left: scope.budget,
            cast: Rc::new(cast),
        };
        let definitions = vec![state.cast.definition.clone()];
        let by = state.cast.by.clone();
        state.command(&Command::PublishCatalogue { definitions, by })?;
        if scope.work == Work::Schedule {
            let plan = Box::new(state.cast.plan(state.store_time(start.plus(GRID))));
            let (worker, by) = (state.cast.worker.clone(), state.cast.by.clone());
            let seen = Revision::NONE;
            state.command(&Command::PutSchedule { worker, seen, plan, reset_runs: false, by })?;
            state.now = state.now.plus(GRID);
        }
        if scope.work == Work::Manual {
            state.enqueue()?;
        }
        for (runner, part) in (0..).zip(scope.parts) {
            match part {
                Part::Serves | Part::Foreground => state.identify(runner)?,
                Part::Absent => state.ends(runner),
            }
        }
        while let Some(index) = state.messages.iter().position(|message| {
            matches!(
                **message,
                Message::Request(_, _, Command::Register(_))
                    | Message::Answer(_, _, Reply::Registered { .. })
            )
        }) {
            state.deliver(index)?;
        }
        Ok(state)
    }

    /// The state in one number.
    pub(super) fn digest(&self) -> u128 {
        let messages: Vec<u128> = self.messages.iter().map(|message| message.digest()).collect();
        let hosts = [self.hosts[0].digest(), self.hosts[1].digest()];
        let counts = (self.identities, self.enqueued, self.left);
        digest_of(&(self.now, self.store.digest(), hosts, messages, &self.started, counts))
    }

    /// True while no more is on its way than the scope allows.
    pub(super) fn is_within(&self, scope: &Scope) -> bool {
        self.messages.len() <= scope.most_messages
    }

    /// What can happen next.
    pub(super) fn actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        let left = &self.left;
        let mut before = None;
        for (index, message) in self.messages.iter().enumerate() {
            // Of two that are the same, one is enough.
            if before.replace(message.digest()) == Some(message.digest()) {
                continue;
            }
            let Ok(index) = u8::try_from(index) else { break };
            actions.push(Action::Deliver(index));
            if left.losses > 0 {
                actions.push(Action::Lose(index));
            }
            if left.doubles > 0 {
                actions.push(Action::Double(index));
            }
        }
        let ledger = &self.store.ledger;
        let is_held = ledger.running().next().is_some();
        let is_owed = ledger.owed_retries().next().is_some();
        let is_free = ledger.slot(&self.cast.worker).is_none();
        for (runner, host) in (0..).zip(&self.hosts) {
            let host = &**host;
            if host.is_gone {
                continue;
            }
            if !host.jobs.is_empty() {
                actions.push(Action::JobEnds(runner, true));
                if ledger.agenda().next().is_some() || !ledger.rows().occurrences.is_empty() {
                    actions.push(Action::JobEnds(runner, false));
                }
            }
            if left.drains > 0 {
                actions.push(Action::Drain(runner));
            }
            if left.interrupts > 0 {
                actions.push(Action::Interrupt(runner));
            }
            if left.crashes > 0 {
                actions.push(Action::Crash(runner));
            }
        }
        if left.cancels > 0 && (!is_free || is_owed) {
            actions.push(Action::Cancel);
        }
        if left.enqueues > 0 && is_free {
            actions.push(Action::Enqueue);
        }
        let now = self.store_time(self.now);
        let is_due = ledger.agenda().next().is_some_and(|(at, _)| at <= now);
        if left.ticks > 0 && (is_due || is_owed && is_free) {
            actions.push(Action::Tick);
        }
        if ledger.running().any(|run| run.hold().is_some_and(|hold| hold.lease_expires_at <= now)) {
            actions.push(Action::Sweep);
        }
        if left.times > 0 {
            actions.push(Action::Time);
            if is_held {
                actions.push(Action::Freeze);
            }
        }
        actions
    }

    /// What happens next when everything goes well.
    pub(super) fn good_action(&self) -> Option<Action> {
        if !self.messages.is_empty() {
            return Some(Action::Deliver(0));
        }
        let works = |host: &Shared<Host>| !host.jobs.is_empty();
        let busy = self.hosts.iter().position(works)?;
        Some(Action::JobEnds(u8::try_from(busy).unwrap_or(0), true))
    }

    /// True when every run has ended, no retry is owed, and no runner has anything to say.
    pub(super) fn is_quiet(&self) -> bool {
        let ledger = &self.store.ledger;
        ledger.slot(&self.cast.worker).is_none()
            && ledger.owed_retries().next().is_none()
            && self.hosts.iter().all(|host| host.is_gone || host.machine.jobs() == 0)
    }

    /// Lets one thing happen, whatever is left of the budget.
    pub(super) fn apply_freely(&mut self, action: Action) -> Result<(), Breach> {
        self.left.times = u8::MAX;
        self.left.ticks = u8::MAX;
        self.apply(action)
    }

    /// Where no runner process is left, one that serves starts.
    pub(super) fn replace_the_gone(&mut self) -> Result<(), Breach> {
        if self.hosts.iter().any(|host| !host.is_gone) {
            return Ok(());
        }
        let machine = Runner::new(self.cast.config(Part::Serves, 9), self.now, &mut Vec::new());
        self.hosts[0] = Shared::new(Host::new(machine, self.now));
        self.identify(0)
    }

    /// Lets one thing happen.
    pub(super) fn apply(&mut self, action: Action) -> Result<(), Breach> {
        self.act(action)?;
        self.drop_the_spent()
    }

    /// Takes away what can do nothing any more, after it was seen that it does nothing: answers
    /// to calls that were given up, and requests of such calls that the store has outlived.
    fn drop_the_spent(&mut self) -> Result<(), Breach> {
        for message in self.messages.clone() {
            let is_spent = match &*message {
                Message::Answer(runner, call, reply) => {
                    let host = &*self.hosts[usize::from(*runner)];
                    let is_old = call.0 < host.last_call;
                    if is_old {
                        self.see_it_ignored(host, *call, reply)?;
                    }
                    is_old || host.is_gone
                }
                Message::Request(runner, call, command) => {
                    let host = &*self.hosts[usize::from(*runner)];
                    (call.0 < host.last_call || host.is_gone) && self.is_outlived(command)?
                }
            };
            if is_spent {
                self.messages.retain(|kept| kept.digest() != message.digest());
            }
        }
        Ok(())
    }

    /// A late answer does no more than a look at the clock.
    fn see_it_ignored(&self, host: &Host, call: CallId, reply: &Reply) -> Result<(), Breach> {
        let mut told = host.machine.clone();
        let mut woken = host.machine.clone();
        let (mut from_answer, mut from_clock) = (Vec::new(), Vec::new());
        told.handle(self.now, Input::Answered(call, reply.clone()), &mut from_answer);
        woken.handle(self.now, Input::Wake, &mut from_clock);
        if told == woken && from_answer == from_clock {
            return Ok(());
        }
        let what = format!("the late answer to call {} changes its runner", call.0);
        Err(Breach::of(Invariant::Fenced, what))
    }

    /// True when the store will never change by this command of a call that was given up.
    fn is_outlived(&self, command: &Command) -> Result<bool, Breach> {
        let rows = self.store.ledger.rows();
        let is_outlived = match command {
            Command::Turn(turn) => rows
                .runners
                .get(&turn.runner)
                .is_some_and(|known| known.stopped_at.is_some() || turn.number.get() <= known.turn),
            Command::StartForeground { wish, .. } => rows.runs.contains_key(&wish.run),
            Command::Register(registration) => rows.runners.contains_key(&registration.runner),
            Command::Retire { runner } => {
                rows.runners.get(runner).is_some_and(|known| known.stopped_at.is_some())
            }
            _ => false,
        };
        if is_outlived {
            let mut ledger = self.store.ledger.clone();
            let now = self.store_time(self.now);
            let handled = match self.sabotage {
                Some(sabotage) => sabotage.handle(&mut ledger, now, command, &Locked::default()),
                None => ledger.handle(now, command),
            };
            if !handled.events.is_empty() {
                let what = format!("{} changes rows too late", describe::command(command));
                return Err(Breach::of(Invariant::Fenced, what));
            }
        }
        Ok(is_outlived)
    }

    fn act(&mut self, action: Action) -> Result<(), Breach> {
        match action {
            Action::Deliver(message) => self.deliver(usize::from(message)),
            Action::Lose(message) => {
                self.left.losses -= 1;
                self.messages.remove(usize::from(message));
                Ok(())
            }
            Action::Double(message) => {
                self.left.doubles -= 1;
                let double = self.messages[usize::from(message)].clone();
                self.deliver(usize::from(message))?;
                self.post(double);
                Ok(())
            }
            Action::JobEnds(runner, is_well) => self.job_ends(runner, is_well),
            Action::Time => {
                self.left.times -= 1;
                self.time_goes_on()
            }
            Action::Freeze => {
                self.left.times -= 1;
                self.freeze()
            }
            Action::Sweep => self.command(&Command::Sweep { limit: LIMIT }),
            Action::Tick => {
                self.left.ticks -= 1;
                self.tick()
            }
            Action::Enqueue => {
                self.left.enqueues -= 1;
                self.enqueue()
            }
            Action::Cancel => {
                self.left.cancels -= 1;
                let by = self.cast.by.clone();
                match self.wanted() {
                    Some(run) => self.command(&Command::Cancel { run, by }),
                    None => Ok(()),
                }
            }
            Action::Drain(runner) => {
                self.left.drains -= 1;
                self.feed(runner, Input::Shutdown)
            }
            Action::Interrupt(runner) => {
                self.left.interrupts -= 1;
                self.feed(runner, Input::Interrupt)
            }
            Action::Crash(runner) => {
                self.left.crashes -= 1;
                self.ends(runner);
                Ok(())
            }
        }
    }

    /// The run that a cancel is about.
    fn wanted(&self) -> Option<RunId> {
        let ledger = &self.store.ledger;
        let owed = || {
            ledger
                .owed_retry(&self.cast.worker)
                .and_then(|owed| owed.chain.as_ref())
                .map(|chain| chain.last_run)
        };
        ledger.slot(&self.cast.worker).map(|run| run.id).or_else(owed)
    }

    fn store_time(&self, moment: Moment) -> Timestamp {
        Timestamp::EPOCH.plus(moment.since(Moment::START)).plus(GRID)
    }

    fn enqueue(&mut self) -> Result<(), Breach> {
        self.enqueued += 1;
        let wish = self.cast.wish(self.enqueued);
        self.command(&Command::Enqueue(vec![wish]))
    }

    fn tick(&mut self) -> Result<(), Breach> {
        let scheduler = SchedulerId::from_bits(1);
        self.command(&Command::Tick(Tick { scheduler, limit: LIMIT, seed: 0 }))
    }

    /// Has the store handle a command.
    fn command(&mut self, command: &Command) -> Result<(), Breach> {
        self.ask(command).map(|_| ())
    }

    fn ask(&mut self, command: &Command) -> Result<Reply, Breach> {
        let now = self.store_time(self.now);
        let before = self.store.clone();
        let watched = self.store.change();
        let handled = match self.sabotage {
            Some(sabotage) => {
                sabotage.handle(&mut watched.ledger, now, command, &Locked::default())
            }
            None => watched.ledger.handle_amid(now, command, &Locked::default()),
        };
        watched.audit.observe(now, command, &handled)?;
        if handled.events.is_empty() {
            self.store = before;
            return Ok(handled.reply);
        }
        let mut folded = before.ledger.clone();
        for event in &handled.events {
            folded.evolve(event);
        }
        if folded != watched.ledger {
            return Err(Breach::new(Law::Fold, "the fold of the events differs"));
        }
        if let Some(violation) = audit::check(watched.ledger.rows()).into_iter().next() {
            return Err(violation.into());
        }
        self.judge_slots(&handled)?;
        Ok(handled.reply)
    }

    /// When the store gives a slot away, the job that had it is dead.
    fn judge_slots(&self, handled: &Handled) -> Result<(), Breach> {
        for event in &handled.events {
            let (Event::RunEnded { run, .. } | Event::RunGivenBack { run }) = event else {
                continue;
            };
            let mut live = self.hosts.iter().flat_map(|host| host.jobs.keys());
            if let Some(claim) = live.find(|claim| claim.run == *run) {
                let what =
                    format!("the slot of {} is free while it lives", describe::claim(*claim));
                return Err(Breach::of(Invariant::NoOverlap, what));
            }
        }
        Ok(())
    }

    fn post(&mut self, message: Shared<Message>) {
        self.messages.push(message);
        self.messages.sort_by_key(|message| (message.key(), message.digest()));
    }

    fn deliver(&mut self, index: usize) -> Result<(), Breach> {
        let message = self.messages.remove(index);
        match &*message {
            Message::Request(runner, call, command) => {
                let reply = self.ask(command)?;
                if !self.hosts[usize::from(*runner)].is_gone {
                    self.post(Shared::new(Message::Answer(*runner, *call, reply)));
                }
                Ok(())
            }
            Message::Answer(runner, call, reply) => {
                self.feed(*runner, Input::Answered(*call, reply.clone()))
            }
        }
    }

    /// Gives a runner that wants one a fresh id.
    fn identify(&mut self, runner: u8) -> Result<(), Breach> {
        self.identities += 1;
        let id = RunnerId::from_bits(u128::from(self.identities));
        self.feed(runner, Input::Identity(id))
    }

    /// Tells a runner machine something and does what it wants done.
    fn feed(&mut self, runner: u8, input: Input) -> Result<(), Breach> {
        let place = usize::from(runner);
        if self.hosts[place].is_gone {
            return Ok(());
        }
        let mut out = Vec::new();
        self.hosts[place].change().machine.handle(self.now, input, &mut out);
        for output in out {
            self.carry_out(runner, output)?;
        }
        Ok(())
    }

    fn change(&mut self, runner: u8, change: impl FnOnce(&mut Host)) {
        change(self.hosts[usize::from(runner)].change());
    }

    fn carry_out(&mut self, runner: u8, output: Output) -> Result<(), Breach> {
        match output {
            Output::Identify => self.identify(runner),
            // Somebody may sweep at any time anyway: its own sweeps need no way of their own.
            Output::Send(call, Command::Sweep { .. }) => {
                let swept = Reply::Swept { interrupted: 0, too_late: 0, more: false };
                self.feed(runner, Input::Answered(call, swept))
            }
            Output::Send(call, command) => {
                self.change(runner, |host| host.last_call = call.0);
                self.post(Shared::new(Message::Request(runner, call, command)));
                Ok(())
            }
            Output::Start { grant, kill_at, .. } => self.job_starts(runner, grant.claim, kill_at),
            Output::Deadline { claim, kill_at } => {
                self.change(runner, |host| {
                    if let Some(deadline) = host.jobs.get_mut(&claim) {
                        *deadline = kill_at;
                    }
                });
                Ok(())
            }
            Output::Kill(claim, _) => self.job_dies(runner, claim),
            Output::WakeAt(moment) => {
                self.change(runner, |host| host.alarm = moment);
                Ok(())
            }
            Output::Terminate(..) | Output::ForegroundRefused(_) | Output::ForegroundEnded(_) => {
                Ok(())
            }
            Output::Finished { .. } => {
                self.ends(runner);
                Ok(())
            }
        }
    }

    fn job_starts(&mut self, runner: u8, claim: Claim, kill_at: Moment) -> Result<(), Breach> {
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
        self.feed(runner, Input::JobStarted(claim))
    }

    fn job_exits(&mut self, runner: u8, claim: Claim, exit: Exit) -> Result<(), Breach> {
        self.change(runner, |host| {
            host.jobs.remove(&claim);
        });
        let output = JobOutput::default();
        let exit = JobExit { exit, group_empty: true, is_final: false, output };
        self.feed(runner, Input::JobExited(claim, exit))
    }

    fn job_ends(&mut self, runner: u8, is_well: bool) -> Result<(), Breach> {
        let job = self.hosts[usize::from(runner)].jobs.keys().next().copied();
        match job {
            Some(claim) => self.job_exits(runner, claim, Exit::Code(i32::from(!is_well))),
            None => Ok(()),
        }
    }

    fn job_dies(&mut self, runner: u8, claim: Claim) -> Result<(), Breach> {
        if self.hosts[usize::from(runner)].jobs.contains_key(&claim) {
            self.job_exits(runner, claim, Exit::Signal(9))
        } else {
            Ok(())
        }
    }

    /// A runner process ends; its guard kills its jobs, and nobody reads its answers.
    fn ends(&mut self, runner: u8) {
        self.change(runner, |host| {
            host.is_gone = true;
            host.alarm = Moment::NEVER;
            host.jobs.clear();
        });
        self.messages
            .retain(|message| !matches!(&**message, Message::Answer(of, _, _) if *of == runner));
    }

    /// Time goes on to the grid point at or after the next alarm.
    fn time_goes_on(&mut self) -> Result<(), Breach> {
        let alarms = self.hosts.iter().map(|host| host.alarm);
        let next = alarms.min().filter(|alarm| *alarm != Moment::NEVER);
        let expiry = self.next_expiry();
        self.wake_at(next.or(expiry).unwrap_or(self.now))
    }

    /// Everybody but the guards stands still until a lease has run out.
    fn freeze(&mut self) -> Result<(), Breach> {
        match self.next_expiry() {
            Some(expiry) => self.wake_at(expiry),
            None => Ok(()),
        }
    }

    fn next_expiry(&self) -> Option<Moment> {
        let run = self.store.ledger.running().next()?;
        let expiry = run.hold()?.lease_expires_at;
        Some(Moment::START.plus(expiry.since(self.store_time(Moment::START))))
    }

    /// Time goes on to the grid point at or after `moment`: guards kill what was due to die on
    /// the way, then runners wake.
    fn wake_at(&mut self, moment: Moment) -> Result<(), Breach> {
        let at_least = moment.max(self.now.plus(GRID));
        let points = at_least.micros().div_ceil(GRID.micros());
        self.now = Moment::START.plus(GRID.times(points));
        for runner in 0..2 {
            let jobs = self.hosts[usize::from(runner)].jobs.clone();
            for (claim, deadline) in jobs {
                if deadline <= self.now {
                    self.job_dies(runner, claim)?;
                }
            }
        }
        for runner in 0..2 {
            if self.hosts[usize::from(runner)].alarm <= self.now {
                self.feed(runner, Input::Wake)?;
            }
        }
        Ok(())
    }

    /// What an action does here, for people.
    pub(super) fn describe(&self, action: Action) -> String {
        let message = |index: u8| match self.messages.get(usize::from(index)).map(|it| &**it) {
            Some(Message::Request(runner, call, command)) => {
                format!("runner {runner} call {}: {}", call.0, describe::command(command))
            }
            Some(Message::Answer(runner, call, reply)) => {
                format!("answer to runner {runner} call {}: {}", call.0, describe::reply(reply))
            }
            None => String::from("no message"),
        };
        let at = self.now.since(Moment::START);
        match action {
            Action::Deliver(index) => format!("{at:>6} deliver  {}", message(index)),
            Action::Lose(index) => format!("{at:>6} lose     {}", message(index)),
            Action::Double(index) => format!("{at:>6} double   {}", message(index)),
            Action::JobEnds(..)
            | Action::Time
            | Action::Freeze
            | Action::Sweep
            | Action::Tick
            | Action::Enqueue
            | Action::Cancel
            | Action::Drain(_)
            | Action::Interrupt(_)
            | Action::Crash(_) => format!("{at:>6} {action}"),
        }
    }
}
