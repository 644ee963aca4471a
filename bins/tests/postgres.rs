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
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env("HORARIUM_STORE", self.database.location());
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
