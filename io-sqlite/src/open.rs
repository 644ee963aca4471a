//! Opening a database file: what is checked, and how its connections are set.
//!
//! Promise: one connection writes, a few read. A file that cannot be worked with is an error that
//! names it and the remedy; nothing is created or migrated unless it was asked for, and an old
//! schema never without `migrate`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use horarium_core::recurrence::ZoneData;
use horarium_sql::{Clock, Corrupt};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{Row, Transaction};

use crate::error::{Failure, OpenError, code, primary_code};
use crate::network_fs::NetworkFileSystem;
use crate::schema::{self, Schema};
use crate::store::{SqliteStore, pause};

/// How often SQLite syncs to the disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// At every commit: what was answered survives a power failure.
    #[default]
    Full,
    /// At checkpoints: faster, and a power failure may lose the last commits; the file stays
    /// sound.
    Normal,
}

/// What to open, and how.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The database's file.
    pub path: PathBuf,
    /// How often it is synced to the disk.
    pub synchronous: Synchronous,
    /// Where the time comes from.
    pub clock: Clock,
    /// How long a command waits while other processes keep the database busy.
    pub patience: Duration,
}

/// Something that works, but not well.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenWarning {
    /// The file lies where locks and shared memory may not hold.
    #[error(
        "the database {} lies on a network file system ({kind}): use it from one machine only, or put it on a local disk; a broken lock can damage it",
        path.display()
    )]
    Network {
        /// The file.
        path: PathBuf,
        /// What it lies on.
        kind: NetworkFileSystem,
    },
}

impl OpenOptions {
    /// The file at `path`, synced at every commit, on the database's clock.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            synchronous: Synchronous::default(),
            clock: Clock::default(),
            patience: Duration::from_mins(1),
        }
    }

    /// The same with another synchronisation.
    #[must_use]
    pub fn synchronous(self, synchronous: Synchronous) -> Self {
        Self { synchronous, ..self }
    }

    /// The same with another clock.
    #[must_use]
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// The directory that the file lies in.
    fn directory(&self) -> &Path {
        match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            Some(_) | None => Path::new("."),
        }
    }

    fn connection(&self, create: bool) -> SqliteConnectOptions {
        SqliteConnectOptions::new()
            .filename(&self.path)
            .create_if_missing(create)
            // A turn waits for nothing but its own rows.
            .foreign_keys(false)
            .synchronous(match self.synchronous {
                Synchronous::Full => SqliteSynchronous::Full,
                Synchronous::Normal => SqliteSynchronous::Normal,
            })
            .busy_timeout(BUSY_TIMEOUT.min(self.patience))
    }

    /// Says in words what an error on this file means.
    fn explain(&self, error: &sqlx::Error) -> OpenError {
        let path = self.path.clone();
        let why = error
            .as_database_error()
            .map_or_else(|| error.to_string(), |database| database.message().to_owned());
        match primary_code(error) {
            Some(code::BUSY | code::LOCKED) => OpenError::Busy { path, waited: self.patience },
            Some(code::READ_ONLY) => OpenError::ReadOnly(path),
            Some(code::CANNOT_OPEN) => OpenError::Denied { path, why },
            Some(code::CORRUPT) => OpenError::Corrupt { path, why },
            Some(code::NOT_A_DATABASE) => OpenError::NotADatabase(path),
            Some(_) | None => OpenError::Other { path, why },
        }
    }

    fn explain_failure(&self, failure: &Failure) -> OpenError {
        match failure {
            Failure::Database(error) => self.explain(error),
            Failure::Corrupt(Corrupt { place, what }) => {
                OpenError::Corrupt { path: self.path.clone(), why: format!("{what} in {place}") }
            }
            Failure::Unwritable(why) => {
                OpenError::Other { path: self.path.clone(), why: why.clone() }
            }
        }
    }

    /// What the file system says before SQLite is asked.
    fn check_path(&self, create: bool) -> Result<(), OpenError> {
        if !self.directory().is_dir() {
            return Err(OpenError::MissingDirectory(self.directory().to_owned()));
        }
        match std::fs::metadata(&self.path) {
            Ok(found) if found.is_dir() => Err(OpenError::IsDirectory(self.path.clone())),
            Ok(found) if found.permissions().readonly() => {
                Err(OpenError::ReadOnly(self.path.clone()))
            }
            Ok(_) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                if create {
                    Ok(())
                } else {
                    Err(OpenError::Missing(self.path.clone()))
                }
            }
            Err(error) => {
                Err(OpenError::Denied { path: self.path.clone(), why: error.to_string() })
            }
        }
    }
}

/// How long SQLite itself waits for a lock before it says that the database is busy; the store
/// then tries again until its patience ends.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a command waits in line behind others of its own process, at the least.
const LINE_TIMEOUT: Duration = Duration::from_secs(30);
/// How many connections read at a time.
const READERS: u32 = 4;

const JOURNAL_MODE: &str = "PRAGMA journal_mode";
const USE_WAL: &str = "PRAGMA journal_mode = WAL";

/// What may be done to the file's schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Migrate {
    /// Nothing.
    Never,
    /// An empty file gets its tables.
    IfEmpty,
    /// Whatever is missing is applied.
    Always,
}

