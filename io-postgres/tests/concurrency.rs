//! What happens at the same moment: each test holds one order of events still and looks at what
//! the store makes of it.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do

mod scene;
mod server;

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::time::Duration;

use horarium_core::ledger::reply::{Done, HoldAnswer, ReportAnswer};
use horarium_core::ledger::{Claim, Command, Refusal, Reply, Stale, Turned};
use horarium_core::run::{Interruption, Outcome, StatusKind};
use horarium_core::schedule::Fate;
use horarium_core::store::Store;
use horarium_core::words::{Request, RunId, Span};
use scene::{Says, Scene, turn, wish, worker};
use sqlx::{Connection as _, PgConnection};

const SWEEP: Command = Command::Sweep { limit: NonZeroU32::MAX };

async fn execute(db: &mut PgConnection, statement: &'static str) {
    sqlx::raw_sql(statement).execute(db).await.unwrap();
}

/// Returns once another connection waits for a lock that this one has.
async fn until_somebody_waits(db: &mut PgConnection) {
    const WAITING: &str = "SELECT count(*) FROM pg_stat_activity
        WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))";
    loop {
        let waiting: i64 = sqlx::query_scalar(WAITING).fetch_one(&mut *db).await.unwrap();
        if waiting > 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn an_enqueue_that_is_sent_again_after_its_run_finished_is_the_same_run() {
    let scene = Scene::new().await;
    scene.enqueue(vec![wish(1, "backup")]).await;
    let runner = scene.runner(1).await;
    let claims = scene.claims(runner, 1).await;
    scene.turn(runner, 2, 1, Says { ended: claims, ..Says::default() }).await;

    let again = scene.tell(&Command::Enqueue(vec![wish(1, "backup")])).await;
    let Reply::Enqueued(answers) = again else { panic!("{again:?}") };
    let accepted = answers[0].clone().unwrap();
    assert!(accepted.existed);
    assert_eq!(accepted.status, StatusKind::Success);

    let request = Request { batch_size: NonZeroU32::new(7), ..Request::default() };
    let other = horarium_core::ledger::Wish { request, ..wish(1, "backup") };
    let refused = scene.tell(&Command::Enqueue(vec![other])).await;
    let run = RunId::v7(0, 1);
    assert_eq!(refused, Reply::Enqueued(vec![Err(Refusal::IdTaken { run })]));
    assert_eq!(scene.store.dump().await.unwrap().runs.len(), 1);
}

#[tokio::test]
async fn a_turn_does_not_claim_what_it_gives_back_a_second_time() {
    let scene = Scene::new().await;
    scene.enqueue(vec![wish(1, "backup")]).await;
    let runner = scene.runner(1).await;
    let claims = scene.claims(runner, 1).await;
    let back = || Says { given_back: claims.clone(), ..Says::default() };
    assert_eq!(scene.turn(runner, 2, 1, back()).await.reports, [ReportAnswer::Done]);

    // The answer was lost: the runner says it again, while the run waits in the queue.
    let again = scene.turn(runner, 3, 1, back()).await;
    assert_eq!((again.reports, again.granted), (vec![ReportAnswer::Lost], Vec::new()));
    assert_eq!(scene.turn(runner, 4, 1, Says::default()).await.granted.len(), 1);
}

#[tokio::test]
async fn a_finish_and_a_sweep_at_once_end_a_run_once() {
    let mut scene = Scene::new().await;
    let runner = scene.runner(1).await;
    let mut ends = BTreeSet::new();
    for round in 1..=40_u64 {
        let id = u128::from(round);
        scene.enqueue(vec![wish(id, "backup")]).await;
        let granted = scene.turn(runner, round * 2 - 1, 1, Says::default()).await.granted;
        scene.wait(Span::from_secs(61));
        let says = Says { ended: vec![granted[0].claim], ..Says::default() };
        let finish = turn(runner, round * 2, 0, says);
        let (finished, swept) =
            tokio::join!(scene.store.submit(&finish), scene.store.submit(&SWEEP));
        let Ok(Reply::Turned(Turned { reports, .. })) = finished else { panic!("{finished:?}") };
        let Ok(Reply::Swept { interrupted, .. }) = swept else { panic!("{swept:?}") };
        let outcome = scene.run(RunId::v7(0, id)).await.end().unwrap().outcome.clone();
        let expected = match reports[0] {
            ReportAnswer::Done => (Outcome::Success, 0),
            // When the sweep had the row, the runner says it again, and hears then that it lost.
            ReportAnswer::Lost | ReportAnswer::Busy => {
                (Outcome::Interrupted(Interruption::LeaseExpired), 1)
            }
        };
        assert_eq!((outcome.clone(), interrupted), expected);
        ends.insert(outcome.status());
    }
    println!("ends: {ends:?}");
}

#[tokio::test]
async fn a_sweep_decides_on_the_lease_as_it_is_and_not_as_it_was() {
    let mut scene = Scene::new().await;
    scene.enqueue(vec![wish(1, "backup")]).await;
    let runner = scene.runner(1).await;
    scene.claims(runner, 1).await;
    scene.wait(Span::from_secs(61));

    // A renewal is under way: the sweep passes by, and does not wait for it.
    let mut other = scene.database.connection().await;
    let mut renewal = other.begin().await.unwrap();
    execute(&mut renewal, "UPDATE run_live SET lease_expires_at = lease_expires_at + 60000000")
        .await;
    let swept = scene.tell(&SWEEP).await;
    assert_eq!(swept, Reply::Swept { interrupted: 0, too_late: 0, more: false });
    renewal.commit().await.unwrap();
    let swept = scene.tell(&SWEEP).await;
    assert_eq!(swept, Reply::Swept { interrupted: 0, too_late: 0, more: false });
}

#[tokio::test]
async fn an_enqueue_that_would_sweep_a_lease_that_is_just_renewed_finds_the_slot_taken() {
    let mut scene = Scene::new().await;
    scene.enqueue(vec![wish(1, "backup")]).await;
    let runner = scene.runner(1).await;
    scene.claims(runner, 1).await;
    scene.wait(Span::from_secs(61));

    let mut other = scene.database.connection().await;
    let mut renewal = other.begin().await.unwrap();
    execute(&mut renewal, "UPDATE run_live SET lease_expires_at = lease_expires_at + 60000000")
        .await;
    let store = scene.store.clone();
    let asked =
        tokio::spawn(async move { store.submit(&Command::Enqueue(vec![wish(2, "backup")])).await });
    until_somebody_waits(&mut renewal).await;
    renewal.commit().await.unwrap();
    let answer = asked.await.unwrap().unwrap();
    let Reply::Enqueued(answers) = answer else { panic!("{answer:?}") };
    assert!(matches!(&answers[0], Err(Refusal::SlotTaken { .. })), "{answers:?}");
    assert_eq!(scene.run(RunId::v7(0, 1)).await.status_kind(), StatusKind::Running);
}

#[tokio::test]
async fn a_tick_passes_by_a_worker_that_an_open_business_transaction_holds() {
    let mut scene = Scene::new().await;
    scene.schedule("backup", "0 10 * * *").await;
    scene.schedule("mail", "0 10 * * *").await;
    scene.wait(Span::from_hours(1));

    // As an embedded enqueue does: it fills the slot, and its transaction stays open.
    let mut other = scene.database.connection().await;
    let mut business = other.begin().await.unwrap();
    execute(&mut business, "UPDATE worker SET revision = revision WHERE name = 'backup'").await;
    let done = format!("{:?}", scene.tick().await.done);
    assert!(done.contains("mail") && !done.contains("backup"), "{done}");
    business.rollback().await.unwrap();

    let done = scene.tick().await.done;
    let occurred = Done::Occurred {
        worker: worker("backup"),
        scheduled_for: "2026-03-02T10:00:00Z".parse().unwrap(),
        fate: Fate::Enqueued,
    };
    assert_eq!(done, vec![occurred]);
}

#[tokio::test]
async fn runners_that_claim_at_once_share_the_queue() {
    let scene = Scene::new().await;
    let names: Vec<String> = (0..120).map(|number| format!("backup:{number}")).collect();
    let wishes = names.iter().zip(1..).map(|(name, run)| wish(run, name)).collect();
    scene.enqueue(wishes).await;
    let mut claiming = Vec::new();
    for number in 1..=6 {
        let (store, runner) = (scene.store.clone(), scene.runner(number).await);
        claiming.push(tokio::spawn(async move {
            let mut granted = BTreeSet::new();
            for number in 1..=5_u32 {
                // What is not named is handed over again, unless another runner just looks at it.
                let command = turn(runner, u64::from(number), number * 4, Says::default());
                let reply = store.submit(&command).await.unwrap();
                let Reply::Turned(turned) = reply else { panic!("{reply:?}") };
                granted.extend(turned.granted.iter().map(|grant| grant.claim));
                let most = usize::try_from(number * 4).unwrap();
                assert!(granted.len() <= most, "more than there is room for");
            }
            granted
        }));
    }
    let mut granted = BTreeSet::new();
    for runner in claiming {
        granted.extend(runner.await.unwrap());
    }
    let runs: BTreeSet<RunId> = granted.iter().map(|claim| claim.run).collect();
    let fences: BTreeSet<_> = granted.iter().map(|claim| claim.fence).collect();
    assert_eq!(granted.len(), 120);
    assert_eq!(runs.len(), 120, "a run was granted twice");
    assert_eq!(fences.len(), 120, "a fence was drawn twice");
    for run in scene.store.dump().await.unwrap().runs.values() {
        let hold = run.hold().unwrap();
        assert!(granted.contains(&Claim { run: run.id, fence: hold.fence }));
    }
}

#[tokio::test]
async fn a_turn_that_waited_for_a_foreground_start_counts_what_that_claimed() {
    let scene = Scene::new().await;
    scene.enqueue(vec![wish(1, "backup"), wish(2, "mail")]).await;
    let runner = scene.runner(1).await;

    // A foreground start changes the runner's row, and then has a run.
    let mut other = scene.database.connection().await;
    let mut foreground = other.begin().await.unwrap();
    execute(
        &mut foreground,
        "UPDATE runner SET last_seen = last_seen;
         UPDATE run_live SET status = 'RUNNING', runner = (SELECT id FROM runner), fence = 900,
             claimed_at = enqueued_at, lease_expires_at = enqueued_at + 60000000
         WHERE worker = 'mail'",
    )
    .await;
    let store = scene.store.clone();
    let asked =
        tokio::spawn(async move { store.submit(&turn(runner, 1, 1, Says::default())).await });
    until_somebody_waits(&mut foreground).await;
    foreground.commit().await.unwrap();

    let reply = asked.await.unwrap().unwrap();
    let Reply::Turned(turned) = reply else { panic!("{reply:?}") };
    let granted: Vec<_> = turned.granted.iter().map(|grant| grant.worker.as_str()).collect();
    assert_eq!(granted, ["mail"]);
    assert_eq!(scene.run(RunId::v7(0, 1)).await.status_kind(), StatusKind::Queued);
}

#[tokio::test]
async fn of_two_turns_with_one_number_one_is_taken() {
    let scene = Scene::new().await;
    let runner = scene.runner(1).await;
    for number in 1..=30 {
        let command = turn(runner, number, 5, Says::default());
        let (one, two) = tokio::join!(scene.store.submit(&command), scene.store.submit(&command));
        let mut taken = 0;
        for reply in [one.unwrap(), two.unwrap()] {
            match reply {
                Reply::Turned(_) => taken += 1,
                Reply::Stale(Stale::Number { taken }) => assert_eq!(taken, number),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(taken, 1);
    }
}

#[tokio::test]
async fn a_deadlock_is_repeated_until_it_is_none() {
    let scene = Scene::new().await;
    scene.enqueue(vec![wish(1, "backup:a"), wish(2, "backup:b")]).await;
    for id in [1, 2] {
        let by = scene::by();
        scene.tell(&Command::Cancel { run: RunId::v7(0, id), by }).await;
    }
    // Somebody takes the rows in the other order, and is more patient than the store.
    let mut other = scene.database.connection().await;
    execute(&mut other, "SET deadlock_timeout = '30s'").await;
    let mut wrong = other.begin().await.unwrap();
    execute(&mut wrong, "UPDATE worker SET revision = revision WHERE name = 'backup:b'").await;
    let store = scene.store.clone();
    let both = Command::Enqueue(vec![wish(3, "backup:a"), wish(4, "backup:b")]);
    let asked = tokio::spawn(async move { store.submit(&both).await });
    until_somebody_waits(&mut wrong).await;
    execute(&mut wrong, "UPDATE worker SET revision = revision WHERE name = 'backup:a'").await;
    wrong.commit().await.unwrap();

    let reply = asked.await.unwrap().unwrap();
    let Reply::Enqueued(answers) = reply else { panic!("{reply:?}") };
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
}

#[tokio::test]
async fn a_zombie_changes_nothing_and_is_told_that_it_lost() {
    let scene = Scene::new().await;
    scene.enqueue(vec![wish(1, "backup")]).await;
    let (zombie, holder) = (scene.runner(1).await, scene.runner(2).await);
    let old = scene.claims(zombie, 1).await;
    scene.turn(zombie, 2, 0, Says { given_back: old.clone(), ..Says::default() }).await;
    let current = scene.claims(holder, 1).await;
    assert_eq!(old[0].run, current[0].run);
    assert!(old[0].fence < current[0].fence);

    let before = scene.run(old[0].run).await;
    for claim in [old[0], current[0]] {
        let number = 3 + claim.fence.number();
        let says = Says { ended: vec![claim], renewed: vec![claim], ..Says::default() };
        let turned = scene.turn(zombie, number, 0, says).await;
        assert_eq!(turned.reports, [ReportAnswer::Lost]);
        assert_eq!(turned.holding, [HoldAnswer::Lost]);
    }
    assert_eq!(scene.run(old[0].run).await, before);
}

#[tokio::test]
async fn what_another_transaction_holds_is_busy_and_the_rest_of_the_turn_goes_on() {
    let scene = Scene::new().await;
    scene.enqueue(vec![wish(1, "backup"), wish(2, "mail"), wish(3, "ocr")]).await;
    let runner = scene.runner(1).await;
    let claims = scene.claims(runner, 3).await;

    let mut other = scene.database.connection().await;
    let mut holds = other.begin().await.unwrap();
    execute(&mut holds, "SELECT id FROM run_live WHERE worker IN ('backup', 'ocr') FOR UPDATE")
        .await;
    let says = || Says { ended: claims[..2].to_vec(), renewed: vec![claims[2]], ..Says::default() };
    let turned = scene.turn(runner, 2, 0, says()).await;
    assert_eq!(turned.reports, [ReportAnswer::Busy, ReportAnswer::Done]);
    assert_eq!(turned.holding, [HoldAnswer::Busy]);
    holds.rollback().await.unwrap();

    // Said again, everything is done, and what was done stays done.
    let turned = scene.turn(runner, 3, 0, says()).await;
    assert_eq!(turned.reports, [ReportAnswer::Done, ReportAnswer::Done]);
    assert!(matches!(turned.holding[0], HoldAnswer::Held { .. }));
}

#[tokio::test]
async fn a_cancel_that_meets_a_tick_drops_the_retry_or_comes_after_it() {
    let mut scene = Scene::new().await;
    scene.schedule("backup", "0 10 * * *").await;
    scene.wait(Span::from_hours(1));
    scene.tick().await;
    let runner = scene.runner(1).await;
    let claims = scene.claims(runner, 1).await;
    scene.wait(Span::from_secs(61));
    scene.tell(&SWEEP).await;

    let cancel = Command::Cancel { run: claims[0].run, by: scene::by() };
    let (cancelled, ticked) = tokio::join!(scene.store.submit(&cancel), scene.tick());
    let rows = scene.store.dump().await.unwrap();
    let found = horarium_core::ledger::audit::check(&rows);
    assert!(found.is_empty(), "{found:?}");
    let retries = rows.runs.values().filter(|run| run.is_active()).count();
    match cancelled.unwrap() {
        Reply::Cancelling(horarium_core::ledger::reply::Cancelling::RetryDropped) => {
            assert_eq!((retries, ticked.done.len()), (0, 0));
        }
        Reply::Cancelling(_) => assert_eq!((retries, ticked.done.len()), (1, 1)),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn schedulers_that_tick_at_once_create_each_run_once() {
    let mut scene = Scene::new().await;
    for number in 0..40 {
        scene.schedule(&format!("backup:{number}"), "0 10 * * *").await;
    }
    scene.wait(Span::from_hours(1));
    let (one, two, three) = tokio::join!(scene.tick(), scene.tick(), scene.tick());
    let occurred = [one, two, three]
        .iter()
        .flat_map(|ticked| &ticked.done)
        .filter(|done| matches!(done, Done::Occurred { .. }))
        .count();
    assert_eq!(occurred, 40);
    let rows = scene.store.dump().await.unwrap();
    assert_eq!((rows.runs.len(), rows.occurrences.len()), (40, 40));
    let numbers: BTreeSet<_> = rows.runs.values().map(|run| run.number).collect();
    assert_eq!(numbers.len(), 40, "a number was drawn twice");
    let found = horarium_core::ledger::audit::check(&rows);
    assert!(found.is_empty(), "{found:?}");
}
