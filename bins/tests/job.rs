//! Jobs as real processes, in a runner under a real guard.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may

mod under_guard;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use horarium::boot_clock;
use horarium::guard::Remains;
use horarium::job::{Exit, JobCommand, JobEvent, JobOutput, Jobs, SpawnError};
use rustix::process::{Signal, getppid, kill_process};
use under_guard::{
    comes_true, in_a_minute, in_a_runner, in_millis, key, lives, next, pid_in, shell,
};

/// Start `command` and wait for its start.
fn start(jobs: &Jobs, events: &Receiver<JobEvent>, name: &str, command: JobCommand) {
    jobs.start(key(name), command, in_a_minute()).unwrap();
    match next(events) {
        JobEvent::Started { key, .. } => assert_eq!(key.as_str(), name),
        other => panic!("{other:?}"),
    }
}

/// Wait for the end of the job.
fn end(events: &Receiver<JobEvent>, name: &str) -> (Exit, JobOutput, Remains) {
    match next(events) {
        JobEvent::Exited { key, exit, output, remains } => {
            assert_eq!(key.as_str(), name);
            (exit, output, remains)
        }
        other => panic!("{other:?}"),
    }
}

fn run(
    jobs: &Jobs,
    events: &Receiver<JobEvent>,
    command: JobCommand,
) -> (Exit, JobOutput, Remains) {
    start(jobs, events, "job", command);
    end(events, "job")
}

