//! Options against the JSON Schema that their handler states for them.
//!
//! Promises: draft 2020-12; a schema is judged by what it holds itself, nothing is ever fetched;
//! every fault names the field and the JSON pointer at which it stands. A handler without a schema
//! takes any options.

use std::fmt;

use horarium_core::catalogue::{Definition, RequestError};
use horarium_core::config::{Config, Provenance, Resolved, resolve};
use horarium_core::words::{Name, Request};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, ValidationError, Validator};
use serde_json::Value;

use crate::nearest::nearest;

const TYPES: &str =
    "a type is array, boolean, integer, null, number, object or string, or a list of these";

/// Which options of a request are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptionField {
    /// The handler's.
    Options,
    /// The engine's.
    EngineOptions,
}

impl fmt::Display for OptionField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Options => "options",
            Self::EngineOptions => "engine_options",
        })
    }
}

/// Something in the options that their schema does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}{pointer}: {what}")]
pub struct OptionFault {
    /// In which options.
    pub field: OptionField,
    /// Where in them, as a JSON pointer (RFC 6901); empty for the options as a whole.
    pub pointer: String,
    /// What is wrong.
    pub what: String,
    /// True when an option is missing that somebody else may still give.
    pub is_missing: bool,
}

/// Something in a schema that makes it no schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the JSON Schema is invalid{}: {what}", at(.pointer))]
pub struct SchemaFault {
    /// Where in the schema, as a JSON pointer.
    pub pointer: String,
    /// What is wrong.
    pub what: String,
}

/// A part of a definition that does not fit the rest of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionFault {
    /// The schema of the options is none.
    #[error("options: {0}")]
    OptionSchema(SchemaFault),
    /// The schema of an engine's options is none.
    #[error("engine {engine}, options: {fault}")]
    EngineSchema {
        /// Which engine.
        engine: Name,
        /// What is wrong.
        fault: SchemaFault,
    },
    /// The defaults name what the handler does not have.
    #[error("defaults: {0}")]
    DefaultsRequest(RequestError),
    /// The defaults hold an option that the schema does not allow.
    #[error("defaults: {0}")]
    DefaultsOption(OptionFault),
    /// A preset names what the handler does not have.
    #[error("preset {preset}: {error}")]
    PresetRequest {
        /// Which preset.
        preset: Name,
        /// What is wrong.
        error: RequestError,
    },
    /// A preset holds an option that the schema does not allow.
    #[error("preset {preset}: {fault}")]
    PresetOption {
        /// Which preset.
        preset: Name,
        /// What is wrong.
        fault: OptionFault,
    },
}

fn at(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" at `{pointer}`") }
}

