//! Operators: people and programs that want something, look at what is there first, and ask again
//! when nobody answers. Asking again is asking once.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use horarium_core::ledger::{Command, Reply, Wish};
use horarium_core::recurrence::{Recurrence, Zone, ZoneData};
use horarium_core::run::Run;
use horarium_core::schedule::{Plan, Revision, Schedule};
use horarium_core::words::{
    Actor, ActorKind, By, Note, Request, RunId, Span, Timestamp, WorkerName,
};

use crate::breach::{Breach, Law};
use crate::calendar;
use crate::clock::Time;
use crate::describe;
use crate::incident::Incident;
use crate::profile::retry;
use crate::sabotage::Sabotage;
use horarium_core::ledger::audit::Invariant;

use super::network::Sender;
use super::{Happening, World};

/// How long an operator waits for an answer.
const PATIENCE: Span = Span::from_secs(5);
/// How often one asks in all.
const MOST_TRIES: u32 = 6;

/// What operators asked for.
#[derive(Debug, Default)]
pub(super) struct Operators {
    operations: Vec<Operation>,
    /// Runs that were accepted, by the operator's own knowledge.
    accepted: BTreeMap<RunId, WorkerName>,
}

/// One wish of an operator.
#[derive(Debug)]
struct Operation {
    command: Command,
    /// The zone data of the program that asks.
    zones: ZoneData,
    /// All ids under which its runs were asked for.
    asked: Vec<RunId>,
    tries: u32,
    /// When it was last tried.
    tried: Time,
    is_settled: bool,
}

/// A kind of wish.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Enqueue,
    Cancel,
    Release,
    Foreground,
    Interrupt,
    Enable,
    Disable,
    Delete,
    Settings,
    Put,
}

impl Operators {
    /// True when nobody waits for an answer.
    pub(super) fn are_quiet(&self) -> bool {
        self.operations.iter().all(|operation| operation.is_settled)
    }

    /// The zone data of the program that asks for something.
    pub(super) fn zones_of(&self, operation: usize) -> Option<&ZoneData> {
        self.operations.get(operation).map(|operation| &operation.zones)
    }

    /// Runs that somebody was told of.
    pub(super) fn accepted(&self) -> impl Iterator<Item = (&RunId, &WorkerName)> {
        self.accepted.iter()
    }
}

fn by(name: &str) -> By {
    By { actor: Actor { kind: ActorKind::Person, name: Note::lossy(name) }, reason: None }
}

impl World {
    /// Before anything else somebody applies the catalogue.
    pub(super) fn publish_catalogue(&mut self) {
        let definitions = self.profile.definitions.values().cloned().collect();
        self.ask(Command::PublishCatalogue { definitions, by: by("founder") });
    }

    /// In many worlds every worker has something to do from the start.
    pub(super) fn put_first_schedules(&mut self) {
        if !self.profile.is_scheduled {
            return;
        }
        // Out of step, the one that owes first, by its name, is not the one that is due first.
        let is_out_of_step = self.profile.is_out_of_step;
        let first = if is_out_of_step { "*/2 * * * *" } else { "* * * * *" };
        let rules = [first].into_iter().chain(std::iter::repeat("* * * * *"));
        for (worker, rule) in self.profile.workers.clone().into_iter().zip(rules) {
            let Ok(recurrence) = Recurrence::cron(rule, Zone::utc()) else {
                return;
            };
            let plan = self.plan();
            let plan = Box::new(Plan {
                recurrence,
                max_runs: None,
                until: None,
                not_before: None,
                max_lateness: plan.max_lateness.filter(|_| !is_out_of_step),
                retry: plan.retry.filter(|_| !is_out_of_step),
                ..plan
            });
            if !self.lets(Incident::FirstSchedule) {
                continue;
            }
            let (seen, by) = (Revision::NONE, by("founder"));
            self.ask(Command::PutSchedule { worker, seen, plan, reset_runs: false, by });
        }
    }

