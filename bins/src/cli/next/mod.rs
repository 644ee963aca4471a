//! `horarium next`: when a rule comes due, without any store.

mod batch;

use std::path::PathBuf;
use std::time::SystemTime;

use clap::{ArgGroup, Args};
use horarium_core::recurrence::Recurrence;
use horarium_core::words::Timestamp;

use super::arguments::Format;
use super::clock::WallClock;
use super::contract::{NextInstantsView, NextView};
use super::failure::Failure;
use super::rule::RuleArguments;
use super::table::{Cell, Table};
use super::terminal::{Terminal, WARNING};
use crate::zone_data;

/// The most instants of one question.
const LARGEST_COUNT: u32 = 10_000;

/// What `next` is asked.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true).args(["cron", "rrule", "ics", "batch"]))]
pub(crate) struct Next {
    #[command(flatten)]
    rule: RuleArguments,
    /// Show the instants after this one; now when not given
    #[arg(long, value_name = "RFC3339", conflicts_with = "batch")]
    after: Option<Timestamp>,
    /// Say the rule in words, and what may surprise in it
    #[arg(long, conflicts_with = "batch")]
    explain: bool,
    /// How many instants
    #[arg(
        long,
        value_name = "N",
        default_value_t = 5,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(LARGEST_COUNT)),
        conflicts_with = "batch"
    )]
    count: u32,
    /// Answer questions from a file of JSON lines (`-`: standard input), one line each
    #[arg(long, value_name = "FILE")]
    batch: Option<PathBuf>,
    /// How to write the answer
    #[arg(
        short,
        long,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        conflicts_with = "batch"
    )]
    output: Format,
}

/// Answers.
pub(super) fn next(terminal: Terminal, arguments: &Next) -> Result<(), Failure> {
    if let Some(file) = &arguments.batch {
        return batch::batch(file);
    }
    match arguments.rule.recurrence()? {
        Some(recurrence) => one(terminal, arguments, recurrence),
        // The command line's grammar does not let this through.
        None => Err(Failure::Usage(String::from("name a rule: --cron, --rrule or --ics"))),
    }
}

fn one(terminal: Terminal, arguments: &Next, recurrence: Recurrence) -> Result<(), Failure> {
    let after = arguments.after.unwrap_or_else(now);
    let count = usize::try_from(arguments.count).unwrap_or(usize::MAX);
    let next = recurrence.preview(after, count);
    let view = NextInstantsView {
        zone_data: zone_data::in_force().data().release(),
        after,
        next: next.iter().map(|next| NextView::new(recurrence.zone(), next)).collect(),
        exhausted: next.len() < count,
        in_words: recurrence.in_words(),
        advice: recurrence.advice(after).iter().map(ToString::to_string).collect(),
        recurrence,
    };
    match arguments.output {
        Format::Json => terminal.json(&view),
        Format::Table => {
            terminal.print(&table(&view, arguments.explain))?;
            for advice in view.advice.iter().filter(|_| arguments.explain) {
                terminal.warn(advice);
            }
            Ok(())
        }
    }
}

fn table(view: &NextInstantsView, explain: bool) -> String {
    let clock = WallClock::new(Some(view.recurrence.zone()));
    let mut table = if explain { format!("{}\n\n", view.in_words) } else { String::new() };
    table.push_str(&instants(&clock, &view.next));
    if view.exhausted {
        table.push_str("the series ends here\n");
    }
    table
}

/// Coming instants in the zone and in UTC, with what clock changes did to them.
pub(super) fn instants(clock: &WallClock, next: &[NextView]) -> String {
    let mut table = Table::new([&clock.heading("LOCAL"), "UTC", "CLOCK CHANGE"]);
    for next in next {
        let note = next.note.clone().unwrap_or_default();
        table.row([
            clock.cell(next.at).into(),
            next.at.to_string().into(),
            Cell::styled(note, WARNING),
        ]);
    }
    table.render()
}

/// The host's clock: nothing that is stored comes from it.
pub(super) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let micros = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
    Timestamp::from_micros(micros).unwrap_or(Timestamp::MAX)
}
