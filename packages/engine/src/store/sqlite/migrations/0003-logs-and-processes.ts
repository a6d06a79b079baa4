// Step logs, and the processes that steps started.
//
// A row of `step_logs` holds many lines, and its id is the number of its last line. AUTOINCREMENT prevents the reuse of
// numbers after the newest logs are removed. `body` is the last column, so that a search for a step does not read the
// lines of other steps.

export const LOGS_AND_PROCESSES = `
CREATE TABLE step_logs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  execution INTEGER NOT NULL,
  count INTEGER NOT NULL,
  step TEXT,
  body TEXT NOT NULL
);

CREATE INDEX step_logs_by_execution ON step_logs (execution);

CREATE TABLE processes (
  marker TEXT PRIMARY KEY,
  pid INTEGER NOT NULL,
  start_time TEXT NOT NULL
) WITHOUT ROWID;
`;
