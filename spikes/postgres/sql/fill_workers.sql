-- The first statement of whoever fills slots: it updates the workers' rows ($1), in name order, so
-- that two fillers queue up and never deadlock. Everything is read in a later statement: this
-- one's snapshot is older than the locks that it may have waited for.
INSERT INTO worker AS w (name, filled_at, accounted_until, revision)
SELECT n.name, clock_now(), 0, 0
FROM (SELECT DISTINCT name FROM unnest($1::text[]) AS name) n
ORDER BY n.name
ON CONFLICT (name) DO UPDATE SET filled_at = excluded.filled_at
