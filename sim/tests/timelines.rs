//! The timelines in the docs are what the simulator really does. `SIM_TIMELINES=write` writes the
//! page anew; `SIM_TIMELINES=find` looks for the smallest worlds anew before.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use sim::facts::Fact;
use sim::shrink::{Found, Target, shrink};
use sim::timeline::Timeline;
use sim::{Scenario, World};

/// A fact, and what the page says about it.
struct Picture {
    name: &'static str,
    fact: Fact,
    title: &'static str,
    text: &'static str,
}

const PICTURES: [Picture; 5] = [
    Picture {
        name: "catch-up",
        fact: Fact::CaughtUp,
        title: "Catch-up",
        text: "Nobody ticked for a while. However much was missed, a due schedule gives one run, \
               and the next instant lies ahead.",
    },
    Picture {
        name: "skip",
        fact: Fact::SkippedSlotTaken,
        title: "Skip",
        text: "A worker has one slot. An instant that finds it taken is not queued behind it: it \
               is recorded as skipped, with its reason.",
    },
    Picture {
        name: "retry",
        fact: Fact::RetriedAfterFailure,
        title: "Retry",
        text: "A scheduled run fails with attempts left. From that moment a retry is owed; the \
               scheduler creates it with its delay, and it holds the slot.",
    },
    Picture {
        name: "zombie",
        fact: Fact::ZombieFenced,
        title: "Zombie",
        text: "A runner that was not heard of comes back and speaks of a run that is no longer \
               its own. The fence tells it so, and nothing is written twice.",
    },
    Picture {
        name: "fail-over",
        fact: Fact::LeaderTookOver,
        title: "Fail-over",
        text: "The leading scheduler dies, and with it goes its lock. One that stood by gets the \
               lock at its next try and leads.",
    },
];

/// How many worlds are made small for one picture; the smallest is taken.
const CANDIDATES: usize = 12;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("timelines").join(format!("{name}.json"))
}

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/timelines.md")
}

#[cfg(test)]
fn smallest(fact: Fact) -> Scenario {
    let shows = |scenario: &Scenario| {
        World::new(scenario.clone(), None, Timeline::unread()).run_until(fact)
    };
    let target = Target::Shows(fact);
    let found = (0..3_000)
        .map(Scenario::ordinary)
        .filter(shows)
        .take(CANDIDATES)
        .filter_map(|scenario| shrink(&scenario, None, target, 400, &mut |_| {}))
        .map(|shrunk| shrunk.after)
        .filter(|Found { scenario, .. }| is_plain(&story(scenario, fact)))
        .min_by_key(|Found { scenario, .. }| story(scenario, fact).len());
    found.unwrap_or_else(|| panic!("{fact:?} never happens")).scenario
}

/// A run in the foreground is another story.
fn is_plain(story: &[String]) -> bool {
    !story.iter().any(|line| line.contains("in the foreground"))
}

fn story(scenario: &Scenario, fact: Fact) -> Vec<String> {
    let mut world = World::new(scenario.clone(), None, Timeline::keeping(usize::MAX));
    assert!(
        world.run_until(fact),
        "{fact:?} does not happen any more: SIM_TIMELINES=find looks for other worlds"
    );
    world.story()
}

#[test]
fn the_timelines_in_the_docs_are_those_of_the_simulator() {
    let wish = env::var("SIM_TIMELINES").unwrap_or_default();
    let mut text = String::from(HEAD);
    for Picture { name, fact, title, text: about } in PICTURES {
        if wish == "find" {
            let json = serde_json::to_string_pretty(&smallest(fact)).unwrap();
            fs::write(file(name), json + "\n").unwrap();
        }
        let json = fs::read_to_string(file(name)).unwrap();
        let scenario: Scenario = serde_json::from_str(&json).unwrap();
        writeln!(text, "\n## {title}\n\n{about}\n\n```text").unwrap();
        for line in story(&scenario, fact) {
            writeln!(text, "{line}").unwrap();
        }
        writeln!(text, "```").unwrap();
    }
    if !wish.is_empty() {
        fs::write(page(), &text).unwrap();
    }
    let written = fs::read_to_string(page()).unwrap_or_default();
    assert_eq!(text, written, "docs/timelines.md is not true any more: SIM_TIMELINES=write");
}

const HEAD: &str = "\
# Timelines

What really happens, told by the simulator: each is the smallest world that it found in which the thing happens, until the
moment that it does. The first column is true time in seconds; times of day are those of the store's clock. A test holds
this page to the truth.
";
