// An execution with an idempotency key, whose row has a key that no search finds (M2).

import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { repairFile } from "../../src/index.ts";
import { contract, useFixture } from "./fixture.ts";

const fixture = useFixture();
const HEARS = contract("name: hears\nsteps: [{ id: a, wait: { signal: go, timeout: 1d } }]\n");
const KEY = { idempotencyKey: "order-7" };

/** A store with an execution that waits, whose row then gets the given key. */
async function damagedStore(key: string): Promise<void> {
  const engine = await fixture.current.open();
  await engine.start(HEARS, null, { id: "x", ...KEY });
  await fixture.current.closeEngines();
  const database = new DatabaseSync(fixture.current.file);
  database.exec(`UPDATE executions SET key = ${key} WHERE id = 'x'`);
  database.close();
}

describe.each(["1125899906842624", "9223372036854775807", "-5", "0"])("an execution with the row key %s", (key) => {
  it("IDEM-1 still has its idempotency key: a start with that key joins it, and creates nothing", async () => {
    await damagedStore(key);
    const engine = await fixture.current.open();
    expect((await engine.start(HEARS, null, KEY)).id).toBe("x");
    await expect(engine.start(HEARS, { other: true }, KEY)).rejects.toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
    expect((await engine.list()).executions).toEqual([]);
  });

  it("IDEM-1 and the same start that is posted is answered", async () => {
    await damagedStore(key);
    const owner = await fixture.current.open();
    owner.register(HEARS);
    const poster = await fixture.current.open({ mode: "post" });
    expect((await poster.start(HEARS, null, KEY)).id).toBe("x");
  });

  it("IDEM-1 joins it after a repair as well", async () => {
    await damagedStore(key);
    expect(await repairFile(fixture.current.file)).toMatchObject({ restoredIds: 1, remaining: [] });
    const engine = await fixture.current.open();
    const handle = await engine.start(HEARS, null, KEY);
    await handle.signal("go");
    expect([handle.id, await handle.result()]).toEqual(["x", null]);
  });
});

it("IDEM-1 a key belongs to the newest execution, also if the row of an older one was moved to the end", async () => {
  const engine = await fixture.current.open();
  await (await engine.start(HEARS, null, { id: "x", ...KEY })).cancel();
  await expect((await engine.get("x")).result()).rejects.toMatchObject({ code: "EXECUTION_CANCELLED" });
  await engine.start(HEARS, null, { id: "y", ...KEY });
  await fixture.current.closeEngines();
  const database = new DatabaseSync(fixture.current.file);
  database.exec("UPDATE executions SET key = 1125899906842624 WHERE id = 'x'");
  database.close();
  const again = await fixture.current.open();
  expect((await again.start(HEARS, null, KEY)).id).toBe("y");
});
