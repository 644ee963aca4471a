//! Incidents: what a world does to its processes and might as well leave out. A failure is made
//! small by leaving out all that it does not need.
//!
//! Promise: each incident has a place among those of its kind, counted whether it is left out or
//! not, and draws from a source of its own; so leaving one out moves no other.

use std::collections::{BTreeMap, BTreeSet};

use horarium_core::words::Span;
use serde::{Deserialize, Serialize};

use crate::clock::Time;

/// A fault counts as active for so long after it struck.
const ACTIVE_FOR: Span = Span::from_secs(30);

macro_rules! incidents {
    ($($(#[$doc:meta])* $incident:ident,)*) => {
        /// A kind of incident.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(rename_all = "kebab-case")]
        pub enum Incident {
            $($(#[$doc])* $incident,)*
        }

        impl Incident {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$incident,)*];
        }
    };
}

incidents! {
    /// A request is lost.
    RequestLost,
    /// A request is carried out after its sender gave up.
    RequestLate,
    /// A request is carried out twice.
    RequestTwice,
    /// An answer is lost.
    AnswerLost,
    /// An answer comes after its addressee gave up.
    AnswerLate,
    /// An answer comes twice.
    AnswerTwice,
    /// Other transactions hold rows.
    RowsLocked,
    /// A process dies in the middle of what its machine wants done.
    CrashAmid,
    /// A runner dies.
    RunnerCrash,
    /// A scheduler dies.
    SchedulerCrash,
    /// A runner freezes.
    RunnerFreeze,
    /// A guard freezes.
    GuardFreeze,
    /// A guard dies.
    GuardDeath,
    /// A scheduler freezes.
    SchedulerFreeze,
    /// A runner is cut off.
    CutOff,
    /// A runner is cut off again, soon.
    CutOffAgain,
    /// A leader loses its lock.
    LockLoss,
    /// The store's clock steps.
    ClockStep,
    /// A runner is asked to stop.
    Shutdown,
    /// The schedulers are away.
    SchedulersAway,
    /// Everything is away.
    AllAway,
    /// The store refuses everything for a while.
    StoreRefuses,
    /// The store is slow for a while.
    StoreSlow,
    /// The store is read-only for a while.
    StoreReadOnly,
    /// The store restarts.
    StoreRestart,
    /// The store is restored from a backup.
    Restore,
    /// A business transaction holds a worker's row.
    RowHeld,
    /// All runners die at once.
    AllRunnersCrash,
    /// A runner and its guard freeze together.
    BothFreeze,
    /// A process dies again soon after its start.
    CrashAgain,
    /// A process is asked to stop in the middle of something.
    ShutdownAmid,
    /// A job fails.
    JobFails,
    /// A job says that its failure is final.
    JobHopeless,
    /// A job never ends by itself.
    JobHangs,
    /// A job does not hear TERM.
    JobDeaf,
    /// A job cannot be started.
    JobUnstartable,
    /// A job leaves a process behind.
    JobLeaves,
    /// A job says how far it is.
    JobTalks,
    /// A worker has a schedule from the start.
    FirstSchedule,
    /// An operator wants something.
    Wish,
    /// An operator ends a foreground run soon after its start.
    ChangeOfMind,
    /// Somebody is told that something has changed.
    Hint,
}

impl Incident {
    /// True for what goes wrong; others are what jobs and people do.
    pub const fn is_fault(self) -> bool {
        (self as usize) < (Self::JobFails as usize)
    }
}

/// Which incidents of each kind happen; those of a kind that is not named do not.
pub type Kept = BTreeMap<Incident, BTreeSet<u64>>;

/// The incidents of a world.
#[derive(Debug)]
pub struct Incidents {
    /// All happen, or only these.
    kept: Option<Kept>,
    met: Vec<Met>,
}

/// What was met of one kind.
#[derive(Debug, Clone, Default)]
struct Met {
    count: u64,
    happened: Vec<u64>,
    last: Option<Time>,
}

impl Incidents {
    /// Those of a world in which all happen, or only some.
    pub fn new(kept: Option<Kept>) -> Self {
        Self { kept, met: vec![Met::default(); Incident::ALL.len()] }
    }

    /// Counts an incident that was drawn. True unless it is left out.
    pub fn happens(&mut self, incident: Incident, time: Time) -> bool {
        let Some(met) = self.met.get_mut(incident as usize) else {
            return true;
        };
        let place = met.count;
        met.count += 1;
        let is_kept = self
            .kept
            .as_ref()
            .is_none_or(|kept| kept.get(&incident).is_some_and(|places| places.contains(&place)));
        if is_kept {
            met.happened.push(place);
            met.last = Some(time);
        }
        is_kept
    }

    /// All that happened.
    pub fn happened(&self) -> Kept {
        let all = Incident::ALL.iter().zip(&self.met);
        all.filter(|(_, met)| !met.happened.is_empty())
            .map(|(incident, met)| (*incident, met.happened.iter().copied().collect()))
            .collect()
    }

    /// The faults that struck a short time ago, one bit each.
    pub fn active(&self, now: Time) -> u64 {
        let all = Incident::ALL.iter().zip(&self.met);
        all.filter(|(incident, met)| {
            incident.is_fault() && met.last.is_some_and(|last| now.since(last) < ACTIVE_FOR)
        })
        .fold(0, |bits, (incident, _)| bits | 1 << (*incident as usize % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(incidents: &mut Incidents) -> Vec<bool> {
        (0..3).map(|_| incidents.happens(Incident::Wish, Time::START)).collect()
    }

    #[test]
    fn an_incident_keeps_its_place_when_others_are_left_out() {
        let kept = Kept::from([(Incident::Wish, BTreeSet::from([0, 2]))]);
        let mut incidents = Incidents::new(Some(kept.clone()));
        assert_eq!(some(&mut incidents), [true, false, true]);
        assert!(!incidents.happens(Incident::Hint, Time::START));
        assert_eq!(incidents.happened(), kept);
        assert_eq!(some(&mut Incidents::new(None)), [true; 3]);
    }

    #[test]
    fn a_fault_is_active_for_a_while_and_a_wish_never() {
        let mut incidents = Incidents::new(None);
        incidents.happens(Incident::RequestLate, Time::START);
        some(&mut incidents);
        assert_eq!(incidents.active(Time::START), 1 << 1);
        assert_eq!(incidents.active(Time::START.plus(ACTIVE_FOR)), 0);
    }
}