    /// An operator wants something.
    pub(super) fn operator_acts(&mut self) {
        if !self.is_chaos() {
            return;
        }
        let gap = self.workload.span(Span::from_millis(10), self.profile.operator_gap);
        let from = self.time.max(self.away_until);
        self.queue.put(from.plus(gap), Happening::OperatorActs);
        if !self.is_away() && self.lets(Incident::Wish) {
            self.want_something();
        }
    }

    fn want_something(&mut self) {
        let Some(worker) = self.workload.pick_of(&self.profile.workers).cloned() else {
            return;
        };
        let row = self.store.ledger().rows().workers.get(&worker);
        let seen = row.map_or(Revision::NONE, |row| row.revision);
        let settings_seen = row
            .and_then(|row| row.settings.as_ref())
            .map_or(Revision::NONE, |settings| settings.revision);
        match self.kind_of_wish() {
            Kind::Enqueue => {
                let mut wishes = vec![self.wish(worker)];
                for _ in 0..self.workload.below(3) {
                    if let Some(other) = self.workload.pick_of(&self.profile.workers).cloned() {
                        wishes.push(self.wish(other));
                    }
                }
                self.use_an_id_again(&mut wishes);
                self.ask(Command::Enqueue(wishes));
            }
            Kind::Cancel => {
                if let Some(run) = self.some_run() {
                    self.ask(Command::Cancel { run, by: by("canceller") });
                }
            }
            Kind::Release => {
                if let Some(run) = self.some_run() {
                    let force = self.workload.chance(500);
                    self.ask(Command::Release { run, force, by: by("risk-taker") });
                }
            }
            Kind::Foreground => {
                let wish = Wish { not_before: None, ..self.wish(worker) };
                self.foreground_starts(wish);
            }
            Kind::Interrupt => self.interrupt_some_foreground(),
            Kind::Delete => self.ask(Command::DeleteSchedule { worker, seen, by: by("editor") }),
            Kind::Disable => self.ask(Command::DisableSchedule { worker, seen, by: by("editor") }),
            Kind::Enable => self.ask(Command::EnableSchedule { worker, seen, by: by("editor") }),
            Kind::Settings => {
                let settings = self.request();
                let seen = settings_seen;
                self.ask(Command::PutSettings { worker, seen, settings, by: by("editor") });
            }
            Kind::Put => {
                let plan = Box::new(self.plan());
                let reset_runs = self.workload.chance(100);
                let by = by("editor");
                self.ask(Command::PutSchedule { worker, seen, plan, reset_runs, by });
            }
        }
    }

    fn kind_of_wish(&mut self) -> Kind {
        let wishes = self.profile.wishes;
        let weights = [
            (Kind::Enqueue, wishes.enqueue),
            (Kind::Cancel, wishes.cancel),
            (Kind::Release, wishes.release),
            (Kind::Foreground, wishes.foreground),
            (Kind::Interrupt, wishes.interrupt),
            (Kind::Enable, wishes.enable),
            (Kind::Disable, wishes.disable),
            (Kind::Delete, wishes.delete),
            (Kind::Settings, wishes.settings),
            (Kind::Put, wishes.put),
        ];
        let mut drawn = self.workload.below(weights.iter().map(|(_, weight)| weight).sum());
        for (kind, weight) in weights {
            if drawn < weight {
                return kind;
            }
            drawn -= weight;
        }
        Kind::Put
    }

    fn wish(&mut self, worker: WorkerName) -> Wish {
        let now = self.store_clock.at(self.time);
        let random = self.workload.wide_bits();
        let waits = self.workload.chance(200);
        let wait = self.workload.span(Span::ZERO, Span::from_minutes(2));
        Wish {
            run: RunId::v7(now.millis(), random),
            worker,
            request: self.request(),
            not_before: waits.then(|| now.plus(wait)),
            by: by("caller"),
        }
    }

