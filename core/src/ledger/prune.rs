//! Retention: finished runs and settled occurrences are deleted, the rest never.
//!
//! The window in which a command may be sent again is the retention. What is accounted for is
//! kept in the worker's row, so a pruned occurrence is never enqueued again.

use std::collections::BTreeMap;

use crate::run::Run;
use crate::schedule::Occurrence;
use crate::words::{RunId, Timestamp, WorkerName};

use super::command::Retention;
use super::{Event, OccurrenceKey, Reply, Transaction};

impl Transaction<'_> {
    pub(super) fn prune(&mut self, retention: &Retention) -> Reply {
        let limit = usize::try_from(retention.limit.get()).unwrap_or(usize::MAX);
        let mut runs = self.prunable_runs(retention);
        let mut more = runs.len() > limit;
        runs.truncate(limit);
        for run in &runs {
            self.emit(Event::RunPruned { run: *run });
        }
        let rest = limit - runs.len();
        let mut occurrences = self.prunable_occurrences(retention);
        more |= occurrences.len() > rest;
        occurrences.truncate(rest);
        for (worker, scheduled_for) in &occurrences {
            self.emit(Event::OccurrencePruned {
                worker: worker.clone(),
                scheduled_for: *scheduled_for,
            });
        }
        let count = |rows: usize| u32::try_from(rows).unwrap_or(u32::MAX);
        Reply::Pruned { runs: count(runs.len()), occurrences: count(occurrences.len()), more }
    }

    /// Oldest first.
    fn prunable_runs(&self, retention: &Retention) -> Vec<RunId> {
        let mut newest_first: BTreeMap<&WorkerName, Vec<&Run>> = BTreeMap::new();
        for run in self.ledger.rows.runs.values().filter(|run| !run.is_active()) {
            newest_first.entry(&run.worker).or_default().push(run);
        }
        let kept = usize::try_from(retention.keep_per_worker).unwrap_or(usize::MAX);
        let mut prunable: Vec<(Timestamp, RunId)> = Vec::new();
        for runs in newest_first.values_mut() {
            runs.sort_by_key(|run| std::cmp::Reverse(run.number));
            prunable.extend(
                runs.iter()
                    .skip(kept)
                    .filter(|run| self.is_past(run, retention) && !self.is_needed(run, retention))
                    .filter_map(|run| Some((run.end()?.at, run.id))),
            );
        }
        prunable.sort_unstable();
        prunable.into_iter().map(|(_, run)| run).collect()
    }

    fn is_past(&self, run: &Run, retention: &Retention) -> bool {
        run.end().is_some_and(|end| end.at.plus(retention.keep) <= self.now)
    }

    /// A chain goes only when its last attempt may go and no other is owed.
    fn is_needed(&self, run: &Run, retention: &Retention) -> bool {
        let Some(scheduled) = run.trigger.scheduled() else {
            return false;
        };
        let key = (run.worker.clone(), scheduled.scheduled_for);
        let Some(occurrence) = self.ledger.rows.occurrences.get(&key) else {
            return false;
        };
        let last =
            occurrence.chain.as_ref().and_then(|chain| self.ledger.rows.runs.get(&chain.last_run));
        occurrence.owes_retry() || last.is_some_and(|last| !self.is_past(last, retention))
    }

    /// Oldest first; never while a run of its chain is left.
    fn prunable_occurrences(&self, retention: &Retention) -> Vec<OccurrenceKey> {
        let mut by_worker: BTreeMap<&WorkerName, Vec<&Occurrence>> = BTreeMap::new();
        for occurrence in self.ledger.rows.occurrences.values() {
            by_worker.entry(&occurrence.worker).or_default().push(occurrence);
        }
        let kept = usize::try_from(retention.keep_per_worker).unwrap_or(usize::MAX);
        let mut prunable: Vec<(Timestamp, OccurrenceKey)> = Vec::new();
        for occurrences in by_worker.values() {
            let old = occurrences.len().saturating_sub(kept);
            prunable.extend(
                occurrences
                    .iter()
                    .take(old)
                    .filter(|occurrence| {
                        occurrence.recorded_at.plus(retention.keep) <= self.now
                            && !occurrence.owes_retry()
                            && !self.has_runs(occurrence)
                    })
                    .map(|occurrence| {
                        let key = (occurrence.worker.clone(), occurrence.scheduled_for);
                        (occurrence.recorded_at, key)
                    }),
            );
        }
        prunable.sort_unstable();
        prunable.into_iter().map(|(_, key)| key).collect()
    }

    fn has_runs(&self, occurrence: &Occurrence) -> bool {
        let Some(chain) = &occurrence.chain else {
            return false;
        };
        (1..=chain.attempt.get()).any(|number| {
            crate::words::Attempt::new(number).is_ok_and(|attempt| {
                let id =
                    RunId::of_occurrence(&occurrence.worker, occurrence.scheduled_for, attempt);
                self.ledger.rows.runs.contains_key(&id)
            })
        })
    }
}
