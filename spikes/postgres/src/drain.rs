//! Draining a queue of no-op runs with so many slots: the limit's fused statement beside the turn.

use std::collections::BTreeMap;
use std::time::Instant;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_postgres::{Client, Error};
use uuid::Uuid;

use crate::ledger::{Answer, Claim, Item, Ledger, Turn, Turned, What};

/// One statement after the other, each its own transaction: VACUUM wants none around it.
pub async fn script(client: &Client, text: &str) -> Result<(), Error> {
    for statement in text.split(';') {
        client.batch_execute(statement).await?;
    }
    Ok(())
}

pub async fn fill_limit(client: &Client, runs: i64) -> Result<(), Error> {
    script(client, &format!(
            "TRUNCATE limit_run; INSERT INTO limit_run (worker_name) SELECT 'w:' || g FROM generate_series(1, {runs}) g;
             VACUUM ANALYZE limit_run; CHECKPOINT"
        ))
    .await
}

/// So many queued runs of so many workers, as an enqueue leaves them.
pub async fn fill(client: &Client, runs: i64) -> Result<(), Error> {
    script(
        client,
        &format!(
            "TRUNCATE run_live, worker; DELETE FROM run_done WHERE handler = 'w';
             INSERT INTO worker SELECT 'w:' || g, 0, 0, 0 FROM generate_series(1, {runs}) g;
             INSERT INTO run_live (id, number, enqueued_at, not_before, worker, handler, trigger,
                 request, config, catalogue, timeout, retry, requested_by, status)
             SELECT (lpad(to_hex(clock_now() / 1000), 12, '0') || lpad(to_hex(g), 20, '0'))::uuid,
                 nextval('run_number'), clock_now(), clock_now(), 'w:' || g, 'w', 'MANUAL',
                 '{{}}', '{{}}', 'x', NULL, '{{}}', '{{}}', 'QUEUED'
             FROM generate_series(1, {runs}) g;
             VACUUM ANALYZE run_live; VACUUM ANALYZE worker; VACUUM run_done; CHECKPOINT"
        ),
    )
    .await
}

/// Runs a second, and WAL bytes a run.
pub struct Pace {
    pub per_second: f64,
    pub wal: f64,
}

async fn wal(client: &Client) -> Result<f64, Error> {
    let text = "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8";
    Ok(client.query_one(text, &[]).await?.get(0))
}

/// The no-op job: a task of its own that says that it has ended.
fn job<T: Send + 'static>(done: &UnboundedSender<T>, claim: T) {
    let done = done.clone();
    tokio::spawn(async move { drop(done.send(claim)) });
}

pub async fn limit(client: &Client, runs: i64, slots: i64) -> Result<Pace, Error> {
    fill_limit(client, runs).await?;
    let fused = client
        .prepare(
            "WITH f AS (UPDATE limit_run x SET status = 'SUCCEEDED', finished_at = now(),
                 lease_until = NULL, lease_token = NULL
                 WHERE x.id = ANY ($3::bigint[]) AND x.lease_token = ANY ($4::bigint[]) RETURNING 1)
             UPDATE limit_run r SET status = 'RUNNING', claimed_at = now(),
                 lease_until = now() + interval '60 s', runner_id = $2,
                 lease_token = nextval('limit_fence')
             WHERE r.id = ANY (ARRAY(SELECT id FROM limit_run WHERE status = 'QUEUED'
                 AND not_before <= now() ORDER BY queued_at, id LIMIT $1 FOR UPDATE SKIP LOCKED))
             RETURNING r.id, r.lease_token, (SELECT count(*) FROM f)",
        )
        .await?;
    let (before, start) = (wal(client).await?, Instant::now());
    let (done, mut ended) = unbounded_channel();
    let (mut ids, mut tokens, mut free, mut left) = (vec![], vec![], slots, runs);
    while left > 0 {
        let rows = client.query(&fused, &[&free, &"r1", &ids, &tokens]).await?;
        left -= ids.len() as i64;
        free -= rows.len() as i64;
        ids.clear();
        tokens.clear();
        for row in rows {
            job(&done, (row.get::<_, i64>(0), row.get::<_, i64>(1)));
        }
        if left > 0 {
            let mut batch = vec![];
            free += ended.recv_many(&mut batch, 5_000).await as i64;
            (ids, tokens) = batch.into_iter().unzip();
        }
    }
    pace(client, runs, start, before).await
}

/// A runner that follows the protocol: names what it holds, reports start and end, asks for what
/// is free.
pub async fn turns(client: &Client, ledger: &Ledger, runs: i64, slots: i64) -> Result<Pace, Error> {
    fill(client, runs).await?;
    let runner = Uuid::from_u128(u128::from(rand()));
    ledger.register(runner, 60_000_000, None).await?;
    let (before, start) = (wal(client).await?, Instant::now());
    let (done, mut ended) = unbounded_channel::<Claim>();
    let mut jobs: BTreeMap<Claim, Item> = BTreeMap::new();
    let (mut number, mut left) = (0, runs);
    while left > 0 {
        number += 1;
        let items: Vec<Item> = jobs.values().cloned().collect();
        let turn = Turn { runner, number, capacity: slots, items };
        let Turned::Taken { answers, grants } = ledger.turn(&turn).await? else {
            continue;
        };
        for (item, answer) in turn.items.iter().zip(answers) {
            if item.what == What::End && answer == Answer::Done {
                jobs.remove(&item.claim);
                left -= 1;
            }
        }
        for claim in grants {
            jobs.insert(claim, Item::plain(claim, What::Hold));
            job(&done, claim);
        }
        if left > 0 {
            let mut batch = vec![];
            ended.recv_many(&mut batch, 5_000).await;
            for claim in batch {
                let item = Item {
                    what: What::End,
                    started: Some("{}".to_owned()),
                    status: Some("SUCCESS"),
                    outcome: Some("\"success\"".to_owned()),
                    ..Item::plain(claim, What::End)
                };
                jobs.insert(claim, item);
            }
        }
    }
    pace(client, runs, start, before).await
}

async fn pace(client: &Client, runs: i64, start: Instant, before: f64) -> Result<Pace, Error> {
    let seconds = start.elapsed().as_secs_f64();
    let bytes = wal(client).await? - before;
    Ok(Pace { per_second: runs as f64 / seconds, wal: bytes / runs as f64 })
}

/// A number that no earlier call gave.
fn rand() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1_000);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
