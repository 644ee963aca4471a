UNION ALL
SELECT 'AGAIN', id, fence, lease_expires_at, NULL, number, worker, trigger, scheduled_for, attempt,
    retry_of, request, (SELECT settings FROM worker WHERE name = renewed.worker), catalogue,
    timeout, NULL
FROM renewed WHERE id = ANY (ARRAY(SELECT id FROM locked WHERE what = 'AGAIN'))
UNION ALL
SELECT 'HELD', held.id, held.fence, held.lease_expires_at, held.cancel, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM held, me WHERE held.id NOT IN (SELECT id FROM locked) AND held.id NOT IN (SELECT id FROM renewing)
UNION ALL
SELECT 'KEPT', id, fence, lease_expires_at, cancel_at IS NOT NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL
FROM (
    SELECT id, fence, lease_expires_at, cancel_at FROM told WHERE status = 'RUNNING'
    UNION ALL
    SELECT id, fence, lease_expires_at, cancel_at FROM renewed
    WHERE id <> ALL (ARRAY(SELECT id FROM locked WHERE what = 'AGAIN'))
) kept
UNION ALL
SELECT 'GONE', id, fence, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL
FROM (
    SELECT id, fence FROM leaving WHERE what <> 'AGAIN' UNION ALL SELECT id, fence FROM returned
) gone
UNION ALL
-- Finishing twice is finishing, if it was this runner that finished under this fence.
SELECT 'ENDED', item.run, item.claim, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL
FROM item CROSS JOIN LATERAL (
    SELECT FROM run_done
    WHERE run_done.id = item.run AND run_done.fence = item.claim AND run_done.runner = $1
        AND run_done.word = 'RUNNER'
    LIMIT 1
) before
WHERE item.what = 'END' AND (item.run, item.claim) NOT IN (SELECT id, fence FROM held)
