//! Timings of the turn: its pace, an empty one, heartbeats, and what its plans depend on.

use std::time::Instant;

use tokio_postgres::Error;
use uuid::Uuid;

use super::{Bench, ROUNDS, Rounds, median, millis};
use crate::drain::{self, Pace};
use crate::ledger::{Item, Ledger, Turn, Turned, What};
use crate::sql::Texts;

impl Bench {
    pub(super) async fn throughput(&self) -> Result<(), Error> {
        for (slots, runs) in [(10, 5_000), (500, 20_000)] {
            let (mut pace, mut wal) = (Rounds::default(), Rounds::default());
            for _ in 0..ROUNDS {
                let limit = drain::limit(&self.client, runs, slots).await?;
                let ours = drain::turns(&self.client, &self.ledger, runs, slots).await?;
                pace.note(ours.per_second, limit.per_second);
                wal.note(ours.wal, limit.wal);
            }
            pace.tell(&format!("turn, {slots} slots, against fused"), "runs/s");
            wal.tell("  its WAL, claim and finish", "bytes/run");
        }
        Ok(())
    }

    /// A turn that finds nothing still takes its number: it commits.
    pub(super) async fn empty_claim(&self) -> Result<(), Error> {
        drain::fill(&self.client, 0).await?;
        drain::fill_limit(&self.client, 0).await?;
        let runner = Uuid::from_u128(7);
        self.ledger.register(runner, 60_000_000, None).await?;
        let poll = "UPDATE limit_run r SET status = 'RUNNING', lease_token = nextval('limit_fence')
            WHERE r.id = ANY (ARRAY(SELECT id FROM limit_run WHERE status = 'QUEUED' AND not_before <= now()
                ORDER BY queued_at, id LIMIT 10 FOR UPDATE SKIP LOCKED)) RETURNING r.id";
        let poll = self.client.prepare(poll).await?;
        let (mut on, mut off) = (Rounds::default(), Rounds::default());
        let mut number = 0;
        for (rounds, setting) in [(&mut on, "on"), (&mut off, "off")] {
            let text = format!("SET synchronous_commit = {setting}");
            self.ledger.client.batch_execute(&text).await?;
            for _ in 0..300 {
                number += 1;
                let start = Instant::now();
                self.client.query(&poll, &[]).await?;
                let limit = millis(start);
                let start = Instant::now();
                self.ledger.turn(&Turn { runner, number, capacity: 10, items: vec![] }).await?;
                rounds.note(millis(start), limit);
            }
        }
        self.ledger.client.batch_execute("SET synchronous_commit = on").await?;
        on.tell("empty turn against an empty claim (writes nothing)", "ms");
        off.tell("  without waiting for the disk", "ms");
        Ok(())
    }

    pub(super) async fn heartbeat(&self) -> Result<(), Error> {
        let count = 1_000;
        drain::fill(&self.client, count).await?;
        drain::script(
            &self.client,
            &format!(
                "TRUNCATE limit_lease; INSERT INTO limit_lease SELECT g, g, now(), repeat('x', 100)
                 FROM generate_series(1, {count}) g; VACUUM ANALYZE limit_lease"
            ),
        )
        .await?;
        let runner = Uuid::from_u128(8);
        self.ledger.register(runner, 60_000_000, None).await?;
        let claim = Turn { runner, number: 1, capacity: count, items: vec![] };
        let Turned::Taken { grants, .. } = self.ledger.turn(&claim).await? else {
            return Ok(());
        };
        let hot_before = self.hot().await?;
        // Claiming rewrote the pages; a heartbeat is timed on what a vacuum leaves.
        drain::script(&self.client, "VACUUM ANALYZE run_live; CHECKPOINT").await?;
        let renew = self
            .client
            .prepare(
                "UPDATE limit_lease SET lease_until = now() + interval '60 s'
                WHERE id = ANY ($1::bigint[]) AND lease_token = ANY ($1::bigint[])",
            )
            .await?;
        let ids: Vec<i64> = (1..=count).collect();
        let items = |what| grants.iter().map(|claim| Item::plain(*claim, what)).collect::<Vec<_>>();
        let (mut time, mut wal) = (Rounds::default(), Rounds::default());
        let mut quiet = Rounds::default();
        let mut number = 1;
        for _ in 0..15 {
            let before = self.wal().await?;
            let start = Instant::now();
            self.client.execute(&renew, &[&ids]).await?;
            let limit = millis(start);
            let between = self.wal().await?;
            number += 1;
            let turn = Turn { runner, number, capacity: count, items: items(What::Renew) };
            let start = Instant::now();
            self.ledger.turn(&turn).await?;
            time.note(millis(start), limit);
            wal.note((self.wal().await? - between) / 1_000.0, (between - before) / 1_000.0);
            number += 1;
            let turn = Turn { runner, number, capacity: count, items: items(What::Hold) };
            let start = Instant::now();
            self.ledger.turn(&turn).await?;
            quiet.note(millis(start), limit);
        }
        time.tell("heartbeat of 1,000 leases", "ms");
        wal.tell("  its WAL", "bytes/lease");
        quiet.tell("turn that names 1,000 and renews none (same limit)", "ms");
        let (updates, hot) = self.hot().await?;
        let share = (hot - hot_before.1) / (updates - hot_before.0) * 100.0;
        println!("  HOT updates of run_live: {share:.1} %");
        Ok(())
    }

    /// Updates and HOT updates of run_live so far, by the store's connection.
    async fn hot(&self) -> Result<(f64, f64), Error> {
        self.ledger.client.batch_execute("SELECT pg_stat_force_next_flush()").await?;
        let text = "SELECT n_tup_upd::float8, n_tup_hot_upd::float8 FROM pg_stat_user_tables
            WHERE relid = 'run_live'::regclass";
        let row = self.client.query_one(text, &[]).await?;
        Ok((row.get(0), row.get(1)))
    }

