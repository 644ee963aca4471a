//! One seed is one world: in one process, in another, and in every build.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use sim::regression::{all_in, folder};
use sim::timeline::Timeline;
use sim::{Scenario, Story, World};

fn played(scenario: Scenario, timeline: Timeline) -> (Option<Story>, Vec<String>) {
    let mut world = World::new(scenario, None, timeline);
    let story = world.run().ok();
    (story, world.lines())
}

fn of_seed(seed: u64, timeline: Timeline) -> (Option<Story>, Vec<String>) {
    played(Scenario::ordinary(seed), timeline)
}

#[test]
fn a_seed_gives_the_same_world_to_the_last_line() {
    for seed in [0, 1, 2, 3, 4, 5, 6, 7, u64::MAX] {
        let first = of_seed(seed, Timeline::keeping(usize::MAX));
        let second = of_seed(seed, Timeline::keeping(usize::MAX));
        assert!(!first.1.is_empty());
        assert_eq!(first, second, "seed {seed}");
    }
}

#[test]
fn whether_anybody_reads_the_timeline_changes_nothing() {
    for seed in 0..20 {
        let read = of_seed(seed, Timeline::keeping(10)).0;
        let unread = of_seed(seed, Timeline::unread()).0;
        assert_eq!(read, unread, "seed {seed}");
    }
}

#[test]
fn two_seeds_give_two_worlds() {
    let digest = |seed| of_seed(seed, Timeline::unread()).0.map(|story| story.digest);
    assert_ne!(digest(1), digest(2));
}

#[test]
fn other_processes_give_the_same_world() {
    for seed in [0, 11, u64::MAX] {
        let told = || {
            let replay = ["replay", &seed.to_string(), "--lines", "100"];
            let told = Command::new(env!("CARGO_BIN_EXE_sim")).args(replay).output().unwrap();
            String::from_utf8(told.stdout).unwrap()
        };
        let first = told();
        assert_eq!(first, told(), "seed {seed}");
        let digest = of_seed(seed, Timeline::unread()).0.map(|story| story.digest).unwrap();
        assert!(first.ends_with(&format!("digest {digest:016x}\n")), "seed {seed}: {first}");
    }
}

/// The worlds that were written down, without their bugs. What they come to is pinned: it is the
/// same in a debug build, in a release build and in later versions, unless a change of the protocol
/// was meant. `SIM_PIN=1` writes it down anew.
#[test]
fn every_build_gives_the_worlds_that_were_written_down() {
    let mut found = String::new();
    for (file, regression) in all_in(&folder()).unwrap_or_else(|error| panic!("{error}")) {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let story = played(regression.scenario, Timeline::unread()).0.unwrap();
        let (digest, steps) = (story.digest, story.steps);
        writeln!(found, "{digest:016x} {steps} {name}").unwrap();
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/digests.txt");
    if env::var_os("SIM_PIN").is_some() {
        fs::write(&file, &found).unwrap();
    }
    let pinned = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        found, pinned,
        "these worlds go another way now: if that was meant, SIM_PIN=1 writes it down"
    );
}
