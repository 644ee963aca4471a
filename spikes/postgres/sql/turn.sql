-- A turn: one statement, one commit. It waits for nothing but its runner's row.
--
-- $1 runner  $2 number  $3 capacity
-- One item a claim (the store folds several reports on one claim into one item):
-- $4 runs  $5 fences  $6 what: HOLD, RENEW, GIVE_BACK, END
-- $7 started configs  $8 pending  $9 processed  $10 progress
-- of those that END: $11 status  $12 outcome  $13 does the outcome allow another attempt
-- $14 stdout  $15 stdout dropped  $16 stderr  $17 stderr dropped
--
-- It answers with what it found, and the store says what that means:
-- TURN   one row: was the number taken (remaining = 1), the number and stop that were seen
-- HELD   what the runner held when the statement began and the turn did not change
-- DONE   a changed item, with what is left of its lease if it is still held
-- ENDED  an end that this runner had written under this fence before
-- GRANT  a run that is handed over
-- An item in HELD that asked for a change and is not in DONE is busy; one in none is lost.
WITH seen AS MATERIALIZED (
    SELECT turn, stopped_at FROM runner WHERE id = $1
),
-- The gate. Every part below shares the snapshot of `seen`; when another turn of this runner
-- committed since, the comparison with the row as it is now fails, nothing happens, and the
-- store repeats the statement.
me AS (
    UPDATE runner r SET turn = $2, last_seen = clock_now()
    FROM seen
    WHERE r.id = $1 AND r.turn = seen.turn AND seen.turn < $2 AND r.stopped_at IS NULL
    RETURNING r.handlers, r.lease, clock_now() AS now, later(clock_now(), r.lease) AS renewal
),
item AS MATERIALIZED (
    SELECT i.*, news_started IS NOT NULL OR news_pending IS NOT NULL OR news_progress IS NOT NULL
        AS has_news
    FROM me, unnest($4::uuid[], $5::bigint[], $6::text[], $7::text[], $8::bigint[],
        $9::bigint[], $10::text[], $11::text[], $12::text[], $13::boolean[], $14::bytea[],
        $15::bigint[], $16::bytea[], $17::bigint[])
        AS i (run, claim, what, news_started, news_pending, news_processed, news_progress,
              end_status, end_outcome, may_retry, stdout, stdout_dropped, stderr, stderr_dropped)
),
held AS MATERIALIZED (
    SELECT l.id, l.fence, l.lease_expires_at, l.cancel_at IS NOT NULL AS cancel
    FROM me, run_live l WHERE l.runner = $1 AND l.status = 'RUNNING'
),
-- What is to change: items with news, and what is held but not named.
-- NOT IN is hashed whatever the planner believes of the number of items.
wanted AS (
    SELECT * FROM item WHERE what IN ('GIVE_BACK', 'END') OR has_news
    UNION ALL
    SELECT id, fence, 'AGAIN', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        false
    FROM held WHERE (id, fence) NOT IN (SELECT run, claim FROM item)
),
-- Locked first, then changed. LATERAL makes it one look-up by key an item, under any plan; what
-- comes back is the row as it is now, not as the snapshot has it.
locked AS MATERIALIZED (
    SELECT w.*, l.* FROM wanted w CROSS JOIN LATERAL (
        SELECT * FROM run_live x
        WHERE x.id = w.run AND x.fence = w.claim AND x.runner = $1
        FOR UPDATE SKIP LOCKED
    ) l
),
leaving AS NOT MATERIALIZED (
    SELECT * FROM locked
    WHERE what = 'END' OR (what IN ('GIVE_BACK', 'AGAIN') AND cancel_at IS NOT NULL)
),
gone AS (
    DELETE FROM run_live WHERE id = ANY (ARRAY(SELECT id FROM leaving))
),
done AS (
    INSERT INTO run_done
    SELECT id, number, enqueued_at, not_before, start_before, scheduled_for, attempt,
        next_attempt, worker, handler, trigger, retry_of, request, config, catalogue, timeout,
        retry, requested_by, cancel_at, cancel_by, coalesce(news_pending, pending),
        coalesce(news_processed, processed),
        CASE what WHEN 'END' THEN end_status ELSE 'CANCELLED' END, runner, fence, claimed_at,
        lease_expires_at, coalesce(started_at, CASE WHEN news_started IS NOT NULL THEN me.now END),
        CASE WHEN started_at IS NULL THEN news_started::json ELSE started_config END,
        coalesce(news_progress, progress), me.now,
        CASE what WHEN 'END' THEN end_outcome ELSE '{"cancelled":"requested"}' END::json,
        CASE what WHEN 'END' THEN 'RUNNER' ELSE 'STORE' END
    FROM leaving, me
),
output AS (
    INSERT INTO run_output
    SELECT id, stdout, stdout_dropped, stderr, stderr_dropped
    FROM leaving WHERE what = 'END' AND (length(stdout) > 0 OR length(stderr) > 0)
),
-- A conflict with the row that is there is the look-up by key that no plan can turn into a scan.
owed AS (
    INSERT INTO occurrence AS o
        (worker, scheduled_for, accounts_from, recorded_at, fate, last_run, attempt, retry,
         retry_changed_at)
    SELECT worker, scheduled_for, scheduled_for, me.now, 'ENQUEUED', id, attempt, 'OWED', me.now
    FROM leaving, me
    WHERE what = 'END' AND may_retry AND next_attempt IS NOT NULL AND cancel_at IS NULL
    ON CONFLICT (worker, scheduled_for) DO UPDATE
    SET retry = 'OWED', retry_changed_at = excluded.retry_changed_at
    WHERE o.last_run = excluded.last_run
),
returned AS MATERIALIZED (
    SELECT id, fence FROM locked WHERE what = 'GIVE_BACK' AND cancel_at IS NULL
),
given_back AS (
    UPDATE run_live
    SET status = 'QUEUED', runner = NULL, fence = NULL, claimed_at = NULL,
        lease_expires_at = NULL, started_at = NULL, started_config = NULL, progress = NULL
    WHERE id = ANY (ARRAY(SELECT id FROM returned))
),
-- Renewals alone are locked narrow and changed alike.
renewing AS MATERIALIZED (
    SELECT l.id FROM item i CROSS JOIN LATERAL (
        SELECT x.id FROM run_live x
        WHERE x.id = i.run AND x.fence = i.claim AND x.runner = $1
        FOR UPDATE SKIP LOCKED
    ) l
    WHERE i.what = 'RENEW' AND NOT i.has_news
    UNION ALL
    SELECT id FROM locked WHERE what = 'AGAIN' AND cancel_at IS NULL
),
renewed AS (
    UPDATE run_live l SET lease_expires_at = greatest(l.lease_expires_at, (SELECT renewal FROM me))
    WHERE id = ANY (ARRAY(SELECT id FROM renewing))
    RETURNING l.*
),
-- News differ from row to row. A join with the rows to change can become a nested loop over both
-- whole sets; the conflict with the row that is there is a look-up by key under any plan.
told AS (
    INSERT INTO run_live AS l
    SELECT id, number, enqueued_at, not_before, start_before, scheduled_for, attempt,
        next_attempt, worker, handler, trigger, retry_of, request, config, catalogue, timeout,
        retry, requested_by, cancel_at, cancel_by, coalesce(news_pending, pending),
        coalesce(news_processed, processed), status, runner, fence, claimed_at,
        CASE what WHEN 'RENEW' THEN greatest(lease_expires_at, me.renewal)
            ELSE lease_expires_at END,
        coalesce(started_at, CASE WHEN news_started IS NOT NULL THEN me.now END),
        CASE WHEN started_at IS NULL THEN news_started::json ELSE started_config END,
        coalesce(news_progress, progress)
    FROM locked, me
    WHERE what IN ('HOLD', 'RENEW')
    ON CONFLICT (id) DO UPDATE
    SET lease_expires_at = excluded.lease_expires_at, started_at = excluded.started_at,
        started_config = excluded.started_config, pending = excluded.pending,
        processed = excluded.processed, progress = excluded.progress
    RETURNING l.id, l.fence, l.lease_expires_at, l.cancel_at
),
room AS MATERIALIZED (
    SELECT greatest($3::bigint - (SELECT count(*) FROM held) + (SELECT count(*) FROM leaving)
        + (SELECT count(*) FROM returned), 0) AS room
    FROM me
),
-- A run that this turn gave back is not in its snapshot's queue, so it never comes back to it.
anything AS MATERIALIZED (
    SELECT l.id FROM run_live l
    WHERE l.status = 'QUEUED' AND l.not_before <= (SELECT now FROM me)
        AND (l.start_before IS NULL OR l.start_before >= (SELECT now FROM me))
        AND (SELECT handlers IS NULL FROM me)
    ORDER BY l.not_before, l.id LIMIT (SELECT room FROM room)
    FOR UPDATE SKIP LOCKED
),
-- Handler by handler, so that it does not matter how much waits for others. It locks up to the
-- room for each handler and claims the oldest of them; the rest is free again at the commit.
served AS MATERIALIZED (
    SELECT l.id FROM me CROSS JOIN unnest(me.handlers) AS h (handler) CROSS JOIN LATERAL (
        SELECT x.id, x.not_before FROM run_live x
        WHERE x.status = 'QUEUED' AND x.handler = h.handler AND x.not_before <= me.now
            AND (x.start_before IS NULL OR x.start_before >= me.now)
        ORDER BY x.not_before, x.id LIMIT (SELECT room FROM room)
        FOR UPDATE SKIP LOCKED
    ) l
    ORDER BY l.not_before, l.id LIMIT (SELECT room FROM room)
),
-- Fences differ from row to row too; they are drawn in the order of the queue, and found again
-- by position: again no join.
drawn AS MATERIALIZED (
    SELECT array_agg(id) AS ids, array_agg(fence) AS fences
    FROM (SELECT id, nextval('fence') AS fence
        FROM (SELECT id FROM anything UNION ALL SELECT id FROM served) q) d
),
claimed AS (
    UPDATE run_live l
    SET status = 'RUNNING', runner = $1, claimed_at = (SELECT now FROM me),
        lease_expires_at = (SELECT renewal FROM me),
        fence = (SELECT fences FROM drawn)[array_position((SELECT ids FROM drawn), l.id)]
    WHERE l.id = ANY ((SELECT ids FROM drawn)::uuid[])
    RETURNING l.*
),
granted AS (
    SELECT * FROM claimed
    UNION ALL
    SELECT * FROM renewed WHERE id = ANY (ARRAY(SELECT id FROM locked WHERE what = 'AGAIN'))
)
SELECT 'TURN' AS kind, NULL::uuid AS run, seen.turn AS fence,
    (SELECT count(*) FROM me) AS remaining, seen.stopped_at IS NOT NULL AS cancel,
    NULL::bigint AS number, NULL::text AS worker, NULL::text AS trigger,
    NULL::bigint AS scheduled_for, NULL::smallint AS attempt, NULL::uuid AS retry_of,
    NULL::json AS request, NULL::json AS settings, NULL::text AS catalogue, NULL::bigint AS timeout
