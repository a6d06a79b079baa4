// A store in which a body is no text: bytes that another program wrote in its place.

import { DatabaseSync } from "node:sqlite";
import { executionId } from "@segno/kernel";
import { expect, it } from "vitest";
import { repairFile, type Engine } from "../../src/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { contract, useFixture } from "./fixture.ts";

const fixture = useFixture();
const HEARS = contract(`
name: hears
steps:
  - { id: first, run: echo line }
  - { id: hears, wait: { signal: go }, dependsOn: [first] }
`);
const LAST_OF_BAD = "(SELECT last_block FROM executions WHERE id = 'bad')";
const BYTES = "CAST(body AS BLOB)";

function sql(...statements: readonly string[]): void {
  const database = new DatabaseSync(fixture.current.file);
  for (const statement of statements) database.exec(statement);
  database.close();
}

/** A store with two executions that wait for a signal, modified by the statements. */
async function damaged(...statements: readonly string[]): Promise<void> {
  const engine = await fixture.current.open();
  for (const id of ["bad", "good"]) {
    const execution = await engine.start(HEARS, null, { id });
    for await (const event of execution.events()) if (event.kind === "step.suspended") break;
  }
  await fixture.current.closeEngines();
  sql(...statements);
}

async function listFindings(engine: Engine): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const part of engine.check())
    for (const { code } of part.findings) all.push(`${part.kind === "execution" ? part.id : "store"} ${code}`);
  return all;
}

it.each(["x'010203'", BYTES])(
  "JOURNAL-4 JOURNAL_DAMAGED a row of the journal that holds %s is reported",
  async (body) => {
    await damaged(`UPDATE journal SET body = ${body} WHERE id = ${LAST_OF_BAD}`);
    const engine = await fixture.current.open({ mode: "readOnly" });
    expect(await listFindings(engine)).toEqual(["bad JOURNAL_DAMAGED"]);
    await expect((await engine.get("bad")).status()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    await engine.close();
    expect(await repairFile(fixture.current.file)).toMatchObject({ repaired: [], remaining: [{ id: "bad" }] });
  },
);

it("JOURNAL-6 an execution with bytes in its journal is quarantined, and the others go on", async () => {
  await damaged(`UPDATE journal SET body = ${BYTES} WHERE id = ${LAST_OF_BAD}`);
  const engine = await fixture.current.open();
  await expect((await engine.get("bad")).signal("go")).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  const good = await engine.get("good");
  await good.signal("go");
  await good.result();
  expect(await good.status()).toMatchObject({ status: "completed" });
  const { executions } = await engine.list();
  expect(executions.filter(({ quarantined }) => quarantined !== undefined).map(({ id }) => id)).toEqual(["bad"]);
  expect(fixture.current.faults.splice(0)).toMatchObject([{ code: "STORE_CORRUPT" }]);
});

it("JOURNAL-4 bytes in place of a definition are reported", async () => {
  await damaged(`UPDATE definitions SET body = ${BYTES}`);
  const engine = await fixture.current.open({ mode: "readOnly" });
  expect(await listFindings(engine)).toEqual(["bad DEFINITION_DAMAGED", "good DEFINITION_DAMAGED"]);
});

it.each(["x'01'", "x'31'", "'1'", "'[1]'", "'{}'"])(
  "STORE_CORRUPT a row of logs that holds %s cannot be read",
  async (body) => {
    await damaged(`UPDATE step_logs SET body = ${body}`);
    const store = await openSqliteStore(fixture.current.file, { readOnly: true });
    const request = { execution: executionId("good"), limit: 9 };
    await expect(store.readLogs(request)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    await store.close();
  },
);

it("CANCEL-2 a record of a process that holds bytes names no process", async () => {
  await damaged(
    "INSERT INTO processes (marker, pid, start_time) VALUES (x'01', 1, '1'), ('m', 'x', '1'), ('n', 1, x'01')",
  );
  const store = await openSqliteStore(fixture.current.file, { writer: "main" });
  expect(await store.processes()).toEqual([]);
  await store.close();
  const engine = await fixture.current.open();
  expect(engine.isOwner).toBe(true);
});
