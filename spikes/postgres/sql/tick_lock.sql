-- A tick, step 1: the workers that it will look at are locked, what others hold stays due.
-- $1 limit. A sweep has committed before. Nothing is read here that a decision needs.
WITH clock AS MATERIALIZED (
    SELECT clock_now() AS now
),
owed AS MATERIALIZED (
    SELECT w.name FROM worker w
    WHERE w.name = ANY (ARRAY(
        -- Not an anti-join: planned while the tables are small it would scan all that is live
        -- for each retry.
        SELECT o.worker FROM occurrence o
        WHERE o.retry = 'OWED'
            AND (SELECT true FROM run_live l WHERE l.worker = o.worker LIMIT 1) IS NULL
        ORDER BY o.worker LIMIT $1::bigint + 1))
    FOR NO KEY UPDATE SKIP LOCKED
),
due AS MATERIALIZED (
    SELECT w.name FROM worker w WHERE w.next_at <= (SELECT now FROM clock)
    ORDER BY w.next_at, w.name LIMIT $1::bigint + 1
    FOR NO KEY UPDATE SKIP LOCKED
)
SELECT name FROM owed UNION ALL SELECT name FROM due
