//! What runners read when they come and go.

use horarium_core::catalogue::Definition;
use horarium_core::ledger::Registration;
use horarium_core::words::RunnerId;

use super::Slice;
use crate::error::Failure;
use crate::row;
use crate::row::published::published_fields;
use crate::row::run::{live_fields, runner_uuid};
use crate::row::runner::runner_fields;

const RUNNER_BY_ID: &str = concat!("SELECT ", runner_fields!(), " FROM runner WHERE id = $1");
const DEFINITION: &str =
    concat!("SELECT ", published_fields!(), " FROM catalogue WHERE handler = $1 AND hash = $2");
const HELD_BY: &str =
    concat!("SELECT ", live_fields!(), " FROM run_live WHERE status = 'RUNNING' AND runner = $1");

impl Slice<'_> {
    /// Whether the runner and its definitions are known.
    pub(super) async fn for_register(
        &mut self,
        registration: &Registration,
    ) -> Result<(), Failure> {
        self.runner(registration.runner).await?;
        self.definitions(&registration.catalogue).await
    }

    /// The runner and what it holds.
    pub(super) async fn for_retire(&mut self, runner: RunnerId) -> Result<(), Failure> {
        self.runner(runner).await?;
        let found = sqlx::query(HELD_BY).bind(runner_uuid(runner)).fetch_all(&mut *self.db).await?;
        self.keep_runs(&found)
    }

    pub(super) async fn runner(&mut self, id: RunnerId) -> Result<(), Failure> {
        let found =
            sqlx::query(RUNNER_BY_ID).bind(runner_uuid(id)).fetch_optional(&mut *self.db).await?;
        if let Some(row) = &found {
            self.rows.runners.insert(id, row::runner::read(row)?);
        }
        Ok(())
    }

    /// Those of these definitions that are known already.
    pub(super) async fn definitions(&mut self, definitions: &[Definition]) -> Result<(), Failure> {
        for definition in definitions {
            let hash = definition.hash();
            let found = sqlx::query(DEFINITION)
                .bind(definition.handler.as_str())
                .bind(hash.0.as_str())
                .fetch_optional(&mut *self.db)
                .await?;
            if let Some(row) = &found {
                let entries = self.rows.catalogue.entry(definition.handler.clone()).or_default();
                entries.insert(hash.clone(), row::published::read(row)?);
            }
        }
        Ok(())
    }
}
