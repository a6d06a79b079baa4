// Many executions: concurrent requests are split into slices, and the cost of one does not depend on the number of
// others. The tests count work and measure no time.

import { stepId, type Definition } from "@segno/kernel";
import { afterEach, describe, expect, it } from "vitest";
import { Engine, type EngineOptions, type ExecutionHandle } from "../../src/index.ts";
import { IdleExecutions } from "../../src/executions/idle-eviction.ts";
import type { LiveExecution } from "../../src/turn/live-execution.ts";
import { flow, one, step } from "../engine/sample-flow.ts";
import { CountedStore } from "./counted-store.ts";

const UNTIL_TOLD: Definition = flow([
  { id: stepId("wait"), action: { kind: "wait", on: "signal", signal: "go" } },
  step("a", { after: ["wait"] }),
]);

/** Appends and messages of one commit; reads per tick of the event loop. */
const [BATCH_MAX, READS_MAX] = [512, 64];

const open: Engine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

async function opened(options: EngineOptions): Promise<Engine> {
  const engine = await Engine.open({ agents: { work: async () => "done" }, ...options });
  open.push(engine);
  return engine;
}

function startAll(engine: Engine, workflow: Definition, size: number): Promise<ExecutionHandle[]> {
  return Promise.all(Array.from({ length: size }, () => engine.start(workflow)));
}

describe("a crowd of executions", () => {
  it("JOURNAL-1 that is started at once is committed in batches that have an end, and all of it is durable", async () => {
    const store = new CountedStore();
    const engine = await opened({ store, limits: { slots: 1000 } });
    const handles = await startAll(engine, one(), 1200);
    await Promise.all(handles.map((handle) => handle.result()));
    expect(store.largestBatch).toBeLessThanOrEqual(BATCH_MAX);
    expect((await store.find({ status: ["completed"], limit: 10_000 })).executions).toHaveLength(1200);
  });

  it("JOURNAL-1 that is told something at once is committed in batches that have an end", async () => {
    const store = new CountedStore();
    const engine = await opened({ store });
    const handles = await startAll(engine, UNTIL_TOLD, 1200);
    store.largestBatch = 0;
    const answers = await Promise.all(handles.map((handle) => handle.signal("go")));
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["accepted"]));
    expect(store.largestBatch).toBeGreaterThan(0);
    expect(store.largestBatch).toBeLessThanOrEqual(BATCH_MAX);
  });

  it("JOURNAL-4 that has completed gives its outputs without whole journals being read", async () => {
    const store = new CountedStore();
    const engine = await opened({ store });
    const handles = await startAll(engine, one(), 50);
    await Promise.all(handles.map((handle) => handle.result()));
    store.wholeLoads = 0;
    const outputs = await Promise.all(handles.map((handle) => handle.result()));
    expect(new Set(outputs.map((output) => JSON.stringify(output)))).toEqual(new Set(['"done"']));
    expect(store.wholeLoads).toBe(0);
  });

  it("JOURNAL-3 of signals to an execution that has ended reads its journal once", async () => {
    const store = new CountedStore();
    const engine = await opened({ store });
    const handle = await engine.start(one());
    await handle.result();
    store.wholeLoads = 0;
    const answers = await Promise.all(Array.from({ length: 100 }, () => handle.signal("late")));
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["ignored"]));
    expect(store.wholeLoads).toBe(1);
  });

  it("JOURNAL-3 that has left memory comes back a few at a time, and its end is read a few at a time", async () => {
    const store = new CountedStore();
    const engine = await opened({ store, limits: { liveExecutions: 10 } });
    const handles = await startAll(engine, UNTIL_TOLD, 500);
    await Promise.all(handles.map((handle) => handle.signal("go")));
    expect(await Promise.all(handles.map((handle) => handle.result()))).toHaveLength(500);
    // The store's own tick may fall between two slices.
    expect(store.loads.most).toBeLessThanOrEqual(2 * READS_MAX);
  });

  it("SCHED-1 that waits for room is let in in its order", async () => {
    const engine = await opened({ store: new CountedStore(), limits: { liveExecutions: 3 } });
    const begun: number[] = [];
    await Promise.all(
      Array.from({ length: 300 }, (_, index) => engine.start(one()).then(() => void begun.push(index))),
    );
    expect(begun).toEqual(Array.from({ length: 300 }, (_, index) => index));
  });
});

