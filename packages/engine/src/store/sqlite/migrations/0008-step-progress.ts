// The latest progress of steps, beside the logs. It has no history.

export const STEP_PROGRESS = `
CREATE TABLE step_progress (
  execution INTEGER NOT NULL,
  step TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (execution, step)
) WITHOUT ROWID;
`;
