-- The ledger on SQLite.
--
-- Instants are whole microseconds since 1970-01-01T00:00:00Z, identifiers are their 16 bytes,
-- what people may nest is JSON. No instant has a default: every one comes from the store's clock.
-- There are no foreign keys: a turn waits for nothing but its own rows.

CREATE TABLE schema_version (
    version INTEGER PRIMARY KEY,
    -- The oldest program (by the newest version that it knows) that can work with this schema.
    min_compatible INTEGER NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT;

-- One row: who this ledger is, and what its sequences give next.
CREATE TABLE ledger (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id BLOB NOT NULL CHECK (length(id) = 16),
    next_number INTEGER NOT NULL,
    next_fence INTEGER NOT NULL
) STRICT;

INSERT INTO ledger (one, id, next_number, next_fence) VALUES (1, randomblob(16), 1, 1);

-- At most one row: the scheduler that ticked last, for people.
CREATE TABLE leadership (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    scheduler BLOB NOT NULL CHECK (length(scheduler) = 16),
    since INTEGER NOT NULL,
    last_tick INTEGER NOT NULL
) STRICT;

CREATE TABLE runner (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    name TEXT NOT NULL,
    host TEXT NOT NULL,
    version TEXT NOT NULL,
    -- A JSON list of names; NULL means every handler.
    handlers TEXT,
    concurrency INTEGER NOT NULL,
    heartbeat INTEGER NOT NULL,
    lease INTEGER NOT NULL,
    -- A JSON list of the hashes that it brought.
    catalogue TEXT NOT NULL,
    registered_at INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    stopped_at INTEGER,
    turn INTEGER NOT NULL
) STRICT;

CREATE TABLE catalogue (
    handler TEXT NOT NULL,
    hash TEXT NOT NULL,
    version INTEGER NOT NULL,
    definition TEXT NOT NULL,
    published_at INTEGER NOT NULL,
    published_by TEXT,
    PRIMARY KEY (handler, hash)
) STRICT;

-- A worker's row never goes away. It carries the schedule (when `plan` is there) and the
-- settings (when `settings` is there). A schedule's revision is the worker's.
CREATE TABLE worker (
    name TEXT PRIMARY KEY NOT NULL,
    accounted_until INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    plan TEXT,
    enablement TEXT,
    next_at INTEGER,
    next_wall TEXT,
    next_ordinal INTEGER,
    last_wall TEXT,
    runs_created INTEGER,
    zone_data TEXT,
    changed_at INTEGER,
    changed_by TEXT,
    settings TEXT,
    settings_revision INTEGER,
    settings_changed_at INTEGER,
    settings_changed_by TEXT,
    CHECK ((plan IS NULL) = (enablement IS NULL)),
    CHECK ((next_at IS NULL) = (next_wall IS NULL)),
    CHECK (plan IS NOT NULL OR next_at IS NULL)
) STRICT;

CREATE INDEX ix_worker_due ON worker (next_at, name) WHERE next_at IS NOT NULL;

-- A due instant and what became of it. Its key is also what holds no-double-enqueue: an attempt 1
-- is only ever created together with its occurrence, in one transaction.
CREATE TABLE occurrence (
    worker TEXT NOT NULL,
    scheduled_for INTEGER NOT NULL,
    accounts_from INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    fate TEXT NOT NULL CHECK (fate IN ('ENQUEUED', 'CAUGHT_UP', 'SKIPPED', 'MISSED')),
    -- Why it was skipped.
    skipped TEXT,
    -- The chain of attempts, when a run was created.
    last_run BLOB,
    attempt INTEGER,
    retry TEXT CHECK (retry IN ('NONE', 'OWED', 'DROPPED')),
    retry_changed_at INTEGER,
    retry_changed_by TEXT,
    PRIMARY KEY (worker, scheduled_for),
    CHECK ((fate = 'SKIPPED') = (skipped IS NOT NULL)),
    CHECK ((last_run IS NULL) = (attempt IS NULL) AND (last_run IS NULL) = (retry IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX ix_occurrence_owed ON occurrence (worker, scheduled_for) WHERE retry = 'OWED';
CREATE INDEX ix_occurrence_recorded ON occurrence (recorded_at);

-- Live runs lie apart from finished ones, so that the cost of a turn does not know the history.
CREATE TABLE run_live (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    number INTEGER NOT NULL,
    worker TEXT NOT NULL,
    handler TEXT NOT NULL,
    trigger TEXT NOT NULL CHECK (trigger IN ('MANUAL', 'CLI', 'SCHEDULE')),
    scheduled_for INTEGER,
    attempt INTEGER,
    retry_of BLOB,
    request TEXT NOT NULL,
    config TEXT NOT NULL,
    catalogue TEXT NOT NULL,
    timeout TEXT NOT NULL,
    retry TEXT NOT NULL,
    requested_by TEXT NOT NULL,
    enqueued_at INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    start_before INTEGER,
    cancel_at INTEGER,
    cancel_by TEXT,
    pending INTEGER,
    processed INTEGER,
    status TEXT NOT NULL CHECK (status IN ('QUEUED', 'RUNNING')),
    runner BLOB,
    fence INTEGER,
    claimed_at INTEGER,
    lease_expires_at INTEGER,
    started_at INTEGER,
    started_config TEXT,
    progress TEXT,
    CHECK ((trigger = 'SCHEDULE') = (scheduled_for IS NOT NULL AND attempt IS NOT NULL)),
    CHECK ((status = 'RUNNING') = (runner IS NOT NULL)),
    CHECK ((runner IS NULL) = (fence IS NULL) AND (runner IS NULL) = (lease_expires_at IS NULL))
) STRICT;

-- one-active-row: guaranteed here, not by a process.
CREATE UNIQUE INDEX uq_worker_run_active ON run_live (worker);
CREATE UNIQUE INDEX uq_run_live_number ON run_live (number);
CREATE INDEX ix_run_live_queue ON run_live (not_before, id, handler) WHERE status = 'QUEUED';
CREATE INDEX ix_run_live_late ON run_live (start_before)
    WHERE status = 'QUEUED' AND start_before IS NOT NULL;
CREATE INDEX ix_run_live_held ON run_live (runner) WHERE status = 'RUNNING';
CREATE INDEX ix_run_live_expiry ON run_live (lease_expires_at, id) WHERE status = 'RUNNING';

-- Finished runs. Finishing moves a row here; it never changes again.
CREATE TABLE run_done (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    number INTEGER NOT NULL,
    worker TEXT NOT NULL,
    handler TEXT NOT NULL,
    trigger TEXT NOT NULL,
    scheduled_for INTEGER,
    attempt INTEGER,
    retry_of BLOB,
    request TEXT NOT NULL,
    config TEXT NOT NULL,
    catalogue TEXT NOT NULL,
    timeout TEXT NOT NULL,
    retry TEXT NOT NULL,
    requested_by TEXT NOT NULL,
    enqueued_at INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    start_before INTEGER,
    cancel_at INTEGER,
    cancel_by TEXT,
    pending INTEGER,
    processed INTEGER,
    status TEXT NOT NULL CHECK (status IN ('SUCCESS', 'FAILED', 'INTERRUPTED', 'CANCELLED')),
    runner BLOB,
    fence INTEGER,
    claimed_at INTEGER,
    lease_expires_at INTEGER,
    started_at INTEGER,
    started_config TEXT,
    progress TEXT,
    ended_at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    word TEXT NOT NULL CHECK (word IN ('RUNNER', 'STORE'))
) STRICT;

CREATE UNIQUE INDEX uq_run_done_number ON run_done (number);
-- A worker's history, newest first: read by people, and by retention, which keeps the last few
-- runs of each worker. Nothing that a daemon does often looks at it.
CREATE INDEX ix_run_done_worker ON run_done (worker, number);
CREATE INDEX ix_run_done_ended ON run_done (ended_at, id);
-- The attempts at an occurrence: retention asks for them; and each attempt stands here once.
CREATE UNIQUE INDEX uq_run_done_attempt ON run_done (worker, scheduled_for, attempt)
    WHERE scheduled_for IS NOT NULL;

-- What a job wrote last. Apart from its row, which is read far more often.
CREATE TABLE run_output (
    run BLOB PRIMARY KEY NOT NULL CHECK (length(run) = 16),
    stdout BLOB NOT NULL,
    stdout_dropped INTEGER NOT NULL,
    stderr BLOB NOT NULL,
    stderr_dropped INTEGER NOT NULL
) STRICT;

-- The one ledger that both tables are. The casts give both halves the same column types: only
-- then does SQLite look into each half by its own indexes.
CREATE VIEW run AS
SELECT
    *, CAST(NULL AS INTEGER) AS ended_at, CAST(NULL AS TEXT) AS outcome, CAST(NULL AS TEXT) AS word
FROM run_live
UNION ALL
SELECT * FROM run_done;
