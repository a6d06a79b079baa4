// Documents of programs. The table is strict, so a body of another type is damage of the file, which its check reports.

export const DOCUMENTS = `
CREATE TABLE documents (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
`;