fn refused(jobs: &Jobs, events: &Receiver<JobEvent>, command: JobCommand) -> SpawnError {
    jobs.start(key("refused"), command, in_a_minute()).unwrap();
    match next(events) {
        JobEvent::SpawnFailed { error, .. } => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_job_ends_with_its_exit_code_and_its_output() {
    in_a_runner("a_job_ends_with_its_exit_code_and_its_output", |directory, jobs, events| {
        let (exit, output, remains) =
            run(jobs, events, shell(directory, "printf out; printf err >&2; exit 3"));
        assert_eq!(exit, Exit::Code(3));
        assert_eq!(output.stdout.bytes, b"out");
        assert_eq!(output.stderr.bytes, b"err");
        assert_eq!(remains, Remains::Nothing);
    });
}

#[test]
fn a_job_that_dies_by_a_signal_says_which() {
    in_a_runner("a_job_that_dies_by_a_signal_says_which", |directory, jobs, events| {
        let (exit, ..) = run(jobs, events, shell(directory, "kill -USR1 $$"));
        assert_eq!(exit, Exit::Signal(10));
    });
}

#[test]
fn a_grandchild_that_keeps_the_pipe_open_holds_nothing_up_and_dies() {
    in_a_runner(
        "a_grandchild_that_keeps_the_pipe_open_holds_nothing_up_and_dies",
        |directory, jobs, events| {
            let before = Instant::now();
            let script = "sleep 600 & echo $! > background
                (setsid sh -c 'echo $$ > daemon; exec sleep 600' &)
                while [ ! -s daemon ]; do sleep 0.01; done
                echo done";
            let (exit, output, remains) = run(jobs, events, shell(directory, script));
            assert!(before.elapsed() < Duration::from_secs(10));
            assert_eq!(exit, Exit::Code(0));
            assert_eq!(output.stdout.bytes, b"done\n");
            assert_eq!(remains, Remains::Nothing);
            assert!(!lives(pid_in(directory, "background")));
            assert!(!lives(pid_in(directory, "daemon")));
        },
    );
}

#[test]
fn a_daemon_that_cleared_its_environment_dies_with_the_last_job() {
    in_a_runner(
        "a_daemon_that_cleared_its_environment_dies_with_the_last_job",
        |directory, jobs, events| {
            let script = "(env -i setsid sh -c 'echo $$ > bare; exec sleep 600' &)
                while [ ! -s bare ]; do sleep 0.01; done";
            run(jobs, events, shell(directory, script));
            assert!(!lives(pid_in(directory, "bare")));
        },
    );
}

#[test]
fn a_flood_of_output_is_bounded_and_its_end_is_kept() {
    in_a_runner("a_flood_of_output_is_bounded_and_its_end_is_kept", |directory, jobs, events| {
        let script = "head -c 30000000 /dev/zero; printf END";
        let (exit, output, _) = run(jobs, events, shell(directory, script));
        assert_eq!(exit, Exit::Code(0));
        assert_eq!(output.stdout.bytes.len(), 1_000);
        assert!(output.stdout.bytes.ends_with(b"\0\0END"));
        assert_eq!(output.stdout.dropped, 30_000_003 - 1_000);
    });
}

#[test]
fn binary_input_and_output_survive() {
    in_a_runner("binary_input_and_output_survive", |directory, jobs, events| {
        let bytes: Vec<u8> = (0..=255).cycle().take(1_000_000).collect();
        let command = JobCommand {
            stdin: bytes.clone(),
            output_limit: bytes.len(),
            ..shell(directory, "cat")
        };
        let (exit, output, _) = run(jobs, events, command);
        assert_eq!(exit, Exit::Code(0));
        assert!(output.stdout.bytes == bytes);
    });
}

#[test]
fn input_that_is_not_read_holds_nothing_up() {
    in_a_runner("input_that_is_not_read_holds_nothing_up", |directory, jobs, events| {
        for script in ["true", "exec 0<&-; exit 0", "head -c 10 > /dev/null"] {
            let command = JobCommand { stdin: vec![b'x'; 1_000_000], ..shell(directory, script) };
            assert_eq!(run(jobs, events, command).0, Exit::Code(0), "{script}");
        }
    });
}

#[test]
fn a_job_that_ignores_term_is_killed_with_all_it_started() {
    in_a_runner(
        "a_job_that_ignores_term_is_killed_with_all_it_started",
        |directory, jobs, events| {
            let script = "trap '' TERM
                (setsid sh -c 'echo $$ > daemon; exec sleep 600' &)
                setsid sh -c 'echo $$ > session; exec sleep 600' &
                echo $$ > leader
                while :; do sleep 0.05; done";
            start(jobs, events, "job", shell(directory, script));
            let family = ["leader", "session", "daemon"].map(|name| pid_in(directory, name));
            jobs.terminate(&key("job"));
            assert!(events.recv_timeout(Duration::from_millis(200)).is_err(), "it ignores TERM");
            assert!(family.into_iter().all(lives));
            jobs.kill(&key("job"));
            let (exit, _, remains) = end(events, "job");
            assert_eq!(exit, Exit::Signal(9));
            assert_eq!(remains, Remains::Nothing);
            assert!(!family.into_iter().any(lives));
        },
    );
}

#[test]
fn a_kill_reaches_what_left_the_group_while_the_job_runs() {
    in_a_runner(
        "a_kill_reaches_what_left_the_group_while_the_job_runs",
        |directory, jobs, events| {
            // Stopped, in a session of its own: neither the group's signals nor its parent's end
            // would reach it.
            let script = "setsid sh -c 'echo $$ > session; kill -STOP $$' & wait";
            start(jobs, events, "job", shell(directory, script));
            let session = pid_in(directory, "session");
            jobs.kill_all();
            assert_eq!(end(events, "job").0, Exit::Signal(9));
            assert!(!lives(session));
        },
    );
}

#[test]
fn term_reaches_a_stopped_job() {
    in_a_runner("term_reaches_a_stopped_job", |directory, jobs, events| {
        let script = "trap 'exit 5' TERM; echo $$ > leader; kill -STOP $$; sleep 600";
        start(jobs, events, "job", shell(directory, script));
        let stat = format!("/proc/{}/stat", pid_in(directory, "leader"));
        assert!(comes_true(|| fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") T "))));
        jobs.terminate(&key("job"));
        assert_eq!(end(events, "job").0, Exit::Code(5));
    });
}

