-- A tick, step 2: schedule, slot and owed retry of the locked workers ($1), in a statement of its
-- own, so that it sees everything that was committed before the locks were had.
SELECT w.name, clock.now, w.next_at, w.accounted_until, w.runs_created, w.plan::text,
    slot.id AS slot_run, slot.number AS slot_number, slot.status AS slot_status,
    owed.scheduled_for AS owed_for, owed.last_run AS owed_run, owed.attempt AS owed_attempt,
    failed.handler, failed.request, failed.config, failed.catalogue, failed.timeout, failed.retry,
    failed.requested_by, failed.next_attempt
FROM (SELECT clock_after_wait() AS now OFFSET 0) clock
CROSS JOIN (SELECT DISTINCT name FROM unnest($1::text[]) AS name) n
CROSS JOIN LATERAL (SELECT * FROM worker x WHERE x.name = n.name LIMIT 1) w
LEFT JOIN LATERAL (SELECT * FROM run_live x WHERE x.worker = n.name LIMIT 1) slot ON true
LEFT JOIN LATERAL (SELECT * FROM occurrence x WHERE x.worker = n.name AND x.retry = 'OWED'
    ORDER BY x.scheduled_for LIMIT 1) owed ON true
LEFT JOIN LATERAL (SELECT * FROM run_done x WHERE x.id = owed.last_run LIMIT 1) failed ON true
ORDER BY w.name
