//! A connection that speaks the ledger's commands, as a store would: it sends the statements and
//! says what their answers mean.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::try_join_all;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, NoTls, Row, Statement};
use uuid::Uuid;

use crate::schedule::{Plan, Verdict};
use crate::sql::Texts;

/// Asked for on every connection of a store: no plan may depend on what a table held when the
/// plan was made (it is cached), and a turn is planned once, not at each call.
pub const SETTINGS: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
    SET jit = off; SET lock_timeout = '20s'";

pub struct Ledger {
    pub client: Client,
    turn: Statement,
    sweep: Statement,
    sweep_workers: Statement,
    fill_workers: Statement,
    enqueue: Statement,
    tick_lock: Statement,
    tick_read: Statement,
    tick_write: Statement,
    cancel_lock: Statement,
    cancel_queued: Statement,
    cancel_running: Statement,
    cancel_ended: Statement,
    lock_workers: bool,
    enqueue_function: Option<Statement>,
}

/// A run under a fence.
pub type Claim = (Uuid, i64);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    Hold,
    Renew,
    GiveBack,
    End,
}

/// All that a turn says about one claim.
#[derive(Clone, Debug)]
pub struct Item {
    pub claim: Claim,
    pub what: What,
    pub started: Option<String>,
    pub progress: Option<String>,
    pub status: Option<&'static str>,
    pub outcome: Option<String>,
    pub may_retry: bool,
}

impl Item {
    pub fn plain(claim: Claim, what: What) -> Self {
        let (started, progress, status, outcome) = (None, None, None, None);
        Self { claim, what, started, progress, status, outcome, may_retry: false }
    }

    /// True when the item asks for a change, not just how the claim stands.
    fn asks(&self) -> bool {
        self.what != What::Hold || self.started.is_some() || self.progress.is_some()
    }
}

#[derive(Clone, Debug)]
pub struct Turn {
    pub runner: Uuid,
    pub number: i64,
    pub capacity: i64,
    pub items: Vec<Item>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Done,
    Held { cancel: bool },
    Lost,
    Busy,
}

#[derive(Debug)]
pub enum Turned {
    Stale,
    /// Another turn of the runner committed while this one waited: nothing was changed.
    Raced,
    Taken {
        answers: Vec<Answer>,
        grants: Vec<Claim>,
    },
}

#[derive(Clone, Debug)]
pub struct Wish {
    pub run: Uuid,
    pub worker: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enqueued {
    New,
    Existed,
    SlotTaken,
    IdTaken,
}

pub async fn connect(url: &str, application: &str) -> Result<Client, Error> {
    let mut config: tokio_postgres::Config = url.parse()?;
    config.application_name(application);
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    client.batch_execute(SETTINGS).await?;
    Ok(client)
}

impl Ledger {
    pub async fn connect(url: &str, application: &str, texts: &Texts) -> Result<Self, Error> {
        let client = connect(url, application).await?;
        let all = [
            &texts.turn,
            &texts.sweep,
            &texts.sweep_workers,
            &texts.fill_workers,
            &texts.enqueue,
            &texts.tick_lock,
            &texts.tick_read,
            &texts.tick_write,
            &texts.cancel_lock,
            &texts.cancel_queued,
            &texts.cancel_running,
            &texts.cancel_ended,
        ];
        let mut prepared = try_join_all(all.map(|text| client.prepare(text))).await?.into_iter();
        let mut next = || prepared.next().expect("one statement a text");
        Ok(Self {
            turn: next(),
            sweep: next(),
            sweep_workers: next(),
            fill_workers: next(),
            enqueue: next(),
            tick_lock: next(),
            tick_read: next(),
            tick_write: next(),
            cancel_lock: next(),
            cancel_queued: next(),
            cancel_running: next(),
            cancel_ended: next(),
            lock_workers: texts.lock_workers,
            enqueue_function: None,
            client,
        })
    }

    /// A connection that enqueues by the function that the schema then has.
    pub async fn connect_with_function(
        url: &str,
        application: &str,
        texts: &Texts,
    ) -> Result<Self, Error> {
        let mut ledger = Self::connect(url, application, texts).await?;
        let call = "SELECT * FROM enqueue($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
        ledger.enqueue_function = Some(ledger.client.prepare(call).await?);
        Ok(ledger)
    }

