-- A sweep: one statement. $1 limit  $2 the instant, if the clock is set by hand
-- What ran out takes effect, and only here. It answers how many were interrupted, how many were
-- too late, and whether more may be left.
WITH clock AS MATERIALIZED (
    SELECT coalesce($2, (extract(epoch FROM now()) * 1000000)::bigint) AS now
),
-- The lock checks the condition on the row as it is now: a lease that was renewed meanwhile drops
-- out. What another transaction holds is left for the next sweep.
expired AS MATERIALIZED (
    SELECT * FROM run_live
    WHERE status = 'RUNNING' AND lease_expires_at <= (SELECT now FROM clock)
    ORDER BY lease_expires_at, id LIMIT $1::bigint + 1
    FOR UPDATE SKIP LOCKED
),
-- The sum keeps the order from being taken from the queue's index, which would be read to its end.
too_late AS MATERIALIZED (
    SELECT * FROM run_live
    WHERE status = 'QUEUED' AND start_before < (SELECT now FROM clock)
    ORDER BY not_before + 0, id LIMIT greatest($1::bigint + 1 - (SELECT count(*) FROM expired), 0)
    FOR UPDATE SKIP LOCKED
),
found AS MATERIALIZED (
    SELECT * FROM (SELECT * FROM expired UNION ALL SELECT * FROM too_late) both_of_them LIMIT $1
),
gone AS (
    DELETE FROM run_live WHERE id = ANY (ARRAY(SELECT id FROM found))
),
done AS (
    INSERT INTO run_done (id, number, worker, handler, trigger, scheduled_for, attempt,
        next_attempt, retry_of, request, config, catalogue, timeout, retry, requested_by,
        enqueued_at, not_before, start_before, cancel_at, cancel_by, pending, processed, status,
        runner, fence, claimed_at, lease_expires_at, started_at, started_config, progress,
        ended_at, outcome, word)
    SELECT id, number, worker, handler, trigger, scheduled_for, attempt, next_attempt, retry_of,
        request, config, catalogue, timeout, retry, requested_by, enqueued_at, not_before,
        start_before, cancel_at, cancel_by, pending, processed,
        CASE status WHEN 'RUNNING' THEN 'INTERRUPTED' ELSE 'CANCELLED' END,
        runner, fence, claimed_at, lease_expires_at, started_at, started_config, progress,
        clock.now,
        CASE status WHEN 'RUNNING' THEN '{"interrupted":"lease_expired"}'
            ELSE '{"cancelled":"too_late"}' END::json,
        'STORE'
    FROM found, clock
),
-- A conflict with the row that is there is the look-up by key that no plan can turn into a scan.
owed AS (
    INSERT INTO occurrence AS old (worker, scheduled_for, accounts_from, recorded_at, fate,
        last_run, runs, attempt, retry, retry_changed_at)
    SELECT worker, scheduled_for, scheduled_for, clock.now, 'ENQUEUED', id, '{}', attempt, 'OWED',
        clock.now
    FROM found, clock
    WHERE status = 'RUNNING' AND next_attempt IS NOT NULL AND cancel_at IS NULL
    ON CONFLICT (worker, scheduled_for) DO UPDATE
    SET retry = 'OWED', retry_changed_at = excluded.retry_changed_at, retry_changed_by = NULL
    WHERE old.last_run = excluded.last_run
)
SELECT count(*) FILTER (WHERE status = 'RUNNING') AS interrupted,
    count(*) FILTER (WHERE status = 'QUEUED') AS too_late,
    (SELECT count(*) FROM expired) + (SELECT count(*) FROM too_late) > $1 AS more
FROM found
