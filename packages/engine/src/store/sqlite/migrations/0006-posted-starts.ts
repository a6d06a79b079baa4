// Marks the messages that create an execution, at most one per execution (K12). The index holds only those, so that a
// start is refused by one lookup.

export const POSTED_STARTS = `
ALTER TABLE inbox ADD COLUMN is_start INTEGER;
CREATE UNIQUE INDEX inbox_starts ON inbox (execution) WHERE is_start = 1;
`;
