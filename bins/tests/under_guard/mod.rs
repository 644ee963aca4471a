//! Tests with a real guard and a real runner: a test starts its own executable again for itself
//! alone, and that second process enters a guard.
//!
//! What the runner has to tell goes to its standard error, line by line. Every wait is bounded.

#![allow(dead_code)] // each test executable uses a part of it

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use horarium::guard::{GuardLink, JobKey};
use horarium::job::{JobCommand, JobEvent, Jobs};
use horarium_core::words::time::{Moment, Span};
use rustix::process::{Pid, Signal, kill_process};

/// Longer than anything here takes on a loaded machine.
const LIMIT: Duration = Duration::from_secs(20);
const SCENE: &str = "HORARIUM_TEST_SCENE";
const PASSED: &str = "the runner's part has passed";

/// Which process this is.
pub(crate) enum Role {
    /// The test itself, with the guard that it started.
    Test(Scene),
    /// The process that the test started: what comes next is the guard's and the runner's part.
    Started(PathBuf),
}

/// A guard with its runner, and a directory that test, runner and jobs share.
pub(crate) struct Scene {
    pub(crate) guard: Child,
    pub(crate) directory: PathBuf,
    lines: Arc<Mutex<Vec<String>>>,
    ended: mpsc::Receiver<()>,
    _owned: tempfile::TempDir,
}

/// Start the executable again for `test`, or tell that this is that second process.
pub(crate) fn role(test: &str) -> Role {
    role_by(test, |arguments| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(arguments);
        command
    })
}

/// [`role`], by a command of the test's own making that gets the executable's arguments.
pub(crate) fn role_by(test: &str, command: impl FnOnce(&[&str]) -> Command) -> Role {
    if let Ok(scene) = std::env::var(SCENE)
        && let Some((name, directory)) = scene.split_once(' ')
        && name == test
    {
        return Role::Started(directory.into());
    }
    let owned = tempfile::tempdir().unwrap();
    let directory = owned.path().to_owned();
    let mut command = command(&[test, "--exact", "--nocapture", "--test-threads=1"]);
    let mut guard = command
        .env(SCENE, format!("{test} {}", directory.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let (closing, ended) = mpsc::channel();
    let said = Arc::clone(&lines);
    let stderr = BufReader::new(guard.stderr.take().unwrap());
    thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            said.lock().unwrap().push(line);
        }
        drop(closing);
    });
    Role::Test(Scene { guard, directory, lines, ended, _owned: owned })
}

impl Scene {
    /// Everything that was said so far.
    pub(crate) fn said(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    /// The rest of the first line that begins with `start`.
    pub(crate) fn hear(&self, start: &str) -> String {
        let mut rest = None;
        self.until(&format!("somebody says `{start}`"), || {
            rest = self.said().iter().find_map(|line| Some(line.strip_prefix(start)?.to_owned()));
            rest.is_some()
        });
        rest.unwrap()
    }

    /// Wait until `holds`.
    pub(crate) fn until(&self, what: &str, holds: impl FnMut() -> bool) {
        assert!(comes_true(holds), "in vain until {what}; said was {:#?}", self.said());
    }

    /// Signal the guard.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.guard), signal).unwrap();
    }

    /// Wait until the guard has ended.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let mut status = None;
        let mut has_ended = || {
            status = self.guard.try_wait().unwrap();
            status.is_some()
        };
        // Whatever the runner itself waits for in vain, it says so first.
        let ended = comes_true(&mut has_ended) || comes_true(&mut has_ended);
        assert!(ended, "the guard goes on; said was {:#?}", self.said());
        // All that was said has arrived when nobody can say anything any more.
        let _ = self.ended.recv_timeout(LIMIT);
        status.unwrap()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // After a failed test only: everything below ends with the guard.
        if self.guard.try_wait().is_ok_and(|status| status.is_none()) {
            let _ = self.guard.kill();
            let _ = self.guard.wait();
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
        thread::sleep(Duration::from_millis(3));
    }
    true
}

/// True for a process that runs, or is stopped; false for one that is gone or a zombie.
pub(crate) fn lives(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// The process id that somebody wrote, or will write, into the file `name`.
pub(crate) fn pid_in(directory: &Path, name: &str) -> i32 {
    let mut pid = None;
    let found = comes_true(|| {
        let text = fs::read_to_string(directory.join(name)).unwrap_or_default();
        pid = text.strip_suffix('\n').and_then(|text| text.parse().ok());
        pid.is_some()
    });
    assert!(found, "nobody wrote a process id into {name}");
    pid.unwrap()
}

/// A shell that does `script` in `directory`.
pub(crate) fn shell(directory: &Path, script: &str) -> JobCommand {
    JobCommand {
        argv: ["sh", "-c", script].map(str::to_owned).into(),
        directory: Some(directory.to_owned()),
        output_limit: 1_000,
        ..JobCommand::default()
    }
}

pub(crate) fn key(text: &str) -> JobKey {
    JobKey::new(text).unwrap()
}

pub(crate) fn in_millis(millis: u64) -> Moment {
    horarium::boot_clock::now().plus(Span::from_millis(millis))
}

/// Far enough for a whole test.
pub(crate) fn in_a_minute() -> Moment {
    in_millis(60_000)
}

/// Jobs, and the channel of their events.
pub(crate) fn jobs(guard: GuardLink) -> (Jobs, mpsc::Receiver<JobEvent>) {
    let (sender, events) = mpsc::channel();
    (Jobs::new(guard, move |event| drop(sender.send(event))), events)
}

/// The next event.
pub(crate) fn next(events: &mpsc::Receiver<JobEvent>) -> JobEvent {
    events.recv_timeout(LIMIT).expect("no event came")
}

/// Run `part` in a runner under a guard, where it must pass.
pub(crate) fn in_a_runner(test: &str, part: impl FnOnce(&Path, &Jobs, &mpsc::Receiver<JobEvent>)) {
    match role(test) {
        Role::Test(mut scene) => {
            let status = scene.end();
            let said = scene.said();
            assert!(
                status.success() && said.iter().any(|line| line == PASSED),
                "{status}: {said:#?}"
            );
        }
        Role::Started(directory) => {
            let (jobs, events) = jobs(horarium::guard::enter().unwrap());
            part(&directory, &jobs, &events);
            eprintln!("{PASSED}");
            std::process::exit(0);
        }
    }
}
