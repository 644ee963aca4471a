//! `horarium run wait`.

use std::time::{Duration, Instant};

use clap::Args;
use horarium_core::run::{Run, StatusKind};
use horarium_core::store::{Reader, RunRef};
use horarium_core::words::Span;

use super::super::arguments::{Show, run_ref};
use super::super::failure::Failure;
use super::super::terminal::Terminal;
use super::find;
use super::show::show;

/// How often the run is looked at: at first, and at most.
const FIRST_LOOK: Duration = Duration::from_millis(20);
const LAST_LOOK: Duration = Duration::from_millis(500);

/// Which run, and how long.
#[derive(Debug, Args)]
pub(crate) struct Wait {
    /// The run: its number, like 12, or its id
    #[arg(value_parser = run_ref)]
    run: RunRef,
    /// Give up waiting after this time (exit status 124); the run goes on
    #[arg(long, value_name = "DURATION")]
    timeout: Option<Span>,
    #[command(flatten)]
    show: Show,
}

impl Wait {
    pub(super) async fn act<S: Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        wait(store, self.run, self.timeout, &self.show, terminal).await
    }
}

/// Waits for the run's end, shows it and fails unless it is SUCCESS.
pub(super) async fn wait<S: Reader>(
    store: &S,
    run: RunRef,
    timeout: Option<Span>,
    shown: &Show,
    terminal: Terminal,
) -> Result<(), Failure> {
    let started = Instant::now();
    let patience = timeout.map(|timeout| Duration::from_micros(timeout.micros()));
    let mut pause = FIRST_LOOK;
    let run = loop {
        let run = find(store, run).await?;
        if !run.is_active() {
            break run;
        }
        let left = patience.map(|patience| patience.saturating_sub(started.elapsed()));
        if left.is_some_and(|left| left.is_zero()) {
            return Err(Failure::StillActive {
                number: run.number,
                status: run.status_kind(),
                waited: timeout.unwrap_or_default(),
            });
        }
        tokio::time::sleep(left.map_or(pause, |left| left.min(pause))).await;
        pause = (pause * 2).min(LAST_LOOK);
    };
    show(&run, store.now().await?, shown, terminal)?;
    success(&run)
}

fn success(run: &Run) -> Result<(), Failure> {
    let status = run.status_kind();
    if status == StatusKind::Success {
        return Ok(());
    }
    let why = run.end().map(|end| end.outcome.to_string()).unwrap_or_default();
    Err(Failure::Unsuccessful { number: run.number, status, why })
}
