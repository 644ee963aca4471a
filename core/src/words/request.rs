//! The request: the validated wish for a run. All of it is optional.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::name::Name;

/// The most bytes that a request may have as JSON.
pub const LARGEST_REQUEST: usize = 256 * 1024;

/// Options by name; their JSON Schema is in the catalogue.
pub type Options = BTreeMap<String, Value>;

/// What a run is asked to do: pinned on the run and on the schedule.
///
/// The same shape serves as an operator's settings for a worker, as a preset and as a handler's
/// defaults: each fills the fields that the one before it left open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Which of the handler's engines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<Name>,
    /// Which of the handler's presets fills what the request leaves open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<Name>,
    /// How many units at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_size: Option<NonZeroU32>,
    /// The handler's options.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: Options,
    /// The engine's options.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub engine_options: Options,
}

impl Request {
    /// True when nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
