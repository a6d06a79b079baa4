// Marks the messages that create an execution (K12). The index holds only those, so that a start is refused by one
// lookup. It is not unique: a row that another program wrote with an id that no search finds must not refuse starts.

export const POSTED_STARTS = `
ALTER TABLE inbox ADD COLUMN is_start INTEGER;
CREATE INDEX inbox_starts ON inbox (execution) WHERE is_start = 1;
`;
