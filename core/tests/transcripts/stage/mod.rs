//! The stage: a ledger, the store's clock, a cast of machines, and the transcript of what is said.
//!
//! A story is a script of calls such as `stage.at("10:00:00")`, `stage.turn(A)` and
//! `stage.cancel("backup")`. Each call writes what happened in short words: the time on the
//! store's clock, who says what, the reply, the events, and what a machine wants done. Every step
//! is watched by the audit of the sixteen invariants, and the rows are checked when a story ends.
//!
//! Not told, since it is in every story: that a turn took its number, that a leader ticked again,
//! that the first one has the compiled-in zone data, sweeps that found nothing, and when a runner wants to be woken.

mod cast;
mod explaining;
mod people;
mod runners;
mod schedulers;
mod telling;

use std::collections::BTreeMap;

use horarium_core::catalogue::{Definition, Execution};
use horarium_core::ledger::audit::{self, Audit};
use horarium_core::ledger::{Command, Event, Handled, Ledger, Locked, Reply};
use horarium_core::run::Run;
use horarium_core::words::{
    Actor, ActorKind, By, Moment, Name, RunId, SchedulerId, Span, Timestamp, WorkerName,
};

use cast::Member;
use telling::Names;

pub(crate) use people::{every, once};
pub(crate) use runners::foreground;

/// Runners of the stories.
pub(crate) const A: &str = "A";
/// The other runner.
pub(crate) const B: &str = "B";
/// The scheduler of the stories.
pub(crate) const S: &str = "S";
/// The other scheduler.
pub(crate) const T: &str = "T";

/// When every story begins.
const DAWN: &str = "2026-03-02T09:00:00Z";

/// See the module.
pub(crate) struct Stage {
    ledger: Ledger,
    audit: Audit,
    /// The store's clock.
    now: Timestamp,
    /// The hosts' boot-time clock.
    moment: Moment,
    locked: Locked,
    cast: BTreeMap<&'static str, Member>,
    definitions: BTreeMap<Name, Definition>,
    names: Names,
    ids_made: u128,
    lines: Vec<String>,
    date_shown: String,
    /// The time of the newest line.
    told_at: Timestamp,
    /// True while what happens is not told.
    is_muted: bool,
}

/// A handler with nothing but a name.
pub(crate) fn handler(name: &str) -> Definition {
    Definition::plain(name.parse().unwrap(), Execution::Rust)
}

/// A duration.
pub(crate) fn span(text: &str) -> Span {
    text.parse().unwrap()
}

pub(crate) fn worker(name: &str) -> WorkerName {
    name.parse().unwrap()
}

/// A person.
pub(crate) fn by(name: &str) -> By {
    let actor = Actor { kind: ActorKind::Person, name: name.parse().unwrap() };
    By { actor, reason: None }
}

impl Stage {
    /// A stage whose catalogue has the handler `backup`. The purpose is the head of the
    /// transcript: what story it is, and what must hold in it.
    pub(crate) fn new(purpose: &str) -> Self {
        let mut stage = Self {
            ledger: Ledger::new(),
            audit: Audit::default(),
            now: DAWN.parse().unwrap(),
            moment: Moment::from_micros(1_000_000_000),
            locked: Locked::default(),
            cast: BTreeMap::new(),
            definitions: BTreeMap::new(),
            names: Names::new(DAWN.parse().unwrap()),
            ids_made: 0,
            lines: purpose.lines().map(|line| line.trim().to_owned()).collect(),
            date_shown: String::new(),
            told_at: Timestamp::EPOCH,
            is_muted: false,
        };
        stage.lines.push(String::new());
        stage.handler(handler("backup"));
        stage
    }

    /// Makes a handler known to the catalogue and to the runners that come later.
    pub(crate) fn handler(&mut self, definition: Definition) {
        let command =
            Command::PublishCatalogue { definitions: vec![definition.clone()], by: by("ada") };
        self.handle(&command);
        self.definitions.insert(definition.handler.clone(), definition);
    }

    /// Lets time pass until the clock shows this: `10:00:00` today or `03-09 10:00:00`.
    pub(crate) fn at(&mut self, clock: &str) {
        let text = self.now.to_string();
        let then = match clock.split_once(' ') {
            Some((day, time)) => format!("{}-{day}T{time}Z", &text[..4]),
            None => format!("{}T{clock}Z", &text[..10]),
        };
        let then: Timestamp = then.parse().unwrap();
        assert!(then >= self.now, "the story goes back from {} to {then}", self.now);
        self.pass(then.since(self.now));
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, time: &str) {
        self.pass(span(time));
    }

    fn pass(&mut self, time: Span) {
        self.now = self.now.plus(time);
        self.moment = self.moment.plus(time);
    }

    /// The store's clock alone steps back.
    pub(crate) fn store_clock_steps_back(&mut self, time: &str) {
        self.note(&format!("the store's clock steps back by {time}"));
        self.now = self.now.minus(span(time));
    }