#[test]
fn a_deadline_kills_and_a_renewal_spares() {
    in_a_runner("a_deadline_kills_and_a_renewal_spares", |directory, jobs, events| {
        let soon = in_millis(300);
        for (name, renewed) in [("spared", true), ("killed", false)] {
            jobs.start(key(name), shell(directory, "exec sleep 600"), soon).unwrap();
            assert!(matches!(next(events), JobEvent::Started { .. }));
            if renewed {
                jobs.set_deadline(&key(name), in_a_minute());
            }
        }
        assert_eq!(end(events, "killed").0, Exit::Signal(9));
        assert!(boot_clock::now() >= soon);
        jobs.kill(&key("spared"));
        end(events, "spared");
    });
}

#[test]
fn a_job_whose_deadline_has_passed_is_not_started() {
    in_a_runner("a_job_whose_deadline_has_passed_is_not_started", |directory, jobs, events| {
        jobs.start(key("late"), shell(directory, "touch ran"), in_millis(0)).unwrap();
        match next(events) {
            JobEvent::SpawnFailed { error: SpawnError::Late, .. } => {}
            other => panic!("{other:?}"),
        }
        assert!(!directory.join("ran").exists());
    });
}

#[test]
fn a_job_that_is_killed_before_it_started_never_runs_on() {
    in_a_runner(
        "a_job_that_is_killed_before_it_started_never_runs_on",
        |directory, jobs, events| {
            for _ in 0..20 {
                jobs.start(key("job"), shell(directory, "exec sleep 600"), in_a_minute()).unwrap();
                jobs.kill(&key("job"));
                match next(events) {
                    JobEvent::SpawnFailed { error: SpawnError::Withdrawn, .. } => {}
                    JobEvent::Started { .. } => assert_eq!(end(events, "job").0, Exit::Signal(9)),
                    other => panic!("{other:?}"),
                }
            }
        },
    );
}

#[test]
fn two_jobs_cannot_have_one_key() {
    in_a_runner("two_jobs_cannot_have_one_key", |directory, jobs, events| {
        start(jobs, events, "one", shell(directory, "exec sleep 600"));
        let again = jobs.start(key("one"), shell(directory, "true"), in_a_minute());
        assert_eq!(again.unwrap_err().0, key("one"));
        jobs.kill(&key("one"));
        end(events, "one");
    });
}

