//! What a command asks, and the states that it meets: looked at before it is handled.

use std::collections::BTreeSet;

use horarium_core::ledger::{Claim, Command, Handled, Ledger, Locked, ReportEvent, Turn, Wish};
use horarium_core::run::{Interruption, Outcome, Run, RunStatus};
use horarium_core::schedule::Schedule;
use horarium_core::words::{RunId, RunnerId, Timestamp, WorkerName};

use super::cell::{Ask, Cell, State};
use super::outcome::outcome;

/// What is asked, each with the state that it meets.
#[derive(Debug, Default)]
pub struct Before(Vec<Asked>);

/// One thing that is asked.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) ask: Ask,
    state: State,
    pub(super) of: Subject,
}

/// What it is about, as far as the outcome must be looked up.
#[derive(Debug)]
pub(super) enum Subject {
    /// The command as a whole.
    Command,
    /// The report at this place.
    Report(usize),
    /// The claim that is named at this place.
    Holding(usize),
    /// The wish at this place.
    Wish(usize),
    /// A run.
    Run(RunId),
    /// A worker's schedule.
    Worker(WorkerName),
}

impl Before {
    /// Looks at what `command` will meet.
    pub fn of(ledger: &Ledger, command: &Command, now: Timestamp) -> Self {
        let mut looking = Looking { ledger, now, asked: Vec::new() };
        looking.look(command);
        Self(looking.asked)
    }

    /// The cells that were hit.
    pub fn hit(self, locked: &Locked, handled: &Handled, mut hit: impl FnMut(Cell)) {
        for asked in self.0 {
            if let Some(outcome) = outcome(&asked, locked, handled) {
                hit((asked.ask, asked.state, outcome));
            }
        }
    }
}

struct Looking<'a> {
    ledger: &'a Ledger,
    now: Timestamp,
    asked: Vec<Asked>,
}

