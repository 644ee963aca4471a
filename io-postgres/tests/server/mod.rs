//! The server that the tests run on, and a database of its own for each of them.
#![allow(clippy::unwrap_used, clippy::panic)] // what the tests share may fail as they do
#![allow(dead_code)] // not every test needs all of it

use std::sync::atomic::{AtomicU32, Ordering};

use horarium_postgres::{Clock, OpenOptions, PostgresStore};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection as _};

/// The variable with the location of a server on which databases may be created.
const VARIABLE: &str = "HORARIUM_TEST_POSTGRES";

/// How many databases this process made.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// A database that is dropped with its value.
pub(crate) struct Database {
    /// The location of the server, without a database.
    server: String,
    name: String,
}

impl Database {
    /// A new one, without tables.
    pub(crate) async fn fresh() -> Self {
        let Ok(location) = std::env::var(VARIABLE) else {
            panic!(
                "these tests need a PostgreSQL server: run `cargo xtask test`, which starts one, \
                 or set {VARIABLE}=postgres://USER@HOST:PORT to one where databases may be created"
            );
        };
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("horarium_test_{}_{count}", std::process::id());
        let database = Self { server: location.trim_end_matches('/').to_owned(), name };
        database.on_server(&format!("DROP DATABASE IF EXISTS {}", database.name)).await;
        database.on_server(&format!("CREATE DATABASE {}", database.name)).await;
        database
    }

    /// Its name, which no other database of the server has.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its location for a user of its own.
    pub(crate) fn location_of(&self, user: &str, password: &str) -> String {
        let (_, host) = self.server.rsplit_once('@').unwrap();
        format!("postgres://{user}:{password}@{host}/{}", self.name)
    }

    /// Its location.
    pub(crate) fn location(&self) -> String {
        format!("{}/{}", self.server, self.name)
    }

    /// Migrated, and opened with `clock`.
    pub(crate) async fn store(&self, clock: Clock) -> PostgresStore {
        let options = OpenOptions::at(&self.location()).unwrap().clock(clock);
        PostgresStore::migrate(&options).await.unwrap();
        PostgresStore::open(&options).await.unwrap()
    }

    /// A connection that is no store's, in the ledger's schema.
    pub(crate) async fn connection(&self) -> PgConnection {
        let options: PgConnectOptions = self.location().parse().unwrap();
        let options = options.options([("search_path", "horarium")]);
        PgConnection::connect_with(&options).await.unwrap()
    }

    async fn on_server(&self, statement: &str) {
        let location = format!("{}/postgres", self.server);
        let mut connection = PgConnection::connect(&location).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.unwrap().block_on(self.on_server(&drop));
            });
        });
    }
}
