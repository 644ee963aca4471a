-- A cancel, step 1: the live row is locked, whatever it waited for. $1 run.
SELECT status, cancel_at IS NOT NULL AS cancelling FROM run_live WHERE id = $1 FOR UPDATE
