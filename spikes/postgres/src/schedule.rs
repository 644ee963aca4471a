//! The scheduler's decisions, in small: a schedule is a period, as the core's is a recurrence.
//! What is decided per worker is collected into the arrays of the tick's third statement.

use std::hash::{DefaultHasher, Hash, Hasher};

use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

pub struct Verdict {
    now: i64,
    worker: String,
    kind: Kind,
}

enum Kind {
    Retry { run: Run },
    Occur { scheduled_for: i64, fate: &'static str, run: Option<Run>, next_at: i64, created: i64 },
}

struct Run {
    id: Uuid,
    handler: String,
    scheduled_for: i64,
    attempt: i16,
    next_attempt: Option<i16>,
    retry_of: Option<Uuid>,
    not_before: i64,
    start_before: Option<i64>,
}

/// Retries wait this long.
const DELAY: i64 = 20_000;
const MAX_ATTEMPTS: i16 = 3;

/// The run that stands for an occurrence and an attempt.
pub fn run_of(worker: &str, scheduled_for: i64, attempt: i16) -> Uuid {
    let mut hash = DefaultHasher::new();
    (worker, scheduled_for, attempt).hash(&mut hash);
    let high = u64::try_from(scheduled_for / 1_000).unwrap_or(0) << 16 | hash.finish() & 0xffff;
    0_u8.hash(&mut hash);
    Uuid::from_u64_pair(high, hash.finish())
}

fn after(attempt: i16) -> Option<i16> {
    Some(attempt + 1).filter(|next| *next <= MAX_ATTEMPTS)
}

/// What becomes of a locked worker: its owed retry first, then its due schedule.
pub fn decide(row: &Row) -> Vec<Verdict> {
    let worker: String = row.get("name");
    let now: i64 = row.get("now");
    let handler = worker.split(':').next().unwrap_or_default().to_owned();
    let mut taken = row.get::<_, Option<Uuid>>("slot_run").is_some();
    let owed: Option<(i64, Uuid, i16)> = row
        .get::<_, Option<i64>>("owed_for")
        .map(|at| (at, row.get("owed_run"), row.get("owed_attempt")));
    let mut verdicts = Vec::new();
    if let (Some((scheduled_for, failed, attempt)), false) = (owed, taken) {
        let attempt = attempt + 1;
        let run = Run {
            id: run_of(&worker, scheduled_for, attempt),
            handler: handler.clone(),
            scheduled_for,
            attempt,
            next_attempt: after(attempt),
            retry_of: Some(failed),
            not_before: now + DELAY,
            start_before: None,
        };
        verdicts.push(Verdict { now, worker: worker.clone(), kind: Kind::Retry { run } });
        taken = true;
    }
    let plan: Option<i64> = row.get::<_, Option<String>>("plan").and_then(|plan| plan.parse().ok());
    let due = row.get::<_, Option<i64>>("next_at").filter(|at| *at <= now);
    if let (Some(period), Some(scheduled_for)) = (plan, due) {
        let next_at = scheduled_for + period * ((now - scheduled_for) / period + 1);
        let fate = match (taken || owed.is_some(), scheduled_for + period <= now) {
            (true, _) => "SKIPPED",
            (false, true) => "CAUGHT_UP",
            (false, false) => "ENQUEUED",
        };
        let run = (fate != "SKIPPED").then(|| Run {
            id: run_of(&worker, scheduled_for, 1),
            handler,
            scheduled_for,
            attempt: 1,
            next_attempt: after(1),
            retry_of: None,
            not_before: now,
            start_before: (run_of(&worker, scheduled_for, 1).as_u128().is_multiple_of(3))
                .then_some(now + DELAY / 10),
        });
        let created =
            row.get::<_, Option<i64>>("runs_created").unwrap_or(0) + i64::from(run.is_some());
        let kind = Kind::Occur { scheduled_for, fate, run, next_at, created };
        verdicts.push(Verdict { now, worker, kind });
    }
    verdicts
}

/// The arrays of the tick's third statement.
#[derive(Default)]
pub struct Plan {
    occurrences: Occurrences,
    retries: (Vec<String>, Vec<i64>, Vec<i16>, Vec<Uuid>),
    runs: Runs,
    advances: (Vec<String>, Vec<Option<i64>>, Vec<i64>, Vec<i64>),
    now: i64,
}

/// Workers, scheduled for, accounts from, fates, why skipped, first runs.
type Occurrences =
    (Vec<String>, Vec<i64>, Vec<i64>, Vec<&'static str>, Vec<Option<String>>, Vec<Option<Uuid>>);

#[derive(Default)]
struct Runs {
    ids: Vec<Uuid>,
    workers: Vec<String>,
    handlers: Vec<String>,
    scheduled_for: Vec<i64>,
    attempts: Vec<i16>,
    next_attempts: Vec<Option<i16>>,
    retry_of: Vec<Option<Uuid>>,
    not_before: Vec<i64>,
    start_before: Vec<Option<i64>>,
    empty: Vec<&'static str>,
    none: Vec<Option<i64>>,
}

impl Runs {
    fn push(&mut self, worker: &str, run: &Run) {
        self.ids.push(run.id);
        self.workers.push(worker.to_owned());
        self.handlers.push(run.handler.clone());
        self.scheduled_for.push(run.scheduled_for);
        self.attempts.push(run.attempt);
        self.next_attempts.push(run.next_attempt);
        self.retry_of.push(run.retry_of);
        self.not_before.push(run.not_before);
        self.start_before.push(run.start_before);
        self.empty.push("{}");
        self.none.push(None);
    }
}

impl Plan {
    pub fn of(verdicts: &[Verdict]) -> Self {
        let mut plan = Self::default();
        for Verdict { now, worker, kind } in verdicts {
            plan.now = *now;
            match kind {
                Kind::Retry { run } => {
                    plan.retries.0.push(worker.clone());
                    plan.retries.1.push(run.scheduled_for);
                    plan.retries.2.push(run.attempt);
                    plan.retries.3.push(run.id);
                    plan.runs.push(worker, run);
                }
                Kind::Occur { scheduled_for, fate, run, next_at, created } => {
                    let skipped = (*fate == "SKIPPED").then(|| "\"slot taken\"".to_owned());
                    plan.occurrences.0.push(worker.clone());
                    plan.occurrences.1.push(*scheduled_for);
                    plan.occurrences.2.push(*scheduled_for);
                    plan.occurrences.3.push(fate);
                    plan.occurrences.4.push(skipped);
                    plan.occurrences.5.push(run.as_ref().map(|run| run.id));
                    if let Some(run) = run {
                        plan.runs.push(worker, run);
                    }
                    plan.advances.0.push(worker.clone());
                    plan.advances.1.push(Some(*next_at));
                    plan.advances.2.push(*now);
                    plan.advances.3.push(*created);
                }
            }
        }
        plan
    }

    pub fn parameters(&self) -> [&(dyn ToSql + Sync); 30] {
        let Self { occurrences: o, retries: r, runs, advances: a, now } = self;
        [
            &o.0,
            &o.1,
            &o.2,
            &o.3,
            &o.4,
            &o.5,
            &r.0,
            &r.1,
            &r.2,
            &r.3,
            &runs.ids,
            &runs.workers,
            &runs.handlers,
            &runs.scheduled_for,
            &runs.attempts,
            &runs.next_attempts,
            &runs.retry_of,
            &runs.not_before,
            &runs.start_before,
            &runs.empty,
            &runs.empty,
            &runs.empty,
            &runs.none,
            &runs.empty,
            &runs.empty,
            &a.0,
            &a.1,
            &a.2,
            &a.3,
            now,
        ]
    }
}
