//! Worlds in which nothing goes wrong.

use horarium_core::words::Span;
use sim::breach::Law;
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

#[test]
fn a_world_that_does_not_end_fails_and_says_so() {
    let mut scenario = Scenario::ordinary(0);
    scenario.profile.chaos = Span::from_days(1);
    scenario.profile.operator_gap = Span::from_hours(1);
    scenario.profile.is_scheduled = false;
    for seat in &mut scenario.profile.seats {
        seat.poll = Span::from_millis(50);
    }
    let breach = World::new(scenario, None, Timeline::unread()).run().unwrap_err();
    assert_eq!(breach.law, Law::StepBudget, "{breach}");
    assert!(breach.what.starts_with("not over after "), "{breach}");
}
