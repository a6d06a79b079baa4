// Indexes for what is asked once a minute or with every post, and would otherwise read whole tables: how many messages
// wait for an execution, and which executions ended long ago.

export const INDEXES = `
CREATE INDEX inbox_by_execution ON inbox (execution);
CREATE INDEX executions_by_end ON executions (updated_at) WHERE status IN ('completed', 'failed', 'cancelled');
`;
