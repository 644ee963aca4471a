//! Opening a file: what is wrong with it is said with the remedy, and nothing is broken by it.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do

use std::path::Path;
use std::time::Duration;

use horarium_core::store::{Reader, Store, StoreError};
use horarium_core::words::RunId;
use horarium_sqlite::{OpenError, OpenOptions, SqliteStore};
use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tempfile::TempDir;

fn in_directory() -> (TempDir, OpenOptions) {
    let directory = tempfile::tempdir().unwrap();
    let options = OpenOptions::new(directory.path().join("horarium.db"));
    (directory, options)
}

/// Makes the file, and leaves nothing open.
async fn create(options: &OpenOptions) {
    SqliteStore::open_or_create(options).await.unwrap().close().await;
}

async fn connect(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    SqliteConnection::connect_with(&options).await.unwrap()
}

async fn execute(path: &Path, statement: &'static str) {
    let mut db = connect(path).await;
    sqlx::raw_sql(statement).execute(&mut db).await.unwrap();
    db.close().await.unwrap();
}

/// What people read, without the place that is another one every time.
async fn refusal(directory: &TempDir, options: &OpenOptions) -> String {
    let error = SqliteStore::open(options).await.unwrap_err();
    error.to_string().replace(directory.path().to_str().unwrap(), "DIRECTORY")
}

#[tokio::test]
async fn a_missing_directory_is_named() {
    let (directory, _) = in_directory();
    let options = OpenOptions::new(directory.path().join("state").join("horarium.db"));
    insta::assert_snapshot!(refusal(&directory, &options).await);
    let error = SqliteStore::open_or_create(&options).await.unwrap_err();
    assert!(matches!(error, OpenError::MissingDirectory(_)), "{error}");
}

#[tokio::test]
async fn a_directory_in_the_files_place_is_named() {
    let (directory, _) = in_directory();
    insta::assert_snapshot!(refusal(&directory, &OpenOptions::new(directory.path())).await);
}

#[tokio::test]
async fn a_missing_file_is_not_made_unless_asked() {
    let (directory, options) = in_directory();
    insta::assert_snapshot!(refusal(&directory, &options).await);
    assert!(!options.path.exists());
    create(&options).await;
    SqliteStore::open(&options).await.unwrap();
}

#[tokio::test]
async fn a_read_only_file_is_refused_before_it_is_touched() {
    let (directory, options) = in_directory();
    create(&options).await;
    let mut permissions = std::fs::metadata(&options.path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&options.path, permissions).unwrap();
    insta::assert_snapshot!(refusal(&directory, &options).await);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_left_as_it_is() {
    let (directory, options) = in_directory();
    let text = "dear diary, ".repeat(1_000);
    std::fs::write(&options.path, &text).unwrap();
    insta::assert_snapshot!(refusal(&directory, &options).await);
    assert!(SqliteStore::open_or_create(&options).await.is_err());
    assert_eq!(std::fs::read_to_string(&options.path).unwrap(), text);
}

#[tokio::test]
async fn another_programs_database_is_left_as_it_is() {
    let (directory, options) = in_directory();
    execute(&options.path, "CREATE TABLE song (title TEXT)").await;
    let before = std::fs::read(&options.path).unwrap();
    insta::assert_snapshot!(refusal(&directory, &options).await);
    assert!(SqliteStore::migrate(&options).await.is_err());
    assert_eq!(std::fs::read(&options.path).unwrap(), before);
}

#[tokio::test]
async fn a_damaged_file_is_refused() {
    let (directory, options) = in_directory();
    create(&options).await;
    let mut bytes = std::fs::read(&options.path).unwrap();
    // The first page after its header of 100 bytes: the root of the schema.
    bytes[100..4_096].fill(0xa5);
    std::fs::write(&options.path, bytes).unwrap();
    insta::assert_snapshot!(refusal(&directory, &options).await);
}

#[tokio::test]
async fn a_cut_off_file_is_refused() {
    let (directory, options) = in_directory();
    create(&options).await;
    let bytes = std::fs::read(&options.path).unwrap();
    std::fs::write(&options.path, &bytes[..bytes.len() / 2]).unwrap();
    insta::assert_snapshot!(refusal(&directory, &options).await);
}

#[tokio::test]
async fn a_schema_behind_the_program_is_refused_and_never_migrated_on_the_way() {
    let (directory, options) = in_directory();
    create(&options).await;
    execute(&options.path, "DELETE FROM schema_version WHERE version = 2").await;
    insta::assert_snapshot!(refusal(&directory, &options).await);
    let error = SqliteStore::open_or_create(&options).await.unwrap_err();
    assert!(matches!(error, OpenError::Schema { .. }), "{error}");
}

#[tokio::test]
async fn a_ledger_of_the_first_schema_is_migrated_with_what_it_holds() {
    let (_directory, options) = in_directory();
    let first = include_str!("../../migrations/sqlite/0001_ledger.sql");
    for statement in [
        "PRAGMA application_id = 0x486f7261",
        first,
        "INSERT INTO schema_version VALUES (1, 1, 0)",
        r#"INSERT INTO worker (
            name, accounted_until, revision, plan, enablement, next_at, next_wall, runs_created,
            zone_data, changed_at, changed_by
        ) VALUES (
            'backup', 0, 1,
            '{"recurrence":{"kind":"cron","expression":"0 2 * * *","timezone":"Europe/Berlin"}}',
            '"enabled"', 3600000000, '1970-01-01T02:00', 0, '2025b', 0,
            '{"actor":{"kind":"person","name":"ada"}}'
        )"#,
    ] {
        execute(&options.path, statement).await;
    }
    assert!(SqliteStore::open(&options).await.is_err());
    let store = SqliteStore::migrate(&options).await.unwrap();
    let rows = store.dump().await.unwrap();
    assert_eq!(rows.zone_data, None);
    let schedule = rows.workers.values().next().unwrap().schedule.as_ref().unwrap();
    assert_eq!(schedule.zone_data.to_string(), "2025b");
}

