room AS MATERIALIZED (
    SELECT greatest($3::bigint - kept.count, 0) AS room FROM me, kept
),
-- A run that this turn gave back is not in its snapshot's queue, so it does not come back to it; nor
-- does one that it gave back in vain, since it had been given back before.
anything AS MATERIALIZED (
    SELECT id FROM run_live
    WHERE status = 'QUEUED' AND not_before <= (SELECT now FROM me)
        AND (start_before IS NULL OR start_before >= (SELECT now FROM me))
        AND id <> ALL ((SELECT given_back FROM kept)::uuid[])
        AND (SELECT handlers IS NULL FROM me)
    ORDER BY not_before, id LIMIT coalesce((SELECT room FROM room), 0)
    FOR UPDATE SKIP LOCKED
),
-- Handler by handler, so that it does not matter how much waits for others. It locks up to the
-- room for each handler and claims the oldest of them; the rest is free again at the commit.
served AS MATERIALIZED (
    SELECT live.id FROM me CROSS JOIN unnest(me.handlers) AS wanted (handler) CROSS JOIN LATERAL (
        SELECT id, not_before FROM run_live
        WHERE status = 'QUEUED' AND run_live.handler = wanted.handler AND not_before <= me.now
            AND (start_before IS NULL OR start_before >= me.now)
            AND id <> ALL ((SELECT given_back FROM kept)::uuid[])
        ORDER BY not_before, id LIMIT (SELECT room FROM room)
        FOR UPDATE SKIP LOCKED
    ) live
    ORDER BY live.not_before, live.id LIMIT coalesce((SELECT room FROM room), 0)
),
-- Fences differ from row to row; they are drawn in the order of the queue, and found again by
-- position: no join.
drawn AS MATERIALIZED (
    SELECT array_agg(id) AS ids, array_agg(fence) AS fences
    FROM (
        SELECT id, nextval('fence') AS fence
        FROM (SELECT id FROM anything UNION ALL SELECT id FROM served) queue
    ) fenced
),
claimed AS (
    UPDATE run_live
    SET status = 'RUNNING', runner = $1, claimed_at = (SELECT now FROM me),
        lease_expires_at = (SELECT renewal FROM me),
        fence = (SELECT fences FROM drawn)[array_position((SELECT ids FROM drawn), id)]
    WHERE id = ANY ((SELECT ids FROM drawn)::uuid[])
    RETURNING *
)
