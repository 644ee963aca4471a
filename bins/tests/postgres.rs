//! The program and its daemons on PostgreSQL, as processes: what a person does first, a runner and
//! schedulers on one ledger, and a leader that goes.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may

mod daemons;
#[path = "../../io-postgres/tests/server/mod.rs"]
mod server;

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use horarium_core::ledger::audit::check;
use horarium_postgres::{OpenOptions, PostgresStore};
use rustix::process::Signal;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use daemons::{Daemon, comes_true};
use server::Database;

const CATALOGUE: &str = "\
[handler.greeting]
command = [\"echo\", \"hello\"]
[handler.nap]
command = [\"sleep\", \"60\"]
";

/// A database, a directory with a catalogue file, and the programs at work with them.
struct Place {
    runtime: Runtime,
    database: Database,
    directory: TempDir,
}

impl Place {
    fn new() -> Self {
        let runtime = Runtime::new().unwrap();
        let database = runtime.block_on(Database::fresh());
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("horarium.toml"), CATALOGUE).unwrap();
        Self { runtime, database, directory }
    }

    fn migrated() -> Self {
        let place = Self::new();
        assert!(place.run(&["migrate"]).status.success());
        assert!(place.run(&["catalogue", "apply", "horarium.toml"]).status.success());
        place
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        self.command_at(&self.database.location(), program, arguments)
    }

    fn command_at(&self, location: &str, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.directory.path()).env("HORARIUM_STORE", location);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_horarium"), arguments).output().unwrap()
    }

    fn daemon(&self, program: &str, name: &str, arguments: &[&str]) -> Daemon {
        let log = self.directory.path().join(format!("{name}.log"));
        Daemon::start(self.command(program, arguments), log)
    }

    fn scheduler(&self, name: &str) -> Daemon {
        self.daemon(env!("CARGO_BIN_EXE_horarium-scheduler"), name, &["--scheduler-poll=60s"])
    }

    /// A runner that asks for work once a minute unless something hints at it.
    fn runner(&self) -> Daemon {
        let arguments = ["--runner-poll=60s", "--drain-grace=0s"];
        self.daemon(env!("CARGO_BIN_EXE_horarium-runner"), "runner", &arguments)
    }

    /// True when somebody listens for hints.
    fn listens(&self) -> bool {
        const LISTENING: &str = "SELECT count(*) > 0 FROM pg_stat_activity
            WHERE application_name = 'horarium-hints' AND query LIKE 'LISTEN%'
                AND datname = current_database()";
        self.runtime.block_on(async {
            let mut connection = self.database.connection().await;
            sqlx::query_scalar(LISTENING).fetch_one(&mut connection).await.unwrap()
        })
    }

    fn rows(&self) -> horarium_core::ledger::Rows {
        self.runtime.block_on(async {
            let options = OpenOptions::at(&self.database.location()).unwrap();
            let store = PostgresStore::open(&options).await.unwrap();
            let rows = store.dump().await.unwrap();
            store.close().await;
            rows
        })
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn nothing_is_made_on_a_server_but_by_migrate() {
    let place = Place::new();
    for verb in [&["run", "list"][..], &["catalogue", "apply", "horarium.toml"], &["up"]] {
        let refused = place.run(verb);
        assert!(!refused.status.success());
        let said = stderr(&refused);
        assert!(said.contains("horarium migrate"), "{said}");
    }
    let printed = stdout(&place.run(&["migrate", "--print"]));
    assert!(printed.starts_with("CREATE SCHEMA \"horarium\""), "{printed}");
    assert!(!place.run(&["run", "list"]).status.success(), "a dry run made something");
    assert!(place.run(&["migrate"]).status.success());
    assert_eq!(stdout(&place.run(&["migrate", "--print"])), "");
    assert!(place.run(&["run", "list"]).status.success());
}

#[test]
fn a_mistyped_ssl_mode_is_refused_and_not_taken_for_the_default() {
    let place = Place::migrated();
    let program = env!("CARGO_BIN_EXE_horarium");
    let refused = place.command(program, &["run", "list"]).env("PGSSLMODE", "verify_full").output();
    let refused = refused.unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = stderr(&refused);
    assert!(said.contains("PGSSLMODE is `verify_full`: write disable"), "{said}");
}

#[test]
fn a_run_that_is_asked_for_starts_without_waiting_for_a_poll() {
    let place = Place::migrated();
    let mut runner = place.runner();
    assert!(comes_true(|| place.rows().runners.values().any(|runner| runner.turn > 0)));
    assert!(comes_true(|| place.listens()));
    let since = Instant::now();
    let waited = place.run(&["run", "start", "greeting", "--wait"]);
    assert!(waited.status.success(), "{}", stderr(&waited));
    let took = since.elapsed();
    assert!(took < Duration::from_secs(30), "it took {took:?}");
    println!("asked for, executed and seen after {took:?}");

    // A cancel is hinted at, too.
    assert!(place.run(&["run", "start", "nap"]).status.success());
    let runs = || place.rows().runs;
    assert!(comes_true(|| runs().values().any(|run| run.hold().is_some())));
    assert!(place.run(&["run", "cancel", "2"]).status.success());
    assert!(comes_true(|| runs().values().all(|run| !run.is_active())));
    runner.signal(Signal::TERM);
    assert!(runner.end().success(), "{}", runner.said());
    assert_eq!(check(&place.rows()), []);
}

#[test]
fn a_standby_leads_when_the_leader_is_gone() {
    let place = Place::migrated();
    let mut first = place.scheduler("first");
    first.hear("scheduler leads");
    let mut second = place.scheduler("second");
    second.hear("stands by");
    assert!(comes_true(|| place.listens()));
    let since = Instant::now();
    first.signal(Signal::KILL);
    second.hear("scheduler leads");
    println!("replaced after {:?}", since.elapsed());

    // A change of the agenda is hinted at: the schedule comes due long before the next poll.
    let soon = place.runtime.block_on(async {
        let options = OpenOptions::at(&place.database.location()).unwrap();
        let store = PostgresStore::open(&options).await.unwrap();
        horarium_core::store::Reader::now(&store).await.unwrap()
    });
    let at = soon.plus(horarium_core::words::Span::from_secs(2)).to_string();
    let set = place.run(&["schedule", "set", "greeting", "--at", &at, "--tz", "UTC"]);
    assert!(set.status.success(), "{}", stderr(&set));
    assert!(comes_true(|| !place.rows().occurrences.is_empty()));
    second.signal(Signal::TERM);
    assert!(second.end().success(), "{}", second.said());
    assert_eq!(check(&place.rows()), []);
}

/// The roles of a ledger, each with a login; dropped with the value, since they are the server's.
struct Logins<'a>(&'a Place);

impl<'a> Logins<'a> {
    fn made(place: &'a Place) -> Self {
        let logins = Self(place);
        let made = place.run(&["migrate", &format!("--roles={}", place.database.name())]);
        assert!(made.status.success(), "{}", stderr(&made));
        for role in ["operator", "scheduler", "runner"] {
            let group = logins.group(role);
            logins.tell(&format!("CREATE ROLE {group}_login LOGIN PASSWORD 'pw' IN ROLE {group}"));
        }
        logins
    }

    fn group(&self, role: &str) -> String {
        format!("{}_{role}", self.0.database.name())
    }

    fn location(&self, role: &str) -> String {
        self.0.database.location_of(&format!("{}_login", self.group(role)), "pw")
    }

    fn command(&self, role: &str, program: &str, arguments: &[&str]) -> Command {
        self.0.command_at(&self.location(role), program, arguments)
    }

    fn run(&self, role: &str, arguments: &[&str]) -> Output {
        self.command(role, env!("CARGO_BIN_EXE_horarium"), arguments).output().unwrap()
    }

    fn daemon(&self, role: &str, program: &str, arguments: &[&str]) -> Daemon {
        let log = self.0.directory.path().join(format!("{role}.log"));
        Daemon::start(self.command(role, program, arguments), log)
    }

    fn tell(&self, statement: &str) {
        self.0.runtime.block_on(async {
            let mut connection = self.0.database.connection().await;
            let statement = sqlx::AssertSqlSafe(statement);
            sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
        });
    }
}

impl Drop for Logins<'_> {
    fn drop(&mut self) {
        let owner = self.group("owner");
        self.tell(&format!("REASSIGN OWNED BY {owner} TO CURRENT_USER"));
        for role in ["owner", "operator", "scheduler", "runner"] {
            let group = self.group(role);
            self.tell(&format!(
                "DROP ROLE IF EXISTS {group}_login; DROP OWNED BY {group} CASCADE; DROP ROLE {group}"
            ));
        }
    }
}

