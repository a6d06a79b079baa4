// The time at which the payloads of an execution were removed. Without it a removed value looks like a lost one.

export const PAYLOAD_REMOVAL = `
ALTER TABLE executions ADD COLUMN payloads_removed_at INTEGER;
`;
