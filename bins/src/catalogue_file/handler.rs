//! `[handler.NAME]`: a command that a runner executes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use horarium_core::catalogue::{Definition, Engine, Execution};
use horarium_core::words::retry::MOST_ATTEMPTS;
use horarium_core::words::{Attempt, Name, Request, RetryPolicy};
use serde_json::Value;
use toml::Spanned;
use toml::de::DeValue;

use super::json::{json, span_at};
use super::page::Page;
use super::request;
use super::section::{Section, wrong_kind};
use crate::local_handler::{DEFAULT_OUTPUT_LIMIT, LocalHandler};
use crate::option_schema::{DefinitionFault, OptionFault, check_definition};

/// The most bytes that can be kept of each of standard output and standard error.
const LARGEST_OUTPUT_LIMIT: u32 = 16 * 1024 * 1024;
/// The variables whose names begin so are set by the runner.
const RESERVED_PREFIX: &str = "HORARIUM_";

pub(super) fn read(
    page: &Page<'_>,
    folder: &Path,
    name: Name,
    value: &Spanned<DeValue<'_>>,
) -> Option<LocalHandler> {
    let found_before = page.faults_found();
    let section = Section::of(page, name.as_str(), value, "[handler.backup]")?;
    let argv = command(&section).unwrap_or_default();
    let directory = directory(&section, folder);
    let execution = Execution::Command { argv: argv.clone(), directory: directory.clone() };
    let mut definition = Definition::plain(name, execution);
    definition.description = section
        .text("description", "\"what it does\"")
        .map(|text| text.value.into())
        .unwrap_or_default();
    definition.version = section.integer("version", 0, u32::MAX).unwrap_or_default();
    definition.options = schema(&section);
    definition.engines = engines(&section);
    definition.presets = presets(&section);
    definition.defaults = section.section("defaults", "{ options = { level = 3 } }").map_or_else(
        Request::default,
        |defaults| {
            let request = request::read_with_preset(&defaults);
            defaults.finish();
            request
        },
    );
    definition.timeout = section.parsed("timeout", "\"1h30m\" or \"none\"").unwrap_or_default();
    if let Some(grace) = section.parsed("stop_grace", "\"10s\"") {
        definition.stop_grace = grace;
    }
    definition.retry = retry(&section).unwrap_or_default();

    let handler = LocalHandler {
        argv,
        directory: directory.map(PathBuf::from),
        environment: environment(&section),
        clear_environment: section.boolean("clear_environment").unwrap_or_default(),
        output_limit: section
            .integer("output_limit", 0, LARGEST_OUTPUT_LIMIT)
            .and_then(|bytes| usize::try_from(bytes).ok())
            .unwrap_or(DEFAULT_OUTPUT_LIMIT),
        definition,
    };
    section.finish();
    if page.faults_found() == found_before
        && let Err(faults) = check_definition(&handler.definition)
    {
        for fault in faults {
            page.refuse(span_at(value, &place_of(&fault)), fault.to_string());
        }
    }
    Some(handler)
}

/// Where below the handler's table a fault stands, as a JSON pointer.
fn place_of(fault: &DefinitionFault) -> String {
    let option = |OptionFault { field, pointer, .. }: &OptionFault| format!("{field}{pointer}");
    match fault {
        DefinitionFault::OptionSchema(fault) => format!("/options{}", fault.pointer),
        DefinitionFault::EngineSchema { engine, fault } => {
            format!("/engines/{engine}/options{}", fault.pointer)
        }
        DefinitionFault::DefaultsRequest(_) => String::from("/defaults"),
        DefinitionFault::DefaultsOption(fault) => format!("/defaults/{}", option(fault)),
        DefinitionFault::PresetRequest { preset, .. } => format!("/presets/{preset}"),
        DefinitionFault::PresetOption { preset, fault } => {
            format!("/presets/{preset}/{}", option(fault))
        }
    }
}

/// The program and its arguments.
fn command(section: &Section<'_>) -> Option<Vec<String>> {
    const EXAMPLE: &str = "[\"pg_dump\", \"--format=custom\"]";
    let Some(value) = section.value("command") else {
        section.refuse(
            section.span(),
            format!("`command` is missing: name the program and its arguments, like {EXAMPLE}"),
        );
        return None;
    };
    let items = match value.get_ref() {
        DeValue::Array(items) => items,
        DeValue::String(_) => {
            section.refuse(
                value.span(),
                format!(
                    "`command` is a list of words, since no shell takes it apart: write it like \
                     {EXAMPLE}, or [\"sh\", \"-c\", \"…\"] to use a shell"
                ),
            );
            return None;
        }
        DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Table(_) => {
            wrong_kind(section.page, "command", value, "a list of strings", EXAMPLE);
            return None;
        }
    };
    let mut argv = Vec::new();
    for item in items {
        let DeValue::String(word) = item.get_ref() else {
            wrong_kind(section.page, "command", item, "a string", EXAMPLE);
            return None;
        };
        if word.contains('\0') || argv.is_empty() && word.is_empty() {
            section.refuse(
                item.span(),
                "a program needs a name, and no word of a command can hold a NUL byte",
            );
            return None;
        }
        argv.push(word.to_string());
    }
    if argv.is_empty() {
        section.refuse(value.span(), format!("`command` is empty: write it like {EXAMPLE}"));
        return None;
    }
    Some(argv)
}

