//! The guard with a real runner and real jobs, and each of the three killed, stopped or confused.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may

mod under_guard;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use horarium::boot_clock;
use horarium::job::{Exit, JobCommand, JobEvent};
use horarium_core::words::time::{Moment, Span};
use rustix::process::{Pid, Signal, getpid, kill_process};
use signal_hook::low_level::pipe;
use under_guard::{
    Role, Scene, in_a_minute, in_millis, jobs, key, lives, next, pid_in, role, role_by, shell,
};

/// A job that starts one process of every kind that is hard to kill, and waits.
const FAMILY: &str = "
    sleep 600 & echo $! > background
    setsid sh -c 'echo $$ > session; exec sleep 600' &
    (setsid sh -c 'echo $$ > daemon; exec sleep 600' &)
    (env -i setsid sh -c 'echo $$ > bare; exec sleep 600' &)
    sh -c 'echo $$ > stopped; kill -STOP $$' &
    trap '' TERM HUP INT
    echo $$ > leader
    while :; do sleep 0.05; done";

/// All of them but the one that cleared its environment.
const MARKED: [&str; 5] = ["background", "session", "daemon", "stopped", "leader"];

fn family(directory: &Path) -> [i32; 6] {
    ["background", "session", "daemon", "stopped", "leader", "bare"]
        .map(|name| pid_in(directory, name))
}

fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| panic!("the guard itself died: {status}"))
}

