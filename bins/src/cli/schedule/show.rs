//! `horarium schedule show` and `horarium schedule list`.

use clap::Args;
use horarium_core::ledger::{Refusal, Worker};
use horarium_core::recurrence::Recurrence;
use horarium_core::schedule::{Enablement, Schedule};
use horarium_core::store::Reader;
use horarium_core::words::{Timestamp, WorkerName};

use super::super::arguments::Show;
use super::super::clock::WallClock;
use super::super::contract::ScheduleView;
use super::super::failure::Failure;
use super::super::next::instants;
use super::super::table::{Cell, Facts, Table};
use super::super::terminal::{Terminal, WARNING};
use super::{advice, coming, row};

/// Whose schedule.
#[derive(Debug, Args)]
pub(crate) struct ShowSchedule {
    /// Whose: `handler` or `handler:instance`
    worker: WorkerName,
    #[command(flatten)]
    show: Show,
}

/// How to show them.
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    show: Show,
}

impl ShowSchedule {
    pub(super) async fn act<S: Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let row = row(store, &self.worker).await?;
        let Some(view) = ScheduleView::of(&self.worker, &row) else {
            return Err(Failure::Refused(Refusal::NoSchedule { worker: self.worker.clone() }));
        };
        if self.show.is_json() {
            return terminal.json(&view);
        }
        terminal.print(&page(&view, &row, &self.show.clock(), store.now().await?))?;
        for advice in advice(&row) {
            terminal.warn(&advice.to_string());
        }
        Ok(())
    }
}

fn page(view: &ScheduleView, row: &Worker, clock: &WallClock, now: Timestamp) -> String {
    let at = |at: Timestamp| format!("{}, {}", clock.full(at), WallClock::distance(now, at));
    let or_none = |at_most: Option<String>| at_most.unwrap_or_default();
    let mut facts = Facts::new();
    facts.add("worker", view.worker.clone());
    facts.add("rule", rule(&view.recurrence));
    facts.add("in words", view.in_words.clone());
    facts.add("time zone", view.recurrence.zone().to_string());
    if let Some(schedule) = &row.schedule {
        facts.add("state", state(schedule, row.accounted_until, clock));
    }
    facts.add("next", or_none(view.next_run_at.map(at)));
    if !view.request.is_empty() {
        facts.add("request", serde_json::to_string(&view.request).unwrap_or_default());
    }
    facts.add("not before", or_none(view.not_before.map(at)));
    facts.add("until", or_none(view.until.map(at)));
    facts.add(
        "runs",
        match view.max_runs {
            Some(most) => format!("{} of at most {most}", view.runs_created),
            None => view.runs_created.to_string(),
        },
    );
    facts.add("max lateness", or_none(view.max_lateness.map(|span| span.to_string())));
    facts.add(
        "retry",
        view.retry.map_or_else(
            || String::from("the handler's own policy"),
            |retry| {
                format!(
                    "at most {} attempts, {} from {}",
                    retry.max_attempts, retry.backoff, retry.base
                )
            },
        ),
    );
    if let Some(schedule) = &row.schedule {
        let changed = format!("{} by {}", at(schedule.changed_at), schedule.changed_by);
        facts.add("changed", changed);
    }
    facts.add("revision", view.revision.to_string());
    let mut page = facts.render();
    let next = coming(row);
    if !next.is_empty() {
        page.push('\n');
        page.push_str(&instants(&WallClock::new(Some(view.recurrence.zone())), &next));
    }
    page
}

impl List {
    pub(super) async fn act<S: Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let mut rows: Vec<(WorkerName, Worker)> = store
            .workers()
            .await?
            .into_iter()
            .filter(|(_, row, _)| row.schedule.is_some())
            .map(|(name, row, _)| (name, row))
            .collect();
        let next = |row: &Worker| row.schedule.as_ref().and_then(|schedule| schedule.next);
        rows.sort_by_key(|(name, row)| {
            (next(row).map_or(Timestamp::MAX, |next| next.at), name.clone())
        });
        if self.show.is_json() {
            let views: Vec<ScheduleView> =
                rows.iter().filter_map(|(name, row)| ScheduleView::of(name, row)).collect();
            return terminal.json(&views);
        }
        let (clock, now) = (self.show.clock(), store.now().await?);
        let mut table =
            Table::new(["WORKER", "RULE", "ZONE", &clock.heading("NEXT"), "IN", "STATE"]);
        for (name, row) in &rows {
            let Some(schedule) = &row.schedule else { continue };
            let next = schedule.next.map(|next| next.at);
            table.row([
                name.to_string().into(),
                rule(&schedule.plan.recurrence).into(),
                schedule.plan.recurrence.zone().to_string().into(),
                next.map(|at| clock.cell(at)).unwrap_or_default().into(),
                next.map(|at| WallClock::distance(now, at)).unwrap_or_default().into(),
                state(schedule, row.accounted_until, &clock),
            ]);
        }
        terminal.table(&table, "no worker has a schedule: `horarium schedule set` makes one")
    }
}

/// The rule as it was written.
pub(in super::super) fn rule(recurrence: &Recurrence) -> String {
    match recurrence {
        Recurrence::Cron(_) => recurrence.text().into_owned(),
        Recurrence::Once(_) => format!("once {}", recurrence.text()),
        Recurrence::Rrule(rule) => format!("{} from {}", rule.rrule(), rule.dtstart()),
    }
}

/// Whether it fires, and why not: in words, who and why included.
pub(in super::super) fn state(
    schedule: &Schedule,
    accounted_until: Timestamp,
    clock: &WallClock,
) -> Cell {
    match &schedule.enablement {
        Enablement::Disabled { at, by } => {
            Cell::styled(format!("disabled by {by} at {}", clock.cell(*at)), WARNING)
        }
        Enablement::Enabled => match schedule.exhausted(accounted_until) {
            Some(why) => Cell::styled(format!("exhausted: {why}"), WARNING),
            None => "enabled".into(),
        },
    }
}
