//! The jobs that were accepted and have not ended.
//!
//! Promises: a signal goes to a job's group only while its leader is not reaped, since both happen
//! under one lock. The guard hears of a job's deadlines in the order in which they were set.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use horarium_core::words::time::Moment;

use super::command::SpawnError;
use super::event::JobEvent;
use crate::guard::{GuardLink, JobKey, ProcessGroup, Question, kill_once};

/// Two jobs cannot have one key at the same time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a job with the key `{0}` is active: give each run and fence a key of its own")]
pub struct KeyInUse(pub JobKey);

/// How a job is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// TERM, which it may handle or ignore.
    Terminate,
    /// KILL, to all that it started.
    Kill,
}

#[derive(Debug)]
enum Phase {
    /// There is no process yet, or its group is not known here yet.
    Starting { stop: Option<Stop> },
    /// Its leader is not reaped.
    Running { group: ProcessGroup },
}

#[derive(Debug)]
struct Job {
    deadline: Moment,
    phase: Phase,
}

/// The jobs, with what all their threads share.
pub(super) struct ActiveJobs {
    guard: GuardLink,
    jobs: Mutex<BTreeMap<JobKey, Job>>,
    report: Box<dyn Fn(JobEvent) + Send + Sync>,
}

impl ActiveJobs {
    pub(super) fn new(guard: GuardLink, report: impl Fn(JobEvent) + Send + Sync + 'static) -> Self {
        Self { guard, jobs: Mutex::default(), report: Box::new(report) }
    }

    pub(super) fn guard(&self) -> &GuardLink {
        &self.guard
    }

    pub(super) fn report(&self, event: JobEvent) {
        (self.report)(event);
    }

    fn jobs(&self) -> MutexGuard<'_, BTreeMap<JobKey, Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Take a job in.
    pub(super) fn accept(&self, key: &JobKey, deadline: Moment) -> Result<(), KeyInUse> {
        match self.jobs().entry(key.clone()) {
            Entry::Occupied(_) => Err(KeyInUse(key.clone())),
            Entry::Vacant(place) => {
                place.insert(Job { deadline, phase: Phase::Starting { stop: None } });
                Ok(())
            }
        }
    }

    /// Have the guard watch the deadline that the job has by now.
    pub(super) fn arm(&self, key: &JobKey) -> Question {
        let jobs = self.jobs();
        let deadline = jobs.get(key).map_or(Moment::START, |job| job.deadline);
        self.guard.arm(key, deadline)
    }

    /// Refuse to start a job that was told to end, or whose deadline has passed, in the meantime.
    pub(super) fn may_start(&self, key: &JobKey, now: Moment) -> Result<(), SpawnError> {
        match self.jobs().get(key) {
            Some(Job { phase: Phase::Starting { stop: None }, deadline }) if *deadline > now => {
                Ok(())
            }
            Some(Job { phase: Phase::Starting { stop: None }, .. }) => Err(SpawnError::Late),
            Some(_) | None => Err(SpawnError::Withdrawn),
        }
    }

    /// The job runs: the guard learns its group, and what was asked of it meanwhile is done.
    pub(super) fn started(&self, key: &JobKey, group: ProcessGroup) {
        let mut jobs = self.jobs();
        self.guard.name_group(key, group);
        if let Some(job) = jobs.get_mut(key) {
            let asked = match job.phase {
                Phase::Starting { stop } => stop,
                Phase::Running { .. } => None,
            };
            job.phase = Phase::Running { group };
            if let Some(stop) = asked {
                self.signal(key, group, stop);
            }
        }
    }

    /// The job has ended and its leader is about to be reaped: no signal from now on.
    pub(super) fn end(&self, key: &JobKey) {
        self.jobs().remove(key);
    }

    /// Give a job another deadline.
    pub(super) fn set_deadline(&self, key: &JobKey, deadline: Moment) {
        if let Some(job) = self.jobs().get_mut(key) {
            job.deadline = deadline;
            self.guard.renew(key, deadline);
        }
    }

    /// Make a job end.
    pub(super) fn stop(&self, key: &JobKey, stop: Stop) {
        if let Some(job) = self.jobs().get_mut(key) {
            self.stop_one(key, job, stop);
        }
    }

    /// Make all jobs end.
    pub(super) fn stop_all(&self, stop: Stop) {
        for (key, job) in &mut *self.jobs() {
            self.stop_one(key, job, stop);
        }
    }

    fn stop_one(&self, key: &JobKey, job: &mut Job, stop: Stop) {
        match &mut job.phase {
            Phase::Running { group } => self.signal(key, *group, stop),
            Phase::Starting { stop: Some(Stop::Kill) } => {}
            Phase::Starting { stop: asked } => *asked = Some(stop),
        }
    }

    fn signal(&self, key: &JobKey, group: ProcessGroup, stop: Stop) {
        match stop {
            Stop::Terminate => group.terminate(),
            Stop::Kill => {
                group.kill();
                // The guard finds what left the group.
                self.guard.renew(key, Moment::START);
            }
        }
    }

    /// The guard is lost: KILL everything ourselves, then say so, before any job's end is reported.
    pub(super) fn guard_lost(&self) {
        let mut jobs = self.jobs();
        for job in jobs.values_mut() {
            match &mut job.phase {
                Phase::Running { group } => group.kill(),
                Phase::Starting { stop } => *stop = Some(Stop::Kill),
            }
        }
        let running: Vec<_> = jobs
            .iter()
            .map(|(key, job)| match job.phase {
                Phase::Running { group } => (key, Some(group)),
                Phase::Starting { .. } => (key, None),
            })
            .collect();
        // Each job's thread goes on until nothing of it is left; this is the first look.
        let _: std::io::Result<bool> = kill_once(&running);
        self.report(JobEvent::GuardLost);
    }
}

impl fmt::Debug for ActiveJobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActiveJobs").field("jobs", &*self.jobs()).finish_non_exhaustive()
    }
}
