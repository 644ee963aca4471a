//! Where it all happens: a directory with the ledger, the catalogue file, the marks and the logs;
//! the handlers, and the workers that they have.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use horarium_core::words::WorkerName;

/// The job's script.
const JOB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/chaos/job.sh");
/// How the jobs behave; each is a handler with this many workers.
const HANDLERS: [(&str, u32); 7] = [
    ("brief", 4),
    ("long", 5),
    ("flaky", 4),
    ("deaf", 2),
    ("parent", 1),
    ("detached", 1),
    ("overdue", 1),
];
/// Handlers whose workers have a schedule of one near instant after the other.
const SCHEDULED: [&str; 3] = ["flaky", "deaf", "detached"];
/// Workers with a schedule that is due every minute.
pub(crate) const EVERY_MINUTE: [&str; 3] = ["brief:minutely", "flaky:minutely", "long:minutely"];

/// The shortest lease that its check takes with these: three heartbeats, a statement timeout, the
/// time to kill, twice the step of the database's clock, and 1 %.
const LEASE: [&str; 8] = [
    "--heartbeat=500ms",
    "--statement-timeout=1s",
    "--kill-grace=500ms",
    "--lease=5100ms",
    "--runner-poll=1s",
    "--concurrency=6",
    "--drain-grace=1s",
    "--log=info",
];
/// The same in milliseconds.
pub(crate) const LEASE_MILLIS: u64 = 5_100;

/// The directory and what is in it.
pub(crate) struct Scene {
    directory: tempfile::TempDir,
}

impl Scene {
    /// A new directory with a catalogue file.
    pub(crate) fn new() -> Self {
        let scene = Self { directory: tempfile::tempdir().unwrap() };
        std::fs::create_dir(scene.path("marks")).unwrap();
        std::fs::write(scene.catalogue(), scene.catalogue_text()).unwrap();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn ledger(&self) -> PathBuf {
        self.path("ledger.db")
    }

    pub(crate) fn catalogue(&self) -> PathBuf {
        self.path("catalogue.toml")
    }

    /// The log of the daemon with this name, over all its lives.
    pub(crate) fn log(&self, daemon: &str) -> PathBuf {
        self.path(&format!("{daemon}.log"))
    }

    /// Where a worker's jobs leave their marks.
    pub(crate) fn marks(&self, worker: &WorkerName) -> PathBuf {
        self.directory.path().join("marks").join(worker.as_str())
    }

    /// What the environment of every job holds, and of no other process.
    pub(crate) fn sign_of_a_job(&self) -> String {
        format!("CHAOS_DIRECTORY={}", self.directory.path().display())
    }

    /// Leaves everything where it is, for people to look at.
    pub(crate) fn keep(self) -> PathBuf {
        self.directory.keep()
    }

    fn catalogue_text(&self) -> String {
        let mut text = String::from("default_timezone = \"UTC\"\n");
        for (handler, _) in HANDLERS {
            let timeout = if handler == "overdue" { "1s" } else { "1m" };
            write!(
                text,
                "\n[handler.{handler}]\n\
                 command = [\"sh\", {JOB:?}, \"{handler}\"]\n\
                 environment = {{ CHAOS_DIRECTORY = \"{}\" }}\n\
                 timeout = \"{timeout}\"\n\
                 stop_grace = \"300ms\"\n\
                 retry = {{ max_attempts = 3, base = \"500ms\" }}\n",
                self.directory.path().display()
            )
            .unwrap();
        }
        for worker in EVERY_MINUTE {
            write!(text, "\n[schedule.{worker:?}]\ncron = \"* * * * *\"\n").unwrap();
        }
        text
    }

    /// A runner under its guard.
    pub(crate) fn runner(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_horarium-runner"));
        command.arg("--catalogue").arg(self.catalogue()).args(LEASE);
        command.arg("--store").arg(self.ledger());
        command
    }

    /// A scheduler.
    pub(crate) fn scheduler(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_horarium-scheduler"));
        command.arg("--scheduler-poll=500ms").arg("--log=info").arg("--store").arg(self.ledger());
        command
    }

    /// Runner and scheduler in one process, under a guard.
    pub(crate) fn up(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_horarium"));
        command.arg("up").arg(self.catalogue()).args(LEASE).arg("--scheduler-poll=500ms");
        command.arg("--store").arg(self.ledger());
        command
    }
}

/// Workers whose runs somebody asks for.
pub(crate) fn workers() -> Vec<WorkerName> {
    let numbered = HANDLERS
        .iter()
        .flat_map(|(handler, count)| (1..=*count).map(move |n| format!("{handler}:{n}")));
    numbered.chain(EVERY_MINUTE.map(str::to_owned)).map(|name| name.parse().unwrap()).collect()
}

/// Workers that are given one near instant after the other.
pub(crate) fn scheduled_workers() -> Vec<WorkerName> {
    SCHEDULED
        .iter()
        .flat_map(|handler| (1..=3).map(move |n| format!("{handler}:agenda-{n}")))
        .map(|name| name.parse().unwrap())
        .collect()
}
