//! What can happen next in a state of the search.

use std::fmt;

/// One thing that happens. Messages and runners are named by their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// A message arrives.
    Deliver(u8),
    /// A message is lost.
    Lose(u8),
    /// A message arrives, and its double is still on its way.
    Double(u8),
    /// A runner's job ends by itself; `true` when it did its work.
    JobEnds(u8, bool),
    /// Time goes on to the next alarm.
    Time,
    /// Everybody but the guards stands still until a lease has run out.
    Freeze,
    /// Somebody asks for a run.
    Enqueue,
    /// Somebody sweeps.
    Sweep,
    /// A scheduler ticks.
    Tick,
    /// Somebody cancels the run that has the slot, or drops the retry that is owed.
    Cancel,
    /// A runner is asked to stop.
    Drain(u8),
    /// The person at the terminal ends the foreground run.
    Interrupt(u8),
    /// A runner dies; its guard kills its jobs.
    Crash(u8),
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deliver(message) => write!(f, "deliver message {message}"),
            Self::Lose(message) => write!(f, "lose message {message}"),
            Self::Double(message) => write!(f, "deliver message {message} and keep a double"),
            Self::JobEnds(runner, true) => write!(f, "the job of runner {runner} succeeds"),
            Self::JobEnds(runner, false) => write!(f, "the job of runner {runner} fails"),
            Self::Time => f.write_str("time goes on"),
            Self::Freeze => f.write_str("all stand still until a lease has run out"),
            Self::Enqueue => f.write_str("enqueue"),
            Self::Sweep => f.write_str("sweep"),
            Self::Tick => f.write_str("tick"),
            Self::Cancel => f.write_str("cancel"),
            Self::Drain(runner) => write!(f, "drain runner {runner}"),
            Self::Interrupt(runner) => write!(f, "interrupt runner {runner}"),
            Self::Crash(runner) => write!(f, "runner {runner} crashes"),
        }
    }
}
