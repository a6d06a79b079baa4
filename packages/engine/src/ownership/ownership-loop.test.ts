import { durationMs, stepId, type Definition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Engine } from "../api/engine.ts";
import type { EngineOptions } from "../api/engine-options.ts";
import type { Ownership } from "./ownership.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { CommitBatch } from "../store/store.ts";
import { VirtualEnvironment, VirtualTime } from "../testing/virtual-environment.ts";
import { inspectAdmission, inspectEngine } from "../testing/index.ts";

function waiting(ms: number): Definition {
  return {
    name: "waiting",
    steps: [{ id: stepId("wait"), action: { kind: "wait", on: "duration", for: durationMs(ms) } }],
  };
}

const WORKING: Definition = {
  name: "working",
  steps: [{ id: stepId("work"), action: { kind: "agent", agent: "work" } }],
};
const POLL_MS = 100;

/** A lease whose holder and loss the test controls. */
class Lease {
  holder: string | undefined;
  isFree = true;
  #onLost: (() => void) | undefined;

  of(name: string): Ownership {
    return {
      tryOwn: async (onLost) => {
        if (!this.isFree || (this.holder !== undefined && this.holder !== name)) return false;
        this.holder = name;
        this.#onLost = onLost;
        return true;
      },
      release: () => {
        if (this.holder === name) this.holder = undefined;
      },
    };
  }

  lose(): void {
    this.holder = undefined;
    this.#onLost?.();
  }
}

function opener(time: VirtualTime, store: MemoryStore): (options?: EngineOptions) => Promise<Engine> {
  return (options = {}) =>
    Engine.open({
      store,
      environment: new VirtualEnvironment(time),
      pollMs: POLL_MS,
      onFault: () => undefined,
      ...options,
    });
}

describe("an owner that lost the store", () => {
  it("LEASE-3 lets its executions go, stops what runs for them, and posts what is asked of it", async () => {
    const [time, store, lease] = [new VirtualTime(), new MemoryStore(), new Lease()];
    let aborted: unknown;
    const work = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<null> =>
      new Promise(() => signal.addEventListener("abort", () => (aborted = signal.reason)));
    await using engine = await opener(time, store)({ ownership: lease.of("one"), agents: { work } });
    const handle = await engine.start(WORKING);
    await time.untilIdle();
    lease.isFree = false;
    lease.lose();
    const [{ liveCount }, { usedSlots }] = [inspectEngine(engine), inspectAdmission(engine)];
    expect([engine.isOwner, liveCount, usedSlots]).toEqual([false, 0, 0]);
    expect(aborted).toBeDefined();
    expect(await handle.pause()).toEqual({ kind: "posted" });
    await time.advance(10 * POLL_MS);
    expect([inspectEngine(engine).liveCount, (await store.poll()).messages.length]).toEqual([0, 1]);
  });
});

/** Its files were moved: from then on it refuses everything. */
class MovedStore extends MemoryStore {
  isMoved = false;

  async checkFiles(): Promise<void> {
    if (this.isMoved) throw new StoreFault("STORE_MOVED", "the files were moved");
  }

  override async commit(batch: CommitBatch): Promise<void> {
    await this.checkFiles();
    await super.commit(batch);
  }
}

it("LEASE-1 STORE_MOVED is what the caller of a start gets whose commit finds that the files were moved", async () => {
  const [time, store] = [new VirtualTime(), new MovedStore()];
  await using engine = await opener(time, store)({ agents: { work: async () => 1 } });
  store.isMoved = true;
  const refused = expect(engine.start(WORKING)).rejects.toMatchObject({ code: "STORE_MOVED" });
  await time.advance(2 * POLL_MS);
  await refused;
  expect(inspectEngine(engine).liveCount).toBe(0);
});

describe("an owner that lost the store and is asked again", () => {
  it("LEASE-3 is followed by another, and the execution ends once", async () => {
    const [time, store, lease] = [new VirtualTime(), new MemoryStore(), new Lease()];
    const open = opener(time, store);
    let runs = 0;
    const agents = {
      work: (): Promise<number> => (++runs === 1 ? new Promise<number>(() => undefined) : Promise.resolve(7)),
    };
    await using one = await open({ ownership: lease.of("one"), agents });
    const handle = await one.start(WORKING);
    await time.untilIdle();
    await using two = await open({ ownership: lease.of("two"), agents, workflows: [WORKING] });
    lease.lose();
    lease.holder = "two";
    await time.advance(10 * POLL_MS);
    expect([one.isOwner, two.isOwner, runs]).toEqual([false, true, 2]);
    expect((await handle.status()).status).toBe("completed");
  });

  it("LEASE-1 is the owner again when nobody else is, and goes on with what is unfinished", async () => {
    const [time, store, lease] = [new VirtualTime(), new MemoryStore(), new Lease()];
    await using engine = await opener(time, store)({ ownership: lease.of("one") });
    const handle = await engine.start(waiting(10_000));
    await time.untilIdle();
    lease.lose();
    expect(engine.isOwner).toBe(false);
    await time.advance(2 * POLL_MS);
    expect(engine.isOwner).toBe(true);
    await time.advance(10_000);
    expect((await handle.status()).status).toBe("completed");
  });

  it("LEASE-1 does not keep what it got when it was closed already", async () => {
    const [time, store, lease] = [new VirtualTime(), new MemoryStore(), new Lease()];
    lease.isFree = false;
    const ownership = lease.of("one");
    const asked = Promise.withResolvers<void>();
    const late: Ownership = {
      ...ownership,
      tryOwn: async (onLost) => {
        if (lease.isFree) await asked.promise;
        return ownership.tryOwn(onLost);
      },
    };
    const engine = await opener(time, store)({ ownership: late });
    lease.isFree = true;
    await time.advance(2 * POLL_MS);
    await engine.close();
    asked.resolve();
    await time.untilIdle();
    expect([engine.isOwner, lease.holder]).toEqual([false, undefined]);
  });
});

describe("retention", () => {
  it("JOURNAL-7 removes what ended longer ago than it is kept, some at a time, and nothing else", async () => {
    const [time, store] = [new VirtualTime(), new MemoryStore()];
    const asked: number[] = [];
    const removeEnded = store.removeEnded.bind(store);
    store.removeEnded = async (before, limit) => {
      asked.push(limit);
      return removeEnded(before, limit);
    };
    const open = opener(time, store);
    await using engine = await open({
      agents: { work: async () => 1 },
      retention: { endedMs: 600_000 },
      pollMs: 60_000,
    });
    for (let index = 0; index < 250; index++) await engine.start(WORKING, null, { id: `old-${index}` });
    await engine.start(waiting(3_600_000), null, { id: "waiting" });
    await time.advance(500_000);
    expect((await store.find({ limit: 1000 })).executions).toHaveLength(251);
    await engine.start(WORKING, null, { id: "young" });
    await time.advance(200_000);
    expect((await store.find({ limit: 1000 })).executions.map(({ id }) => id)).toEqual(["waiting", "young"]);
    expect(Math.max(...asked)).toBeLessThan(250);
  });

  it("JOURNAL-7 keeps everything when nothing is said", async () => {
    const [time, store] = [new VirtualTime(), new MemoryStore()];
    await using engine = await opener(time, store)({ agents: { work: async () => 1 }, pollMs: 3_600_000 });
    await engine.start(WORKING);
    await time.advance(86_400_000);
    expect((await store.find({ limit: 10 })).executions).toHaveLength(1);
  });
});
