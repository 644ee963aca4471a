//! How a world is drawn: its sizes, its timings and its own subset of the faults.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use horarium_core::catalogue::{Definition, Execution, Timeout};
use horarium_core::ledger::command::Retention;
use horarium_core::words::{
    Attempt, Backoff, LeaseTiming, Name, Request, RetryPolicy, Span, WorkerName,
};

use crate::calendar;
use crate::draw::Draw;

use super::{Faults, JobKinds, Kind, Profile, SchedulerTiming, Seat, Wishes};

impl Profile {
    pub(super) fn drawn(draw: &mut Draw) -> Self {
        let (place, base) = calendar::place(draw);
        let tiny = draw.chance(400);
        let handlers = handlers(draw);
        let workers = workers(draw, &handlers);
        let clock_step = draw.pick([Span::ZERO, Span::from_millis(100), Span::from_secs(1)]);
        let definitions: BTreeMap<Name, Definition> = handlers
            .iter()
            .map(|handler| (handler.clone(), definition(draw, handler.clone())))
            .collect();
        let count = draw.between(1, 3);
        let mut seats: Vec<Seat> =
            (0..count).map(|_| seat(draw, &definitions, clock_step, tiny)).collect();
        if let Some(first) = seats.first_mut() {
            first.definitions.clone_from(&definitions);
        }
        let timing = SchedulerTiming {
            poll: draw.span(Span::from_secs(1), Span::from_secs(10)),
            lock_retry: draw.span(Span::from_secs(1), Span::from_secs(5)),
            probe: draw.span(Span::from_secs(1), Span::from_secs(5)),
            statement_timeout: draw.span(Span::from_secs(1), Span::from_secs(5)),
            batch: at_least_one(if tiny { 1 } else { draw.between(1, 100) }),
        };
        let lease = seats.iter().map(|seat| seat.lease.timing().lease).max().unwrap_or_default();
        // A way there and back takes less than the most impatient waits.
        let patience = seats.iter().map(|seat| seat.lease.timing().statement_timeout).min();
        let longest_way = patience.unwrap_or_default().min(timing.statement_timeout).scaled(2, 5);
        Self {
            kind: Kind::Ordinary,
            base,
            zone: place.zone.to_owned(),
            chaos: draw.span(
                lease.times(3).max(Span::from_minutes(4)),
                lease.times(12).max(Span::from_minutes(12)),
            ),
            workers,
            definitions,
            seats,
            schedulers: draw.between(1, 3),
            scheduler: timing,
            retention: draw.chance(200).then(|| Retention {
                keep: Span::from_days(7),
                keep_per_worker: u32::try_from(draw.below(20)).unwrap_or(0),
                limit: timing.batch,
            }),
            clock_step,
            wild_clock: Span::ZERO,
            operator_gap: draw.span(Span::from_secs(1), Span::from_secs(60)),
            has_vulture: draw.chance(500),
            is_scheduled: draw.chance(500),
            is_out_of_step: false,
            zone_news: None,
            wishes: wishes(draw),
            latency: draw
                .pick([
                    Span::from_millis(2),
                    Span::from_millis(20),
                    Span::from_millis(200),
                    Span::from_millis(700),
                ])
                .min(longest_way),
            jobs: job_kinds(draw, lease),
            faults: if draw.chance(50) { Faults::default() } else { faults(draw) },
        }
    }

    /// The same world with much that comes due and is owed at once, while nobody ticks, and then
    /// one row a tick.
    pub(super) fn piled_up(mut self) -> Self {
        self.is_scheduled = true;
        self.is_out_of_step = true;
        self.scheduler.batch = NonZeroU32::MIN;
        self.jobs = JobKinds {
            failing: 900,
            hopeless: 0,
            hanging: 0,
            // Most runs fail after the schedulers have gone, and all before the next is due.
            longest: Span::from_secs(40),
            ..self.jobs
        };
        self.faults.schedulers_away = Some(Span::from_secs(20));
        let of_seats = self.seats.iter_mut().flat_map(|seat| seat.definitions.values_mut());
        for definition in self.definitions.values_mut().chain(of_seats) {
            definition.retry = RetryPolicy {
                max_attempts: Attempt::LAST,
                backoff: Backoff::Quadratic,
                base: Span::from_secs(5),
            };
        }
        let few = self.workers.len()..3;
        if let Some(handler) = self.definitions.keys().next() {
            let more = few.filter_map(|one| format!("{handler}:more{one}").parse().ok());
            self.workers.extend(more);
        }
        self.workers.sort();
        for seat in &mut self.seats {
            seat.concurrency = at_least_one(5);
        }
        self
    }

