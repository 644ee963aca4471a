//! Drafts of commands: small numbers that become a command when the ledger is at hand, so that
//! runs, claims and revisions are hit often, and missed often enough.

use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU32, NonZeroU64};

use horarium_core::catalogue::{Definition, Execution, Timeout};
use horarium_core::config::Config;
use horarium_core::ledger::command::{Ending, Handlers, Retention, Tick};
use horarium_core::ledger::{
    Claim, Command, Holding, Ledger, Locked, Registration, Report, ReportEvent, Turn, Wish,
};
use horarium_core::recurrence::{Recurrence, Zone};
use horarium_core::run::{
    Cancellation, Cause, Failure, Interruption, Outcome, Output, Tail, Units,
};
use horarium_core::schedule::{Plan, Revision};
use horarium_core::words::{
    Actor, ActorKind, Attempt, Backoff, By, Fence, Name, Note, Request, RetryPolicy, RunId,
    RunnerId, SchedulerId, Span, Timestamp, WorkerName,
};
use proptest::prelude::*;

/// How far the clock jumps before a command.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Leap {
    Ahead(Span),
    Back(Span),
    To(Timestamp),
}

impl Leap {
    pub(crate) fn from(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Ahead(span) => now.plus(span),
            Self::Back(span) => now.minus(span),
            Self::To(at) => at,
        }
    }
}

/// A run: one of the ledger's, or one that it does not know.
type RunPick = u8;

/// A claim: of a run, under its own fence or another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimPick {
    run: RunPick,
    other_fence: Option<u64>,
}

/// A command in the making.
#[derive(Debug, Clone)]
pub(crate) enum Draft {
    Register {
        runner: u8,
        handlers: Handlers,
        lease: Span,
    },
    Turn {
        runner: u8,
        /// Above the last number that was taken, or any number.
        number: Result<u64, NonZeroU64>,
        reports: Vec<(ClaimPick, ReportEvent)>,
        holding: Vec<(ClaimPick, bool)>,
        capacity: u32,
    },
    Retire {
        runner: u8,
    },
    Sweep {
        limit: NonZeroU32,
    },
    Tick {
        scheduler: u8,
        limit: NonZeroU32,
        seed: u64,
    },
    Prune(Retention),
    Enqueue(Vec<(RunPick, u8, Request, Option<Timestamp>)>),
    StartForeground {
        runner: u8,
        run: RunPick,
        worker: u8,
        not_before: Option<Timestamp>,
    },
    Cancel {
        run: RunPick,
    },
    Release {
        run: RunPick,
        force: bool,
    },
    Put {
        worker: u8,
        stale: bool,
        plan: Box<Plan>,
        reset_runs: bool,
    },
    Enable {
        worker: u8,
        stale: bool,
    },
    Disable {
        worker: u8,
        stale: bool,
    },
    Delete {
        worker: u8,
        stale: bool,
    },
    Settings {
        worker: u8,
        stale: bool,
        settings: Request,
    },
    Publish {
        version: u32,
    },
}

/// One step: the clock, what is locked, and the command.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) leap: Leap,
    locked_runs: Vec<RunPick>,
    locked_workers: Vec<u8>,
    pub(crate) draft: Draft,
}

const WORKERS: [&str; 3] = ["backup", "backup:second", "unknown"];

fn worker(pick: u8) -> WorkerName {
    WORKERS[usize::from(pick) % WORKERS.len()].parse().unwrap()
}

fn runner(pick: u8) -> RunnerId {
    RunnerId::from_bits(u128::from(pick % 3) + 1)
}

pub(crate) fn by() -> By {
    By { actor: Actor { kind: ActorKind::Person, name: "ada".parse().unwrap() }, reason: None }
}

pub(crate) fn definition(version: u32) -> Definition {
    let name = |text: &str| text.parse::<Name>().unwrap();
    Definition {
        version,
        presets: BTreeMap::from([(name("fast"), Request::default())]),
        timeout: Timeout::After(Span::from_secs(60)),
        ..Definition::plain(name("backup"), Execution::Rust)
    }
}

fn run(ledger: &Ledger, pick: RunPick) -> RunId {
    let known = &ledger.rows().runs;
    let index = usize::from(pick) % (known.len() + 2);
    let stranger = RunId::from_bits(u128::from(pick) + 1);
    known.keys().nth(index).copied().unwrap_or(stranger)
}

