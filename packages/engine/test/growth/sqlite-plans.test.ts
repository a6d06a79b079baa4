// The query plans of SQLite: every statement uses an index and a range, never a whole table.

import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { SELECT_BY_ID, SELECT_BY_KEY } from "../../src/store/sqlite/execution-row.ts";
import { SEARCHES } from "../../src/store/sqlite/execution-search.ts";
import { SELECT_ENDED, SELECT_KEYS_OVER } from "../../src/store/sqlite/housekeeping.ts";
import { SELECT_MESSAGES, SELECT_MESSAGES_OF_ONE } from "../../src/store/sqlite/inbox-table.ts";
import { SELECT_OLD } from "../../src/store/sqlite/log-table.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { SELECT_KEY_HOLDER } from "../../src/store/sqlite/key-holder.ts";
import { SELECT_START } from "../../src/store/sqlite/journal-writer.ts";
import { SELECT_LAST_BLOCK, SELECT_NEW_BLOCKS, SELECT_VERSION } from "../../src/store/sqlite/journal-tail.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";

const scratch = scratchFolder();

const PLANS: readonly (readonly [name: string, sql: string, plan: RegExp])[] = [
  ["an execution by its id", SELECT_BY_ID, /^SEARCH e USING INDEX sqlite_autoindex_executions_1 \(id=\?\)$/u],
  ["an execution by its key", SELECT_BY_KEY, /^SEARCH e USING INTEGER PRIMARY KEY \(rowid=\?\)$/u],
  ["the last block of an execution", SELECT_LAST_BLOCK, /^SEARCH journal USING INTEGER PRIMARY KEY \(rowid=\?\)$/u],
  [
    "blocks since the last look",
    SELECT_NEW_BLOCKS,
    /^SEARCH journal USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/u,
  ],
  ["all executions", SEARCHES.all, /^SEARCH executions USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/u],
  ["a status", SEARCHES.status, /executions_by_status \(status=\? AND rowid>\? AND rowid<\?\)$/u],
  ["a workflow", SEARCHES.workflow, /executions_by_workflow \(workflow=\? AND status=\? AND rowid>\? AND rowid<\?\)$/u],
  [
    "a correlation id",
    SEARCHES.correlationId,
    /executions_by_correlation_id \(correlation_id=\? AND rowid>\? AND rowid<\?\)$/u,
  ],
  ["the own correlation id", SEARCHES.ownCorrelationId, /sqlite_autoindex_executions_1 \(id=\?.*\)$/u],
  ["what is due at a time", SEARCHES.dueThen, /executions_by_wake_at \(wake_at=\? AND rowid>\? AND rowid<\?\)$/u],
  ["what is due later", SEARCHES.dueLater, /executions_by_wake_at \(wake_at>\? AND wake_at<\?\)$/u],
  ["old ends", SELECT_ENDED, /executions_by_end \(updated_at<\?\)$/u],
  ["old logs", SELECT_OLD, /executions_with_logs \(updated_at<\?\)$/u],
  ["messages", SELECT_MESSAGES, /^SEARCH inbox USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/u],
  ["the posted start of one", SELECT_START, /^SEARCH inbox USING INDEX inbox_starts \(execution=\? AND rowid<\?\)$/u],
  ["messages of one", SELECT_MESSAGES_OF_ONE, /inbox_by_execution \(execution=\? AND rowid>\? AND rowid<\?\)$/u],
];

async function makePlan(sql: string): Promise<readonly string[]> {
  const file = scratch.file();
  await (await openSqliteStore(file)).close();
  const database = new DatabaseSync(file, { readOnly: true });
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  database.close();
  return steps.map(({ detail }) => String(detail));
}

it.each(PLANS)("JOURNAL-7 HTTP-5 %s is found by one range of an index, and nothing is sorted", async (_, sql, plan) => {
  const steps = await makePlan(sql);
  expect(steps).toHaveLength(1);
  expect(steps[0]).toMatch(plan);
});

it("IDEM-3 keys that are over are found by ranges of an index", async () => {
  const steps = await makePlan(SELECT_KEYS_OVER);
  const searches = steps.filter((step) => step.startsWith("SEARCH"));
  expect(searches).toHaveLength(3);
  for (const search of searches) expect(search).toMatch(/executions_by_held_key \(status=\?( AND updated_at<\?)?\)$/u);
  expect(steps.filter((step) => step.startsWith("SCAN executions") || step.includes("TEMP B-TREE"))).toEqual([]);
});

it("IDEM-1 the execution with a key is found by ranges of an index", async () => {
  const steps = await makePlan(SELECT_KEY_HOLDER);
  const ranges = steps.filter((step) => step.includes("executions_by_idempotency_key"));
  expect(ranges).toHaveLength(3);
  for (const range of ranges) expect(range).toMatch(/\(idempotency_key=\?( AND rowid[<>]\?)+\)$/u);
  expect(steps.filter((step) => /^(?:SCAN|SEARCH) (?:executions|journal|block) (?!USING)/u.test(step))).toEqual([]);
});

it("JOURNAL-4 the version of the journal is found at its end", async () => {
  expect((await makePlan(SELECT_VERSION)).join("\n")).toMatch(/SEARCH journal\b/u);
});