    /// The same world with many workers, all due in the same instants, and runners that die all
    /// at once: leases expire in herds.
    pub(super) fn crowded(mut self, draw: &mut Draw) -> Self {
        self.is_scheduled = true;
        let handlers: Vec<Name> = self.definitions.keys().cloned().collect();
        let crowd = (0..draw.between(20, 60)).filter_map(|instance| {
            let handler = draw.pick_of(&handlers)?;
            format!("{handler}:crowd{instance}").parse::<WorkerName>().ok()
        });
        self.workers.extend(crowd);
        self.chaos = self.chaos.min(Span::from_minutes(8));
        self.jobs.longest = self.jobs.longest.min(Span::from_secs(40));
        self.scheduler.batch = at_least_one(draw.between(5, 20));
        self.faults.all_runners_crash = Some(Span::from_secs(60));
        for seat in &mut self.seats {
            seat.concurrency = at_least_one(draw.between(10, 30));
        }
        self
    }

    /// The same world beyond a bound of the design.
    pub(super) fn beyond_bounds(mut self, kind: Kind, draw: &mut Draw) -> Self {
        self.kind = kind;
        let soon = draw.span(Span::from_secs(20), Span::from_secs(90));
        match kind {
            Kind::Ordinary => {}
            Kind::WildClock => {
                self.wild_clock = draw.span(Span::from_secs(10), Span::from_minutes(10));
                self.faults.clock_step = Some(soon);
            }
            Kind::BothFrozen => self.faults.both_freeze = Some(soon),
            Kind::ShortRetention => {
                self.retention = Some(Retention {
                    keep: Span::from_minutes(1),
                    keep_per_worker: 0,
                    limit: self.scheduler.batch,
                });
            }
            Kind::Restored => self.faults.restore = Some(soon.times(2)),
        }
        self
    }
}

fn handlers(draw: &mut Draw) -> Vec<Name> {
    ["backup", "ocr", "report"]
        .iter()
        .take(draw.index(3) + 1)
        .filter_map(|name| name.parse().ok())
        .collect()
}

fn workers(draw: &mut Draw, handlers: &[Name]) -> Vec<WorkerName> {
    let mut workers: Vec<WorkerName> = handlers.iter().cloned().map(WorkerName::from).collect();
    for instance in 0..draw.below(4) {
        let handler = draw.pick_of(handlers).map_or("", Name::as_str);
        workers.extend(format!("{handler}:i{instance}").parse::<WorkerName>());
    }
    workers
}

fn definition(draw: &mut Draw, handler: Name) -> Definition {
    let timeout = if draw.chance(150) {
        Timeout::None
    } else {
        Timeout::After(draw.span(Span::from_secs(5), Span::from_secs(90)))
    };
    let mut definition = Definition {
        version: 2,
        timeout,
        stop_grace: draw.span(Span::ZERO, Span::from_secs(10)),
        retry: retry(draw),
        ..Definition::plain(
            handler,
            Execution::Command { argv: vec![String::from("true")], directory: None },
        )
    };
    if let Ok(fast) = "fast".parse::<Name>() {
        definition.presets.insert(fast, Request::default());
    }
    definition
}

/// A retry policy with short delays, so that a world sees chains end.
pub fn retry(draw: &mut Draw) -> RetryPolicy {
    RetryPolicy {
        max_attempts: Attempt::new(draw.pick([1, 2, 3, 3])).unwrap_or(Attempt::FIRST),
        backoff: draw.pick([Backoff::Exponential, Backoff::Quadratic]),
        base: draw.span(Span::ZERO, Span::from_secs(30)),
    }
}

