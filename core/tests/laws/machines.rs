//! The laws of the machines, for whatever happens to them in whatever order: each runs against a
//! ledger whose requests and answers may be lost, late or repeated.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use horarium_core::ledger::command::Retention;
use horarium_core::ledger::{Claim, Command, Ledger, Reply, Wish};
use horarium_core::run::{Cause, Output as JobOutput};
use horarium_core::runner::{self, CallId, Exit, JobExit, Purpose, Runner, RunnerConfig};
use horarium_core::scheduler::{self, Scheduler, SchedulerConfig};
use horarium_core::words::{
    Lease, Moment, Name, Note, Request, RunId, RunnerId, SchedulerId, Span, Timestamp,
};
use proptest::prelude::*;

use crate::draft::{by, dawn, definition};

/// What happens next.
#[derive(Debug, Clone)]
enum Happening {
    /// Time passes, and the machine is woken if it wanted to be.
    Wait(Span),
    /// The outstanding call is handled and answered.
    Answer,
    /// It never arrives.
    LoseRequest,
    /// It is handled, and the answer comes only with a later `LateAnswer`.
    DelayAnswer,
    /// An answer that was delayed arrives.
    LateAnswer,
    /// An answer of another kind arrives for the outstanding call.
    Nonsense,
    /// The job's process runs.
    Started(u8),
    /// It could not be started.
    NotStarted(u8),
    /// It has exited.
    Exited { job: u8, code: i32, group_empty: bool },
    /// A run is enqueued.
    Enqueue,
    /// The newest runs are cancelled.
    Cancel,
    /// Leases that ran out are swept.
    Sweep,
    /// Hints, requests to stop, lock news: one of the kinds that the machine knows.
    Tell(u8),
}

fn happening() -> impl Strategy<Value = Happening> {
    let time = prop_oneof![
        4 => (0..2_000_u64).prop_map(Span::from_millis),
        4 => (0..30_u64).prop_map(Span::from_secs),
        1 => (0..5_u64).prop_map(Span::from_minutes),
    ];
    prop_oneof![
        6 => time.prop_map(Happening::Wait),
        12 => Just(Happening::Answer),
        2 => Just(Happening::LoseRequest),
        2 => Just(Happening::DelayAnswer),
        2 => Just(Happening::LateAnswer),
        1 => Just(Happening::Nonsense),
        4 => any::<u8>().prop_map(Happening::Started),
        1 => any::<u8>().prop_map(Happening::NotStarted),
        4 => (any::<u8>(), 0..2_i32, proptest::bool::weighted(0.8))
            .prop_map(|(job, code, group_empty)| Happening::Exited { job, code, group_empty }),
        4 => Just(Happening::Enqueue),
        1 => Just(Happening::Cancel),
        1 => Just(Happening::Sweep),
        1 => any::<u8>().prop_map(Happening::Tell),
    ]
}

/// The store and the time, which both machines see.
struct World {
    ledger: Ledger,
    start: Timestamp,
    now: Moment,
    call: Option<(CallId, Command)>,
    late: Vec<(CallId, Reply)>,
    alarm: Moment,
    runs: u128,
    sent: Option<CallId>,
}

impl World {
    fn new() -> Self {
        let mut ledger = Ledger::new();
        let definitions = vec![definition(0)];
        ledger.handle(dawn(), &Command::PublishCatalogue { definitions, by: by() });
        Self {
            ledger,
            start: dawn(),
            now: Moment::START,
            call: None,
            late: Vec::new(),
            alarm: Moment::NEVER,
            runs: 0,
            sent: None,
        }
    }

    fn clock(&self) -> Timestamp {
        self.start.plus(self.now.since(Moment::START))
    }

    fn submit(&mut self, command: &Command) -> Reply {
        let now = self.clock();
        self.ledger.handle(now, command).reply
    }

    fn wish(&mut self) -> Wish {
        self.runs += 1;
        let worker = format!("backup:{}", self.runs % 3);
        Wish {
            run: RunId::from_bits(self.runs),
            worker: worker.parse().unwrap(),
            request: Request::default(),
            not_before: None,
            by: by(),
        }
    }

