//! Real daemons for tests: started from this package's binaries, seen through `/proc`, signalled
//! by the process ids of what was started here and of nothing else. Every wait is bounded.

#![allow(dead_code)] // each test executable uses a part of it

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Longer than anything here takes on a loaded machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// A process: its number, and when it was started, which tells it from a later one of that number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    started: u64,
}

/// What `/proc/PID/stat` says.
struct Stat {
    parent: i32,
    started: u64,
    ended: bool,
}

fn stat(pid: i32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    Some(Stat {
        parent: fields.get(1)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        ended: matches!(*fields.first()?, "Z" | "X"),
    })
}

impl Process {
    /// The process with this number, unless it is gone.
    pub(crate) fn of(pid: i32) -> Option<Self> {
        let stat = stat(pid).filter(|stat| !stat.ended)?;
        Some(Self { pid, started: stat.started })
    }

    /// True while it runs, or is stopped.
    pub(crate) fn lives(self) -> bool {
        stat(self.pid).is_some_and(|stat| !stat.ended && stat.started == self.started)
    }

    /// Signals it, if it is still the same one.
    pub(crate) fn signal(self, signal: Signal) {
        if self.lives()
            && let Some(pid) = Pid::from_raw(self.pid)
        {
            // It may end in between, which is as good.
            let _ = kill_process(pid, signal);
        }
    }
}

/// Every process that can be seen, zombies left out.
pub(crate) fn processes() -> impl Iterator<Item = Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Process::of(entry.file_name().to_str()?.parse().ok()?))
}

/// Every process whose environment has, for each of these, an entry that begins with it.
pub(crate) fn with_environment(entries: &[&str]) -> Vec<Process> {
    let has_them = |process: &Process| {
        let environment = fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
        let has = |entry: &&str| {
            environment.split(|byte| *byte == 0).any(|found| found.starts_with(entry.as_bytes()))
        };
        entries.iter().all(has)
    };
    processes().filter(has_them).collect()
}

/// A program of this package that was started, and its log.
pub(crate) struct Daemon {
    child: Child,
    log: PathBuf,
}

impl Daemon {
    /// Starts `command`. What it says goes to the end of the file `log`.
    pub(crate) fn start(mut command: Command, log: PathBuf) -> Self {
        let file = OpenOptions::new().create(true).append(true).open(&log).unwrap();
        command.stdin(Stdio::null()).stdout(file.try_clone().unwrap()).stderr(file);
        Self { child: command.spawn().unwrap(), log }
    }

    /// The process that was started: the guard, where there is one.
    pub(crate) fn process(&self) -> Option<Process> {
        Process::of(i32::try_from(self.child.id()).unwrap())
    }

    /// The runner proper, which the guard starts as a second process of the same program.
    pub(crate) fn runner(&self) -> Option<Process> {
        let guard = self.process()?;
        let program = |pid: i32| fs::read_link(format!("/proc/{pid}/exe")).ok();
        let own = program(guard.pid)?;
        let is_runner = |process: &Process| {
            stat(process.pid).is_some_and(|stat| stat.parent == guard.pid)
                && program(process.pid).as_ref() == Some(&own)
        };
        processes().filter(is_runner).min_by_key(|process| process.started)
    }

    /// Signals the process that was started.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Some(process) = self.process() {
            process.signal(signal);
        }
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// How it ends; fails when it does not.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let mut status = None;
        self.until("it ends", |daemon| {
            status = daemon.ended();
            status.is_some()
        });
        status.unwrap()
    }

    /// Everything that was said so far.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until it has said `text`.
    pub(crate) fn hear(&mut self, text: &str) {
        self.until(&format!("it says `{text}`"), |daemon| daemon.said().contains(text));
    }

    /// Waits until `holds`.
    pub(crate) fn until(&mut self, what: &str, mut holds: impl FnMut(&mut Self) -> bool) {
        let came_true = comes_true(|| holds(self));
        assert!(came_true, "in vain until {what}; it said\n{}", self.said());
    }
}

impl Drop for Daemon {
    /// After a failed test only: whatever was started is killed, a stopped process too. The
    /// runner ends by itself, with all its jobs, when its guard is gone.
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            let runner = self.runner();
            let _ = self.child.kill();
            let _ = self.child.wait();
            if let Some(runner) = runner {
                runner.signal(Signal::CONT);
            }
        }
    }
}

/// True as soon as `holds`, false if it never does.
pub(crate) fn comes_true(mut holds: impl FnMut() -> bool) -> bool {
    let give_up = Instant::now() + LIMIT;
    while !holds() {
        if Instant::now() > give_up {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// The text of a file, empty while it is not there.
pub(crate) fn text_of(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
