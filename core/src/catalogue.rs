//! The catalogue: what is known of each handler.
//!
//! Promise: a [`Definition`] is plain data with one canonical text and so one hash; two runners
//! that publish the same definition publish one entry. The newest entry of a handler is the one
//! with the highest version, then the latest publication.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::words::{By, Name, Request, RetryPolicy, Span, Timestamp};

/// How long a run may take. There is no silent "for ever": it must be written as `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Timeout {
    /// At most this long, counted from the start.
    After(Span),
    /// No limit.
    None,
}

impl Default for Timeout {
    fn default() -> Self {
        Self::After(Span::from_hours(24))
    }
}

impl fmt::Display for Timeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::After(span) => write!(f, "{span}"),
            Self::None => f.write_str("none"),
        }
    }
}

/// A text that is no timeout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a timeout: write a duration longer than 0s, like 90s or 1h30m, or `none`")]
pub struct TimeoutParseError {
    /// What was given.
    pub text: String,
}

impl FromStr for Timeout {
    type Err = TimeoutParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" {
            return Ok(Self::None);
        }
        match text.parse::<Span>() {
            Ok(span) if !span.is_zero() => Ok(Self::After(span)),
            Ok(_) | Err(_) => Err(TimeoutParseError { text: text.to_owned() }),
        }
    }
}

impl TryFrom<String> for Timeout {
    type Error = TimeoutParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Timeout> for String {
    fn from(timeout: Timeout) -> Self {
        timeout.to_string()
    }
}

/// What executes a handler's runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Execution {
    /// A program, started without a shell. Its environment stays with the runner.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
        /// The directory it starts in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        directory: Option<String>,
    },
    /// Code inside the program that embeds the runner.
    Rust,
}

/// One engine of a handler.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// What it is, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// JSON Schema of its options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Value>,
}

/// One handler as its runner knows it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Definition {
    /// The handler's name.
    pub handler: Name,
    /// Its version, set by its author; the highest is the newest.
    #[serde(default)]
    pub version: u32,
    /// What it does, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What executes it.
    pub execution: Execution,
    /// JSON Schema of the options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Value>,
    /// The engines to choose from; none when the handler has no such choice.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub engines: BTreeMap<Name, Engine>,
    /// The presets to choose from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub presets: BTreeMap<Name, Request>,
    /// What fills a field that nothing else sets.
    #[serde(default, skip_serializing_if = "Request::is_empty")]
    pub defaults: Request,
    /// How long a run may take.
    #[serde(default)]
    pub timeout: Timeout,
    /// Time between TERM and KILL on cancel, timeout and drain.
    #[serde(default = "default_stop_grace")]
    pub stop_grace: Span,
    /// How scheduled runs are retried.
    #[serde(default)]
    pub retry: RetryPolicy,
}

const fn default_stop_grace() -> Span {
    Span::from_secs(10)
}

impl Definition {
    /// A handler with nothing but a name and what executes it.
    pub fn plain(handler: Name, execution: Execution) -> Self {
        Self {
            handler,
            version: 0,
            description: String::new(),
            execution,
            options: None,
            engines: BTreeMap::new(),
            presets: BTreeMap::new(),
            defaults: Request::default(),
            timeout: Timeout::default(),
            stop_grace: default_stop_grace(),
            retry: RetryPolicy::default(),
        }
    }

    /// SHA-256 over the definition's canonical JSON.
    pub fn hash(&self) -> CatalogueHash {
        // A definition holds no map with other than text keys, so it always serialises.
        let text = serde_json::to_string(self).unwrap_or_default();
        let digest = Sha256::digest(text.as_bytes());
        CatalogueHash(digest.iter().fold(String::with_capacity(64), |mut hex, byte| {
            hex.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
            hex.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
            hex
        }))
    }

    /// Checks that a request names what the handler has. What the options may hold is checked
    /// where their JSON Schema is at hand: at the border that accepts them, and again at start.
    pub fn check(&self, request: &Request) -> Result<(), RequestError> {
        if let Some(preset) = &request.preset
            && !self.presets.contains_key(preset)
        {
            return Err(RequestError::UnknownPreset {
                handler: self.handler.clone(),
                preset: preset.clone(),
                known: self.presets.keys().cloned().collect(),
            });
        }
        if let Some(engine) = &request.engine
            && !self.engines.contains_key(engine)
        {
            return Err(RequestError::UnknownEngine {
                handler: self.handler.clone(),
                engine: engine.clone(),
                known: self.engines.keys().cloned().collect(),
            });
        }
        Ok(())
    }
}

/// A request that its handler cannot serve.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "error", rename_all = "snake_case")]
pub enum RequestError {
    /// No such preset.
    #[error("handler {handler} has no preset `{preset}`; it has: {}", listed(.known))]
    UnknownPreset {
        /// The handler.
        handler: Name,
        /// What was asked for.
        preset: Name,
        /// What there is.
        known: Vec<Name>,
    },
    /// No such engine.
    #[error("handler {handler} has no engine `{engine}`; it has: {}", listed(.known))]
    UnknownEngine {
        /// The handler.
        handler: Name,
        /// What was asked for.
        engine: Name,
        /// What there is.
        known: Vec<Name>,
    },
}

fn listed(names: &[Name]) -> String {
    if names.is_empty() {
        return String::from("none");
    }
    names.iter().map(Name::as_str).collect::<Vec<_>>().join(", ")
}

/// The hash of a definition, in hexadecimal.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CatalogueHash(pub String);

impl fmt::Display for CatalogueHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The first eight digits: enough to tell definitions apart in a trace.
impl fmt::Debug for CatalogueHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.get(..8).unwrap_or(&self.0))
    }
}

/// A definition as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Published {
    /// The definition's hash.
    pub hash: CatalogueHash,
    /// The definition.
    pub definition: Definition,
    /// When it was first published.
    pub at: Timestamp,
    /// Who published it; none when a runner did at its registration.
    pub by: Option<By>,
}

impl Published {
    /// Sorts the newest entry of a handler last.
    pub fn recency(&self) -> (u32, Timestamp, &CatalogueHash) {
        (self.definition.version, self.at, &self.hash)
    }
}
