//! Asking the store, with a limit to the patience.

use std::time::Duration;

use horarium_core::ledger::{Command, Reply};
use horarium_core::store::Store;
use tracing::warn;

/// The store's answer; none when it did not take the command, when the answer was lost, or when
/// it took longer than `patience`. A machine makes no difference between these.
pub(super) async fn ask<S: Store>(
    store: &S,
    command: &Command,
    patience: Duration,
) -> Option<Reply> {
    match tokio::time::timeout(patience, store.submit(command)).await {
        Ok(Ok(reply)) => Some(reply),
        Ok(Err(error)) => {
            warn!(%error, "the store did not answer");
            None
        }
        Err(_) => {
            warn!("the store took longer than the statement timeout");
            None
        }
    }
}
