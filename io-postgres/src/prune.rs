//! Retention: one statement, which looks at the whole history and selects by itself. The
//! specification of what it selects is the ledger's own prune; the conformance suite holds the two
//! together.

use horarium_core::ledger::Reply;
use horarium_core::ledger::command::Retention;
use sqlx::{PgConnection, Row};

use crate::error::Failure;
use crate::sweep::count;
use horarium_sql::Clock;

pub(crate) const PRUNE: &str = include_str!("../sql/prune.sql");

/// Deletes what is past its retention.
pub(crate) async fn prune(
    db: &mut PgConnection,
    clock: &Clock,
    retention: &Retention,
) -> Result<Reply, Failure> {
    let row = sqlx::query(PRUNE)
        .bind(i64::try_from(retention.keep.micros()).unwrap_or(i64::MAX))
        .bind(i64::from(retention.keep_per_worker))
        .bind(i64::from(retention.limit.get()))
        .bind(clock.set_by_hand())
        .fetch_one(db)
        .await?;
    Ok(Reply::Pruned {
        runs: count(row.try_get("runs")?),
        occurrences: count(row.try_get("occurrences")?),
        more: row.try_get("more")?,
    })
}
