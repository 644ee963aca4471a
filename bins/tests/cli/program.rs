//! The program in a world of its own: a directory, a store, and nobody's environment.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A directory with a catalogue file, and the program at work in it.
pub(crate) struct Program {
    directory: TempDir,
}

/// What the program said.
pub(crate) struct Said {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) status: i32,
}

/// A catalogue with a handler for each need of the tests.
pub(crate) const CATALOGUE: &str = r#"
[handler.greeting]
description = "Says hello"
command = ["echo", "hello"]

[handler.failing]
command = ["sh", "-c", "echo trouble >&2; exit 3"]

[handler.ocr]
command = ["cat"]
presets.fast = { options = { pages = 1 } }
engines.gpu = { options = { type = "object", properties = { card = { type = "integer" } } } }

[handler.ocr.options]
type = "object"
additionalProperties = false
properties.pages = { type = "integer", minimum = 1 }
properties.language = { enum = ["de", "en"] }
required = ["pages"]
"#;

impl Program {
    /// With the catalogue applied.
    pub(crate) fn with_catalogue() -> Self {
        let program = Self::without_store();
        assert_eq!(program.run(&["catalogue", "apply", "horarium.toml"]).status, 0);
        program
    }

    /// With the catalogue's file and nothing else.
    pub(crate) fn without_store() -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("horarium.toml"), CATALOGUE).unwrap();
        Self { directory }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.path("horarium.db")
    }

    /// The program with these arguments, not started yet.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_horarium"));
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.directory.path())
            .env("USER", "ada")
            .env("TZ", "UTC")
            .env("HORARIUM_TZDIR", "bundled")
            .env("HORARIUM_STORE", self.store())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        Said::of(&self.command(arguments).output().unwrap(), self.directory.path())
    }

    /// The same in an environment that says more.
    pub(crate) fn run_with(&self, environment: &[(&str, &str)], arguments: &[&str]) -> Said {
        let mut command = self.command(arguments);
        command.envs(environment.iter().copied());
        Said::of(&command.output().unwrap(), self.directory.path())
    }

    pub(crate) fn run_on(&self, stdin: &[u8], arguments: &[&str]) -> Said {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let stdin = stdin.to_vec();
        let writer = std::thread::spawn(move || pipe.write_all(&stdin));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        Said::of(&output, self.directory.path())
    }

    /// What `-o json` printed.
    pub(crate) fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let said = self.run(&[arguments, &["-o", "json"]].concat());
        assert_eq!(said.status, 0, "{said}");
        serde_json::from_str(&said.stdout).unwrap()
    }
}

impl Said {
    fn of(output: &Output, directory: &Path) -> Self {
        let text = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            text.replace(&directory.display().to_string(), "[DIR]")
        };
        Self {
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            status: output.status.code().unwrap(),
        }
    }
}

/// All of it, for a snapshot.
impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.stdout.is_empty() {
            writeln!(f, "{}", self.stdout.trim_end())?;
        }
        if !self.stderr.is_empty() {
            writeln!(f, "--- standard error\n{}", self.stderr.trim_end())?;
        }
        write!(f, "--- exit status {}", self.status)
    }
}

/// Compares what was said with the snapshot, but for what differs each time.
macro_rules! assert_said {
    ($said:expr) => {{
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(r"[0-9a-f]{64}", "[HASH]");
        settings
            .add_filter(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "[ID]");
        settings
            .add_filter(r"20[23]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", "[TIME]");
        settings.add_filter(r"20[23]\d-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d", "[TIME]");
        settings.add_filter(r"(\d+(us|ms|s|m|h|d))+ ago", "[AGO]");
        settings.add_filter(r"in (\d+(us|ms|s|m|h|d))+", "in [SPAN]");
        settings.add_filter(r"has (\d+(us|ms|s|m|h|d))+ left", "has [SPAN] left");
        settings.add_filter(r"  (\d+(us|ms|s|m|h|d))+ +", "  [SPAN]  ");
        settings.add_filter(r"TOOK +", "TOOK  ");
        settings.add_filter(r"(?m)^took .*$", "took [SPAN]");
        settings.bind(|| insta::assert_snapshot!($said.to_string()));
    }};
}
pub(crate) use assert_said;
