-- A tick, step 3: what the core decided, written set by set. The conflict clauses are guards.
--
-- Occurrences: $1 workers  $2 scheduled for  $3 accounts from  $4 fate  $5 skipped  $6 first run
-- Retries:     $7 workers  $8 scheduled for  $9 attempt  $10 run
-- Runs:        $11 ids  $12 workers  $13 handlers  $14 scheduled for  $15 attempt
--              $16 next attempt  $17 retry of  $18 not before  $19 start before  $20 requests
--              $21 configs  $22 catalogue entries  $23 timeouts  $24 retry policies  $25 by
-- Advances:    $26 workers  $27 next at  $28 accounted until  $29 runs created
-- $30 now
WITH recorded AS (
    INSERT INTO occurrence (worker, scheduled_for, accounts_from, recorded_at, fate, skipped,
        last_run, attempt, retry)
    SELECT worker, scheduled_for, accounts_from, $30::bigint, fate, skipped::json, first_run,
        CASE WHEN first_run IS NOT NULL THEN 1 END,
        CASE WHEN first_run IS NOT NULL THEN 'NONE' END
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::uuid[])
        AS n (worker, scheduled_for, accounts_from, fate, skipped, first_run)
    ON CONFLICT (worker, scheduled_for) DO NOTHING
    RETURNING last_run
),
extended AS (
    INSERT INTO occurrence AS o (worker, scheduled_for, accounts_from, recorded_at, fate,
        last_run, attempt, retry)
    SELECT worker, scheduled_for, scheduled_for, $30::bigint, 'ENQUEUED', run, attempt, 'NONE'
    FROM unnest($7::text[], $8::bigint[], $9::smallint[], $10::uuid[])
        AS n (worker, scheduled_for, attempt, run)
    ON CONFLICT (worker, scheduled_for) DO UPDATE
    SET last_run = excluded.last_run, attempt = excluded.attempt, retry = 'NONE',
        retry_changed_at = NULL
    WHERE o.retry = 'OWED' AND o.attempt = excluded.attempt - 1
    RETURNING last_run
),
created AS (
    INSERT INTO run_live (id, number, enqueued_at, not_before, start_before, scheduled_for,
        attempt, next_attempt, worker, handler, trigger, retry_of, request, config, catalogue,
        timeout, retry, requested_by, status)
    SELECT run, nextval('run_number'), $30, not_before, start_before, scheduled_for, attempt,
        next_attempt, worker, handler, 'SCHEDULE', retry_of, request::json, config::json,
        catalogue, timeout, retry::json, requested_by::json, 'QUEUED'
    FROM unnest($11::uuid[], $12::text[], $13::text[], $14::bigint[], $15::smallint[],
        $16::smallint[], $17::uuid[], $18::bigint[], $19::bigint[], $20::text[], $21::text[],
        $22::text[], $23::bigint[], $24::text[], $25::text[])
        AS n (run, worker, handler, scheduled_for, attempt, next_attempt, retry_of, not_before,
              start_before, request, config, catalogue, timeout, retry, requested_by)
    -- IS TRUE keeps these hashed look-ups; as plain conditions they would become joins.
    WHERE ((run IN (SELECT last_run FROM recorded)) OR (run IN (SELECT last_run FROM extended)))
        IS TRUE
    RETURNING id
),
advanced AS (
    INSERT INTO worker AS w (name, filled_at, accounted_until, revision, next_at, runs_created)
    SELECT name, $30, accounted_until, 0, next_at, runs_created
    FROM unnest($26::text[], $27::bigint[], $28::bigint[], $29::bigint[])
        AS n (name, next_at, accounted_until, runs_created)
    ON CONFLICT (name) DO UPDATE
    SET filled_at = excluded.filled_at, next_at = excluded.next_at,
        accounted_until = excluded.accounted_until, runs_created = excluded.runs_created
)
SELECT id FROM created
