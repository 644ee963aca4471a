//! A runner of the race: follows the protocol of the turn, over a network that loses, repeats and
//! delays, and now and then crashes, freezes, or reports on what is no longer its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use tokio::time::sleep;
use tokio_postgres::Error;
use uuid::Uuid;

use crate::ledger::{Answer, Claim, Item, Ledger, Turn, Turned, What};
use crate::world::{CAPACITY, LEASE, World, below, chance, new_id};

struct Life {
    runner: Uuid,
    number: i64,
    /// What it must name until the store has answered done or lost, and what it last said of it.
    jobs: BTreeMap<Claim, Item>,
    /// Claims that are over; a zombie still reports on them.
    over: Vec<Claim>,
    earlier: Vec<Turn>,
}

pub async fn runner(world: Arc<World>, mut rng: ChaCha8Rng) -> Result<(), Error> {
    let one = Arc::new(world.ledger("turn").await?);
    let two = Arc::new(world.ledger("turn").await?);
    while !world.is_over() {
        let runner = new_id(&mut rng);
        let handlers = chance(&mut rng, 50).then_some(["v", "w"].as_slice());
        one.register(runner, LEASE, handlers).await?;
        let (jobs, over, earlier) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut life = Life { runner, number: 0, jobs, over, earlier };
        while !world.is_over() && life.step(&world, &one, &two, &mut rng).await {
            sleep(Duration::from_micros(below(&mut rng, 4_000))).await;
        }
        world.count("runner lives", 1);
    }
    Ok(())
}

impl Life {
    /// One turn, one way or another. False when this life is over.
    async fn step(
        &mut self,
        world: &Arc<World>,
        one: &Arc<Ledger>,
        two: &Arc<Ledger>,
        rng: &mut ChaCha8Rng,
    ) -> bool {
        match below(rng, 300) {
            0 => return false,
            1 => sleep(Duration::from_micros(LEASE.unsigned_abs() * 5 / 4)).await,
            _ => {}
        }
        let turn = self.say(rng);
        match below(rng, 100) {
            // The answer is lost; the next number goes out while this turn may still be at work.
            0..15 => {
                world.count("turns whose answer was lost", 1);
                let (world, ledger, lost) = (world.clone(), two.clone(), turn.clone());
                tokio::spawn(async move { drop(world.heard("turn", ledger.turn(&lost).await)) });
                self.earlier.push(turn);
                true
            }
            // The request arrives twice at the same time.
            15..30 => {
                world.count("turns that came twice", 1);
                let (first, second) = tokio::join!(one.turn(&turn), two.turn(&turn));
                let first = world.heard("turn", first);
                let second = world.heard("turn", second);
                match (first, second) {
                    (Some(Turned::Taken { .. }), Some(Turned::Taken { .. })) => {
                        world.fault("one turn was taken twice");
                        false
                    }
                    (Some(answer @ Turned::Taken { .. }), _) | (_, Some(answer)) => {
                        self.hear(world, one, &turn, answer).await
                    }
                    (Some(answer), None) => self.hear(world, one, &turn, answer).await,
                    (None, None) => true,
                }
            }
            // An old request arrives late.
            30..40 if !self.earlier.is_empty() => {
                world.count("turns that came late", 1);
                let index = below(rng, self.earlier.len() as u64) as usize;
                let late = self.earlier.swap_remove(index);
                // Only a number that is certainly used up tells a fault from a fair race.
                if world
                    .heard("turn", one.turn(&turn).await)
                    .is_some_and(|answer| matches!(answer, Turned::Taken { .. }))
                    && matches!(
                        world.heard("turn", two.turn(&late).await),
                        Some(Turned::Taken { .. })
                    )
                {
                    world.fault("a turn was taken after a later one");
                }
                true
            }
            _ => {
                let answer = world.heard("turn", one.turn(&turn).await);
                match answer {
                    Some(answer) => self.hear(world, one, &turn, answer).await,
                    None => true,
                }
            }
        }
    }

    fn say(&mut self, rng: &mut ChaCha8Rng) -> Turn {
        self.number += 1;
        let runner = self.runner;
        for item in self.jobs.values_mut() {
            if !matches!(item.what, What::End | What::GiveBack) {
                *item = next_word(runner, item, rng);
            }
        }
        let mut items: Vec<Item> = self.jobs.values().cloned().collect();
        if !self.over.is_empty() && chance(rng, 30) {
            let index = below(rng, self.over.len() as u64) as usize;
            let mut item = Item::plain(self.over[index], What::Hold);
            end(runner, &mut item, "SUCCESS");
            items.push(item);
        }
        let capacity = if chance(rng, 5) { 0 } else { CAPACITY };
        Turn { runner, number: self.number, capacity, items }
    }

    async fn hear(
        &mut self,
        world: &World,
        ledger: &Ledger,
        turn: &Turn,
        mut answer: Turned,
    ) -> bool {
        while matches!(answer, Turned::Raced) {
            world.count("turns that raced and were repeated", 1);
            match world.heard("turn", ledger.turn(turn).await) {
                Some(again) => answer = again,
                None => return true,
            }
        }
        let Turned::Taken { answers, grants } = answer else {
            world.count("stale", 1);
            return false;
        };
        world.count("turns", 1);
        for (item, answer) in turn.items.iter().zip(answers) {
            match answer {
                Answer::Done if item.what == What::End => {
                    world.count("ended", 1);
                    world.finished(item.claim, self.runner);
                    self.forget(item.claim);
                }
                Answer::Done => {
                    world.count("given back", 1);
                    self.forget(item.claim);
                }
                Answer::Lost => {
                    world.count("lost", 1);
                    self.forget(item.claim);
                }
                Answer::Busy => world.count("busy", 1),
                Answer::Held { cancel: true } => {
                    if let Some(job) = self.jobs.get_mut(&item.claim) {
                        end(self.runner, job, "CANCELLED");
                    }
                }
                Answer::Held { cancel: false } => {}
            }
        }
        world.count("granted", grants.len() as u64);
        world.granted(&grants);
        for claim in grants {
            if turn.items.iter().any(|item| item.claim == claim) {
                world.fault("a claim that the turn named was handed over again");
            }
            self.jobs.entry(claim).or_insert_with(|| Item::plain(claim, What::Hold));
        }
        true
    }

    fn forget(&mut self, claim: Claim) {
        self.jobs.remove(&claim);
        self.over.push(claim);
        if self.over.len() > 50 {
            self.over.remove(0);
        }
    }
}

/// What a job has to say next.
fn next_word(runner: Uuid, before: &Item, rng: &mut ChaCha8Rng) -> Item {
    let mut item = Item::plain(before.claim, What::Hold);
    match below(rng, 100) {
        0..25 => end(runner, &mut item, "SUCCESS"),
        25..45 => {
            end(runner, &mut item, "FAILED");
            item.may_retry = true;
        }
        45..55 => item.what = What::GiveBack,
        55..70 => item.what = What::Renew,
        70..80 => item.started = Some("{}".to_owned()),
        80..85 => item.progress = Some("half".to_owned()),
        _ => {}
    }
    item
}

fn end(runner: Uuid, item: &mut Item, status: &'static str) {
    item.what = What::End;
    item.status = Some(status);
    item.outcome = Some(format!("{{\"by\":\"{runner}/{}\"}}", item.claim.1));
}
