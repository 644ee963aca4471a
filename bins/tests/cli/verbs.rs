//! Each verb at work, with the data on standard output and all else on standard error.

use std::io::Read;
use std::process::Stdio;

use serde_json::Value;

use crate::program::{Program, assert_said};

#[test]
fn a_run_is_asked_for_listed_shown_and_cancelled() {
    let program = Program::with_catalogue();
    assert_said!(program.run(&["run", "start", "greeting", "--reason", "a first try"]));
    assert_said!(program.run(&["run", "list"]));
    assert_said!(program.run(&["run", "show", "#1"]));
    assert_said!(program.run(&["run", "cancel", "1", "--actor", "agent:planner"]));
    assert_said!(program.run(&["run", "cancel", "1"]));
    assert_said!(program.run(&["run", "wait", "1"]));
}

#[test]
fn runs_are_filtered() {
    let program = Program::with_catalogue();
    program.run(&["run", "start", "greeting"]);
    program.run(&["run", "start", "greeting:other"]);
    program.run(&["run", "start", "failing"]);
    program.run(&["run", "cancel", "3"]);
    let numbers = |arguments: &[&str]| -> Vec<u64> {
        let runs = program.json(&[&["run", "list"], arguments].concat());
        runs.as_array().unwrap().iter().map(|run| run["number"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers(&[]), [3, 2, 1]);
    assert_eq!(numbers(&["--limit", "1"]), [3]);
    assert_eq!(numbers(&["--handler", "greeting"]), [2, 1]);
    assert_eq!(numbers(&["--worker", "greeting:other"]), [2]);
    assert_eq!(numbers(&["--status", "CANCELLED", "--status", "running"]), [3]);
    assert_eq!(numbers(&["--trigger", "schedule"]), [0; 0]);
    assert_eq!(numbers(&["--since", "2100-01-01T00:00:00Z"]), [0; 0]);
}

#[test]
fn a_foreground_run_has_the_commands_output_and_exit_status() {
    let program = Program::without_store();
    let said = program.run(&["exec", "greeting"]);
    assert_eq!((said.status, said.stdout.as_str(), said.stderr.as_str()), (0, "hello\n", ""));
    let said = program.run(&["exec", "failing"]);
    assert_eq!((said.status, said.stdout.as_str()), (3, ""));
    assert!(said.stderr.starts_with("trouble\n"), "{said}");

    assert_said!(program.run(&["run", "show", "2"]));
    assert_eq!(program.run(&["run", "output", "1"]).stdout, "hello\n");
    assert_eq!(program.run(&["run", "output", "2", "--stderr"]).stdout, "trouble\n");
    assert_eq!(program.run(&["run", "wait", "1"]).status, 0);
    assert_eq!(program.run(&["run", "wait", "2"]).status, 1);
}

#[test]
fn a_request_reaches_its_job() {
    let program = Program::without_store();
    let said = program.run(&[
        "exec",
        "ocr",
        "--preset",
        "fast",
        "--option",
        "language=de",
        "--engine",
        "gpu",
        "--engine-option",
        "card=1",
        "--batch-size",
        "7",
    ]);
    assert_eq!(said.status, 0, "{said}");
    let document: Value = serde_json::from_str(&said.stdout).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&document["config"]).unwrap());
    assert_said!(program.run(&["run", "show", "1"]));
}

#[test]
fn a_schedule_is_set_shown_switched_and_deleted() {
    let program = Program::with_catalogue();
    let set = [
        "schedule",
        "set",
        "ocr:nightly",
        "--cron",
        "30 2 * * *",
        "--tz",
        "Europe/Berlin",
        "--preset",
        "fast",
        "--max-lateness",
        "2h",
        "--max-attempts",
        "2",
        "--not-before",
        "2099-03-27T00:00:00Z",
        "--reason",
        "as agreed",
    ];
    assert_said!(program.run(&set));
    assert_said!(program.run(&set));
    assert_said!(program.run(&["schedule", "show", "ocr:nightly"]));
    assert_said!(program.run(&["schedule", "disable", "ocr:nightly", "--reason", "holiday"]));
    assert_said!(program.run(&["schedule", "list"]));
    assert_said!(program.run(&["schedule", "enable", "ocr:nightly"]));
    assert_said!(program.run(&["worker", "show", "ocr:nightly"]));
    assert_said!(program.run(&["schedule", "delete", "ocr:nightly"]));
}

#[test]
fn a_schedule_takes_the_default_zone_and_says_so() {
    let program = Program::with_catalogue();
    let said = program.run_with(
        &[("HORARIUM_TIMEZONE", "Asia/Tokyo")],
        &[
            "schedule",
            "set",
            "greeting",
            "--cron",
            "@daily",
            "--not-before",
            "2099-01-01T00:00:00Z",
        ],
    );
    assert_said!(said);
}

