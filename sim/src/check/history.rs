//! Histories: what was asked and answered agrees with one order of changes, and with real time.
//!
//! Everybody's side is kept as they saw it: what they sent and when, which answers came and when.
//! The store's own order of changes is the witness, so nothing has to be searched: a pristine
//! ledger is given the same commands in that order, and must give the same answers and end with the
//! same rows. Each change lies between its sending and its answer. A command without an answer took
//! place at most as often as it was delivered, and nothing happened that nobody sent.

use std::collections::BTreeMap;
use std::sync::Arc;

use horarium_core::ledger::{Command, Ledger, Locked, Reply, Rows};
use horarium_core::recurrence::ZoneData;
use horarium_core::words::Timestamp;

use crate::breach::{Breach, Law};
use crate::clock::Time;
use crate::describe;

/// Which call of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallNumber(usize);

/// What everybody sent and heard.
#[derive(Debug, Clone, Default)]
pub struct History {
    calls: Vec<Call>,
}

/// One command as its sender saw it.
#[derive(Debug, Clone)]
struct Call {
    sender: String,
    command: Arc<Command>,
    sent: Time,
    /// How many copies arrived.
    delivered: u32,
    answers: Vec<(Time, Reply)>,
}

/// A step in the store's own order.
#[derive(Debug, Clone)]
pub enum Step {
    /// A command was carried out.
    Change(Change),
    /// A backup was taken.
    BackUp,
    /// A backup was restored: which of those that were taken.
    Restored(usize),
}

/// A change in the store's own order.
#[derive(Debug, Clone)]
pub struct Change {
    /// For which call, as the store was told.
    pub call: CallNumber,
    /// When, in true time.
    pub at: Time,
    /// When, on the store's clock.
    pub now: Timestamp,
    /// What others held.
    pub locked: Locked,
    /// The zone data of who sent it.
    pub zones: ZoneData,
}

fn broken(what: impl Into<String>) -> Breach {
    Breach::new(Law::History, what)
}

impl History {
    /// Somebody sends a command.
    pub fn sent(&mut self, sender: String, command: Arc<Command>, at: Time) -> CallNumber {
        self.calls.push(Call { sender, command, sent: at, delivered: 0, answers: Vec::new() });
        CallNumber(self.calls.len() - 1)
    }

    /// A copy of it arrives at the store.
    pub fn delivered(&mut self, call: CallNumber) {
        if let Some(call) = self.calls.get_mut(call.0) {
            call.delivered += 1;
        }
    }

    /// Its sender hears an answer.
    pub fn answered(&mut self, call: CallNumber, at: Time, reply: &Reply) {
        if let Some(call) = self.calls.get_mut(call.0) {
            call.answers.push((at, reply.clone()));
        }
    }

    /// Holds everything against the store's order of changes and its rows at the end.
    pub fn judge(&self, order: &[Step], rows: &Rows) -> Result<(), Breach> {
        let mut pristine = Ledger::new();
        let mut taken: BTreeMap<CallNumber, Vec<(Time, Reply)>> = BTreeMap::new();
        let mut last = Time::START;
        let mut backups = Vec::new();
        for step in order {
            let change = match step {
                Step::Change(change) => change,
                Step::BackUp => {
                    backups.push(pristine.clone());
                    continue;
                }
                Step::Restored(which) => {
                    let Some(backup) = backups.get(*which) else {
                        return Err(broken("a backup was restored that nobody had taken"));
                    };
                    pristine = restored(backup, &pristine);
                    continue;
                }
            };
            let Some(call) = self.calls.get(change.call.0) else {
                return Err(broken("something happened that nobody sent"));
            };
            if change.at < last || change.at < call.sent {
                let what = format!("{} took place before it was sent", call.tell());
                return Err(broken(what));
            }
            last = change.at;
            pristine.set_zone_data(change.zones.clone());
            let handled = pristine.handle_amid(change.now, &call.command, &change.locked);
            taken.entry(change.call).or_default().push((change.at, handled.reply));
        }
        for (number, call) in self.calls.iter().enumerate() {
            let taken = taken.get(&CallNumber(number)).map_or(&[][..], Vec::as_slice);
            call.judge(taken)?;
        }
        if pristine.rows() == rows {
            Ok(())
        } else {
            Err(broken("the rows are not those that the order of changes gives"))
        }
    }
}

/// A ledger after its backup was restored: claims from now on have larger fences than any that the
/// lost part handed out. The backup alone does not know the epoch: restored twice, it would hand
/// out the same fences twice.
pub fn restored(backup: &Ledger, lost: &Ledger) -> Ledger {
    let mut rows = backup.rows().clone();
    let last = rows.sequences.fence.max(lost.rows().sequences.fence);
    rows.sequences.fence = last.next_epoch();
    Ledger::from_rows(rows)
}

impl Call {
    fn tell(&self) -> String {
        format!("{} of {}", describe::command(&self.command), self.sender)
    }

    fn judge(&self, taken: &[(Time, Reply)]) -> Result<(), Breach> {
        if taken.len() > usize::try_from(self.delivered).unwrap_or(usize::MAX) {
            let (times, copies) = (taken.len(), self.delivered);
            let what =
                format!("{} was delivered {copies} times and took place {times}", self.tell());
            return Err(broken(what));
        }
        for (heard, reply) in &self.answers {
            let mut before = taken.iter().filter(|(at, _)| at <= heard);
            if !before.any(|(_, expected)| expected == reply) {
                let what = format!(
                    "{} was answered {} at {heard}, and a pristine ledger says {}",
                    self.tell(),
                    describe::reply(reply),
                    taken
                        .iter()
                        .map(|(_, it)| describe::reply(it))
                        .collect::<Vec<_>>()
                        .join(" or ")
                );
                return Err(broken(what));
            }
        }
        Ok(())
    }
}
