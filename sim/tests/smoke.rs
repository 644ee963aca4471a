//! Worlds in which nothing goes wrong.

use sim::World;
use sim::profile::Profile;
use sim::timeline::{KEPT, Timeline};

#[test]
fn a_hundred_worlds_without_faults_keep_every_law() {
    for seed in 0..100 {
        let profile = Profile::of(seed).without_faults();
        let mut world = World::new(seed, profile, None, Timeline::keeping(KEPT));
        if let Err(breach) = world.run() {
            panic!("seed {seed}: {breach}\n{}\n{}", world.lines().join("\n"), world.profile());
        }
    }
}