    /// Some programs are careless with ids.
    fn use_an_id_again(&mut self, wishes: &mut [Wish]) {
        let permille = self.profile.wishes.used_ids;
        if permille > 0 && self.workload.chance(permille) {
            let used: Vec<RunId> = self.operators.accepted.keys().copied().collect();
            if let (Some(wish), Some(run)) = (wishes.first_mut(), self.workload.pick_of(&used)) {
                wish.run = *run;
            }
        }
    }

    fn request(&mut self) -> Request {
        let preset = if self.workload.chance(100) { "fast".parse().ok() } else { None };
        let size = u32::try_from(self.workload.below(4)).unwrap_or(0);
        Request { preset, batch_size: NonZeroU32::new(size), ..Request::default() }
    }

    /// A run that is there: mostly one that is not over.
    fn some_run(&mut self) -> Option<RunId> {
        let ledger = self.store.ledger();
        let active: Vec<RunId> =
            ledger.queue().chain(ledger.running()).map(|run: &Run| run.id).collect();
        let owed: Vec<RunId> = ledger
            .owed_retries()
            .filter_map(|occurrence| occurrence.chain.as_ref().map(|chain| chain.last_run))
            .collect();
        let all: Vec<RunId> = ledger.rows().runs.keys().copied().collect();
        let among = match self.workload.below(10) {
            0..7 => &active,
            7..9 => &owed,
            _ => &all,
        };
        self.workload.pick_of(among).copied()
    }

    fn plan(&mut self) -> Plan {
        let now = self.store_clock.at(self.time);
        let recurrence = self.recurrence(now);
        let policy = retry(&mut self.workload);
        let mut sometimes = |permille: u64| self.workload.chance(permille);
        let (starts, ends, counts, hurries, retries) =
            (sometimes(100), sometimes(100), sometimes(200), sometimes(300), sometimes(600));
        let later = self.workload.span(Span::ZERO, Span::from_minutes(30));
        let count = u32::try_from(self.workload.between(1, 5)).unwrap_or(1);
        let lateness = self.workload.span(Span::ZERO, Span::from_minutes(3));
        Plan {
            recurrence,
            request: self.request(),
            not_before: starts.then(|| now.plus(later.scaled(1, 10))),
            until: ends.then(|| now.plus(later)),
            max_runs: NonZeroU32::new(count).filter(|_| counts),
            max_lateness: hurries.then_some(lateness),
            retry: retries.then_some(policy),
        }
    }

    /// Mostly in the zone whose clock is near a change.
    fn recurrence(&mut self, now: Timestamp) -> Recurrence {
        let other = self.workload.pick(["UTC", "Europe/Berlin", "Asia/Kathmandu"]);
        let zone = if self.workload.chance(700) { self.profile.zone.as_str() } else { other };
        let zone = zone.parse().unwrap_or_else(|_| Zone::utc());
        let drawn = calendar::draw(&mut self.workload, now, zone.clone());
        // How a COUNT goes on when newer data move its start depends on what was due then.
        if self.profile.zone_news.is_some() && drawn.text().contains(";COUNT=") {
            return Recurrence::cron("*/2 * * * *", zone).unwrap_or(drawn);
        }
        drawn
    }

    /// An operator asks, and asks again until answered.
    fn ask(&mut self, mut command: Command) {
        let zones = self.data_of_an_operator();
        if let Command::PutSchedule { plan, .. } = &mut command
            && let Ok(recurrence) = plan.recurrence.in_data(&zones)
        {
            plan.recurrence = recurrence;
        }
        let operation = self.operators.operations.len();
        self.operators.operations.push(Operation {
            command,
            zones,
            asked: Vec::new(),
            tries: 0,
            tried: self.time,
            is_settled: false,
        });
        self.try_operation(operation);
    }

