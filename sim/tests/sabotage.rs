//! The harness can fail: every seeded bug is caught, by a law that it breaks.

use sim::batch::play;
use sim::sabotage::Sabotage;

/// Every bug is caught within so many worlds.
const MOST_WORLDS: u64 = 500;

#[test]
fn every_seeded_bug_is_caught_by_a_law_that_it_breaks() {
    let mut escaped = Vec::new();
    for sabotage in Sabotage::ALL {
        let caught = (0..MOST_WORLDS)
            .find_map(|seed| play(seed, Some(sabotage), 40).err().map(|it| (seed, it)));
        match caught {
            Some((seed, failure)) if sabotage.laws().contains(&failure.breach.law) => {
                println!("{sabotage:?}: world {seed}, {}", failure.breach);
            }
            Some((seed, failure)) => {
                println!("{sabotage:?}: world {seed}, but by {}", failure.breach);
                escaped.push(sabotage);
            }
            None => {
                println!("{sabotage:?}: not caught");
                escaped.push(sabotage);
            }
        }
    }
    assert!(escaped.is_empty(), "not caught as they should be: {escaped:?}");
}
