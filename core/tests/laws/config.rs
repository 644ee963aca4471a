//! The laws of config resolution.

use std::collections::BTreeMap;

use horarium_core::catalogue::{Definition, Engine, Execution};
use horarium_core::config::{Provenance, resolve};
use horarium_core::words::{Name, Request};
use proptest::prelude::*;
use serde_json::Value;

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

fn wish(preset: impl Strategy<Value = Option<&'static str>>) -> impl Strategy<Value = Request> {
    let options = proptest::collection::btree_map("[abc]", 0..100_i64, 0..4);
    let engine = prop_oneof![3 => Just(None), 1 => Just(Some("cpu")), 1 => Just(Some("gpu"))];
    let batch_size = proptest::option::of(1..100_u32);
    (preset, engine, batch_size, options.clone(), options).prop_map(
        |(preset, engine, batch_size, options, engine_options)| {
            let values = |options: BTreeMap<String, i64>| {
                options.into_iter().map(|(name, value)| (name, Value::from(value))).collect()
            };
            Request {
                engine: engine.map(name),
                preset: preset.map(name),
                batch_size: batch_size.and_then(std::num::NonZeroU32::new),
                options: values(options),
                engine_options: values(engine_options),
            }
        },
    )
}

fn with_preset() -> impl Strategy<Value = Request> {
    wish(prop_oneof![Just(None), Just(Some("fast")), Just(Some("thorough"))])
}

fn bare() -> impl Strategy<Value = Request> {
    wish(Just(None))
}

fn definition() -> impl Strategy<Value = Definition> {
    (bare(), bare(), with_preset()).prop_map(|(fast, thorough, defaults)| Definition {
        engines: ["cpu", "gpu"].map(|engine| (name(engine), Engine::default())).into(),
        presets: BTreeMap::from([(name("fast"), fast), (name("thorough"), thorough)]),
        defaults,
        ..Definition::plain(name("ocr"), Execution::Rust)
    })
}

/// The layers from the strongest, as the design lists them.
fn layers<'a>(
    definition: &'a Definition,
    request: &'a Request,
    settings: Option<&'a Request>,
) -> Vec<(Provenance, &'a Request)> {
    let preset = |wish: &Request| wish.preset.as_ref().map(|name| &definition.presets[name]);
    let mut layers = vec![(Provenance::Request, Some(request))];
    layers.push((Provenance::RequestPreset, preset(request)));
    layers.push((Provenance::Settings, settings));
    layers.push((Provenance::SettingsPreset, settings.and_then(preset)));
    layers.push((Provenance::Default, Some(&definition.defaults)));
    layers.push((Provenance::Default, preset(&definition.defaults)));
    layers.into_iter().filter_map(|(from, layer)| Some((from, layer?))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn each_field_has_the_value_and_the_name_of_the_strongest_layer_that_sets_it(
        definition in definition(),
        request in with_preset(),
        settings in proptest::option::of(with_preset()),
    ) {
        let config = resolve(&definition, &request, settings.as_ref()).unwrap();
        let layers = layers(&definition, &request, settings.as_ref());
        let engine = layers.iter().find_map(|(from, wish)| Some((wish.engine.clone()?, *from)));
        prop_assert_eq!(config.engine.map(|engine| (engine.value, engine.from)), engine);
        let size = layers.iter().find_map(|(from, wish)| Some((wish.batch_size?, *from)));
        prop_assert_eq!(config.batch_size.map(|size| (size.value, size.from)), size);
        for option in ["a", "b", "c"] {
            let strongest = layers
                .iter()
                .find_map(|(from, wish)| Some((wish.options.get(option)?.clone(), *from)));
            let found = config.options.get(option).map(|found| (found.value.clone(), found.from));
            prop_assert_eq!(found, strongest);
            let strongest = layers
                .iter()
                .find_map(|(from, wish)| Some((wish.engine_options.get(option)?.clone(), *from)));
            let found =
                config.engine_options.get(option).map(|found| (found.value.clone(), found.from));
            prop_assert_eq!(found, strongest);
        }
    }

    #[test]
    fn what_was_resolved_resolves_to_itself(
        definition in definition(),
        request in with_preset(),
        settings in proptest::option::of(with_preset()),
    ) {
        let config = resolve(&definition, &request, settings.as_ref()).unwrap();
        let plain = Request {
            engine: config.engine.clone().map(|engine| engine.value),
            preset: None,
            batch_size: config.batch_size.as_ref().map(|size| size.value),
            options: config.plain_options(),
            engine_options: config.plain_engine_options(),
        };
        let again = resolve(&definition, &plain, settings.as_ref()).unwrap();
        prop_assert_eq!(again.plain_options(), plain.options);
        prop_assert_eq!(again.plain_engine_options(), plain.engine_options);
        prop_assert_eq!(again.engine.map(|engine| engine.value), plain.engine);
        prop_assert_eq!(again.batch_size.map(|size| size.value), plain.batch_size);
        prop_assert!(again.options.values().all(|option| option.from == Provenance::Request));
    }

    #[test]
    fn settings_touch_no_field_that_the_request_or_its_preset_sets(
        definition in definition(),
        request in with_preset(),
        settings in with_preset(),
    ) {
        let with = resolve(&definition, &request, Some(&settings)).unwrap();
        let without = resolve(&definition, &request, None).unwrap();
        for (name, option) in &without.options {
            if matches!(option.from, Provenance::Request | Provenance::RequestPreset) {
                prop_assert_eq!(with.options.get(name), Some(option));
            }
        }
        prop_assert!(without.options.keys().all(|name| with.options.contains_key(name)));
    }

    #[test]
    fn an_equal_definition_has_an_equal_hash(one in definition(), other in definition()) {
        prop_assert_eq!(one.hash() == other.hash(), one == other);
        prop_assert_eq!(one.hash(), one.clone().hash());
    }
}
