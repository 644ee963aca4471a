//! Opening a ledger on a PostgreSQL server: where it is, and how its connections are set.
//!
//! Promise: opening checks the schema's head and never migrates. No plan of a statement depends on
//! what a table held when it was planned, and no connection of a process that is gone or stuck
//! holds a lock for long.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use horarium_core::recurrence::ZoneData;
use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};

use crate::error::{Failure, OpenError, state};
use crate::roles::{self, Role};
use crate::schema::{self, Schema};
use crate::store::PostgresStore;
use horarium_sql::Clock;

/// The schema that a ledger lies in when nobody says otherwise.
const DEFAULT_SCHEMA: &str = "horarium";
/// The longest identifier that PostgreSQL keeps whole.
const LONGEST_NAME: usize = 63;

/// The name of a schema: lower-case letters, digits and `_`, a letter first, so that it means the
/// same with and without quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaName(String);

impl SchemaName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for SchemaName {
    fn default() -> Self {
        Self(String::from(DEFAULT_SCHEMA))
    }
}

impl fmt::Display for SchemaName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for SchemaName {
    type Err = OpenError;

    fn from_str(text: &str) -> Result<Self, OpenError> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let starts_well = text.starts_with(|c: char| c.is_ascii_lowercase());
        let is_reserved = text.starts_with("pg_");
        if text.len() > LONGEST_NAME || !starts_well || is_reserved || !text.chars().all(is_plain) {
            return Err(OpenError::SchemaName(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }
}

/// What to open, and how.
#[derive(Clone)]
pub struct OpenOptions {
    connect: Box<PgConnectOptions>,
    pub(crate) schema: SchemaName,
    pub(crate) clock: Clock,
    connections: u32,
    pub(crate) roles: &'static [Role],
}

/// Without user and password.
impl fmt::Debug for OpenOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpenOptions({}, schema {})", self.server(), self.schema)
    }
}

/// How many connections a store has at the most, unless told otherwise.
const CONNECTIONS: u32 = 8;
/// How long a command waits for a connection.
const LINE_TIMEOUT: Duration = Duration::from_secs(10);
/// What connections are called on the server, unless told otherwise.
const APPLICATION: &str = "horarium";

/// What every connection is set to. The first three: no plan may depend on what a table held when
/// the plan was made, since it is kept, and a turn is planned once and not at each call. Then:
/// nothing waits, and no dead process holds a lock, for longer than this.
const SETTINGS: [(&str, &str); 7] = [
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
    ("jit", "off"),
    ("statement_timeout", "10s"),
    ("lock_timeout", "5s"),
    ("idle_in_transaction_session_timeout", "10s"),
    ("timezone", "UTC"),
];

/// A variable that the driver passes over when it is malformed: a mistyped `verify-full` would
/// encrypt to anybody.
#[derive(Clone, Copy)]
struct Variable {
    name: &'static str,
    expected: &'static str,
    is_valid: fn(&str) -> bool,
}

const SSL_MODE: Variable = Variable {
    name: "PGSSLMODE",
    expected: "disable, allow, prefer, require, verify-ca or verify-full",
    is_valid: |value| {
        let known = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
        known.iter().any(|known| known.eq_ignore_ascii_case(value))
    },
};
const PORT: Variable = Variable {
    name: "PGPORT",
    expected: "a port between 1 and 65535",
    is_valid: |value| value.parse::<u16>().is_ok_and(|port| port > 0),
};

impl Variable {
    fn check(self, value: Option<&str>) -> Result<(), OpenError> {
        match value {
            Some(value) if !(self.is_valid)(value) => Err(OpenError::Variable {
                variable: self.name,
                value: value.to_owned(),
                expected: self.expected,
            }),
            Some(_) | None => Ok(()),
        }
    }
}

