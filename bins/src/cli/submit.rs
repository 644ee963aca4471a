//! Sending a command.

use horarium_core::ledger::{Command, Reply};
use horarium_core::store::Store;

use super::failure::Failure;

/// The store's answer; a refusal is a failure here.
pub(super) async fn submit<S: Store>(store: &S, command: &Command) -> Result<Reply, Failure> {
    let reply = store.submit(command).await?;
    if let Reply::Refused(refusal) = reply { Err(Failure::Refused(refusal)) } else { Ok(reply) }
}