FROM seen
UNION ALL
SELECT 'HELD', id, fence, least(greatest(lease_expires_at - me.now, 0), me.lease), cancel,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM held, me WHERE id NOT IN (SELECT id FROM locked) AND id NOT IN (SELECT id FROM renewing)
UNION ALL
SELECT 'DONE', k.id, k.fence, least(greatest(k.lease_expires_at - me.now, 0), me.lease),
    k.cancel_at IS NOT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (
    SELECT id, fence, lease_expires_at, cancel_at FROM told
    UNION ALL
    SELECT id, fence, lease_expires_at, cancel_at FROM renewed
    WHERE id <> ALL (ARRAY(SELECT id FROM locked WHERE what = 'AGAIN'))
) k, me
UNION ALL
SELECT 'DONE', id, fence, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM leaving WHERE what <> 'AGAIN'
UNION ALL
SELECT 'DONE', id, fence, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM returned
UNION ALL
-- Finishing twice is finishing, if it was this runner that finished under this fence.
SELECT 'ENDED', i.run, i.claim, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL
FROM item i CROSS JOIN LATERAL (
    SELECT FROM run_done d
    WHERE d.id = i.run AND d.fence = i.claim AND d.runner = $1 AND d.word = 'RUNNER' LIMIT 1
) d
WHERE i.what = 'END' AND (i.run, i.claim) NOT IN (SELECT id, fence FROM held)
UNION ALL
SELECT 'GRANT', g.id, g.fence, least(greatest(g.lease_expires_at - me.now, 0), me.lease), NULL,
    g.number, g.worker, g.trigger, g.scheduled_for, g.attempt, g.retry_of, g.request,
    (SELECT w.settings FROM worker w WHERE w.name = g.worker), g.catalogue, g.timeout
FROM granted g, me