    async fn wal(&self) -> Result<f64, Error> {
        let text = "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8";
        Ok(self.client.query_one(text, &[]).await?.get(0))
    }

    /// What lies in front of the queue: nothing, deferred runs, runs of handlers served elsewhere.
    pub(super) async fn queue_shapes(&self) -> Result<(), Error> {
        let runner = Uuid::from_u128(9);
        self.ledger.register(runner, 60_000_000, Some(&["w"])).await?;
        let mut number = 0;
        let mut times = Vec::new();
        for change in [
            "SELECT",
            "UPDATE run_live SET not_before = not_before + 3600000000 WHERE worker NOT LIKE '%00'",
            "UPDATE run_live SET handler = 'elsewhere' WHERE number <= (SELECT max(number) - 1000 FROM run_live)",
        ] {
            drain::fill(&self.client, 100_000).await?;
            drain::script(&self.client, change).await?;
            drain::script(&self.client, "VACUUM ANALYZE run_live; CHECKPOINT").await?;
            let mut time = Vec::new();
            let mut items = Vec::new();
            for _ in 0..20 {
                number += 1;
                let start = Instant::now();
                let turn = Turn { runner, number, capacity: 10, items };
                let answer = self.ledger.turn(&turn).await?;
                time.push(millis(start));
                let Turned::Taken { grants, .. } = answer else { break };
                items = grants.iter().map(|claim| Item::plain(*claim, What::GiveBack)).collect();
            }
            times.push(median(&mut time));
        }
        let tell = |what: &str, index: usize| {
            let rounds = Rounds { ours: vec![times[index]], limit: vec![times[0]] };
            rounds.tell(what, "ms");
        };
        tell("claim of 10 behind 99 % deferred runs, against none", 1);
        tell("claim of 10 behind 99,000 runs of other handlers", 2);
        Ok(())
    }

    /// A plan that was made while the tables were empty, with and without the settings.
    pub(super) async fn cached_plan(&self, url: &str) -> Result<(), Error> {
        let mut times = Vec::new();
        for settings in [true, false] {
            drain::script(&self.client, "TRUNCATE run_live, worker, run_done; VACUUM ANALYZE run_live; VACUUM ANALYZE worker; ALTER TABLE run_live SET (autovacuum_enabled = off); ALTER TABLE worker SET (autovacuum_enabled = off)").await?;
            let ledger = Ledger::connect(url, "time", &Texts::sound()).await?;
            if !settings {
                ledger.client.batch_execute("RESET enable_seqscan; RESET plan_cache_mode").await?;
            }
            let runner = Uuid::from_u128(if settings { 10 } else { 11 });
            ledger.register(runner, 60_000_000, None).await?;
            for number in 1..10 {
                ledger.turn(&Turn { runner, number, capacity: 100, items: vec![] }).await?;
            }
            drain::script(&self.client,
                    "INSERT INTO worker SELECT 'w:' || g, 0, 0, 0 FROM generate_series(1, 20000) g;
                     INSERT INTO run_live (id, number, enqueued_at, not_before, worker, handler, trigger,
                         request, config, catalogue, timeout, retry, requested_by, status)
                     SELECT gen_random_uuid(), g, 0, 0, 'w:' || g, 'w', 'MANUAL', '{}', '{}', 'x', NULL, '{}', '{}', 'QUEUED'
                     FROM generate_series(1, 20000) g",
                )
                .await?;
            let start = Instant::now();
            ledger.turn(&Turn { runner, number: 10, capacity: 100, items: vec![] }).await?;
            times.push(millis(start));
        }
        drain::script(&self.client, "ALTER TABLE run_live RESET (autovacuum_enabled); ALTER TABLE worker RESET (autovacuum_enabled)").await?;
        Rounds { ours: vec![times[1]], limit: vec![times[0]] }
            .tell("claim of 100 by a plan cached on empty tables, no settings", "ms");
        Ok(())
    }

    /// The same turns beside a million finished runs.
    pub(super) async fn history(&self, empty: &Self) -> Result<(), Error> {
        drain::script(&self.client,
                "INSERT INTO run_done
                 SELECT (lpad(to_hex(g), 12, '0') || lpad(to_hex(g), 20, '0'))::uuid, g, g, g, NULL, NULL, NULL, NULL,
                     'w:' || g % 100000, 'old', 'MANUAL', NULL, '{}', '{}', 'x', NULL, '{}', '{}', NULL, NULL, NULL, NULL,
                     'SUCCESS', gen_random_uuid(), g, g, g, g, '{}', NULL, g, '\"success\"', 'RUNNER'
                 FROM generate_series(1, 1000000) g; VACUUM ANALYZE run_done; CHECKPOINT",
            )
            .await?;
        for (what, index) in [
            ("turn, 10 slots, 1,000,000 finished runs against none", "SELECT"),
            (
                "  with an index of the history by worker and number",
                "CREATE INDEX ix_run_done_worker ON run_done (worker, number)",
            ),
        ] {
            self.client.batch_execute(index).await?;
            let (mut pace, mut wal) = (Rounds::default(), Rounds::default());
            for _ in 0..ROUNDS {
                let without: Pace = drain::turns(&empty.client, &empty.ledger, 5_000, 10).await?;
                let with = drain::turns(&self.client, &self.ledger, 5_000, 10).await?;
                pace.note(with.per_second, without.per_second);
                wal.note(with.wal, without.wal);
            }
            pace.tell(what, "runs/s");
            wal.tell("  its WAL", "bytes/run");
        }
        Ok(())
    }
}
