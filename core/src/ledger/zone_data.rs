//! New zone data: what is computed anew, and who may compute at all.
//!
//! The release that the ledger has adopted is authoritative. A process with older data does not
//! lead and saves no schedule; a leader with newer data adopts theirs at its first tick and then
//! computes every schedule anew, a batch with each tick. What is due already is left alone, what
//! has moved into the past is due at once, and what is accounted for stays accounted for.
//!
//! A schedule that a newer process saves before any leader has its data changes nothing for
//! others: the row says what it was computed with, and the leader's data decide from then on.

use crate::recurrence::ZoneRelease;
use crate::schedule::Next;
use crate::words::WorkerName;

use super::reply::Done;
use super::{Event, Refusal, Transaction};

/// What a tick computed anew.
#[derive(Default)]
pub(super) struct Recomputation {
    /// What it did.
    pub(super) done: Vec<Done>,
    /// How many schedules it looked at.
    pub(super) schedules: u32,
    /// True when more are left.
    pub(super) more: bool,
}

impl Transaction<'_> {
    /// The release that this process computes with, unless the ledger has a newer one.
    pub(super) fn zone_release(&self) -> Result<ZoneRelease, Refusal> {
        let own = self.ledger.zones.release();
        match self.ledger.rows.zone_data {
            Some(adopted) if own < adopted => Err(Refusal::OlderZoneData { own, adopted }),
            Some(_) | None => Ok(own),
        }
    }

    /// Makes `own` the ledger's release, and computes at most `limit` schedules anew with it.
    pub(super) fn adopt(&mut self, own: ZoneRelease, limit: usize) -> Recomputation {
        let mut recomputation = Recomputation::default();
        let adopted = self.ledger.rows.zone_data;
        if adopted != Some(own) {
            self.emit(Event::ZoneDataAdopted { release: own });
            recomputation.done.push(Done::ZoneDataAdopted { before: adopted, release: own });
        }
        let stale: Vec<WorkerName> = self
            .ledger
            .stale(own)
            .filter(|(_, schedule)| !schedule.is_due(self.now))
            .map(|(worker, _)| worker)
            .filter(|worker| !self.locked.workers.contains(*worker))
            .take(limit.saturating_add(1))
            .cloned()
            .collect();
        recomputation.more = stale.len() > limit;
        for worker in stale.into_iter().take(limit) {
            recomputation.schedules = recomputation.schedules.saturating_add(1);
            recomputation.done.extend(self.recompute(&worker, own));
        }
        recomputation
    }

    /// Computes a schedule anew. Says so when its next instant is another one.
    fn recompute(&mut self, worker: &WorkerName, release: ZoneRelease) -> Option<Done> {
        let row = self.worker(worker);
        let schedule = row.schedule?;
        let next = match schedule.recomputed(row.accounted_until) {
            Next::At(occasion) => Some(occasion),
            Next::Exhausted(_) => None,
            Next::Faulty => return Some(self.poison(worker, schedule, row.accounted_until)),
        };
        self.emit(Event::ScheduleRecomputed { worker: worker.clone(), next, release });
        let (before, now) = (schedule.next.map(|next| next.at), next.map(|next| next.at));
        (before != now).then(|| Done::Recomputed { worker: worker.clone(), before, now })
    }
}
