-- The invariants, each with the number of rows that break it. $1: the most that a runner may hold.
SELECT 'one-active-row' AS broken, count(*) AS rows FROM
    (SELECT worker FROM run_live GROUP BY worker HAVING count(*) > 1) x
UNION ALL
SELECT 'one run in both tables', count(*) FROM run_live l JOIN run_done d USING (id)
UNION ALL
SELECT 'nothing-lost: created, but in neither table', count(*) FROM audit_created c
    WHERE NOT EXISTS (SELECT FROM run r WHERE r.id = c.run)
UNION ALL
SELECT 'a run was created twice', count(*) FROM
    (SELECT run FROM audit_created GROUP BY run HAVING count(*) > 1) x
UNION ALL
SELECT 'no-double-enqueue: an attempt was created twice', count(*) FROM
    (SELECT FROM audit_created WHERE attempt IS NOT NULL
     GROUP BY worker, scheduled_for, attempt HAVING count(*) > 1) x
UNION ALL
SELECT 'bounded-attempts', count(*) FROM audit_created WHERE attempt > 3
UNION ALL
SELECT 'fence-grows', count(*) FROM
    (SELECT fence, lag(fence) OVER (PARTITION BY worker ORDER BY seq) AS before FROM audit_claim) x
    WHERE fence <= before
UNION ALL
SELECT 'a running run was claimed', count(*) FROM audit_claim WHERE was <> 'QUEUED'
UNION ALL
SELECT 'a turn number was taken twice or downward', count(*) FROM audit_turn WHERE after <= before
UNION ALL
SELECT 'a turn number was taken twice', count(*) FROM
    (SELECT FROM audit_turn GROUP BY runner, after HAVING count(*) > 1) x
UNION ALL
SELECT 'terminal-is-final', count(*) FROM audit_done a LEFT JOIN run_done d ON d.id = a.run
    WHERE d.id IS NULL OR md5(d::text) <> a.hash
UNION ALL
SELECT 'a runner held more than its capacity', count(*) FROM audit_claim WHERE held > $1::bigint
UNION ALL
-- The reporter writes its runner and fence into the outcome.
SELECT 'fenced: ended by who did not hold it', count(*) FROM run_done
    WHERE word = 'RUNNER' AND outcome ->> 'by' IS DISTINCT FROM runner || '/' || fence
UNION ALL
SELECT 'moved as it was not when it left', count(*) FROM audit_left a JOIN run_done d ON d.id = a.run
    WHERE (a.fence, a.runner, a.lease_expires_at) IS DISTINCT FROM (d.fence, d.runner, d.lease_expires_at)
        OR a.cancel_at IS NOT NULL AND a.cancel_at IS DISTINCT FROM d.cancel_at
UNION ALL
SELECT 'swept before its lease had ended', count(*) FROM run_done
    WHERE outcome ->> 'interrupted' = 'lease_expired' AND lease_expires_at > ended_at
UNION ALL
SELECT 'not-before', count(*) FROM run WHERE claimed_at < not_before
UNION ALL
SELECT 'granted after its latest start', count(*) FROM run WHERE claimed_at > start_before
UNION ALL
SELECT 'an occurrence says ENQUEUED and has no run', count(*) FROM occurrence o
    WHERE o.fate IN ('ENQUEUED', 'CAUGHT_UP')
        AND NOT EXISTS (SELECT FROM run r WHERE r.id = o.last_run)
UNION ALL
SELECT 'two retries of one run', count(*) FROM
    (SELECT FROM run WHERE retry_of IS NOT NULL GROUP BY retry_of HAVING count(*) > 1) x
UNION ALL
SELECT 'a retry was forgotten', count(*) FROM run_done d JOIN occurrence o USING (worker, scheduled_for)
    WHERE d.status IN ('FAILED', 'INTERRUPTED') AND d.next_attempt IS NOT NULL
        AND d.cancel_at IS NULL AND o.last_run = d.id AND o.retry = 'NONE'
UNION ALL
SELECT 'a retry is owed by a run that is live', count(*) FROM occurrence o JOIN run_live l ON l.id = o.last_run
    WHERE o.retry = 'OWED'
UNION ALL
SELECT 'cancelled without a request', count(*) FROM run_done
    WHERE cancel_at IS NULL AND outcome ->> 'cancelled' = 'requested'
