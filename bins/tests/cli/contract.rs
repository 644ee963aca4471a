//! `-o json` is a contract: these snapshots change only by what is added.

use serde_json::{Value, json};

use crate::program::{Program, assert_said};

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[test]
fn a_run_a_schedule_a_worker_and_a_handler_have_these_fields() {
    let program = Program::with_catalogue();
    let state = [
        "schedule",
        "set",
        "failing",
        "--cron",
        "@yearly",
        "--tz",
        "UTC",
        "--not-before",
        "2098-06-01T00:00:00Z",
    ];
    assert_said!(pretty(&program.json(&state)));
    assert_said!(pretty(&program.json(&["schedule", "disable", "failing", "--reason", "why not"])));
    program.run(&["exec", "failing"]);
    let mut run = program.json(&["run", "show", "1"]);
    assert_said!(pretty(&run));
    // A list leaves the output out and is the same else.
    run["output"] = Value::Null;
    assert_eq!(program.json(&["run", "list"])[0], run);
    assert_said!(pretty(&program.json(&["schedule", "show", "failing"])));
    let worker = program.json(&["worker", "show", "failing"]);
    assert_eq!(worker["runs"][0], run);
    assert_eq!(worker["schedule"], program.json(&["schedule", "show", "failing"]));
    assert_said!(pretty(&program.json(&["catalogue", "show", "failing"])));
    let mut runners = program.json(&["runner", "list", "--all"]);
    assert_eq!(runners[0]["name"], runners[0]["host"]);
    runners[0]["name"] = json!("[HOST]");
    runners[0]["host"] = json!("[HOST]");
    assert_said!(pretty(&runners));
    assert_said!(pretty(&program.json(&["run", "cancel", "1"])));
}

#[test]
fn a_list_of_nothing_is_an_empty_list() {
    let program = Program::without_store();
    program.run(&["migrate"]);
    for verb in [
        &["run", "list"][..],
        &["schedule", "list"],
        &["worker", "list"],
        &["runner", "list"],
        &["catalogue", "show"],
    ] {
        assert_eq!(program.json(verb), Value::Array(Vec::new()), "{verb:?}");
    }
}