fn seat(
    draw: &mut Draw,
    definitions: &BTreeMap<Name, Definition>,
    clock_step: Span,
    tiny: bool,
) -> Seat {
    let timing = LeaseTiming {
        heartbeat: if tiny {
            Span::from_secs(1)
        } else {
            draw.span(Span::from_secs(2), Span::from_secs(15))
        },
        lease: Span::ZERO,
        statement_timeout: draw.span(Span::from_millis(500), Span::from_secs(5)),
        kill_grace: draw.span(Span::ZERO, Span::from_secs(3)),
        clock_step,
    };
    // The shortest lease that the check takes, or a longer one.
    let bare = timing.heartbeat.times(3).plus(timing.statement_timeout).plus(timing.kill_grace);
    let needed = bare.plus(clock_step.times(2)).scaled(1_000, 990).plus(Span::from_micros(1));
    let lease = needed.scaled(draw.pick([1_000, 1_000, 1_300, 2_000]), 1_000);
    let lease = LeaseTiming { lease, ..timing }.checked().unwrap_or_default();
    let mut served = definitions.clone();
    if draw.chance(300) {
        for definition in served.values_mut() {
            definition.version = 1;
            definition.presets.clear();
        }
    }
    if draw.chance(200)
        && let Some(handler) = served.keys().next().cloned()
    {
        served.remove(&handler);
    }
    Seat {
        concurrency: at_least_one(draw.pick([1, 1, 2, 5])),
        definitions: served,
        lease,
        poll: draw.span(Span::from_millis(500), Span::from_secs(5)),
        drain_grace: draw.span(Span::ZERO, Span::from_secs(20)),
        clock_rate: match draw.below(4) {
            0 => 991_000,
            1 => 1_009_000,
            _ => draw.between(991_000, 1_009_000),
        },
    }
}

fn wishes(draw: &mut Draw) -> Wishes {
    let mut often = |most: u64| if draw.chance(600) { draw.between(1, most) } else { 0 };
    Wishes {
        enqueue: often(20),
        cancel: often(20),
        release: often(2),
        foreground: often(10),
        interrupt: often(5),
        enable: often(10),
        disable: often(5),
        delete: often(5),
        settings: often(5),
        put: 5 + often(10),
        used_ids: 20,
    }
}

fn job_kinds(draw: &mut Draw, lease: Span) -> JobKinds {
    let mut some = |most: u64| if draw.chance(500) { draw.between(1, most) } else { 0 };
    JobKinds {
        failing: some(900),
        hopeless: some(300),
        hanging: some(300),
        deaf: some(900),
        unstartable: some(100),
        leaving: some(100),
        talking: some(1_000),
        longest: lease.scaled(draw.between(50, 2_000), 1_000),
    }
}

fn faults(draw: &mut Draw) -> Faults {
    let mut rarely = |most: u64| {
        let most = draw.pick([most / 10, most]);
        if draw.chance(400) { draw.between(1, most) } else { 0 }
    };
    let messages = Faults {
        request_lost: rarely(200),
        answer_lost: rarely(200),
        request_late: rarely(100),
        answer_late: rarely(100),
        request_twice: rarely(50),
        answer_twice: rarely(100),
        rows_locked: rarely(300),
        crash_amid: rarely(20),
        crash_again: rarely(500),
        shutdown_amid: rarely(20),
        ..Faults::default()
    };
    let mut every = |permille: u64, most: u64| {
        draw.chance(permille).then(|| draw.span(Span::from_secs(5), Span::from_secs(most)))
    };
    Faults {
        runner_crash: every(400, 120),
        scheduler_crash: every(300, 120),
        runner_freeze: every(400, 120),
        guard_freeze: every(300, 120),
        guard_death: every(200, 300),
        scheduler_freeze: every(300, 120),
        cut_off: every(400, 120),
        lock_loss: every(300, 60),
        clock_step: every(400, 30),
        shutdown: every(400, 120),
        schedulers_away: every(250, 200),
        all_away: every(70, 300),
        store_refuses: every(150, 200),
        store_slow: every(150, 200),
        store_read_only: every(100, 200),
        store_restart: every(250, 120),
        row_held: every(250, 60),
        all_runners_crash: every(150, 200),
        ..messages
    }
}

fn at_least_one(number: u64) -> NonZeroU32 {
    u32::try_from(number).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN)
}