    fn send(&mut self, id: CallId, command: Command) -> Result<(), TestCaseError> {
        prop_assert!(self.sent.is_none_or(|before| before < id), "a call was sent twice");
        self.sent = Some(id);
        self.call = Some((id, command));
        Ok(())
    }

    /// What happens to the ledger alone, and what answer arrives at the machine.
    fn happens(&mut self, happening: &Happening) -> Option<Arrival> {
        match happening {
            Happening::Answer => {
                let (id, command) = self.call.take()?;
                let reply = self.submit(&command);
                return Some(Arrival::Answered(id, reply));
            }
            Happening::LoseRequest => return Some(Arrival::Unanswered(self.call.take()?.0)),
            Happening::DelayAnswer => {
                let (id, command) = self.call.take()?;
                let reply = self.submit(&command);
                self.late.push((id, reply));
            }
            Happening::LateAnswer => {
                let (id, reply) = self.late.pop()?;
                return Some(Arrival::Answered(id, reply));
            }
            Happening::Nonsense => {
                let (id, _) = self.call.take()?;
                return Some(Arrival::Answered(id, Reply::Released));
            }
            Happening::Enqueue => {
                let wish = self.wish();
                self.submit(&Command::Enqueue(vec![wish]));
            }
            Happening::Cancel => {
                let run = RunId::from_bits(self.runs);
                self.submit(&Command::Cancel { run, by: by() });
            }
            Happening::Sweep => {
                let limit = NonZeroU32::MAX;
                self.submit(&Command::Sweep { limit });
            }
            Happening::Wait(_)
            | Happening::Started(_)
            | Happening::NotStarted(_)
            | Happening::Exited { .. }
            | Happening::Tell(_) => {}
        }
        None
    }
}

/// What arrives at a machine.
enum Arrival {
    Answered(CallId, Reply),
    Unanswered(CallId),
}

fn runner_config(wish: Option<Wish>) -> RunnerConfig {
    let name: Name = "backup".parse().unwrap();
    RunnerConfig {
        name: Note::lossy("runner"),
        host: Note::lossy("host"),
        version: Note::lossy("0"),
        definitions: BTreeMap::from([(name, definition(0))]),
        concurrency: NonZeroU32::new(2).unwrap(),
        lease: Lease::default(),
        poll: Span::from_secs(5),
        drain_grace: Span::from_secs(20),
        purpose: wish.map_or(Purpose::Serve, |wish| Purpose::Foreground(Box::new(wish))),
        seed: 3,
    }
}

/// How long the machine waits for an answer.
fn timeout() -> Span {
    Lease::default().timing().statement_timeout
}

/// A runner in its world.
struct Running {
    world: World,
    machine: Runner,
    ids: u128,
    /// The call that the machine has not heard of, and when it was sent.
    outstanding: Option<(CallId, Moment)>,
    started: BTreeSet<Claim>,
    /// Jobs that the shell has: started and not exited.
    alive: Vec<Claim>,
    is_finished: bool,
}

impl Running {
    fn hears(&mut self, input: runner::Input) -> Result<(), TestCaseError> {
        if let runner::Input::Answered(id, _) | runner::Input::Unanswered(id) = &input {
            self.outstanding = self.outstanding.filter(|(out, _)| out != id);
        }
        let mut out = Vec::new();
        self.machine.handle(self.world.now, input, &mut out);
        self.wants(out)
    }

    fn wants(&mut self, out: Vec<runner::Output>) -> Result<(), TestCaseError> {
        prop_assert!(out.is_empty() || !self.is_finished, "{:?} after the end", out);
        let mut identify = false;
        for output in out {
            match output {
                runner::Output::Identify => identify = true,
                runner::Output::Send(id, command) => {
                    let given_up = self
                        .outstanding
                        .is_none_or(|(_, sent)| sent.plus(timeout()) <= self.world.now);
                    prop_assert!(given_up, "a second call was sent");
                    self.outstanding = Some((id, self.world.now));
                    self.world.send(id, command)?;
                }
                runner::Output::Start { grant, kill_at, .. } => {
                    prop_assert!(self.started.insert(grant.claim), "a claim was started twice");
                    prop_assert!(kill_at > self.world.now, "a job was started past its deadline");
                    self.alive.push(grant.claim);
                }
                runner::Output::WakeAt(alarm) => self.world.alarm = alarm,
                runner::Output::Finished { .. } => self.is_finished = true,
                runner::Output::Deadline { .. }
                | runner::Output::Terminate(..)
                | runner::Output::Kill(..)
                | runner::Output::ForegroundRefused(_)
                | runner::Output::ForegroundEnded(_) => {}
            }
        }
        if identify {
            self.ids += 1;
            self.hears(runner::Input::Identity(RunnerId::from_bits(self.ids)))?;
        }
        let known = self.machine.jobs();
        prop_assert!(known >= self.alive.len(), "it knows {known} jobs of {:?}", self.alive);
        let is_busy = self.world.call.is_some();
        prop_assert!(
            self.is_finished || self.world.alarm > self.world.now,
            "it wants to be woken in the past (a call is out: {is_busy})"
        );
        Ok(())
    }

