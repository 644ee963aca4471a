-- The ledger on PostgreSQL. Its tables lie in the first schema of the search path, so that several
-- ledgers live in one database, a schema each.
--
-- Instants are whole microseconds since 1970-01-01T00:00:00Z: one form in every store, arithmetic
-- that saturates where the core's does, and a clock that tests can set. No instant has a default:
-- every one comes from the store's clock. Unsigned numbers are kept with their 64 bits as they
-- are. What people may nest is `json`, not `jsonb`: jsonb refuses the escape \u0000 and would
-- fail a whole batch for one item. Names sort by their bytes, as in the core, whatever the
-- database's locale.
-- There are no foreign keys and no counters: a turn waits for nothing but its runner's row.

CREATE TABLE schema_version (
    version        integer PRIMARY KEY,
    -- The oldest program (by the newest version that it knows) that can work with this schema.
    min_compatible integer NOT NULL,
    applied_at     bigint  NOT NULL
);

-- One row: who this ledger is. The leader's lock and the channel of its hints derive from it.
CREATE TABLE ledger (
    one integer PRIMARY KEY CHECK (one = 1),
    id  uuid NOT NULL
);

INSERT INTO ledger (one, id) VALUES (1, gen_random_uuid());

-- Without a cache: for one worker a later claim has the larger fence, whichever connection draws
-- it. After a restore the documented step raises the fence's high bits.
CREATE SEQUENCE run_number AS bigint CACHE 1;
CREATE SEQUENCE fence AS bigint CACHE 1;

-- At most one row: the scheduler that ticked last, for people.
CREATE TABLE leadership (
    one       integer PRIMARY KEY CHECK (one = 1),
    scheduler uuid   NOT NULL,
    since     bigint NOT NULL,
    last_tick bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE runner (
    id            uuid   PRIMARY KEY,
    turn          bigint NOT NULL,
    last_seen     bigint NOT NULL,
    stopped_at    bigint,
    heartbeat     bigint NOT NULL,
    lease         bigint NOT NULL,
    registered_at bigint NOT NULL,
    concurrency   bigint NOT NULL,
    name          text   NOT NULL,
    host          text   NOT NULL,
    version       text   NOT NULL,
    -- NULL means every handler.
    handlers      text[],
    -- The hashes of the definitions that it brought.
    catalogue     json   NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE catalogue (
    handler      text   COLLATE "C" NOT NULL,
    hash         text   COLLATE "C" NOT NULL,
    version      bigint NOT NULL,
    definition   json   NOT NULL,
    published_at bigint NOT NULL,
    published_by json,
    PRIMARY KEY (handler, hash)
);

-- A worker's row never goes away. It carries the schedule (when `plan` is there) and the
-- settings (when `settings` is there). A schedule's revision is the worker's. Whoever fills the
-- slot or changes the schedule updates the row first and reads in a later statement.
CREATE TABLE worker (
    name                text   COLLATE "C" PRIMARY KEY,
    accounted_until     bigint NOT NULL,
    revision            bigint NOT NULL,
    next_at             bigint,
    runs_created        bigint,
    next_ordinal        bigint,
    changed_at          bigint,
    settings_revision   bigint,
    settings_changed_at bigint,
    next_wall           text,
    last_wall           text,
    zone_data           text,
    plan                json,
    enablement          json,
    changed_by          json,
    settings            json,
    settings_changed_by json,
    CHECK ((plan IS NULL) = (enablement IS NULL)),
    CHECK ((next_at IS NULL) = (next_wall IS NULL)),
    CHECK (plan IS NOT NULL OR next_at IS NULL)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE INDEX ix_worker_due ON worker (next_at, name) WHERE next_at IS NOT NULL;

-- A due instant and what became of it. Its key is also what holds no-double-enqueue: an attempt 1
-- is only ever created together with its occurrence, in one transaction.
CREATE TABLE occurrence (
    scheduled_for    bigint NOT NULL,
    accounts_from    bigint NOT NULL,
    recorded_at      bigint NOT NULL,
    retry_changed_at bigint,
    attempt          smallint,
    worker           text   COLLATE "C" NOT NULL,
    fate             text   NOT NULL CHECK (fate IN ('ENQUEUED', 'CAUGHT_UP', 'SKIPPED', 'MISSED')),
    -- Why it was skipped.
    skipped          json,
    -- The chain of attempts, when a run was created: the last run, and all of them.
    last_run         uuid,
    runs             uuid[] NOT NULL,
    retry            text CHECK (retry IN ('NONE', 'OWED', 'DROPPED')),
    retry_changed_by json,
    PRIMARY KEY (worker, scheduled_for),
    CHECK ((fate = 'SKIPPED') = (skipped IS NOT NULL)),
    CHECK ((last_run IS NULL) = (attempt IS NULL) AND (last_run IS NULL) = (retry IS NULL))
) WITH (fillfactor = 80);

CREATE INDEX ix_occurrence_owed ON occurrence (worker, scheduled_for) WHERE retry = 'OWED';
CREATE INDEX ix_occurrence_recorded ON occurrence (recorded_at, worker, scheduled_for);

-- Live runs lie apart from finished ones, so that the cost of a turn does not know the history.
-- Room on the page and a fixed vacuum threshold keep heartbeats HOT and the queue's head clean.
-- `next_attempt` is decided by the core when the run is created: the attempt that its policy
-- allows after it, so that no statement reads a policy.
CREATE TABLE run_live (
    id               uuid   NOT NULL,
    number           bigint NOT NULL,
    enqueued_at      bigint NOT NULL,
    not_before       bigint NOT NULL,
    start_before     bigint,
    scheduled_for    bigint,
    cancel_at        bigint,
    pending          bigint,
    processed        bigint,
    fence            bigint,
    claimed_at       bigint,
    lease_expires_at bigint,
    started_at       bigint,
    runner           uuid,
    retry_of         uuid,
    attempt          smallint,
    next_attempt     smallint,
    worker           text   COLLATE "C" NOT NULL,
    handler          text   COLLATE "C" NOT NULL,
    trigger          text   NOT NULL CHECK (trigger IN ('MANUAL', 'CLI', 'SCHEDULE')),
    status           text   NOT NULL CHECK (status IN ('QUEUED', 'RUNNING')),
    catalogue        text   NOT NULL,
    timeout          text   NOT NULL,
    request          json   NOT NULL,
    config           json   NOT NULL,
    retry            json   NOT NULL,
    requested_by     json   NOT NULL,
    cancel_by        json,
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

-- Finished runs. Finishing moves a row here; it never changes again. There is no index by worker:
-- every end would write to a random page of it.
CREATE TABLE run_done (
    LIKE run_live,
    ended_at bigint NOT NULL,
    outcome  json   NOT NULL,
    word     text   NOT NULL CHECK (word IN ('RUNNER', 'STORE')),
    CONSTRAINT pk_run_done PRIMARY KEY (id),
    CHECK (status IN ('SUCCESS', 'FAILED', 'INTERRUPTED', 'CANCELLED'))
) WITH (autovacuum_vacuum_insert_scale_factor = 0.1);

CREATE UNIQUE INDEX uq_run_done_number ON run_done (number);
CREATE INDEX ix_run_done_ended ON run_done (ended_at, id);

-- What a job wrote last. Apart from its row, which is read far more often.
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
