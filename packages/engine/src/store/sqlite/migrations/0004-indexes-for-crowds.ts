// Indexes for lists and sweeps, so that they cost the same however many executions there are.
//
// Most executions have no correlation id of their own and get their id for one: they are found by that, and only the others
// are in the index. Keys of ended executions are given up after a while, and only those that are held are in the index. The
// same goes for executions whose steps have written logs.

export const INDEXES_FOR_CROWDS = `
CREATE INDEX executions_by_workflow ON executions (workflow, status);
CREATE INDEX executions_by_correlation_id ON executions (correlation_id) WHERE correlation_id <> id;
CREATE INDEX executions_by_held_key ON executions (status, updated_at)
WHERE idempotency_key IS NOT NULL AND status IN ('completed', 'failed', 'cancelled');

ALTER TABLE executions ADD COLUMN has_logs INTEGER NOT NULL DEFAULT 0;
UPDATE executions SET has_logs = 1 WHERE key IN (SELECT execution FROM step_logs);
CREATE INDEX executions_with_logs ON executions (updated_at)
WHERE has_logs = 1 AND status IN ('completed', 'failed', 'cancelled');
`;
