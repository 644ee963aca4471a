//! A look at `/proc`: who lives, who is whose child, and one process killed for certain.
//!
//! Promises: a table is what one pass over `/proc` saw. It is not a photograph (processes fork and
//! die during the pass), so whoever wants none left looks again until a pass finds none. A KILL
//! goes to the very process that was seen and never to another that got its number meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

/// The environment variable that marks every process of a job with the job's key, whatever group,
/// session or parent it moves to. A job inside a job carries both keys, the outer one first.
pub(crate) const MARK: &str = "HORARIUM_JOB_MARK";

/// One process as a pass saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: i32,
    pub(super) parent: i32,
    pub(super) group: i32,
    /// When it was started, in clock ticks since boot: with the pid, its identity.
    pub(super) started: u64,
    /// False for one that has ended and only waits to be reaped.
    pub(super) alive: bool,
}

impl Process {
    /// The process with this id, if there is one.
    fn read(pid: i32) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// `/proc/PID/stat`. The name in parentheses can hold anything, a `)` too, so the fields are
    /// counted from its last one.
    fn parse(stat: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(stat);
        let pid = text.split(' ').next()?.parse().ok()?;
        let mut fields = text[text.rfind(')')? + 1..].split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        // A process whose first thread alone has ended looks like a zombie and is none.
        let threads: u32 = fields.nth(14)?.parse().ok()?;
        let started = fields.nth(1)?.parse().ok()?;
        let ended = matches!(state, "Z" | "X" | "x") && threads <= 1;
        Some(Self { pid, parent, group, started, alive: !ended })
    }

    /// The keys that its [`MARK`] names; none if it has no mark or does not let us see it.
    pub(super) fn marks(&self) -> Vec<String> {
        let environment = fs::read(format!("/proc/{}/environ", self.pid)).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .find_map(|entry| entry.strip_prefix(MARK.as_bytes())?.strip_prefix(b"="))
            .map(|keys| String::from_utf8_lossy(keys).split(' ').map(str::to_owned).collect())
            .unwrap_or_default()
    }

    /// KILL it. An error means that we may not; one that is gone is no error.
    pub(super) fn kill(&self) -> io::Result<()> {
        if self.pid <= 1 {
            return Ok(());
        }
        let Some(pid) = Pid::from_raw(self.pid) else { return Ok(()) };
        let sent = match pidfd_open(pid, PidfdFlags::empty()) {
            // The descriptor pins whoever has the number now: is it still the one that was seen?
            Ok(pinned) => match Self::read(self.pid) {
                Some(now) if now.started == self.started => {
                    pidfd_send_signal(&pinned, Signal::KILL)
                }
                Some(_) | None => Ok(()),
            },
            Err(rustix::io::Errno::SRCH) => Ok(()),
            // No descriptor to be had: the number was read an instant ago and must do.
            Err(_) => kill_process(pid, Signal::KILL),
        };
        match sent {
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(refused) => Err(refused.into()),
        }
    }
}

/// What one pass saw, by process id.
#[derive(Debug, Default)]
pub(super) struct ProcessTable(BTreeMap<i32, Process>);

impl ProcessTable {
    /// Look at every process of the machine that we can see.
    pub(super) fn read() -> io::Result<Self> {
        let mut processes = BTreeMap::new();
        for entry in fs::read_dir("/proc")? {
            let name = entry?.file_name();
            let pid = name.to_str().and_then(|name| name.parse().ok());
            // One that ended since the directory was read is simply not there.
            if let Some(process) = pid.and_then(Process::read) {
                processes.insert(process.pid, process);
            }
        }
        Ok(Self(processes))
    }

    /// Everything below `root`, each after its parent, without the subtrees that start at a
    /// process that `left_out` names.
    pub(super) fn below(&self, root: i32, left_out: impl Fn(&Process) -> bool) -> Vec<&Process> {
        self.parents_first(|process| process.parent == root && process.pid != root, left_out)
    }

