//! How PostgreSQL finds the rows of what is done often, by the plans that the store's settings
//! give on empty tables and that are kept for good: by a condition on an index, and never by
//! looking at all runs, occurrences or workers that there are.
#![allow(clippy::unwrap_used, clippy::panic)] // a test

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};

use crate::open::OpenOptions;
use crate::store::PostgresStore;
use crate::{lock, slice, sweep, turn};

/// The statements, with the type of each parameter where it cannot be told.
const OFTEN: [(&str, &str); 12] = [
    ("turn with items", turn::WITH_ITEMS),
    ("turn without items", turn::WITHOUT_ITEMS),
    ("sweep", sweep::SWEEP),
    ("workers of an enqueue", lock::BRING_WORKERS),
    ("workers of a tick", lock::FOR_TICK),
    ("live run by id", lock::LIVE),
    ("runs by id", slice::RUNS_BY_ID),
    ("slots of workers", slice::SLOTS_OF_WORKERS),
    ("workers by name", slice::WORKERS_BY_NAME),
    ("newest definitions", slice::NEWEST_DEFINITIONS),
    ("owed by workers", slice::OWED_BY_WORKERS),
    ("accounted for", slice::ACCOUNTED_FOR),
];
/// Tables that grow.
const LARGE: [&str; 5] = ["run_live", "run_done", "occurrence", "worker", "runner"];
/// Indexes that may be read from one end to the other: what runs is bounded by the runners'
/// capacity, and what is owed by the schedules that fail at a time.
const SHORT: [&str; 2] = ["ix_run_live_held", "ix_occurrence_owed"];

/// How many parameters a statement has.
fn parameters(statement: &str) -> usize {
    let numbers = statement.split('$').skip(1).filter_map(|rest| {
        rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
    });
    numbers.max().unwrap_or(0)
}

async fn plan(db: &mut PgConnection, statement: &str) -> Vec<String> {
    let nulls = vec!["NULL"; parameters(statement)].join(", ");
    db.execute(AssertSqlSafe(format!("PREPARE often AS {statement}"))).await.unwrap();
    let explain = format!("EXPLAIN (COSTS OFF) EXECUTE often ({nulls})");
    let lines = sqlx::query_scalar(AssertSqlSafe(explain)).fetch_all(&mut *db).await.unwrap();
    db.execute("DEALLOCATE often").await.unwrap();
    lines
}

/// The nodes of a plan that look at a whole table, or at a whole index that can be long.
fn scans(plan: &[String]) -> Vec<String> {
    let is_node = |line: &str| line.contains("->") || line.contains(" Scan");
    let mut found = Vec::new();
    for (index, line) in plan.iter().enumerate() {
        let Some((_, table)) = line.split_once(" on ") else { continue };
        let table = table.split(' ').next().unwrap_or_default();
        if !line.contains("Scan") || !LARGE.contains(&table) {
            continue;
        }
        let is_short = SHORT.iter().any(|name| line.contains(name));
        let details = plan.iter().skip(index + 1).take_while(|line| !is_node(line));
        let has_condition = details.into_iter().any(|line| line.contains("Cond:"));
        if line.contains("Seq Scan") || !has_condition && !is_short {
            found.push(line.trim().to_owned());
        }
    }
    found
}

#[tokio::test]
async fn what_is_done_often_never_looks_at_a_whole_table() {
    let Ok(location) = std::env::var("HORARIUM_TEST_POSTGRES") else {
        panic!("this test needs a PostgreSQL server: run `cargo xtask test`");
    };
    let schema = format!("plans_{}", std::process::id());
    let location = format!("{}/postgres?schema={schema}", location.trim_end_matches('/'));
    let options = OpenOptions::at(&location).unwrap();
    PostgresStore::migrate(&options).await.unwrap();
    let mut db = PgConnection::connect_with(&options.connection()).await.unwrap();
    let mut faults = Vec::new();
    for (name, statement) in OFTEN {
        let plan = plan(&mut db, statement).await;
        for scan in scans(&plan) {
            faults.push(format!("{name}: {scan}\n{}", plan.join("\n")));
        }
    }
    db.execute(AssertSqlSafe(format!("DROP SCHEMA {schema} CASCADE"))).await.unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