#[tokio::test]
async fn a_schema_ahead_of_the_program_is_opened_as_far_as_it_says() {
    let (directory, options) = in_directory();
    create(&options).await;
    let ahead = "INSERT INTO schema_version (version, min_compatible, applied_at) VALUES (9, 1, 0)";
    execute(&options.path, ahead).await;
    SqliteStore::open(&options).await.unwrap().close().await;
    execute(&options.path, "UPDATE schema_version SET min_compatible = 8 WHERE version = 9").await;
    insta::assert_snapshot!(refusal(&directory, &options).await);
    assert!(SqliteStore::migrate(&options).await.is_err());
}

#[tokio::test]
async fn a_file_that_stays_busy_is_named_when_patience_ends() {
    let (directory, mut options) = in_directory();
    create(&options).await;
    let mut db = connect(&options.path).await;
    let hold = db.begin_with("BEGIN IMMEDIATE").await.unwrap();
    options.patience = Duration::ZERO;
    insta::assert_snapshot!(refusal(&directory, &options).await);
    hold.rollback().await.unwrap();
}

#[tokio::test]
async fn a_command_that_could_not_begin_was_not_taken() {
    let (_directory, mut options) = in_directory();
    options.patience = Duration::ZERO;
    let store = SqliteStore::open_or_create(&options).await.unwrap();
    let mut db = connect(&options.path).await;
    let hold = db.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let command = horarium_core::ledger::Command::Retire {
        runner: horarium_core::words::RunnerId::from_bits(1),
    };
    let Err(StoreError::NotTaken(why)) = store.submit(&command).await else {
        panic!("taken");
    };
    insta::assert_snapshot!(why);
    hold.rollback().await.unwrap();
    assert!(store.submit(&command).await.is_ok());
}

#[tokio::test]
async fn a_row_that_nobody_wrote_is_named() {
    let (_directory, options) = in_directory();
    create(&options).await;
    execute(
        &options.path,
        "INSERT INTO worker (name, accounted_until, revision) VALUES ('Backup', 0, 0)",
    )
    .await;
    let store = SqliteStore::open(&options).await.unwrap();
    let error = store.workers().await.unwrap_err();
    insta::assert_snapshot!(error);
    let run = horarium_core::store::RunRef::Id(RunId::from_bits(1));
    assert_eq!(store.run(run).await, Ok(None));
}
