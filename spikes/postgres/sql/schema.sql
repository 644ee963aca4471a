-- The ledger on PostgreSQL, as far as the spike needs it.
--
-- Instants are whole microseconds since 1970-01-01T00:00:00Z, as in the core and on SQLite: one
-- representation in every store, arithmetic that saturates where the core's does, and a clock
-- that tests can set. What people nest is `json`, not `jsonb`: jsonb refuses the escape \u0000
-- and would fail a whole batch for one item.
-- No foreign keys, no counters: a turn waits for nothing but its runner's row.

-- The store's clock. Production has these two; tests replace them by a settable one.
CREATE FUNCTION clock_now() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT (extract(epoch FROM now()) * 1000000)::bigint $$;
-- For the first statement after a lock that was waited for. Not statement_timestamp(): inside a
-- function that stands still at the caller's statement, before the wait.
CREATE FUNCTION clock_after_wait() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL SAFE
    AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$;

-- 9999-12-31T23:59:59.999999Z: the core's last instant; additions stop there.
CREATE FUNCTION later(at bigint, span bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN span > 253402300799999999 - at THEN 253402300799999999 ELSE at + span END $$;

-- Cache 1: for one worker, a later claim has the larger fence, whichever connection draws it.
CREATE SEQUENCE fence AS bigint CACHE 1;
CREATE SEQUENCE run_number AS bigint CACHE 1;

CREATE TABLE runner (
    id            uuid   PRIMARY KEY,
    turn          bigint NOT NULL,
    last_seen     bigint NOT NULL,
    stopped_at    bigint,
    lease         bigint NOT NULL,
    registered_at bigint NOT NULL,
    -- NULL: every handler.
    handlers      text[]
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- A worker's row never goes away. It carries the schedule (when `next_at` may be set) and the
-- settings. Whoever fills the slot updates it first: `filled_at` stands in no index, so that
-- this is a HOT update.
CREATE TABLE worker (
    name            text   PRIMARY KEY,
    filled_at       bigint NOT NULL,
    accounted_until bigint NOT NULL,
    revision        bigint NOT NULL,
    next_at         bigint,
    runs_created    bigint,
    plan            json,
    settings        json
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE INDEX ix_worker_due ON worker (next_at, name) WHERE next_at IS NOT NULL;

-- A due instant and what became of it.
CREATE TABLE occurrence (
    worker        text   NOT NULL,
    scheduled_for bigint NOT NULL,
    accounts_from bigint NOT NULL,
    recorded_at   bigint NOT NULL,
    fate          text   NOT NULL CHECK (fate IN ('ENQUEUED', 'CAUGHT_UP', 'SKIPPED', 'MISSED')),
    skipped       json,
    -- The chain of attempts, when a run was created.
    last_run      uuid,
    attempt       smallint,
    retry         text CHECK (retry IN ('NONE', 'OWED', 'DROPPED')),
    retry_changed_at bigint,
    retry_changed_by json,
    PRIMARY KEY (worker, scheduled_for),
    CHECK ((last_run IS NULL) = (attempt IS NULL) AND (last_run IS NULL) = (retry IS NULL))
) WITH (fillfactor = 80);

CREATE INDEX ix_occurrence_owed ON occurrence (worker, scheduled_for) WHERE retry = 'OWED';

-- Live runs lie apart from finished ones, so that the cost of a turn does not know the history.
-- The page room and the fixed vacuum threshold keep heartbeats HOT and the queue's head clean.
-- `next_attempt` is decided by the core when the run is created: the attempt that its retry
-- policy allows after this one, so that SQL never reads a policy.
CREATE TABLE run_live (
    id               uuid   NOT NULL,
    number           bigint NOT NULL,
    enqueued_at      bigint NOT NULL,
    not_before       bigint NOT NULL,
    start_before     bigint,
    scheduled_for    bigint,
    attempt          smallint,
    next_attempt     smallint,
    worker           text   NOT NULL,
    handler          text   NOT NULL,
    trigger          text   NOT NULL CHECK (trigger IN ('MANUAL', 'CLI', 'SCHEDULE')),
    retry_of         uuid,
    request          json   NOT NULL,
    config           json   NOT NULL,
    catalogue        text   NOT NULL,
    timeout          bigint,
    retry            json   NOT NULL,
    requested_by     json   NOT NULL,
    cancel_at        bigint,
    cancel_by        json,
    pending          bigint,
    processed        bigint,
    status           text   NOT NULL CHECK (status IN ('QUEUED', 'RUNNING')),
    runner           uuid,
    fence            bigint,
    claimed_at       bigint,
    lease_expires_at bigint,
    started_at       bigint,
    started_config   json,
    progress         text,
    CONSTRAINT pk_run_live PRIMARY KEY (id),
    CHECK ((trigger = 'SCHEDULE') = (scheduled_for IS NOT NULL AND attempt IS NOT NULL)),
    CHECK ((status = 'RUNNING') = (runner IS NOT NULL)),
    CHECK ((runner IS NULL) = (fence IS NULL) AND (runner IS NULL) = (lease_expires_at IS NULL))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000);

-- one-active-row: guaranteed here, not by a process.
CREATE UNIQUE INDEX uq_worker_run_active ON run_live (worker);
-- For runners that serve every handler, and for those that serve some.
CREATE INDEX ix_run_live_queue ON run_live (not_before, id) WHERE status = 'QUEUED';
CREATE INDEX ix_run_live_served ON run_live (handler, not_before, id) WHERE status = 'QUEUED';
CREATE INDEX ix_run_live_late ON run_live (start_before)
    WHERE status = 'QUEUED' AND start_before IS NOT NULL;
-- Without the lease's end: a heartbeat must stay HOT, and a sweep of what runs is cheap.
CREATE INDEX ix_run_live_held ON run_live (runner) WHERE status = 'RUNNING';

-- Finished runs. Finishing moves a row here; it never changes again. The columns are those of
-- run_live in the same order, then the end.
CREATE TABLE run_done (
    LIKE run_live,
    ended_at bigint NOT NULL,
    outcome  json   NOT NULL,
    word     text   NOT NULL CHECK (word IN ('RUNNER', 'STORE')),
    CONSTRAINT pk_run_done PRIMARY KEY (id),
    CHECK (status IN ('SUCCESS', 'FAILED', 'INTERRUPTED', 'CANCELLED'))
) WITH (autovacuum_vacuum_insert_scale_factor = 0.1);

-- What a job wrote last: apart from its row, which is read far more often.
CREATE TABLE run_output (
    run            uuid   PRIMARY KEY,
    stdout         bytea  NOT NULL,
    stdout_dropped bigint NOT NULL,
    stderr         bytea  NOT NULL,
    stderr_dropped bigint NOT NULL
);

-- The one ledger that both tables are.
CREATE VIEW run AS
SELECT *, NULL::bigint AS ended_at, NULL::json AS outcome, NULL::text AS word FROM run_live
UNION ALL
SELECT * FROM run_done;
