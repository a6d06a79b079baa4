// A crash before, at and after every durable write: a new process on the same store always ends like a run without the
// crash (JOURNAL-3).

import { describe, expect, it } from "vitest";
import { Engine, type Store } from "../../src/index.ts";
import type { CommitBatch } from "../../src/store/store.ts";
import { StoreFault } from "../../src/store/store-fault.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { SAMPLE, SAMPLE_AGENTS, SAMPLE_END, SAMPLE_RESULT } from "./sample-workflow.ts";

type Moment = "before" | "at" | "after";

/** The store of a process that dies at its n-th commit. The data stays; the process gets no answers any more. */
function dyingStore(store: Store, dieAt: number, moment: Moment, died: () => void): Store {
  let commits = 0;
  let isDead = false;
  const never = new Promise<never>(() => undefined);
  const alive = <Result>(call: () => Promise<Result>): Promise<Result> => (isDead ? never : call());
  return {
    commit: async (batch: CommitBatch) => {
      if (isDead) return never;
      commits++;
      if (commits !== dieAt) return store.commit(batch);
      if (moment === "after") {
        await store.commit(batch);
        queueMicrotask(() => queueMicrotask(die));
        return undefined;
      }
      if (moment === "at") await store.commit(batch);
      die();
      return never;
    },
    load: (id) => alive(() => store.load(id)),
    loadLast: (id) => alive(() => store.loadLast(id)),
    contents: (request) => alive(() => store.contents(request)),
    find: (query) => alive(() => store.find(query)),
    post: (message) => alive(() => store.post(message)),
    poll: (query) => alive(() => store.poll(query)),
    close: async () => undefined,
  };

  function die(): void {
    isDead = true;
    died();
  }
}

async function runWithCrash(
  dieAt: number,
  moment: Moment,
  cancel: boolean,
): Promise<{ status: string; steps: Record<string, string>; result: unknown; crashed: boolean }> {
  const store = new MemoryStore();
  let crashed = false;
  const death = new Promise<void>((resolve) => {
    void begin(dyingStore(store, dieAt, moment, resolve)).then(resolve);
  });
  async function begin(dying: Store): Promise<void> {
    const engine = await Engine.open({ store: dying, agents: SAMPLE_AGENTS, workflows: [SAMPLE] });
    const handle = await engine.start(SAMPLE, { some: "input" }, { id: "one" });
    if (cancel) await handle.cancel({ mode: "drain" });
    await handle.result().catch(() => undefined);
  }
  await death;
  const engine = await Engine.open({ store, agents: SAMPLE_AGENTS, workflows: [SAMPLE] });
  const before = await store.load("one" as never);
  crashed = true;
  const handle =
    before === undefined ? await engine.start(SAMPLE, { some: "input" }, { id: "one" }) : await engine.get("one");
  if (cancel && before !== undefined) await handle.cancel({ mode: "drain" });
  const result = await handle.result().catch((error: unknown) => error);
  const { status, steps } = await handle.status();
  expect((await engine.verify("one")).ok).toBe(true);
  await engine.close();
  return { status, steps: Object.fromEntries(steps.map((each) => [each.name, each.status])), result, crashed };
}

describe("a crash", () => {
  for (const moment of ["before", "at", "after"] as const) {
    it(`JOURNAL-3 ${moment} any durable write leads to the end that a run without it has`, async () => {
      for (let dieAt = 1; dieAt <= 40; dieAt++) {
        const run = await runWithCrash(dieAt, moment, false);
        expect({ dieAt, ...run }).toMatchObject({
          dieAt,
          status: "completed",
          result: SAMPLE_RESULT,
          steps: SAMPLE_END,
        });
      }
    });

    it(`CANCEL-3 ${moment} any durable write of a cancelled execution still ends it cancelled, or as it had ended`, async () => {
      for (let dieAt = 1; dieAt <= 12; dieAt++) {
        const run = await runWithCrash(dieAt, moment, true);
        expect(["cancelled", "completed"]).toContain(run.status);
      }
    });
  }

  it("JOURNAL-3 a store that fails at any write and then heals leads to the same end", async () => {
    for (let failAt = 1; failAt <= 40; failAt++) {
      for (const hasHappened of [false, true]) {
        const store = failingStore(new MemoryStore(), failAt, hasHappened);
        const engine = await Engine.open({ store, agents: SAMPLE_AGENTS });
        const handle = await engine.start(SAMPLE, {});
        expect(await handle.result()).toEqual(SAMPLE_RESULT);
        const { steps } = await handle.status();
        expect(Object.fromEntries(steps.map((each) => [each.name, each.status]))).toEqual(SAMPLE_END);
        await engine.close();
      }
    }
  });
});

/** One commit rejects, whether or not it has happened (K4). */
function failingStore(store: MemoryStore, failAt: number, hasHappened: boolean): Store {
  let commits = 0;
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (name !== "commit") return typeof member === "function" ? member.bind(target) : member;
      return async (batch: CommitBatch) => {
        commits++;
        if (commits !== failAt) return target.commit(batch);
        if (hasHappened) await target.commit(batch);
        throw new StoreFault("STORE_IO", "the disk has gone away for a moment");
      };
    },
  });
}
