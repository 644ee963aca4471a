//! Commands in short words.

use horarium_core::ledger::command::Handlers;
use horarium_core::ledger::{Command, Registration, ReportEvent, Turn, Wish};

use super::{Names, outcome, progress, request, resolved};

impl Names {
    pub(in super::super) fn command(&self, command: &Command) -> String {
        match command {
            Command::Register(registration) => register(registration),
            Command::Turn(turn) => self.turn(turn),
            Command::Retire { .. } => String::from("retires"),
            Command::Sweep { .. } => String::from("sweeps"),
            Command::Tick(tick) if tick.limit.get() < 100 => {
                format!("ticks, at most {} of each", tick.limit)
            }
            Command::Tick(_) => String::from("ticks"),
            Command::Prune(retention) => format!(
                "prunes what ended {} ago, but for the last {} of each worker",
                retention.keep, retention.keep_per_worker
            ),
            Command::Enqueue(wishes) => {
                let wishes: Vec<String> = wishes.iter().map(|wish| self.wish(wish)).collect();
                format!("enqueues {}", wishes.join(", "))
            }
            Command::StartForeground { wish, .. } => {
                format!("starts {} in the foreground", self.wish(wish))
            }
            Command::Cancel { run, .. } => format!("cancels {}", self.run(*run)),
            Command::Release { run, force: true, .. } => {
                format!("releases {} by force", self.run(*run))
            }
            Command::Release { run, force: false, .. } => format!("releases {}", self.run(*run)),
            Command::PutSchedule { worker, seen, plan, reset_runs, .. } => {
                let reset = if *reset_runs { ", runs counted anew" } else { "" };
                let plan = self.plan(plan);
                format!("puts the schedule of {worker}: {plan}{reset} (saw r{seen})")
            }
            Command::EnableSchedule { worker, seen, .. } => {
                format!("enables the schedule of {worker} (saw r{seen})")
            }
            Command::DisableSchedule { worker, seen, .. } => {
                format!("disables the schedule of {worker} (saw r{seen})")
            }
            Command::DeleteSchedule { worker, seen, .. } => {
                format!("deletes the schedule of {worker} (saw r{seen})")
            }
            Command::PutSettings { worker, seen, settings, .. } => {
                format!("puts the settings of {worker}{} (saw r{seen})", request(settings))
            }
            Command::PublishCatalogue { definitions, .. } => {
                let handlers: Vec<&str> =
                    definitions.iter().map(|definition| definition.handler.as_str()).collect();
                format!("publishes {}", handlers.join(", "))
            }
        }
    }

    fn wish(&self, wish: &Wish) -> String {
        let later =
            wish.not_before.map_or_else(String::new, |at| format!(" not before {}", self.at(at)));
        let id = u128::from_be_bytes(wish.run.to_bytes());
        format!("{}{}{later} (id {id})", wish.worker, request(&wish.request))
    }

    fn turn(&self, turn: &Turn) -> String {
        let reports = turn.reports.iter().map(|report| {
            let claim = self.claim(report.claim);
            match &report.event {
                ReportEvent::Started { config } => {
                    format!("{claim} started{}", resolved(config))
                }
                ReportEvent::Progressed { units, message } => {
                    format!("{claim} progressed, {}", progress(*units, message.as_ref()))
                }
                ReportEvent::Ended(ending) => format!("{claim} ended {}", outcome(&ending.outcome)),
                ReportEvent::GivenBack => format!("{claim} given back"),
            }
        });
        let holding = turn.holding.iter().map(|held| {
            let claim = self.claim(held.claim);
            if held.renew { format!("renew {claim}") } else { format!("hold {claim}") }
        });
        let capacity = [format!("capacity {}", turn.capacity)];
        let parts: Vec<String> = reports.chain(holding).chain(capacity).collect();
        format!("turn {}: {}", turn.number, parts.join("; "))
    }
}

fn register(registration: &Registration) -> String {
    let handlers = match &registration.handlers {
        Handlers::All => String::from("everything"),
        Handlers::Only(names) if names.is_empty() => String::from("nothing that is queued"),
        Handlers::Only(names) => {
            names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
    };
    format!("registers: serves {handlers}, lease {}", registration.lease)
}
