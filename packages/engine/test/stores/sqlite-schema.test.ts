// A store whose schema differs from that of its migrations.

import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { openConnection } from "../../src/store/sqlite/connection.ts";
import { completeExecutions } from "../../src/store/sqlite/completion-lookup.ts";
import { inspectSchema } from "../../src/store/sqlite/inspection.ts";
import { migrate } from "../../src/store/sqlite/migrate.ts";
import { MIGRATIONS } from "../../src/store/sqlite/migrations/migrations.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { expectAt } from "./contract/claim.ts";
import { append, batch } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();

async function storeWith(...statements: readonly string[]): Promise<string> {
  const file = scratch.file();
  const store = await openSqliteStore(file);
  await store.commit(batch(append("a", 0)));
  await store.close();
  const database = new DatabaseSync(file, { defensive: false });
  for (const statement of statements) database.exec(statement);
  database.close();
  return file;
}

/** `writable_schema` allows rows that no statement creates. */
const forged = (row: string): string =>
  `PRAGMA writable_schema = ON; INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (${row})`;

const TRIGGER =
  "AFTER INSERT ON journal BEGIN INSERT INTO inbox (execution, posted_at, body) VALUES ('x', 1, '{}'); END";

it.each([
  ["a trigger", `CREATE TRIGGER t ${TRIGGER}`, 'the trigger "t" is not part of a store'],
  ["a view", "CREATE VIEW v AS SELECT 1", 'the view "v" is not part of a store'],
  ["a table", "CREATE TABLE keep AS SELECT * FROM inbox", 'the table "keep" is not part of a store'],
  ["an index", "CREATE INDEX i ON inbox (body)", 'the index "i" is not part of a store'],
  ["a virtual table", "CREATE VIRTUAL TABLE f USING fts5(x)", 'the table "f" is not part of a store'],
  ["a column more", "ALTER TABLE inbox ADD COLUMN more TEXT", 'the table "inbox" was changed'],
  ["an index less", "DROP INDEX inbox_by_execution", 'the index "inbox_by_execution" is missing'],
  [
    "a trigger with a name like SQLite's own",
    forged(`'trigger', 'sqlite_stat1', 'journal', 0, 'CREATE TRIGGER sqlite_stat1 ${TRIGGER.replaceAll("'", "''")}'`),
    'the trigger "sqlite_stat1" is not part of a store',
  ],
])("STORE_SCHEMA refuses a store with %s, for writing and for reading", async (_, statement, message) => {
  const file = await storeWith(statement);
  const refused = { code: "STORE_SCHEMA", message: expect.stringContaining(message) };
  await expect(openSqliteStore(file)).rejects.toMatchObject(refused);
  await expect(openSqliteStore(file, { readOnly: true })).rejects.toMatchObject(refused);
  expect(() => inspectSchema(file)).toThrow(expect.objectContaining(refused));
});

it("STORE_CORRUPT refuses a store whose table `meta` is a virtual one, before anything is read from it", async () => {
  const file = await storeWith("DROP TABLE meta", "CREATE VIRTUAL TABLE meta USING fts5(key, value)");
  const message = expect.stringContaining("is another database");
  await expect(openSqliteStore(file)).rejects.toMatchObject({ code: "STORE_CORRUPT", message });
});

it("a glance at a store does not read a view in place of a table", async () => {
  const planted = "CREATE VIEW executions AS SELECT 1 AS key, 'planted' AS id, 'w' AS workflow";
  const file = await storeWith("DROP TABLE executions", planted);
  expect(() => completeExecutions(file, 1)).toThrow("is not a store");
  expect(completeExecutions(await storeWith(), 1)).toMatchObject([{ id: "a" }]);
});

it("STORE_SCHEMA names five objects at most, and says how many there are", async () => {
  const file = await storeWith(...Array.from({ length: 7 }, (_, at) => `CREATE VIEW v${at} AS SELECT 1`));
  await expect(openSqliteStore(file)).rejects.toThrow(/"v4" is not part of a store and 2 more$/u);
});

it("STORE_SCHEMA refuses an old store with a trigger before it is migrated", async () => {
  const file = scratch.file();
  await (await openSqliteStore(file)).close();
  const later = [...MIGRATIONS, "CREATE TABLE additions (body TEXT NOT NULL)"];
  const connection = scratch.closing(openConnection(file));
  connection.execute(`CREATE TRIGGER t ${TRIGGER}`);
  expect(() => migrate(connection, later)).toThrow(expect.objectContaining({ code: "STORE_SCHEMA" }));
  const { count } = connection.prepare("SELECT count(*) AS count FROM sqlite_schema WHERE name = 'additions'").get()!;
  expect(count).toBe(0);
});

it("a store may have the statistics that SQLite's ANALYZE leaves", async () => {
  const file = await storeWith("ANALYZE");
  await expectAt(scratch.closing(await openSqliteStore(file)), "a", 2);
});

it.each([{}, { readOnly: true }])("a connection trusts no SQL in the schema: %j", async (options) => {
  const { database } = scratch.closing(openConnection(await storeWith(), options));
  expect(database.prepare("PRAGMA trusted_schema").get()).toEqual({ trusted_schema: 0 });
  expect(() => database.exec("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema")).toThrow();
});
