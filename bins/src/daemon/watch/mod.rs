//! Watching a store for what other processes did to it.
//!
//! A hint changes nothing but latency: the machines' own polling carries liveness.

mod listening;
mod peeking;

use std::collections::BTreeSet;
use std::sync::Arc;

use horarium_core::runner;
use horarium_core::scheduler;
use horarium_core::words::Name;
use tokio::sync::mpsc::UnboundedSender;

use crate::open_store::OpenStore;

/// Hints the runner when a run can be claimed, and the scheduler when the agenda has changed.
/// Ends when neither listens any more.
pub(super) async fn watch(
    store: Arc<OpenStore>,
    handlers: BTreeSet<Name>,
    runner: Option<UnboundedSender<runner::Input>>,
    scheduler: Option<UnboundedSender<scheduler::Input>>,
) {
    let watchers = Watchers { runner, scheduler };
    match store.as_ref() {
        OpenStore::Sqlite { store, .. } => peeking::peek(store, &handlers, &watchers).await,
        OpenStore::Postgres { store, .. } => listening::listen(store, &watchers).await,
    }
}

/// Who is to be told.
struct Watchers {
    runner: Option<UnboundedSender<runner::Input>>,
    scheduler: Option<UnboundedSender<scheduler::Input>>,
}

impl Watchers {
    fn are_gone(&self) -> bool {
        self.runner.as_ref().is_none_or(UnboundedSender::is_closed)
            && self.scheduler.as_ref().is_none_or(UnboundedSender::is_closed)
    }

    /// A run can be claimed.
    fn work(&self) {
        if let Some(runner) = &self.runner {
            drop(runner.send(runner::Input::Hint));
        }
    }

    /// A running run is to be cancelled.
    fn cancel(&self) {
        if let Some(runner) = &self.runner {
            drop(runner.send(runner::Input::CancelHint));
        }
    }

    /// The agenda has changed.
    fn agenda(&self) {
        if let Some(scheduler) = &self.scheduler {
            drop(scheduler.send(scheduler::Input::Hint));
        }
    }
}
