// The first schema.
//
// `journal` has no index. A block names the previous block of its execution, and the execution names its last block, so
// a commit writes only to the end of one table. The highest id is also the version of all heads (see the writer).
// `body` is the last column, so that a scan of the other columns never reads it. `wake_in` is relative to `updated_at`:
// the usual value 0 then takes no space.
//
// Columns of `executions` that change with every block may lag behind the tail of the journal, which begins after
// `settled`. Readers apply the tail.

export const TABLES = `
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value NOT NULL
) WITHOUT ROWID;

INSERT INTO meta (key, value) VALUES ('settled', 0);

CREATE TABLE executions (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE CHECK (id <> ''),
  epoch INTEGER NOT NULL,
  status TEXT NOT NULL,
  seq INTEGER NOT NULL,
  last_block INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  wake_at INTEGER,
  steps_ended INTEGER NOT NULL,
  head TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  priority REAL NOT NULL,
  steps_total INTEGER NOT NULL,
  workflow TEXT NOT NULL,
  definition TEXT NOT NULL,
  correlation_id TEXT NOT NULL,
  idempotency_key TEXT,
  idempotency_payload TEXT,
  quarantined TEXT
);

CREATE INDEX executions_by_status ON executions (status);
CREATE INDEX executions_by_wake_at ON executions (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX executions_by_idempotency_key ON executions (idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE TABLE journal (
  id INTEGER PRIMARY KEY,
  execution INTEGER NOT NULL,
  previous INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  count INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  wake_in INTEGER,
  steps_ended INTEGER NOT NULL,
  hash TEXT NOT NULL,
  body TEXT NOT NULL
);

CREATE TABLE execution_values (
  execution INTEGER NOT NULL,
  hash TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (execution, hash)
) WITHOUT ROWID;

CREATE TABLE definitions (
  hash TEXT PRIMARY KEY,
  body TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  execution TEXT NOT NULL CHECK (execution <> ''),
  posted_at INTEGER NOT NULL,
  body TEXT NOT NULL
);
`;
