//! A job's process group.
//!
//! Promises: a signal goes to one group and never, by a strange number, to every process of the
//! machine (which is what the group "1" means to the kernel). It does *not* know whether the group
//! still is the job's: whoever holds one must forget it before its leader is reaped.

use std::fmt;
use std::io;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process_group};

/// The group whose leader is a job's own process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessGroup(Pid);

impl ProcessGroup {
    /// The group with the number `raw`, if there can be such a group of a job.
    pub(crate) fn from_raw(raw: i32) -> Option<Self> {
        if raw > 1 { Pid::from_raw(raw).map(Self) } else { None }
    }

    /// The group that `leader` was started in.
    pub(crate) fn led_by(leader: &Child) -> Self {
        Self(Pid::from_child(leader))
    }

    /// The group's number, which is its leader's process id.
    pub(crate) fn raw(self) -> i32 {
        self.0.as_raw_pid()
    }

    /// KILL all of it. The kernel does so in one step that no fork slips through.
    pub(crate) fn kill(self) {
        self.signal(Signal::KILL);
    }

    /// TERM all of it; who is stopped is woken to receive it.
    pub(crate) fn terminate(self) {
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
    }

    fn signal(self, signal: Signal) {
        // The only answers are "no such group", which is what was wanted, and "not permitted",
        // which the sweep of single processes reports.
        let _: io::Result<()> = kill_process_group(self.0, signal).map_err(io::Error::from);
    }
}

impl fmt::Display for ProcessGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.raw())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_that_mean_everybody_are_no_group() {
        for raw in [i32::MIN, -5, -1, 0, 1] {
            assert_eq!(ProcessGroup::from_raw(raw), None);
        }
        assert_eq!(ProcessGroup::from_raw(2).map(ProcessGroup::raw), Some(2));
    }
}
