//! Runs are asked for.

use crate::catalogue::{CatalogueHash, Timeout};
use crate::config::{self, Config};
use crate::run::{Run, RunStatus, Trigger};
use crate::words::{Request, RetryPolicy, Timestamp, WorkerName};

use super::command::LARGEST_BATCH;
use super::reply::Accepted;
use super::{Event, Refusal, Reply, Transaction, Wish};

/// What the catalogue adds to a request.
pub(super) struct Promise {
    pub(super) config: Config,
    pub(super) catalogue: CatalogueHash,
    pub(super) timeout: Timeout,
    pub(super) retry: RetryPolicy,
}

impl Transaction<'_> {
    pub(super) fn enqueue(&mut self, wishes: &[Wish]) -> Reply {
        if wishes.is_empty() || wishes.len() > LARGEST_BATCH {
            return Reply::Refused(Refusal::BatchSize(wishes.len()));
        }
        Reply::Enqueued(wishes.iter().map(|wish| self.enqueue_one(wish)).collect())
    }

    /// Losing the race for a slot is an answer about one item; it never fails the batch.
    fn enqueue_one(&mut self, wish: &Wish) -> Result<Accepted, Refusal> {
        if let Some(run) = self.ledger.rows.runs.get(&wish.run) {
            return if is_same(run, wish, &Trigger::Manual) {
                Ok(Accepted { number: run.number, status: run.status_kind(), existed: true })
            } else {
                Err(Refusal::IdTaken { run: wish.run })
            };
        }
        if wish.run.is_reserved() {
            return Err(Refusal::ReservedId { run: wish.run });
        }
        let promise = self.promise(&wish.worker, &wish.request)?;
        self.free_slot(&wish.worker)?;
        let not_before = wish.not_before.unwrap_or(self.now).max(self.now);
        let run = self.new_run(wish, promise, Trigger::Manual, not_before, RunStatus::Queued);
        let accepted = Accepted { number: run.number, status: run.status_kind(), existed: false };
        self.emit(Event::RunCreated(Box::new(run)));
        Ok(accepted)
    }

    /// Resolves a request against the newest definition of its handler.
    pub(super) fn promise(
        &self,
        worker: &WorkerName,
        request: &Request,
    ) -> Result<Promise, Refusal> {
        let handler = worker.handler();
        let Some(newest) = self.ledger.newest(&handler) else {
            return Err(Refusal::UnknownHandler { handler });
        };
        let settings = self.settings(worker);
        let config = config::resolve(&newest.definition, request, settings.as_ref())?;
        Ok(Promise {
            config,
            catalogue: newest.hash.clone(),
            timeout: newest.definition.timeout,
            retry: newest.definition.retry,
        })
    }

    pub(super) fn settings(&self, worker: &WorkerName) -> Option<Request> {
        let worker = self.ledger.rows.workers.get(worker)?;
        worker.settings.as_ref().map(|settings| settings.request.clone())
    }

    /// Closes what must no longer hold the worker's slot, since no daemon may be up to do it, and
    /// refuses when the slot is still taken.
    pub(super) fn free_slot(&mut self, worker: &WorkerName) -> Result<(), Refusal> {
        self.sweep_worker(worker);
        match self.ledger.slot(worker) {
            None => Ok(()),
            Some(holder) => Err(Refusal::SlotTaken {
                worker: worker.clone(),
                run: holder.id,
                number: holder.number,
                status: holder.status_kind(),
                not_before: Some(holder.not_before)
                    .filter(|at| holder.hold().is_none() && *at > self.now),
            }),
        }
    }

    pub(super) fn new_run(
        &self,
        wish: &Wish,
        promise: Promise,
        trigger: Trigger,
        not_before: Timestamp,
        status: RunStatus,
    ) -> Run {
        Run {
            id: wish.run,
            number: self.ledger.next_number(),
            worker: wish.worker.clone(),
            trigger,
            request: wish.request.clone(),
            config: promise.config,
            catalogue: promise.catalogue,
            timeout: promise.timeout,
            retry: promise.retry,
            by: wish.by.clone(),
            enqueued_at: self.now,
            not_before,
            start_before: None,
            cancel: None,
            units: None,
            status,
        }
    }
}

/// True when the wish asks for what the run is: asking twice is asking once. A start time in the
/// past means the same as none.
pub(super) fn is_same(run: &Run, wish: &Wish, trigger: &Trigger) -> bool {
    run.worker == wish.worker
        && run.trigger == *trigger
        && run.request == wish.request
        && run.by == wish.by
        && wish.not_before.unwrap_or(run.enqueued_at).max(run.enqueued_at) == run.not_before
}
