//! What the jobs themselves say: who began, who ended, and who ran beside another.

use std::collections::{BTreeMap, BTreeSet};

use horarium_core::words::RunId;

/// What a job marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// It begins, and every process of the worker's earlier jobs is dead.
    Begin,
    /// It begins while a process of an earlier job of the worker lives.
    Overlap,
    /// It has done what it wanted.
    End,
}

/// One line of a worker's file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    pub(crate) what: What,
    pub(crate) fence: u64,
    pub(crate) run: RunId,
}

/// A worker's marks in the order in which they were made.
pub(crate) fn parse(text: &str) -> Result<Vec<Mark>, String> {
    let mark = |line: &str| {
        let mut fields = line.split(' ');
        let what = match fields.next()? {
            "begin" => What::Begin,
            "overlap" => What::Overlap,
            "end" => What::End,
            _ => return None,
        };
        let fence = fields.next()?.parse().ok()?;
        let run = fields.next()?.parse().ok()?;
        Some(Mark { what, fence, run })
    };
    text.lines().map(|line| mark(line).ok_or_else(|| format!("no mark: `{line}`"))).collect()
}

/// One job as its marks show it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Execution {
    pub(crate) fence: u64,
    /// True when it came to its end by itself.
    pub(crate) ended: bool,
}

/// The executions of a worker, and what is wrong with them: one follows the other, none beside
/// another, with growing fences, and no run is executed twice.
pub(crate) fn executions(marks: &[Mark]) -> (BTreeMap<RunId, Execution>, Vec<String>) {
    let mut found = BTreeMap::new();
    let mut faults = Vec::new();
    let mut current: Option<(RunId, u64)> = None;
    let mut fences = BTreeSet::new();
    for Mark { what, fence, run } in marks.iter().copied() {
        match what {
            What::Begin | What::Overlap => {
                if what == What::Overlap {
                    faults.push(format!("no-overlap: {run}/{fence} began beside {current:?}"));
                }
                if fences.last().is_some_and(|last| *last >= fence) {
                    faults.push(format!("fence-grows: {run}/{fence} began after {fences:?}"));
                }
                fences.insert(fence);
                if found.insert(run, Execution { fence, ended: false }).is_some() {
                    faults.push(format!("fenced: {run} began a second time, under {fence}"));
                }
                current = Some((run, fence));
            }
            What::End => match found.get_mut(&run) {
                Some(execution) if current == Some((run, fence)) => execution.ended = true,
                _ => faults.push(format!("no-overlap: {run}/{fence} ended beside {current:?}")),
            },
        }
    }
    (found, faults)
}
