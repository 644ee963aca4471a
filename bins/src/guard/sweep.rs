//! The runner's own way to leave nothing of a job alive, for when the guard is lost.
//!
//! Promises: finds what is still below the job's leader or carries the job's mark, wherever it
//! went. It cannot tell a detached process that cleared its environment: that took the guard.

use std::io;
use std::thread;
use std::time::Duration;

use horarium_core::words::time::Span;

use super::key::JobKey;
use super::link::Remains;
use super::owner::{Owner, owners};
use super::process_group::ProcessGroup;
use super::process_table::{Process, ProcessTable};
use crate::boot_clock;

const LOOK_AGAIN: Duration = Duration::from_millis(4);
const LIMIT: Span = Span::from_secs(2);

/// KILL what lives of `jobs`, as one look finds it. True if something was alive.
pub(crate) fn kill_once(jobs: &[(&JobKey, Option<ProcessGroup>)]) -> io::Result<bool> {
    let table = ProcessTable::read()?;
    let mut found = false;
    for (process, owner) in owners(&table.everything(), jobs.iter().copied(), Process::marks) {
        match owner {
            Owner::Job(_) if process.alive => {
                found = true;
                // One that we may not KILL is found again, and so reported as lingering.
                let _: io::Result<()> = process.kill();
            }
            Owner::Job(_) | Owner::Nobody => {}
        }
    }
    Ok(found)
}

/// KILL what lives of a job until nothing does, or for two seconds.
pub(crate) fn kill_until_gone(key: &JobKey, group: ProcessGroup) -> Remains {
    let give_up = boot_clock::now().plus(LIMIT);
    loop {
        match kill_once(&[(key, Some(group))]) {
            Ok(false) => return Remains::Nothing,
            Ok(true) | Err(_) if boot_clock::now() >= give_up => return Remains::Lingering,
            Ok(true) | Err(_) => thread::sleep(LOOK_AGAIN),
        }
    }
}
