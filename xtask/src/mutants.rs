//! `cargo xtask mutants`: does anything notice when `core/` is wrong?
//!
//! Each module has the tests that are there to notice, a suite of a few seconds. Sources are
//! mutated in a copy; what was built is kept beside everything else under `target/`.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

/// A part of `core/src` and the tests that hold it.
struct Module {
    name: &'static str,
    /// Which files.
    files: &'static [&'static str],
    /// Which of them are another module's.
    without: &'static [&'static str],
    /// Packages whose tests are run.
    packages: &'static [&'static str],
    /// Which of their tests.
    tests: &'static [&'static str],
}

/// The protocol is held by laws, by transcripts and by a few worlds.
const PROTOCOL: &[&str] = &["--lib", "--test=laws", "--test=transcripts", "--test=batch"];
/// The law of time is held by tables of cases and by oracles.
const TIME: &[&str] = &[
    "--lib",
    "--test=time_laws",
    "--test=cron_messages",
    "--test=rrule_messages",
    "--test=rrule_dates",
    "--test=cron_preview",
    "--test=rrule_preview",
];
const BOTH: &[&str] = &["horarium-core", "sim"];
const CORE: &[&str] = &["horarium-core"];

const MODULES: &[Module] = &[
    Module {
        name: "ledger",
        files: &["core/src/ledger/**"],
        without: &["core/src/ledger/audit/**"],
        packages: BOTH,
        tests: PROTOCOL,
    },
    Module {
        // Who watches the watchers: seeded bugs that it must see.
        name: "audit",
        files: &["core/src/ledger/audit/**"],
        without: &[],
        packages: BOTH,
        tests: &["--test=laws", "--test=transcripts", "--test=sabotage"],
    },
    Module {
        name: "runner",
        files: &["core/src/runner/**"],
        without: &[],
        packages: BOTH,
        tests: PROTOCOL,
    },
    Module {
        name: "scheduler",
        files: &["core/src/scheduler/**"],
        without: &[],
        packages: BOTH,
        tests: PROTOCOL,
    },
    Module {
        name: "schedule",
        files: &["core/src/schedule/**"],
        without: &[],
        packages: BOTH,
        tests: PROTOCOL,
    },
    Module {
        name: "run",
        files: &["core/src/run.rs", "core/src/config.rs", "core/src/catalogue.rs"],
        without: &[],
        packages: BOTH,
        tests: PROTOCOL,
    },
    Module {
        name: "explain",
        files: &["core/src/explain/**"],
        without: &[],
        packages: CORE,
        tests: &["--lib", "--test=transcripts"],
    },
    Module {
        name: "words",
        files: &["core/src/words/**"],
        without: &[],
        packages: BOTH,
        tests: PROTOCOL,
    },
    Module {
        name: "recurrence",
        files: &["core/src/recurrence/**"],
        without: &[],
        packages: CORE,
        tests: TIME,
    },
];

/// Worlds that are played for each mutant.
const WORLDS: &str = "0..40";

/// Runs the mutants of a module, or of all of them; what follows goes to cargo-mutants.
pub(crate) fn mutants(arguments: impl Iterator<Item = String>) -> ExitCode {
    let mut arguments: Vec<String> = arguments.collect();
    let is_named = arguments.first().is_some_and(|first| !first.starts_with('-'));
    let named = is_named.then(|| arguments.remove(0));
    let chosen: Vec<&Module> = MODULES
        .iter()
        .filter(|module| named.as_ref().is_none_or(|name| name == module.name))
        .collect();
    if chosen.is_empty() {
        let known: Vec<&str> = MODULES.iter().map(|module| module.name).collect();
        eprintln!(
            "xtask: no module `{}`: use one of {}",
            named.unwrap_or_default(),
            known.join(", ")
        );
        return ExitCode::from(2);
    }
    let mut all_caught = true;
    for module in chosen {
        match run(module, &arguments) {
            Ok(caught) => all_caught &= caught,
            Err(why) => {
                eprintln!("xtask: {why}");
                return ExitCode::from(2);
            }
        }
    }
    if all_caught { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Seconds until a mutant counts as one that never ends: ten times what a suite takes.
const PATIENCE: &str = "60";

/// True when every mutant was caught.
fn run(module: &Module, arguments: &[String]) -> Result<bool, String> {
    let root = env::current_dir().map_err(|why| format!("no current folder: {why}"))?;
    let target = root.join("target");
    let only_listed = arguments.iter().any(|argument| argument.starts_with("--list"));
    if !only_listed {
        suite_is_green(module, &target)?;
    }
    let mut command = cargo(&target);
    command
        .args(["mutants", "--package=horarium-core", "--profile=mutants", "--no-shuffle"])
        .arg(format!("--test-package={}", module.packages.join(",")))
        .arg(format!("--output={}", target.join("mutants-of").join(module.name).display()))
        // cargo-mutants would try its baseline in the mutated package alone.
        .args(["--baseline=skip", "--timeout", PATIENCE, "--cap-lints=true"])
        .args(module.files.iter().map(|file| format!("--file={file}")))
        .args(module.without.iter().map(|file| format!("--exclude={file}")))
        .args(module.tests.iter().map(|test| format!("--cargo-arg={test}")))
        .args(arguments);
    std::fs::create_dir_all(target.join("mutants-of").join(module.name))
        .map_err(|why| format!("no folder for what is found: {why}"))?;
    println!("— {} —", module.name);
    let status = command.status().map_err(|why| format!("cargo cannot be started: {why}"))?;
    match status.code() {
        Some(0) => Ok(true),
        // Some mutants were not caught, or ran out of time.
        Some(2 | 3) => Ok(false),
        Some(code) => Err(format!(
            "cargo-mutants ended with {code}; is it installed? `cargo install cargo-mutants`"
        )),
        None => Err(String::from("cargo-mutants was killed")),
    }
}

/// A suite that is red before anything is mutated would catch every mutant.
fn suite_is_green(module: &Module, target: &Path) -> Result<(), String> {
    let status = cargo(target)
        .args(["test", "--quiet", "--profile=mutants"])
        .args(module.packages.iter().map(|package| format!("--package={package}")))
        .args(module.tests)
        .status()
        .map_err(|why| format!("cargo cannot be started: {why}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("the tests of `{}` fail before anything is mutated", module.name))
    }
}

/// cargo, with few worlds and cases and with snapshots that may not be rewritten.
fn cargo(target: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .env("CARGO_TARGET_DIR", target)
        .env("SIM_SEEDS", WORLDS)
        .env("PROPTEST_CASES", "64")
        .env("INSTA_UPDATE", "no")
        .env("INSTA_FORCE_PASS", "0");
    command
}
