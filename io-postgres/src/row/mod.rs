//! Rows and the words that they hold: one module a table, each the one place that knows its
//! columns.
//!
//! Promise: a row that was written is read back equal, and one that no version of this program
//! wrote is an error that names the row and the column, never a guess. Unsigned numbers are kept
//! with their 64 bits as they are. Rows are written in sets, column by column. Columns are named
//! and never `*`: a migration that adds one leaves running programs alone.

pub(crate) mod occurrence;
pub(crate) mod published;
pub(crate) mod run;
pub(crate) mod runner;
pub(crate) mod worker;

use std::fmt::Display;
use std::str::FromStr;

use horarium_core::words::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::postgres::PgRow;
use sqlx::{Decode, Postgres, Row, Type};
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

/// One row, read column by column.
pub(crate) struct Fields<'r> {
    row: &'r PgRow,
    /// What the row is, for people.
    what: &'static str,
    /// The column that tells it from others.
    key: &'static str,
}

impl<'r> Fields<'r> {
    pub(crate) const fn of(row: &'r PgRow, what: &'static str, key: &'static str) -> Self {
        Self { row, what, key }
    }

    /// The plain value of a column.
    pub(crate) fn get<T>(&self, column: &str) -> Result<T, Failure>
    where
        T: Decode<'r, Postgres> + Type<Postgres>,
    {
        self.row.try_get(column).map_err(|error| self.corrupt(column, &error))
    }

    /// The value of a column that holds a text form.
    pub(crate) fn parse<T>(&self, column: &str) -> Result<T, Failure>
    where
        T: FromStr,
        T::Err: Display,
    {
        let text: &str = self.get(column)?;
        text.parse().map_err(|error: T::Err| self.corrupt(column, &error))
    }

    /// The same for a column that may be NULL.
    pub(crate) fn parse_optional<T>(&self, column: &str) -> Result<Option<T>, Failure>
    where
        T: FromStr,
        T::Err: Display,
    {
        let text: Option<&str> = self.get(column)?;
        text.map(str::parse).transpose().map_err(|error: T::Err| self.corrupt(column, &error))
    }

    /// The value of a column that holds JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, column: &str) -> Result<T, Failure> {
        match self.json_optional(column)? {
            Some(value) => Ok(value),
            None => Err(self.corrupt(column, &"it is missing")),
        }
    }

    /// The same for a column that may be NULL.
    pub(crate) fn json_optional<T: DeserializeOwned>(
        &self,
        column: &str,
    ) -> Result<Option<T>, Failure> {
        // `json` travels as its text.
        let text: Option<&str> =
            self.row.try_get_unchecked(column).map_err(|error| self.corrupt(column, &error))?;
        text.map(serde_json::from_str).transpose().map_err(|error| self.corrupt(column, &error))
    }

    /// An instant.
    pub(crate) fn time(&self, column: &str) -> Result<Timestamp, Failure> {
        let micros: i64 = self.get(column)?;
        Timestamp::from_micros(micros).map_err(|error| self.corrupt(column, &error))
    }

    /// An instant that may be missing.
    pub(crate) fn time_optional(&self, column: &str) -> Result<Option<Timestamp>, Failure> {
        let micros: Option<i64> = self.get(column)?;
        micros.map(Timestamp::from_micros).transpose().map_err(|error| self.corrupt(column, &error))
    }

    /// An unsigned number.
    pub(crate) fn unsigned(&self, column: &str) -> Result<u64, Failure> {
        self.get(column).map(i64::cast_unsigned)
    }

    /// A number of a narrower type.
    pub(crate) fn narrow<T>(&self, column: &str) -> Result<T, Failure>
    where
        T: TryFrom<i64>,
        T::Error: Display,
    {
        let number: i64 = self.get(column)?;
        T::try_from(number).map_err(|error| self.corrupt(column, &error))
    }

    /// The 16 bytes of an identifier.
    pub(crate) fn id(&self, column: &str) -> Result<[u8; 16], Failure> {
        self.get::<Uuid>(column).map(Uuid::into_bytes)
    }

    /// The 16 bytes of an identifier that may be missing.
    pub(crate) fn id_optional(&self, column: &str) -> Result<Option<[u8; 16]>, Failure> {
        Ok(self.get::<Option<Uuid>>(column)?.map(Uuid::into_bytes))
    }

    /// What is said of a row that cannot be understood.
    pub(crate) fn corrupt(&self, column: &str, what: &dyn Display) -> Failure {
        let id = self.row.try_get::<Uuid, _>(self.key).map(|id| id.to_string());
        let key = id.or_else(|_| self.row.try_get(self.key)).unwrap_or_default();
        Failure::Corrupt {
            place: format!("column {column} of {} {key}", self.what),
            what: what.to_string(),
        }
    }
}