fn claim(ledger: &Ledger, pick: ClaimPick) -> Claim {
    let running: Vec<RunId> = ledger.running().map(|run| run.id).collect();
    let run = match running.get(usize::from(pick.run) % (running.len() + 1)) {
        Some(run) => *run,
        None => run(ledger, pick.run),
    };
    let row = ledger.rows().runs.get(&run);
    let hold = row.and_then(|row| row.hold().or(row.end().and_then(|end| end.hold.as_ref())));
    let fence = match (pick.other_fence, hold) {
        (None, Some(hold)) => hold.fence,
        (Some(number), _) => Fence::from_number(number),
        (None, None) => Fence::FIRST,
    };
    // Nobody knows a fence before it is drawn.
    let is_drawn = fence < ledger.rows().sequences.fence;
    Claim { run, fence: if is_drawn { fence } else { Fence::from_number(u64::MAX) } }
}

fn seen(ledger: &Ledger, name: &WorkerName, stale: bool) -> Revision {
    let row = ledger.rows().workers.get(name);
    let revision = row.map_or(Revision::NONE, |row| row.revision);
    if stale { revision.next() } else { revision }
}

impl Step {
    pub(crate) fn locked(&self, ledger: &Ledger) -> Locked {
        Locked {
            runs: self.locked_runs.iter().map(|pick| run(ledger, *pick)).collect(),
            workers: self.locked_workers.iter().map(|pick| worker(*pick)).collect(),
        }
    }
}

impl Draft {
    pub(crate) fn command(&self, ledger: &Ledger) -> Command {
        match self.clone() {
            Self::Register { runner: pick, handlers, lease } => Command::Register(Registration {
                runner: runner(pick),
                name: Note::lossy("runner"),
                host: Note::lossy("host"),
                version: Note::lossy("0"),
                handlers,
                concurrency: NonZeroU32::MIN,
                heartbeat: Span::from_secs(15),
                lease,
                catalogue: vec![definition(0)],
            }),
            Self::Turn { runner: pick, number, reports, holding, capacity } => {
                let runner = runner(pick);
                let taken = ledger.rows().runners.get(&runner).map_or(0, |known| known.turn);
                let number = match number {
                    Ok(above) => taken.saturating_add(above.max(1)),
                    Err(any) => any.get(),
                };
                let reports = reports.into_iter().map(|(pick, event)| {
                    let claim = claim(ledger, pick);
                    Report { claim, event }
                });
                let holding = holding.into_iter().map(|(pick, renew)| {
                    let claim = claim(ledger, pick);
                    Holding { claim, renew }
                });
                Command::Turn(Turn {
                    runner,
                    number: NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN),
                    reports: reports.collect(),
                    holding: holding.collect(),
                    capacity,
                })
            }
            Self::Retire { runner: pick } => Command::Retire { runner: runner(pick) },
            Self::Sweep { limit } => Command::Sweep { limit },
            Self::Tick { scheduler, limit, seed } => {
                let scheduler = SchedulerId::from_bits(u128::from(scheduler % 2));
                Command::Tick(Tick { scheduler, limit, seed })
            }
            Self::Prune(retention) => Command::Prune(retention),
            Self::Enqueue(wishes) => Command::Enqueue(
                wishes
                    .into_iter()
                    .map(|(pick, name, request, not_before)| Wish {
                        run: run(ledger, pick),
                        worker: worker(name),
                        request,
                        not_before,
                        by: by(),
                    })
                    .collect(),
            ),
            Self::StartForeground { runner: pick, run: id, worker: name, not_before } => {
                let wish = Wish {
                    run: run(ledger, id),
                    worker: worker(name),
                    request: Request::default(),
                    not_before,
                    by: by(),
                };
                Command::StartForeground { runner: runner(pick), wish }
            }
            Self::Cancel { run: pick } => Command::Cancel { run: run(ledger, pick), by: by() },
            Self::Release { run: pick, force } => {
                Command::Release { run: run(ledger, pick), force, by: by() }
            }
            Self::Put { worker: name, stale, plan, reset_runs } => {
                let worker = worker(name);
                let seen = seen(ledger, &worker, stale);
                Command::PutSchedule { worker, seen, plan, reset_runs, by: by() }
            }
            Self::Enable { worker: name, stale } => {
                let worker = worker(name);
                let seen = seen(ledger, &worker, stale);
                Command::EnableSchedule { worker, seen, by: by() }
            }
            Self::Disable { worker: name, stale } => {
                let worker = worker(name);
                let seen = seen(ledger, &worker, stale);
                Command::DisableSchedule { worker, seen, by: by() }
            }
            Self::Delete { worker: name, stale } => {
                let worker = worker(name);
                let seen = seen(ledger, &worker, stale);
                Command::DeleteSchedule { worker, seen, by: by() }
            }
            Self::Settings { worker: name, stale, settings } => {
                let worker = worker(name);
                let row = ledger.rows().workers.get(&worker);
                let current = row.and_then(|row| row.settings.as_ref());
                let revision = current.map_or(Revision::NONE, |settings| settings.revision);
                let seen = if stale { revision.next() } else { revision };
                Command::PutSettings { worker, seen, settings, by: by() }
            }
            Self::Publish { version } => {
                Command::PublishCatalogue { definitions: vec![definition(version)], by: by() }
            }
        }
    }
}

