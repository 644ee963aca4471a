//! Every bad input gets a message that names the thing, the place and the remedy, and its exit
//! status; nothing is half done.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;

use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

use crate::program::{Program, assert_said};

/// What each command line answers, one below the other.
fn transcript(program: &Program, lines: &[&[&str]]) -> String {
    let answers: Vec<String> = lines
        .iter()
        .map(|arguments| format!("$ horarium {}\n{}", arguments.join(" "), program.run(arguments)))
        .collect();
    answers.join("\n\n")
}

#[test]
fn a_malformed_rule_or_zone_or_instant_is_shown_with_its_place() {
    let program = Program::with_catalogue();
    assert_said!(transcript(
        &program,
        &[
            &["schedule", "set", "greeting", "--cron", "0 25 * * *", "--tz", "UTC"],
            &["schedule", "set", "greeting", "--cron", "30 2 ? * *", "--tz", "UTC"],
            &["schedule", "set", "greeting", "--cron", "0 2 * *", "--tz", "UTC"],
            &["schedule", "set", "greeting", "--cron", "0 0 31 2 *", "--tz", "UTC"],
            &["schedule", "set", "greeting", "--cron", "0 2 * * *", "--tz", "Berlin"],
            &["schedule", "set", "greeting", "--cron", "0 2 * * *", "--tz", "GMT+1"],
            &["schedule", "set", "greeting", "--cron", "0 2 * * *"],
            &["schedule", "set", "greeting", "--at", "tomorrow"],
            &["schedule", "set", "greeting"],
            &["schedule", "set", "greeting", "--cron", "@daily", "--at", "2030-01-01T00:00:00Z"],
            &["next", "--cron", "* * * * * *", "--tz", "UTC"],
            &["next", "--cron", "@daily"],
        ]
    ));
    assert_eq!(program.json(&["schedule", "list"]), serde_json::json!([]));
}

#[test]
fn a_schedule_that_can_never_fire_is_refused() {
    let program = Program::with_catalogue();
    assert_said!(transcript(
        &program,
        &[
            &["schedule", "set", "greeting", "--at", "2020-01-01T00:00:00Z"],
            &[
                "schedule",
                "set",
                "greeting",
                "--cron",
                "@yearly",
                "--tz",
                "UTC",
                "--until",
                "2020-01-01T00:00:00Z",
            ],
        ]
    ));
    assert_eq!(program.json(&["schedule", "list"]), serde_json::json!([]));
}

#[test]
fn a_malformed_name_or_number_or_duration_is_shown_with_its_place() {
    let program = Program::with_catalogue();
    assert_said!(transcript(
        &program,
        &[
            &["run", "start", "Greeting"],
            &["run", "start", "a:b:c"],
            &["run", "show", "latest"],
            &["run", "start", "greeting", "--id", "17"],
            &["run", "start", "greeting", "--actor", "robot:r2"],
            &["run", "start", "greeting", "--reason", ""],
            &["run", "wait", "1", "--timeout", "soon"],
            &["run", "list", "--status", "done"],
            &["run", "list", "--since", "yesterday"],
            &[
                "schedule",
                "set",
                "greeting",
                "--cron",
                "@daily",
                "--tz",
                "UTC",
                "--max-attempts",
                "4"
            ],
            &[
                "schedule",
                "set",
                "greeting",
                "--cron",
                "@daily",
                "--tz",
                "UTC",
                "--backoff",
                "linear"
            ],
            &["schedule", "set", "greeting", "--cron", "@daily", "--tz", "UTC", "--max-runs", "0"],
            &["run", "strat", "greeting"],
        ]
    ));
}

#[test]
fn options_that_are_no_json_or_do_not_fit_the_schema_are_shown_with_their_place() {
    let program = Program::with_catalogue();
    program.write("options.json", "{\n  \"pages\": 3,\n  language: \"de\"\n}\n");
    assert_said!(transcript(
        &program,
        &[
            &["run", "start", "ocr", "--option", "pages"],
            &["run", "start", "ocr", "--options", "[1]"],
            &["run", "start", "ocr", "--options", "@options.json"],
            &["run", "start", "ocr", "--options", "@nowhere.json"],
            &["run", "start", "ocr"],
            &["run", "start", "ocr", "--option", "pages=0", "--option", "langage=de"],
            &["run", "start", "ocr", "--preset", "slow"],
            &["run", "start", "ocr", "--preset", "fast", "--engine", "cpu"],
            &[
                "run",
                "start",
                "ocr",
                "--preset",
                "fast",
                "--engine",
                "gpu",
                "--engine-option",
                "card=one",
            ],
            &["run", "start", "ocr", "--preset", "fast", "--engine-option", "card=1"],
            &["schedule", "set", "ocr", "--cron", "@daily", "--tz", "UTC", "--option", "pages=x"],
            &["settings", "set", "ocr", "--option", "language=fr"],
            &["exec", "ocr", "--option", "pages=x"],
        ]
    ));
    assert_eq!(program.json(&["run", "list"]), serde_json::json!([]));
}

