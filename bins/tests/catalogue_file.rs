//! Catalogue files: what is read from a right one, and how a wrong one is answered.
#![allow(clippy::unwrap_used)] // the helpers of a test may fail as the test does

use std::path::Path;

use horarium::catalogue_file::{CatalogueFile, CatalogueFileError};
use horarium_core::catalogue::Timeout;
use horarium_core::words::{Name, WorkerName};

fn parsed(text: &str) -> Result<CatalogueFile, String> {
    CatalogueFile::parse("catalogue.toml", Path::new("/"), text, None)
        .map_err(|faults| CatalogueFileError::Faulty(faults).to_string())
}

fn refusal(text: &str) -> String {
    parsed(text).unwrap_err()
}

fn example() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/catalogue.toml")
}

#[test]
fn the_shipped_example_is_read() {
    let file = CatalogueFile::read(&example(), None).unwrap();
    let handlers: Vec<&str> = file.handlers.keys().map(Name::as_str).collect();
    assert_eq!(handlers, ["disk-usage", "greeting", "large-files"]);
    let schedules: Vec<&str> = file.schedules.keys().map(WorkerName::as_str).collect();
    assert_eq!(
        schedules,
        ["disk-usage", "greeting", "greeting:month-end", "greeting:new-year", "large-files:logs"]
    );
    let logs = &file.schedules[&"large-files:logs".parse().unwrap()];
    insta::assert_snapshot!(serde_json::to_string_pretty(&logs.plan).unwrap());
}

#[test]
fn a_handler_needs_no_more_than_a_command() {
    let file = parsed("[handler.backup]\ncommand = [\"true\"]\n").unwrap();
    let handler = &file.handlers[&"backup".parse().unwrap()];
    assert_eq!(handler.argv, ["true"]);
    assert_eq!(handler.definition.timeout, Timeout::default());
    assert_eq!(handler.output_limit, 64 * 1024);
}

#[test]
fn a_schema_may_be_a_string_of_json() {
    let text = r#"
[handler.ocr]
command = ["ocr"]
options = '{ "properties": { "pages": { "type": "integer" } } }'
defaults = { options = { pages = 3 } }
"#;
    assert!(parsed(text).is_ok());
    insta::assert_snapshot!(refusal(&text.replace("pages = 3", "pages = \"three\"")));
}

#[test]
fn every_unknown_key_is_refused_at_its_place_with_the_nearest_known_one() {
    insta::assert_snapshot!(refusal(
        r#"
default_timezon = "UTC"

[handler.backup]
command = ["pg_dump"]
timout = "1h"
shell = true

[handler.backup.engines.fast]
descripton = "less exact"

[schedule.backup]
cron = "0 2 * * *"
timezone = "UTC"
max-runs = 3
"#
    ));
}

#[test]
fn every_wrong_value_is_refused_at_its_place_with_a_remedy() {
    insta::assert_snapshot!(refusal(
        r#"
default_timezone = "CET"

[handler.Backup]
command = ["x"]

[handler.a]
command = "pg_dump --all"

[handler.b]
command = []
timeout = "soon"
stop_grace = 10
version = -1
directory = "/no/such/directory"
environment = { "A=B" = "x", HORARIUM_FENCE = "1", DEPTH = 3 }
output_limit = 99999999
retry = { max_attempts = 4, backoff = "linear", base = "1 minute" }
clear_environment = "yes"

[handler.c]
description = "no command"

[handler.d]
command = ["x"]
options = "{ not json }"
defaults = { options = { when = 2026-01-01, ratio = nan } }

[schedule."a:b:c"]
cron = "0 2 * * *"

[schedule.a]
cron = "0 2 ? * *"
timezone = "Europe/Berlin"

[schedule.b]
cron = "0 0 31 2 *"
timezone = "Mars/Base"

[schedule.d]
timezone = "UTC"
at = 2026-01-01T00:00:00
until = "tomorrow"
max_runs = 0
"#
    ));
}

#[test]
fn a_schedule_says_when_and_where() {
    insta::assert_snapshot!(refusal(
        r#"
[handler.a]
command = ["x"]

[schedule.a]
timezone = "UTC"

[schedule."a:both"]
cron = "@daily"
at = 2026-01-01T00:00:00Z
timezone = "UTC"

[schedule."a:nowhere"]
cron = "@daily"
"#
    ));
}

#[test]
fn options_are_held_against_the_schema_wherever_they_stand() {
    insta::assert_snapshot!(refusal(
        r#"
[handler.ocr]
command = ["ocr"]
[handler.ocr.options]
additionalProperties = false
properties.pages = { type = "integer", minimum = 1 }
properties.language = { enum = ["de", "en"] }
required = ["pages"]
[handler.ocr.defaults.options]
language = "en"
[handler.ocr.presets.bad]
options = { pages = 0 }
"#
    ));
    insta::assert_snapshot!(refusal(
        r#"
[handler.ocr]
command = ["ocr"]
[handler.ocr.options]
additionalProperties = false
properties.pages = { type = "integer", minimum = 1 }
required = ["pages"]
[schedule.ocr]
cron = "@daily"
timezone = "UTC"
request = { options = { page = 3 } }
[schedule."ocr:none"]
cron = "@daily"
timezone = "UTC"
request = { preset = "none" }
"#
    ));
}

#[test]
fn a_schema_that_is_none_is_refused_where_it_is_wrong() {
    insta::assert_snapshot!(refusal(
        r#"
[handler.a]
command = ["a"]
options = { type = "objekt" }
[handler.b]
command = ["b"]
options = { "$ref" = "https://example.com/schema.json" }
"#
    ));
}

#[test]
fn what_is_no_toml_is_refused_at_its_place() {
    insta::assert_snapshot!(refusal("[handler.a]\ncommand = [\"x\"\ntimeout = 1h\n"));
    insta::assert_snapshot!(refusal("[handler.a\ncommand = [\"x\"]\n"));
    insta::assert_snapshot!(refusal("[handler.a]\ncommand = [\"x\"]\ncommand = [\"y\"]\n"));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = CatalogueFile::read(Path::new("no/such/file.toml"), None).unwrap_err();
    insta::assert_snapshot!(error.to_string());
}