    fn job(&self, pick: u8) -> Option<Claim> {
        self.alive.get(usize::from(pick) % self.alive.len().max(1)).copied()
    }

    fn live(&mut self, happening: &Happening) -> Result<(), TestCaseError> {
        match self.world.happens(happening) {
            Some(Arrival::Answered(id, reply)) => {
                return self.hears(runner::Input::Answered(id, reply));
            }
            Some(Arrival::Unanswered(id)) => return self.hears(runner::Input::Unanswered(id)),
            None => {}
        }
        match happening {
            Happening::Wait(time) => {
                self.world.now = self.world.now.plus(*time);
                if self.world.alarm <= self.world.now {
                    self.hears(runner::Input::Wake)?;
                }
            }
            Happening::Started(pick) => {
                if let Some(claim) = self.job(*pick) {
                    self.hears(runner::Input::JobStarted(claim))?;
                }
            }
            Happening::NotStarted(pick) => {
                if let Some(claim) = self.job(*pick) {
                    let cause = Cause::Spawn(Note::lossy("no such file"));
                    self.alive.retain(|alive| *alive != claim);
                    self.hears(runner::Input::JobNotStarted(claim, cause))?;
                }
            }
            Happening::Exited { job, code, group_empty } => {
                if let Some(claim) = self.job(*job) {
                    let exit = JobExit {
                        exit: Exit::Code(*code),
                        group_empty: *group_empty,
                        is_final: false,
                        output: JobOutput::default(),
                    };
                    self.alive.retain(|alive| *alive != claim);
                    self.hears(runner::Input::JobExited(claim, exit))?;
                }
            }
            Happening::Tell(pick) => {
                self.hears(match pick % 12 {
                    0 => runner::Input::Shutdown,
                    1 => runner::Input::Hurry,
                    2 => runner::Input::Interrupt,
                    3 => runner::Input::GuardLost,
                    4..8 => runner::Input::CancelHint,
                    _ => runner::Input::Hint,
                })?;
            }
            Happening::Answer
            | Happening::LoseRequest
            | Happening::DelayAnswer
            | Happening::LateAnswer
            | Happening::Nonsense
            | Happening::Enqueue
            | Happening::Cancel
            | Happening::Sweep => {}
        }
        Ok(())
    }
}

fn run(happenings: &[Happening], foreground: bool) -> Result<(), TestCaseError> {
    let mut world = World::new();
    let wish = foreground.then(|| world.wish());
    let mut out = Vec::new();
    let machine = Runner::new(runner_config(wish), world.now, &mut out);
    let mut running = Running {
        world,
        machine,
        ids: 0,
        outstanding: None,
        started: BTreeSet::new(),
        alive: Vec::new(),
        is_finished: false,
    };
    running.wants(out)?;
    prop_assert_eq!(running.machine.jobs(), 0);
    for happening in happenings {
        running.live(happening)?;
    }
    // Asked to stop, with jobs that die and a store that answers, it ends in time.
    running.hears(runner::Input::Shutdown)?;
    for _ in 0..200 {
        if running.is_finished {
            return Ok(());
        }
        running.live(&Happening::Answer)?;
        running.live(&Happening::Exited { job: 0, code: 0, group_empty: true })?;
        let wait = running.world.alarm.since(running.world.now);
        if running.world.call.is_none() && !running.is_finished {
            running.live(&Happening::Wait(wait))?;
        }
    }
    Err(TestCaseError::fail("it did not end"))
}

