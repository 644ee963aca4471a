//! What can happen next in a state of the search, and how it happens.

use std::fmt;

use horarium_core::ledger::Command;
use horarium_core::runner::Input;
use horarium_core::words::RunId;

use crate::breach::Breach;

use super::shared::Shared;
use super::state::{Message, State};
use super::store::LIMIT;

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
    /// One of two schedulers sends a tick.
    Tick(u8),
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
            Self::Tick(scheduler) => write!(f, "scheduler {scheduler} ticks"),
            Self::Cancel => f.write_str("cancel"),
            Self::Drain(runner) => write!(f, "drain runner {runner}"),
            Self::Interrupt(runner) => write!(f, "interrupt runner {runner}"),
            Self::Crash(runner) => write!(f, "runner {runner} crashes"),
        }
    }
}

impl State {
    /// Lets one thing happen.
    pub(super) fn apply(&mut self, action: Action) -> Result<(), Breach> {
        self.act(action)?;
        self.settle()?;
        self.drop_the_spent()
    }

    fn act(&mut self, action: Action) -> Result<(), Breach> {
        match action {
            Action::Deliver(message) => return self.deliver(usize::from(message)),
            Action::Lose(message) => {
                self.left.losses -= 1;
                self.messages.remove(usize::from(message));
            }
            Action::Double(message) => {
                self.left.doubles -= 1;
                let double = self.messages[usize::from(message)].clone();
                self.deliver(usize::from(message))?;
                self.post(double);
            }
            Action::JobEnds(runner, is_well) => self.job_ends(runner, is_well),
            Action::Time => {
                self.left.times -= 1;
                self.time_goes_on();
            }
            Action::Freeze => {
                self.left.times -= 1;
                self.freeze();
            }
            Action::Sweep => return self.command(&Command::Sweep { limit: LIMIT }),
            Action::Tick(scheduler) => {
                self.left.ticks -= 1;
                self.post(Shared::new(Message::Tick(scheduler)));
            }
            Action::Enqueue => {
                self.left.enqueues -= 1;
                return self.enqueue();
            }
            Action::Cancel => {
                self.left.cancels -= 1;
                let by = self.cast.by.clone();
                if let Some(run) = self.wanted() {
                    return self.command(&Command::Cancel { run, by });
                }
            }
            Action::Drain(runner) => {
                self.left.drains -= 1;
                self.feed(runner, Input::Shutdown);
            }
            Action::Interrupt(runner) => {
                self.left.interrupts -= 1;
                self.feed(runner, Input::Interrupt);
            }
            Action::Crash(runner) => {
                self.left.crashes -= 1;
                self.ends(runner);
            }
        }
        Ok(())
    }

    /// The run that a cancel is about.
    fn wanted(&self) -> Option<RunId> {
        let ledger = &self.store.ledger;
        let owed = || {
            ledger
                .owed_retry(&self.cast.worker)
                .and_then(|owed| owed.chain.as_ref())
                .map(|chain| chain.last_run)
        };
        ledger.slot(&self.cast.worker).map(|run| run.id).or_else(owed)
    }
}
