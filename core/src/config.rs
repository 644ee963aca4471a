//! The config: what a run really works with, resolved field by field, each with where it came
//! from.
//!
//! Promise: one pure function resolves, at enqueue (the promise) and at start (the truth), in
//! this order: request field, the request's preset, settings field, the settings' preset, the
//! catalogue's default. A request is never changed by it.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalogue::{Definition, RequestError};
use crate::words::{Name, Options, Request};

/// Where the value of a field came from, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// The request names it.
    Request,
    /// The preset that the request names.
    RequestPreset,
    /// The operator's settings for the worker.
    Settings,
    /// The preset that the settings name.
    SettingsPreset,
    /// The handler's default in the catalogue.
    Default,
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Resolved<T> {
    /// The value.
    pub value: T,
    /// Where it came from.
    pub from: Provenance,
}

/// What a run works with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Config {
    /// The engine, if the handler has a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<Resolved<Name>>,
    /// Units at a time, if anything says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_size: Option<Resolved<NonZeroU32>>,
    /// Each option.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Resolved<Value>>,
    /// Each option of the engine.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub engine_options: BTreeMap<String, Resolved<Value>>,
}

impl Config {
    /// The options without their provenance, as the handler gets them.
    pub fn plain_options(&self) -> Options {
        plain(&self.options)
    }

    /// The engine's options without their provenance, as the handler gets them.
    pub fn plain_engine_options(&self) -> Options {
        plain(&self.engine_options)
    }
}

fn plain(resolved: &BTreeMap<String, Resolved<Value>>) -> Options {
    resolved.iter().map(|(name, option)| (name.clone(), option.value.clone())).collect()
}

/// Resolves what a run of `definition` works with. The handler's default preset, if its defaults
/// name one, stands between the settings' preset and the other defaults.
pub fn resolve(
    definition: &Definition,
    request: &Request,
    settings: Option<&Request>,
) -> Result<Config, RequestError> {
    definition.check(request)?;
    definition.check(&definition.defaults)?;
    if let Some(settings) = settings {
        definition.check(settings)?;
    }
    let preset_of =
        |wish: &Request| wish.preset.as_ref().and_then(|name| definition.presets.get(name));

    let mut layers = vec![(Provenance::Request, request)];
    layers.extend(preset_of(request).map(|preset| (Provenance::RequestPreset, preset)));
    layers.extend(settings.map(|settings| (Provenance::Settings, settings)));
    layers.extend(settings.and_then(preset_of).map(|preset| (Provenance::SettingsPreset, preset)));
    layers.push((Provenance::Default, &definition.defaults));
    layers.extend(preset_of(&definition.defaults).map(|preset| (Provenance::Default, preset)));

    let engine = first(&layers, |layer| layer.engine.clone());
    if let Some(engine) = &engine {
        // A preset may name an engine that this definition no longer has.
        definition.check(&Request { engine: Some(engine.value.clone()), ..Request::default() })?;
    }
    Ok(Config {
        engine,
        batch_size: first(&layers, |layer| layer.batch_size),
        options: merged(&layers, |layer| &layer.options),
        engine_options: merged(&layers, |layer| &layer.engine_options),
    })
}

fn first<T>(
    layers: &[(Provenance, &Request)],
    field: impl Fn(&Request) -> Option<T>,
) -> Option<Resolved<T>> {
    layers
        .iter()
        .find_map(|(from, layer)| field(layer).map(|value| Resolved { value, from: *from }))
}

fn merged(
    layers: &[(Provenance, &Request)],
    field: impl Fn(&Request) -> &Options,
) -> BTreeMap<String, Resolved<Value>> {
    let mut options = BTreeMap::new();
    for (from, layer) in layers {
        for (name, value) in field(layer) {
            options
                .entry(name.clone())
                .or_insert_with(|| Resolved { value: value.clone(), from: *from });
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalogue::Execution;

    fn name(text: &str) -> Name {
        text.parse().unwrap()
    }

    fn wish(preset: Option<&str>, options: Value) -> Request {
        Request {
            preset: preset.map(name),
            options: serde_json::from_value(options).unwrap(),
            ..Request::default()
        }
    }

    fn handler() -> Definition {
        Definition {
            presets: BTreeMap::from([
                (name("fast"), wish(None, json!({"level": 1, "depth": 1, "colour": 1}))),
                (name("thorough"), wish(None, json!({"level": 9, "width": 9, "colour": 9}))),
            ]),
            defaults: wish(
                None,
                json!({"level": 5, "width": 5, "depth": 5, "colour": 5, "extra": 5}),
            ),
            ..Definition::plain(name("ocr"), Execution::Rust)
        }
    }

    #[test]
    fn each_field_comes_from_the_strongest_layer_that_sets_it() {
        let request = wish(Some("fast"), json!({"level": 0}));
        let settings = wish(Some("thorough"), json!({"level": 7, "depth": 7, "height": 7}));
        let config = resolve(&handler(), &request, Some(&settings)).unwrap();
        let found: Vec<(&str, i64, Provenance)> = config
            .options
            .iter()
            .map(|(name, option)| (name.as_str(), option.value.as_i64().unwrap(), option.from))
            .collect();
        assert_eq!(
            found,
            [
                ("colour", 1, Provenance::RequestPreset),
                ("depth", 1, Provenance::RequestPreset),
                ("extra", 5, Provenance::Default),
                ("height", 7, Provenance::Settings),
                ("level", 0, Provenance::Request),
                ("width", 9, Provenance::SettingsPreset),
            ]
        );
    }

    #[test]
    fn an_unknown_preset_or_engine_is_refused_wherever_it_is_named() {
        let unknown = wish(Some("slow"), json!({}));
        assert!(resolve(&handler(), &unknown, None).is_err());
        assert!(resolve(&handler(), &Request::default(), Some(&unknown)).is_err());
        let engine = Request { engine: Some(name("gpu")), ..Request::default() };
        assert!(resolve(&handler(), &engine, None).is_err());
    }
}
