// Indexes for lists and sweeps, so that their cost does not depend on the number of executions.
//
// The correlation id of most executions is their own id. Those are found by id, and the index holds only the others.
// The keys of ended executions expire, and the index holds only keys that are still held. Another index holds only
// executions with logs.

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
