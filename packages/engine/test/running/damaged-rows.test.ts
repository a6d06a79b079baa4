// Rows that were planted in a store: texts in place of times, and bodies that are JSON but no events.

import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { repairFile, type Engine } from "../../src/index.ts";
import { eventually } from "../eventually.ts";
import { contract, useFixture } from "./fixture.ts";

const fixture = useFixture();
const HEARS = contract(`
name: hears
steps:
  - { id: hears, wait: { signal: go, timeout: 1d } }
`);
const KEY_OF_BAD = "(SELECT key FROM executions WHERE id = 'bad')";
const LAST_OF_BAD = `(SELECT max(id) FROM journal WHERE execution = ${KEY_OF_BAD})`;

const warnings: string[] = [];
const note = ({ name }: Error): void => void warnings.push(name);
beforeEach(() => void process.on("warning", note));
afterEach(() => {
  process.off("warning", note);
  expect(warnings.splice(0)).toEqual([]);
});

/** Two executions that wait, or that have ended; then the statement damages one. */
async function damaged(statement: string, isEnded: boolean = false): Promise<Engine> {
  const engine = await fixture.current.open();
  for (const id of ["bad", "good"]) {
    const execution = await engine.start(HEARS, null, { id });
    for await (const event of execution.events()) if (event.kind === "step.suspended") break;
    if (isEnded) await execution.signal("go");
    if (isEnded) await execution.result();
  }
  await fixture.current.closeEngines();
  const database = new DatabaseSync(fixture.current.file);
  database.exec(statement);
  database.close();
  return fixture.current.open();
}

async function quarantined(engine: Engine): Promise<readonly string[]> {
  const { executions } = await engine.list();
  return executions.flatMap(({ id, quarantined: reason }) => (reason === undefined ? [] : [`${id}: ${reason}`]));
}

const TIMES = [
  ["wake_at", "'soon'"],
  ["wake_at", "9e999"],
  ["updated_at", "'soon'"],
  ["updated_at", "1.5"],
  ["created_at", "x'01'"],
  ["payloads_removed_at", "'soon'"],
  ["wake_at", "9007199254740993"],
  ["updated_at", "-9223372036854775808"],
  ["created_at", "9223372036854775807"],
  ["payloads_removed_at", "9007199254740992"],
] as const;
const COUNTS = ["-1", "0", "'x'", "x'01'", "1.5", "9007199254740991", "9007199254740993"];

describe("STORE_CORRUPT a row of an execution that", () => {
  it.each(TIMES)(
    "JOURNAL-6 has the %s %s is quarantined, sets no timer, and can be repaired",
    async (column, value) => {
      const engine = await damaged(`UPDATE executions SET ${column} = ${value} WHERE id = 'bad'`);
      await expect((await engine.get("bad")).signal("go")).rejects.toMatchObject({ code: "STORE_CORRUPT" });
      await eventually(async () =>
        expect(await quarantined(engine)).toEqual([`bad: \`${column}\` of its row is not a time`]),
      );
      expect(fixture.current.faults.splice(0)).toMatchObject([{ code: "STORE_CORRUPT" }]);
      const good = await engine.get("good");
      await good.signal("go");
      await good.result();
      await fixture.current.closeEngines();
      expect(await repairFile(fixture.current.file)).toMatchObject({ repaired: [{ id: "bad" }], remaining: [] });
    },
  );

  it.each(COUNTS)("JOURNAL-6 LEASE-2 has the epoch %s is quarantined, and can be repaired", async (value) => {
    const engine = await damaged(`UPDATE executions SET epoch = ${value} WHERE id = 'bad'`);
    await expect((await engine.get("bad")).signal("go")).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    await eventually(async () => expect(await quarantined(engine)).toEqual(["bad: `epoch` of its row is not a count"]));
    expect(fixture.current.faults.splice(0)).toMatchObject([{ code: "STORE_CORRUPT" }]);
    await fixture.current.closeEngines();
    expect(await repairFile(fixture.current.file)).toMatchObject({ repaired: [{ id: "bad" }], remaining: [] });
    const repaired = await fixture.current.open();
    await repaired.recover("bad");
    const bad = await repaired.get("bad");
    await bad.signal("go");
    await bad.result();
  });
});

it.each(["'soon'", "9007199254740993"])(
  "DATA-11 JOURNAL-4 an execution without payloads whose time of removal is %s can be repaired",
  async (value) => {
    const engine = await damaged("SELECT 1", true);
    await engine.removePayloads("bad");
    await fixture.current.closeEngines();
    const database = new DatabaseSync(fixture.current.file);
    database.exec(`UPDATE executions SET payloads_removed_at = ${value} WHERE id = 'bad'`);
    database.close();
    expect(await repairFile(fixture.current.file)).toMatchObject({ repaired: [{ id: "bad" }], remaining: [] });
    expect(await (await fixture.current.open()).verify("bad")).toMatchObject({ ok: true });
  },
);

it("DEFINITION_DAMAGED a start restores a damaged definition of its workflow, and with it the executions before it", async () => {
  const engine = await damaged("UPDATE definitions SET body = x'00'");
  expect(await engine.verify("bad")).toMatchObject({ ok: false });
  await engine.start(HEARS, null, { id: "next" });
  for (const id of ["bad", "good", "next"]) expect(await engine.verify(id)).toMatchObject({ ok: true });
});

describe("JOURNAL_DAMAGED a body", () => {
  it.each(["null", "7", '"text"', "[1]", "{"])(
    "JOURNAL-7 that is %s keeps the payloads of its execution, and of no other, from being removed",
    async (body) => {
      const engine = await damaged(`UPDATE journal SET body = '${body}' WHERE id = ${LAST_OF_BAD}`, true);
      await expect(engine.removePayloads("bad")).rejects.toMatchObject({ code: "JOURNAL_DAMAGED" });
      await engine.removePayloads("good");
      expect(await engine.verify("good")).toMatchObject({ ok: true });
    },
  );
});