/// Checks what a run would work with.
pub fn validate(definition: &Definition, config: &Config) -> Result<(), Vec<OptionFault>> {
    let mut faults = Vec::new();
    if let Some(schema) = &definition.options {
        let options = Value::Object(config.plain_options().into_iter().collect());
        faults.extend(faults_in(OptionField::Options, schema, &options));
    }
    let engine = config.engine.as_ref().map(|engine| &engine.value);
    match engine.map(|name| (name, definition.engines.get(name))) {
        Some((_, Some(engine))) => {
            if let Some(schema) = &engine.options {
                let options = Value::Object(config.plain_engine_options().into_iter().collect());
                faults.extend(faults_in(OptionField::EngineOptions, schema, &options));
            }
        }
        // That an engine is one of the handler's is checked where the config is resolved.
        Some((_, None)) => {}
        None if config.engine_options.is_empty() => {}
        None => faults.push(OptionFault {
            field: OptionField::EngineOptions,
            pointer: String::new(),
            what: String::from("no engine is chosen: name one, or leave its options out"),
            is_missing: false,
        }),
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Checks that a definition fits together: its schemas are schemas, and its defaults and presets
/// hold nothing that they refuse. What a request must add to them may be missing.
pub fn check_definition(definition: &Definition) -> Result<(), Vec<DefinitionFault>> {
    let mut faults = Vec::new();
    if let Some(schema) = &definition.options {
        faults.extend(faults_of(schema).into_iter().map(DefinitionFault::OptionSchema));
    }
    for (name, engine) in &definition.engines {
        let found = engine.options.as_ref().map(faults_of).unwrap_or_default();
        faults.extend(
            found
                .into_iter()
                .map(|fault| DefinitionFault::EngineSchema { engine: name.clone(), fault }),
        );
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    match resolve(definition, &Request::default(), None) {
        Err(error) => faults.push(DefinitionFault::DefaultsRequest(error)),
        Ok(config) => faults.extend(
            faults_from(Provenance::Default, definition, &config)
                .map(DefinitionFault::DefaultsOption),
        ),
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    for preset in definition.presets.keys() {
        let request = Request { preset: Some(preset.clone()), ..Request::default() };
        match resolve(definition, &request, None) {
            Err(error) => {
                faults.push(DefinitionFault::PresetRequest { preset: preset.clone(), error });
            }
            Ok(config) => faults.extend(
                faults_from(Provenance::RequestPreset, definition, &config)
                    .map(|fault| DefinitionFault::PresetOption { preset: preset.clone(), fault }),
            ),
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// The faults in those options alone that came from `layer`.
fn faults_from<'c>(
    layer: Provenance,
    definition: &Definition,
    config: &'c Config,
) -> impl Iterator<Item = OptionFault> + use<'c> {
    validate(definition, config).err().unwrap_or_default().into_iter().filter(move |fault| {
        let options = match fault.field {
            OptionField::Options => &config.options,
            OptionField::EngineOptions => &config.engine_options,
        };
        first_part(&fault.pointer)
            .and_then(|name| options.get(&name))
            .is_some_and(|Resolved { from, .. }| *from == layer)
    })
}

/// The name that a JSON pointer begins with.
fn first_part(pointer: &str) -> Option<String> {
    let part = pointer.strip_prefix('/')?.split('/').next()?;
    Some(part.replace("~1", "/").replace("~0", "~"))
}

fn faults_in(field: OptionField, schema: &Value, options: &Value) -> Vec<OptionFault> {
    match compile(schema) {
        Ok(validator) => {
            let mut faults: Vec<OptionFault> = validator
                .iter_errors(options)
                .flat_map(|error| explained(field, schema, &error))
                .collect();
            faults.sort_by(|one, other| {
                (&one.pointer, &one.what).cmp(&(&other.pointer, &other.what))
            });
            faults
        }
        Err(broken) => {
            let what = format!("the handler's own {broken}");
            vec![OptionFault { field, pointer: String::new(), what, is_missing: false }]
        }
    }
}

fn faults_of(schema: &Value) -> Vec<SchemaFault> {
    let fault = |error: &ValidationError<'_>| {
        let pointer = error.instance_path().to_string();
        let what = if pointer == "/type" || pointer.ends_with("/type") {
            String::from(TYPES)
        } else {
            error.to_string()
        };
        SchemaFault { pointer, what }
    };
    let faults: Vec<SchemaFault> = jsonschema::draft202012::meta::validator()
        .iter_errors(schema)
        .map(|error| fault(&error))
        .collect();
    if faults.is_empty() { compile(schema).err().into_iter().collect() } else { faults }
}

fn compile(schema: &Value) -> Result<Validator, SchemaFault> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .offline()
        .build(schema)
        .map_err(|error| SchemaFault {
            pointer: error.instance_path().to_string(),
            what: match error.kind() {
                ValidationErrorKind::Referencing(_) => String::from(
                    "a reference must point to something in the schema itself, like #/$defs/name; \
                     nothing is fetched",
                ),
                _ => error.to_string(),
            },
        })
}

/// An error as faults: one for each of several properties.
fn explained(field: OptionField, schema: &Value, error: &ValidationError<'_>) -> Vec<OptionFault> {
    let place = error.instance_path().to_string();
    let fault = |pointer, what| OptionFault { field, pointer, what, is_missing: false };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => unexpected
            .iter()
            .map(|name| {
                let pointer = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
                let remedy =
                    if place.is_empty() { known_instead(schema, name) } else { String::new() };
                fault(pointer, format!("there is no such option{remedy}"))
            })
            .collect(),
        ValidationErrorKind::Required { property } => {
            let is_missing = place.is_empty();
            let what = format!("{property} is missing and has no default");
            vec![OptionFault { is_missing, ..fault(place, what) }]
        }
        _ => vec![fault(place, error.to_string())],
    }
}

fn known_instead(schema: &Value, name: &str) -> String {
    let Some(known) = schema.get("properties").and_then(Value::as_object) else {
        return String::new();
    };
    match nearest(name, known.keys().map(String::as_str)) {
        Some(near) => format!(": did you mean `{near}`?"),
        None => format!(": there are {}", known.keys().cloned().collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use horarium_core::catalogue::{Engine, Execution};
    use serde_json::json;

    use super::*;

    fn handler() -> Definition {
        let argv = vec![String::from("ocr")];
        let mut definition =
            Definition::plain("ocr".parse().unwrap(), Execution::Command { argv, directory: None });
        definition.options = Some(json!({
            "type": "object",
            "properties": {
                "pages": { "type": "integer", "minimum": 1 },
                "language": { "enum": ["de", "en"] },
            },
            "required": ["pages"],
            "additionalProperties": false,
        }));
        definition
    }

    fn told(definition: &Definition, request: Value) -> Vec<String> {
        let request: Request = serde_json::from_value(request).unwrap();
        let config = resolve(definition, &request, None).unwrap();
        let faults = validate(definition, &config).err().unwrap_or_default();
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn options_that_the_schema_allows_pass() {
        assert!(told(&handler(), json!({"options": {"pages": 3, "language": "de"}})).is_empty());
    }

    #[test]
    fn each_fault_names_its_pointer_and_the_remedy() {
        assert_eq!(
            told(&handler(), json!({"options": {"langage": "fr", "language": "fr"}})),
            [
                r#"options: "pages" is missing and has no default"#,
                "options/langage: there is no such option: did you mean `language`?",
                r#"options/language: "fr" is not one of "de" or "en""#,
            ]
        );
    }

    #[test]
    fn an_engines_options_have_their_own_schema() {
        let mut definition = handler();
        definition.options = None;
        let gpu = Engine {
            options: Some(json!({"properties": {"card": {"type": "integer"}}})),
            ..Engine::default()
        };
        definition.engines.insert("gpu".parse().unwrap(), gpu);
        assert_eq!(
            told(&definition, json!({"engine": "gpu", "engine_options": {"card": "first"}})),
            [r#"engine_options/card: "first" is not of type "integer""#]
        );
        assert_eq!(
            told(&definition, json!({"engine_options": {"card": 1}})),
            ["engine_options: no engine is chosen: name one, or leave its options out"]
        );
    }

    #[test]
    fn a_schema_that_points_outside_itself_is_refused() {
        let mut definition = handler();
        for reference in ["https://example.com/schema.json", "file:///etc/passwd"] {
            definition.options = Some(json!({"$ref": reference}));
            let faults = check_definition(&definition).unwrap_err();
            assert!(faults[0].to_string().contains("nothing is fetched"), "{faults:?}");
        }
    }

    #[test]
    fn defaults_and_presets_are_checked_but_may_leave_a_required_option_open() {
        let mut definition = handler();
        let options = |value: Value| Request {
            options: serde_json::from_value(value).unwrap(),
            ..Request::default()
        };
        definition.defaults = options(json!({"language": "de"}));
        assert_eq!(check_definition(&definition), Ok(()));
        definition.presets.insert("poor".parse().unwrap(), options(json!({"pages": 0})));
        let faults = check_definition(&definition).unwrap_err();
        let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["preset poor: options/pages: 0 is less than the minimum of 1"]);
    }
}
