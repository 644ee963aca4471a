//! The sweep: one statement, which selects by itself. The specification of what it selects is the
//! ledger's own sweep; the conformance suite holds the two together.

use std::num::NonZeroU32;

use horarium_core::ledger::Reply;
use sqlx::{PgConnection, Row};

use crate::error::Failure;
use horarium_sql::Clock;

pub(crate) const SWEEP: &str = include_str!("../sql/sweep.sql");

/// Closes what ran out.
pub(crate) async fn sweep(
    db: &mut PgConnection,
    clock: &Clock,
    limit: NonZeroU32,
) -> Result<Reply, Failure> {
    let row = sqlx::query(SWEEP)
        .bind(i64::from(limit.get()))
        .bind(clock.set_by_hand())
        .fetch_one(db)
        .await?;
    Ok(Reply::Swept {
        interrupted: count(row.try_get("interrupted")?),
        too_late: count(row.try_get("too_late")?),
        more: row.try_get("more")?,
    })
}

/// How many rows a statement says that there were.
pub(crate) fn count(rows: i64) -> u32 {
    u32::try_from(rows).unwrap_or(u32::MAX)
}
