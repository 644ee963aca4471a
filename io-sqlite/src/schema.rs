//! The schema: its numbered migrations, and whether a file's schema fits this program.
//!
//! Promise: migrations are applied in one `BEGIN IMMEDIATE` transaction that also looks first, so
//! that two processes migrating at once apply each one once. A schema that is behind the program
//! is refused, and one that is ahead of it by more than its recorded `min_compatible` allows.

use horarium_core::words::Timestamp;
use horarium_sql::schema::{self, Migration};
use sqlx::{Row, SqliteConnection};

use crate::error::Failure;

static MIGRATIONS: [Migration; 2] = [
    Migration {
        version: 1,
        min_compatible: 1,
        sql: include_str!("../../migrations/sqlite/0001_ledger.sql"),
    },
    Migration {
        version: 2,
        // An older program would not heed the ledger's zone data.
        min_compatible: 2,
        sql: include_str!("../../migrations/sqlite/0002_zone_data.sql"),
    },
];

/// What marks a database as Horarium's own: "Hora".
const APPLICATION_ID: i32 = 0x486f_7261;

const SET_APPLICATION_ID: &str = "PRAGMA application_id = 0x486f7261";
const IDENTITY: &str = "
SELECT (SELECT application_id FROM pragma_application_id),
    (SELECT count(*) FROM sqlite_schema)";
const HEAD: &str = "
SELECT version, min_compatible FROM schema_version ORDER BY version DESC LIMIT 1";
const RECORD: &str = "
INSERT INTO schema_version (version, min_compatible, applied_at) VALUES (?1, ?2, ?3)";

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// Nothing yet.
    Empty,
    /// Another program's tables.
    Foreign,
    /// Horarium's tables.
    Version {
        /// The newest migration that was applied.
        version: u32,
        /// The oldest program that can work with it.
        min_compatible: u32,
    },
}

/// The newest version that this program knows.
pub(crate) const fn known() -> u32 {
    schema::newest(&MIGRATIONS)
}

impl Schema {
    /// Looks at a database.
    pub(crate) async fn of(db: &mut SqliteConnection) -> Result<Self, Failure> {
        let row = sqlx::query(IDENTITY).fetch_one(&mut *db).await?;
        let (application_id, objects): (i32, i64) = (row.try_get(0)?, row.try_get(1)?);
        if application_id != APPLICATION_ID {
            let is_empty = application_id == 0 && objects == 0;
            return Ok(if is_empty { Self::Empty } else { Self::Foreign });
        }
        let row = sqlx::query(HEAD).fetch_one(db).await?;
        Ok(Self::Version { version: row.try_get(0)?, min_compatible: row.try_get(1)? })
    }
}

/// Applies every migration after version `have`, inside the caller's transaction.
pub(crate) async fn apply(
    db: &mut SqliteConnection,
    have: u32,
    now: Timestamp,
) -> Result<(), Failure> {
    if have == 0 {
        sqlx::raw_sql(SET_APPLICATION_ID).execute(&mut *db).await?;
    }
    for migration in schema::pending(&MIGRATIONS, have) {
        sqlx::raw_sql(migration.sql).execute(&mut *db).await?;
        sqlx::query(RECORD)
            .bind(migration.version)
            .bind(migration.min_compatible)
            .bind(now.micros())
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_are_numbered_without_gaps() {
        assert!(schema::is_sound(&MIGRATIONS));
    }
}