impl SqliteStore {
    /// Opens a database whose schema fits this program.
    pub async fn open(options: &OpenOptions) -> Result<Self, OpenError> {
        Self::open_with(options, Migrate::Never).await
    }

    /// Opens a database, and makes it first if the file is missing or empty. An old schema is
    /// left alone and refused.
    pub async fn open_or_create(options: &OpenOptions) -> Result<Self, OpenError> {
        Self::open_with(options, Migrate::IfEmpty).await
    }

    /// Brings the database's schema up to what this program knows, and opens it. A missing file
    /// is made.
    pub async fn migrate(options: &OpenOptions) -> Result<Self, OpenError> {
        Self::open_with(options, Migrate::Always).await
    }

    async fn open_with(options: &OpenOptions, migrate: Migrate) -> Result<Self, OpenError> {
        let create = migrate != Migrate::Never;
        options.check_path(create)?;
        let patience = Instant::now() + options.patience;
        let writer = loop {
            match Self::open_writer(options, migrate).await {
                Err(OpenError::Busy { .. }) if Instant::now() < patience => pause().await,
                outcome => break outcome?,
            }
        };
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .max_lifetime(None)
            .acquire_timeout(options.patience.max(LINE_TIMEOUT))
            .test_before_acquire(false)
            .connect_lazy_with(options.connection(false).pragma("query_only", "ON"));
        let warnings = NetworkFileSystem::of(options.directory())
            .map(|kind| OpenWarning::Network { path: options.path.clone(), kind });
        Ok(Self {
            writer,
            readers,
            clock: options.clock.clone(),
            zones: ZoneData::bundled(),
            patience: options.patience,
            warnings: warnings.into_iter().collect(),
        })
    }

    /// The one connection that writes.
    async fn open_writer(options: &OpenOptions, migrate: Migrate) -> Result<SqlitePool, OpenError> {
        let explain = |error: sqlx::Error| options.explain(&error);
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .acquire_timeout(options.patience.max(LINE_TIMEOUT))
            .test_before_acquire(false)
            .connect_with(options.connection(migrate != Migrate::Never))
            .await
            .map_err(explain)?;
        let mut connection = pool.acquire().await.map_err(explain)?;
        // Looked at before the first write, so that another program's file is left as it is.
        let found = Schema::of(&mut connection)
            .await
            .map_err(|failure| options.explain_failure(&failure))?;
        if found == Schema::Foreign {
            return Err(OpenError::Foreign(options.path.clone()));
        }
        if found != Schema::Empty || migrate != Migrate::Never {
            share_by_wal(&mut connection, options).await?;
        }
        drop(connection);
        fit_schema(&pool, options, migrate).await?;
        Ok(pool)
    }
}

/// Puts the file into the journal mode in which readers and the writer do not wait for each
/// other. The mode stays with the file.
async fn share_by_wal(
    connection: &mut SqliteConnection,
    options: &OpenOptions,
) -> Result<(), OpenError> {
    let explain = |error: sqlx::Error| options.explain(&error);
    for statement in [JOURNAL_MODE, USE_WAL] {
        let row = sqlx::query(statement).fetch_one(&mut *connection).await.map_err(explain)?;
        let mode: String = row.try_get(0).map_err(explain)?;
        if mode == "wal" {
            return Ok(());
        }
        if statement == USE_WAL {
            return Err(OpenError::NoWal { path: options.path.clone(), mode });
        }
    }
    Ok(())
}

/// Checks the schema, and migrates it as far as allowed. The write lock is taken first: it shows
/// at once whether the file can be written, and two processes cannot migrate at once.
async fn fit_schema(
    pool: &SqlitePool,
    options: &OpenOptions,
    migrate: Migrate,
) -> Result<(), OpenError> {
    let explain = |error: sqlx::Error| options.explain(&error);
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await.map_err(explain)?;
    let fitted = fit(&mut transaction, options, migrate).await;
    if fitted.is_ok() {
        transaction.commit().await.map_err(explain)?;
    } else {
        transaction.rollback().await.map_err(explain)?;
    }
    fitted
}

async fn fit(
    transaction: &mut Transaction<'static, sqlx::Sqlite>,
    options: &OpenOptions,
    migrate: Migrate,
) -> Result<(), OpenError> {
    let explain = |failure: Failure| options.explain_failure(&failure);
    let found = Schema::of(transaction).await.map_err(explain)?;
    let (have, min_compatible) = match found {
        Schema::Foreign => return Err(OpenError::Foreign(options.path.clone())),
        Schema::Empty => (0, 0),
        Schema::Version { version, min_compatible } => (version, min_compatible),
    };
    let may_apply = match migrate {
        Migrate::Never => false,
        Migrate::IfEmpty => found == Schema::Empty,
        Migrate::Always => have < schema::known(),
    };
    if may_apply {
        let now = crate::clock::now(&options.clock, transaction).await.map_err(explain)?;
        return schema::apply(transaction, have, now).await.map_err(explain);
    }
    horarium_sql::schema::check(have, min_compatible, schema::known())
        .map_err(|why| OpenError::Schema { path: options.path.clone(), why })
}
