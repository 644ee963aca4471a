//! Every kept input again: what each shows, and what the fuzzer once found.
#![allow(clippy::unwrap_used)] // the helpers of a test may fail as the test does

use std::fs;
use std::path::{Path, PathBuf};

use properties::PROPERTIES;

fn inputs(property: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(property);
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn every_kept_input_has_its_property() {
    for (name, property) in PROPERTIES {
        let inputs = inputs(name);
        assert!(inputs.len() >= 10, "{name} has {} inputs", inputs.len());
        for input in inputs {
            // On failure the last line says which.
            println!("{}", input.display());
            property(&fs::read(input).unwrap());
        }
    }
}

#[test]
fn every_corpus_belongs_to_a_property() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    for entry in fs::read_dir(corpus).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(PROPERTIES.iter().any(|(property, _)| *property == name), "{name}");
    }
}