#[test]
fn what_cannot_be_started_is_refused_with_its_reason() {
    in_a_runner("what_cannot_be_started_is_refused_with_its_reason", |directory, jobs, events| {
        let program = |argv: &[&str]| JobCommand {
            argv: argv.iter().map(|word| (*word).to_owned()).collect(),
            ..JobCommand::default()
        };
        let file = |name: &str, text: &str, mode| {
            let path = directory.join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let refused = |command| refused(jobs, events, command);

        assert!(matches!(refused(program(&[])), SpawnError::NoProgram));

        let with_path = JobCommand {
            environment: vec![("PATH".into(), "/nowhere:/empty".into())],
            ..program(&["backup"])
        };
        assert_eq!(
            refused(with_path).to_string(),
            "program `backup` is not in PATH (/nowhere:/empty): install it, extend the job's \
             PATH, or write its full path"
        );

        let missing = refused(program(&["/nowhere/backup"])).to_string();
        assert!(missing.starts_with("program /nowhere/backup does not exist"), "{missing}");

        let plain = file("plain", "#!/bin/sh\n", 0o644);
        assert!(matches!(refused(program(&[&plain])), SpawnError::NotExecutable { .. }));

        let orphaned = file("orphaned", "#!/nowhere/python -u\n", 0o755);
        let interpreter = refused(program(&[&orphaned])).to_string();
        assert!(interpreter.contains("`#!/nowhere/python -u`, which does not exist"));

        let text = file("text", "hello\n", 0o755);
        assert!(matches!(refused(program(&[&text])), SpawnError::NotAProgram { .. }));

        let lost = JobCommand { directory: Some("/nowhere".into()), ..program(&["true"]) };
        let directory_error = refused(lost).to_string();
        assert!(directory_error.starts_with("the job cannot run in directory /nowhere (No such"));
        let not_one = JobCommand { directory: Some(plain.into()), ..program(&["true"]) };
        assert!(matches!(refused(not_one), SpawnError::Directory { .. }));

        assert!(matches!(refused(program(&["echo", "a\0b"])), SpawnError::NulByte { .. }));
        let name =
            JobCommand { environment: vec![("A=B".into(), String::new())], ..program(&["true"]) };
        assert!(matches!(refused(name), SpawnError::EnvironmentName { .. }));
        let huge = "x".repeat(3_000_000);
        assert!(matches!(refused(program(&["true", &huge])), SpawnError::TooLarge));
    });
}

#[test]
fn a_program_is_found_in_the_jobs_own_path_and_below_its_directory() {
    in_a_runner(
        "a_program_is_found_in_the_jobs_own_path_and_below_its_directory",
        |directory, jobs, events| {
            let script = directory.join("greet");
            fs::write(&script, "#!/bin/sh\nprintf 'hello from %s' \"$(pwd)\"\n").unwrap();
            fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
            let greeting = format!("hello from {}", directory.display());
            let by_path = JobCommand {
                argv: vec!["greet".into()],
                environment: vec![(
                    "PATH".into(),
                    format!("{}:/bin:/usr/bin", directory.display()),
                )],
                ..shell(directory, "")
            };
            let by_directory = JobCommand { argv: vec!["./greet".into()], ..shell(directory, "") };
            for command in [by_path, by_directory] {
                let (exit, output, _) = run(jobs, events, command);
                assert_eq!(exit, Exit::Code(0));
                assert_eq!(output.stdout.bytes, greeting.as_bytes());
            }
        },
    );
}

#[test]
fn a_cleared_environment_holds_what_was_set_and_the_mark() {
    in_a_runner(
        "a_cleared_environment_holds_what_was_set_and_the_mark",
        |directory, jobs, events| {
            let command = JobCommand {
                argv: vec!["env".into()],
                environment: vec![("COLOUR".into(), "blue".into())],
                clear_environment: true,
                ..shell(directory, "")
            };
            let (exit, output, _) = run(jobs, events, command);
            assert_eq!(exit, Exit::Code(0));
            let text = String::from_utf8(output.stdout.bytes).unwrap();
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            assert_eq!(lines, ["COLOUR=blue", "HORARIUM_JOB_MARK=job"]);
        },
    );
}

#[test]
fn the_guards_variable_is_not_inherited() {
    in_a_runner("the_guards_variable_is_not_inherited", |directory, jobs, events| {
        assert!(std::env::var("HORARIUM_GUARD").is_ok());
        let script = "printf '%s' \"${HORARIUM_GUARD-none}\"";
        assert_eq!(run(jobs, events, shell(directory, script)).1.stdout.bytes, b"none");
    });
}

#[test]
fn a_closed_standard_output_of_ours_does_not_hurt_a_job() {
    in_a_runner(
        "a_closed_standard_output_of_ours_does_not_hurt_a_job",
        |directory, jobs, events| {
            // The pipe that becomes our standard output has no reader any more.
            let (reader, writer) = std::io::pipe().unwrap();
            rustix::stdio::dup2_stdout(&writer).unwrap();
            drop(reader);
            let script = "head -c 300000 /dev/zero; printf END";
            let command = JobCommand { tee: true, ..shell(directory, script) };
            let (exit, output, _) = run(jobs, events, command);
            assert_eq!(exit, Exit::Code(0));
            assert!(output.stdout.bytes.ends_with(b"END"));
        },
    );
}

#[test]
fn output_is_passed_on_while_the_job_runs() {
    in_a_runner("output_is_passed_on_while_the_job_runs", |directory, jobs, events| {
        let (mut reader, writer) = std::io::pipe().unwrap();
        rustix::stdio::dup2_stdout(&writer).unwrap();
        let command = JobCommand { tee: true, ..shell(directory, "printf live; exec sleep 600") };
        start(jobs, events, "job", command);
        let mut live = [0; 4];
        std::io::Read::read_exact(&mut reader, &mut live).unwrap();
        assert_eq!(&live, b"live");
        jobs.kill(&key("job"));
        assert_eq!(end(events, "job").1.stdout.bytes, b"live");
    });
}

#[test]
fn a_stopped_guard_does_not_hold_up_the_runner() {
    in_a_runner("a_stopped_guard_does_not_hold_up_the_runner", |directory, jobs, events| {
        start(jobs, events, "job", shell(directory, "echo $$ > leader; exec sleep 600"));
        let leader = pid_in(directory, "leader");
        let guard = getppid().unwrap();
        kill_process(guard, Signal::STOP).unwrap();
        // More orders than a socket holds.
        for _ in 0..20_000 {
            jobs.set_deadline(&key("job"), in_a_minute());
        }
        jobs.kill(&key("job"));
        assert!(comes_true(|| !lives(leader)));
        kill_process(guard, Signal::CONT).unwrap();
        assert_eq!(end(events, "job").0, Exit::Signal(9));
    });
}

#[test]
fn a_deadline_that_was_moved_while_the_guard_slept_does_not_keep_a_job_from_starting() {
    in_a_runner(
        "a_deadline_that_was_moved_while_the_guard_slept_does_not_keep_a_job_from_starting",
        |directory, jobs, events| {
            let guard = getppid().unwrap();
            kill_process(guard, Signal::STOP).unwrap();
            let first = in_millis(300);
            jobs.start(key("job"), shell(directory, "exit 7"), first).unwrap();
            assert!(comes_true(|| boot_clock::now() > first));
            jobs.set_deadline(&key("job"), in_a_minute());
            kill_process(guard, Signal::CONT).unwrap();
            assert!(matches!(next(events), JobEvent::Started { .. }));
            assert_eq!(end(events, "job").0, Exit::Code(7));
        },
    );
}

/// What `/proc/self` lists under `name`.
fn count(name: &str) -> usize {
    fs::read_dir(Path::new("/proc/self").join(name)).unwrap().count()
}

#[test]
fn thousands_of_short_jobs_leave_no_descriptor_thread_or_zombie() {
    in_a_runner(
        "thousands_of_short_jobs_leave_no_descriptor_thread_or_zombie",
        |directory, jobs, events| {
            const JOBS: usize = 2_000;
            const AT_ONCE: usize = 16;
            let command = JobCommand { argv: vec!["true".into()], ..shell(directory, "") };
            let (descriptors, threads) = (count("fd"), count("task"));
            let (mut started, mut ended) = (0, 0);
            while ended < JOBS {
                while started < JOBS && started - ended < AT_ONCE {
                    let name = key(&started.to_string());
                    jobs.start(name, command.clone(), in_a_minute()).unwrap();
                    started += 1;
                }
                match next(events) {
                    JobEvent::Started { .. } => {}
                    JobEvent::Exited { exit, remains, .. } => {
                        assert_eq!((exit, remains), (Exit::Code(0), Remains::Nothing));
                        ended += 1;
                    }
                    other => panic!("{other:?}"),
                }
            }
            assert!(comes_true(|| count("task") == threads));
            assert_eq!(count("fd"), descriptors);
            let own = std::process::id();
            let guard = std::os::unix::process::parent_id();
            let zombies = fs::read_dir("/proc").unwrap().filter_map(|entry| {
                let stat = fs::read_to_string(entry.unwrap().path().join("stat")).ok()?;
                let (_, rest) = stat.rsplit_once(") ")?;
                let mut fields = rest.split(' ');
                let is_zombie = fields.next()? == "Z";
                let parent: u32 = fields.next()?.parse().ok()?;
                (is_zombie && (parent == own || parent == guard)).then_some(stat)
            });
            assert_eq!(zombies.collect::<Vec<_>>(), Vec::<String>::new());
        },
    );
}