fn scheduler_config() -> SchedulerConfig {
    let limit = NonZeroU32::new(2).unwrap();
    let retention = Retention { keep: Span::ZERO, keep_per_worker: 1, limit };
    SchedulerConfig {
        id: SchedulerId::from_bits(1),
        poll: Span::from_secs(10),
        lock_retry: Span::from_secs(5),
        probe: Span::from_secs(7),
        statement_timeout: Span::from_secs(5),
        batch: limit,
        retention: Some((retention, Span::from_secs(60))),
        seed: 5,
    }
}

/// What a scheduler has made known.
#[derive(Default)]
struct Seen {
    is_finished: bool,
    /// It has asked for the lock.
    is_asked: bool,
    is_leading: bool,
    seeds: BTreeSet<u64>,
}

impl Seen {
    fn wants(
        &mut self,
        world: &mut World,
        out: Vec<scheduler::Output>,
    ) -> Result<(), TestCaseError> {
        prop_assert!(out.is_empty() || !self.is_finished || out == [scheduler::Output::Unlock]);
        for output in out {
            match output {
                scheduler::Output::Send(id, command) => {
                    if let Command::Tick(tick) = &command {
                        prop_assert!(self.seeds.insert(tick.seed), "two ticks draw the same");
                    }
                    world.send(id, command)?;
                }
                scheduler::Output::WakeAt(alarm) => world.alarm = alarm,
                scheduler::Output::TryLock | scheduler::Output::ProbeLock => self.is_asked = true,
                scheduler::Output::Leading => self.is_leading = true,
                scheduler::Output::Standby => self.is_leading = false,
                scheduler::Output::Finished => {
                    self.is_finished = true;
                    self.is_leading = false;
                }
                scheduler::Output::Unlock
                | scheduler::Output::Refused(_)
                | scheduler::Output::Ticked(_) => {}
            }
        }
        prop_assert!(
            self.is_finished || world.alarm > world.now,
            "it wants to be woken in the past"
        );
        Ok(())
    }
}

fn schedule(happenings: &[Happening]) -> Result<(), TestCaseError> {
    let mut world = World::new();
    let mut out = Vec::new();
    let mut machine = Scheduler::new(scheduler_config(), world.now, &mut out);
    let mut seen = Seen::default();
    seen.wants(&mut world, out)?;
    prop_assert_eq!(machine.is_leading(), seen.is_leading);
    let end = [Happening::Tell(3), Happening::Answer, Happening::Tell(1), Happening::Answer];
    for happening in happenings.iter().chain(&end) {
        let input = match world.happens(happening) {
            Some(Arrival::Answered(id, reply)) => scheduler::Input::Answered(id, reply),
            Some(Arrival::Unanswered(id)) => scheduler::Input::Unanswered(id),
            None => match happening {
                Happening::Wait(time) => {
                    world.now = world.now.plus(*time);
                    scheduler::Input::Wake
                }
                Happening::Tell(3) => scheduler::Input::Shutdown,
                Happening::Tell(pick) if pick % 3 == 0 => scheduler::Input::LockHeld,
                Happening::Tell(pick) if pick % 3 == 1 && seen.is_asked => {
                    scheduler::Input::LockMissing
                }
                _ => scheduler::Input::Hint,
            },
        };
        let mut out = Vec::new();
        machine.handle(world.now, input, &mut out);
        seen.wants(&mut world, out)?;
        prop_assert_eq!(machine.is_leading(), seen.is_leading);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn a_runner_has_one_call_out_starts_nothing_twice_never_wakes_in_the_past_and_ends_when_asked(
        happenings in proptest::collection::vec(happening(), 0..120),
    ) {
        run(&happenings, false)?;
    }

    #[test]
    fn a_foreground_runner_does_so_too(
        happenings in proptest::collection::vec(happening(), 0..60),
    ) {
        run(&happenings, true)?;
    }

    #[test]
    fn a_scheduler_has_one_call_out_says_who_leads_draws_anew_and_never_wakes_in_the_past(
        happenings in proptest::collection::vec(happening(), 0..120),
    ) {
        schedule(&happenings)?;
    }
}