describe("an engine that makes room", () => {
  /** An execution as the idle list sees it: busy or idle. It counts how often it is inspected. */
  class Looked {
    prev = undefined;
    next = undefined;
    idleSince = undefined;
    looks = 0;
    deliveries = { size: 0 };
    attempts: { readonly size: number };

    constructor(attempts: number) {
      this.attempts = { size: attempts };
    }

    get turnStage(): string {
      this.looks++;
      return "idle";
    }

    state = {
      baseStatus: "running",
      counts: new Int32Array(16),
      queuedCount: 0,
      regions: [],
      columns: { phase: [] },
      at: 0,
    };
  }

  it("SCHED-1 looks at no execution that runs something, however many there are", () => {
    const idlers = new IdleExecutions(() => 0 as never);
    const busy = Array.from({ length: 1000 }, () => new Looked(1));
    for (const each of busy) idlers.add(each as unknown as LiveExecution);
    for (const each of busy) each.looks = 0;
    for (let start = 0; start < 1000; start++) idlers.takeEvictable({ atMost: 100, now: 1 as never, idleMs: 0 });
    expect(busy.reduce((sum, { looks }) => sum + looks, 0)).toBe(0);
  });
});

describe("messages that other processes posted", () => {
  it("LEASE-5 are looked for once by all commands to an execution that are sent together", async () => {
    const store = new CountedStore();
    const engine = await opened({ store });
    const handles = await startAll(engine, UNTIL_TOLD, 10);
    store.polls = 0;
    const commands = handles.flatMap((handle) => Array.from({ length: 5 }, () => handle.pause()));
    expect(await Promise.all(commands)).toHaveLength(50);
    expect(store.polls).toBe(10);
  });

  it("LEASE-5 are each read a few times at most, however many there are and however often the owner looks", async () => {
    const store = new CountedStore();
    const poster = await opened({ store: kept(store), mode: "post" });
    const ids = Array.from({ length: 600 }, (_, index) => `execution-${index}`);
    for (const id of ids) await poster.start(one(), null, { id });
    const owner = await opened({ store: kept(store), pollMs: 1 });
    const handles = await Promise.all(ids.map((id) => owner.get(id)));
    await Promise.all(handles.map((handle) => handle.result()));
    expect(store.messagesRead).toBeLessThanOrEqual(2 * ids.length);
    expect((await store.poll()).messages).toEqual([]);
  });
});

describe("those who watch one execution", () => {
  it("EVENT-2 are not looked at when others go on", async () => {
    const engine = await opened({ store: new CountedStore() });
    let looks = 0;
    const filter = {
      get kinds(): undefined {
        looks++;
        return undefined;
      },
    };
    for (let index = 0; index < 100; index++)
      engine.subscribe(
        Object.assign(Object.create(filter) as object, { executionId: `other-${index}` }),
        () => undefined,
      );
    const before = looks;
    const seen: string[] = [];
    engine.subscribe({ executionId: "mine" }, ({ events }) => void seen.push(...events.map(({ kind }) => kind)));
    await (await engine.start(one(), null, { id: "mine" })).result();
    await (await engine.start(one())).result();
    await new Promise((resolve) => setImmediate(resolve));
    expect(looks).toBe(before);
    expect(seen.at(-1)).toBe("execution.completed");
  });
});

/** Two engines on one store: closing one does not close it for the other. */
function kept(store: CountedStore): CountedStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "close") return async () => undefined;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