    /// Another transaction holds the row of the worker's active run.
    pub(crate) fn lock_run(&mut self, name: &str) {
        let run = self.ledger.slot(&worker(name)).unwrap().id;
        self.locked.runs.insert(run);
        self.note(&format!("another transaction locks the row of {}", self.names.run(run)));
    }

    /// Another transaction holds the worker's row.
    pub(crate) fn lock_worker(&mut self, name: &str) {
        self.locked.workers.insert(worker(name));
        self.note(&format!("another transaction locks the row of worker {name}"));
    }

    /// The other transactions end.
    pub(crate) fn unlock(&mut self) {
        self.locked = Locked::default();
        self.note("the other transaction ends");
    }

    /// The database was restored from a backup that is empty but for the catalogue.
    pub(crate) fn restore_an_empty_ledger(&mut self) {
        self.note("the database is restored from an old backup");
        self.ledger = Ledger::new();
        self.audit = Audit::default();
        for definition in self.definitions.clone().into_values() {
            self.handler(definition);
        }
    }

    /// What happens is kept, but for how far the worker's schedule came.
    pub(crate) fn forget_progress(&mut self, name: &str, happens: impl FnOnce(&mut Self)) {
        let before = self.ledger.rows().workers[&worker(name)].clone();
        happens(self);
        self.note(&format!("the row of worker {name} is restored from before that"));
        let mut rows = self.ledger.rows().clone();
        rows.workers.insert(worker(name), before);
        self.audit = Audit::of(&rows);
        self.ledger = Ledger::from_rows(rows);
    }

    /// The newest run of a worker.
    pub(crate) fn run(&self, name: &str) -> &Run {
        let name = worker(name);
        let runs = self.ledger.rows().runs.values();
        runs.filter(|run| run.worker == name).max_by_key(|run| run.number).unwrap()
    }

    /// The ledger as it stands.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn fresh_id(&mut self) -> u128 {
        self.ids_made += 1;
        self.ids_made
    }

    fn fresh_run_id(&mut self) -> RunId {
        RunId::from_bits(self.fresh_id())
    }

    fn scheduler_id(name: &str) -> SchedulerId {
        SchedulerId::from_bits(u128::from(name.as_bytes()[0]))
    }

    /// One command, with what became of it, told.
    pub(crate) fn say(&mut self, who: &str, command: &Command) -> Reply {
        let handled = self.handle(command);
        let found_nothing = matches!(command, Command::Sweep { .. }) && handled.events.is_empty();
        if !found_nothing {
            let said = self.names.command(command);
            self.line(&format!("{who} {said}"));
            let reply = self.names.reply(command, &handled.reply);
            self.under("reply", &reply);
            self.tell_events(&handled.events);
        }
        handled.reply
    }

    fn tell_events(&mut self, events: &[Event]) {
        for event in events {
            if let Some(text) = self.names.event(event) {
                self.under("event", &text);
            }
        }
    }

    fn handle(&mut self, command: &Command) -> Handled {
        let leader = self.ledger.rows().leadership.as_ref().map(|known| known.scheduler);
        self.names.leader = leader;
        let handled = self.ledger.handle_amid(self.now, command, &self.locked);
        self.audit
            .observe(self.now, command, &handled)
            .unwrap_or_else(|violation| panic!("{violation}\n{}", self.lines.join("\n")));
        self.names.learn(&handled.events);
        self.names.today = self.now;
        handled
    }

    /// What happens here is summed up by the note.
    pub(crate) fn quietly(&mut self, note: &str, happens: impl FnOnce(&mut Self)) {
        self.is_muted = true;
        happens(self);
        self.is_muted = false;
        self.note(note);
    }

    /// Something that a reader should know.
    pub(crate) fn note(&mut self, text: &str) {
        self.line(&format!("-- {text}"));
    }

    fn line(&mut self, text: &str) {
        if self.is_muted {
            return;
        }
        let now = self.now.to_string();
        let (date, time) = now.trim_end_matches('Z').split_once('T').unwrap();
        if date != self.date_shown {
            self.lines.push(date.to_owned());
            date.clone_into(&mut self.date_shown);
        }
        self.lines.push(format!("{time:<15} {text}"));
        self.told_at = self.now;
    }

    fn under(&mut self, label: &str, text: &str) {
        if !self.is_muted {
            self.lines.push(format!("{:16}  {label:<5}  {text}", ""));
        }
    }

    /// What a machine wants done, under what made it want it, or with the time when that was only
    /// the time.
    fn does(&mut self, who: &str, text: &str) {
        if self.told_at == self.now {
            self.under(who, text);
        } else {
            self.line(&format!("{who}: {text}"));
        }
    }

    /// The transcript, with the rows that are left.
    pub(crate) fn ends(mut self) -> String {
        let found = audit::check(self.ledger.rows());
        assert!(found.is_empty(), "{found:?}\n{}", self.lines.join("\n"));
        self.names.today = self.now;
        self.lines.push(String::from("in the end"));
        let rows = self.names.rows(self.ledger.rows());
        self.lines.extend(rows.into_iter().map(|row| format!("{:16}{row}", "")));
        self.lines.join("\n")
    }
}
