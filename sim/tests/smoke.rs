//! Worlds in which nothing goes wrong.

use sim::timeline::{KEPT, Timeline};
use sim::{Scenario, World};

#[test]
fn a_hundred_worlds_without_faults_keep_every_law() {
    for seed in 0..100 {
        let mut scenario = Scenario::ordinary(seed);
        scenario.profile = scenario.profile.without_faults();
        let mut world = World::new(scenario, None, Timeline::keeping(KEPT));
        if let Err(breach) = world.run() {
            panic!("seed {seed}: {breach}\n{}\n{}", world.lines().join("\n"), world.profile());
        }
    }
}
