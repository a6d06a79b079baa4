// A quick read of a store, for whoever wants a few names at once, such as a shell that completes a word.
//
// Job: names of executions, and of their steps, without an engine and without reading more than is asked for.
// Not its job: the state of anything. Columns may lag behind the journal; only readers put its tail on top.
//
//   V1. Nothing is written and nobody is waited for. What cannot be read at once is an error, and no reason to try again.
//   V2. Nothing of the engine is loaded: this has to answer while somebody's finger is still on a key.

import "@segno/contract/node-version";
import { sharedUrl } from "./database-url.ts";
import { isLeftUnlocked, isOwnedByAnother } from "./lost-locks.ts";
import { openDatabase, type DatabaseSync } from "./sqlite-module.ts";

export interface CompletionEntry {
  readonly id: string;
  readonly workflow: string;
}

const NEWEST = "SELECT id, workflow FROM executions ORDER BY key DESC LIMIT ?";
/** By its whole id or the beginning of it; among several the newest. */
const DEFINITION = `
SELECT body FROM executions JOIN definitions ON definitions.hash = executions.definition
WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id = ?1 DESC, key DESC LIMIT 1`;

/** Neither views nor virtual tables, which have no page: a planted file may have them. */
const COUNT_TABLES = `
SELECT count(*) AS count FROM sqlite_schema
WHERE type = 'table' AND rootpage > 0 AND name IN ('executions', 'definitions')`;

/** The newest first. */
export function completeExecutions(file: string, limit: number): readonly CompletionEntry[] {
  return readStore(file, (database) => database.prepare(NEWEST).all(limit) as unknown as CompletionEntry[]);
}

/** As the definition has them, without those that scopes opened into. */
export function completeSteps(file: string, execution: string): readonly string[] {
  const row = readStore(file, (database) => database.prepare(DEFINITION).get(execution));
  if (row === undefined) return [];
  const { steps } = JSON.parse(String(row["body"])) as { readonly steps: readonly { readonly id: string }[] };
  return steps.map(({ id }) => id);
}

function readStore<Result>(file: string, look: (database: DatabaseSync) => Result): Result {
  if (isLeftUnlocked(file)) throw new Error(`${file} cannot be read now`);
  const database = openDatabase(isOwnedByAnother(file) ? sharedUrl(file) : file, { readOnly: true, timeout: 0 });
  try {
    if (database.prepare(COUNT_TABLES).get()?.["count"] !== 2) throw new Error(`${file} is not a store`);
    return look(database);
  } finally {
    database.close();
  }
}
