//! The table `catalogue`.

use horarium_core::catalogue::Published;
use horarium_sql::rows;
use sqlx::PgConnection;
use sqlx::postgres::PgRow;

use super::{Columned, execute, json, optional_json};
use crate::error::Failure;

/// What [`read`] reads.
macro_rules! published_fields {
    () => {
        "handler, hash, definition, published_at, published_by"
    };
}
pub(crate) use published_fields;

const INSERT: &str = "
INSERT INTO catalogue (handler, hash, version, definition, published_at, published_by)
VALUES ($1, $2, $3, $4::json, $5, $6::json)";

/// Writes a definition that is not there yet.
pub(crate) async fn insert(db: &mut PgConnection, published: &Published) -> Result<(), Failure> {
    execute!(
        db,
        INSERT,
        published.definition.handler.as_str(),
        published.hash.0.as_str(),
        i64::from(published.definition.version),
        json(&published.definition)?,
        published.at.micros(),
        optional_json(published.by.as_ref())?
    )
}

/// Reads a row.
pub(crate) fn read(row: &PgRow) -> Result<Published, Failure> {
    Ok(rows::published::read(&Columned(row))?)
}
