// Columns by which people find executions: their labels, how many failures they tolerated, and why they failed.

export const LABELS_AND_FAILURES = `
ALTER TABLE executions ADD COLUMN labels TEXT;
ALTER TABLE executions ADD COLUMN tolerated_failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE executions ADD COLUMN failure TEXT;
`;
