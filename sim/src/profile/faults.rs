//! What can go wrong in a world, and how often.

use horarium_core::words::Span;
use serde::{Deserialize, Serialize};

/// What goes wrong. Messages: times in a thousand. Disasters: the mean time between two of a
/// kind; none when the world does not know it.
///
/// What a file does not name is off, so that files of earlier versions stay true.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Faults {
    /// A request never arrives.
    pub request_lost: u64,
    /// The command is carried out, its answer is lost.
    pub answer_lost: u64,
    /// The command is carried out after its sender gave up.
    pub request_late: u64,
    /// The answer comes after its addressee gave up.
    pub answer_late: u64,
    /// The command is carried out twice.
    pub request_twice: u64,
    /// The answer comes twice.
    pub answer_twice: u64,
    /// Other transactions hold some rows.
    pub rows_locked: u64,
    /// A process dies in the middle of what its machine wants done.
    pub crash_amid: u64,
    /// A runner dies.
    pub runner_crash: Option<Span>,
    /// A scheduler dies.
    pub scheduler_crash: Option<Span>,
    /// A runner freezes, then goes on.
    pub runner_freeze: Option<Span>,
    /// A guard freezes, then goes on.
    pub guard_freeze: Option<Span>,
    /// A guard dies.
    pub guard_death: Option<Span>,
    /// A scheduler freezes, then goes on.
    pub scheduler_freeze: Option<Span>,
    /// Nothing that a runner sends arrives for a while.
    pub cut_off: Option<Span>,
    /// A leader loses its lock without knowing.
    pub lock_loss: Option<Span>,
    /// The store's clock steps.
    pub clock_step: Option<Span>,
    /// A runner is stopped in good order.
    pub shutdown: Option<Span>,
    /// Schedulers are away for long.
    pub schedulers_away: Option<Span>,
    /// Everything is away for very long.
    pub all_away: Option<Span>,
    /// The store refuses everything for a while.
    pub store_refuses: Option<Span>,
    /// The store is slow for a while: what its sender gave up is carried out later.
    pub store_slow: Option<Span>,
    /// The store is read-only for a while.
    pub store_read_only: Option<Span>,
    /// The store restarts; connections, locks and all that is on its way are gone.
    pub store_restart: Option<Span>,
    /// The store is restored from a backup. Only where that is the kind of world.
    pub restore: Option<Span>,
    /// A business transaction holds a worker's row.
    pub row_held: Option<Span>,
    /// All runners die in one instant.
    pub all_runners_crash: Option<Span>,
    /// A runner and its guard freeze together. Only where that is the kind of world.
    pub both_freeze: Option<Span>,
    /// A process dies again soon after its start. Times in a thousand.
    pub crash_again: u64,
    /// A process is asked to stop while a call of it is out. Times in a thousand.
    pub shutdown_amid: u64,
}
