//! `sim exhaustive`: small scopes of the protocol, searched to the end.

use clap::Args;
use horarium_core::words::Attempt;
use sim::exhaustive::{Budget, Part, Scope, Work, search};

use crate::Verdict;

/// Search small scopes of the protocol to the end.
#[derive(Debug, Args)]
pub(crate) struct Exhaustive {
    /// Messages that may be lost.
    #[arg(long, default_value_t = 1)]
    losses: u8,
    /// Messages that may come twice.
    #[arg(long, default_value_t = 0)]
    doubles: u8,
    /// Runners that may crash.
    #[arg(long, default_value_t = 1)]
    crashes: u8,
    /// Cancels.
    #[arg(long, default_value_t = 0)]
    cancels: u8,
    /// Ticks of the scheduler; with one, the work is a schedule instead of a manual run.
    #[arg(long, default_value_t = 0)]
    ticks: u8,
    /// Steps of time.
    #[arg(long, default_value_t = 2)]
    times: u8,
    /// A search that finds more states is stopped.
    #[arg(long, default_value_t = 1_000_000)]
    most_states: usize,
}

impl Exhaustive {
    pub(crate) fn answer(self) -> Verdict {
        let budget = Budget {
            losses: self.losses,
            doubles: self.doubles,
            crashes: self.crashes,
            cancels: self.cancels,
            ticks: self.ticks,
            times: self.times,
            ..Budget::default()
        };
        let scope = Scope {
            parts: [Part::Serves, Part::Serves],
            work: if self.ticks == 0 { Work::Manual } else { Work::Schedule },
            attempts: Attempt::LAST,
            budget,
            sabotage: None,
            most_messages: 3,
            most_states: self.most_states,
        };
        match search(&scope) {
            Ok(found) => {
                println!(
                    "{} states, {} steps, {} actions deep: every law held",
                    found.states, found.steps, found.depth
                );
                Verdict::Holds
            }
            Err(trace) => {
                println!("{trace}");
                Verdict::Broken
            }
        }
    }
}