    /// Every process, each after its parent.
    pub(super) fn everything(&self) -> Vec<&Process> {
        self.parents_first(|process| !self.0.contains_key(&process.parent), |_| false)
    }

    fn parents_first(
        &self,
        at_top: impl Fn(&Process) -> bool,
        left_out: impl Fn(&Process) -> bool,
    ) -> Vec<&Process> {
        let mut children: BTreeMap<i32, Vec<&Process>> = BTreeMap::new();
        for process in self.0.values() {
            children.entry(process.parent).or_default().push(process);
        }
        let mut found: Vec<&Process> =
            self.0.values().filter(|process| at_top(process) && !left_out(process)).collect();
        // Numbers can be reused during the pass, so that the "tree" need not be one.
        let mut seen: BTreeSet<i32> = found.iter().map(|process| process.pid).collect();
        let mut next = 0;
        while let Some(parent) = found.get(next) {
            next += 1;
            for child in children.get(&parent.pid).into_iter().flatten() {
                if !left_out(child) && seen.insert(child.pid) {
                    found.push(child);
                }
            }
        }
        found
    }
}

#[cfg(test)]
impl FromIterator<Process> for ProcessTable {
    fn from_iter<I: IntoIterator<Item = Process>>(processes: I) -> Self {
        Self(processes.into_iter().map(|process| (process.pid, process)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(pid: i32, parent: i32) -> Process {
        Process { pid, parent, group: pid, started: 1, alive: true }
    }

    #[test]
    fn a_name_with_a_parenthesis_does_not_shift_the_fields() {
        let stat = b"77 (a) Z 1 (b) S 5 70 60 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 3 0 999 1 2";
        let process = Process::parse(stat).unwrap();
        assert_eq!(process, Process { pid: 77, parent: 5, group: 70, started: 999, alive: true });
    }

    #[test]
    fn a_zombie_is_dead_unless_other_threads_live() {
        let stat = |state, threads| {
            format!("7 (x) {state} 5 7 7 0 -1 4 1 2 3 4 5 6 7 8 20 0 {threads} 0 9 1 2")
        };
        let alive = |state, threads| Process::parse(stat(state, threads).as_bytes()).unwrap().alive;
        assert!(!alive("Z", 1));
        assert!(alive("Z", 2));
        assert!(alive("T", 1));
        assert!(alive("D", 1));
    }

    #[test]
    fn a_truncated_line_is_no_process() {
        for stat in [&b""[..], b"7", b"7 (x)", b"7 (x) S 5 7", b"x (x) S 5 7 7 0"] {
            assert_eq!(Process::parse(stat), None);
        }
    }

    #[test]
    fn below_finds_the_whole_subtree_and_leaves_out_what_it_is_told() {
        let table: ProcessTable =
            [child(2, 1), child(3, 2), child(4, 3), child(5, 2), child(6, 1), child(7, 5)]
                .into_iter()
                .collect();
        let pids = |root, left_out: i32| -> Vec<i32> {
            let below = table.below(root, |process| process.pid == left_out);
            below.iter().map(|process| process.pid).collect()
        };
        assert_eq!(pids(2, 0), [3, 5, 4, 7]);
        assert_eq!(pids(2, 5), [3, 4]);
        assert_eq!(pids(9, 0), Vec::<i32>::new());
    }

    #[test]
    fn a_circle_of_reused_numbers_ends() {
        let table: ProcessTable = [child(2, 3), child(3, 2)].into_iter().collect();
        assert!(table.below(2, |_| false).len() <= 2);
        assert!(table.everything().is_empty());
    }

    #[test]
    fn the_table_holds_this_process() {
        let own = i32::try_from(std::process::id()).unwrap();
        let table = ProcessTable::read().unwrap();
        assert!(table.everything().iter().any(|process| process.pid == own && process.alive));
    }
}
