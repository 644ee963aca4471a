//! The witness: triggers that record every commit in its order.
//!
//! They fire at the very end of a transaction and take one lock that is let go when it is committed
//! for all to see. So commits stand in the order in which they became visible, and what happens
//! before them is as concurrent as ever.

use std::collections::BTreeMap;

use conformance::history::{Change, Row};
use horarium_core::words::{Fence, RunId, RunNumber, RunnerId, Timestamp};
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use uuid::Uuid;

const FUNCTION: &str = "
CREATE TABLE witness (
    place bigserial PRIMARY KEY, tx bigint NOT NULL, client integer, at bigint NOT NULL,
    kind text NOT NULL, name text, id uuid, instant bigint, number bigint, fence bigint);
CREATE FUNCTION bear_witness() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    who integer := nullif(current_setting('horarium.client', true), '')::integer;
    was jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
    became jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
    here jsonb := coalesce(became, was);
    fence bigint := CASE WHEN TG_TABLE_NAME = 'run_live' AND became ->> 'fence' IS NOT NULL
        AND (became -> 'fence') IS DISTINCT FROM (was -> 'fence')
        THEN (became ->> 'fence')::bigint END;
BEGIN
    PERFORM pg_advisory_xact_lock(7);
    INSERT INTO witness (tx, client, at, kind, name, id, instant, number, fence)
    VALUES (txid_current(), who, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
        TG_TABLE_NAME, coalesce(here ->> 'worker', here ->> 'name'), (here ->> 'id')::uuid,
        (here ->> 'scheduled_for')::bigint,
        CASE WHEN TG_TABLE_NAME = 'run_live' AND TG_OP = 'INSERT'
            THEN (here ->> 'number')::bigint END, fence);
    IF TG_TABLE_NAME = 'run_live' AND TG_OP <> 'UPDATE' THEN
        INSERT INTO witness (tx, client, at, kind, name)
        VALUES (txid_current(), who, 0, 'slot', here ->> 'worker');
    END IF;
    RETURN NULL;
END $$";
const TABLES: [&str; 8] =
    ["runner", "worker", "occurrence", "run_live", "run_done", "catalogue", "leadership", "ledger"];
const READ: &str = "
SELECT tx, client, at, kind, name, id, instant, number, fence
FROM witness WHERE client IS NOT NULL ORDER BY place";

/// From now on every commit is recorded.
pub(crate) async fn call(db: &mut PgConnection) {
    sqlx::raw_sql(FUNCTION).execute(&mut *db).await.unwrap();
    for table in TABLES {
        let trigger = format!(
            "CREATE CONSTRAINT TRIGGER witness AFTER INSERT OR UPDATE OR DELETE ON {table}
             DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION bear_witness()"
        );
        sqlx::raw_sql(AssertSqlSafe(trigger)).execute(&mut *db).await.unwrap();
    }
}

/// What was committed, in its order.
pub(crate) async fn hear(db: &mut PgConnection) -> Vec<Change> {
    let mut order = Vec::new();
    let mut changes: BTreeMap<i64, Change> = BTreeMap::new();
    for row in sqlx::query(READ).fetch_all(db).await.unwrap() {
        let tx: i64 = row.get("tx");
        let change = changes.entry(tx).or_insert_with(|| {
            order.push(tx);
            Change::default()
        });
        change.client = u32::try_from(row.get::<i32, _>("client")).unwrap();
        change.at = change.at.max(row.get("at"));
        change.numbers.extend(unsigned(row.get("number")).map(RunNumber));
        change.fences.extend(unsigned(row.get("fence")).map(Fence::from_number));
        let name = || row.get::<&str, _>("name").parse().unwrap();
        let id = || row.get::<Uuid, _>("id").into_bytes();
        let instant = || Timestamp::from_micros(row.get("instant")).unwrap();
        change.rows.extend(match row.get("kind") {
            "runner" => Some(Row::Runner(RunnerId::from_bytes(id()))),
            "worker" => Some(Row::Worker(name())),
            "occurrence" => Some(Row::Occurrence(name(), instant())),
            "slot" => Some(Row::Slot(name())),
            "run_live" | "run_done" => Some(Row::Run(RunId::from_bytes(id()))),
            // Nothing is decided by who ticked last; the others are written at the opening alone.
            _ => None,
        });
    }
    order.iter().filter_map(|tx| changes.remove(tx)).collect()
}

fn unsigned(number: Option<i64>) -> Option<u64> {
    number.map(i64::cast_unsigned)
}
