//! What the catalogue knows of a handler, and whether a request fits it.

use horarium_core::catalogue::Published;
use horarium_core::config::resolve;
use horarium_core::ledger::Refusal;
use horarium_core::store::Reader;
use horarium_core::words::{Name, Request, WorkerName};

use super::failure::Failure;
use crate::option_schema::{OptionFault, validate};

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
    let faults = faults(store, worker, request, settings.as_ref()).await?;
    refuse(worker, faults)
}

/// Checks settings. What is missing in them may come from a request.
pub(super) async fn check_settings<S: Reader>(
    store: &S,
    worker: &WorkerName,
    settings: &Request,
) -> Result<(), Failure> {
    let mut faults = faults(store, worker, &Request::default(), Some(settings)).await?;
    faults.retain(|fault| !fault.is_missing);
    refuse(worker, faults)
}

async fn faults<S: Reader>(
    store: &S,
    worker: &WorkerName,
    request: &Request,
    settings: Option<&Request>,
) -> Result<Vec<OptionFault>, Failure> {
    let newest = newest(store, &worker.handler()).await?;
    let config = resolve(&newest.definition, request, settings)
        .map_err(|error| Failure::Refused(Refusal::InvalidRequest(error)))?;
    Ok(validate(&newest.definition, &config).err().unwrap_or_default())
}

fn refuse(worker: &WorkerName, faults: Vec<OptionFault>) -> Result<(), Failure> {
    if faults.is_empty() {
        return Ok(());
    }
    Err(Failure::Options { handler: worker.handler(), faults })
}
