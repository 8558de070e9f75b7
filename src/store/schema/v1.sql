-- The journal's tables, version 1. This file is the truth about them; a later version adds vN.sql and
-- a migration (migrate.cpp).
--
-- One engine writes runs, nodes, baselines and events (it holds the run lock); any process may leave
-- commands and work on delegations. WAL and synchronous=FULL are set on opening (opening.cpp): the
-- first is stored in the file, the second belongs to a connection.
--
-- Every row carries check_value, a 64-bit hash of its other columns (row_check.hpp). SQLite finds a
-- broken structure; check_value finds a flipped bit inside a value. Sealed secrets need none: their
-- cipher authenticates them.

PRAGMA application_id = 0x534c5750;  -- "SLWP"
PRAGMA user_version = 1;

-- One execution of a plan. A resumed run keeps its row and counts one more session.
CREATE TABLE runs (
    id          INTEGER PRIMARY KEY,
    kind        TEXT    NOT NULL,
    plan_hash   TEXT    NOT NULL,
    spec        TEXT    NOT NULL,  -- canonical JSON, without secrets
    options     TEXT    NOT NULL,  -- JSON
    started_ms  INTEGER NOT NULL,
    finished_ms INTEGER NOT NULL,  -- 0 while unfinished
    result      TEXT    NOT NULL,  -- '' while unfinished
    sessions    INTEGER NOT NULL,
    first_event INTEGER NOT NULL,  -- every event of the run has a higher seq: where a search starts
    check_value INTEGER NOT NULL
) STRICT;

-- The last word on each node over all runs: an intent (outcome '') or a result.
--
-- Rows lie in the order in which nodes were first met, not by name, and `node` has no index: steps
-- that run together then share a few pages, and a commit writes tens of pages instead of hundreds.
-- The one writer knows the ids by heart (node_table.hpp) and refuses to go on if another wrote here.
CREATE TABLE nodes (
    id          INTEGER PRIMARY KEY,
    node        TEXT    NOT NULL,
    run         INTEGER NOT NULL REFERENCES runs (id),
    fingerprint TEXT    NOT NULL,
    outcome     TEXT    NOT NULL,
    attempt     INTEGER NOT NULL,
    started_ms  INTEGER NOT NULL,
    finished_ms INTEGER NOT NULL,  -- 0 until there is a result
    detail      TEXT    NOT NULL,  -- JSON
    position    INTEGER NOT NULL,  -- of the last result among all results; undo goes backwards along it
    changed_ms  INTEGER NOT NULL,  -- how long the last result 'changed' took, -1: none; feeds time left
    check_value INTEGER NOT NULL
) STRICT;

-- What undo puts back: how things were before the first intent since the last undo.
CREATE TABLE baselines (
    node_id     INTEGER PRIMARY KEY REFERENCES nodes (id),
    run         INTEGER NOT NULL REFERENCES runs (id),
    before      TEXT    NOT NULL,  -- JSON
    check_value INTEGER NOT NULL
) STRICT;

-- Everything that happened, in order. Only appended to; read forwards from a seq, so the primary key
-- is the only index. `run` may be 0 for what happens outside a run.
CREATE TABLE events (
    seq         INTEGER PRIMARY KEY,
    run         INTEGER NOT NULL,
    at_ms       INTEGER NOT NULL,
    type        TEXT    NOT NULL,
    level       TEXT    NOT NULL,
    host        TEXT    NOT NULL,
    step        TEXT    NOT NULL,
    body        TEXT    NOT NULL,  -- JSON object
    check_value INTEGER NOT NULL
) STRICT;

-- Wishes of other processes for the engine: pause, continue, cancel, retry, skip.
CREATE TABLE commands (
    id          INTEGER PRIMARY KEY,
    run         INTEGER NOT NULL,
    at_ms       INTEGER NOT NULL,
    verb        TEXT    NOT NULL,
    target      TEXT    NOT NULL,
    by          TEXT    NOT NULL,
    answer      TEXT    NOT NULL,  -- '' until the engine took it
    check_value INTEGER NOT NULL
) STRICT;

-- Steps an outside program performs, under a lease.
CREATE TABLE delegations (
    run            INTEGER NOT NULL,
    node           TEXT    NOT NULL,
    state          TEXT    NOT NULL,  -- waiting, leased, succeeded, failed
    holder         TEXT    NOT NULL,
    lease_until_ms INTEGER NOT NULL,
    report         TEXT    NOT NULL,  -- JSON
    check_value    INTEGER NOT NULL,
    PRIMARY KEY (run, node)
) STRICT;

-- What was last read from each host.
CREATE TABLE facts (
    host        TEXT    PRIMARY KEY,
    at_ms       INTEGER NOT NULL,
    facts       TEXT    NOT NULL,  -- JSON
    check_value INTEGER NOT NULL
) STRICT;

-- AES-256-GCM under the key file beside the journal; the name is authenticated with it (seal.hpp).
CREATE TABLE secrets (
    name   TEXT PRIMARY KEY,
    sealed BLOB NOT NULL
) STRICT;
