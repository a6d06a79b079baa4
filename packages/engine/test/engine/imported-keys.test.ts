// Idempotency keys of imported executions.

import { afterEach, describe, expect, it } from "vitest";
import { Engine, waitForSignal, workflow, type EngineOptions } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { fail, hang, openTestEngine, script, succeed, type TestEngine } from "../../src/testing/index.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { collect } from "./collect.ts";
import { one } from "./sample-flow.ts";

const scratch = scratchFolder();
const open: Engine[] = [];
const KEY = { idempotencyKey: "order-7" };
const WAITING = workflow("waiting").step("go", waitForSignal("go"));

afterEach(async () => {
  for (const engine of open.splice(0).toReversed()) await engine.close();
});

const STORES: readonly (readonly [string, () => EngineOptions])[] = [
  ["a memory store", () => ({ store: new MemoryStore() })],
  ["a file", () => ({ file: scratch.file() })],
];

async function openOn(options: EngineOptions): Promise<Engine> {
  const engine = await Engine.open({ ...options, workflows: [WAITING] });
  open.push(engine);
  return engine;
}

async function startedWith(engine: Engine, id?: string): Promise<string> {
  return (await engine.start(WAITING, null, { ...KEY, ...(id === undefined ? {} : { id }) })).id;
}

describe.each(STORES)("an import into %s", (_, options) => {
  it("IDEM-1 takes no key from an execution that runs (IDEMPOTENCY_CONFLICT)", async () => {
    const [from, to] = [await openOn(options()), await openOn(options())];
    await startedWith(from, "A");
    const lines = await collect(from.export("A"));
    await startedWith(to, "B");
    await expect(to.import(lines)).rejects.toMatchObject({
      code: "IDEMPOTENCY_CONFLICT",
      message: "the execution A cannot be imported: its idempotency key order-7 belongs to the execution B",
    });
    expect(await startedWith(to)).toBe("B");
    expect((await to.list()).executions.map(({ id }) => id)).toEqual(["B"]);
  });

  it("IDEM-1 keeps the key of the execution: a start with the key joins it", async () => {
    const [from, to] = [await openOn(options()), await openOn(options())];
    await startedWith(from, "A");
    await to.import(await collect(from.export("A")));
    expect(await startedWith(to)).toBe("A");
    expect(await to.verify("A")).toMatchObject({ ok: true });
  });

  it("IDEM-1 and a start with its key at the same moment give one holder of the key", async () => {
    const [from, to] = [await openOn(options()), await openOn(options())];
    await startedWith(from, "A");
    const lines = await collect(from.export("A"));
    const [imported, started] = await Promise.allSettled([to.import(lines), startedWith(to, "B")]);
    const holder = imported.status === "fulfilled" ? "A" : "B";
    expect(started).toEqual({ status: "fulfilled", value: holder });
    expect((await to.list()).executions.map(({ id }) => id)).toEqual([holder]);
  });
});

/** The lines of an execution with the key that completed at once, at the time at which every test engine begins. */
async function completed(): Promise<string[]> {
  await using from = await openTestEngine({ agents: { work: script([succeed(1)]) } });
  await from.start(one(), null, { ...KEY, id: "A" });
  await from.untilIdle();
  return collect(from.engine.export("A"));
}

async function findHolder(test: TestEngine): Promise<string> {
  return (await test.start(one(), null, KEY)).id;
}

describe("an import of an execution that failed and was retried", () => {
  it("IDEM-3 is accepted without the key, which the sweep removed before the retry", async () => {
    await using from = await openTestEngine({ agents: { work: script([fail("no", { permanent: true }), hang()]) } });
    const handle = await from.start(one(), null, { ...KEY, id: "A" });
    await from.advance("5m");
    await handle.retry();
    await from.untilIdle();
    expect(await from.engine.verify("A")).toMatchObject({ ok: true });
    await using to = await openTestEngine({ agents: { work: script([hang()]) } });
    await to.engine.import(await collect(from.engine.export("A")));
    expect(await to.engine.verify("A")).toMatchObject({ ok: true });
    expect(await findHolder(to)).not.toBe("A");
  });
});

describe("an import without a store", () => {
  it("JOURNAL-7 is refused, because nothing would be kept (STORE_UNSUPPORTED)", async () => {
    const lines = await completed();
    const engine = await openOn({ store: "none" });
    await expect(engine.import(lines)).rejects.toMatchObject({ code: "STORE_UNSUPPORTED" });
  });
});

describe("an import of an execution that has completed", () => {
  it("IDEM-1 keeps its key for the rest of the 600,000 ms", async () => {
    await using to = await openTestEngine({ agents: { work: script([hang()]) } });
    await to.engine.import(await completed());
    await to.advance(600_000);
    expect(await findHolder(to)).toBe("A");
    await to.advance(1);
    expect(await findHolder(to)).not.toBe("A");
  });

  it("IDEM-1 comes without its key when that time is over, and takes it from no other execution", async () => {
    const lines = await completed();
    await using to = await openTestEngine({ agents: { work: script([hang()]) } });
    await to.advance(600_001);
    const holder = await findHolder(to);
    await to.engine.import(lines);
    expect(await findHolder(to)).toBe(holder);
    expect(await to.engine.verify("A")).toMatchObject({ ok: true });
  });
});
