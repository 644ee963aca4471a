-- A cancel of a run that has ended: drops the retry that is owed. $1 run  $2 by.
-- A statement after the one that found no live row: a row is always in one of the two tables.
UPDATE occurrence
SET retry = 'DROPPED', retry_changed_at = clock_after_wait(), retry_changed_by = $2::text::json
WHERE worker = (SELECT worker FROM run_done WHERE id = $1)
    AND scheduled_for = (SELECT scheduled_for FROM run_done WHERE id = $1)
    AND last_run = $1 AND retry = 'OWED'
