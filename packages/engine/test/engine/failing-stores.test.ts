// A store of the user's own that fails with ordinary errors: a fault of the store, never of an execution (JOURNAL-6).

import { stepId, type ContentHash } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Engine, waitForSignal, workflow } from "../../src/index.ts";
import type { CommitBatch, ContentRequest } from "../../src/store/store.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { eventually } from "../eventually.ts";
import { flow, step } from "./sample-flow.ts";

const agents = { work: async () => 1 };
const WAITS = flow([
  { id: stepId("hears"), action: { kind: "wait", on: "signal", signal: "go" } },
  step("a", { after: ["hears"] }),
]);

type Committing = (commit: () => Promise<void>) => Promise<void>;

const reset = (): Error => Object.assign(new Error("connection reset"), { code: "ECONNRESET" });

const FAILURES: readonly (readonly [string, Committing])[] = [
  ["rejects", () => Promise.reject(reset())],
  ["rejects with no error at all", () => Promise.reject(undefined)],
  [
    "throws",
    () => {
      throw reset();
    },
  ],
  [
    "writes the batch and rejects",
    async (commit) => {
      await commit();
      throw reset();
    },
  ],
];

class FailingStore extends MemoryStore {
  committing: Committing | undefined;
  readonly contentFaults: Error[] = [];
  failed = 0;

  override commit(batch: CommitBatch): Promise<void> {
    if (this.committing === undefined) return super.commit(batch);
    this.failed++;
    return this.committing(() => super.commit(batch));
  }

  override async contents(request: ContentRequest): Promise<ReadonlyMap<ContentHash, string>> {
    const fault = request.kind === "values" ? this.contentFaults.shift() : undefined;
    if (fault !== undefined) throw fault;
    return super.contents(request);
  }

  /** Keeps its content. */
  override async close(): Promise<void> {}
}

async function quarantined(store: FailingStore): Promise<readonly string[]> {
  const { executions } = await store.find({ limit: 10 });
  return executions.flatMap((one) => one.quarantined ?? []);
}

describe.each(FAILURES)("a store whose commit %s", (_, committing) => {
  it("JOURNAL-6 JOURNAL-1 has none of its executions quarantined, and each of them continues", async () => {
    const store = new FailingStore();
    await using engine = await Engine.open({ store, agents, onFault: () => undefined });
    const ids = ["a", "b", "c"];
    const handles = await Promise.all(ids.map((id) => engine.start(WAITS, null, { id })));
    for (const handle of handles) for await (const event of handle.events()) if (event.kind === "step.suspended") break;
    store.committing = committing;
    const signals = handles.map((handle) => handle.signal("go", 1, { id: "once" }));
    await eventually(() => expect(store.failed).toBeGreaterThan(ids.length));
    expect(await quarantined(store)).toEqual([]);
    store.committing = undefined;
    await Promise.all(signals);
    for (const handle of handles) await handle.result();
    expect(await quarantined(store)).toEqual([]);
  });
});

it("JOURNAL-6 a store that fails to read a value with an ordinary error has nothing quarantined", async () => {
  const store = new FailingStore();
  const large = workflow("large")
    .step("make", async () => "x".repeat(100_000))
    .step("go", { dependsOn: ["make"] }, waitForSignal("go"))
    .step("after", { dependsOn: ["make", "go"] }, async ({ outputs }) => outputs.make.length);
  const first = await Engine.open({ store });
  const handle = await first.start(large, null, { id: "mine" });
  for await (const event of handle.events()) if (event.kind === "step.suspended") break;
  await first.close();
  await using engine = await Engine.open({ store, onFault: () => undefined, workflows: [large] });
  store.contentFaults.push(reset(), reset());
  const again = await engine.get("mine");
  await again.signal("go");
  await again.result();
  expect([await quarantined(store), store.contentFaults]).toEqual([[], []]);
});

it("JOURNAL-3 an engine closes although its store throws instead of rejecting", async () => {
  const store = new FailingStore();
  const engine = await Engine.open({ store, agents, onFault: () => undefined });
  const handle = await engine.start(WAITS, null, { id: "mine" });
  for await (const event of handle.events()) if (event.kind === "step.suspended") break;
  store.committing = () => {
    throw reset();
  };
  const signal = handle.signal("go").catch((error: { code?: string }) => error.code);
  await eventually(() => expect(store.failed).toBeGreaterThan(0));
  await engine.close();
  expect(await signal).toBe("ENGINE_CLOSED");
});
