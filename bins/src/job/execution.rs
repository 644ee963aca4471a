//! One job from its deadline to its end, in one thread.
//!
//! Promises: the guard knows the deadline before there is a process, and forgets the group while
//! the leader, ended but not reaped, still pins its number. When the end is reported, nothing of
//! the job lives, or the report says so.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::active::ActiveJobs;
use super::command::{JobCommand, SpawnError};
use super::event::JobEvent;
use super::exit::Exit;
use super::streams::Streams;
use crate::boot_clock;
use crate::guard::{Armed, GuardLost, JobKey, ProcessGroup, Remains, kill_until_gone};

/// Execute `command` as `key`, and report what becomes of it.
pub(super) fn execute(active: &ActiveJobs, key: JobKey, command: &JobCommand) {
    let event = match start(active, &key, command) {
        Ok((leader, pipes)) => {
            active.report(JobEvent::Started { key: key.clone(), pid: leader.id() });
            attend(active, key, leader, pipes)
        }
        Err(error) => {
            active.end(&key);
            JobEvent::SpawnFailed { key, error }
        }
    };
    active.report(event);
}

/// What we hold of a job: its streams, and what becomes readable when its leader has ended.
struct Hold {
    streams: Streams,
    ended: OwnedFd,
}

impl Hold {
    fn take(leader: &mut Child, command: &JobCommand) -> io::Result<Self> {
        let ended = pidfd_open(Pid::from_child(leader), PidfdFlags::empty())?;
        Ok(Self { streams: Streams::take(leader, command)?, ended })
    }
}

fn start(
    active: &ActiveJobs,
    key: &JobKey,
    command: &JobCommand,
) -> Result<(Child, Hold), SpawnError> {
    let prepared = command.prepare(key)?;
    // The guard may have slept, and judged by a deadline that has been moved since: it is asked
    // again, as long as the job's own deadline lies ahead.
    while active.arm(key).armed()? == Armed::Late {
        active.may_start(key, boot_clock::now())?;
    }
    let started = match active.may_start(key, boot_clock::now()) {
        Ok(()) => prepared.spawn(),
        Err(refused) => Err(refused),
    };
    let mut leader = match started {
        Ok(leader) => leader,
        Err(error) => {
            // Nothing was started, so there is nothing that could remain.
            let _: Result<Remains, GuardLost> = active.guard().forget(key).remains();
            return Err(error);
        }
    };
    let group = ProcessGroup::led_by(&leader);
    active.started(key, group);
    match Hold::take(&mut leader, command) {
        Ok(hold) => Ok((leader, hold)),
        Err(source) => {
            // It runs, but we could neither see its end nor read what it writes.
            leave_nothing(active, key, group);
            active.end(key);
            reap(&mut leader);
            Err(SpawnError::Unattended { source })
        }
    }
}

/// Serve the job until its leader has ended, then leave nothing of it alive.
fn attend(active: &ActiveJobs, key: JobKey, mut leader: Child, mut hold: Hold) -> JobEvent {
    // An error means that the kernel has no memory for us: the job ends here, killed below.
    let _: io::Result<()> = hold.streams.serve(&hold.ended);
    let remains = leave_nothing(active, &key, ProcessGroup::led_by(&leader));
    let output = hold.streams.drain();
    active.end(&key);
    let exit = reap(&mut leader);
    JobEvent::Exited { key, exit, output, remains }
}

/// KILL what the job left behind, and have its group forgotten.
fn leave_nothing(active: &ActiveJobs, key: &JobKey, group: ProcessGroup) -> Remains {
    group.kill();
    let remains = active.guard().forget(key).remains();
    remains.unwrap_or_else(|GuardLost| kill_until_gone(key, group))
}

fn reap(leader: &mut Child) -> Exit {
    match leader.wait() {
        Ok(status) => Exit::from(status),
        // Impossible for a child of ours that nobody else reaps; it did not end well.
        Err(_) => Exit::Code(1),
    }
}
