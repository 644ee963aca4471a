//! What the catalogue knows of a handler, and whether a request fits it.

use horarium_core::catalogue::Published;
use horarium_core::config::resolve;
use horarium_core::ledger::Refusal;
use horarium_core::store::Reader;
use horarium_core::words::{Name, Request, WorkerName};

use super::failure::Failure;
use crate::option_schema::validate;

/// The newest entry of a handler.
pub(super) async fn newest<S: Reader>(store: &S, handler: &Name) -> Result<Published, Failure> {
    let catalogue = store.catalogue().await?;
    catalogue
        .into_iter()
        .filter(|entry| entry.definition.handler == *handler)
        .max_by(|one, other| one.recency().cmp(&other.recency()))
        .ok_or_else(|| Failure::NoSuchHandler(handler.clone()))
}

/// Checks a worker's request with its settings against the handler's JSON Schemas, before the
/// store is asked to accept it.
pub(super) async fn check_request<S: Reader>(
    store: &S,
    worker: &WorkerName,
    request: &Request,
) -> Result<(), Failure> {
    let row = store.worker(worker).await?;
    let settings = row.and_then(|(row, _)| row.settings).map(|settings| settings.request);
    check(store, worker, request, settings.as_ref()).await
}

/// The same with these settings.
pub(super) async fn check<S: Reader>(
    store: &S,
    worker: &WorkerName,
    request: &Request,
    settings: Option<&Request>,
) -> Result<(), Failure> {
    let handler = worker.handler();
    let newest = newest(store, &handler).await?;
    let config = resolve(&newest.definition, request, settings)
        .map_err(|error| Failure::Refused(Refusal::InvalidRequest(error)))?;
    validate(&newest.definition, &config).map_err(|faults| Failure::Options { handler, faults })
}
