// An external message and the end of the step that waited for it are in one commit (BEYOND-2).

import { describe, expect, it } from "vitest";
import { approval, Engine, waitForSignal, workflow, type ExecutionHandle } from "../../src/index.ts";
import type { EngineStore } from "../../src/store/engine-store.ts";
import type { CommitBatch } from "../../src/store/store.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";

const scratch = scratchFolder();
const STORES: readonly (readonly [string, () => Promise<EngineStore>])[] = [
  ["memory", async () => new MemoryStore()],
  ["SQLite", () => openSqliteStore(scratch.file(), { writer: "main" })],
];

/** Records every commit at the moment when it is durable. */
function watched(store: EngineStore): { readonly store: EngineStore; readonly batches: CommitBatch[] } {
  const batches: CommitBatch[] = [];
  const commit = store.commit.bind(store);
  store.commit = async (batch) => {
    await commit(batch);
    batches.push(batch);
  };
  return { store, batches };
}

/** The kinds of the events in each commit. */
function listKinds(batches: readonly CommitBatch[]): readonly (readonly string[])[] {
  return batches.map(({ appends }) =>
    appends
      .flatMap(({ block }) => block?.body.split("\n") ?? [])
      .map((line) => (JSON.parse(line) as { readonly kind: string }).kind),
  );
}

const readStatus = async (handle: ExecutionHandle<unknown>): Promise<string> =>
  (await handle.status()).steps[0]!.status;

/** Ends one commit later than its first step, to tell the two apart. */
const listens = workflow("listens")
  .step("go", waitForSignal("go"))
  .step("after", { dependsOn: ["go"] }, waitForSignal("never"));
const asks = workflow("asks")
  .step("ask", approval({ by: ["ann", "bob"], quorum: 2 }))
  .step("after", { dependsOn: ["ask"] }, waitForSignal("never"));

describe.each(STORES)("on %s", (_, opener) => {
  it("BEYOND-2 a signal and the end of the step that waited for it are one commit", async () => {
    const { store, batches } = watched(await opener());
    await using engine = await Engine.open({ store });
    const handle = await engine.start(listens);
    await expect.poll(() => listKinds(batches.splice(0)).flat()).toContain("step.suspended");
    await handle.signal("go", 7);
    expect(listKinds(batches)).toEqual([["signal.received", "step.completed", "step.suspended"]]);
    expect(await readStatus(handle)).toBe("succeeded");
  });

  it("BEYOND-2 the last vote of an approval and the end of its step are one commit", async () => {
    const { store, batches } = watched(await opener());
    await using engine = await Engine.open({ store });
    const handle = await engine.start(asks);
    await expect.poll(() => listKinds(batches.splice(0)).flat()).toContain("step.suspended");
    await handle.approve("ask", { by: "ann" });
    expect(listKinds(batches)).toEqual([["approval.voted"]]);
    await handle.approve("ask", { by: "bob" });
    expect(listKinds(batches).slice(1)).toEqual([["approval.voted", "step.completed", "step.suspended"]]);
    expect(await readStatus(handle)).toBe("succeeded");
  });

  it("BEYOND-2 LEASE-5 a signal that another process posted leaves the inbox in that commit too", async () => {
    const { store, batches } = watched(await opener());
    await using engine = await Engine.open({ store, pollMs: 5 });
    const handle = await engine.start(listens);
    await expect.poll(() => listKinds(batches.splice(0)).flat()).toContain("step.suspended");
    const body = JSON.stringify({ kind: "signal", id: "s1", name: "go", payload: 7 });
    const id = await store.post({ execution: handle.id as never, body, postedAt: 0 as never });
    await expect.poll(() => batches).not.toEqual([]);
    expect(await readStatus(handle)).toBe("succeeded");
    expect(listKinds(batches)).toEqual([["signal.received", "step.completed", "step.suspended"]]);
    expect(batches[0]!.consumedMessages).toEqual([id]);
  });
});