#[test]
fn what_does_not_exist_is_named() {
    let program = Program::with_catalogue();
    assert_said!(transcript(
        &program,
        &[
            &["run", "start", "nothing"],
            &["run", "show", "77"],
            &["run", "cancel", "0193a1b2-7c4d-7e5f-8a9b-0c1d2e3f4a5b"],
            &["run", "output", "77"],
            &["worker", "show", "nothing"],
            &["schedule", "show", "greeting"],
            &["schedule", "enable", "greeting"],
            &["schedule", "delete", "greeting"],
            &["catalogue", "show", "nothing"],
            &["settings", "show", "nothing"],
            &["exec", "nothing"],
        ]
    ));
}

#[test]
fn a_slot_that_is_taken_is_a_conflict() {
    let program = Program::with_catalogue();
    assert_eq!(program.run(&["run", "start", "greeting"]).status, 0);
    assert_said!(transcript(
        &program,
        &[
            &["run", "start", "greeting"],
            &["exec", "greeting"],
            &["run", "release", "1", "--force"],
            &["run", "wait", "1", "--timeout", "10ms"],
        ]
    ));
}

#[test]
fn an_id_is_taken_once() {
    let program = Program::with_catalogue();
    let id = "0193a1b2-7c4d-7e5f-8a9b-0c1d2e3f4a5b";
    let start = ["run", "start", "greeting", "--id", id];
    assert_said!(transcript(&program, &[&start, &start, &["run", "start", "failing", "--id", id]]));
}

#[test]
fn a_faulty_catalogue_file_changes_nothing_and_makes_no_store() {
    let program = Program::without_store();
    program.write(
        "faulty.toml",
        "[handler.a]\ncomand = [\"x\"]\ndirectory = \"no/such\"\n[schedule.a]\ncron = \"0 25 * * *\"\n",
    );
    assert_said!(transcript(
        &program,
        &[
            &["catalogue", "apply", "faulty.toml"],
            &["catalogue", "apply", "faulty.toml", "--check"],
            &["catalogue", "apply", "nowhere.toml"],
            &["up", "faulty.toml"],
            &["exec", "a", "--catalogue", "faulty.toml"],
        ]
    ));
    assert!(!program.store().exists());
}

#[test]
fn a_store_that_is_missing_is_not_made_by_looking_at_it() {
    let program = Program::without_store();
    assert_said!(transcript(
        &program,
        &[
            &["run", "list"],
            &["run", "start", "greeting"],
            &["migrate", "--store", "no/such/directory/horarium.db"],
            &["migrate", "--store", "."],
            &["migrate", "--store", ""],
        ]
    ));
    assert!(!program.store().exists());
}

#[test]
fn a_file_that_is_no_store_of_ours_is_left_as_it_is() {
    let program = Program::without_store();
    program.write("horarium.db", "certainly no database, but long enough to look like a file");
    assert_said!(transcript(&program, &[&["run", "list"], &["migrate"]]));
    assert!(fs::read_to_string(program.store()).unwrap().starts_with("certainly"));
}

#[test]
fn a_read_only_store_is_named_with_the_remedy() {
    let program = Program::with_catalogue();
    fs::set_permissions(program.store(), fs::Permissions::from_mode(0o444)).unwrap();
    assert_said!(transcript(&program, &[&["run", "list"], &["run", "start", "greeting"]]));
}

#[test]
fn a_damaged_store_is_named_with_the_remedy() {
    let program = Program::with_catalogue();
    let mut file = fs::OpenOptions::new().write(true).open(program.store()).unwrap();
    file.seek(SeekFrom::Start(100)).unwrap();
    file.write_all(&[0xa5; 4096 * 3]).unwrap();
    let said = program.run(&["run", "list"]);
    assert_eq!((said.status, said.stdout.as_str()), (5, ""));
    assert!(said.stderr.contains("[DIR]/horarium.db") && said.stderr.contains("damaged"), "{said}");
}

#[tokio::test]
async fn a_schema_of_another_version_is_refused_with_the_remedy() {
    let program = Program::with_catalogue();
    let options = SqliteConnectOptions::new().filename(program.store());
    for (change, version) in [
        ("DELETE FROM schema_version WHERE version = 2", "older"),
        ("UPDATE schema_version SET version = 99, min_compatible = 99", "newer"),
    ] {
        let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
        sqlx::raw_sql(change).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        let said = program.run(&["run", "list"]);
        assert_eq!(said.status, 6, "{version}: {said}");
        insta::assert_snapshot!(said);
    }
}

#[test]
fn settings_that_cannot_keep_a_promise_are_refused_before_anything_starts() {
    let program = Program::without_store();
    assert_said!(transcript(
        &program,
        &[
            &["up", "--lease", "20s"],
            &["up", "--heartbeat", "0s"],
            &["up", "--retention", "1d"],
            &["up", "--concurrency", "0"],
            &["exec", "greeting", "--lease", "20s"],
        ]
    ));
    assert!(!program.store().exists());
}

#[test]
fn a_setting_of_the_environment_is_named_when_it_is_wrong() {
    let program = Program::with_catalogue();
    assert_said!(program.run_with(&[("HORARIUM_TIMEZONE", "Mars/Base")], &["run", "list"]));
    assert_said!(program.run_with(&[("HORARIUM_ACTOR", "ada")], &["run", "start", "greeting"]));
    assert_said!(
        program.run_with(&[("HORARIUM_STORE", "mysql://localhost/horarium")], &["run", "list"])
    );
}
