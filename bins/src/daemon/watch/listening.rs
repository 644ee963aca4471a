//! Listening to a PostgreSQL server for what other processes say that they did.

use std::time::Duration;

use horarium_postgres::{Hint, PostgresStore};
use tracing::debug;

use super::Watchers;

/// How long to wait before listening again when the server cannot be reached.
const AGAIN_AFTER: Duration = Duration::from_secs(2);

/// Passes hints on as they come.
pub(super) async fn listen(store: &PostgresStore, watchers: &Watchers) {
    while !watchers.are_gone() {
        match store.hints().await {
            Ok(mut hints) => {
                while let Ok(heard) = hints.next().await {
                    for hint in heard {
                        pass_on(hint, watchers);
                    }
                }
            }
            // Polling goes on without hints.
            Err(error) => debug!(%error, "no hints from the server"),
        }
        tokio::time::sleep(AGAIN_AFTER).await;
    }
}

fn pass_on(hint: Hint, watchers: &Watchers) {
    match hint {
        Hint::Work => watchers.work(),
        Hint::Cancel => watchers.cancel(),
        Hint::Agenda => watchers.agenda(),
    }
}
