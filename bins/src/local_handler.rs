//! A handler as the runner that executes it knows it: its definition, and what stays on this
//! machine.

use std::path::PathBuf;

use horarium_core::catalogue::Definition;
use horarium_core::config::Config;

use crate::option_schema::validate;

/// How much of each output stream is kept, unless the catalogue file says otherwise.
pub const DEFAULT_OUTPUT_LIMIT: usize = 64 * 1024;

/// A handler that executes a command.
#[derive(Debug, Clone)]
pub struct LocalHandler {
    /// What is published.
    pub definition: Definition,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The directory it starts in.
    pub directory: Option<PathBuf>,
    /// Variables that are set for it. They are not published.
    pub environment: Vec<(String, String)>,
    /// True to start from an empty environment.
    pub clear_environment: bool,
    /// How many bytes of each output stream are kept.
    pub output_limit: usize,
}

impl LocalHandler {
    /// Checks a resolved config against the JSON Schemas of the options.
    pub fn check(&self, config: &Config) -> Result<(), String> {
        validate(&self.definition, config)
            .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }
}
