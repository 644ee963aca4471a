//! What people and programs read when they ask for a run or want it to end.

use horarium_core::ledger::Wish;
use horarium_core::words::{RunId, RunnerId, WorkerName};

use super::Slice;
use crate::error::Failure;
use crate::row::occurrence::occurrence_fields;

const OCCURRENCE: &str = concat!(
    "SELECT ",
    occurrence_fields!(),
    " FROM occurrence WHERE worker = $1 AND scheduled_for = $2"
);

impl Slice<'_> {
    /// The runs with the wishes' ids, and of each worker its row, its slot and its handler.
    pub(super) async fn for_wishes(&mut self, wishes: &[Wish]) -> Result<(), Failure> {
        let ids: Vec<RunId> = wishes.iter().map(|wish| wish.run).collect();
        let workers: Vec<&WorkerName> = wishes.iter().map(|wish| &wish.worker).collect();
        let names: Vec<&str> = workers.iter().map(|worker| worker.as_str()).collect();
        self.runs(&ids).await?;
        self.workers(&names).await?;
        self.slots(&names).await?;
        self.newest_definitions(&workers).await
    }

    /// The same for one wish, and the runner that will execute it.
    pub(super) async fn for_foreground(
        &mut self,
        runner: RunnerId,
        wish: &Wish,
    ) -> Result<(), Failure> {
        self.runner(runner).await?;
        self.for_wishes(std::slice::from_ref(wish)).await
    }

    /// The run, and the occurrence that may owe a retry of it.
    pub(super) async fn for_cancel(&mut self, id: RunId) -> Result<(), Failure> {
        self.runs(&[id]).await?;
        let Some(run) = self.rows.runs.get(&id) else {
            return Ok(());
        };
        let Some(scheduled) = run.trigger.scheduled() else {
            return Ok(());
        };
        let found = sqlx::query(OCCURRENCE)
            .bind(run.worker.as_str())
            .bind(scheduled.scheduled_for.micros())
            .fetch_all(&mut *self.db)
            .await?;
        self.keep_occurrences(&found)?;
        Ok(())
    }
}
