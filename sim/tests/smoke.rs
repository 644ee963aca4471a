//! Worlds in which nothing goes wrong.

use horarium_core::words::Span;
use sim::batch::play;
use sim::breach::Law;
use sim::profile::{Faults, Wishes};
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

#[test]
fn who_gives_a_slot_away_by_force_takes_the_risk_of_an_overlap_even_with_a_job_not_yet_started() {
    for seed in 0..60 {
        let mut scenario = Scenario::ordinary(seed);
        let profile = &mut scenario.profile;
        profile.wishes = Wishes { enqueue: 20, release: 30, foreground: 30, ..profile.wishes };
        profile.operator_gap = Span::from_secs(1);
        profile.faults = Faults { answer_late: 300, ..Faults::default() };
        if let Err(failure) = play(scenario, None, KEPT) {
            panic!("{failure}");
        }
    }
}