fn signal(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// The runner's part of most tests: start the family, and wait for what comes.
fn run_a_family(directory: &Path) -> ! {
    let (jobs, events) = jobs(horarium::guard::enter().unwrap());
    // After the guard's loss a job is known by its key alone, on the whole machine.
    let name = key(&format!("family-of-{}", std::process::id()));
    jobs.start(name, shell(directory, FAMILY), in_a_minute()).unwrap();
    eprintln!("runner {}", std::process::id());
    loop {
        match events.recv() {
            Ok(JobEvent::GuardLost) => {
                eprintln!("guard lost");
                // All are killed by now, and die; the job's end is the sign that they have.
                while !matches!(next(&events), JobEvent::Exited { .. }) {}
                eprintln!("job ended");
                std::process::exit(75)
            }
            Ok(event) => eprintln!("{event:?}"),
            Err(_) => std::process::exit(1),
        }
    }
}

#[test]
fn when_the_runner_is_killed_all_that_its_jobs_started_dies() {
    let mut scene = match role("when_the_runner_is_killed_all_that_its_jobs_started_dies") {
        Role::Started(directory) => run_a_family(&directory),
        Role::Test(scene) => scene,
    };
    let family = family(&scene.directory);
    assert!(family.into_iter().all(lives));
    signal(scene.hear("runner ").parse().unwrap(), Signal::KILL);
    assert_eq!(code(scene.end()), 128 + 9);
    assert!(!family.into_iter().any(lives), "the guard ends after everything below it");
}

#[test]
fn when_the_runner_ends_by_itself_its_jobs_die_and_its_status_is_kept() {
    let name = "when_the_runner_ends_by_itself_its_jobs_die_and_its_status_is_kept";
    let mut scene = match role(name) {
        Role::Started(directory) => {
            let (jobs, _events) = jobs(horarium::guard::enter().unwrap());
            jobs.start(key("family"), shell(&directory, FAMILY), in_a_minute()).unwrap();
            family(&directory);
            std::process::exit(42)
        }
        Role::Test(scene) => scene,
    };
    assert_eq!(code(scene.end()), 42);
    assert!(!family(&scene.directory).into_iter().any(lives));
}

#[test]
fn a_runner_without_jobs_ends_with_its_own_status_though_the_link_is_dropped_early() {
    let name = "a_runner_without_jobs_ends_with_its_own_status_though_the_link_is_dropped_early";
    let mut scene = match role(name) {
        Role::Started(_) => {
            drop(horarium::guard::enter().unwrap());
            std::thread::sleep(Duration::from_millis(100));
            std::process::exit(2)
        }
        Role::Test(scene) => scene,
    };
    assert_eq!(code(scene.end()), 2);
}

#[test]
fn a_stopped_runners_job_dies_at_its_deadline() {
    let mut scene = match role("a_stopped_runners_job_dies_at_its_deadline") {
        Role::Started(directory) => {
            let (jobs, events) = jobs(horarium::guard::enter().unwrap());
            jobs.start(key("family"), shell(&directory, FAMILY), in_a_minute()).unwrap();
            assert!(matches!(next(&events), JobEvent::Started { .. }));
            family(&directory);
            let deadline = in_millis(400);
            jobs.set_deadline(&key("family"), deadline);
            eprintln!("runner {}", std::process::id());
            eprintln!("deadline {}", deadline.micros());
            // The order is written by another thread; it must be on its way before all stop.
            std::thread::sleep(Duration::from_millis(50));
            kill_process(getpid(), Signal::STOP).unwrap();
            match next(&events) {
                JobEvent::Exited { exit, .. } => eprintln!("{exit}"),
                other => eprintln!("{other:?}"),
            }
            std::process::exit(0)
        }
        Role::Test(scene) => scene,
    };
    let deadline = Moment::from_micros(scene.hear("deadline ").parse().unwrap());
    let marked = MARKED.map(|name| pid_in(&scene.directory, name));
    scene.until("all have died", || !marked.into_iter().any(lives));
    let late = boot_clock::now().since(deadline);
    assert!(boot_clock::now() >= deadline);
    assert!(late < Span::from_secs(5), "{late} after the deadline");
    let runner = scene.hear("runner ").parse().unwrap();
    assert!(lives(runner));
    signal(runner, Signal::CONT);
    scene.hear("signal 9");
    assert_eq!(code(scene.end()), 0);
}

#[test]
fn a_deadline_leaves_other_jobs_alone() {
    let mut scene = match role("a_deadline_leaves_other_jobs_alone") {
        Role::Started(directory) => {
            let (jobs, events) = jobs(horarium::guard::enter().unwrap());
            for (name, millis) in [("other", 60_000), ("due", 1_000)] {
                let home = directory.join(name);
                fs::create_dir(&home).unwrap();
                let command = JobCommand { directory: Some(home.clone()), ..shell(&home, FAMILY) };
                jobs.start(key(name), command, in_millis(millis)).unwrap();
                if name == "other" {
                    family(&home);
                }
            }
            loop {
                let event = next(&events);
                eprintln!("{event:?}");
                if let JobEvent::Exited { key, exit, .. } = event {
                    eprintln!("{key} {exit}");
                    let other = family(&directory.join("other"));
                    assert!(other.into_iter().all(lives));
                    let due = MARKED.map(|name| pid_in(&directory.join("due"), name));
                    assert!(!due.into_iter().any(lives));
                    std::process::exit(0)
                }
            }
        }
        Role::Test(scene) => scene,
    };
    assert_eq!(code(scene.end()), 0, "{:#?}", scene.said());
    scene.hear("due signal 9");
}

#[test]
fn when_the_guard_is_killed_the_runner_kills_the_jobs_and_ends() {
    let mut scene = match role("when_the_guard_is_killed_the_runner_kills_the_jobs_and_ends") {
        Role::Started(directory) => run_a_family(&directory),
        Role::Test(scene) => scene,
    };
    family(&scene.directory);
    let marked = MARKED.map(|name| pid_in(&scene.directory, name));
    let runner = scene.hear("runner ").parse().unwrap();
    scene.signal(Signal::KILL);
    assert_eq!(scene.end().signal(), Some(9));
    scene.until("the runner has ended", || !lives(runner));
    let said = scene.said();
    let place = |line| said.iter().position(|said| said == line);
    assert!(place("guard lost").is_some_and(|lost| Some(lost) < place("job ended")), "{said:#?}");
    assert!(!marked.into_iter().any(lives));
    // The promise ends where no guard adopts: this one cannot be told from a stranger.
    signal(pid_in(&scene.directory, "bare"), Signal::KILL);
}

#[test]
fn signals_reach_the_runner_once_and_a_terminals_stop_does_not_stop_the_guard() {
    let name = "signals_reach_the_runner_once_and_a_terminals_stop_does_not_stop_the_guard";
    let mut scene = match role(name) {
        Role::Started(_) => {
            let _guard = horarium::guard::enter().unwrap();
            let (mut arrived, handler) = UnixStream::pair().unwrap();
            for signal in [Signal::INT, Signal::HUP, Signal::USR1] {
                pipe::register(signal.as_raw(), handler.try_clone().unwrap()).unwrap();
            }
            let (mut terminated, handler) = UnixStream::pair().unwrap();
            pipe::register(Signal::TERM.as_raw(), handler).unwrap();
            eprintln!("ready");
            for _ in 0..3 {
                arrived.read_exact(&mut [0]).unwrap();
                eprintln!("one");
            }
            terminated.read_exact(&mut [0]).unwrap();
            arrived.set_nonblocking(true).unwrap();
            assert!(arrived.read(&mut [0]).is_err(), "none arrived twice");
            std::process::exit(7)
        }
        Role::Test(scene) => scene,
    };
    scene.hear("ready");
    scene.signal(Signal::TSTP);
    for (count, signal) in [Signal::INT, Signal::HUP, Signal::USR1].into_iter().enumerate() {
        scene.signal(signal);
        let heard = |scene: &Scene| scene.said().iter().filter(|line| *line == "one").count();
        scene.until("the signal has arrived", || heard(&scene) == count + 1);
    }
    scene.signal(Signal::TERM);
    assert_eq!(code(scene.end()), 7);
}

#[test]
fn a_hangup_that_was_ignored_from_the_start_stays_ignored() {
    let name = "a_hangup_that_was_ignored_from_the_start_stays_ignored";
    let no_hangup = |arguments: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]);
        command.arg(std::env::current_exe().unwrap()).args(arguments);
        command
    };
    let mut scene = match role_by(name, no_hangup) {
        Role::Started(_) => {
            let _guard = horarium::guard::enter().unwrap();
            let (mut terminated, handler) = UnixStream::pair().unwrap();
            pipe::register(Signal::TERM.as_raw(), handler).unwrap();
            kill_process(getpid(), Signal::HUP).unwrap();
            eprintln!("ready");
            terminated.read_exact(&mut [0]).unwrap();
            std::process::exit(0)
        }
        Role::Test(scene) => scene,
    };
    scene.hear("ready");
    scene.signal(Signal::HUP);
    scene.signal(Signal::TERM);
    assert_eq!(code(scene.end()), 0);
}

