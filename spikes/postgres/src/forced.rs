//! Races made certain: each script holds a lock or forces a plan so that the one order of events
//! that a fault needs is the order that happens. Sound statements pass all of them.

use std::future::Future;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_postgres::{Client, Error};
use uuid::Uuid;

use crate::ledger::{Answer, Claim, Item, Ledger, Turn, Turned, What, Wish, connect};
use crate::sql::{Break, Texts};
use crate::world::fresh_schema;

/// Long enough for what does not wait, on a busy machine.
const SOON: Duration = Duration::from_secs(3);
const MINUTE: i64 = 60_000_000;
const ONE: Uuid = Uuid::from_u128(1);
const TWO: Uuid = Uuid::from_u128(2);

struct Stage {
    url: String,
    texts: Texts,
    client: Client,
    first: Ledger,
    second: Ledger,
}

/// Runs every script; true when one of them is broken.
pub async fn all(url: &str, fault: Option<Break>) -> Result<bool, Error> {
    let texts = fault.map_or_else(Texts::sound, Texts::broken);
    let mut red = false;
    macro_rules! scripts {
        ($($script:ident)*) => {$(
            let passed = $script(&Stage::set(url, &texts).await?).await?;
            red |= !passed;
            if !passed || fault.is_none() {
                println!("  {} {}", if passed { "holds " } else { "BROKEN" }, stringify!($script).replace('_', " "));
            }
        )*};
    }
    scripts! {
        a_turn_waits_for_no_row_but_its_runner
        a_queue_with_a_locked_head_is_served_behind_it
        two_turns_at_once_hold_no_more_than_the_capacity
        a_claim_takes_no_more_than_its_room_under_a_nested_loop
        an_end_under_an_old_fence_is_lost
        a_cancel_during_the_turn_is_seen_by_the_give_back
        a_lease_that_is_renewed_during_a_sweep_is_not_swept
        an_enqueue_during_a_tick_waits_for_its_decision
        a_run_sent_again_while_it_finishes_is_not_created_twice
    }
    Ok(red)
}

impl Stage {
    async fn set(url: &str, texts: &Texts) -> Result<Self, Error> {
        fresh_schema(url).await?;
        let first = Ledger::connect(url, "first", texts).await?;
        let second = Ledger::connect(url, "second", texts).await?;
        first.register(ONE, MINUTE, None).await?;
        first.register(TWO, MINUTE, None).await?;
        let client = connect(url, "stage").await?;
        Ok(Self { url: url.to_owned(), texts: texts.clone(), client, first, second })
    }

    async fn queue(&self, runs: u128) -> Result<(), Error> {
        let wishes: Vec<Wish> = (1..=runs).map(wish).collect();
        self.first.enqueue(&wishes).await.map(drop)
    }

