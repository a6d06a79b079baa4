// An engine without a store keeps the guarantees that hold within a process.

import { describe, expect, it } from "vitest";
import { Engine, type EngineOptions, type ExecutionHandle, type Store, type WatchEvent } from "../../src/index.ts";
import { flow, step } from "./sample-flow.ts";

const AGENTS: EngineOptions = { store: "none", agents: { work: async () => "done" } };
const TWO = flow([step("a"), step("b", { after: ["a"] })]);

async function allOf(handle: ExecutionHandle): Promise<readonly WatchEvent[]> {
  const all: WatchEvent[] = [];
  for await (const event of handle.events()) all.push(event);
  return all;
}

describe("without a store", () => {
  it("EVENT-1 events come while it runs, in order and without gaps, and end with it", async () => {
    await using engine = await Engine.open(AGENTS);
    const events = await allOf(await engine.start(TWO));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({ kind: "execution.created" });
    expect(events.at(-1)).toMatchObject({ kind: "execution.completed", context: { steps: { b: { output: "done" } } } });
  });

  it("EVENT-1 the history of what has ended is the same, for as many as are remembered", async () => {
    await using engine = await Engine.open(AGENTS);
    const handle = await engine.start(TWO);
    const live = await allOf(handle);
    expect(await allOf(await engine.get(handle.id))).toEqual(live);
    const ids: string[] = [];
    for (let count = 0; count < 1001; count++) {
      const other = await engine.start(TWO);
      await other.result();
      ids.push(other.id);
    }
    await expect(allOf(handle)).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
    expect(await allOf(await engine.get(ids.at(-1)!))).toHaveLength(live.length);
  });

  it("IDEM-1 IDEM-2 a key stands for one execution, running or succeeded, and for one payload", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    await using engine = await Engine.open({ store: "none", agents: { work: () => promise } });
    const options = { idempotencyKey: "once" };
    const [first, second] = await Promise.all([engine.start(TWO, 1, options), engine.start(TWO, 1, options)]);
    expect(second.id).toBe(first.id);
    await expect(engine.start(TWO, 2, options)).rejects.toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
    resolve("done");
    await first.result();
    expect((await engine.start(TWO, 1, options)).id).toBe(first.id);
    expect((await engine.start(TWO, 1, { idempotencyKey: "twice" })).id).not.toBe(first.id);
  });

  it("IDEM-1 a failed execution gives its key back", async () => {
    const work = (): Promise<never> => Promise.reject(new TypeError("no"));
    await using engine = await Engine.open({ store: "none", agents: { work } });
    const first = await engine.start(TWO, null, { idempotencyKey: "again" });
    await expect(first.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED" });
    expect((await engine.start(TWO, null, { idempotencyKey: "again" })).id).not.toBe(first.id);
  });

  it("EVENT-1 IDEM-1 a store of one's own that says that it keeps nothing is no store, either", async () => {
    const store: Store = {
      keepsExecutions: false,
      commit: async () => undefined,
      load: async () => undefined,
      loadLast: async () => undefined,
      contents: async () => new Map(),
      find: async () => ({ executions: [] }),
      post: () => Promise.reject(new Error("nothing is posted")),
      poll: async () => ({ messages: [] }),
      close: async () => undefined,
    };
    await using engine = await Engine.open({ ...AGENTS, store });
    const handle = await engine.start(TWO, null, { idempotencyKey: "once" });
    await handle.result();
    expect((await allOf(handle)).at(-1)).toMatchObject({ kind: "execution.completed" });
    expect((await engine.start(TWO, null, { idempotencyKey: "once" })).id).toBe(handle.id);
  });
});