#[test]
fn what_ran_below_the_guard_before_it_was_one_is_left_alone() {
    let name = "what_ran_below_the_guard_before_it_was_one_is_left_alone";
    let beside_a_stranger = |arguments: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 2>/dev/null & echo \"stranger $!\" >&2; exec \"$@\"", "sh"]);
        command.arg(std::env::current_exe().unwrap()).args(arguments);
        command
    };
    let mut scene = match role_by(name, beside_a_stranger) {
        Role::Started(directory) => {
            let (jobs, events) = jobs(horarium::guard::enter().unwrap());
            jobs.start(key("job"), shell(&directory, "true"), in_a_minute()).unwrap();
            while !matches!(next(&events), JobEvent::Exited { .. }) {}
            std::process::exit(0)
        }
        Role::Test(scene) => scene,
    };
    assert_eq!(code(scene.end()), 0);
    let stranger = scene.hear("stranger ").parse().unwrap();
    assert!(lives(stranger));
    signal(stranger, Signal::KILL);
}

#[test]
fn a_runner_inside_a_job_dies_with_it_and_so_do_its_jobs() {
    let inner = "a_runner_inside_a_job_dies_with_it_and_so_do_its_jobs";
    let mut scene = match role(inner) {
        Role::Started(directory) => {
            let (jobs, events) = jobs(horarium::guard::enter().unwrap());
            let mark = std::env::var("HORARIUM_JOB_MARK").unwrap_or_default();
            if mark.is_empty() {
                let argv = std::env::args().collect();
                let again = JobCommand { argv, tee: true, ..shell(&directory, "") };
                jobs.start(key("outer"), again, in_a_minute()).unwrap();
                family(&directory);
                jobs.kill(&key("outer"));
                while !matches!(next(&events), JobEvent::Exited { exit: Exit::Signal(9), .. }) {}
                let family = family(&directory);
                assert!(!family.into_iter().any(lives));
                std::process::exit(0)
            }
            assert_eq!(mark, "outer");
            jobs.start(key("inner"), shell(&directory, FAMILY), in_a_minute()).unwrap();
            loop {
                let event = events.recv();
                eprintln!("inner: {event:?}");
            }
        }
        Role::Test(scene) => scene,
    };
    assert_eq!(code(scene.end()), 0, "{:#?}", scene.said());
}

