//! What people ask of the ledger meanwhile, and what it promised them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use horarium::daemon::fresh_run_id;
use horarium_core::ledger::reply::Cancelling;
use horarium_core::ledger::{Command, Refusal, Reply, Wish};
use horarium_core::recurrence::Recurrence;
use horarium_core::schedule::{Plan, Revision};
use horarium_core::store::{Reader, Store};
use horarium_core::words::{
    Actor, ActorKind, By, Note, Request, RunId, Span, Timestamp, WorkerName,
};
use horarium_sqlite::SqliteStore;

use crate::draw::Draw;
use crate::scene::{EVERY_MINUTE, scheduled_workers, workers};

/// What the ledger promised.
#[derive(Debug, Default)]
pub(crate) struct Promises {
    /// Runs that it accepted.
    pub(crate) runs: BTreeSet<RunId>,
    /// Runs that it cancelled before they had begun.
    pub(crate) cancelled: BTreeSet<RunId>,
    /// Instants that it has put on a worker's agenda.
    pub(crate) instants: BTreeSet<(WorkerName, Timestamp)>,
    /// Answers that should not have come.
    pub(crate) faults: Vec<String>,
}

/// Who asks.
pub(crate) fn by() -> By {
    By { actor: Actor { kind: ActorKind::Person, name: Note::lossy("chaos") }, reason: None }
}

/// A plan of one instant.
fn once(at: Timestamp) -> Plan {
    Plan {
        recurrence: Recurrence::once(at, "UTC".parse().unwrap()),
        request: Request::default(),
        not_before: None,
        until: None,
        max_runs: None,
        max_lateness: None,
        retry: None,
    }
}

/// Somebody who asks for work.
pub(crate) struct Customer<'a> {
    store: &'a SqliteStore,
    draw: Draw,
    wishes: Vec<Wish>,
    /// The revision of each worker's agenda, and its instant.
    agendas: BTreeMap<WorkerName, (Revision, Timestamp)>,
    promises: Promises,
}

impl<'a> Customer<'a> {
    pub(crate) fn new(store: &'a SqliteStore, seed: u64) -> Self {
        Self {
            store,
            draw: Draw::new(seed, "work"),
            wishes: Vec::new(),
            agendas: BTreeMap::new(),
            promises: Promises::default(),
        }
    }

    /// Asks for one thing after the other until `over`.
    pub(crate) async fn ask_until(mut self, over: &AtomicBool) -> Promises {
        let workers = workers();
        while !over.load(Ordering::Relaxed) {
            match self.draw.below(20) {
                0..13 => self.enqueue(&workers).await,
                13..15 => self.ask_again().await,
                15..17 => self.cancel().await,
                _ => self.set_agenda().await,
            }
            tokio::time::sleep(self.draw.millis(5, 80)).await;
        }
        self.promises
    }

    /// Every command is safe to send again, so an answer that does not come is asked for again.
    async fn submit(&mut self, command: Command) -> Reply {
        loop {
            match self.store.submit(&command).await {
                Ok(reply) => return reply,
                Err(error) => eprintln!("the store did not answer a customer: {error}"),
            }
        }
    }

    async fn enqueue(&mut self, workers: &[WorkerName]) {
        let wish = Wish {
            run: fresh_run_id(),
            worker: self.draw.pick(workers).clone(),
            request: Request::default(),
            not_before: None,
            by: by(),
        };
        self.wish(wish, false).await;
    }

    /// Asking twice is asking once.
    async fn ask_again(&mut self) {
        if !self.wishes.is_empty() {
            let wish = self.draw.pick(&self.wishes).clone();
            self.wish(wish, true).await;
        }
    }

    async fn wish(&mut self, wish: Wish, again: bool) {
        let reply = self.submit(Command::Enqueue(vec![wish.clone()])).await;
        let Reply::Enqueued(answers) = &reply else {
            return self.promises.faults.push(format!("an enqueue was answered {reply:?}"));
        };
        match answers.as_slice() {
            [Ok(accepted)] if accepted.existed || !again => {
                self.promises.runs.insert(wish.run);
                self.wishes.push(wish);
            }
            [Err(Refusal::SlotTaken { .. })] if !again => {}
            _ => self.promises.faults.push(format!("{} was answered {reply:?}", wish.run)),
        }
    }

    async fn cancel(&mut self) {
        let from = self.wishes.len().saturating_sub(20);
        if self.wishes.len() > from {
            let run = self.draw.pick(&self.wishes[from..]).run;
            let reply = self.submit(Command::Cancel { run, by: by() }).await;
            match reply {
                Reply::Cancelling(Cancelling::Cancelled) => {
                    self.promises.cancelled.insert(run);
                }
                Reply::Cancelling(Cancelling::Requested | Cancelling::AlreadyEnded(_)) => {}
                other => self.promises.faults.push(format!("a cancel was answered {other:?}")),
            }
        }
    }

    /// Puts a near instant on a worker's agenda, once the one before it is past.
    async fn set_agenda(&mut self) {
        let worker = self.draw.pick(&scheduled_workers()).clone();
        let now = self.store.now().await.unwrap();
        let (seen, last) =
            self.agendas.get(&worker).copied().unwrap_or((Revision::NONE, Timestamp::EPOCH));
        if last >= now {
            return;
        }
        let ahead = Span::from_millis(300 + self.draw.below(4_000));
        let at = now.plus(ahead);
        let reply = self
            .submit(Command::PutSchedule {
                worker: worker.clone(),
                seen,
                plan: Box::new(once(at)),
                reset_runs: false,
                by: by(),
            })
            .await;
        match reply {
            Reply::ScheduleSaved(saved) if saved.next_run_at == Some(at) => {
                self.promises.instants.insert((worker.clone(), at));
                self.agendas.insert(worker, (saved.revision, at));
            }
            // The store was busy until the instant was past.
            Reply::Refused(Refusal::NeverFires(_)) => {}
            other => {
                self.promises.faults.push(format!("an agenda of {worker} was answered {other:?}"));
            }
        }
    }
}

/// Ends the schedules that are due every minute, and waits until the last instant that was
/// promised is past and nothing is queued, runs or is owed. Says what is left if that does not
/// come.
pub(crate) async fn come_to_rest(store: &SqliteStore, patience: Duration) -> Result<(), String> {
    for worker in EVERY_MINUTE {
        let worker: WorkerName = worker.parse().unwrap();
        let (row, _) = store.worker(&worker).await.unwrap().unwrap();
        let disable = Command::DisableSchedule { worker, seen: row.revision, by: by() };
        let reply = store.submit(&disable).await.unwrap();
        assert!(matches!(reply, Reply::ScheduleSaved(_)), "{reply:?}");
    }
    let give_up = tokio::time::Instant::now() + patience;
    loop {
        let rows = store.dump().await.unwrap();
        let active = rows.runs.values().filter(|run| run.is_active()).count();
        let owed = rows.occurrences.values().filter(|occurrence| occurrence.owes_retry()).count();
        let to_come = rows
            .workers
            .values()
            .filter(|worker| worker.schedule.as_ref().is_some_and(|s| s.next.is_some()))
            .count();
        if active + owed + to_come == 0 {
            return Ok(());
        }
        if tokio::time::Instant::now() > give_up {
            return Err(format!(
                "after {patience:?} without a fault {active} runs are active, {owed} retries owed, \
                 {to_come} instants to come"
            ));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