/// The directory, which must be there: a job that cannot enter it would fail each time.
fn directory(section: &Section<'_>, folder: &Path) -> Option<String> {
    let text = section.text("directory", "\"/srv/backup\"")?;
    let refuse = |message: String| {
        section.refuse(text.span.clone(), message);
        None
    };
    let path = folder.join(text.value);
    let path: PathBuf = match std::fs::metadata(&path) {
        Ok(found) if found.is_dir() => std::path::absolute(&path).unwrap_or(path),
        Ok(_) => return refuse(format!("{} is no directory: correct the path", path.display())),
        Err(error) => {
            return refuse(format!(
                "directory {} cannot be used ({error}): create it, or correct the path, which \
                 starts at the file's own folder when it is relative",
                path.display()
            ));
        }
    };
    match path.into_os_string().into_string() {
        Ok(path) => Some(path),
        Err(path) => refuse(format!("the path {} is not UTF-8: rename it", path.display())),
    }
}

/// A JSON Schema: a table, or a string that holds it as JSON.
fn schema(section: &Section<'_>) -> Option<Value> {
    let value = section.value("options")?;
    match value.get_ref() {
        DeValue::Table(_) => json(section.page, value),
        DeValue::String(text) => match serde_json::from_str(text) {
            Ok(schema) => Some(schema),
            Err(error) => {
                let message = format!("this JSON Schema is no JSON: {error}");
                section.refuse(value.span(), message);
                None
            }
        },
        DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_) => {
            let example = "{ type = \"object\", properties = { level = { type = \"integer\" } } }";
            wrong_kind(section.page, "options", value, "a JSON Schema", example);
            None
        }
    }
}

fn engines(section: &Section<'_>) -> BTreeMap<Name, Engine> {
    named(section, "engines", "[handler.ocr.engines.fast]", |engine| Engine {
        description: engine
            .text("description", "\"what it is\"")
            .map(|text| text.value.into())
            .unwrap_or_default(),
        options: schema(engine),
    })
}

fn presets(section: &Section<'_>) -> BTreeMap<Name, Request> {
    named(section, "presets", "[handler.ocr.presets.nightly]", request::read)
}

/// A table of tables by name.
fn named<T>(
    section: &Section<'_>,
    key: &'static str,
    example: &str,
    read: impl Fn(&Section<'_>) -> T,
) -> BTreeMap<Name, T> {
    let mut found = BTreeMap::new();
    let Some(table) = section.section(key, example) else {
        return found;
    };
    for (name, value) in table.entries() {
        let parsed = section.parse::<Name>(name.get_ref(), name.span());
        let below = Section::of(section.page, name.get_ref(), value, example);
        if let (Some(name), Some(below)) = (parsed, below) {
            found.insert(name, read(&below));
            below.finish();
        }
    }
    found
}

fn environment(section: &Section<'_>) -> Vec<(String, String)> {
    const EXAMPLE: &str = "{ LANG = \"C.UTF-8\" }";
    let mut environment = Vec::new();
    let Some(table) = section.section("environment", EXAMPLE) else {
        return environment;
    };
    for (name, value) in table.entries() {
        let written: &str = name.get_ref();
        if written.is_empty() || written.contains(['=', '\0']) {
            section.refuse(
                name.span(),
                "a variable's name cannot be empty nor contain `=` or a NUL byte",
            );
        } else if written.starts_with(RESERVED_PREFIX) {
            section.refuse(
                name.span(),
                format!(
                    "variables named {RESERVED_PREFIX}… are set by the runner: use another name"
                ),
            );
        } else if let DeValue::String(text) = value.get_ref() {
            if text.contains('\0') {
                section.refuse(value.span(), "a variable cannot hold a NUL byte");
            }
            environment.push((written.to_owned(), text.to_string()));
        } else {
            wrong_kind(section.page, written, value, "a string", "\"1\", in quotes");
        }
    }
    environment
}

/// `retry = { max_attempts, backoff, base }`, of a handler or a schedule.
pub(super) fn retry(section: &Section<'_>) -> Option<RetryPolicy> {
    let table = section.section("retry", "{ max_attempts = 2, backoff = \"exponential\" }")?;
    let mut policy = RetryPolicy::default();
    if let Some(attempts) = table
        .integer("max_attempts", 1, u32::from(MOST_ATTEMPTS))
        .and_then(|attempts| Attempt::new(u8::try_from(attempts).ok()?).ok())
    {
        policy.max_attempts = attempts;
    }
    if let Some(backoff) = table.parsed("backoff", "\"exponential\"") {
        policy.backoff = backoff;
    }
    if let Some(base) = table.parsed("base", "\"1m\"") {
        policy.base = base;
    }
    table.finish();
    Some(policy)
}
