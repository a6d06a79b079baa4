// What steps wrote, and which processes were started for them.
//
// A row of `step_logs` holds many lines, and its id is the number of its last one. AUTOINCREMENT keeps numbers from coming
// again when the newest logs are removed. `body` comes last, so that looking for a step does not read what others wrote.

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
