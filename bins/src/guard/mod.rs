//! The guard: a process above the runner, so that jobs die in time whatever becomes of the runner.
//!
//! # What it promises
//!
//! * A job is killed at its deadline, even when the runner is stopped or hangs: its group, every
//!   descendant of its leader, and what it detached (`setsid`, double fork), found by the mark that
//!   its environment carries.
//! * When the runner ends or crashes, everything below it is killed and reaped before the guard
//!   ends with the runner's status (its exit code, or 128 + the signal).
//! * When the guard dies, the runner's [`GuardLink`] closes and the runner KILLs its jobs itself.
//! * TERM, INT, HUP, QUIT, USR1 and USR2 are handed on to the runner, once each. The runner has a
//!   process group of its own, so a terminal's Ctrl-C reaches it through the guard alone; Ctrl-Z
//!   stops neither.
//!
//! # What it does not promise
//!
//! * A runner and a guard that are both frozen or gone at the same time; a suspended host.
//! * A process that took another user's rights and that we may not KILL. It is reported.
//! * A process that detached itself, and cleared its environment, and is an orphan: while other
//!   jobs run it cannot be told whose it is. It is killed when no job is left.
//!
//! # Use
//!
//! ```no_run
//! # fn main() -> Result<(), horarium::guard::EnterError> {
//! let guard = horarium::guard::enter()?; // first of all: before threads, a runtime, other children
//! # Ok(()) }
//! ```
//!
//! The line starts the program a second time. The guard never returns from it; the runner proper
//! goes on with the link, and hands it to [`Jobs`](crate::job::Jobs). Standard input belongs to the
//! link from then on: a runner reads nothing from it.
//!
//! Under systemd the guard is the service's main process and the runner its child, so the unit
//! says `NotifyAccess=all` (the environment's `NOTIFY_SOCKET` reaches the runner as it is) and
//! `KillMode=mixed` (TERM to the guard alone, KILL in the end to all).
//!
//! A program that embeds a runner and cannot be started twice would need a guard as its child: it
//! would adopt nothing and reap nothing, and so promise less. There is none yet.

#[cfg(not(target_os = "linux"))]
compile_error!("the guard needs Linux (5.4 or later): it uses child subreapers, pidfds and /proc");

mod key;
mod link;
mod owner;
mod process_group;
mod process_table;
mod protocol;
mod signals;
mod sweep;
mod watch;
mod watchlist;

pub use key::{JobKey, JobKeyError};
pub use link::{GuardLink, GuardLost, Remains};

pub(crate) use link::{Armed, Question};
pub(crate) use process_group::ProcessGroup;
pub(crate) use process_table::MARK;
pub(crate) use sweep::{kill_once, kill_until_gone};

use std::env;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use rustix::net::sockopt::socket_peercred;

/// Set by the guard for its runner: the guard's process id. Jobs do not inherit it.
pub(crate) const GUARD_VARIABLE: &str = "HORARIUM_GUARD";

/// Why there is no guard, and so no runner.
#[derive(Debug, thiserror::Error)]
pub enum EnterError {
    /// The kernel does not let the guard adopt orphans.
    #[error("the guard cannot adopt orphaned processes ({0}): Linux 5.4 or later is needed")]
    Subreaper(#[source] io::Error),
    /// `/proc` is missing.
    #[error("the guard cannot read the process table ({0}): mount /proc in this environment")]
    ProcessTable(#[source] io::Error),
    /// The program could not be started again below itself.
    #[error("the guard cannot start the runner below itself: {0}")]
    Start(#[source] io::Error),
    /// The runner cannot reach its guard.
    #[error("the runner cannot use the socket to its guard: {0}")]
    Link(#[source] io::Error),
}

/// Be guarded: the calling process becomes the guard and ends inside of this call, the copy of it
/// that the guard starts returns from it. Call it first in `main`.
pub fn enter() -> Result<GuardLink, EnterError> {
    if is_guarded() {
        let socket = io::stdin().as_fd().try_clone_to_owned().map_err(EnterError::Link)?;
        // Descriptor 0 stays open as well: the guard sees the end when the process ends, not when
        // the link is dropped.
        GuardLink::open(UnixStream::from(socket)).map_err(EnterError::Link)
    } else {
        let status = watch::guard_the_runner()?;
        std::process::exit(status)
    }
}

/// True in the runner proper: standard input is a socket that was made by the process which the
/// variable names. A variable that was left over by accident names another.
fn is_guarded() -> bool {
    let named = env::var(GUARD_VARIABLE).ok();
    let maker = socket_peercred(io::stdin()).ok().map(|maker| maker.pid.as_raw_pid().to_string());
    named.is_some() && named == maker
}
