//! What a person or a script gets to see: data on standard output, all else on standard error.
//!
//! Promises: colour only where it is wanted (`--color`, `NO_COLOR`, a terminal); a reader that
//! has gone ends us quietly.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use super::failure::Failure;
use super::table::Table;

/// For what went wrong.
pub(super) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// For what somebody should know.
pub(super) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// For what went well.
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
/// For what is under way.
pub(super) const ACTIVE: Style = AnsiColor::Cyan.on_default();
/// For headings.
pub(super) const HEADING: Style = Style::new().bold();

/// When to use colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Where output goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    color: ColorChoice,
}

impl Terminal {
    /// With that much colour.
    pub(crate) fn new(color: Color) -> Self {
        Self {
            color: match color {
                Color::Auto => ColorChoice::Auto,
                Color::Always => ColorChoice::Always,
                Color::Never => ColorChoice::Never,
            },
        }
    }

    /// Data, as it is.
    #[allow(clippy::unused_self)] // everything is printed through the one terminal
    pub(crate) fn bytes(self, bytes: &[u8]) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush()).map_err(gone)
    }

    /// Data for people, perhaps with colour.
    pub(crate) fn print(self, text: &str) -> Result<(), Failure> {
        let mut out = AutoStream::new(io::stdout().lock(), self.color);
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(gone)
    }

    /// Rows, or a word where there are none.
    pub(crate) fn table(self, table: &Table, when_empty: &str) -> Result<(), Failure> {
        if table.is_empty() {
            self.note(when_empty);
        }
        self.print(&table.render())
    }

    /// A JSON document.
    pub(crate) fn json(self, value: &impl serde::Serialize) -> Result<(), Failure> {
        let mut text = serde_json::to_string_pretty(value)
            .map_err(|error| Failure::Failed(format!("the answer has no JSON: {error}")))?;
        text.push('\n');
        self.bytes(text.as_bytes())
    }

    /// What went well, beside the data.
    pub(crate) fn note(self, text: &str) {
        self.say(&format!("{text}\n"));
    }

    /// What somebody should know.
    pub(crate) fn warn(self, text: &str) {
        self.say(&format!("{WARNING}warning:{WARNING:#} {text}\n"));
    }

    /// Why nothing came of it.
    pub(crate) fn error(self, text: &str) {
        self.say(&format!("{ERROR}error:{ERROR:#} {text}\n"));
    }

    fn say(self, text: &str) {
        // Nobody is left to be told when standard error is gone.
        drop(AutoStream::new(io::stderr().lock(), self.color).write_all(text.as_bytes()));
    }
}

pub(super) fn gone(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::OutputClosed,
        _ => Failure::Output(error),
    }
}
