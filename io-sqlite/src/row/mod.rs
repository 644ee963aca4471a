//! Rows and the words that they hold: one module a table, each the one place that knows its
//! columns.
//!
//! Promise: a row that was written is read back equal, and one that no version of this program
//! wrote is an error that names the row and the column, never a guess. What rows
//! mean stands in `horarium-sql`.

pub(crate) mod occurrence;
pub(crate) mod published;
pub(crate) mod run;
pub(crate) mod runner;
pub(crate) mod worker;

use horarium_sql::Columns;
use serde::Serialize;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Row, Sqlite, Type};

use crate::error::Failure;

/// Executes a fixed statement with its values.
macro_rules! execute {
    ($db:expr, $statement:expr, $($value:expr),+ $(,)?) => {{
        sqlx::query($statement)$(.bind($value))+.execute($db).await?;
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
pub(crate) struct Columned<'r>(pub(crate) &'r SqliteRow);

impl<'r> Columned<'r> {
    fn get<T>(&self, column: &str) -> Result<T, String>
    where
        T: Decode<'r, Sqlite> + Type<Sqlite>,
    {
        self.0.try_get(column).map_err(|error| error.to_string())
    }
}

impl Columns for Columned<'_> {
    fn integer(&self, column: &str) -> Result<Option<i64>, String> {
        self.get(column)
    }

    fn text(&self, column: &str) -> Result<Option<&str>, String> {
        self.get(column)
    }

    fn json(&self, column: &str) -> Result<Option<&str>, String> {
        self.text(column)
    }

    fn bytes(&self, column: &str) -> Result<Option<&[u8]>, String> {
        self.get(column)
    }

    fn id(&self, column: &str) -> Result<Option<[u8; 16]>, String> {
        let bytes = self.bytes(column)?;
        bytes.map(TryInto::try_into).transpose().map_err(|_| String::from("it has not 16 bytes"))
    }

    fn key(&self, column: &str) -> String {
        let bytes = self.0.try_get_unchecked::<Vec<u8>, _>(column);
        bytes.map(|bytes| readable_key(&bytes)).unwrap_or_default()
    }
}

/// A key for people: an identifier as a UUID, anything else as text.
fn readable_key(bytes: &[u8]) -> String {
    <[u8; 16]>::try_from(bytes).map_or_else(
        |_| String::from_utf8_lossy(bytes).into_owned(),
        |id| horarium_core::words::RunId::from_bytes(id).to_string(),
    )
}
