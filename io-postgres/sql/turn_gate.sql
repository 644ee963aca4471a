-- A turn: one statement, one commit. It waits for nothing but its runner's row.
--
-- $1 runner  $2 number  $3 capacity  $4 the instant, if the clock is set by hand
-- $5 true: take the turn only if the runner holds nothing
--
-- It answers with what it found, and the store says what that means:
-- TURN   one row: was the number taken, the number and stop that were seen, the lease, the instant
-- HELD   what the runner held when the statement began
-- KEPT   a changed item that is still held
-- GONE   an item whose end or give-back is written
-- ENDED  an end that this runner had written under this fence before
-- AGAIN  a run that was held without being named, handed over once more
-- GRANT  a run that is handed over
WITH held AS MATERIALIZED (
    SELECT id, fence, lease_expires_at, cancel_at IS NOT NULL AS cancel
    FROM run_live WHERE runner = $1 AND status = 'RUNNING'
),
seen AS MATERIALIZED (
    SELECT turn, stopped_at, lease, handlers, xmin AS version,
        coalesce($4, (extract(epoch FROM now()) * 1000000)::bigint) AS now,
        EXISTS (SELECT FROM held) AS holds
    FROM runner WHERE id = $1
),
-- The gate. Every step shares the snapshot of `seen`. When the runner's row was changed since (by
-- another turn, a foreground start, a retirement), the comparison with the row as it is now
-- fails, nothing happens, and the store repeats the statement. Numbers compare as unsigned ones.
me AS MATERIALIZED (
    UPDATE runner SET turn = $2, last_seen = seen.now
    FROM seen
    WHERE runner.id = $1 AND runner.xmin = seen.version AND seen.stopped_at IS NULL
        AND (seen.turn # (1::bigint << 63)) < ($2 # (1::bigint << 63))
        AND NOT ($5 AND seen.holds)
    RETURNING seen.handlers, seen.now,
        -- 9999-12-31T23:59:59.999999Z: the core's last instant; additions stop there.
        CASE WHEN seen.lease BETWEEN 0 AND 253402300799999999 - seen.now
            THEN seen.now + seen.lease ELSE 253402300799999999 END AS renewal
),