/// Become a guarded runner that speaks the protocol itself.
fn speak() -> (impl FnMut(&str), impl FnMut() -> String) {
    if std::env::var("HORARIUM_GUARD").is_err() {
        let error = horarium::guard::enter();
        panic!("a guard does not return: {error:?}");
    }
    let fd = std::io::stdin().as_fd().try_clone_to_owned().unwrap();
    let mut socket = UnixStream::from(fd);
    let mut lines = BufReader::new(socket.try_clone().unwrap());
    let say = move |line: &str| socket.write_all(format!("{line}\n").as_bytes()).unwrap();
    let hear = move || {
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        line
    };
    (say, hear)
}

#[test]
fn a_job_whose_group_was_never_named_dies_at_its_deadline_and_others_live() {
    let name = "a_job_whose_group_was_never_named_dies_at_its_deadline_and_others_live";
    let mut scene = match role(name) {
        Role::Started(_) => {
            let (mut say, mut hear) = speak();
            let mut sleep = Command::new("sleep");
            sleep.arg("600").process_group(0);

            say(&format!("arm named {}", in_a_minute().micros()));
            assert_eq!(hear(), "armed named\n");
            let mut named = sleep.spawn().unwrap();
            say(&format!("group named {}", named.id()));

            let deadline = in_millis(200);
            say(&format!("arm nameless {}", deadline.micros()));
            assert_eq!(hear(), "armed nameless\n");
            let mut nameless = sleep.spawn().unwrap();
            assert_eq!(nameless.wait().unwrap().signal(), Some(9));
            assert!(boot_clock::now() >= deadline);

            // One that is started after the deadline, and named late, dies as well.
            let mut latecomer = sleep.spawn().unwrap();
            say(&format!("group nameless {}", latecomer.id()));
            assert_eq!(latecomer.wait().unwrap().signal(), Some(9));

            assert_eq!(named.try_wait().unwrap(), None);
            say("forget nameless");
            assert_eq!(hear(), "gone nameless\n");
            say(&format!("arm past {}", deadline.micros()));
            assert_eq!(hear(), "late past\n");
            std::process::exit(0)
        }
        Role::Test(scene) => scene,
    };
    assert_eq!(code(scene.end()), 0, "{:#?}", scene.said());
}

#[test]
fn a_runner_that_talks_nonsense_is_ended() {
    let mut scene = match role("a_runner_that_talks_nonsense_is_ended") {
        Role::Started(_) => {
            let (mut say, mut hear) = speak();
            say("group everybody 1");
            hear();
            std::thread::sleep(Duration::from_mins(10));
            std::process::exit(0)
        }
        Role::Test(scene) => scene,
    };
    assert_eq!(code(scene.end()), 128 + 9);
    let said = scene.said();
    assert!(
        said.iter().any(|line| line.contains("`group everybody 1` is not a line")),
        "{said:#?}"
    );
}

#[test]
fn a_left_over_variable_does_not_pass_for_a_guard() {
    let name = "a_left_over_variable_does_not_pass_for_a_guard";
    let with_the_variable = |arguments: &[&str]| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(arguments).env("HORARIUM_GUARD", std::process::id().to_string());
        command
    };
    let mut scene = match role_by(name, with_the_variable) {
        Role::Started(_) => {
            let _guard = horarium::guard::enter().unwrap();
            let parent = std::os::unix::process::parent_id().to_string();
            assert_eq!(std::env::var("HORARIUM_GUARD"), Ok(parent));
            std::process::exit(0)
        }
        Role::Test(scene) => scene,
    };
    assert_eq!(code(scene.end()), 0, "{:#?}", scene.said());
}
