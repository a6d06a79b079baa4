// Indexes for queries that run once a minute or with every post, and would otherwise scan tables: the number of
// messages that wait for an execution, and the executions that ended long ago.

export const INDEXES = `
CREATE INDEX inbox_by_execution ON inbox (execution);
CREATE INDEX executions_by_end ON executions (updated_at) WHERE status IN ('completed', 'failed', 'cancelled');
`;
