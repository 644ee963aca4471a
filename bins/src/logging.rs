//! Logs: to standard error, human on a terminal, JSON on demand.

use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;

/// How logs look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people
    Human,
    /// One JSON object a line
    Json,
}

/// What can be set for logs.
#[derive(Debug, Clone, Args)]
pub struct LogArguments {
    /// How logs look
    #[arg(long, env = "HORARIUM_LOG_FORMAT", default_value = "human", global = true)]
    pub log_format: LogFormat,
    /// Which logs to write, like `info` or `horarium=debug`
    #[arg(long, env = "HORARIUM_LOG", value_name = "FILTER", global = true)]
    pub log: Option<String>,
}

impl LogArguments {
    /// Starts logging; what says nothing else logs from `level` up.
    pub fn start(&self, level: &str) {
        let filter = EnvFilter::new(self.log.as_deref().unwrap_or(level));
        let builder = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .with_target(false);
        // A second start changes nothing.
        match self.log_format {
            LogFormat::Human => {
                let colour = std::io::IsTerminal::is_terminal(&std::io::stderr())
                    && std::env::var_os("NO_COLOR").is_none();
                drop(builder.with_ansi(colour).try_init());
            }
            LogFormat::Json => drop(builder.json().try_init()),
        }
    }
}