#[test]
fn a_schedule_with_a_bound_shows_no_more_than_it_has() {
    let program = Program::with_catalogue();
    assert_said!(program.run(&[
        "schedule",
        "set",
        "greeting",
        "--cron",
        "@yearly",
        "--tz",
        "UTC",
        "--not-before",
        "2098-06-01T00:00:00Z",
        "--max-runs",
        "2",
    ]));
    assert_said!(program.run(&["schedule", "set", "failing", "--at", "2099-01-01T00:00:00Z"]));
    assert_said!(program.run(&[
        "schedule",
        "set",
        "greeting",
        "--cron",
        "@daily",
        "--tz",
        "UTC",
        "--disabled",
    ]));
}

#[test]
fn settings_fill_what_a_request_leaves_open() {
    let program = Program::with_catalogue();
    assert_said!(program.run(&["settings", "set", "ocr", "--option", "pages=9"]));
    assert_said!(program.run(&["settings", "show", "ocr"]));
    program.run(&["run", "start", "ocr"]);
    let run = program.json(&["run", "show", "1"]);
    assert_eq!(run["promised"]["options"]["pages"]["from"], "settings");
    assert_said!(program.run(&["settings", "clear", "ocr"]));
}

#[test]
fn the_catalogue_is_applied_twice_like_once_and_shown() {
    let program = Program::with_catalogue();
    assert_said!(program.run(&["catalogue", "apply", "horarium.toml"]));
    assert_said!(program.run(&["catalogue", "show"]));
    assert_said!(program.run(&["catalogue", "show", "ocr"]));
    assert_said!(program.run(&["worker", "list"]));
    assert_said!(program.run(&["runner", "list"]));
}

#[test]
fn a_file_declares_its_schedules_with_their_zone_and_state() {
    let program = Program::without_store();
    program.write(
        "more.toml",
        "default_timezone = \"Asia/Tokyo\"\n[handler.a]\ncommand = [\"true\"]\n\
         [schedule.a]\ncron = \"@daily\"\nenabled = false\n\
         [schedule.\"a:once\"]\nat = 2099-01-01T00:00:00+09:00\n",
    );
    assert_said!(program.run(&["catalogue", "apply", "more.toml"]));
    let schedules = program.json(&["schedule", "list"]);
    assert_eq!(schedules[0]["worker"], "a:once");
    assert_eq!(schedules[1]["enabled"], false);
    assert_eq!(schedules[1]["recurrence"]["timezone"], "Asia/Tokyo");
}

#[test]
fn a_store_is_made_in_the_state_directory_when_nobody_names_one() {
    let program = Program::without_store();
    let state = program.path("state");
    let mut command = program.command(&["migrate"]);
    command.env_remove("HORARIUM_STORE").env("XDG_STATE_HOME", &state);
    assert!(command.status().unwrap().success());
    assert!(state.join("horarium/horarium.db").is_file());
}

#[test]
fn colour_comes_when_it_is_wanted_and_only_then() {
    let program = Program::with_catalogue();
    let is_coloured = |environment: &[(&str, &str)], arguments: &[&str]| {
        let list = [&["worker", "list"], arguments].concat();
        program.run_with(environment, &list).stdout.contains('\x1b')
    };
    assert!(!is_coloured(&[], &[]));
    assert!(is_coloured(&[], &["--color", "always"]));
    assert!(!is_coloured(&[("NO_COLOR", "1")], &[]));
    assert!(!is_coloured(&[], &["--color", "never"]));
}

#[test]
fn a_reader_that_has_gone_ends_the_program_quietly() {
    let program = Program::with_catalogue();
    for arguments in [
        &["next", "--cron", "* * * * *", "--tz", "UTC", "--count", "10000"][..],
        &["catalogue", "show", "-o", "json"],
        &["--help"],
    ] {
        let mut command = program.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(stderr, "");
    }
}

#[test]
fn a_job_does_not_get_the_key_to_the_ledger_unless_its_handler_names_it() {
    let program = Program::without_store();
    let script =
        r#"command = ["sh", "-c", "echo ${PGPASSWORD-none} ${HORARIUM_STORE-none} $KEPT"]"#;
    program.write(
        "horarium.toml",
        &format!(
            "[handler.plain]\n{script}\n[handler.named]\n{script}\nenvironment.PGPASSWORD = \"own\"\n"
        ),
    );
    let environment = [("PGPASSWORD", "secret"), ("KEPT", "kept")];
    let said = |worker: &str| program.run_with(&environment, &["exec", worker]).stdout;
    assert_eq!(said("plain"), "none none kept\n");
    assert_eq!(said("named"), "own none kept\n");
}
