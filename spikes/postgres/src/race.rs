//! The race: many connections at once, with turns that are lost, repeated and late, runners that
//! crash and freeze, enqueues that are sent twice, two schedulers that both believe to lead.

use std::sync::Arc;
use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_postgres::Error;

use crate::ledger::{Enqueued, Wish, connect};
use crate::runner::runner;
use crate::sql::Texts;
use crate::world::{WORKERS, World, below, chance, new_id, rng};

/// Runs the race and says what was counted and what was broken.
pub async fn race(url: &str, texts: Texts, time: Duration, seed: u64) -> Result<World, Error> {
    let world = Arc::new(World::create(url, texts, time).await?);
    let mut actors = JoinSet::new();
    for actor in 0..5 {
        actors.spawn(runner(world.clone(), rng(seed, actor)));
    }
    for actor in 10..13 {
        actors.spawn(enqueuer(world.clone(), rng(seed, actor)));
    }
    for actor in 20..22 {
        actors.spawn(scheduler(world.clone(), rng(seed, actor)));
        actors.spawn(sweeper(world.clone(), rng(seed, actor + 10)));
        actors.spawn(outsider(world.clone(), rng(seed, actor + 20)));
    }
    actors.spawn(canceller(world.clone(), rng(seed, 50)));
    actors.spawn(checker(world.clone()));
    while let Some(ended) = actors.join_next().await {
        match ended {
            Ok(result) => drop(world.heard("an actor", result)),
            Err(panic) => world.fault(format!("an actor panicked: {panic}")),
        }
    }
    let client = connect(url, "check").await?;
    world.check(&client).await;
    world.check_answers(&client).await;
    Ok(Arc::into_inner(world).expect("every actor has ended"))
}

async fn enqueuer(world: Arc<World>, mut rng: ChaCha8Rng) -> Result<(), Error> {
    let (one, two) = (world.ledger("enqueue").await?, world.ledger("enqueue").await?);
    while !world.is_over() {
        let mut wishes = Vec::new();
        for _ in 0..=below(&mut rng, 9) {
            let old = if chance(&mut rng, 20) { world.old_wish(&mut rng) } else { None };
            wishes.push(old.unwrap_or_else(|| Wish {
                run: new_id(&mut rng),
                worker: format!("w:{}", below(&mut rng, WORKERS)),
            }));
        }
        let mut answers = Vec::new();
        if chance(&mut rng, 20) {
            // The same command at the same time on two connections.
            let (first, second) = tokio::join!(one.enqueue(&wishes), two.enqueue(&wishes));
            answers.extend(world.heard("enqueue", first));
            answers.extend(world.heard("enqueue", second));
        } else {
            answers.extend(world.heard("enqueue", one.enqueue(&wishes).await));
        }
        for (wish, answer) in answers.iter().flat_map(|answers| wishes.iter().zip(answers)) {
            match answer {
                Enqueued::New => {
                    world.count("enqueued", 1);
                    world.wished(wish);
                }
                Enqueued::Existed => world.count("enqueued again", 1),
                Enqueued::SlotTaken => world.count("slot taken", 1),
                Enqueued::IdTaken => world.fault("an id that is this wish's own was called taken"),
            }
        }
        sleep(Duration::from_millis(below(&mut rng, 5))).await;
    }
    Ok(())
}

async fn scheduler(world: Arc<World>, mut rng: ChaCha8Rng) -> Result<(), Error> {
    let ledger = world.ledger("tick").await?;
    while !world.is_over() {
        let limit = 1 + i64::try_from(below(&mut rng, 12)).unwrap_or(0);
        let done = world.heard("tick", ledger.tick(limit).await).unwrap_or_default();
        world.count("ticked", done.len() as u64);
        sleep(Duration::from_millis(below(&mut rng, 6))).await;
    }
    Ok(())
}

async fn sweeper(world: Arc<World>, mut rng: ChaCha8Rng) -> Result<(), Error> {
    let ledger = world.ledger("sweep").await?;
    while !world.is_over() {
        let limit = 1 + i64::try_from(below(&mut rng, 8)).unwrap_or(0);
        if let Some((expired, late)) = world.heard("sweep", ledger.sweep(limit).await) {
            world.count("swept: lease expired", expired.unsigned_abs());
            world.count("swept: too late", late.unsigned_abs());
        }
        sleep(Duration::from_millis(below(&mut rng, 10))).await;
    }
    Ok(())
}

async fn canceller(world: Arc<World>, mut rng: ChaCha8Rng) -> Result<(), Error> {
    let ledger = world.ledger("cancel").await?;
    while !world.is_over() {
        let queued = world.old_wish(&mut rng).filter(|_| chance(&mut rng, 20)).map(|wish| wish.run);
        if let Some(run) = queued.or_else(|| world.some_run(&mut rng)) {
            let changed = world.heard("cancel", ledger.cancel(run).await);
            world.count("cancelled", u64::from(changed == Some(true)));
        }
        sleep(Duration::from_millis(below(&mut rng, 30))).await;
    }
    Ok(())
}

/// A transaction of somebody else that holds a row for a while.
async fn outsider(world: Arc<World>, mut rng: ChaCha8Rng) -> Result<(), Error> {
    let client = connect(&world.url, "outsider").await?;
    while !world.is_over() {
        let table =
            if chance(&mut rng, 50) { "run_live WHERE worker" } else { "worker WHERE name" };
        let name = below(&mut rng, WORKERS);
        client
            .batch_execute(&format!("BEGIN; SELECT FROM {table} = 'w:{name}' FOR UPDATE"))
            .await?;
        sleep(Duration::from_millis(below(&mut rng, 25))).await;
        client.batch_execute("ROLLBACK").await?;
        sleep(Duration::from_millis(below(&mut rng, 25))).await;
    }
    Ok(())
}

async fn checker(world: Arc<World>) -> Result<(), Error> {
    let client = connect(&world.url, "check").await?;
    while !world.is_over() {
        world.check(&client).await;
        world.count("checked while it ran", 1);
        sleep(Duration::from_millis(500)).await;
    }
    Ok(())
}