#[test]
fn each_program_works_with_a_login_of_its_role_and_with_no_other() {
    let place = Place::new();
    let logins = Logins::made(&place);
    let published = logins.run("operator", &["catalogue", "apply", "horarium.toml"]);
    assert!(published.status.success(), "{}", stderr(&published));
    let runner = env!("CARGO_BIN_EXE_horarium-runner");
    let scheduler = env!("CARGO_BIN_EXE_horarium-scheduler");
    let mut runner = logins.daemon("runner", runner, &["--runner-poll=1s", "--drain-grace=0s"]);
    let mut scheduler = logins.daemon("scheduler", scheduler, &["--scheduler-poll=1s"]);
    scheduler.hear("scheduler leads");

    let every_minute = ["schedule", "set", "greeting", "--cron", "* * * * *", "--tz", "UTC"];
    let saved = logins.run("operator", &every_minute);
    assert!(saved.status.success(), "{}", stderr(&saved));
    let waited = logins.run("operator", &["run", "start", "greeting", "--wait"]);
    assert!(waited.status.success(), "{}", stderr(&waited));
    for role in ["scheduler", "runner"] {
        let refused = logins.run(role, &["run", "start", "greeting"]);
        assert!(!refused.status.success(), "a {role} asked for a run");
        let said = stderr(&refused);
        assert!(said.contains("lacks") && said.contains("GRANT"), "{said}");
    }
    for (daemon, name) in [(&mut runner, "runner"), (&mut scheduler, "scheduler")] {
        daemon.signal(Signal::TERM);
        assert!(daemon.end().success(), "{name}: {}", daemon.said());
    }
    assert_eq!(check(&place.rows()), []);
}
