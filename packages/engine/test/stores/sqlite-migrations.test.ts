import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { openConnection } from "../../src/store/sqlite/connection.ts";
import { migrate } from "../../src/store/sqlite/migrate.ts";
import { MIGRATIONS } from "../../src/store/sqlite/migrations/migrations.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { expectAt, refusal } from "./contract/claim.ts";
import { append, at, batch, toId } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();
const ADDITION = "CREATE TABLE additions (body TEXT NOT NULL)";

async function madeStore(): Promise<string> {
  const file = scratch.file();
  const store = await openSqliteStore(file);
  await store.commit(batch(append("a", 0)));
  await store.close();
  return file;
}

async function migrated(file: string, migrations: readonly string[], readOnly = false): Promise<string> {
  const connection = openConnection(file, { readOnly });
  try {
    migrate(connection, migrations);
    return "migrated";
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    connection.close();
  }
}

const listTables = (file: string): string[] => {
  const database = new DatabaseSync(file);
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  database.close();
  return rows.map((row) => String(row["name"]));
};

it("a store that is opened again is not migrated again", async () => {
  const file = await madeStore();
  const before = readFileSync(file);
  expect(await migrated(file, MIGRATIONS)).toBe("migrated");
  expect(readFileSync(file)).toEqual(before);
});

it("a migration that came later is added, and what was there stays", async () => {
  const file = await madeStore();
  expect(await migrated(file, [...MIGRATIONS, ADDITION])).toBe("migrated");
  expect(listTables(file)).toContain("additions");
  expect(await migrated(file, [...MIGRATIONS, ADDITION])).toBe("migrated");
});

it("a store that was made before logs were kept has its executions, and keeps logs and processes from now on", async () => {
  const file = scratch.file();
  writeFileSync(file, "");
  const old = openConnection(file, { isNew: true });
  migrate(old, MIGRATIONS.slice(0, 2));
  old.execute(`
    INSERT INTO executions (id, epoch, status, seq, last_block, updated_at, steps_ended, head, created_at, priority,
      steps_total, workflow, definition, correlation_id)
    VALUES ('a', 1, 'running', 1, 1, 1, 0, 'h', 1, 0, 1, 'old', 'd', 'c');
    INSERT INTO journal VALUES (1, 1, 0, 1, 1, 1, NULL, 0, 'h', '{}');`);
  old.close();
  expect(listTables(file)).not.toContain("step_logs");
  const store = scratch.closing(await openSqliteStore(file));
  await expectAt(store, "a", 1);
  const line = { step: "s", attempt: 1, stream: "stdout", at: at(0), text: "kept" } as const;
  await store.appendLogs([{ execution: toId("a"), lines: [line] }]);
  expect(await store.readLogs({ execution: toId("a"), limit: 9 })).toEqual([{ ...line, seq: 1 }]);
  await store.noteProcess({ marker: "m", pid: 1, startTime: "1" });
  expect(await store.processes()).toHaveLength(1);
});

it("a store of a newer Segno is refused with STORE_VERSION", async () => {
  const file = await madeStore();
  await migrated(file, [...MIGRATIONS, ADDITION]);
  expect(await refusal(openSqliteStore(file))).toBe("STORE_VERSION");
});

it("a migration that was changed afterwards is refused with STORE_CORRUPT", async () => {
  const file = await madeStore();
  const changed = MIGRATIONS.with(0, `${MIGRATIONS[0]!} `);
  expect(await migrated(file, changed)).toBe("STORE_CORRUPT");
  expect(await migrated(file, [...changed, ADDITION])).toBe("STORE_CORRUPT");
  expect(listTables(file)).not.toContain("additions");
});

it("a migration that fails leaves the store as it was", async () => {
  const file = await madeStore();
  expect(await migrated(file, [...MIGRATIONS, `${ADDITION}; CREATE TABLE additions (twice TEXT)`])).toBe(
    "STORE_CORRUPT",
  );
  expect(listTables(file)).not.toContain("additions");
  await expectAt(scratch.closing(await openSqliteStore(file)), "a", 2);
});

it("an old store that is opened for reading asks to be opened for writing once", async () => {
  const file = await madeStore();
  expect(await migrated(file, [...MIGRATIONS, ADDITION], true)).toBe("STORE_VERSION");
  expect(existsSync(file)).toBe(true);
});
