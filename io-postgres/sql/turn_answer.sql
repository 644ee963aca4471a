SELECT 'TURN' AS kind, NULL::uuid AS id, turn AS fence, now AS lease_expires_at,
    stopped_at IS NOT NULL AS cancel, lease AS number, NULL::text AS worker,
    NULL::text AS trigger, NULL::bigint AS scheduled_for, NULL::smallint AS attempt,
    NULL::uuid AS retry_of, NULL::json AS request, NULL::json AS settings, NULL::text AS catalogue,
    NULL::text AS timeout, EXISTS (SELECT FROM me) AS taken
FROM seen
UNION ALL
SELECT 'GRANT', id, fence, lease_expires_at, NULL, number, worker, trigger, scheduled_for, attempt,
    retry_of, request, (SELECT settings FROM worker WHERE name = claimed.worker), catalogue,
    timeout, NULL
FROM claimed
