-- The zone data that the schedules are computed with.

-- The newest release that a leader had; NULL until one has ticked. Who has older zone data does
-- not lead and saves no schedule.
ALTER TABLE ledger ADD COLUMN zone_data TEXT;

-- What newer zone data have to compute anew.
CREATE INDEX ix_worker_zone_data ON worker (zone_data, name) WHERE enablement = '"enabled"';
