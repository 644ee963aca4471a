//! What can go wrong with the server, and what to do about it.

use horarium_core::store::ReadError;
use horarium_sql::{Corrupt, SchemaError};

/// A database that cannot be opened. No error names the password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The location is malformed.
    #[error(
        "`{shown}` is not the location of a PostgreSQL database ({why}): write postgres://USER@HOST:PORT/DATABASE"
    )]
    Location {
        /// The location without its password.
        shown: String,
        /// What is wrong with it.
        why: String,
    },
    /// A variable for connections is malformed, and would be passed over in silence.
    #[error("{variable} is `{value}`: write {expected}, or unset it")]
    Variable {
        /// Which variable.
        variable: &'static str,
        /// What it says.
        value: String,
        /// What it may say.
        expected: &'static str,
    },
    /// The schema's name cannot be one.
    #[error("`{0}` is not a schema's name: write lower-case letters, digits and _, a letter first")]
    SchemaName(String),
    /// Names of roles that begin so are too long.
    #[error("`{0}` is too long for the names of roles to begin with: at most 53 letters")]
    RolePrefix(String),
    /// The user may not do what this program has to.
    #[error(
        "the user {user} lacks {privilege} at {server}: grant it the role with `GRANT {role} TO {user}`, after `horarium migrate --roles` has made or renewed the roles"
    )]
    Grant {
        /// Host, port and database.
        server: String,
        /// Who lacks it.
        user: String,
        /// What is lacking, as SQL says it.
        privilege: String,
        /// The role that has it.
        role: String,
    },
    /// Nobody answers there.
    #[error(
        "the PostgreSQL server at {server} cannot be reached ({why}): check that it runs and takes connections"
    )]
    Unreachable {
        /// Host and port.
        server: String,
        /// What the system says.
        why: String,
    },
    /// The server does not let this user in.
    #[error(
        "the PostgreSQL server at {server} refuses the connection ({why}): check user, password, database and pg_hba.conf"
    )]
    Denied {
        /// Host and port.
        server: String,
        /// What the server says.
        why: String,
    },
    /// The connection is not as safe as `sslmode` asks for.
    #[error(
        "the PostgreSQL server at {server} cannot be trusted as `sslmode` asks ({why}): check that it takes TLS, that `sslrootcert` names the authority of its certificate and, for verify-full, that the certificate is for this host"
    )]
    Untrusted {
        /// Host, port and database.
        server: String,
        /// What is wrong with the server or its certificate.
        why: String,
    },
    /// There is no ledger yet.
    #[error(
        "there is no ledger in schema `{schema}` at {server}: create it with `horarium migrate`"
    )]
    Missing {
        /// Host, port and database.
        server: String,
        /// The schema that was looked at.
        schema: String,
    },
    /// Another program's tables have the names of the ledger's.
    #[error(
        "schema `{schema}` at {server} holds tables of another program: choose a schema of its own for Horarium"
    )]
    Foreign {
        /// Host, port and database.
        server: String,
        /// The schema that was looked at.
        schema: String,
    },
    /// The schema's version does not fit this program.
    #[error("the ledger at {server}: {why}")]
    Schema {
        /// Host, port and database.
        server: String,
        /// How it does not fit.
        #[source]
        why: SchemaError,
    },
    /// Anything else.
    #[error("the ledger at {server} cannot be used: {why}")]
    Other {
        /// Host, port and database.
        server: String,
        /// What the server says.
        why: String,
    },
}