impl OpenOptions {
    /// The ledger at a location like `postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full`.
    /// What is left out comes from `PGHOST`, `PGUSER` and the other variables of that kind, and
    /// the password from `PGPASSWORD` or the password file. `schema=NAME` among the parameters
    /// names the ledger's schema, else it is `horarium`.
    ///
    /// # Errors
    ///
    /// If the location, `PGSSLMODE` or `PGPORT` is malformed.
    pub fn at(location: &str) -> Result<Self, OpenError> {
        for variable in [SSL_MODE, PORT] {
            variable.check(std::env::var(variable.name).ok().as_deref())?;
        }
        let (rest, schema) = without_schema(location);
        let schema = schema.map_or_else(|| Ok(SchemaName::default()), str::parse)?;
        let connect: PgConnectOptions = rest.parse().map_err(|error: sqlx::Error| {
            OpenError::Location { shown: without_password(location), why: error.to_string() }
        })?;
        let connect = Box::new(connect);
        Ok(Self { connect, schema, clock: Clock::default(), connections: CONNECTIONS, roles: &[] })
    }

    /// The same with another clock.
    #[must_use]
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// The same with at most so many connections.
    #[must_use]
    pub fn connections(self, connections: u32) -> Self {
        Self { connections: connections.max(1), ..self }
    }

    /// The same for a process that works as these: opening checks that it may.
    #[must_use]
    pub fn working_as(self, roles: &'static [Role]) -> Self {
        Self { roles, ..self }
    }

    /// The ledger's schema.
    pub const fn schema(&self) -> &SchemaName {
        &self.schema
    }

    /// Where the server is, for people: without user and password.
    pub fn server(&self) -> String {
        let database = self.connect.get_database().unwrap_or("");
        format!("{}:{}/{database}", self.connect.get_host(), self.connect.get_port())
    }

    /// How a connection is made and set.
    pub(crate) fn connection(&self) -> PgConnectOptions {
        PgConnectOptions::clone(&self.connect)
            .application_name(self.application())
            .options(SETTINGS)
            .options([("search_path", self.schema.as_str())])
    }

    /// The same for a connection that is there for one thing, which its name on the server says.
    pub(crate) fn connection_for(&self, purpose: &str) -> PgConnectOptions {
        self.connection().application_name(&format!("{}-{purpose}", self.application()))
    }

    /// What connections are called on the server.
    fn application(&self) -> &str {
        let named = self.connect.get_application_name();
        named.filter(|name| !name.is_empty()).unwrap_or(APPLICATION)
    }

    /// Says in words what an error means.
    pub(crate) fn explain(&self, failure: &Failure) -> OpenError {
        let server = self.server();
        let why = failure.to_string();
        let Failure::Database(error) = failure else {
            return OpenError::Other { server, why };
        };
        match error {
            sqlx::Error::Tls(_) => OpenError::Untrusted { server, why },
            // A certificate that is refused in the handshake comes as data that are not valid.
            sqlx::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                OpenError::Untrusted { server, why }
            }
            sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut => {
                OpenError::Unreachable { server, why }
            }
            other => match state(other).as_deref() {
                // Invalid authorisation, invalid password, no such database, no right to connect.
                Some("28000" | "28P01" | "3D000" | "42501") => OpenError::Denied { server, why },
                // Starting, stopping, full.
                Some("57P01" | "57P02" | "57P03" | "53300") => {
                    OpenError::Unreachable { server, why }
                }
                Some(_) | None => OpenError::Other { server, why },
            },
        }
    }

    /// Whether what a schema holds is a ledger for this program.
    pub(crate) fn check(&self, found: Schema) -> Result<(), OpenError> {
        let (server, schema) = (self.server(), self.schema.to_string());
        match found {
            Schema::Missing | Schema::Empty => Err(OpenError::Missing { server, schema }),
            Schema::Foreign => Err(OpenError::Foreign { server, schema }),
            Schema::Version { version, min_compatible } => {
                horarium_sql::schema::check(version, min_compatible, schema::known())
                    .map_err(|why| OpenError::Schema { server, why })
            }
        }
    }

    /// A connection of its own, outside any pool.
    pub(crate) async fn connect(&self) -> Result<PgConnection, Failure> {
        Ok(PgConnection::connect_with(&self.connection()).await?)
    }
}

/// The location without the parameter that names the schema, and that schema.
fn without_schema(location: &str) -> (String, Option<&str>) {
    let Some((base, parameters)) = location.split_once('?') else {
        return (location.to_owned(), None);
    };
    let mut schema = None;
    let mut others = Vec::new();
    for parameter in parameters.split('&') {
        match parameter.strip_prefix("schema=") {
            Some(name) => schema = Some(name),
            None => others.push(parameter),
        }
    }
    if others.is_empty() {
        (base.to_owned(), schema)
    } else {
        (format!("{base}?{}", others.join("&")), schema)
    }
}

