//! Opening a ledger: what is refused, and what migrating does.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do

mod server;

use horarium_core::store::Store as _;
use horarium_core::store::{Reader, StoreError};
use horarium_core::words::RunnerId;
use horarium_postgres::{OpenError, OpenOptions, PostgresStore};
use server::Database;

fn options(database: &Database) -> OpenOptions {
    OpenOptions::at(&database.location()).unwrap()
}

async fn execute(database: &Database, statement: &'static str) {
    let mut connection = database.connection().await;
    sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
}

#[tokio::test]
async fn a_database_without_a_ledger_is_refused_and_left_as_it_is() {
    let database = Database::fresh().await;
    let options = options(&database);
    let refused = PostgresStore::open(&options).await.unwrap_err();
    assert!(matches!(refused, OpenError::Missing { .. }), "{refused}");
    assert!(refused.to_string().contains("horarium migrate"), "{refused}");
    let plan = PostgresStore::migration_plan(&options).await.unwrap();
    assert!(plan.starts_with("CREATE SCHEMA \"horarium\""), "{plan}");
}

#[tokio::test]
async fn what_the_plan_says_is_what_migrating_does() {
    let database = Database::fresh().await;
    let options = options(&database);
    let plan = PostgresStore::migration_plan(&options).await.unwrap();
    let mut connection = database.connection().await;
    sqlx::raw_sql(sqlx::AssertSqlSafe(plan)).execute(&mut connection).await.unwrap();
    assert_eq!(PostgresStore::migration_plan(&options).await.unwrap(), "");
    assert!(PostgresStore::migrate(&options).await.unwrap().is_empty());
    let store = PostgresStore::open(&options).await.unwrap();
    assert!(store.dump().await.unwrap().runs.is_empty());
}

#[tokio::test]
async fn processes_that_migrate_at_once_apply_each_step_once() {
    let database = Database::fresh().await;
    let options = options(&database);
    let (one, two, three) = tokio::join!(
        PostgresStore::migrate(&options),
        PostgresStore::migrate(&options),
        PostgresStore::migrate(&options)
    );
    let applied: Vec<u32> = [one, two, three].into_iter().flat_map(Result::unwrap).collect();
    assert_eq!(applied, [1, 2]);
}

#[tokio::test]
async fn several_ledgers_live_in_one_database() {
    let database = Database::fresh().await;
    for name in ["north", "south"] {
        let location = format!("{}?schema={name}", database.location());
        let options = OpenOptions::at(&location).unwrap();
        PostgresStore::migrate(&options).await.unwrap();
        let store = PostgresStore::open(&options).await.unwrap();
        assert!(store.runners().await.unwrap().is_empty());
        let mut connection = database.connection().await;
        let fill = format!(
            "INSERT INTO {name}.worker (name, accounted_until, revision) VALUES ('{name}', 0, 0)"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(fill)).execute(&mut connection).await.unwrap();
        let workers = store.workers().await.unwrap();
        assert_eq!(workers.len(), 1);
        assert_eq!(workers[0].0.as_str(), name);
    }
}

#[tokio::test]
async fn a_schema_of_another_program_is_left_as_it_is() {
    let database = Database::fresh().await;
    execute(&database, "CREATE SCHEMA horarium; CREATE TABLE horarium.runner (id int)").await;
    let options = options(&database);
    for refused in [
        PostgresStore::open(&options).await.map(drop),
        PostgresStore::migrate(&options).await.map(drop),
    ] {
        let refused = refused.unwrap_err();
        assert!(matches!(refused, OpenError::Foreign { .. }), "{refused}");
    }
}

#[tokio::test]
async fn a_schema_ahead_of_the_program_is_opened_as_far_as_it_says() {
    let database = Database::fresh().await;
    let options = options(&database);
    PostgresStore::migrate(&options).await.unwrap();
    execute(&database, "INSERT INTO schema_version VALUES (7, 1, 0)").await;
    PostgresStore::open(&options).await.unwrap();
    execute(&database, "UPDATE schema_version SET min_compatible = 5 WHERE version = 7").await;
    let refused = PostgresStore::open(&options).await.unwrap_err().to_string();
    assert!(refused.contains("upgrade this program"), "{refused}");
}

#[tokio::test]
async fn a_schema_behind_the_program_is_refused_and_never_migrated_on_the_way() {
    let database = Database::fresh().await;
    let options = options(&database);
    PostgresStore::migrate(&options).await.unwrap();
    execute(&database, "DELETE FROM schema_version WHERE version = 2").await;
    let refused = PostgresStore::open(&options).await.unwrap_err().to_string();
    assert!(refused.contains("horarium migrate"), "{refused}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_the_password() {
    let options = OpenOptions::at("postgres://ada:s3cret@127.0.0.1:1/work").unwrap();
    let refused = PostgresStore::open(&options).await.unwrap_err();
    assert!(matches!(refused, OpenError::Unreachable { .. }), "{refused}");
    let said = format!("{refused} {refused:?}");
    assert!(said.contains("127.0.0.1:1/work") && !said.contains("s3cret"), "{said}");
}

#[tokio::test]
async fn a_migration_that_adds_a_column_leaves_running_programs_alone() {
    let database = Database::fresh().await;
    let options = options(&database);
    PostgresStore::migrate(&options).await.unwrap();
    let store = PostgresStore::open(&options.connections(1)).await.unwrap();
    let retire = horarium_core::ledger::Command::Retire { runner: RunnerId::from_bits(1) };
    store.submit(&retire).await.unwrap();
    store.dump().await.unwrap();
    execute(
        &database,
        "ALTER TABLE run_live ADD COLUMN later text; ALTER TABLE run_done ADD COLUMN later text;
         ALTER TABLE worker ADD COLUMN later text; ALTER TABLE runner ADD COLUMN later text;
         ALTER TABLE occurrence ADD COLUMN later text",
    )
    .await;
    store.submit(&retire).await.unwrap();
    store.dump().await.unwrap();
}

#[tokio::test]
async fn a_command_to_a_ledger_that_was_dropped_was_not_taken() {
    let database = Database::fresh().await;
    let options = options(&database);
    PostgresStore::migrate(&options).await.unwrap();
    let store = PostgresStore::open(&options).await.unwrap();
    execute(&database, "DROP SCHEMA horarium CASCADE").await;
    let retire = horarium_core::ledger::Command::Retire { runner: RunnerId::from_bits(1) };
    let refused = store.submit(&retire).await;
    assert!(
        matches!(&refused, Err(StoreError::NotTaken(why)) if why.contains("another schema")),
        "{refused:?}"
    );
}
