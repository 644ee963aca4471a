//! One seed is one world.

use sim::timeline::Timeline;
use sim::{Scenario, World};

fn played(seed: u64, timeline: Timeline) -> (Option<sim::Story>, Vec<String>) {
    let mut world = World::new(Scenario::ordinary(seed), None, timeline);
    let story = world.run().ok();
    (story, world.lines())
}

#[test]
fn a_seed_gives_the_same_world_to_the_last_line() {
    for seed in [0, 1, 2, 3, 4, 5, 6, 7, u64::MAX] {
        let first = played(seed, Timeline::keeping(usize::MAX));
        let second = played(seed, Timeline::keeping(usize::MAX));
        assert!(!first.1.is_empty());
        assert_eq!(first, second, "seed {seed}");
    }
}

#[test]
fn whether_anybody_reads_the_timeline_changes_nothing() {
    for seed in 0..20 {
        let read = played(seed, Timeline::keeping(10)).0;
        let unread = played(seed, Timeline::unread()).0;
        assert_eq!(read, unread, "seed {seed}");
    }
}

#[test]
fn two_seeds_give_two_worlds() {
    let digest = |seed| played(seed, Timeline::unread()).0.map(|story| story.digest);
    assert_ne!(digest(1), digest(2));
}
