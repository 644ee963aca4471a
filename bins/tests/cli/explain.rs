//! `explain`, and rules in words.

use crate::program::{Program, assert_said};

#[test]
fn a_run_that_nobody_takes_is_explained_with_the_remedy() {
    let program = Program::with_catalogue();
    assert_said!(program.run(&["explain", "greeting"]));
    program.run(&["run", "start", "greeting"]);
    let view = program.json(&["explain", "greeting"]);
    let standings: Vec<&str> = view["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["standing"].as_str().unwrap())
        .collect();
    assert_eq!(standings, ["holds", "holds", "fails"]);
    assert_eq!(
        view["findings"][2]["remedy"],
        "start a runner whose catalogue has the handler greeting"
    );
}

#[test]
fn an_instant_is_explained() {
    let program = Program::with_catalogue();
    program.run(&["schedule", "set", "greeting", "--cron", "0 8 * * *", "--tz", "UTC"]);
    let asked = |at: &str| program.run(&["explain", "greeting", "--at", at]).stdout;
    assert_eq!(asked("2100-03-01T08:00:00Z"), "2100-03-01T08:00:00Z: it has yet to come\n");
    assert_eq!(
        asked("2100-03-01T08:30:00Z"),
        "2100-03-01T08:30:00Z: the schedule does not name it; the next instant after it is \
         2100-03-02T08:00:00Z\n"
    );
    let before = asked("2020-03-01T08:00:00Z");
    assert!(before.contains("the schedule was changed after it"), "{before}");
}

#[test]
fn a_rule_is_said_in_words_with_what_may_surprise() {
    let program = Program::without_store();
    assert_said!(program.run(&[
        "next",
        "--cron",
        "*/7 2 31 * *",
        "--tz",
        "Europe/Berlin",
        "--explain",
        "--count",
        "2",
        "--after",
        "2026-01-01T00:00:00Z",
    ]));
}
