// Integers that SQLite can store and JavaScript cannot represent, in every column that is read.

import { copyFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { repairFile, type CheckedPart, type Engine } from "../../src/index.ts";
import { contract, RunningFixture, useFixture } from "./fixture.ts";

const fixture = useFixture();
const HEARS = contract(`
name: hears
steps:
  - { id: hears, wait: { signal: go, timeout: 1d } }
`);
const PRINTS = contract(`
name: prints
steps:
  - { id: prints, run: "echo printed" }
`);
const TOO_LARGE = "9007199254740993";
/** SQLite cannot count on from the first one. */
const EXTREMES = ["9223372036854775807", "-9223372036854775808", "9007199254740991"];
/** Columns from which the next id is derived. */
const IDS: ReadonlySet<string> = new Set(["key", "id", "seq"]);
const KEY_OF_BAD = "(SELECT key FROM executions WHERE id = 'bad')";
const LAST_OF_BAD = `id = (SELECT max(id) FROM journal WHERE execution = ${KEY_OF_BAD})`;

/** Each table with the condition for the damaged row, and its columns of numbers. */
const TABLES: readonly (readonly [table: string, condition: string, ...columns: readonly string[]])[] = [
  ["executions", "id = 'bad'", "key", "epoch", "seq", "last_block", "updated_at", "wake_at", "steps_ended"],
  ["executions", "id = 'bad'", "created_at", "steps_total", "payloads_removed_at", "has_logs"],
  ["journal", LAST_OF_BAD, "id", "execution", "previous", "first_seq", "count", "updated_at", "wake_in", "steps_ended"],
  ["journal", "id = (SELECT max(id) FROM journal)", "id", "execution"],
  ["inbox", "1", "id", "posted_at"],
  ["step_logs", "1", "id", "execution", "count"],
  ["processes", "1", "pid"],
  ["meta", "key IN ('settled', 'creator')", "value"],
  ["sqlite_sequence", "1", "seq"],
];
/** What these tables hold can be derived from the rest. */
const REPAIRED: ReadonlySet<string> = new Set(["executions", "inbox", "processes", "meta", "sqlite_sequence"]);

const CASES = TABLES.flatMap(([table, condition, ...columns]) =>
  columns.flatMap((column) =>
    [TOO_LARGE, ...(IDS.has(column) ? EXTREMES : [])].map((number) => [table, column, number, condition] as const),
  ),
);

/** One execution to damage, one to continue, one with logs; a message in the inbox, and the record of a process. */
let template: RunningFixture;

beforeAll(async () => {
  template = new RunningFixture();
  const engine = await template.open();
  for (const id of ["bad", "good"]) {
    const execution = await engine.start(HEARS, null, { id });
    for await (const event of execution.events()) if (event.kind === "step.suspended") break;
  }
  await (await engine.start(PRINTS, null, { id: "logs" })).result();
  await template.closeEngines();
  update(
    template.file,
    "INSERT INTO inbox (execution, posted_at, body) VALUES ('bad', 1, '{}')",
    "INSERT INTO processes (marker, pid, start_time) VALUES ('marker', 1, '1')",
  );
});
afterAll(() => template.close());

function update(file: string, ...statements: readonly string[]): void {
  const database = new DatabaseSync(file);
  for (const statement of statements) database.exec(statement);
  database.close();
}

async function checkedParts(engine: Engine): Promise<readonly CheckedPart[]> {
  const parts: CheckedPart[] = [];
  for await (const part of engine.check()) parts.push(part);
  return parts;
}

afterEach(() => {
  for (const fault of fixture.current.faults.splice(0)) expect(fault).toHaveProperty("code");
});

describe("JOURNAL-6 a number that JavaScript cannot count to", () => {
  it.each(CASES)(
    "in `%s`.`%s` (%s) affects no other execution, and no check and no repair of the store",
    async (table, column, number, condition) => {
      copyFileSync(template.file, fixture.current.file);
      update(fixture.current.file, `UPDATE ${table} SET ${column} = ${number} WHERE ${condition}`);
      const engine = await fixture.current.open();
      const fresh = await engine.start(PRINTS, null, { id: "fresh" });
      await fresh.result();
      for await (const { text } of engine.logs("fresh")) expect(text).toBe("printed");
      const good = await engine.get("good");
      await good.signal("go");
      await good.result();
      const { executions } = await engine.list();
      expect(executions.map(({ id }) => id)).toEqual(expect.arrayContaining(["good", "logs", "fresh"]));
      const parts = await checkedParts(engine);
      const sound = parts.filter((part) => part.kind === "execution" && part.findings.length === 0);
      expect(sound).toEqual(expect.arrayContaining([expect.objectContaining({ id: "good" })]));
      await fixture.current.closeEngines();
      await repairFile(fixture.current.file);
      expect(await repairFile(fixture.current.file)).toMatchObject({ repaired: [] });
      if (!REPAIRED.has(table)) return;
      expect(await repairFile(fixture.current.file)).toMatchObject({ remaining: [] });
      const repaired = await fixture.current.open({ mode: "readOnly" });
      expect((await repaired.list()).executions.map(({ id }) => id)).toContain("bad");
    },
  );
});
