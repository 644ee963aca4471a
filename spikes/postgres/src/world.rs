//! What the actors of the race share: where the database is, when to stop, what was seen.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use tokio_postgres::Error;
use uuid::Uuid;

use crate::ledger::{Claim, Ledger, Wish, connect};
use crate::sql::{self, Texts};

pub const WORKERS: u64 = 90;
pub const CAPACITY: i64 = 3;
/// Microseconds.
pub const LEASE: i64 = 400_000;
/// Microseconds; every third worker has a schedule.
const PERIOD: i64 = 60_000;

pub struct World {
    pub url: String,
    pub texts: Texts,
    until: Instant,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    faults: BTreeMap<String, u64>,
    counts: BTreeMap<&'static str, u64>,
    wishes: Vec<Wish>,
    runs: Vec<Uuid>,
    finished: Vec<(Claim, Uuid)>,
}

impl World {
    pub async fn create(url: &str, texts: Texts, time: Duration) -> Result<Self, Error> {
        fresh_schema(url).await?;
        let client = connect(url, "setup").await?;
        client.batch_execute(sql::AUDIT).await?;
        client
            .batch_execute(&format!(
                "INSERT INTO worker (name, filled_at, accounted_until, revision, next_at, runs_created, plan)
                 SELECT 'w:' || g, 0, 0, 0, clock_now() + {PERIOD}, 0, '{PERIOD}'
                 FROM generate_series(0, {WORKERS} - 1, 3) g"
            ))
            .await?;
        let until = Instant::now() + time;
        Ok(Self { url: url.to_owned(), texts, until, seen: Mutex::default() })
    }

    pub fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }

    pub async fn ledger(&self, application: &str) -> Result<Ledger, Error> {
        Ledger::connect(&self.url, application, &self.texts).await
    }

    pub fn fault(&self, what: impl Into<String>) {
        *self.seen().faults.entry(what.into()).or_default() += 1;
    }

    pub fn count(&self, what: &'static str, times: u64) {
        *self.seen().counts.entry(what).or_default() += times;
    }

    /// The answer, or the fault that an error is: none is expected.
    pub fn heard<T>(&self, by: &str, answer: Result<T, Error>) -> Option<T> {
        answer
            .map_err(|error| {
                let code = error.code().map_or("?", |code| code.code()).to_owned();
                let text = error
                    .as_db_error()
                    .map_or_else(|| error.to_string(), |e| e.message().to_owned());
                self.fault(format!("{by} failed: {code} {text}"));
            })
            .ok()
    }

    pub fn wished(&self, wish: &Wish) {
        self.seen().wishes.push(wish.clone());
    }

    pub fn old_wish(&self, rng: &mut ChaCha8Rng) -> Option<Wish> {
        let seen = self.seen();
        let recent = seen.wishes.len().min(200);
        (recent > 0).then(|| {
            seen.wishes[seen.wishes.len() - 1 - below(rng, recent as u64) as usize].clone()
        })
    }

    pub fn granted(&self, runs: &[Claim]) {
        self.seen().runs.extend(runs.iter().map(|claim| claim.0));
    }

    pub fn some_run(&self, rng: &mut ChaCha8Rng) -> Option<Uuid> {
        let seen = self.seen();
        let recent = seen.runs.len().min(50);
        (recent > 0).then(|| seen.runs[seen.runs.len() - 1 - below(rng, recent as u64) as usize])
    }

    pub fn finished(&self, claim: Claim, by: Uuid) {
        self.seen().finished.push((claim, by));
    }

    /// The invariants by SQL; what is broken becomes a fault.
    pub async fn check(&self, client: &tokio_postgres::Client) {
        let rows = client.query(sql::CHECK, &[&CAPACITY]).await;
        for row in self.heard("the check", rows).unwrap_or_default() {
            if row.get::<_, i64>(1) > 0 {
                self.fault(row.get::<_, String>(0));
            }
        }
    }

    /// What clients were told, against what the ledger holds.
    pub async fn check_answers(&self, client: &tokio_postgres::Client) {
        let (finished, wishes) = {
            let seen = self.seen();
            (seen.finished.clone(), seen.wishes.iter().map(|wish| wish.run).collect::<Vec<_>>())
        };
        let runs: Vec<Uuid> = finished.iter().map(|(claim, _)| claim.0).collect();
        let fences: Vec<i64> = finished.iter().map(|(claim, _)| claim.1).collect();
        let by: Vec<Uuid> = finished.iter().map(|(_, by)| *by).collect();
        let text = "SELECT count(*) FROM unnest($1::uuid[], $2::bigint[], $3::uuid[]) AS f (run, fence, by)
            WHERE NOT EXISTS (SELECT FROM run_done d WHERE d.id = f.run AND d.fence = f.fence
                AND d.runner = f.by AND d.word = 'RUNNER')";
        let rows = client.query_one(text, &[&runs, &fences, &by]).await;
        if self.heard("the check", rows).is_some_and(|row| row.get::<_, i64>(0) > 0) {
            self.fault("an end was answered done and is not the holder's");
        }
        let text = "SELECT count(*) FROM unnest($1::uuid[]) AS w (run)
            WHERE NOT EXISTS (SELECT FROM run r WHERE r.id = w.run)";
        let rows = client.query_one(text, &[&wishes]).await;
        if self.heard("the check", rows).is_some_and(|row| row.get::<_, i64>(0) > 0) {
            self.fault("nothing-lost: accepted, but in neither table");
        }
    }

    pub fn faults(&self) -> BTreeMap<String, u64> {
        self.seen().faults.clone()
    }

    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.seen().counts.clone()
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().expect("no actor panics while it notes what it saw")
    }
}

pub async fn fresh_schema(url: &str) -> Result<(), Error> {
    let client = connect(url, "setup").await?;
    client
        .batch_execute(
            "SET client_min_messages = warning; DROP SCHEMA public CASCADE; CREATE SCHEMA public",
        )
        .await?;
    client.batch_execute(sql::SCHEMA).await
}

pub fn rng(seed: u64, actor: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(actor);
    rng
}

pub fn below(rng: &mut ChaCha8Rng, end: u64) -> u64 {
    rng.next_u64() % end
}

pub fn chance(rng: &mut ChaCha8Rng, percent: u64) -> bool {
    below(rng, 100) < percent
}

pub fn new_id(rng: &mut ChaCha8Rng) -> Uuid {
    Uuid::from_u64_pair(rng.next_u64(), rng.next_u64())
}
