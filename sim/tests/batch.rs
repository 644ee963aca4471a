//! A few thousand small worlds. `SIM_SEED=7` plays one world, `SIM_SEEDS=1000..2000` plays some,
//! `SIM_KIND` says of which kind; `SIM_LINES=200` shows more of a failure's timeline.

use std::env;

use sim::batch::play_all;
use sim::facts::Fact;
use sim::seeds::{FIXED, Seeds};
use sim::timeline::KEPT;

#[test]
fn every_world_keeps_every_law_and_the_batch_meets_all_that_it_should() {
    let seeds = Seeds::from_environment().unwrap_or_else(|why| panic!("{why}"));
    let whole_batch = u64::try_from(seeds.worlds.len()).unwrap() >= FIXED;
    let kept = env::var("SIM_LINES").map_or(KEPT, |lines| {
        lines.parse().unwrap_or_else(|_| panic!("SIM_LINES={lines} is no number of lines"))
    });
    println!("{seeds}");
    let batch = play_all(&seeds.worlds, kept).unwrap_or_else(|failure| panic!("{failure}"));
    println!("{batch}");
    for fact in Fact::ALL {
        println!("{:>9} {fact:?}", batch.facts.count(*fact));
    }
    if whole_batch {
        let missing = batch.facts.missing();
        assert!(missing.is_empty(), "these never happened: {missing:?}");
        let gaps = batch.coverage.gaps();
        assert!(gaps.is_empty(), "{gaps}");
    }
}