impl Looking<'_> {
    fn add(&mut self, ask: Ask, state: State, of: Subject) {
        self.asked.push(Asked { ask, state, of });
    }

    fn look(&mut self, command: &Command) {
        match command {
            Command::Register(registration) => {
                let state = self.runner(registration.runner);
                self.add(Ask::Register, state, Subject::Command);
            }
            Command::Turn(turn) => self.turn(turn),
            Command::Retire { runner } => {
                let state = self.runner(*runner);
                self.add(Ask::Retire, state, Subject::Command);
            }
            Command::Sweep { .. } => {
                for run in self.ledger.queue().chain(self.ledger.running()) {
                    let state = self.active(run);
                    self.add(Ask::Sweep, state, Subject::Run(run.id));
                }
            }
            Command::Tick(_) => {
                for owed in self.ledger.owed_retries() {
                    let state = self.slot(&owed.worker);
                    let worker = owed.worker.clone();
                    self.add(Ask::Retry, state, Subject::Worker(worker));
                }
                for (at, worker) in self.ledger.agenda() {
                    let state = if at <= self.now { State::Due } else { State::Ahead };
                    self.add(Ask::Occur, state, Subject::Worker(worker.clone()));
                }
            }
            Command::Prune(_) => {
                for run in self.ledger.rows().runs.values() {
                    let state = self.run(run);
                    self.add(Ask::Prune, state, Subject::Run(run.id));
                }
            }
            Command::Enqueue(wishes) => {
                for (place, wish) in wishes.iter().enumerate() {
                    let state = self.wish(wish);
                    self.add(Ask::Enqueue, state, Subject::Wish(place));
                }
            }
            Command::StartForeground { wish, .. } => {
                let state = self.wish(wish);
                self.add(Ask::Start, state, Subject::Command);
            }
            Command::Cancel { run, .. } => self.about(Ask::Cancel, *run),
            Command::Release { run, force: false, .. } => self.about(Ask::Release, *run),
            Command::Release { run, force: true, .. } => self.about(Ask::ForceRelease, *run),
            Command::PutSchedule { worker, .. } => self.about_schedule(Ask::Put, worker),
            Command::EnableSchedule { worker, .. } => self.about_schedule(Ask::Enable, worker),
            Command::DisableSchedule { worker, .. } => self.about_schedule(Ask::Disable, worker),
            Command::DeleteSchedule { worker, .. } => self.about_schedule(Ask::Delete, worker),
            Command::PutSettings { .. } | Command::PublishCatalogue { .. } => {}
        }
    }

    fn turn(&mut self, turn: &Turn) {
        let state = self.runner(turn.runner);
        self.add(Ask::Turn, state, Subject::Command);
        for (place, report) in turn.reports.iter().enumerate() {
            let ask = match report.event {
                ReportEvent::Started { .. } => Ask::Started,
                ReportEvent::Progressed { .. } => Ask::Progressed,
                ReportEvent::Ended(_) => Ask::Ended,
                ReportEvent::GivenBack => Ask::GiveBack,
            };
            let state = self.claim(turn.runner, report.claim);
            self.add(ask, state, Subject::Report(place));
        }
        let mut named: BTreeSet<Claim> = turn.reports.iter().map(|report| report.claim).collect();
        for (place, held) in turn.holding.iter().enumerate() {
            let ask = if held.renew { Ask::Renew } else { Ask::Hold };
            let state = self.claim(turn.runner, held.claim);
            self.add(ask, state, Subject::Holding(place));
            named.insert(held.claim);
        }
        for run in self.ledger.held_by(turn.runner) {
            let claim = run.hold().map(|hold| Claim { run: run.id, fence: hold.fence });
            if claim.is_some_and(|claim| !named.contains(&claim)) {
                let state = self.active(run);
                self.add(Ask::HandOver, state, Subject::Run(run.id));
            }
        }
        if let Some(run) = self.ledger.queue().next().filter(|_| turn.capacity > 0) {
            let state = self.active(run);
            self.add(Ask::Claim, state, Subject::Run(run.id));
        }
    }

    fn about(&mut self, ask: Ask, id: RunId) {
        let run = self.ledger.rows().runs.get(&id);
        let state = run.map_or(State::Nothing, |run| self.run(run));
        self.add(ask, state, Subject::Command);
    }

    fn about_schedule(&mut self, ask: Ask, worker: &WorkerName) {
        let row = self.ledger.rows().workers.get(worker);
        let schedule = row.and_then(|row| row.schedule.as_ref());
        let state = schedule.map_or(State::Unscheduled, |schedule| self.schedule(schedule));
        self.add(ask, state, Subject::Command);
    }

    fn schedule(&self, schedule: &Schedule) -> State {
        match schedule.next {
            Some(next) if next.at <= self.now => State::Due,
            Some(_) => State::Ahead,
            None if schedule.is_enabled() => State::Exhausted,
            None => State::Disabled,
        }
    }

    fn runner(&self, id: RunnerId) -> State {
        match self.ledger.rows().runners.get(&id) {
            None => State::Unknown,
            Some(known) if known.stopped_at.is_some() => State::Stopped,
            Some(_) => State::Working,
        }
    }

    fn wish(&self, wish: &Wish) -> State {
        match self.ledger.rows().runs.get(&wish.run) {
            Some(run) => self.run(run),
            None => self.slot(&wish.worker),
        }
    }

    fn slot(&self, worker: &WorkerName) -> State {
        self.ledger.slot(worker).map_or(State::Nothing, |run| self.active(run))
    }

    fn active(&self, run: &Run) -> State {
        match &run.status {
            RunStatus::Queued if run.start_before.is_some_and(|latest| latest < self.now) => {
                State::TooLate
            }
            RunStatus::Queued if run.not_before > self.now => State::Waiting,
            RunStatus::Queued => State::Queued,
            RunStatus::Running(hold) if hold.lease_expires_at <= self.now => State::Expired,
            RunStatus::Running(_) if run.cancel.is_some() => State::Unwanted,
            RunStatus::Running(_) => State::Held,
            RunStatus::Ended(_) => self.run(run),
        }
    }

    fn run(&self, run: &Run) -> State {
        let Some(end) = run.end() else { return self.active(run) };
        let owes = run.trigger.scheduled().is_some_and(|scheduled| {
            let key = (run.worker.clone(), scheduled.scheduled_for);
            let row = self.ledger.rows().occurrences.get(&key);
            row.is_some_and(|row| {
                row.owes_retry() && row.chain.as_ref().is_some_and(|it| it.last_run == run.id)
            })
        });
        match &end.outcome {
            _ if owes => State::Owed,
            Outcome::Success => State::Success,
            Outcome::Failed(_) => State::Failed,
            Outcome::Interrupted(
                Interruption::Drain
                | Interruption::Lease
                | Interruption::LeaseExpired
                | Interruption::Released(_),
            ) => State::Interrupted,
            Outcome::Cancelled(_) => State::Cancelled,
        }
    }

    /// How the run of a claim stands, for who says that it is his.
    fn claim(&self, runner: RunnerId, claim: Claim) -> State {
        let Some(run) = self.ledger.rows().runs.get(&claim.run) else {
            return State::Nothing;
        };
        if run.is_held_by(runner, claim.fence) {
            return self.active(run);
        }
        if run.was_ended_by(runner, claim.fence) {
            return State::EndedByIt;
        }
        match &run.status {
            RunStatus::Queued => State::Queued,
            RunStatus::Running(_) => State::Others,
            RunStatus::Ended(_) => match self.run(run) {
                State::Owed => State::Interrupted,
                state => state,
            },
        }
    }
}