/// Mostly small, sometimes the largest there is.
fn count() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0..4_u32, 1 => Just(u32::MAX)]
}

fn limit() -> impl Strategy<Value = NonZeroU32> {
    count().prop_map(|count| NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN))
}

fn span() -> impl Strategy<Value = Span> {
    prop_oneof![
        2 => Just(Span::ZERO),
        6 => (0..120_u64).prop_map(Span::from_secs),
        2 => (0..10_u64).prop_map(Span::from_days),
        1 => Just(Span::from_micros(u64::MAX)),
    ]
}

pub(crate) fn dawn() -> Timestamp {
    "2026-03-02T09:00:00Z".parse().unwrap()
}

fn instant() -> impl Strategy<Value = Timestamp> {
    prop_oneof![
        8 => (0..600_u64).prop_map(|secs| dawn().plus(Span::from_secs(secs))),
        1 => Just(Timestamp::EPOCH),
        1 => Just(Timestamp::MAX),
    ]
}

fn leap() -> impl Strategy<Value = Leap> {
    prop_oneof![
        12 => (0..90_u64).prop_map(|secs| Leap::Ahead(Span::from_secs(secs))),
        2 => (0..90_u64).prop_map(|secs| Leap::Back(Span::from_secs(secs))),
        2 => (0..10_u64).prop_map(|days| Leap::Ahead(Span::from_days(days))),
    ]
}

fn wild_leap() -> impl Strategy<Value = Leap> {
    prop_oneof![
        8 => leap(),
        1 => span().prop_map(Leap::Ahead),
        1 => instant().prop_map(Leap::To),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    prop_oneof![
        4 => Just(Request::default()),
        1 => Just(Request { preset: "fast".parse().ok(), ..Request::default() }),
        1 => Just(Request { preset: "slow".parse().ok(), ..Request::default() }),
        1 => Just(Request { engine: "gpu".parse().ok(), ..Request::default() }),
    ]
}

fn claim_pick() -> impl Strategy<Value = ClaimPick> {
    let fence = prop_oneof![
        6 => Just(None),
        2 => (0..6_u64).prop_map(Some),
        1 => Just(Some(u64::MAX)),
    ];
    (any::<u8>(), fence).prop_map(|(run, other_fence)| ClaimPick { run, other_fence })
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        Just(Outcome::Success),
        (any::<i32>(), any::<bool>()).prop_map(|(code, is_final)| {
            Outcome::Failed(Failure { cause: Cause::Exit(code), is_final })
        }),
        Just(Outcome::Interrupted(Interruption::Drain)),
        Just(Outcome::Interrupted(Interruption::Lease)),
        Just(Outcome::Cancelled(Cancellation::Requested)),
    ]
}

fn report_event() -> impl Strategy<Value = ReportEvent> {
    let units = Units { pending: u64::MAX, processed: 0 };
    prop_oneof![
        1 => Just(ReportEvent::Started { config: Config::default() }),
        1 => Just(ReportEvent::Progressed { units: Some(units), message: None }),
        1 => Just(ReportEvent::Progressed { units: None, message: None }),
        1 => Just(ReportEvent::GivenBack),
        4 => outcome().prop_map(|outcome| {
            let stdout = Tail { bytes: vec![0, 255], dropped: u64::MAX };
            let output = Output { stdout, stderr: Tail::default() };
            ReportEvent::Ended(Ending { outcome, units: None, output })
        }),
    ]
}

fn recurrence() -> impl Strategy<Value = Recurrence> {
    let cron = |text: &str| Recurrence::cron(text, Zone::utc()).unwrap();
    prop_oneof![
        4 => Just(cron("* * * * *")),
        2 => Just(cron("*/5 9 * * *")),
        1 => Just(cron("0 10 2 3 *")),
        1 => Just(cron("0 0 29 2 *")),
        2 => instant().prop_map(|at| Recurrence::once(at, Zone::utc())),
    ]
}

fn retry() -> impl Strategy<Value = RetryPolicy> {
    let backoff = prop_oneof![Just(Backoff::Exponential), Just(Backoff::Quadratic)];
    (1..=3_u8, backoff, span()).prop_map(|(attempts, backoff, base)| RetryPolicy {
        max_attempts: Attempt::new(attempts).unwrap(),
        backoff,
        base,
    })
}

fn plan() -> impl Strategy<Value = Plan> {
    let bounds = (
        proptest::option::weighted(0.1, instant()),
        proptest::option::weighted(0.2, instant()),
        proptest::option::weighted(0.3, 1..4_u32),
        proptest::option::weighted(0.3, span()),
    );
    (recurrence(), request(), bounds, proptest::option::of(retry())).prop_map(
        |(recurrence, request, (not_before, until, max_runs, max_lateness), retry)| Plan {
            recurrence,
            request,
            not_before,
            until,
            max_runs: max_runs.and_then(NonZeroU32::new),
            max_lateness,
            retry,
        },
    )
}

