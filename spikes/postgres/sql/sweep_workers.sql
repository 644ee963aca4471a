-- Closes what must no longer hold the slots of these workers ($1), since no daemon may be up to
-- do it. A step of an enqueue, after its workers were locked.
WITH clock AS MATERIALIZED (
    SELECT clock_after_wait() AS now
),
found AS MATERIALIZED (
    SELECT * FROM run_live
    WHERE worker = ANY ($1::text[])
        AND (lease_expires_at <= (SELECT now FROM clock)
            OR status = 'QUEUED' AND start_before < (SELECT now FROM clock))
    FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM run_live WHERE id = ANY (ARRAY(SELECT id FROM found))
),
done AS (
    INSERT INTO run_done
    SELECT id, number, enqueued_at, not_before, start_before, scheduled_for, attempt,
        next_attempt, worker, handler, trigger, retry_of, request, config, catalogue, timeout,
        retry, requested_by, cancel_at, cancel_by, pending, processed,
        CASE status WHEN 'RUNNING' THEN 'INTERRUPTED' ELSE 'CANCELLED' END, runner, fence,
        claimed_at, lease_expires_at, started_at, started_config, progress, clock.now,
        CASE status WHEN 'RUNNING' THEN '{"interrupted":"lease_expired"}'
            ELSE '{"cancelled":"too_late"}' END::json, 'STORE'
    FROM found, clock
)
INSERT INTO occurrence AS o
    (worker, scheduled_for, accounts_from, recorded_at, fate, last_run, attempt, retry,
     retry_changed_at)
SELECT worker, scheduled_for, scheduled_for, clock.now, 'ENQUEUED', id, attempt, 'OWED', clock.now
FROM found, clock
WHERE status = 'RUNNING' AND next_attempt IS NOT NULL AND cancel_at IS NULL
ON CONFLICT (worker, scheduled_for) DO UPDATE
SET retry = 'OWED', retry_changed_at = excluded.retry_changed_at
WHERE o.last_run = excluded.last_run