    fn try_operation(&mut self, operation: usize) {
        let forgets_ids = self.has(Sabotage::NewIdForOldWish);
        let Some(found) = self.operators.operations.get_mut(operation) else {
            return;
        };
        found.tries += 1;
        found.tried = self.time;
        if let Command::Enqueue(wishes) = &mut found.command {
            if found.tries > 1 && forgets_ids {
                for wish in wishes.iter_mut() {
                    wish.run = RunId::from_bits(self.workload.wide_bits());
                }
            }
            found.asked.extend(wishes.iter().map(|wish| wish.run));
        }
        let command = found.command.clone();
        self.send(Sender::Operator(operation), command, PATIENCE);
        self.after(PATIENCE, Happening::OperatorGivesUp { operation });
    }

    pub(super) fn operator_gives_up(&mut self, operation: usize) {
        let Some(found) = self.operators.operations.get_mut(operation) else {
            return;
        };
        if found.is_settled {
            return;
        }
        if found.tries >= MOST_TRIES {
            found.is_settled = true;
            let in_vain = self.healed.is_some_and(|healed| healed < found.tried);
            if in_vain {
                let what = format!("operator {operation} was not answered, and no fault strikes");
                self.broke(Breach::new(Law::Convergence, what));
            }
            return;
        }
        self.try_operation(operation);
    }

    pub(super) fn operator_hears(&mut self, operation: usize, reply: &Reply) {
        self.mark(&(operation, reply));
        let Some(found) = self.operators.operations.get_mut(operation) else {
            return;
        };
        found.is_settled = true;
        if let (Command::Enqueue(wishes), Reply::Enqueued(answers)) = (&found.command, reply) {
            for (wish, _) in wishes.iter().zip(answers).filter(|(_, answer)| answer.is_ok()) {
                self.operators.accepted.insert(wish.run, wish.worker.clone());
            }
        }
    }

    /// One wish is one run, however often it was asked for.
    fn judge_wishes(&mut self) {
        let runs = &self.store.ledger().rows().runs;
        let twice = self.operators.operations.iter().find_map(|operation| {
            let Command::Enqueue(wishes) = &operation.command else { return None };
            let mut found: Vec<RunId> =
                operation.asked.iter().copied().filter(|run| runs.contains_key(run)).collect();
            found.sort_unstable();
            found.dedup();
            (found.len() > wishes.len()).then_some((wishes.len(), found.len()))
        });
        if let Some((wishes, runs)) = twice {
            let what = format!("{wishes} wishes became {runs} runs");
            self.broke(Breach::of(Invariant::NothingLost, what));
        }
    }

    /// What an operator was told is so.
    pub(super) fn judge_accepted(&mut self) {
        self.judge_wishes();
        if self.profile.retention.is_some() {
            return;
        }
        let runs = &self.store.ledger().rows().runs;
        let lost = self
            .operators
            .accepted()
            .find(|(run, worker)| runs.get(run).is_none_or(|found| found.worker != **worker));
        if let Some((run, worker)) = lost {
            let what = format!("{} of {worker} was accepted and is gone", describe::run(*run));
            self.broke(Breach::of(Invariant::NothingLost, what));
        }
    }

    /// Nobody wants anything any more: all schedules are disabled.
    pub(super) fn disable_all(&mut self) {
        let enabled: Vec<(WorkerName, Revision)> = self
            .store
            .ledger()
            .rows()
            .workers
            .iter()
            .filter(|(_, row)| row.schedule.as_ref().is_some_and(Schedule::is_enabled))
            .map(|(worker, row)| (worker.clone(), row.revision))
            .collect();
        for (worker, seen) in enabled {
            self.ask(Command::DisableSchedule { worker, seen, by: by("last") });
        }
    }

    /// When a run that was asked for at the latest moment may start.
    pub(super) const fn longest_wait() -> Span {
        Span::from_minutes(2)
    }

    /// The store's clock now.
    pub(super) fn now(&self) -> Timestamp {
        self.store_clock.at(self.time)
    }
}
