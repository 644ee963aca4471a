//! `horarium schedule`: when a worker comes due.

mod delete;
mod set;
mod show;
mod switch;

use clap::Subcommand;
use horarium_core::ledger::reply::Saved;
use horarium_core::ledger::{Command, Reply, Worker};
use horarium_core::recurrence::{Advice, Recurrence};
use horarium_core::schedule::Schedule;
use horarium_core::store::{Reader, Store};
use horarium_core::words::{RunId, Span, WorkerName};

use super::arguments::Format;
use super::contract::{NextView, ScheduleChangeView};
use super::failure::Failure;
use super::next::instants;
use super::submit::submit;
use super::terminal::Terminal;

pub(super) use show::{rule, state};

/// How many coming instants a change is answered with.
const ECHOED: usize = 3;

/// What can be done with schedules.
#[derive(Debug, Subcommand)]
pub(crate) enum ScheduleVerb {
    /// Save a worker's schedule; what is there already is replaced as a whole
    #[command(after_help = "\
Examples:
  horarium schedule set backup --cron '30 2 * * *' --tz Europe/Berlin
  horarium schedule set report --cron '0 8 * * 1-5' --tz America/New_York --max-lateness 2h
  horarium schedule set cleanup:spring --at 2027-03-01T04:00:00Z
  horarium schedule set probe --cron '*/5 * * * *' --tz UTC --option url=https://example.com/

A rule whose minute or hour begins with * follows real time; any other names times of day, and each
of its days has its run even when a clock change skips or repeats the hour:
  horarium next --cron '30 2 * * *' --tz Europe/Berlin --after 2026-03-28T00:00:00Z")]
    Set(Box<set::Set>),
    /// Show a worker's schedule
    Show(show::ShowSchedule),
    /// List all schedules, the next one first
    List(show::List),
    /// Let a schedule fire again
    Enable(switch::Enable),
    /// Let a schedule fire no more until it is enabled
    Disable(switch::Disable),
    /// Delete a schedule; what it has done stays in the ledger
    Delete(delete::Delete),
}

impl ScheduleVerb {
    pub(super) async fn act<S: Store + Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        match self {
            Self::Set(verb) => verb.act(store, terminal).await,
            Self::Show(verb) => verb.act(store, terminal).await,
            Self::List(verb) => verb.act(store, terminal).await,
            Self::Enable(verb) => verb.act(store, terminal).await,
            Self::Disable(verb) => verb.act(store, terminal).await,
            Self::Delete(verb) => verb.act(store, terminal).await,
        }
    }
}

/// The worker's row, or that of one that nothing is known of.
async fn row<S: Reader>(store: &S, worker: &WorkerName) -> Result<Worker, Failure> {
    Ok(store.worker(worker).await?.map_or(Worker::NEW, |(row, _)| row))
}

/// Sends a change of a schedule.
async fn change<S: Store>(store: &S, command: &Command) -> Result<Saved, Failure> {
    let Reply::ScheduleSaved(saved) = submit(store, command).await? else {
        return Err(Failure::Answer);
    };
    Ok(saved)
}

/// The instants that come next, for the echo.
fn coming(worker: &Worker) -> Vec<NextView> {
    let Some(Schedule { plan, next: Some(next), runs_created, .. }) = &worker.schedule else {
        return Vec::new();
    };
    let runs_left = plan.max_runs.map_or(u32::MAX, |most| most.get().saturating_sub(*runs_created));
    let count = usize::try_from(runs_left).unwrap_or(usize::MAX).min(ECHOED);
    let just_before = next.at.minus(Span::from_micros(1));
    let zone = plan.recurrence.zone();
    plan.recurrence
        .preview(just_before, count)
        .iter()
        .filter(|next| plan.until.is_none_or(|until| next.at <= until))
        .map(|next| NextView::new(zone, next))
        .collect()
}

/// What may surprise in a schedule, from its next instant on; nothing when none is left.
fn advice(worker: &Worker) -> Vec<Advice> {
    let Some(Schedule { plan, next: Some(next), .. }) = &worker.schedule else {
        return Vec::new();
    };
    plan.recurrence.advice(next.at.minus(Span::from_micros(1)))
}

/// Answers a change: what was done, the zone, and what comes next in it and in UTC.
async fn answer<S: Reader>(
    store: &S,
    worker: &WorkerName,
    saved: &Saved,
    done: &str,
    output: Format,
    terminal: Terminal,
) -> Result<(), Failure> {
    let row = row(store, worker).await?;
    let zone = row.schedule.as_ref().map(|schedule| schedule.plan.recurrence.zone().clone());
    let rule = row.schedule.as_ref().map(|schedule| &schedule.plan.recurrence);
    let in_words = rule.map(Recurrence::in_words);
    let next = coming(&row);
    let advice: Vec<String> = advice(&row).iter().map(ToString::to_string).collect();
    if output.is_json() {
        return terminal.json(&ScheduleChangeView {
            worker: worker.to_string(),
            changed: saved.changed,
            revision: Some(saved.revision.0),
            timezone: zone.map(|zone| zone.to_string()),
            in_words,
            advice,
            next,
            exhausted: saved.exhausted,
            retry_owed: saved.retry_owed.map(|run| run.to_string()),
        });
    }
    let done = if saved.changed { done } else { "is as it was; nothing changed" };
    let in_zone = zone.as_ref().map(|zone| format!(" (in {zone})")).unwrap_or_default();
    let ended =
        saved.exhausted.map(|why| format!("nothing comes any more: {why}\n")).unwrap_or_default();
    let mut text = format!("the schedule of {worker}{in_zone} {done}\n{ended}");
    if let Some(in_words) = in_words {
        text.extend(["  ", &in_words, "\n"]);
    }
    if !next.is_empty() {
        let clock = super::clock::WallClock::new(zone.as_ref());
        text.push_str(&instants(&clock, &next));
    }
    terminal.print(&text)?;
    for advice in &advice {
        terminal.warn(advice);
    }
    say_owed(saved.retry_owed, terminal);
    Ok(())
}

/// A retry that is owed does not depend on the schedule: that must be said.
fn say_owed(retry_owed: Option<RunId>, terminal: Terminal) {
    if let Some(run) = retry_owed {
        terminal.warn(&format!(
            "run {run} has failed and its retry is owed: it will still be created; \
             `horarium run cancel {run}` drops it"
        ));
    }
}