/// A statement or a row that did not do what it should.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The server or the way to it.
    #[error("{}", server_words(.0))]
    Database(#[from] sqlx::Error),
    /// A row that no version of this program wrote.
    #[error(transparent)]
    Corrupt(#[from] Corrupt),
    /// A value that has no JSON.
    #[error("a value cannot be written: {0}")]
    Unwritable(String),
    /// A row was changed by another transaction between its reading and its writing.
    #[error("another transaction changed {0} at the same moment")]
    Raced(&'static str),
}

/// The SQLSTATE codes that are told apart
/// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
mod code {
    pub(super) const STATEMENT_COMPLETION_UNKNOWN: &str = "40003";
    pub(super) const TRANSACTION_RESOLUTION_UNKNOWN: &str = "08007";
    pub(super) const SERIALIZATION_FAILURE: &str = "40001";
    pub(super) const DEADLOCK_DETECTED: &str = "40P01";
    pub(super) const UNIQUE_VIOLATION: &str = "23505";
    pub(super) const LOCK_NOT_AVAILABLE: &str = "55P03";
    pub(super) const QUERY_CANCELED: &str = "57014";
    pub(super) const CANNOT_CONNECT_NOW: &str = "57P03";
    pub(super) const TOO_MANY_CONNECTIONS: &str = "53300";
    pub(super) const DISK_FULL: &str = "53100";
    pub(super) const READ_ONLY: &str = "25006";
    pub(super) const INSUFFICIENT_PRIVILEGE: &str = "42501";
    pub(super) const UNDEFINED_TABLE: &str = "42P01";
}

/// What a failure says about the statement, or about the commit, that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It was rolled back, and saying it again may be all it takes.
    Repeat,
    /// It was rolled back.
    RolledBack,
    /// It may have been carried out.
    Unknown,
}

/// The SQLSTATE code of an error, if the server gave one.
pub(crate) fn state(error: &sqlx::Error) -> Option<String> {
    error.as_database_error()?.code().map(std::borrow::Cow::into_owned)
}

/// What is known of a statement that was sent and failed so. Only an ERROR of the server says
/// that it rolled back; one that broke the connection says nothing.
pub(crate) fn verdict(failure: &Failure) -> Verdict {
    let error = match failure {
        Failure::Database(error) => error,
        Failure::Raced(_) => return Verdict::Repeat,
        Failure::Corrupt(_) | Failure::Unwritable(_) => return Verdict::RolledBack,
    };
    let Some(server) = error
        .as_database_error()
        .and_then(|error| error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>())
    else {
        return match error {
            // Nothing was sent.
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Encode(_) => {
                Verdict::RolledBack
            }
            _ => Verdict::Unknown,
        };
    };
    match server.code() {
        code::SERIALIZATION_FAILURE | code::DEADLOCK_DETECTED | code::UNIQUE_VIOLATION => {
            Verdict::Repeat
        }
        code::STATEMENT_COMPLETION_UNKNOWN | code::TRANSACTION_RESOLUTION_UNKNOWN => {
            Verdict::Unknown
        }
        _ if server.severity() == sqlx::postgres::PgSeverity::Error => Verdict::RolledBack,
        _ => Verdict::Unknown,
    }
}

/// What is known when no connection was had: nothing was sent.
pub(crate) fn verdict_of_connecting(error: &sqlx::Error) -> Verdict {
    let may_pass = match error {
        sqlx::Error::Io(_) => true,
        other => matches!(
            state(other).as_deref(),
            Some(code::CANNOT_CONNECT_NOW | code::TOO_MANY_CONNECTIONS)
        ),
    };
    if may_pass { Verdict::Repeat } else { Verdict::RolledBack }
}

/// What the server says, with what to do about it.
fn server_words(error: &sqlx::Error) -> String {
    if matches!(error, sqlx::Error::PoolTimedOut) {
        return String::from(
            "no connection was had in time: the server does not answer, or all connections are busy",
        );
    }
    let Some(server) = error.as_database_error() else {
        return error.to_string();
    };
    let remedy = match state(error).as_deref() {
        Some(code::LOCK_NOT_AVAILABLE) => {
            "another transaction holds the row: look for one that is left open"
        }
        Some(code::QUERY_CANCELED) => "the statement took longer than its timeout",
        Some(code::TOO_MANY_CONNECTIONS) => "raise max_connections, or run fewer processes",
        Some(code::DISK_FULL) => "the server's disk is full: make room",
        Some(code::READ_ONLY) => "the server is a standby or read-only: connect to the primary",
        Some(code::INSUFFICIENT_PRIVILEGE) => "grant it to this user",
        Some(code::UNDEFINED_TABLE) => "the ledger lies in another schema, or was dropped",
        Some(_) | None => return server.message().to_owned(),
    };
    format!("{} ({remedy})", server.message())
}

impl From<Failure> for ReadError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Corrupt(Corrupt { place, what }) => Self::Corrupt { place, what },
            other @ (Failure::Database(_) | Failure::Unwritable(_) | Failure::Raced(_)) => {
                Self::Unreachable(other.to_string())
            }
        }
    }
}
