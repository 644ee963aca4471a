//! What can go wrong with the file, and what to do about it.

use std::path::PathBuf;
use std::time::Duration;

use horarium_core::store::ReadError;
use horarium_sql::{Corrupt, SchemaError};

/// A database that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The directory that the file should lie in is not there.
    #[error(
        "the directory {} does not exist: create it, or choose another place for the database",
        .0.display()
    )]
    MissingDirectory(PathBuf),
    /// The path is a directory.
    #[error("{} is a directory: name a file in it, like {}", .0.display(), .0.join("horarium.db").display())]
    IsDirectory(PathBuf),
    /// There is no such file, and it was not asked to be created.
    #[error("there is no database {}: check the path, or create it with `horarium migrate`", .0.display())]
    Missing(PathBuf),
    /// The file may not be written.
    #[error(
        "the database {} is read-only: make the file and its directory writable for this user; even reading runs writes beside it",
        .0.display()
    )]
    ReadOnly(PathBuf),
    /// The operating system does not let the file be opened.
    #[error(
        "the database {} cannot be opened ({why}): check that this user may read and write the file and its directory",
        path.display()
    )]
    Denied {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// The file is something else.
    #[error("{} is not an SQLite database: check the path, or move the file away", .0.display())]
    NotADatabase(PathBuf),
    /// The database belongs to another program.
    #[error(
        "{} is an SQLite database of another program: choose another path for Horarium's own",
        .0.display()
    )]
    Foreign(PathBuf),
    /// The file is damaged.
    #[error(
        "the database {} is damaged ({why}): stop every process that uses it and restore a backup, or recover what is left with `sqlite3 FILE .recover`",
        path.display()
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        why: String,
    },
    /// Another process held the file for too long.
    #[error(
        "the database {} was kept busy for {}s by another process: look for one that is stopped, or for a tool with an open transaction",
        path.display(),
        waited.as_secs()
    )]
    Busy {
        /// The file.
        path: PathBuf,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The file system cannot do what several processes on one file need.
    #[error(
        "the database {} stays in journal mode `{mode}` instead of `wal`: its file system cannot share memory between processes; put the file on a local disk",
        path.display()
    )]
    NoWal {
        /// The file.
        path: PathBuf,
        /// The mode that it stays in.
        mode: String,
    },
    /// The schema does not fit this program.
    #[error("the database {}: {why}", path.display())]
    Schema {
        /// The file.
        path: PathBuf,
        /// How it does not fit.
        #[source]
        why: SchemaError,
    },
    /// Anything else.
    #[error("the database {} cannot be used: {why}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        why: String,
    },
}

/// A statement or a row that did not do what it should.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// SQLite or the way to it.
    #[error("{}", sqlite_words(.0))]
    Database(#[from] sqlx::Error),
    /// A row that no version of this program wrote.
    #[error(transparent)]
    Corrupt(#[from] Corrupt),
    /// A value that has no JSON.
    #[error("a value cannot be written: {0}")]
    Unwritable(String),
}

/// The primary result codes that are told apart (<https://www.sqlite.org/rescode.html>).
pub(crate) mod code {
    pub(crate) const BUSY: i32 = 5;
    pub(crate) const LOCKED: i32 = 6;
    pub(crate) const READ_ONLY: i32 = 8;
    pub(crate) const CORRUPT: i32 = 11;
    pub(crate) const FULL: i32 = 13;
    pub(crate) const CANNOT_OPEN: i32 = 14;
    pub(crate) const NOT_A_DATABASE: i32 = 26;
}

/// The primary result code of an error, if SQLite gave one.
pub(crate) fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let extended: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(extended & 0xff)
}

/// True when another connection was in the way, so that trying again is all it takes.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    matches!(primary_code(error), Some(code::BUSY | code::LOCKED))
}

impl Failure {
    pub(crate) fn is_busy(&self) -> bool {
        match self {
            Self::Database(error) => is_busy(error),
            Self::Corrupt(_) | Self::Unwritable(_) => false,
        }
    }
}

/// What SQLite says, with what to do about it.
fn sqlite_words(error: &sqlx::Error) -> String {
    if matches!(error, sqlx::Error::PoolTimedOut) {
        return String::from("the commands before it in line did not end in time");
    }
    let Some(database) = error.as_database_error() else {
        return error.to_string();
    };
    let remedy = match primary_code(error) {
        Some(code::BUSY | code::LOCKED) => {
            return String::from(
                "another process keeps the database busy: look for one that is stopped, or for a tool with an open transaction",
            );
        }
        Some(code::READ_ONLY) => "make the file and its directory writable for this user",
        Some(code::CORRUPT | code::NOT_A_DATABASE) => {
            "the file is damaged: stop every process that uses it and restore a backup"
        }
        Some(code::FULL) => "the disk is full: make room",
        Some(_) | None => return database.message().to_owned(),
    };
    format!("{} ({remedy})", database.message())
}

impl From<Failure> for ReadError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Corrupt(Corrupt { place, what }) => Self::Corrupt { place, what },
            other @ (Failure::Database(_) | Failure::Unwritable(_)) => {
                Self::Unreachable(other.to_string())
            }
        }
    }
}
