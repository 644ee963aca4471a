//! The statements, and the ways in which the spike breaks them on purpose.

/// The statements' texts.
#[derive(Clone)]
pub struct Texts {
    pub turn: String,
    pub sweep: String,
    pub sweep_workers: String,
    pub fill_workers: String,
    pub enqueue: String,
    pub tick_lock: String,
    pub tick_read: String,
    pub tick_write: String,
    pub cancel_lock: String,
    pub cancel_queued: String,
    pub cancel_running: String,
    pub cancel_ended: String,
    /// False: nobody updates or locks the workers' rows.
    pub lock_workers: bool,
}

pub const SCHEMA: &str = include_str!("../sql/schema.sql");
pub const AUDIT: &str = include_str!("../sql/audit.sql");
pub const CHECK: &str = include_str!("../sql/check.sql");
pub const LIMIT: &str = include_str!("../sql/limit.sql");

/// One deliberate fault, to show that the race or a forced plan turns red.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Break {
    /// The turn number is compared with the row as it is now, not with what the statement saw.
    NoCompareAndSet,
    /// The turn's items and queue are locked without SKIP LOCKED.
    NoSkipLocked,
    /// Enqueue and tick leave the worker's row alone.
    NoWorkerLock,
    /// An end is accepted for the run, whoever holds it.
    NoFence,
    /// The sweep decides on the snapshot and then deletes.
    SweepUnlocked,
    /// The claim's locked rows are a subquery of the update instead of a materialised step.
    NotMaterialised,
}

impl Break {
    pub const ALL: [Self; 6] = [
        Self::NoCompareAndSet,
        Self::NoSkipLocked,
        Self::NoWorkerLock,
        Self::NoFence,
        Self::SweepUnlocked,
        Self::NotMaterialised,
    ];
}

impl Texts {
    pub fn sound() -> Self {
        Self {
            turn: include_str!("../sql/turn.sql").into(),
            sweep: include_str!("../sql/sweep.sql").into(),
            sweep_workers: include_str!("../sql/sweep_workers.sql").into(),
            fill_workers: include_str!("../sql/fill_workers.sql").into(),
            enqueue: include_str!("../sql/enqueue.sql").into(),
            tick_lock: include_str!("../sql/tick_lock.sql").into(),
            tick_read: include_str!("../sql/tick_read.sql").into(),
            tick_write: include_str!("../sql/tick_write.sql").into(),
            cancel_lock: include_str!("../sql/cancel_lock.sql").into(),
            cancel_queued: include_str!("../sql/cancel_queued.sql").into(),
            cancel_running: include_str!("../sql/cancel_running.sql").into(),
            cancel_ended: include_str!("../sql/cancel_ended.sql").into(),
            lock_workers: true,
        }
    }

    /// The steps of an enqueue as one volatile function, whose every step has its own snapshot:
    /// one round trip.
    pub fn enqueue_function(&self) -> String {
        let workers = |text: &str| text.replace("$1::text[]", "$2::text[]");
        format!(
            "CREATE OR REPLACE FUNCTION enqueue(uuid[], text[], text[], text[], text[], text[],
                 bigint[], text[], text[], bigint[])
             RETURNS TABLE (kind text, run uuid, number bigint, status text, worker text,
                 trigger text, request json, requested_by json, enqueued_at bigint, not_before bigint)
             LANGUAGE plpgsql VOLATILE AS $enqueue$
             #variable_conflict use_column
             BEGIN
                 {};
                 {};
                 RETURN QUERY {};
             END $enqueue$",
            workers(&self.fill_workers),
            workers(&self.sweep_workers),
            self.enqueue
        )
    }

    pub fn broken(fault: Break) -> Self {
        let mut texts = Self::sound();
        match fault {
            Break::NoCompareAndSet => {
                swap(&mut texts.turn, "r.turn = seen.turn AND seen.turn < $2", "r.turn < $2");
            }
            Break::NoSkipLocked => swap(&mut texts.turn, "FOR UPDATE SKIP LOCKED", "FOR UPDATE"),
            Break::NoWorkerLock => {
                texts.lock_workers = false;
                swap(&mut texts.tick_lock, "FOR NO KEY UPDATE SKIP LOCKED", "");
            }
            Break::NoFence => swap(
                &mut texts.turn,
                "x.id = w.run AND x.fence = w.claim AND x.runner = $1",
                "x.id = w.run AND x.status = 'RUNNING'",
            ),
            Break::SweepUnlocked => swap(&mut texts.sweep, "FOR UPDATE SKIP LOCKED", ""),
            Break::NotMaterialised => {
                let part = |from: &str, to: &str| {
                    let start = texts.turn.find(from).expect("the step");
                    let end = start + texts.turn[start..].find(to).expect("its end");
                    texts.turn[start..end].to_owned()
                };
                let anything = part("anything AS MATERIALIZED (", "\n),");
                let inner = anything["anything AS MATERIALIZED (".len()..].to_owned();
                let steps = part("anything AS MATERIALIZED (", "claimed AS (");
                swap(&mut texts.turn, &steps, "");
                swap(
                    &mut texts.turn,
                    "(SELECT fences FROM drawn)[array_position((SELECT ids FROM drawn), l.id)]",
                    "nextval('fence')",
                );
                swap(
                    &mut texts.turn,
                    "l.id = ANY ((SELECT ids FROM drawn)::uuid[])",
                    &format!("l.id IN ({inner})"),
                );
            }
        }
        texts
    }
}

fn swap(text: &mut String, from: &str, to: &str) {
    assert!(text.contains(from), "a break no longer fits its statement: {from}");
    *text = text.replace(from, to);
}
