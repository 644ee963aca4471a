//! A world: processes that host the real machines, a network, a store, operators and disasters,
//! all in virtual time and all drawn from one seed.

mod bodies;
mod disasters;
mod draws;
mod guards;
mod heal;
mod lateness;
mod moments;
mod network;
mod operators;
mod outages;
mod runners;
mod schedulers;
mod work;
mod zone_data;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use horarium_core::ledger::{Claim, Command, Handled};
use horarium_core::runner;
use horarium_core::scheduler;
use horarium_core::words::Span;

use crate::breach::{Breach, Law};
use crate::calendar::Releases;
use crate::check::History;
use crate::clock::{StoreClock, Time};
use crate::coverage::Coverage;
use crate::digest::Digest;
use crate::draw::{Draw, Stream};
use crate::facts::{Fact, Facts};
use crate::incident::{Incidents, Kept};
use crate::narrate;
use crate::profile::Profile;
use crate::queue::Queue;
use crate::sabotage::Sabotage;
use crate::scenario::Scenario;
use crate::store::Store;
use crate::timeline::Timeline;

use bodies::{Act, Bodies};
use disasters::Disaster;
use heal::Phase;
use network::{Answer, Letter};
use operators::Operators;
use outages::Outages;
use runners::RunnerProcess;
use schedulers::SchedulerProcess;
use work::Work;

/// A world that takes more steps than this never ends.
const MOST_STEPS: u64 = 400_000;

/// Something that happens.
#[derive(Debug)]
enum Happening {
    /// A runner process starts on a seat.
    RunnerStarts { seat: usize },
    /// The moment has come that a runner asked for.
    RunnerWakes { runner: usize, alarm: u64 },
    /// A runner is told something.
    RunnerHears { runner: usize, input: Box<runner::Input> },
    /// A frozen runner goes on.
    RunnerThaws { runner: usize },
    /// A guard looks at its deadlines.
    GuardWakes { runner: usize },
    /// A frozen guard goes on.
    GuardThaws { runner: usize },
    /// A job does something.
    JobActs { runner: usize, claim: Claim, act: Act },
    /// A scheduler process starts.
    SchedulerStarts,
    /// The moment has come that a scheduler asked for.
    SchedulerWakes { scheduler: usize, alarm: u64 },
    /// A scheduler is told something.
    SchedulerHears { scheduler: usize, input: Box<scheduler::Input> },
    /// A frozen scheduler goes on.
    SchedulerThaws { scheduler: usize },
    /// A command reaches the store.
    Arrives(Box<Letter>),
    /// An answer reaches its addressee.
    Answers(Box<Answer>),
    /// A runner dies soon after its start.
    RunnerDiesAgain { runner: usize },
    /// A scheduler does.
    SchedulerDiesAgain { scheduler: usize },
    /// A lease runs out on the store's clock.
    Expires,
    /// The first schedules are put.
    OperatorsBegin,
    /// An operator wants something.
    OperatorActs,
    /// An operator has waited long enough for an answer.
    OperatorGivesUp { operation: usize },
    /// Something goes wrong.
    Strikes(Disaster),
    /// The faults stop.
    Heals,
    /// It is looked whether everything has converged.
    Looks,
}

/// A world.
#[derive(Debug)]
pub struct World {
    profile: Profile,
    sabotage: Option<Sabotage>,
    time: Time,
    steps: u64,
    queue: Queue<Happening>,
    seed: u64,
    /// What people and jobs do, in what happens now.
    workload: Draw,
    /// How it goes wrong.
    faults: Draw,
    /// How long it takes.
    latency: Draw,
    /// How often somebody has drawn.
    drawn: BTreeMap<(Stream, usize), u64>,
    incidents: Incidents,
    store: Store,
    /// The zone data that its processes may have.
    releases: Releases,
    /// What everybody sent and heard.
    history: History,
    store_clock: StoreClock,
    runners: Vec<RunnerProcess>,
    schedulers: Vec<SchedulerProcess>,
    /// Who has the leader's lock.
    lock: Option<usize>,
    bodies: Bodies,
    operators: Operators,
    work: Work,
    phase: Phase,
    /// Nobody is at work before this.
    away_until: Time,
    /// Which scheduler led last.
    led: Option<usize>,
    /// How much later the schedulers come back.
    schedulers_lag: Span,
    /// When the faults stopped.
    healed: Option<Time>,
    outages: Outages,
    facts: Facts,
    signatures: BTreeSet<u64>,
    coverage: Coverage,
    /// Who settled an occurrence last, and when.
    settled: Option<(usize, Time)>,
    timeline: Timeline,
    digest: Digest,
    breach: Option<Breach>,
    /// Breaches of weakened laws.
    passed_over: BTreeSet<Law>,
}

