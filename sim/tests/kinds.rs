//! Worlds beyond the bounds of the design weaken what they must, and nothing more.

use std::collections::BTreeSet;

use sim::Scenario;
use sim::batch::play;
use sim::breach::Law;
use sim::profile::Kind;

/// Each weakened law is broken within so many worlds.
const MOST_WORLDS: u64 = 400;

#[test]
fn every_law_that_a_kind_weakens_is_broken_in_some_world_of_that_kind() {
    for kind in Kind::ALL {
        let weakened: BTreeSet<Law> = kind.weakened().iter().copied().collect();
        let mut broken = BTreeSet::new();
        for seed in 0..MOST_WORLDS {
            if broken == weakened {
                break;
            }
            let story = play(Scenario::of(*kind, seed), None, 0);
            broken.extend(story.unwrap_or_else(|failure| panic!("{failure}")).passed_over);
        }
        assert_eq!(broken, weakened, "{kind}");
    }
}
