//! Rows and the words that they hold: one module a table, each the one place that knows its
//! columns.
//!
//! Promise: a row that was written is read back equal, and one that no version of this program
//! wrote is an error that names the row and the column, never a guess. What rows
//! mean stands in `horarium-sql`. Rows are written in sets, column by column. Columns are named
//! and never `*`: a migration that adds one leaves running programs alone.

pub(crate) mod occurrence;
pub(crate) mod published;
pub(crate) mod run;
pub(crate) mod runner;
pub(crate) mod worker;

use horarium_sql::Columns;
use serde::Serialize;
use sqlx::postgres::PgRow;
use sqlx::{Decode, Postgres, Row, Type, TypeInfo, ValueRef};
use uuid::Uuid;

use crate::error::Failure;

/// Executes a fixed statement with its values.
macro_rules! execute {
    ($db:expr, $statement:expr, $($value:expr),+ $(,)?) => {{
        sqlx::query($statement)$(.bind($value))+.execute(&mut *$db).await?;
        Ok::<(), crate::error::Failure>(())
    }};
}
pub(crate) use execute;

/// The JSON of a value.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::Unwritable(error.to_string()))
}

/// The JSON of a value, if there is one.
pub(crate) fn optional_json<T: Serialize>(value: Option<&T>) -> Result<Option<String>, Failure> {
    value.map(json).transpose()
}

/// A row as [`Columns`].
pub(crate) struct Columned<'r>(pub(crate) &'r PgRow);

impl<'r> Columned<'r> {
    fn get<T>(&self, column: &str) -> Result<T, String>
    where
        T: Decode<'r, Postgres> + Type<Postgres>,
    {
        self.0.try_get(column).map_err(|error| error.to_string())
    }
}

impl Columns for Columned<'_> {
    fn integer(&self, column: &str) -> Result<Option<i64>, String> {
        let found = self.0.try_get_raw(column).map_err(|error| error.to_string())?;
        match found.type_info().name() {
            "INT2" => Ok(self.get::<Option<i16>>(column)?.map(i64::from)),
            "INT4" => Ok(self.get::<Option<i32>>(column)?.map(i64::from)),
            _ => self.get(column),
        }
    }

    fn text(&self, column: &str) -> Result<Option<&str>, String> {
        self.get(column)
    }

    fn json(&self, column: &str) -> Result<Option<&str>, String> {
        // `json` travels as its text.
        self.0.try_get_unchecked(column).map_err(|error| error.to_string())
    }

    fn bytes(&self, column: &str) -> Result<Option<&[u8]>, String> {
        self.get(column)
    }

    fn id(&self, column: &str) -> Result<Option<[u8; 16]>, String> {
        Ok(self.get::<Option<Uuid>>(column)?.map(Uuid::into_bytes))
    }

    fn flag(&self, column: &str) -> Result<Option<bool>, String> {
        self.get(column)
    }

    fn key(&self, column: &str) -> String {
        let id = self.0.try_get::<Uuid, _>(column).map(|id| id.to_string());
        id.or_else(|_| self.0.try_get(column)).unwrap_or_default()
    }
}
