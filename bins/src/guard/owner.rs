//! Whose is a process? The one answer, for the guard at a deadline and for the runner after the
//! guard was lost.
//!
//! Promises: a process belongs to the job whose group it is in, else to the job that its parent
//! belongs to, else to the first job that its mark names. Only one that cleared its environment,
//! left its group and lost its parent is a stray.

use std::collections::BTreeMap;

use super::key::JobKey;
use super::process_group::ProcessGroup;
use super::process_table::Process;

/// Whose a process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner<'k> {
    /// It was started by this job, directly or not.
    Job(&'k JobKey),
    /// No known job can be told.
    Nobody,
}

/// The owner of each of `processes`, which stand after their parents. `marks` gives the keys that
/// a process is marked with; it is asked only about those that group and parent do not settle.
pub(super) fn owners<'p, 'k>(
    processes: &[&'p Process],
    jobs: impl Iterator<Item = (&'k JobKey, Option<ProcessGroup>)>,
    marks: impl Fn(&Process) -> Vec<String>,
) -> Vec<(&'p Process, Owner<'k>)> {
    let mut by_key = BTreeMap::new();
    let mut by_group = BTreeMap::new();
    for (key, group) in jobs {
        by_key.insert(key.as_str(), key);
        if let Some(group) = group {
            by_group.insert(group.raw(), key);
        }
    }
    let mut by_process: BTreeMap<i32, &JobKey> = BTreeMap::new();
    let mut owners = Vec::with_capacity(processes.len());
    for &process in processes {
        let by_mark = || {
            let marks = marks(process);
            marks.iter().find_map(|mark| by_key.get(mark.as_str()).copied())
        };
        let key = by_group
            .get(&process.group)
            .or_else(|| by_process.get(&process.parent))
            .copied()
            .or_else(by_mark);
        let owner = match key {
            Some(key) => {
                by_process.insert(process.pid, key);
                Owner::Job(key)
            }
            None => Owner::Nobody,
        };
        owners.push((process, owner));
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;

    struct World {
        processes: Vec<Process>,
        marks: BTreeMap<i32, &'static str>,
    }

    impl World {
        fn new(processes: &[(i32, i32, i32)], marks: &[(i32, &'static str)]) -> Self {
            let seen = |&(pid, parent, group): &(i32, i32, i32)| Process {
                pid,
                parent,
                group,
                started: 1,
                alive: true,
            };
            Self {
                processes: processes.iter().map(seen).collect(),
                marks: marks.iter().copied().collect(),
            }
        }

        fn owner(&self, pid: i32) -> Option<String> {
            let (a, b) = (JobKey::new("a").unwrap(), JobKey::new("b").unwrap());
            let jobs = [(&a, ProcessGroup::from_raw(10)), (&b, None)];
            let marks = |process: &Process| -> Vec<String> {
                let keys = self.marks.get(&process.pid).copied().unwrap_or_default();
                keys.split(' ').map(str::to_owned).collect()
            };
            let seen: Vec<&Process> = self.processes.iter().collect();
            owners(&seen, jobs.into_iter(), marks).into_iter().find_map(|(process, owner)| {
                match owner {
                    Owner::Job(key) if process.pid == pid => Some(key.to_string()),
                    Owner::Job(_) | Owner::Nobody => None,
                }
            })
        }
    }

    #[test]
    fn the_group_decides_first() {
        let world = World::new(&[(10, 5, 10), (11, 1, 10)], &[(11, "b")]);
        assert_eq!(world.owner(10).as_deref(), Some("a"));
        assert_eq!(world.owner(11).as_deref(), Some("a"));
    }

    #[test]
    fn a_child_with_a_session_of_its_own_is_known_by_its_parent() {
        let world = World::new(&[(10, 5, 10), (12, 10, 12), (13, 12, 13)], &[]);
        assert_eq!(world.owner(13).as_deref(), Some("a"));
    }

    #[test]
    fn an_orphan_is_known_by_its_mark_and_its_children_with_it() {
        let world = World::new(&[(20, 1, 20), (21, 20, 21)], &[(20, "elsewhere b a")]);
        assert_eq!(world.owner(20).as_deref(), Some("b"));
        assert_eq!(world.owner(21).as_deref(), Some("b"));
    }

    #[test]
    fn who_has_no_known_mark_is_nobodys() {
        let world = World::new(&[(30, 1, 30), (31, 1, 31)], &[(31, "elsewhere")]);
        assert_eq!(world.owner(30), None);
        assert_eq!(world.owner(31), None);
    }
}
