//! A few thousand small worlds. `SIM_SEED=7` plays one world, `SIM_SEEDS=1000..2000` plays some;
//! `SIM_LINES=200` shows more of a failure's timeline.

use std::env;

use sim::batch::play_all;
use sim::facts::Fact;
use sim::timeline::KEPT;

/// How many worlds are played when nothing else is asked for.
const WORLDS: u64 = 3_000;

fn number(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a seed: write a whole number"))
}

fn seeds() -> Result<Vec<u64>, String> {
    if let Ok(seed) = env::var("SIM_SEED") {
        return Ok(vec![number(&seed)?]);
    }
    match env::var("SIM_SEEDS") {
        Ok(range) => match range.split_once("..") {
            Some((first, end)) => Ok((number(first)?..number(end)?).collect()),
            None => Ok((0..number(&range)?).collect()),
        },
        Err(_) => Ok((0..WORLDS).collect()),
    }
}

#[test]
fn every_world_keeps_every_law_and_each_fact_happens_in_some() {
    let seeds = seeds().unwrap_or_else(|why| panic!("{why}"));
    let whole_batch = u64::try_from(seeds.len()).unwrap() >= WORLDS;
    let kept = env::var("SIM_LINES").map_or(KEPT, |lines| lines.parse().unwrap_or(KEPT));
    let batch = play_all(seeds.into_iter(), kept).unwrap_or_else(|failure| panic!("{failure}"));
    println!("{} worlds, {} steps, {} commands", batch.worlds, batch.steps, batch.commands);
    for fact in Fact::ALL {
        println!("{:>9} {fact:?}", batch.facts.count(*fact));
    }
    let missing = batch.facts.missing();
    assert!(!whole_batch || missing.is_empty(), "these never happened: {missing:?}");
}
