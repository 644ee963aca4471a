//! What a job is told: a JSON document on its standard input, and its identity in the environment.

use horarium_core::config::Config;
use horarium_core::ledger::Grant;
use horarium_core::words::{Attempt, Name, Options, Request, Timestamp};
use serde::Serialize;

/// The document on a job's standard input.
#[derive(Debug, Serialize)]
struct JobDocument<'a> {
    run: String,
    number: u64,
    worker: &'a str,
    attempt: u8,
    fence: u64,
    trigger: String,
    scheduled_for: Option<Timestamp>,
    request: &'a Request,
    config: PlainConfig,
}

/// The config as a handler needs it: without where its fields came from.
#[derive(Debug, Serialize)]
struct PlainConfig {
    engine: Option<Name>,
    batch_size: Option<u32>,
    options: Options,
    engine_options: Options,
}

fn attempt(grant: &Grant) -> Attempt {
    grant.trigger.scheduled().map_or(Attempt::FIRST, |scheduled| scheduled.attempt)
}

/// The document as one line.
pub(super) fn document(grant: &Grant, config: &Config) -> Vec<u8> {
    let document = JobDocument {
        run: grant.claim.run.to_string(),
        number: grant.number.0,
        worker: grant.worker.as_str(),
        attempt: attempt(grant).get(),
        fence: grant.claim.fence.number(),
        trigger: grant.trigger.kind().to_string(),
        scheduled_for: grant.trigger.scheduled().map(|scheduled| scheduled.scheduled_for),
        request: &grant.request,
        config: PlainConfig {
            engine: config.engine.as_ref().map(|engine| engine.value.clone()),
            batch_size: config.batch_size.as_ref().map(|size| size.value.get()),
            options: config.plain_options(),
            engine_options: config.plain_engine_options(),
        },
    };
    // The document has text keys only, so it always serialises.
    let mut line = serde_json::to_vec(&document).unwrap_or_default();
    line.push(b'\n');
    line
}

/// The job's identity, for programs that do not read the document.
pub(super) fn identity(grant: &Grant) -> Vec<(String, String)> {
    let mut variables = vec![
        ("HORARIUM_RUN_ID", grant.claim.run.to_string()),
        ("HORARIUM_RUN_NUMBER", grant.number.0.to_string()),
        ("HORARIUM_WORKER", grant.worker.to_string()),
        ("HORARIUM_ATTEMPT", attempt(grant).to_string()),
        ("HORARIUM_FENCE", grant.claim.fence.to_string()),
        ("HORARIUM_TRIGGER", grant.trigger.kind().to_string()),
    ];
    if let Some(scheduled) = grant.trigger.scheduled() {
        variables.push(("HORARIUM_SCHEDULED_FOR", scheduled.scheduled_for.to_string()));
    }
    variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
