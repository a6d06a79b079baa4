// JOURNAL-6: when an execution is quarantined, when it is not, and how it is recovered.

import { InvariantViolation, stepId, type ExecutionId } from "@segno/kernel";
import { expect, it } from "vitest";
import { Engine } from "../../src/index.ts";
import type { CommitBatch, LoadResult } from "../../src/store/store.ts";
import { StoreFault } from "../../src/store/store-fault.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { flow, one, step } from "./sample-flow.ts";
import { eventually } from "../eventually.ts";

const agents = { work: async () => 1 };
const WAITS = flow([
  { id: stepId("hears"), action: { kind: "wait", on: "signal", signal: "go" } },
  step("a", { after: ["hears"] }),
]);

/** A store whose next answers the test can damage. */
class SpoiltStore extends MemoryStore {
  readonly reads: (((loaded: LoadResult) => LoadResult) | Error)[] = [];
  readonly writes: Error[] = [];
  reopened = 0;

  override async load(id: ExecutionId): Promise<LoadResult | undefined> {
    const loaded = await super.load(id);
    const spoil = this.reads.shift();
    if (spoil instanceof Error) throw spoil;
    return loaded === undefined || spoil === undefined ? loaded : spoil(loaded);
  }

  override async commit(batch: CommitBatch): Promise<void> {
    const error = this.writes.shift();
    if (error !== undefined) throw error;
    return super.commit(batch);
  }

  async reopen(): Promise<void> {
    this.reopened++;
  }

  /** Keeps its content. */
  override async close(): Promise<void> {}
}

function changed(loaded: LoadResult): LoadResult {
  if (loaded.kind !== "execution") return loaded;
  const [first, ...rest] = loaded.blocks;
  return { ...loaded, blocks: [{ ...first!, body: first!.body.replace('"seed":', '"seed":1') }, ...rest] };
}

async function waiting(): Promise<SpoiltStore> {
  const store = new SpoiltStore();
  const engine = await Engine.open({ store, agents });
  const handle = await engine.start(WAITS, null, { id: "mine" });
  for await (const event of handle.events()) if (event.kind === "step.suspended") break;
  await engine.close();
  return store;
}

async function asideIn(store: SpoiltStore): Promise<string | undefined> {
  return (await store.find({ limit: 1 })).executions[0]?.quarantined;
}

it("JOURNAL-6 a row that does not fit its hash is read again from the file, and counts if it fits then", async () => {
  const store = await waiting();
  await using engine = await Engine.open({ store, agents });
  store.reads.push((loaded) => loaded, changed);
  await (await engine.get("mine")).signal("go");
  await (await engine.get("mine")).result();
  expect([await asideIn(store), store.reopened]).toEqual([undefined, 1]);
});

it("JOURNAL-6 a row that does not fit its hash twice over is set aside", async () => {
  const store = await waiting();
  const faults: unknown[] = [];
  await using engine = await Engine.open({ store, agents, onFault: (fault) => void faults.push(fault) });
  store.reads.push((loaded) => loaded, changed, changed);
  await expect((await engine.get("mine")).signal("go")).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  expect([await asideIn(store), store.reopened]).toEqual([expect.stringContaining("it was changed"), 1]);
  expect(faults).toMatchObject([
    { code: "STORE_CORRUPT", message: expect.stringContaining("the execution mine was quarantined: ") },
  ]);
});

it.each(["STORE_IO", "STORE_CORRUPT", "STORE_CODEC"] as const)(
  "JOURNAL-6 a store that throws %s sets nothing aside, even the second time",
  async (code) => {
    const store = await waiting();
    await using engine = await Engine.open({ store, agents });
    const fault = new StoreFault(code, "it cannot be read");
    for (const reads of [
      [(loaded: LoadResult) => loaded, fault],
      [(loaded: LoadResult) => loaded, changed, fault],
    ]) {
      store.reads.push(...reads);
      await expect((await engine.get("mine")).signal("go")).rejects.toMatchObject({ code });
      expect(await asideIn(store)).toBeUndefined();
    }
    await (await engine.get("mine")).signal("go");
    await (await engine.get("mine")).result();
  },
);

it("JOURNAL-6 an execution that was set aside by an exception inside a turn is recovered, with what was posted for it", async () => {
  const store = await waiting();
  const faults: unknown[] = [];
  await using engine = await Engine.open({ store, agents, pollMs: 1, onFault: (fault) => void faults.push(fault) });
  await using other = await Engine.open({ store, agents, mode: "post" });
  store.writes.push(new InvariantViolation("JOURNAL-4", "a bug"));
  await expect((await engine.get("mine")).pause()).rejects.toMatchObject({ code: "STORE_FENCED" });
  await eventually(async () => expect(await asideIn(store)).toBe("JOURNAL-4: a bug"));
  await (await other.get("mine")).signal("go");
  await eventually(async () => expect((await store.poll()).messages).toHaveLength(1));
  expect(await engine.verify("mine")).toMatchObject({ ok: false, findings: [] });
  await engine.recover("mine");
  await (await engine.get("mine")).result();
  expect(await asideIn(store)).toBeUndefined();
  expect((await store.poll()).messages).toEqual([]);
  expect(await engine.verify("mine")).toMatchObject({ ok: true, findings: [] });
});

it("EXECUTION_UNKNOWN ENGINE_NOT_OWNER a recovery is refused for what is not there, and for who does not own the store", async () => {
  const store = new SpoiltStore();
  await using engine = await Engine.open({ store, agents });
  await expect(engine.recover("nobody")).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
  await using other = await Engine.open({ store, mode: "post" });
  await expect(other.recover("nobody")).rejects.toMatchObject({ code: "ENGINE_NOT_OWNER" });
});

it("JOURNAL-6 a recovery of what was never set aside changes nothing", async () => {
  const store = new SpoiltStore();
  await using engine = await Engine.open({ store, agents });
  await (await engine.start(one(), null, { id: "mine" })).result();
  await engine.recover("mine");
  expect(await (await engine.get("mine")).result()).toBe(1);
});