fn turn() -> impl Strategy<Value = Draft> {
    let any_number = prop_oneof![1..9_u64, Just(u64::MAX)];
    let number = prop_oneof![
        8 => (0..3_u64).prop_map(Ok),
        1 => any_number.prop_map(|number| Err(NonZeroU64::new(number).unwrap())),
    ];
    let reports = proptest::collection::vec((claim_pick(), report_event()), 0..4);
    let holding = proptest::collection::vec((claim_pick(), any::<bool>()), 0..3);
    (any::<u8>(), number, reports, holding, count()).prop_map(
        |(runner, number, reports, holding, capacity)| Draft::Turn {
            runner,
            number,
            reports,
            holding,
            capacity,
        },
    )
}

fn enqueue() -> impl Strategy<Value = Draft> {
    let later = proptest::option::weighted(0.2, instant());
    let wish = (any::<u8>(), any::<u8>(), request(), later);
    proptest::collection::vec(wish, 0..4).prop_map(Draft::Enqueue)
}

fn draft(lease: impl Strategy<Value = Span> + 'static) -> impl Strategy<Value = Draft> {
    let handlers = prop_oneof![
        4 => Just(Handlers::All),
        1 => Just(Handlers::Only(BTreeSet::new())),
    ];
    let register = (any::<u8>(), handlers, lease)
        .prop_map(|(runner, handlers, lease)| Draft::Register { runner, handlers, lease });
    let retention = (span(), count(), limit())
        .prop_map(|(keep, keep_per_worker, limit)| Retention { keep, keep_per_worker, limit });
    let foreground = (any::<u8>(), any::<u8>(), any::<u8>(), proptest::option::of(instant()))
        .prop_map(|(runner, run, worker, not_before)| Draft::StartForeground {
            runner,
            run,
            worker,
            not_before,
        });
    let put = (any::<u8>(), proptest::bool::weighted(0.1), plan(), any::<bool>()).prop_map(
        |(worker, stale, plan, reset_runs)| Draft::Put {
            worker,
            stale,
            plan: Box::new(plan),
            reset_runs,
        },
    );
    let seen = (any::<u8>(), proptest::bool::weighted(0.1));
    prop_oneof![
        3 => register,
        12 => turn(),
        1 => any::<u8>().prop_map(|runner| Draft::Retire { runner }),
        3 => limit().prop_map(|limit| Draft::Sweep { limit }),
        8 => (any::<u8>(), limit(), any::<u64>())
            .prop_map(|(scheduler, limit, seed)| Draft::Tick { scheduler, limit, seed }),
        1 => retention.prop_map(Draft::Prune),
        4 => enqueue(),
        2 => foreground,
        2 => any::<u8>().prop_map(|run| Draft::Cancel { run }),
        1 => (any::<u8>(), any::<bool>())
            .prop_map(|(run, force)| Draft::Release { run, force }),
        5 => put,
        1 => seen.prop_map(|(worker, stale)| Draft::Enable { worker, stale }),
        1 => seen.prop_map(|(worker, stale)| Draft::Disable { worker, stale }),
        1 => seen.prop_map(|(worker, stale)| Draft::Delete { worker, stale }),
        1 => (seen, request()).prop_map(|((worker, stale), settings)| Draft::Settings {
            worker,
            stale,
            settings,
        }),
        1 => count().prop_map(|version| Draft::Publish { version }),
    ]
}

/// What anybody may send, in any order, on a clock that jumps.
pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    steps_of(leap(), Just(Span::from_secs(60)))
}

/// The same on a clock that jumps to the ends of time, with leases of no or of endless length.
pub(crate) fn wild_steps() -> impl Strategy<Value = Vec<Step>> {
    steps_of(wild_leap(), prop_oneof![4 => Just(Span::from_secs(60)), 1 => span()])
}

fn steps_of(
    leap: impl Strategy<Value = Leap>,
    lease: impl Strategy<Value = Span> + 'static,
) -> impl Strategy<Value = Vec<Step>> {
    let locked_runs = prop_oneof![
        6 => Just(Vec::new()),
        1 => proptest::collection::vec(any::<u8>(), 1..3),
    ];
    let locked_workers = prop_oneof![
        6 => Just(Vec::new()),
        1 => proptest::collection::vec(any::<u8>(), 1..3),
    ];
    let step = (leap, locked_runs, locked_workers, draft(lease)).prop_map(
        |(leap, locked_runs, locked_workers, draft)| Step {
            leap,
            locked_runs,
            locked_workers,
            draft,
        },
    );
    proptest::collection::vec(step, 1..60)
}
