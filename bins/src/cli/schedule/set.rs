//! `horarium schedule set`.

use std::num::NonZeroU32;

use clap::{ArgGroup, Args};
use horarium_core::ledger::Command;
use horarium_core::recurrence::{Recurrence, Zone};
use horarium_core::schedule::Plan;
use horarium_core::store::{Reader, Store};
use horarium_core::words::{Attempt, Backoff, RetryPolicy, Span, Timestamp, WorkerName};

use super::super::arguments::{Author, Format, RequestArguments};
use super::super::failure::Failure;
use super::super::handler::{check_request, newest};
use super::super::rule::RuleArguments;
use super::super::terminal::Terminal;
use super::{answer, change, row};
use crate::daemon::at_least_one;

/// What the schedule shall be.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("when").required(true).args(["cron", "rrule", "ics", "at"]))]
pub(crate) struct Set {
    /// Whose: `handler` or `handler:instance`
    worker: WorkerName,
    #[command(flatten)]
    rule: RuleArguments,
    /// Once, at this instant
    #[arg(long, value_name = "RFC3339")]
    at: Option<Timestamp>,
    #[command(flatten)]
    request: RequestArguments,
    /// No occurrence before this instant
    #[arg(long, value_name = "RFC3339")]
    not_before: Option<Timestamp>,
    /// No occurrence after this instant
    #[arg(long, value_name = "RFC3339")]
    until: Option<Timestamp>,
    /// At most so many runs in all, retries not counted
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    max_runs: Option<NonZeroU32>,
    /// An occurrence that could only start later than this is missed instead of caught up
    #[arg(long, value_name = "DURATION")]
    max_lateness: Option<Span>,
    /// At most so many attempts at one occurrence, 1 to 3; the handler's own policy when no
    /// retry option is given
    #[arg(long, value_name = "N", value_parser = attempt)]
    max_attempts: Option<Attempt>,
    /// How the delay between attempts grows: exponential or quadratic
    #[arg(long, value_name = "KIND")]
    backoff: Option<Backoff>,
    /// The delay's base
    #[arg(long, value_name = "DURATION")]
    retry_base: Option<Span>,
    /// Start counting --max-runs anew
    #[arg(long)]
    reset_runs: bool,
    /// Save it switched off
    #[arg(long)]
    disabled: bool,
    #[command(flatten)]
    author: Author,
    /// How to write the answer
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
}

fn attempt(text: &str) -> Result<Attempt, String> {
    let number: u8 = text.parse().map_err(|_| String::from("write a number from 1 to 3"))?;
    Attempt::new(number).map_err(|error| error.to_string())
}

impl Set {
    pub(super) async fn act<S: Store + Reader>(
        &self,
        store: &S,
        terminal: Terminal,
    ) -> Result<(), Failure> {
        let recurrence = self.recurrence()?;
        let request = self.request.request()?;
        check_request(store, &self.worker, &request).await?;
        let plan = Plan {
            recurrence,
            request,
            not_before: self.not_before,
            until: self.until,
            max_runs: self.max_runs,
            max_lateness: self.max_lateness,
            retry: self.retry(store).await?,
        };
        let seen = row(store, &self.worker).await?.revision;
        let put = Command::PutSchedule {
            worker: self.worker.clone(),
            seen,
            plan: Box::new(plan),
            reset_runs: self.reset_runs,
            by: self.author.by(),
        };
        let mut result = change(store, &put).await?;
        if self.disabled {
            let disable = Command::DisableSchedule {
                worker: self.worker.clone(),
                seen: result.revision,
                by: self.author.by(),
            };
            let changed = result.changed;
            result = change(store, &disable).await?;
            result.changed |= changed;
        }
        let is_enabled =
            row(store, &self.worker).await?.schedule.is_some_and(|schedule| schedule.is_enabled());
        let done = if is_enabled { "is saved" } else { "is saved and disabled" };
        answer(store, &self.worker, &result, done, self.output, terminal).await
    }

    fn recurrence(&self) -> Result<Recurrence, Failure> {
        match (self.rule.recurrence()?, self.at) {
            (Some(rule), _) => Ok(rule),
            // An instant is the same in every zone; this one is only shown.
            (None, Some(at)) => {
                Ok(Recurrence::once(at, self.rule.tz.clone().unwrap_or_else(Zone::utc)))
            }
            (None, None) => {
                Err(Failure::Usage(String::from("when? give --cron, --rrule, --ics or --at")))
            }
        }
    }

    /// What is given; the rest from the handler's own policy. None when nothing is given.
    async fn retry<S: Reader>(&self, store: &S) -> Result<Option<RetryPolicy>, Failure> {
        if self.max_attempts.is_none() && self.backoff.is_none() && self.retry_base.is_none() {
            return Ok(None);
        }
        let own = newest(store, &self.worker.handler()).await?.definition.retry;
        Ok(Some(RetryPolicy {
            max_attempts: self.max_attempts.unwrap_or(own.max_attempts),
            backoff: self.backoff.unwrap_or(own.backoff),
            base: self.retry_base.unwrap_or(own.base),
        }))
    }
}
