//! Timings of what fills slots: enqueue and tick.

use std::time::Instant;

use tokio_postgres::Error;
use uuid::Uuid;

use super::{Bench, ROUNDS, Rounds, millis};
use crate::drain;
use crate::ledger::{Ledger, Wish};
use crate::sql::Texts;

/// The limit's write of one chunk of due schedules, without and with an occurrence row each.
const CHUNK: [&str; 2] = [
    "WITH x AS (SELECT * FROM unnest($1::bigint[], $2::text[]) t (id, worker_name)),
     ins AS (INSERT INTO limit_run (worker_name) SELECT worker_name FROM x ON CONFLICT DO NOTHING)
     UPDATE limit_schedule s SET next_run_at = now() + interval '1 h', last_run_at = now()
     FROM x WHERE s.id = x.id",
    "WITH x AS (SELECT * FROM unnest($1::bigint[], $2::text[]) t (id, worker_name)),
     occ AS (INSERT INTO limit_occurrence SELECT worker_name, now() FROM x ON CONFLICT DO NOTHING),
     ins AS (INSERT INTO limit_run (worker_name) SELECT worker_name FROM x ON CONFLICT DO NOTHING)
     UPDATE limit_schedule s SET next_run_at = now() + interval '1 h', last_run_at = now()
     FROM x WHERE s.id = x.id",
];

/// The limit's enqueue, without and with the update of the workers' rows.
const ENQUEUE: [&str; 2] = [
    "INSERT INTO limit_run (worker_name) SELECT * FROM unnest($1::text[]) ON CONFLICT DO NOTHING",
    "WITH w AS (INSERT INTO limit_worker SELECT n, now() FROM unnest($1::text[]) n
         ON CONFLICT (name) DO UPDATE SET filled_at = excluded.filled_at)
     INSERT INTO limit_run (worker_name) SELECT * FROM unnest($1::text[]) ON CONFLICT DO NOTHING",
];

impl Bench {
    pub(super) async fn tick(&self) -> Result<(), Error> {
        let due = 10_000;
        let (mut statement, mut chunked, mut alike) =
            (Rounds::default(), Rounds::default(), Rounds::default());
        for _ in 0..ROUNDS {
            self.limit_schedules(due).await?;
            let start = Instant::now();
            let text = "WITH l AS MATERIALIZED (SELECT id, worker_name FROM limit_schedule
                    WHERE enabled AND next_run_at <= now() FOR UPDATE SKIP LOCKED),
                ins AS (INSERT INTO limit_run (worker_name) SELECT worker_name FROM l ON CONFLICT DO NOTHING)
                UPDATE limit_schedule s SET next_run_at = now() + interval '1 h', last_run_at = now()
                FROM l WHERE s.id = l.id";
            self.client.execute(text, &[]).await?;
            let one = millis(start);
            let mut chunks = Vec::new();
            for text in CHUNK {
                self.limit_schedules(due).await?;
                let start = Instant::now();
                self.limit_chunks(text).await?;
                chunks.push(millis(start));
            }
            drain::fill(&self.client, 0).await?;
            let schedules = format!(
                "TRUNCATE occurrence; INSERT INTO worker
                 SELECT 'w:' || g, 0, 0, 0, clock_now() - 1000, 0, '3600000000'
                 FROM generate_series(1, {due}) g; VACUUM ANALYZE worker; CHECKPOINT"
            );
            drain::script(&self.client, &schedules).await?;
            let start = Instant::now();
            while !self.ledger.tick(1_000).await?.is_empty() {}
            let ours = millis(start);
            statement.note(ours, one);
            chunked.note(ours, chunks[0]);
            alike.note(ours, chunks[1]);
        }
        statement.tell("tick of 10,000 due, against one statement in SQL alone", "ms");
        chunked.tell("  against chunks of 1,000 with the client's next", "ms");
        alike.tell("  against those chunks with an occurrence row each", "ms");
        Ok(())
    }

    async fn limit_schedules(&self, due: i64) -> Result<(), Error> {
        let text = format!(
            "TRUNCATE limit_run, limit_schedule, limit_occurrence;
             INSERT INTO limit_schedule SELECT g, 'w:' || g, now() - interval '1 ms'
             FROM generate_series(1, {due}) g; VACUUM ANALYZE limit_schedule; CHECKPOINT"
        );
        drain::script(&self.client, &text).await
    }

    async fn limit_chunks(&self, write: &str) -> Result<(), Error> {
        let read =
            "SELECT id, worker_name FROM limit_schedule WHERE enabled AND next_run_at <= now()
            ORDER BY next_run_at LIMIT 1000 FOR UPDATE SKIP LOCKED";
        let (read, write) = (self.client.prepare(read).await?, self.client.prepare(write).await?);
        loop {
            self.client.batch_execute("BEGIN").await?;
            let rows = self.client.query(&read, &[]).await?;
            let ids: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
            let names: Vec<&str> = rows.iter().map(|row| row.get(1)).collect();
            self.client.execute(&write, &[&ids, &names]).await?;
            self.client.batch_execute("COMMIT").await?;
            if rows.is_empty() {
                return Ok(());
            }
        }
    }

    pub(super) async fn enqueue(&self, url: &str) -> Result<(), Error> {
        self.client.batch_execute(&Texts::sound().enqueue_function()).await?;
        let in_function = Ledger::connect_with_function(url, "time", &Texts::sound()).await?;
        let limits =
            [self.client.prepare(ENQUEUE[0]).await?, self.client.prepare(ENQUEUE[1]).await?];
        for (size, calls) in [(1_000_usize, 10_usize), (1, 300)] {
            let (mut plain, mut alike, mut function) =
                (Rounds::default(), Rounds::default(), Rounds::default());
            for round in 0..ROUNDS {
                let mut limit = Vec::new();
                // Twice: the workers' rows are known the second time.
                for statement in [&limits[1], &limits[1], &limits[0]] {
                    drain::fill_limit(&self.client, 0).await?;
                    let start = Instant::now();
                    for call in 0..calls {
                        let names: Vec<String> =
                            batch(0, call, size).into_iter().map(|wish| wish.worker).collect();
                        self.client.execute(statement, &[&names]).await?;
                    }
                    limit.push(millis(start) / calls as f64);
                }
                let mut ours = Vec::new();
                drain::fill(&self.client, 0).await?;
                for (pass, ledger) in
                    [&self.ledger, &self.ledger, &in_function].into_iter().enumerate()
                {
                    let text = "TRUNCATE run_live; VACUUM ANALYZE worker; CHECKPOINT";
                    drain::script(&self.client, text).await?;
                    let start = Instant::now();
                    for call in 0..calls {
                        ledger.enqueue(&batch(round * 3 + pass, call, size)).await?;
                    }
                    ours.push(millis(start) / calls as f64);
                }
                plain.note(ours[1], limit[2]);
                alike.note(ours[1], limit[1]);
                function.note(ours[2], limit[1]);
            }
            plain.tell(&format!("enqueue, {size} a call, against a bare insert"), "ms/call");
            alike.tell("  against an insert that updates its workers", "ms/call");
            function.tell("  as steps of one function, against the same", "ms/call");
        }
        Ok(())
    }
}

fn batch(pass: usize, call: usize, size: usize) -> Vec<Wish> {
    let first = call * size;
    (first..first + size)
        .map(|n| Wish {
            run: Uuid::from_u128((pass as u128 + 1) << 100 | n as u128),
            worker: format!("w:{n}"),
        })
        .collect()
}
