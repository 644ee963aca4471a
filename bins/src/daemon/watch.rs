//! Watching a SQLite file for what other processes did to it, by reading alone.
//!
//! A hint changes nothing but latency: the machines' own polling carries liveness.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use horarium_core::runner;
use horarium_core::scheduler;
use horarium_core::words::Name;
use horarium_sqlite::{Peek, SqliteStore};
use tokio::sync::mpsc::UnboundedSender;

/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Hints the runner when a run can be claimed, and the scheduler when the agenda has changed.
/// Ends when neither listens any more.
pub(super) async fn watch(
    store: Arc<SqliteStore>,
    handlers: BTreeSet<Name>,
    runner: Option<UnboundedSender<runner::Input>>,
    scheduler: Option<UnboundedSender<scheduler::Input>>,
) {
    let mut seen = Peek::default();
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let (gone, agenda_gone) = (
            runner.as_ref().is_none_or(UnboundedSender::is_closed),
            scheduler.as_ref().is_none_or(UnboundedSender::is_closed),
        );
        if gone && agenda_gone {
            return;
        }
        // A store that cannot be read now is met by the machines' own calls.
        let Ok(peek) = store.peek(&handlers).await else { continue };
        if let Some(runner) = &runner {
            if peek.claimable {
                drop(runner.send(runner::Input::Hint));
            }
            if peek.cancelling > seen.cancelling {
                drop(runner.send(runner::Input::CancelHint));
            }
        }
        if let Some(scheduler) = &scheduler
            && (peek.next_due, peek.owed) != (seen.next_due, seen.owed)
        {
            drop(scheduler.send(scheduler::Input::Hint));
        }
        seen = peek;
    }
}
