-- The limit shapes: the least that one can write for a one-slot queue, one table, no rules.
CREATE SEQUENCE limit_fence CACHE 1;
CREATE TABLE limit_run (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    worker_name text NOT NULL,
    status      text NOT NULL DEFAULT 'QUEUED',
    queued_at   timestamptz NOT NULL DEFAULT now(),
    not_before  timestamptz NOT NULL DEFAULT now(),
    claimed_at  timestamptz,
    lease_until timestamptz,
    finished_at timestamptz,
    runner_id   text,
    lease_token bigint,
    payload     jsonb NOT NULL DEFAULT '{}',
    error       text
);
CREATE UNIQUE INDEX limit_slot ON limit_run (worker_name) WHERE status IN ('QUEUED', 'RUNNING');
CREATE INDEX limit_due ON limit_run (queued_at, id) WHERE status = 'QUEUED';
CREATE INDEX limit_running ON limit_run (runner_id) WHERE status = 'RUNNING';

-- For heartbeats: room on the page, the lease in no index.
CREATE TABLE limit_lease (
    id bigint PRIMARY KEY, lease_token bigint NOT NULL, lease_until timestamptz, filler text
) WITH (fillfactor = 50);

CREATE TABLE limit_schedule (
    id bigint PRIMARY KEY, worker_name text NOT NULL, next_run_at timestamptz NOT NULL,
    last_run_at timestamptz, enabled boolean NOT NULL DEFAULT true
) WITH (fillfactor = 70);
CREATE INDEX limit_schedule_due ON limit_schedule (next_run_at) WHERE enabled;

-- The least that the same duties cost: an occurrence row for each due schedule, a worker's row
-- that is updated before its slot is filled.
CREATE TABLE limit_occurrence (
    worker_name text, scheduled_for timestamptz, recorded_at timestamptz NOT NULL DEFAULT now(),
    fate text NOT NULL DEFAULT 'ENQUEUED', PRIMARY KEY (worker_name, scheduled_for)
);
CREATE TABLE limit_worker (name text PRIMARY KEY, filled_at timestamptz NOT NULL)
    WITH (fillfactor = 70);
