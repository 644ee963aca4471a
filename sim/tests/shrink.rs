//! The shrinker leaves little, and what it leaves is the same failure.

use sim::batch::play;
use sim::breach::Law;
use sim::facts::Fact;
use sim::sabotage::Sabotage;
use sim::shrink::{Shrunk, Target, shrink};
use sim::{Scenario, World};

#[cfg(test)]
fn short_failure(sabotage: Sabotage) -> (Scenario, Law) {
    // A short one: the tries are counted.
    let failure = (0..60)
        .filter_map(|seed| play(Scenario::ordinary(seed), Some(sabotage), 0).err())
        .min_by_key(|failure| failure.steps)
        .unwrap_or_else(|| panic!("{sabotage:?} is not caught"));
    (failure.scenario, failure.breach.law)
}

#[cfg(test)]
fn shrunk(scenario: &Scenario, sabotage: Option<Sabotage>, target: Target) -> Shrunk {
    shrink(scenario, sabotage, target, 500, &mut |line| println!("{line}"))
        .unwrap_or_else(|| panic!("{target:?} does not happen in {}", scenario.seed))
}

#[test]
fn a_failure_keeps_a_fifth_of_its_incidents_at_most_and_breaks_the_same_law() {
    for sabotage in [Sabotage::GuardAsleep, Sabotage::AnyAnswerTaken] {
        let (scenario, law) = short_failure(sabotage);
        let Shrunk { before, after, .. } = shrunk(&scenario, Some(sabotage), Target::Breaks(law));
        assert!(after.incidents * 5 <= before.incidents, "{sabotage:?}: {after:?}");
        assert!(after.incidents < before.incidents && after.steps < before.steps);
        let again = play(after.scenario, Some(sabotage), 0).unwrap_err();
        assert_eq!((again.breach.law, again.steps), (law, after.steps));
    }
}

#[test]
fn what_is_left_fails_because_of_the_bug_alone() {
    let (scenario, law) = short_failure(Sabotage::GuardAsleep);
    let small = shrunk(&scenario, Some(Sabotage::GuardAsleep), Target::Breaks(law)).after;
    play(small.scenario, None, 0).unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn a_world_shrinks_to_the_smallest_that_shows_a_fact() {
    let fact = Fact::LeaseSwept;
    let scenario = (0..100)
        .map(Scenario::ordinary)
        .find(|scenario| {
            let mut world = World::new(scenario.clone(), None, sim::timeline::Timeline::unread());
            world.run_until(fact)
        })
        .unwrap_or_else(|| panic!("{fact:?} never happens"));
    let small = shrunk(&scenario, None, Target::Shows(fact)).after;
    assert!(small.incidents <= 5, "{small:?}");
}

#[test]
fn a_world_in_which_nothing_is_wrong_does_not_shrink() {
    let target = Target::Breaks(Law::Convergence);
    assert!(shrink(&Scenario::ordinary(0), None, target, 10, &mut |_| {}).is_none());
}