/// What became of a world that broke no law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Story {
    /// Everything that happened, in one number.
    pub digest: u64,
    /// How many steps it took.
    pub steps: u64,
    /// How many commands the store handled.
    pub commands: u64,
    /// Which facts it met.
    pub facts: Facts,
    /// The signatures of what its commands met.
    pub signatures: BTreeSet<u64>,
    /// Which laws it broke that are weakened in its kind.
    pub passed_over: BTreeSet<Law>,
    /// Which states met which commands, and which faults struck when.
    pub coverage: Coverage,
}

impl World {
    /// The world of a scenario, at its beginning.
    pub fn new(scenario: Scenario, sabotage: Option<Sabotage>, timeline: Timeline) -> Self {
        let Scenario { seed, profile, kept } = scenario;
        let releases = Releases::of(profile.zone_news.as_ref());
        let mut world = Self {
            time: Time::START,
            steps: 0,
            queue: Queue::default(),
            seed,
            workload: Draw::new(seed, Stream::World),
            faults: Draw::new(seed, Stream::World),
            latency: Draw::new(seed, Stream::World),
            drawn: BTreeMap::new(),
            incidents: Incidents::new(kept),
            store: Store::new(sabotage, profile.kind.weakened(), releases.clone()),
            releases,
            history: History::default(),
            store_clock: StoreClock { base: profile.base, ahead: 0 },
            runners: Vec::new(),
            schedulers: Vec::new(),
            lock: None,
            bodies: Bodies::default(),
            operators: Operators::default(),
            work: Work::default(),
            phase: Phase::Chaos,
            away_until: Time::START,
            led: None,
            schedulers_lag: Span::ZERO,
            healed: None,
            outages: Outages::default(),
            facts: Facts::default(),
            signatures: BTreeSet::new(),
            coverage: Coverage::default(),
            settled: None,
            timeline,
            digest: Digest::default(),
            breach: None,
            passed_over: BTreeSet::new(),
            profile,
            sabotage,
        };
        if world.profile.faults.restore.is_some() {
            world.store = world.store.with_backups();
        }
        for seat in 0..world.profile.seats.len() {
            world.queue.put(Time::START, Happening::RunnerStarts { seat });
        }
        for _ in 0..world.profile.schedulers {
            world.queue.put(Time::START, Happening::SchedulerStarts);
        }
        world.publish_catalogue();
        let soon = Time::START.plus(Span::from_secs(1));
        world.queue.put(soon, Happening::OperatorsBegin);
        world.queue.put(soon, Happening::OperatorActs);
        world.plan_disasters();
        world.queue.put(Time::START.plus(world.profile.chaos), Happening::Heals);
        world
    }

    /// Lets everything happen. The story, or the first law that was broken.
    pub fn run(&mut self) -> Result<Story, Breach> {
        self.happen_while(|world| world.phase != Phase::Over && world.breach.is_none())?;
        match self.breach.take() {
            Some(breach) => Err(breach),
            None => Ok(Story {
                digest: self.digest.finish() ^ self.store.digest(),
                steps: self.steps,
                commands: self.store.handled(),
                facts: self.facts.clone(),
                signatures: std::mem::take(&mut self.signatures),
                passed_over: self.passed_over.union(self.store.passed_over()).copied().collect(),
                coverage: self.coverage.clone(),
            }),
        }
    }

    /// Lets everything happen until a fact has. False if it does not while every law holds.
    pub fn run_until(&mut self, fact: Fact) -> bool {
        let went = self.happen_while(|world| {
            let is_on = world.phase != Phase::Over && world.breach.is_none();
            is_on && world.facts.count(fact) == 0
        });
        went.is_ok() && self.breach.is_none() && self.facts.count(fact) > 0
    }

