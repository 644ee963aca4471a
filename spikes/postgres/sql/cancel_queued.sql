-- A cancel of a queued run, whose row is locked. $1 run  $2 by.
WITH gone AS (
    DELETE FROM run_live WHERE id = $1 RETURNING *
)
INSERT INTO run_done
SELECT id, number, enqueued_at, not_before, start_before, scheduled_for, attempt, next_attempt,
    worker, handler, trigger, retry_of, request, config, catalogue, timeout, retry, requested_by,
    clock.now, $2::text::json, pending, processed, 'CANCELLED', runner, fence, claimed_at,
    lease_expires_at, started_at, started_config, progress, clock.now,
    '{"cancelled":"requested"}', 'STORE'
FROM gone, (SELECT clock_after_wait() AS now OFFSET 0) clock
