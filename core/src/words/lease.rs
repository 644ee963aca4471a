//! The lease's configuration: checked once, when a process starts, so that no lease can run out
//! under a healthy runner and no zombie can outlive its lease.

use serde::{Deserialize, Serialize};

use super::time::{Moment, Span};

/// Clock rates of two machines may differ by this many thousandths (ρ, 1 %).
pub const RATE_DRIFT_PERMILLE: u64 = 10;

/// What a runner promises the store about its proofs of life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LeaseTiming {
    /// Time between two heartbeats.
    pub heartbeat: Span,
    /// How long a claim or a heartbeat holds.
    pub lease: Span,
    /// How long one command to the store may take before its answer counts as lost.
    pub statement_timeout: Span,
    /// Time between TERM and KILL when a lease runs out.
    pub kill_grace: Span,
    /// How far the database's clock may step.
    pub clock_step: Span,
}

impl Default for LeaseTiming {
    fn default() -> Self {
        Self {
            heartbeat: Span::from_secs(15),
            lease: Span::from_secs(60),
            statement_timeout: Span::from_secs(5),
            kill_grace: Span::from_secs(3),
            clock_step: Span::from_secs(1),
        }
    }
}

/// A lease configuration that cannot keep its promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LeaseTimingError {
    /// The heartbeat is zero.
    #[error("heartbeat = 0s: a runner must renew its leases; the default is 15s")]
    NoHeartbeat,
    /// The lease does not hold three heartbeats, a statement and the killing.
    #[error(
        "lease = {lease} is too short: three heartbeats of {heartbeat}, a statement timeout of {statement_timeout}, {margin} for killing and clock steps and 1 % clock drift need at least {needed}; raise `lease` or lower `heartbeat`"
    )]
    TooShort {
        /// The lease that was given.
        lease: Span,
        /// The heartbeat that was given.
        heartbeat: Span,
        /// The statement timeout that was given.
        statement_timeout: Span,
        /// Kill grace and twice the clock step.
        margin: Span,
        /// The shortest lease that would do.
        needed: Span,
    },
    /// A lease longer than an hour would hold a dead runner's slots for as long.
    #[error(
        "lease = {0} is too long: a crashed runner would hold its slots for as long; at most 1h"
    )]
    TooLong(Span),
}

impl LeaseTiming {
    /// A configuration that keeps its promise, or what is wrong with it.
    pub fn checked(self) -> Result<Lease, LeaseTimingError> {
        if self.heartbeat.is_zero() {
            return Err(LeaseTimingError::NoHeartbeat);
        }
        if self.lease > Span::from_hours(1) {
            return Err(LeaseTimingError::TooLong(self.lease));
        }
        let margin = self.kill_grace.plus(self.clock_step.times(2));
        let bare = self.heartbeat.times(3).plus(self.statement_timeout).plus(margin);
        let needed = bare.scaled(1_000, 1_000 - RATE_DRIFT_PERMILLE);
        if self.lease < needed {
            return Err(LeaseTimingError::TooShort {
                lease: self.lease,
                heartbeat: self.heartbeat,
                statement_timeout: self.statement_timeout,
                margin,
                needed,
            });
        }
        Ok(Lease(self))
    }
}

/// A checked lease configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "LeaseTiming", into = "LeaseTiming")]
#[derive(Default)]
pub struct Lease(LeaseTiming);

impl Lease {
    /// The numbers.
    pub const fn timing(&self) -> &LeaseTiming {
        &self.0
    }

    /// When the job of a lease must be dead: `sent` is when the request left whose answer said
    /// that `remaining` is left of the lease.
    pub fn kill_at(&self, sent: Moment, remaining: Span) -> Moment {
        let usable =
            remaining.scaled(1_000 - RATE_DRIFT_PERMILLE, 1_000).minus(self.0.clock_step.times(2));
        sent.plus(usable)
    }

    /// A job is not started when its deadline is nearer than this: no heartbeat could move it in
    /// time.
    pub fn start_margin(&self) -> Span {
        self.0.heartbeat.plus(self.0.statement_timeout).plus(self.0.kill_grace)
    }

    /// When the job of a lease is asked to end, if it must be dead at `kill_at`.
    pub fn term_at(&self, kill_at: Moment) -> Moment {
        kill_at.minus(self.0.kill_grace)
    }
}

impl TryFrom<LeaseTiming> for Lease {
    type Error = LeaseTimingError;

    fn try_from(timing: LeaseTiming) -> Result<Self, Self::Error> {
        timing.checked()
    }
}

impl From<Lease> for LeaseTiming {
    fn from(lease: Lease) -> Self {
        lease.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_keeps_its_promise() {
        assert!(LeaseTiming::default().checked().is_ok());
    }

    #[test]
    fn a_lease_too_short_for_its_heartbeats_is_refused_with_the_shortest_that_would_do() {
        let timing = LeaseTiming { lease: Span::from_secs(45), ..LeaseTiming::default() };
        let Err(LeaseTimingError::TooShort { needed, .. }) = timing.checked() else {
            panic!("accepted");
        };
        assert!(LeaseTiming { lease: needed, ..timing }.checked().is_ok());
        assert!(
            LeaseTiming { lease: needed.minus(Span::from_micros(1)), ..timing }.checked().is_err()
        );
    }

    #[test]
    fn a_job_dies_before_its_lease_on_any_clock_within_the_bounds() {
        let lease = Lease::default();
        let remaining = Span::from_secs(60);
        let kill_at = lease.kill_at(Moment::START, remaining);
        // The host's clock is slow by 1 %, the database's stepped forward by its bound.
        let true_time = kill_at.since(Moment::START).scaled(1_010, 1_000);
        assert!(true_time.plus(lease.timing().clock_step) < remaining);
    }
}
