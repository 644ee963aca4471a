//! Watching an SQLite file for what other processes did to it, by reading alone.

use std::collections::BTreeSet;
use std::time::Duration;

use horarium_core::words::Name;
use horarium_sqlite::{Peek, SqliteStore};

use super::Watchers;

/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Hints the runner when a run can be claimed, and the scheduler when the agenda has changed.
pub(super) async fn peek(store: &SqliteStore, handlers: &BTreeSet<Name>, watchers: &Watchers) {
    let mut seen = Peek::default();
    while !watchers.are_gone() {
        tokio::time::sleep(LOOK_EVERY).await;
        // A store that cannot be read now is met by the machines' own calls.
        let Ok(peek) = store.peek(handlers).await else { continue };
        if peek.claimable {
            watchers.work();
        }
        if peek.cancelling > seen.cancelling {
            watchers.cancel();
        }
        if (peek.next_due, peek.owed) != (seen.next_due, seen.owed) {
            watchers.agenda();
        }
        seen = peek;
    }
}
