-- Retention: one statement. $1 keep  $2 keep per worker  $3 limit
-- $4 the instant, if the clock is set by hand
-- Runs go first, then occurrences of which no run is left. It answers how many of each, and
-- whether more may be left.
WITH clock AS MATERIALIZED (
    -- What happened up to then is past its retention.
    SELECT coalesce($4, (extract(epoch FROM now()) * 1000000)::bigint) - $1::bigint AS cut
),
-- The last runs of each worker, if any are kept: there is no index by worker to ask.
ranked AS (
    SELECT id, row_number() OVER (PARTITION BY worker ORDER BY number DESC) AS rank
    FROM run_done WHERE $2::bigint > 0
),
-- Finished long enough ago, with enough newer ones of the same worker, and of no chain whose last
-- attempt must stay.
old_run AS MATERIALIZED (
    SELECT id FROM run_done
    WHERE ended_at <= (SELECT cut FROM clock)
        AND (id IN (SELECT id FROM ranked WHERE rank <= $2::bigint)) IS NOT TRUE
        AND (scheduled_for IS NULL OR (
            SELECT retry = 'OWED'
                OR EXISTS (SELECT FROM run_live AS last WHERE last.id = occurrence.last_run)
                OR EXISTS (
                    SELECT FROM run_done AS last
                    WHERE last.id = occurrence.last_run AND last.ended_at > (SELECT cut FROM clock))
            FROM occurrence
            WHERE occurrence.worker = run_done.worker
                AND occurrence.scheduled_for = run_done.scheduled_for
        ) IS NOT TRUE)
    ORDER BY ended_at, id LIMIT $3::bigint + 1
    FOR UPDATE SKIP LOCKED
),
pruned_run AS MATERIALIZED (
    SELECT id FROM old_run LIMIT $3
),
-- Recorded long enough ago, with enough newer ones of the same worker, and without a run.
old_occurrence AS MATERIALIZED (
    SELECT ctid AS place FROM occurrence AS old
    WHERE recorded_at <= (SELECT cut FROM clock)
        AND retry IS DISTINCT FROM 'OWED'
        AND (
            SELECT count(*) FROM (
                SELECT FROM occurrence AS newer
                WHERE newer.worker = old.worker AND newer.scheduled_for > old.scheduled_for
                LIMIT $2
            ) newest
        ) >= $2
        AND NOT EXISTS (SELECT FROM run_live WHERE id = ANY (old.runs))
        AND NOT EXISTS (
            SELECT FROM run_done
            WHERE id = ANY (old.runs) AND id <> ALL (ARRAY(SELECT id FROM pruned_run)))
    ORDER BY recorded_at, worker, scheduled_for
    LIMIT $3::bigint - (SELECT count(*) FROM pruned_run) + 1
    FOR UPDATE SKIP LOCKED
),
pruned_occurrence AS MATERIALIZED (
    SELECT place FROM old_occurrence
    LIMIT $3::bigint - (SELECT count(*) FROM pruned_run)
),
runs AS (
    DELETE FROM run_done WHERE id = ANY (ARRAY(SELECT id FROM pruned_run))
),
outputs AS (
    DELETE FROM run_output WHERE run = ANY (ARRAY(SELECT id FROM pruned_run))
),
occurrences AS (
    -- They are locked, so they lie where they were found.
    DELETE FROM occurrence WHERE ctid = ANY (ARRAY(SELECT place FROM pruned_occurrence))
)
SELECT (SELECT count(*) FROM pruned_run) AS runs,
    (SELECT count(*) FROM pruned_occurrence) AS occurrences,
    (SELECT count(*) FROM old_run) > (SELECT count(*) FROM pruned_run)
        OR (SELECT count(*) FROM old_occurrence) > (SELECT count(*) FROM pruned_occurrence) AS more
