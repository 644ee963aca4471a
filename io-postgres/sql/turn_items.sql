-- One item a claim: $6 runs  $7 fences  $8 what: HOLD, RENEW, GIVE_BACK, END
-- $9 started configs  $10 pending  $11 processed  $12 progress; of those that END: $13 status
-- $14 outcome  $15 does the outcome allow another attempt  $16 stdout  $17 stdout dropped
-- $18 stderr  $19 stderr dropped
item AS MATERIALIZED (
    SELECT new.*, news_started IS NOT NULL OR news_pending IS NOT NULL OR news_progress IS NOT NULL
        AS has_news
    FROM me, unnest($6::uuid[], $7::bigint[], $8::text[], $9::text[], $10::bigint[],
        $11::bigint[], $12::text[], $13::text[], $14::text[], $15::boolean[], $16::bytea[],
        $17::bigint[], $18::bytea[], $19::bigint[])
        AS new (run, claim, what, news_started, news_pending, news_processed, news_progress,
            end_status, end_outcome, may_retry, stdout, stdout_dropped, stderr, stderr_dropped)
),
-- What is to change: items with news, and what is held but not named.
-- NOT IN is hashed whatever the planner believes of the number of items.
wanted AS (
    SELECT * FROM item WHERE what IN ('GIVE_BACK', 'END') OR has_news
    UNION ALL
    SELECT held.id, held.fence, 'AGAIN', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, false
    FROM me, held WHERE (held.id, held.fence) NOT IN (SELECT run, claim FROM item)
),
-- Locked first, then changed. LATERAL makes it one look-up by key an item, under any plan; what
-- comes back is the row as it is now, not as the snapshot has it.
locked AS MATERIALIZED (
    SELECT wanted.*, live.* FROM wanted CROSS JOIN LATERAL (
        SELECT * FROM run_live
        WHERE run_live.id = wanted.run AND run_live.fence = wanted.claim AND runner = $1
        FOR UPDATE SKIP LOCKED
    ) live
),
leaving AS NOT MATERIALIZED (
    SELECT * FROM locked
    WHERE what = 'END' OR (what IN ('GIVE_BACK', 'AGAIN') AND cancel_at IS NOT NULL)
),
returned AS NOT MATERIALIZED (
    SELECT * FROM locked WHERE what = 'GIVE_BACK' AND cancel_at IS NULL
),
gone AS (
    DELETE FROM run_live WHERE id = ANY (ARRAY(SELECT id FROM leaving))
),
done AS (
    INSERT INTO run_done (id, number, worker, handler, trigger, scheduled_for, attempt,
        next_attempt, retry_of, request, config, catalogue, timeout, retry, requested_by,
        enqueued_at, not_before, start_before, cancel_at, cancel_by, pending, processed, status,
        runner, fence, claimed_at, lease_expires_at, started_at, started_config, progress,
        ended_at, outcome, word)
    SELECT id, number, worker, handler, trigger, scheduled_for, attempt, next_attempt, retry_of,
        request, config, catalogue, timeout, retry, requested_by, enqueued_at, not_before,
        start_before, cancel_at, cancel_by, coalesce(news_pending, pending),
        coalesce(news_processed, processed),
        CASE what WHEN 'END' THEN end_status ELSE 'CANCELLED' END,
        runner, fence, claimed_at, lease_expires_at,
        coalesce(started_at, CASE WHEN news_started IS NOT NULL THEN me.now END),
        CASE WHEN started_at IS NULL THEN news_started::json ELSE started_config END,
        coalesce(news_progress, progress), me.now,
        CASE what WHEN 'END' THEN end_outcome ELSE '{"cancelled":"requested"}' END::json,
        CASE what WHEN 'END' THEN 'RUNNER' ELSE 'STORE' END
    FROM leaving, me
),
output AS (
    INSERT INTO run_output (run, stdout, stdout_dropped, stderr, stderr_dropped)
    SELECT id, stdout, stdout_dropped, stderr, stderr_dropped
    FROM leaving WHERE what = 'END' AND stdout IS NOT NULL
),
-- A conflict with the row that is there is the look-up by key that no plan can turn into a scan.
-- The occurrence itself is always there: what else is inserted only passes the table's checks.
owed AS (
    INSERT INTO occurrence AS old (worker, scheduled_for, accounts_from, recorded_at, fate,
        last_run, runs, attempt, retry, retry_changed_at)
    SELECT worker, scheduled_for, scheduled_for, me.now, 'ENQUEUED', id, '{}', attempt, 'OWED',
        me.now
    FROM leaving, me
    WHERE what = 'END' AND may_retry AND next_attempt IS NOT NULL AND cancel_at IS NULL
    ON CONFLICT (worker, scheduled_for) DO UPDATE
    SET retry = 'OWED', retry_changed_at = excluded.retry_changed_at, retry_changed_by = NULL
    WHERE old.last_run = excluded.last_run
),
-- Renewals alone are locked narrow and changed alike.
renewing AS MATERIALIZED (
    SELECT live.id FROM item CROSS JOIN LATERAL (
        SELECT id FROM run_live
        WHERE run_live.id = item.run AND run_live.fence = item.claim AND runner = $1
        FOR UPDATE SKIP LOCKED
    ) live
    WHERE item.what = 'RENEW' AND NOT item.has_news
    UNION ALL
    SELECT id FROM locked WHERE what = 'AGAIN' AND cancel_at IS NULL
),
-- A renewal never shortens a lease: the clock may have stepped back.
renewed AS (
    UPDATE run_live SET lease_expires_at = greatest(lease_expires_at, (SELECT renewal FROM me))
    WHERE id = ANY (ARRAY(SELECT id FROM renewing))
    RETURNING *
),
-- News, and what is given back, differ from row to row: again a look-up by conflict.
told AS (
    INSERT INTO run_live AS live (id, number, worker, handler, trigger, scheduled_for, attempt,
        next_attempt, retry_of, request, config, catalogue, timeout, retry, requested_by,
        enqueued_at, not_before, start_before, cancel_at, cancel_by, pending, processed, status,
        runner, fence, claimed_at, lease_expires_at, started_at, started_config, progress)
    SELECT id, number, worker, handler, trigger, scheduled_for, attempt, next_attempt, retry_of,
        request, config, catalogue, timeout, retry, requested_by, enqueued_at, not_before,
        start_before, cancel_at, cancel_by, coalesce(news_pending, pending),
        coalesce(news_processed, processed), status, runner, fence, claimed_at,
        CASE what WHEN 'RENEW' THEN greatest(lease_expires_at, me.renewal)
            ELSE lease_expires_at END,
        coalesce(started_at, CASE WHEN news_started IS NOT NULL THEN me.now END),
        CASE WHEN started_at IS NULL THEN news_started::json ELSE started_config END,
        coalesce(news_progress, progress)
    FROM locked, me WHERE what IN ('HOLD', 'RENEW')
    UNION ALL
    SELECT id, number, worker, handler, trigger, scheduled_for, attempt, next_attempt, retry_of,
        request, config, catalogue, timeout, retry, requested_by, enqueued_at, not_before,
        start_before, cancel_at, cancel_by, coalesce(news_pending, pending),
        coalesce(news_processed, processed), 'QUEUED', NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM returned
    ON CONFLICT (id) DO UPDATE
    SET status = excluded.status, runner = excluded.runner, fence = excluded.fence,
        claimed_at = excluded.claimed_at, lease_expires_at = excluded.lease_expires_at,
        started_at = excluded.started_at, started_config = excluded.started_config,
        pending = excluded.pending, processed = excluded.processed, progress = excluded.progress
    RETURNING live.id, live.status, live.fence, live.lease_expires_at, live.cancel_at
),
kept AS MATERIALIZED (
    SELECT (SELECT count(*) FROM held) - (SELECT count(*) FROM leaving)
        - (SELECT count(*) FROM returned) AS count,
        ARRAY(SELECT run FROM item WHERE what = 'GIVE_BACK') AS given_back
),