    fn happen_while(&mut self, is_on: impl Fn(&Self) -> bool) -> Result<(), Breach> {
        while is_on(self) {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                let what = format!("not over after {MOST_STEPS} steps");
                return Err(Breach::new(Law::StepBudget, what));
            }
            match self.queue.take() {
                Some((time, happening)) => {
                    self.time = self.time.max(time);
                    let own = self.own_draws(&happening);
                    self.with_own_draws(own, |world| world.happen(happening));
                }
                None => {
                    return Err(Breach::new(Law::Convergence, "nothing is to come any more"));
                }
            }
        }
        Ok(())
    }

    /// How many steps it took.
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// The incidents that happened in it.
    pub fn happened(&self) -> Kept {
        self.incidents.happened()
    }

    /// Its last lines.
    pub fn lines(&self) -> Vec<String> {
        self.timeline.lines()
    }

    /// The end of its story.
    pub fn story(&self) -> Vec<String> {
        self.timeline.story()
    }

    /// How it was drawn.
    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::RunnerStarts { seat } => self.runner_starts(seat),
            Happening::RunnerWakes { runner, alarm } => self.runner_wakes(runner, alarm),
            Happening::RunnerHears { runner, input } => self.runner_hears(runner, *input),
            Happening::RunnerThaws { runner } => self.runner_thaws(runner),
            Happening::GuardWakes { runner } => self.guard_looks(runner),
            Happening::GuardThaws { runner } => self.guard_thaws(runner),
            Happening::JobActs { runner, claim, act } => self.job_acts(runner, claim, act),
            Happening::SchedulerStarts => self.scheduler_starts(),
            Happening::SchedulerWakes { scheduler, alarm } => {
                self.scheduler_wakes(scheduler, alarm);
            }
            Happening::SchedulerHears { scheduler, input } => {
                self.scheduler_hears(scheduler, *input);
            }
            Happening::SchedulerThaws { scheduler } => self.scheduler_thaws(scheduler),
            Happening::Arrives(letter) => self.arrives(*letter),
            Happening::Answers(answer) => self.answers(*answer),
            Happening::RunnerDiesAgain { runner } => self.runner_dies_again(runner),
            Happening::SchedulerDiesAgain { scheduler } => self.scheduler_dies_again(scheduler),
            Happening::Expires => self.expires(),
            Happening::OperatorsBegin => self.put_first_schedules(),
            Happening::OperatorActs => self.operator_acts(),
            Happening::OperatorGivesUp { operation } => self.operator_gives_up(operation),
            Happening::Strikes(disaster) => self.strikes(disaster),
            Happening::Heals => self.heals(),
            Happening::Looks => self.looks(),
        }
    }

    /// Adds a line to the timeline.
    fn note(&mut self, line: impl FnOnce() -> String) {
        self.timeline.note(self.time, line);
    }

    /// Adds a line to the timeline and to the story.
    fn tell(&mut self, line: impl FnOnce() -> String) {
        if self.timeline.is_read() {
            let line = line();
            self.timeline.note(self.time, || line.clone());
            self.timeline.narrate(self.time, || line);
        }
    }

    /// Tells what a command did.
    fn tell_events(&mut self, command: &Command, handled: &Handled) {
        if !self.timeline.is_read() {
            return;
        }
        let name = |id| match self.runners.iter().position(|runner| runner.is_called(id)) {
            Some(runner) => format!("runner {runner}"),
            None => String::from("a runner"),
        };
        let ledger = self.store.ledger();
        let events = handled.events.iter().filter_map(|event| narrate::event(ledger, event, name));
        for line in events.chain(narrate::lost(ledger, command, &handled.reply, name)) {
            self.timeline.narrate(self.time, || line);
        }
    }

    /// True when this bug was seeded.
    fn has(&self, sabotage: Sabotage) -> bool {
        self.sabotage == Some(sabotage)
    }

    fn see(&mut self, fact: Fact) {
        self.facts.see(fact);
    }

    /// The first breach stands, unless the law is weakened in such worlds.
    fn broke(&mut self, breach: Breach) {
        if self.profile.kind.weakened().contains(&breach.law) {
            self.timeline.note(self.time, || format!("  (weakened here) {breach}"));
            self.passed_over.insert(breach.law);
            return;
        }
        self.tell(|| format!("BROKEN {breach}"));
        self.breach.get_or_insert(breach);
    }

    fn mark(&mut self, what: &impl Hash) {
        (self.time, what).hash(&mut self.digest);
    }

    fn after(&mut self, span: Span, happening: Happening) {
        self.queue.put(self.time.plus(span), happening);
    }

    /// True while faults strike.
    fn is_chaos(&self) -> bool {
        self.phase == Phase::Chaos
    }

    /// A short time on one machine.
    fn moment_later(&mut self) -> Span {
        self.latency.span(Span::ZERO, Span::from_millis(3))
    }
}