    /// Waits until `application` waits for a lock.
    async fn until_waiting(&self, application: &str) -> Result<(), Error> {
        let text =
            "SELECT FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'";
        while self.client.query(text, &[&application]).await?.is_empty() {
            sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }
}

fn wish(run: u128) -> Wish {
    Wish { run: Uuid::from_u128(run), worker: format!("w:{run}") }
}

fn turn(runner: Uuid, number: i64, capacity: i64, items: Vec<Item>) -> Turn {
    Turn { runner, number, capacity, items }
}

fn end(claim: Claim) -> Item {
    let (status, outcome) = (Some("SUCCESS"), Some("{}".to_owned()));
    Item { status, outcome, ..Item::plain(claim, What::End) }
}

fn granted(turned: Turned) -> Vec<Claim> {
    match turned {
        Turned::Taken { mut grants, .. } => {
            grants.sort_unstable();
            grants
        }
        Turned::Stale | Turned::Raced => Vec::new(),
    }
}

fn answers(turned: Option<Result<Turned, Error>>) -> Vec<Answer> {
    match turned {
        Some(Ok(Turned::Taken { answers, .. })) => answers,
        Some(Ok(Turned::Stale | Turned::Raced) | Err(_)) | None => Vec::new(),
    }
}

async fn soon<T>(answer: impl Future<Output = T>) -> Option<T> {
    timeout(SOON, answer).await.ok()
}

async fn a_turn_waits_for_no_row_but_its_runner(stage: &Stage) -> Result<bool, Error> {
    stage.queue(3).await?;
    let claims = granted(stage.first.turn(&turn(ONE, 1, 3, vec![])).await?);
    stage.client.batch_execute("BEGIN; UPDATE run_live SET progress = '' WHERE worker = 'w:1'; SELECT FROM worker FOR UPDATE").await?;
    let items = vec![end(claims[0]), Item::plain(claims[1], What::Renew), end(claims[2])];
    let answered = answers(soon(stage.first.turn(&turn(ONE, 2, 0, items))).await);
    stage.client.batch_execute("ROLLBACK").await?;
    Ok(answered == [Answer::Busy, Answer::Held { cancel: false }, Answer::Done])
}

async fn a_queue_with_a_locked_head_is_served_behind_it(stage: &Stage) -> Result<bool, Error> {
    stage.queue(2).await?;
    stage
        .client
        .batch_execute("BEGIN; SELECT FROM run_live WHERE worker = 'w:1' FOR UPDATE")
        .await?;
    let answer = soon(stage.first.turn(&turn(ONE, 1, 1, vec![]))).await;
    stage.client.batch_execute("ROLLBACK").await?;
    let claims = answer.transpose()?.map(granted).unwrap_or_default();
    Ok(claims.iter().map(|claim| claim.0.as_u128()).collect::<Vec<_>>() == [2])
}

/// Both statements have their snapshot before either has the runner's row.
async fn two_turns_at_once_hold_no_more_than_the_capacity(stage: &Stage) -> Result<bool, Error> {
    stage.queue(6).await?;
    stage
        .client
        .batch_execute(&format!("BEGIN; SELECT FROM runner WHERE id = '{ONE}' FOR UPDATE"))
        .await?;
    let (one, two) = (turn(ONE, 1, 3, vec![]), turn(ONE, 2, 3, vec![]));
    let release = async {
        stage.until_waiting("first").await?;
        stage.until_waiting("second").await?;
        stage.client.batch_execute("ROLLBACK").await
    };
    let later = async {
        stage_wait(stage).await?;
        stage.second.turn(&two).await
    };
    let (first, second, released) = tokio::join!(stage.first.turn(&one), later, release);
    released?;
    Ok(granted(first?).len() + granted(second?).len() == 3)
}

/// The first turn stands in line before the second is sent.
async fn stage_wait(stage: &Stage) -> Result<(), Error> {
    let watch = connect(&stage.url, "watch").await?;
    let text = "SELECT FROM pg_stat_activity WHERE application_name = 'first' AND wait_event_type = 'Lock'";
    while watch.query(text, &[]).await?.is_empty() {
        sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

async fn a_claim_takes_no_more_than_its_room_under_a_nested_loop(
    stage: &Stage,
) -> Result<bool, Error> {
    stage.queue(20).await?;
    let forced = "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off;
        SET enable_memoize = off; SET enable_hashagg = off; SET enable_sort = off";
    stage.first.client.batch_execute(forced).await?;
    let claims = granted(stage.first.turn(&turn(ONE, 1, 3, vec![])).await?);
    Ok(claims.len() == 3)
}

async fn an_end_under_an_old_fence_is_lost(stage: &Stage) -> Result<bool, Error> {
    stage.queue(1).await?;
    let old = granted(stage.first.turn(&turn(ONE, 1, 1, vec![])).await?)[0];
    stage.first.turn(&turn(ONE, 2, 0, vec![Item::plain(old, What::GiveBack)])).await?;
    let new = granted(stage.second.turn(&turn(TWO, 1, 1, vec![])).await?)[0];
    let zombie = answers(Some(stage.first.turn(&turn(ONE, 3, 0, vec![end(old)])).await));
    let live = stage.client.query_one("SELECT count(*) FROM run_live", &[]).await?;
    let holder = answers(Some(stage.second.turn(&turn(TWO, 2, 0, vec![end(new)])).await));
    let again = answers(Some(stage.second.turn(&turn(TWO, 3, 0, vec![end(new)])).await));
    Ok(zombie == [Answer::Lost]
        && live.get::<_, i64>(0) == 1
        && holder == [Answer::Done]
        && again == [Answer::Done])
}

/// The cancel commits after the turn's snapshot and before its item's lock.
async fn a_cancel_during_the_turn_is_seen_by_the_give_back(stage: &Stage) -> Result<bool, Error> {
    stage.queue(1).await?;
    let claim = granted(stage.first.turn(&turn(ONE, 1, 1, vec![])).await?)[0];
    stage
        .client
        .batch_execute(&format!("BEGIN; SELECT FROM runner WHERE id = '{ONE}' FOR UPDATE"))
        .await?;
    let back = turn(ONE, 2, 1, vec![Item::plain(claim, What::GiveBack)]);
    let cancel = async {
        stage.until_waiting("first").await?;
        stage.second.cancel(claim.0).await?;
        stage.client.batch_execute("ROLLBACK").await
    };
    let (answer, cancelled) = tokio::join!(stage.first.turn(&back), cancel);
    cancelled?;
    answer?;
    let row = stage
        .client
        .query_one("SELECT count(*) FROM run_done WHERE status = 'CANCELLED'", &[])
        .await?;
    Ok(row.get::<_, i64>(0) == 1)
}

async fn a_lease_that_is_renewed_during_a_sweep_is_not_swept(stage: &Stage) -> Result<bool, Error> {
    stage.queue(1).await?;
    stage.first.turn(&turn(ONE, 1, 1, vec![])).await?;
    stage.client.batch_execute("UPDATE run_live SET lease_expires_at = 0").await?;
    stage
        .client
        .batch_execute("BEGIN; UPDATE run_live SET lease_expires_at = clock_now() + 60000000")
        .await?;
    let renewed = async {
        sleep(Duration::from_millis(200)).await;
        stage.client.batch_execute("COMMIT").await
    };
    let (swept, renewed) = tokio::join!(stage.second.sweep(10), renewed);
    renewed?;
    Ok(swept?.0 == 0)
}

/// The enqueue comes between the tick's reading and its writing.
async fn an_enqueue_during_a_tick_waits_for_its_decision(stage: &Stage) -> Result<bool, Error> {
    stage.client.batch_execute(
        "INSERT INTO worker (name, filled_at, accounted_until, revision, next_at, runs_created, plan)
         VALUES ('w:1', 0, 0, 0, 1, 0, '60000000')").await?;
    // The tick stops at its write, on an occurrence that somebody else is about to record.
    let lock =
        "BEGIN; INSERT INTO occurrence (worker, scheduled_for, accounts_from, recorded_at, fate)
        VALUES ('w:1', 1, 1, 1, 'MISSED')";
    stage.client.batch_execute(lock).await?;
    let enqueued = async {
        stage.until_waiting("first").await?;
        let wishes = [wish(1)];
        let enqueue = stage.second.enqueue(&wishes);
        let release = async {
            sleep(Duration::from_millis(300)).await;
            stage.client.batch_execute("ROLLBACK").await
        };
        let (enqueued, released) = tokio::join!(enqueue, release);
        released?;
        enqueued
    };
    let (ticked, enqueued) = tokio::join!(stage.first.tick(10), enqueued);
    let runs = stage.client.query_one("SELECT count(*) FROM run_live", &[]).await?;
    Ok(ticked.is_ok_and(|done| done.len() == 1)
        && enqueued? == [crate::ledger::Enqueued::SlotTaken]
        && runs.get::<_, i64>(0) == 1)
}

/// The first copy is enqueued, claimed and finished while the second waits for the worker.
async fn a_run_sent_again_while_it_finishes_is_not_created_twice(
    stage: &Stage,
) -> Result<bool, Error> {
    stage.queue(2).await?;
    let third = Ledger::connect(&stage.url, "third", &stage.texts).await?;
    stage.client.batch_execute("BEGIN; SELECT FROM worker WHERE name = 'w:1' FOR UPDATE").await?;
    let wishes = [wish(1)];
    let finish = async {
        sleep(Duration::from_millis(200)).await;
        let claims = granted(stage.first.turn(&turn(ONE, 1, 2, vec![])).await?);
        stage.first.turn(&turn(ONE, 2, 0, claims.into_iter().map(end).collect())).await?;
        stage.client.batch_execute("ROLLBACK").await
    };
    let (again, finished) = tokio::join!(third.enqueue(&wishes), finish);
    finished?;
    let live = stage.client.query_one("SELECT count(*) FROM run_live", &[]).await?;
    Ok(again? == [crate::ledger::Enqueued::Existed] && live.get::<_, i64>(0) == 0)
}
