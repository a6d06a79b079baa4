// A quick read-only lookup of names in a store, for shell completion.
//
// It finds the names of executions and of their steps, without an engine and without reading more than requested. It
// does not report states: columns may lag behind the journal, and only the regular readers apply the tail.
//
//   V1. The lookup writes nothing and waits for no other process. If it cannot read at once, it throws and does not
//       retry.
//   V2. The lookup loads nothing of the engine, because the shell waits for it at a key press.

import "@segno/contract/node-version";
import { realpathSync } from "node:fs";
import { sharedUrl } from "./database-url.ts";
import { isLeftUnlocked, isOwnedByAnother } from "./lost-locks.ts";
import { refuseUnlessPlain } from "./plain-file.ts";
import { openDatabase, type DatabaseSync } from "./sqlite-module.ts";

export interface CompletionEntry {
  readonly id: string;
  readonly workflow: string;
}

const NEWEST = "SELECT id, workflow FROM executions ORDER BY key DESC LIMIT ?";
/** Finds an execution by its id or a prefix of it; among several matches the newest. */
const DEFINITION = `
SELECT body FROM executions JOIN definitions ON definitions.hash = executions.definition
WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id = ?1 DESC, key DESC LIMIT 1`;

/** Counts neither views nor virtual tables, which have no root page. A planted file may contain them. */
const COUNT_TABLES = `
SELECT count(*) AS count FROM sqlite_schema
WHERE type = 'table' AND rootpage > 0 AND name IN ('executions', 'definitions')`;

/** Newest first. */
export function completeExecutions(file: string, limit: number): readonly CompletionEntry[] {
  return readStore(file, (database) => database.prepare(NEWEST).all(limit) as unknown as CompletionEntry[]);
}

/** The steps of the definition, without the children of scopes. */
export function completeSteps(file: string, execution: string): readonly string[] {
  const row = readStore(file, (database) => database.prepare(DEFINITION).get(execution));
  if (row === undefined) return [];
  const { steps } = JSON.parse(String(row["body"])) as { readonly steps: readonly { readonly id: string }[] };
  return steps.map(({ id }) => id);
}

function readStore<Result>(file: string, read: (database: DatabaseSync) => Result): Result {
  if (isLeftUnlocked(file)) throw new Error(`${file} cannot be read now`);
  for (const suffix of ["-wal", "-shm"]) refuseUnlessPlain(`${realpathSync(file)}${suffix}`);
  const database = openDatabase(isOwnedByAnother(file) ? sharedUrl(file) : file, { readOnly: true, timeout: 0 });
  try {
    if (database.prepare(COUNT_TABLES).get()?.["count"] !== 2) throw new Error(`${file} is not a store`);
    return read(database);
  } finally {
    database.close();
  }
}
