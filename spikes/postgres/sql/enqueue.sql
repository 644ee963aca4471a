-- Enqueues up to 1,000 manual runs. The workers' rows are locked, their slots swept; this
-- statement's snapshot sees every run of theirs, and each in exactly one of the two tables.
--
-- $1 runs  $2 workers  $3 handlers  $4 requests  $5 configs  $6 catalogue entries  $7 timeouts
-- $8 retry policies  $9 who asks  $10 not before (or null)
--
-- The store sends each id once. It answers with what it found: EXISTING runs with these ids, NEW
-- ones, and the HOLDER of each slot that was taken. Losing a slot is an answer about one item.
WITH clock AS MATERIALIZED (
    SELECT clock_after_wait() AS now
),
existing AS MATERIALIZED (
    SELECT id, number, status, worker, trigger, request, requested_by, enqueued_at, not_before
    FROM run_live WHERE id = ANY ($1::uuid[])
    UNION ALL
    SELECT id, number, status, worker, trigger, request, requested_by, enqueued_at, not_before
    FROM run_done WHERE id = ANY ($1::uuid[])
),
holder AS MATERIALIZED (
    SELECT id, number, status, worker, not_before FROM run_live WHERE worker = ANY ($2::text[])
),
-- For each free slot the first wish that is new. The number is drawn for these alone: the conflict
-- clause is a guard that only an id used elsewhere at this very moment can meet.
fresh AS MATERIALIZED (
    SELECT DISTINCT ON (w.worker) w.*
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
        $7::bigint[], $8::text[], $9::text[], $10::bigint[]) WITH ORDINALITY
        AS w (run, worker, handler, request, config, catalogue, timeout, retry, requested_by,
              not_before, ord)
    WHERE w.run NOT IN (SELECT id FROM existing) AND w.worker NOT IN (SELECT worker FROM holder)
    ORDER BY w.worker, w.ord
),
created AS (
    INSERT INTO run_live (id, number, enqueued_at, not_before, worker, handler, trigger, request,
        config, catalogue, timeout, retry, requested_by, status)
    SELECT f.run, nextval('run_number'), clock.now, greatest(coalesce(f.not_before, 0), clock.now),
        f.worker, f.handler, 'MANUAL', f.request::json, f.config::json, f.catalogue, f.timeout,
        f.retry::json, f.requested_by::json, 'QUEUED'
    FROM (SELECT * FROM fresh ORDER BY ord) f, clock
    ON CONFLICT DO NOTHING
    RETURNING id, number, status, worker
)
SELECT 'EXISTING' AS kind, id AS run, number, status, worker, trigger, request, requested_by,
    enqueued_at, not_before
FROM existing
UNION ALL
SELECT 'NEW', id, number, status, worker, NULL, NULL, NULL, NULL, NULL FROM created
UNION ALL
SELECT 'HOLDER', id, number, status, worker, NULL, NULL, NULL, NULL, not_before FROM holder
