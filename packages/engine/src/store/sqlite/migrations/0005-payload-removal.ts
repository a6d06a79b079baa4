// When the payloads of an execution were removed. Without it a value that was removed looks like one that was lost.

export const PAYLOAD_REMOVAL = `
ALTER TABLE executions ADD COLUMN payloads_removed_at INTEGER;
`;
