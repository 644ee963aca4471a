//! The schema: its numbered migrations, and whether a database's tables fit this program.
//!
//! Promise: migrations are applied in one transaction under an advisory lock that also looks
//! first, so that two processes migrating at once apply each one once. A schema that is behind the
//! program is refused, and one that is ahead of it by more than its recorded `min_compatible`
//! allows.

use horarium_core::words::Timestamp;
use horarium_sql::schema::{self, Migration};
use sqlx::{AssertSqlSafe, PgConnection, Row};
use uuid::Uuid;

use crate::error::Failure;
use crate::open::SchemaName;

/// Every migration, in order.
pub(crate) static MIGRATIONS: [Migration; 2] = [
    Migration {
        version: 1,
        min_compatible: 1,
        sql: include_str!("../../migrations/postgres/0001_ledger.sql"),
    },
    Migration {
        version: 2,
        // An older program would not heed the ledger's zone data.
        min_compatible: 2,
        sql: include_str!("../../migrations/postgres/0002_zone_data.sql"),
    },
];

/// Two processes that migrate at once wait for each other here: "Hora".
const LOCK: &str = "SELECT pg_advisory_xact_lock(x'486f7261'::int)";
/// A migration takes the time that it takes.
const NO_TIMEOUT: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0";
const IDENTITY: &str = "
SELECT to_regnamespace($1) IS NOT NULL,
    (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace($1)),
    to_regclass(format('%I.schema_version', $1)) IS NOT NULL
        AND to_regclass(format('%I.run_live', $1)) IS NOT NULL";
const HEAD: &str = "
SELECT version, min_compatible FROM schema_version ORDER BY version DESC LIMIT 1";
const LEDGER: &str = "SELECT id FROM ledger";
/// Quoted as an identifier.
const OWNER: &str = "
SELECT quote_ident(rolname) FROM pg_class JOIN pg_roles ON pg_roles.oid = relowner
WHERE pg_class.oid = to_regclass(format('%I.schema_version', $1))
    AND rolname <> current_user AND pg_has_role(relowner, 'MEMBER')";
const RECORD: &str = "
INSERT INTO schema_version (version, min_compatible, applied_at) VALUES ($1, $2, $3)";

/// What a schema of a database holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// It is not there.
    Missing,
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
    pub(crate) async fn of(db: &mut PgConnection, name: &SchemaName) -> Result<Self, Failure> {
        let row = sqlx::query(IDENTITY).bind(name.as_str()).fetch_one(&mut *db).await?;
        let (exists, relations, is_ours): (bool, i64, bool) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        if !exists {
            return Ok(Self::Missing);
        }
        if !is_ours {
            return Ok(if relations == 0 { Self::Empty } else { Self::Foreign });
        }
        let row = sqlx::query(HEAD).fetch_one(db).await?;
        let (version, min_compatible): (i32, i32) = (row.try_get(0)?, row.try_get(1)?);
        Ok(Self::Version {
            version: version.cast_unsigned(),
            min_compatible: min_compatible.cast_unsigned(),
        })
    }

    /// The migrations that are missing.
    pub(crate) fn pending(self) -> impl Iterator<Item = &'static Migration> {
        let have = match self {
            Self::Missing | Self::Empty | Self::Foreign => 0,
            Self::Version { version, .. } => version,
        };
        schema::pending(&MIGRATIONS, have)
    }
}

/// Who a ledger is.
pub(crate) async fn ledger_id(db: &mut PgConnection) -> Result<Uuid, Failure> {
    Ok(sqlx::query_scalar(LEDGER).fetch_one(db).await?)
}

/// Waits until no other process migrates, for as long as the transaction lasts.
pub(crate) async fn lock(db: &mut PgConnection) -> Result<(), Failure> {
    sqlx::raw_sql(NO_TIMEOUT).execute(&mut *db).await?;
    sqlx::query(LOCK).execute(db).await?;
    Ok(())
}

/// Lets what the transaction makes belong to whose the tables are, if the user may be that one.
pub(crate) async fn become_owner(db: &mut PgConnection, name: &SchemaName) -> Result<(), Failure> {
    let owner: Option<String> =
        sqlx::query_scalar(OWNER).bind(name.as_str()).fetch_optional(&mut *db).await?;
    if let Some(owner) = owner {
        sqlx::raw_sql(AssertSqlSafe(format!("SET LOCAL ROLE {owner}"))).execute(db).await?;
    }
    Ok(())
}

/// Applies every migration that the schema `found` lacks, inside the caller's transaction.
pub(crate) async fn apply(
    db: &mut PgConnection,
    name: &SchemaName,
    found: Schema,
    now: Timestamp,
) -> Result<(), Failure> {
    if found == Schema::Missing {
        sqlx::raw_sql(AssertSqlSafe(create(name))).execute(&mut *db).await?;
    }
    for migration in found.pending() {
        sqlx::raw_sql(migration.sql).execute(&mut *db).await?;
        sqlx::query(RECORD)
            .bind(migration.version.cast_signed())
            .bind(migration.min_compatible.cast_signed())
            .bind(now.micros())
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}

/// The statement that makes the schema itself. Its name is one that needs no quotes to be safe.
pub(crate) fn create(name: &SchemaName) -> String {
    format!("CREATE SCHEMA \"{}\"", name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_are_numbered_without_gaps() {
        assert!(schema::is_sound(&MIGRATIONS));
    }
}
