//! How SQLite finds the rows of what is read often: by an index, and never by looking at all
//! runs, occurrences or workers that there are.

use sqlx::Row;
use sqlx::sqlite::SqliteConnection;

use super::{agenda, runners, wishes};
use crate::open::OpenOptions;
use crate::read;
use crate::store::SqliteStore;

const OFTEN: [(&str, &str); 18] = [
    ("runs by id", super::RUNS_BY_ID),
    ("slots of workers", super::SLOTS_OF_WORKERS),
    ("workers by name", super::WORKERS_BY_NAME),
    ("newest definition", super::NEWEST_DEFINITION),
    ("runner by id", runners::RUNNER_BY_ID),
    ("held by", runners::HELD_BY),
    ("claimable", runners::CLAIMABLE),
    ("expired", runners::EXPIRED),
    ("too late", runners::TOO_LATE),
    ("owed with a free slot", agenda::OWED_WITH_FREE_SLOT),
    ("owed by workers", agenda::OWED_BY_WORKERS),
    ("due", agenda::DUE),
    ("next", agenda::NEXT),
    ("stale", agenda::STALE),
    ("accounted for", agenda::ACCOUNTED_FOR),
    ("occurrence of a run", wishes::OCCURRENCE_OF_RUN),
    ("list of runs", read::RUNS),
    ("list of a worker's runs", read::RUNS_OF_WORKER),
];

async fn plan(db: &mut SqliteConnection, statement: &'static str) -> Vec<String> {
    let explained = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
    let rows = sqlx::query(explained).fetch_all(db).await.unwrap();
    rows.iter().map(|row| row.get("detail")).collect()
}

#[tokio::test]
async fn what_is_read_often_never_scans_a_table() {
    let directory = tempfile::tempdir().unwrap();
    let options = OpenOptions::new(directory.path().join("horarium.db"));
    let store = SqliteStore::open_or_create(&options).await.unwrap();
    let mut db = store.writer.acquire().await.unwrap();
    let mut plans = String::new();
    for (name, statement) in OFTEN {
        plans.push_str(name);
        for step in plan(&mut db, statement).await {
            plans.push_str("\n    ");
            plans.push_str(&step);
        }
        plans.push('\n');
    }
    insta::assert_snapshot!(plans);
    for table in ["run_live", "run_done", "occurrence", "worker", "runner"] {
        assert!(!plans.contains(&format!("SCAN {table}\n")), "{plans}");
    }
}
