// The mark up to which the rows of `executions` include the journal, changed outside Segno.

import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { Engine, repairFile } from "../../src/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { expectAt } from "./contract/claim.ts";
import { append, batch } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();

const DAMAGES = [
  ["lies beyond the journal", "UPDATE meta SET value = 9e15 WHERE key = 'settled'"],
  [
    "lies one block beyond the journal",
    "UPDATE meta SET value = 1 + (SELECT coalesce(max(id), 0) FROM journal) WHERE key = 'settled'",
  ],
  ["is the last block", "UPDATE meta SET value = (SELECT coalesce(max(id), 0) FROM journal) WHERE key = 'settled'"],
  [
    "is a mark of the journal, but not of a checkpoint",
    `INSERT INTO journal SELECT coalesce(max(id), 0) + 1, 0, 0, 0, 0, 0, NULL, 0, '', '' FROM journal;
     UPDATE meta SET value = (SELECT max(id) FROM journal) WHERE key = 'settled'`,
  ],
  ["is larger than any number of JavaScript", "UPDATE meta SET value = 9223372036854775807 WHERE key = 'settled'"],
  ["is a text", "UPDATE meta SET value = 'many' WHERE key = 'settled'"],
  ["is a blob", "UPDATE meta SET value = x'01' WHERE key = 'settled'"],
  ["is negative", "UPDATE meta SET value = -5 WHERE key = 'settled'"],
  ["is a fraction", "UPDATE meta SET value = 1.5 WHERE key = 'settled'"],
  ["is missing", "DELETE FROM meta WHERE key = 'settled'"],
] as const;

function sql(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

/** A store whose rows lag behind its journal, as a killed process leaves it. */
async function laggingStore(file: string = scratch.file()): Promise<string> {
  const copy = scratch.file();
  const store = await openSqliteStore(file, { writer: "main" });
  await store.commit(batch(append("a", 0)));
  for (const after of [2, 4, 6]) await store.commit(batch(append("a", after)));
  await store.backup(copy);
  await store.close();
  return copy;
}

async function findings(file: string): Promise<readonly string[]> {
  await using engine = await Engine.open({ file, mode: "readOnly" });
  const all: string[] = [];
  for await (const part of engine.check())
    if (part.kind === "store") all.push(...part.findings.map(({ code, message }) => `${code} ${message}`));
  return all.filter((text) => text.includes("settled"));
}

describe.each(DAMAGES)("a mark that %s", (_, damage) => {
  it("JOURNAL-3 hides no recorded block from a reader, nor from a writer", async () => {
    const file = await laggingStore();
    sql(file, damage);
    const reader = await openSqliteStore(file, { readOnly: true });
    await expectAt(reader, "a", 8);
    await reader.close();
    const store = scratch.closing(await openSqliteStore(file, { writer: "main" }));
    await expectAt(store, "a", 8);
    await store.commit(batch(append("a", 8)));
    await expectAt(store, "a", 10);
  });

  it("JOURNAL-3 hides no block that is written after it", async () => {
    const file = scratch.file();
    await (await openSqliteStore(file, { writer: "main" })).close();
    sql(file, damage);
    const left = scratch.closing(await openSqliteStore(await laggingStore(file), { writer: "main" }));
    await expectAt(left, "a", 8);
  });

  it("JOURNAL-4 PROJECTION_WRONG is reported by a check, and set right by a repair", async () => {
    const file = await laggingStore();
    expect(await findings(file)).toEqual([]);
    sql(file, damage);
    expect(await findings(file)).toMatchObject([expect.stringMatching(/^PROJECTION_WRONG /u)]);
    await repairFile(file);
    expect(await findings(file)).toEqual([]);
  });
});
