-- A cancel of a running run, whose row is locked. $1 run  $2 by.
UPDATE run_live SET cancel_at = clock_after_wait(), cancel_by = $2::text::json WHERE id = $1