    /// Without handlers the runner serves every one.
    pub async fn register(
        &self,
        runner: Uuid,
        lease: i64,
        handlers: Option<&[&str]>,
    ) -> Result<(), Error> {
        let text = "INSERT INTO runner (id, turn, last_seen, lease, registered_at, handlers)
            VALUES ($1, 0, clock_now(), $2, clock_now(), $3) ON CONFLICT DO NOTHING";
        self.client.execute(text, &[&runner, &lease, &handlers]).await.map(drop)
    }

    pub async fn turn(&self, turn: &Turn) -> Result<Turned, Error> {
        let items = &turn.items;
        let runs: Vec<Uuid> = items.iter().map(|item| item.claim.0).collect();
        let fences: Vec<i64> = items.iter().map(|item| item.claim.1).collect();
        let what: Vec<&str> = items
            .iter()
            .map(|item| match item.what {
                What::Hold => "HOLD",
                What::Renew => "RENEW",
                What::GiveBack => "GIVE_BACK",
                What::End => "END",
            })
            .collect();
        let started: Vec<Option<&str>> = items.iter().map(|item| item.started.as_deref()).collect();
        let progress: Vec<Option<&str>> =
            items.iter().map(|item| item.progress.as_deref()).collect();
        let status: Vec<Option<&str>> = items.iter().map(|item| item.status).collect();
        let outcome: Vec<Option<&str>> = items.iter().map(|item| item.outcome.as_deref()).collect();
        let may_retry: Vec<bool> = items.iter().map(|item| item.may_retry).collect();
        let no_number: Vec<Option<i64>> = vec![None; items.len()];
        let no_bytes: Vec<Option<&[u8]>> = vec![None; items.len()];
        let parameters: [&(dyn ToSql + Sync); 17] = [
            &turn.runner,
            &turn.number,
            &turn.capacity,
            &runs,
            &fences,
            &what,
            &started,
            &no_number,
            &no_number,
            &progress,
            &status,
            &outcome,
            &may_retry,
            &no_bytes,
            &no_number,
            &no_bytes,
            &no_number,
        ];
        let rows = self.client.query(&self.turn, &parameters).await?;
        Ok(heard(turn, &rows))
    }

    pub async fn sweep(&self, limit: i64) -> Result<(i64, i64), Error> {
        let row = self.client.query_one(&self.sweep, &[&limit]).await?;
        Ok((row.get(0), row.get(1)))
    }

    /// One transaction; its statements need nothing from each other's answers, so they go out
    /// together.
    pub async fn enqueue(&self, wishes: &[Wish]) -> Result<Vec<Enqueued>, Error> {
        let all = wishes;
        let mut seen = BTreeSet::new();
        let wishes: Vec<&Wish> = all.iter().filter(|wish| seen.insert(wish.run)).collect();
        let runs: Vec<Uuid> = wishes.iter().map(|wish| wish.run).collect();
        let workers: Vec<&str> = wishes.iter().map(|wish| wish.worker.as_str()).collect();
        let handlers: Vec<&str> =
            workers.iter().map(|name| name.split(':').next().unwrap_or(name)).collect();
        let empty = vec!["{}"; wishes.len()];
        let none: Vec<Option<i64>> = vec![None; wishes.len()];
        let parameters: [&(dyn ToSql + Sync); 10] =
            [&runs, &workers, &handlers, &empty, &empty, &empty, &none, &empty, &empty, &none];
        if let Some(function) = &self.enqueue_function {
            return Ok(asked(all, &self.client.query(function, &parameters).await?));
        }
        let begin = self.client.batch_execute("BEGIN");
        let workers_only: [&(dyn ToSql + Sync); 1] = [&workers];
        let fill = async {
            if self.lock_workers {
                self.client.execute(&self.fill_workers, &workers_only).await?;
            }
            Ok(())
        };
        let sweep = self.client.execute(&self.sweep_workers, &workers_only);
        let enqueue = self.client.query(&self.enqueue, &parameters);
        let commit = self.client.batch_execute("COMMIT");
        let together: (_, Result<(), Error>, _, _, _) =
            tokio::join!(biased; begin, fill, sweep, enqueue, commit);
        let rows = together.3;
        together.0?;
        together.1?;
        together.2?;
        let rows = rows?;
        together.4?;
        Ok(asked(all, &rows))
    }