/// The location as people may see it.
fn without_password(location: &str) -> String {
    let Some((scheme, rest)) = location.split_once("://") else {
        return String::from("…");
    };
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let place = host.split_once('?').map_or(host, |(place, _)| place);
    format!("{scheme}://{place}")
}

impl PostgresStore {
    /// Opens a ledger whose schema fits this program.
    pub async fn open(options: &OpenOptions) -> Result<Self, OpenError> {
        let explain = |failure: Failure| options.explain(&failure);
        // Looked at by one connection of its own: a pool would try again and again, and then say
        // only that it took too long.
        let mut connection = options.connect().await.map_err(explain)?;
        roles::check_entry(&mut connection, options).await?;
        let found = Schema::of(&mut connection, &options.schema).await.map_err(explain)?;
        options.check(found)?;
        roles::check(&mut connection, options).await?;
        let ledger = schema::ledger_id(&mut connection).await.map_err(explain)?;
        connection.close().await.map_err(|error| explain(error.into()))?;
        let pool = PgPoolOptions::new()
            .max_connections(options.connections)
            .acquire_timeout(LINE_TIMEOUT)
            .test_before_acquire(false)
            .connect_lazy_with(options.connection());
        Ok(Self {
            pool,
            clock: options.clock.clone(),
            zones: ZoneData::bundled(),
            ledger,
            options: options.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_names_server_database_and_schema() {
        let options = OpenOptions::at(
            "postgres://ada:secret@db.example:5433/work?schema=north&sslmode=disable",
        )
        .unwrap();
        assert_eq!(options.server(), "db.example:5433/work");
        assert_eq!(options.schema().as_str(), "north");
        let plain = OpenOptions::at("postgres://db.example/work").unwrap();
        assert_eq!(plain.schema().as_str(), "horarium");
    }

    #[test]
    fn a_mistyped_variable_is_refused_instead_of_passed_over() {
        for (variable, value) in
            [(SSL_MODE, "verify_full"), (SSL_MODE, ""), (PORT, "54321x"), (PORT, "0")]
        {
            let said = variable.check(Some(value)).unwrap_err().to_string();
            assert!(said.starts_with(&format!("{} is `{value}`: write ", variable.name)), "{said}");
        }
        for (variable, value) in
            [(SSL_MODE, Some("verify-full")), (SSL_MODE, None), (PORT, Some("5433")), (PORT, None)]
        {
            variable.check(value).unwrap();
        }
    }

    #[test]
    fn connections_are_called_what_the_location_says() {
        let named = |location: &str| {
            let options = OpenOptions::at(location).unwrap();
            [options.connection(), options.connection_for("hints")]
                .map(|connection| connection.get_application_name().unwrap_or("").to_owned())
        };
        let own = named("postgres://host/db?application_name=payroll");
        assert_eq!(own, ["payroll", "payroll-hints"]);
        let empty = named("postgres://host/db?application_name=");
        assert_eq!(empty, ["horarium", "horarium-hints"]);
    }

    #[test]
    fn no_error_about_a_location_shows_its_password() {
        let error = OpenOptions::at("postgres://ada:s3cret@host:port/db").unwrap_err().to_string();
        assert!(!error.contains("s3cret") && !error.contains("ada"), "{error}");
        assert!(error.contains("postgres://host:port/db"), "{error}");
        let options = OpenOptions::at("postgres://ada:s3cret@host/db").unwrap();
        assert_eq!(format!("{options:?}"), "OpenOptions(host:5432/db, schema horarium)");
    }

    #[test]
    fn a_schemas_name_needs_no_quotes() {
        for bad in ["", "Upper", "with space", "1st", "a\"b", "pg_own", "a-b"] {
            assert!(bad.parse::<SchemaName>().is_err(), "{bad}");
        }
        assert!("tenant_7".parse::<SchemaName>().is_ok());
        assert!("a".repeat(64).parse::<SchemaName>().is_err());
    }
}
