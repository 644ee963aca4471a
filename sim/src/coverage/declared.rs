//! Which cells are reachable in ordinary worlds. All others are impossible.

use super::cell::{Ask, Cell, Outcome, State};

/// What is asked, of what, and what can come of it.
type Row = (Ask, State, &'static [Outcome]);

macro_rules! rows {
    ($($ask:ident of $state:ident: $($outcome:ident)+,)*) => {
        &[$((Ask::$ask, State::$state, &[$(Outcome::$outcome),+])),*]
    };
}

/// What can come of what is asked of something in a state. Every batch hits each.
const REACHABLE: &[Row] = rows! {
    Register of Unknown: Done,
    Register of Working: Done Again,
    Register of Stopped: StaleRunner,
    Turn of Working: Done StaleNumber,
    Turn of Stopped: StaleRunner,
    Started of Held: Done Busy,
    Started of Unwanted: Done,
    Started of Interrupted: Lost,
    Started of EndedByIt: Lost,
    Progressed of Held: Done Busy,
    Progressed of Unwanted: Done,
    Progressed of Interrupted: Lost,
    Ended of Held: Done Busy,
    Ended of Unwanted: Done Busy,
    Ended of Expired: Done,
    Ended of Interrupted: Lost,
    Ended of EndedByIt: Done,
    GiveBack of Held: Done,
    Hold of Held: Granted Busy,
    Hold of Unwanted: ToldToStop Busy,
    Hold of Expired: Granted ToldToStop,
    Hold of Interrupted: Lost,
    Renew of Held: Granted Busy,
    Renew of Unwanted: ToldToStop Busy,
    Renew of Expired: Granted,
    Renew of Interrupted: Lost,
    HandOver of Held: Granted Busy,
    HandOver of Unwanted: Ended,
    HandOver of Expired: Granted,
    Claim of Queued: Granted Busy Left,
    Claim of Waiting: Busy Left,
    Claim of TooLate: Left,
    Retire of Working: Done,
    Retire of Stopped: Done,
    Sweep of Queued: Busy Left,
    Sweep of Waiting: Busy Left,
    Sweep of TooLate: Ended,
    Sweep of Held: Busy Left,
    Sweep of Unwanted: Busy Left,
    Sweep of Expired: Ended Busy Left,
    Retry of Nothing: Created Busy Left,
    Retry of Queued: Left,
    Retry of Waiting: Left,
    Retry of Held: Left,
    Retry of Unwanted: Left,
    Occur of Ahead: Busy Left,
    Occur of Due: Created Busy Left CaughtUp Skipped Missed,
    Prune of Queued: Left,
    Prune of Waiting: Left,
    Prune of Held: Left,
    Prune of Unwanted: Left,
    Prune of Success: Ended Left,
    Prune of Failed: Left,
    Prune of Interrupted: Left,
    Prune of Owed: Left,
    Prune of Cancelled: Left,
    Enqueue of Nothing: Created SlotTaken,
    Enqueue of Queued: Again SlotTaken IdTaken,
    Enqueue of Waiting: Again SlotTaken IdTaken,
    Enqueue of Held: Again SlotTaken IdTaken,
    Enqueue of Unwanted: SlotTaken,
    Enqueue of Expired: Created SlotTaken,
    Enqueue of Success: Again IdTaken,
    Enqueue of Failed: Again IdTaken,
    Enqueue of Interrupted: Again IdTaken,
    Enqueue of Cancelled: Again IdTaken,
    Start of Nothing: Granted StaleRunner,
    Start of Queued: StaleRunner SlotTaken,
    Start of Waiting: StaleRunner SlotTaken,
    Start of Held: Granted StaleRunner SlotTaken,
    Start of Unwanted: Granted SlotTaken,
    Start of Expired: Granted,
    Start of Success: StaleRunner,
    Start of Failed: StaleRunner,
    Start of Interrupted: StaleRunner NotYours,
    Start of Cancelled: StaleRunner,
    Cancel of Queued: Ended,
    Cancel of Waiting: Ended,
    Cancel of Held: Requested,
    Cancel of Unwanted: Requested,
    Cancel of Expired: Requested,
    Cancel of Success: Same,
    Cancel of Failed: Same,
    Cancel of Interrupted: Same,
    Cancel of Owed: RetryDropped,
    Cancel of Cancelled: Same,
    Release of Queued: NotRunning,
    Release of Waiting: NotRunning,
    Release of Held: ForceNeeded,
    Release of Unwanted: ForceNeeded,
    Release of Success: NotRunning,
    Release of Failed: NotRunning,
    Release of Interrupted: NotRunning,
    Release of Owed: NotRunning,
    Release of Cancelled: NotRunning,
    ForceRelease of Queued: NotRunning,
    ForceRelease of Waiting: NotRunning,
    ForceRelease of Held: Done,
    ForceRelease of Unwanted: Done,
    ForceRelease of Success: NotRunning,
    ForceRelease of Failed: NotRunning,
    ForceRelease of Interrupted: Done NotRunning,
    ForceRelease of Owed: NotRunning,
    ForceRelease of Cancelled: NotRunning,
    Put of Unscheduled: Done NeverFires RevisionChanged,
    Put of Ahead: Done Same NeverFires RevisionChanged,
    Put of Due: Done Same NeverFires,
    Put of Disabled: Done Same NeverFires RevisionChanged,
    Put of Exhausted: Done Same NeverFires,
    Enable of Unscheduled: Absent,
    Enable of Ahead: Same,
    Enable of Due: Same,
    Enable of Disabled: Done RevisionChanged,
    Enable of Exhausted: Same,
    Disable of Unscheduled: Absent,
    Disable of Ahead: Done RevisionChanged,
    Disable of Due: Done,
    Disable of Disabled: Same,
    Disable of Exhausted: Done,
    Delete of Unscheduled: Same,
    Delete of Ahead: Done RevisionChanged,
    Delete of Due: Done,
    Delete of Disabled: Done,
    Delete of Exhausted: Done,
};

/// What can come of it too, too rarely to be asked of every batch.
const RARE: &[Row] = rows! {
    GiveBack of Expired: Busy,
    Start of Nothing: SlotTaken,
    Start of Expired: SlotTaken,
    Started of Nothing: Lost,
    Progressed of Nothing: Lost,
    Ended of Nothing: Lost,
    GiveBack of Nothing: Lost,
    Hold of Nothing: Lost,
    Renew of Nothing: Lost,
    Cancel of Nothing: Absent,
    Release of Nothing: Absent,
    ForceRelease of Nothing: Absent,
    Started of Unwanted: Busy,
    Started of Expired: Done Busy,
    Progressed of Unwanted: Busy,
    Progressed of Expired: Done Busy,
    Progressed of EndedByIt: Lost,
    Ended of Expired: Busy,
    GiveBack of Queued: Lost,
    GiveBack of Others: Lost,
    GiveBack of Failed: Lost,
    GiveBack of Unwanted: Done Busy,
    GiveBack of Cancelled: Lost,
    GiveBack of Success: Lost,
    GiveBack of Interrupted: Lost,
    GiveBack of Held: Busy,
    GiveBack of Expired: Done,
    Hold of Expired: Busy,
    Renew of Expired: ToldToStop Busy,
    HandOver of Expired: Ended Busy,
    HandOver of Unwanted: Busy,
    Claim of TooLate: Busy,
    Retire of Working: StillHolding,
    Sweep of TooLate: Busy Left,
    Retry of Queued: Busy,
    Retry of Waiting: Busy,
    Retry of Held: Busy,
    Retry of TooLate: Left Busy,
    Retry of Expired: Left Busy,
    Retry of Unwanted: Busy,
    Prune of Expired: Left,
    Prune of Failed: Ended,
    Prune of Interrupted: Ended,
    Prune of Cancelled: Ended,
    Prune of TooLate: Left,
    Enqueue of TooLate: Created SlotTaken Again IdTaken,
    Enqueue of Unwanted: Again IdTaken,
    Enqueue of Expired: Again IdTaken,
    Enqueue of Nothing: Invalid,
    Start of TooLate: Granted SlotTaken StaleRunner,
    Start of Unwanted: StaleRunner,
    Start of Expired: StaleRunner,
    Start of Success: NotYours,
    Start of Failed: NotYours,
    Start of Cancelled: NotYours,
    Start of Nothing: Invalid,
    Cancel of TooLate: Ended,
    Release of Expired: ForceNeeded,
    Release of Interrupted: Done,
    Release of TooLate: NotRunning,
    ForceRelease of Expired: Done,
    ForceRelease of TooLate: NotRunning,
    Put of Unscheduled: Invalid OlderZoneData,
    Put of Ahead: OlderZoneData,
    Put of Due: RevisionChanged OlderZoneData,
    Put of Disabled: OlderZoneData,
    Put of Exhausted: RevisionChanged OlderZoneData,
    Enable of Disabled: OlderZoneData,
    Occur of Ahead: Created Skipped Missed CaughtUp,
    Disable of Due: RevisionChanged,
    Disable of Exhausted: RevisionChanged,
    Delete of Due: RevisionChanged,
    Delete of Disabled: RevisionChanged,
    Delete of Exhausted: RevisionChanged,
};

/// All cells that every batch hits.
pub fn reachable() -> impl Iterator<Item = Cell> {
    cells(REACHABLE)
}

/// All cells that are reachable and rare.
pub fn rare() -> impl Iterator<Item = Cell> {
    cells(RARE)
}

fn cells(rows: &'static [Row]) -> impl Iterator<Item = Cell> {
    rows.iter()
        .flat_map(|(ask, state, outcomes)| outcomes.iter().map(|outcome| (*ask, *state, *outcome)))
}

/// True for a cell that is not impossible.
pub fn is_possible(cell: Cell) -> bool {
    reachable().chain(rare()).any(|possible| possible == cell)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_cell_is_declared_twice() {
        let mut seen = BTreeSet::new();
        for cell in reachable().chain(rare()) {
            assert!(seen.insert(cell), "{cell:?}");
        }
    }
}