    pub async fn tick(&self, limit: i64) -> Result<Vec<Verdict>, Error> {
        self.client.batch_execute("BEGIN").await?;
        let result = self.tick_within(limit).await;
        self.client.batch_execute(if result.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
        result
    }

    async fn tick_within(&self, limit: i64) -> Result<Vec<Verdict>, Error> {
        let names: Vec<String> = self
            .client
            .query(&self.tick_lock, &[&limit])
            .await?
            .iter()
            .map(|row| row.get(0))
            .collect();
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let rows = self.client.query(&self.tick_read, &[&names]).await?;
        let verdicts: Vec<Verdict> = rows.iter().flat_map(crate::schedule::decide).collect();
        let plan = Plan::of(&verdicts);
        self.client.query(&self.tick_write, &plan.parameters()).await?;
        Ok(verdicts)
    }

    /// True when the cancel changed something.
    pub async fn cancel(&self, run: Uuid) -> Result<bool, Error> {
        self.client.batch_execute("BEGIN").await?;
        let result = self.cancel_within(run).await;
        self.client.batch_execute(if result.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
        result
    }

    async fn cancel_within(&self, run: Uuid) -> Result<bool, Error> {
        let by = "{\"person\":\"p\"}";
        let changed = match self.client.query_opt(&self.cancel_lock, &[&run]).await? {
            None => self.client.execute(&self.cancel_ended, &[&run, &by]).await?,
            Some(row) if row.get::<_, &str>(0) == "QUEUED" => {
                self.client.execute(&self.cancel_queued, &[&run, &by]).await?
            }
            Some(row) if row.get(1) => 0,
            Some(_) => self.client.execute(&self.cancel_running, &[&run, &by]).await?,
        };
        Ok(changed > 0)
    }
}

/// What the rows of a turn mean.
fn heard(turn: &Turn, rows: &[Row]) -> Turned {
    let mut taken = None;
    let mut held: BTreeMap<Claim, bool> = BTreeMap::new();
    let mut done: BTreeMap<Claim, bool> = BTreeMap::new();
    let mut ended: BTreeSet<Claim> = BTreeSet::new();
    let mut grants = Vec::new();
    for row in rows {
        let claim = || (row.get(1), row.get(2));
        let cancel = || row.get::<_, Option<bool>>(4).unwrap_or(false);
        match row.get::<_, &str>(0) {
            "TURN" => taken = Some((row.get::<_, i64>(3) == 1, row.get::<_, i64>(2), cancel())),
            "HELD" => drop(held.insert(claim(), cancel())),
            "DONE" => drop(done.insert(claim(), cancel())),
            "ENDED" => drop(ended.insert(claim())),
            _ => grants.push(claim()),
        }
    }
    match taken {
        None => return Turned::Stale,
        Some((true, ..)) => {}
        Some((false, seen, stopped)) if stopped || seen >= turn.number => return Turned::Stale,
        Some((false, ..)) => return Turned::Raced,
    }
    let answers = turn.items.iter().map(|item| {
        match (done.get(&item.claim), held.get(&item.claim), item.asks()) {
            (Some(_), ..) if matches!(item.what, What::End | What::GiveBack) => Answer::Done,
            (Some(cancel), ..) | (None, Some(cancel), false) => Answer::Held { cancel: *cancel },
            (None, Some(_), true) => Answer::Busy,
            (None, None, _) if ended.contains(&item.claim) => Answer::Done,
            (None, None, _) => Answer::Lost,
        }
    });
    Turned::Taken { answers: answers.collect(), grants }
}

/// What the rows of an enqueue mean, wish by wish.
fn asked(wishes: &[Wish], rows: &[Row]) -> Vec<Enqueued> {
    let mut existing: BTreeMap<Uuid, String> = BTreeMap::new();
    let mut new: BTreeSet<Uuid> = BTreeSet::new();
    for row in rows {
        match row.get::<_, &str>(0) {
            "EXISTING" => drop(existing.insert(row.get(1), row.get(4))),
            "NEW" => drop(new.insert(row.get(1))),
            _ => {}
        }
    }
    wishes
        .iter()
        .map(|wish| match existing.get(&wish.run) {
            Some(worker) if *worker == wish.worker => Enqueued::Existed,
            Some(_) => Enqueued::IdTaken,
            None if new.remove(&wish.run) => {
                existing.insert(wish.run, wish.worker.clone());
                Enqueued::New
            }
            None => Enqueued::SlotTaken,
        })
        .collect()
}
