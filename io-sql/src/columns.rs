//! One row, read column by column.
//!
//! Promise: a row that no version of this program wrote is an error that names the row and the
//! column, never a guess. Unsigned numbers are kept with their 64 bits as they are.

use std::fmt::Display;
use std::str::FromStr;

use horarium_core::words::{Attempt, Timestamp};
use serde::de::DeserializeOwned;

/// A row as its database gives it. `None` is NULL; an error says what is wrong with the column.
pub trait Columns {
    /// A whole number of any width.
    fn integer(&self, column: &str) -> Result<Option<i64>, String>;
    /// A text.
    fn text(&self, column: &str) -> Result<Option<&str>, String>;
    /// The text of a JSON value.
    fn json(&self, column: &str) -> Result<Option<&str>, String>;
    /// Bytes.
    fn bytes(&self, column: &str) -> Result<Option<&[u8]>, String>;
    /// The 16 bytes of an identifier.
    fn id(&self, column: &str) -> Result<Option<[u8; 16]>, String>;
    /// A truth value, which some databases keep as 0 and 1.
    fn flag(&self, column: &str) -> Result<Option<bool>, String> {
        Ok(self.integer(column)?.map(|number| number != 0))
    }
    /// What tells the row from others, for people.
    fn key(&self, column: &str) -> String;
}

/// A row that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a row cannot be understood: {what} in {place}; the database may be damaged, or a newer program wrote it"
)]
pub struct Corrupt {
    /// Which row, and where in it.
    pub place: String,
    /// What is wrong with it.
    pub what: String,
}

/// A row with what it is.
#[derive(Debug)]
pub struct Fields<'r, R> {
    row: &'r R,
    /// What the row is, for people.
    what: &'static str,
    /// The column that tells it from others.
    key: &'static str,
}

impl<'r, R: Columns> Fields<'r, R> {
    /// The fields of `row`, which is a `what` that its column `key` tells from others.
    pub const fn of(row: &'r R, what: &'static str, key: &'static str) -> Self {
        Self { row, what, key }
    }

    /// A number that may be missing.
    pub fn integer_optional(&self, column: &str) -> Result<Option<i64>, Corrupt> {
        self.row.integer(column).map_err(|error| self.corrupt(column, &error))
    }

    /// A number.
    pub fn integer(&self, column: &str) -> Result<i64, Corrupt> {
        self.there(column, self.integer_optional(column)?)
    }

    /// An unsigned number.
    pub fn unsigned(&self, column: &str) -> Result<u64, Corrupt> {
        self.integer(column).map(i64::cast_unsigned)
    }

    /// A number of a narrower type.
    pub fn narrow<T>(&self, column: &str) -> Result<T, Corrupt>
    where
        T: TryFrom<i64>,
        T::Error: Display,
    {
        T::try_from(self.integer(column)?).map_err(|error| self.corrupt(column, &error))
    }

    /// The same for a column that may be NULL.
    pub fn narrow_optional<T>(&self, column: &str) -> Result<Option<T>, Corrupt>
    where
        T: TryFrom<i64>,
        T::Error: Display,
    {
        let number = self.integer_optional(column)?;
        number.map(T::try_from).transpose().map_err(|error| self.corrupt(column, &error))
    }

    /// A truth value.
    pub fn flag(&self, column: &str) -> Result<bool, Corrupt> {
        let flag = self.row.flag(column).map_err(|error| self.corrupt(column, &error))?;
        self.there(column, flag)
    }

    /// The number of an attempt.
    pub fn attempt(&self, column: &str) -> Result<Attempt, Corrupt> {
        Attempt::new(self.narrow(column)?).map_err(|error| self.corrupt(column, &error))
    }

    /// A text.
    pub fn text(&self, column: &str) -> Result<&'r str, Corrupt> {
        let text = self.row.text(column).map_err(|error| self.corrupt(column, &error))?;
        self.there(column, text)
    }

    /// The value of a column that holds a text form.
    pub fn parse<T>(&self, column: &str) -> Result<T, Corrupt>
    where
        T: FromStr,
        T::Err: Display,
    {
        self.text(column)?.parse().map_err(|error: T::Err| self.corrupt(column, &error))
    }

    /// The same for a column that may be NULL.
    pub fn parse_optional<T>(&self, column: &str) -> Result<Option<T>, Corrupt>
    where
        T: FromStr,
        T::Err: Display,
    {
        let text = self.row.text(column).map_err(|error| self.corrupt(column, &error))?;
        text.map(str::parse).transpose().map_err(|error: T::Err| self.corrupt(column, &error))
    }

    /// The value of a column that holds JSON.
    pub fn json<T: DeserializeOwned>(&self, column: &str) -> Result<T, Corrupt> {
        let value = self.json_optional(column)?;
        self.there(column, value)
    }

    /// The same for a column that may be NULL.
    pub fn json_optional<T: DeserializeOwned>(&self, column: &str) -> Result<Option<T>, Corrupt> {
        let text = self.row.json(column).map_err(|error| self.corrupt(column, &error))?;
        text.map(serde_json::from_str).transpose().map_err(|error| self.corrupt(column, &error))
    }

    /// An instant.
    pub fn time(&self, column: &str) -> Result<Timestamp, Corrupt> {
        let instant = self.time_optional(column)?;
        self.there(column, instant)
    }

    /// An instant that may be missing.
    pub fn time_optional(&self, column: &str) -> Result<Option<Timestamp>, Corrupt> {
        let micros = self.integer_optional(column)?;
        micros.map(Timestamp::from_micros).transpose().map_err(|error| self.corrupt(column, &error))
    }

    /// Bytes.
    pub fn bytes(&self, column: &str) -> Result<Vec<u8>, Corrupt> {
        let bytes = self.row.bytes(column).map_err(|error| self.corrupt(column, &error))?;
        self.there(column, bytes).map(<[u8]>::to_vec)
    }

    /// The 16 bytes of an identifier.
    pub fn id(&self, column: &str) -> Result<[u8; 16], Corrupt> {
        let id = self.id_optional(column)?;
        self.there(column, id)
    }

    /// The 16 bytes of an identifier that may be missing.
    pub fn id_optional(&self, column: &str) -> Result<Option<[u8; 16]>, Corrupt> {
        self.row.id(column).map_err(|error| self.corrupt(column, &error))
    }

    /// What is said of a row that cannot be understood.
    pub fn corrupt(&self, column: &str, what: &dyn Display) -> Corrupt {
        Corrupt {
            place: format!("column {column} of {} {}", self.what, self.row.key(self.key)),
            what: what.to_string(),
        }
    }

    fn there<T>(&self, column: &str, value: Option<T>) -> Result<T, Corrupt> {
        value.ok_or_else(|| self.corrupt(column, &"it is missing"))
    }
}
