// The ids of posted messages, when the numbers from which they are counted were changed outside Segno (I1).

import { DatabaseSync } from "node:sqlite";
import { epochMs, executionId } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { repairFile } from "../../src/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { MessageId, Store } from "../../src/store/store.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();

function sql(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

/** Posts a message and takes it, so that the inbox is empty again. */
async function postAndTake(store: Store): Promise<MessageId> {
  const id = await store.post({ execution: executionId("x"), body: "{}", postedAt: epochMs(1) });
  await store.commit({ appends: [], consumedMessages: [id] });
  return id;
}

const SEQUENCES = [
  ["is beyond all ids", "UPDATE sqlite_sequence SET seq = 1125899906842624 WHERE name = 'inbox'"],
  ["is the largest number of SQLite", "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'inbox'"],
  ["was set back", "UPDATE sqlite_sequence SET seq = 0 WHERE name = 'inbox'"],
  ["is negative", "UPDATE sqlite_sequence SET seq = -5 WHERE name = 'inbox'"],
  ["is a text", "UPDATE sqlite_sequence SET seq = 'many' WHERE name = 'inbox'"],
  ["is missing", "DELETE FROM sqlite_sequence WHERE name = 'inbox'"],
  ["is there twice", "INSERT INTO sqlite_sequence (name, seq) VALUES ('inbox', 1)"],
] as const;

const RECORDS = [
  ["is beyond all ids", "UPDATE meta SET value = 1125899906842624 WHERE key = 'last-message'"],
  ["was set back", "UPDATE meta SET value = 0 WHERE key = 'last-message'"],
  ["is a text", "UPDATE meta SET value = 'many' WHERE key = 'last-message'"],
  ["is missing", "DELETE FROM meta WHERE key = 'last-message'"],
] as const;

const DAMAGES = [
  ...SEQUENCES.map(([problem, damage]) => ["the count of SQLite", problem, damage] as const),
  ...RECORDS.map(([problem, damage]) => ["the recorded id", problem, damage] as const),
];

describe.each(DAMAGES)("if %s %s", (_, __, damage) => {
  it("LEASE-5 ids go on rising in an inbox that is emptied again and again, also after a repair", async () => {
    const file = scratch.file();
    const ids: MessageId[] = [];
    const before = await openSqliteStore(file, { writer: "main" });
    for (let each = 0; each < 3; each++) ids.push(await postAndTake(before));
    await before.close();
    sql(file, damage);
    const after = await openSqliteStore(file, { writer: "main" });
    for (let each = 0; each < 3; each++) ids.push(await postAndTake(after));
    await after.close();
    await repairFile(file);
    const repaired = await openSqliteStore(file, { writer: "main" });
    for (let each = 0; each < 3; each++) ids.push(await postAndTake(repaired));
    await repaired.close();
    expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});

it("LEASE-5 ids go on rising if the count is damaged while the store is open, and before the first post", async () => {
  const file = scratch.file();
  const store = await openSqliteStore(file, { writer: "main" });
  sql(file, "INSERT INTO sqlite_sequence (name, seq) VALUES ('inbox', 1125899906842624)");
  const ids = [await postAndTake(store), await postAndTake(store)];
  await store.close();
  expect(ids).toEqual([1, 2]);
});
