//! A request in the file: of a schedule, a preset or the defaults.

use std::num::NonZeroU32;

use horarium_core::words::{Options, Request};

use super::json::json;
use super::section::Section;

/// Reads the keys that every request has; the caller reads `preset` where one may stand.
pub(super) fn read(section: &Section<'_>) -> Request {
    Request {
        engine: section.parsed("engine", "\"fast\""),
        preset: None,
        batch_size: section.integer("batch_size", 1, u32::MAX).and_then(NonZeroU32::new),
        options: options(section, "options"),
        engine_options: options(section, "engine_options"),
    }
}

/// Reads a request that may name a preset.
pub(super) fn read_with_preset(section: &Section<'_>) -> Request {
    Request { preset: section.parsed("preset", "\"nightly\""), ..read(section) }
}

fn options(section: &Section<'_>, key: &'static str) -> Options {
    let Some(table) = section.section(key, "{ level = 3 }") else {
        return Options::new();
    };
    table
        .entries()
        .filter_map(|(name, value)| Some((name.get_ref().to_string(), json(section.page, value)?)))
        .collect()
}
