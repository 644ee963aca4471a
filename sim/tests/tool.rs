//! What people ask the tool, and what it answers when it makes no sense.

use std::fs;
use std::process::Command;

use sim::regression::folder;

#[cfg(test)]
fn asked(arguments: &[&str]) -> (i32, String, String) {
    let asked = Command::new(env!("CARGO_BIN_EXE_sim")).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (asked.status.code().unwrap(), text(asked.stdout), text(asked.stderr))
}

#[cfg(test)]
fn is_bad_input(arguments: &[&str], told: &str) {
    let (code, _, error) = asked(arguments);
    assert_eq!(code, 2, "{arguments:?}: {error}");
    assert!(error.contains(told), "{arguments:?}: {error}");
}

#[test]
fn worlds_that_keep_every_law_are_counted() {
    let (code, told, _) = asked(&["run", "0..3"]);
    assert_eq!(code, 0);
    assert!(told.contains("3 worlds, "), "{told}");
    assert!(told.contains("signatures per CPU-second"), "{told}");
}

#[test]
fn a_failure_shows_how_it_came_and_how_to_see_it_again() {
    let file = folder().join("guard-asleep.json");
    let (code, told, _) = asked(&["shrink", &file.to_string_lossy(), "--out", "/dev/null"]);
    assert_eq!(code, 1, "{told}");
    for part in ["broke no-overlap", "how it came", "the last 40 of", "drawn:", "replay:"] {
        assert!(told.contains(part), "no `{part}` in {told}");
    }
}

#[test]
fn seeds_that_are_none_are_refused() {
    is_bad_input(&["run", "9..3"], "9..3 is empty: write the smaller seed first");
    is_bad_input(&["run", "x"], "`x` is no seed");
    is_bad_input(&["replay", "-1"], "unexpected argument");
    is_bad_input(&["replay", "99999999999999999999"], "is no seed");
}

#[test]
fn names_that_nothing_has_are_refused() {
    is_bad_input(&["replay", "1", "--sabotage", "gremlin"], "`gremlin` is no seeded bug");
    is_bad_input(&["shrink", "1", "--breaks", "gravity"], "`gravity` is no law");
    is_bad_input(&["shrink", "1", "--shows", "miracle"], "`miracle` is no fact");
    is_bad_input(&["run", "0..1", "--kind", "odd"], "`odd` is no kind of world");
}

#[test]
fn files_that_are_no_worlds_are_refused() {
    is_bad_input(&["replay", "nowhere.json"], "nowhere.json: No such file");
    is_bad_input(&["replay", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")], "expected");
    let text = fs::read_to_string(folder().join("guard-asleep.json")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.json");
    fs::write(&file, text.replace("\"format\": 1", "\"format\": 7")).unwrap();
    is_bad_input(&["replay", &file.to_string_lossy()], "format 7 is not 1");
    fs::write(&file, text.replace("\"clock_rate\": ", "\"clock_rate\": 9")).unwrap();
    is_bad_input(&["replay", &file.to_string_lossy()], "`clock_rate` of seat 0");
}

#[test]
fn a_world_in_which_nothing_is_wrong_is_not_shrunk() {
    is_bad_input(&["shrink", "0"], "this world breaks no law: there is nothing to shrink");
    is_bad_input(&["shrink", "0", "--breaks", "fenced"], "this world does not break fenced");
}
