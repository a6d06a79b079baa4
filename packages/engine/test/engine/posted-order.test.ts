// The commands of an execution have one order, that of their acknowledgement, whichever process sent them (LEASE-5).

import { afterEach, describe, expect, it } from "vitest";
import { StoreFault, type Engine, type ExecutionHandle } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Poll, PollQuery } from "../../src/store/store.ts";
import { contract } from "../waiting/questions.ts";
import { SharedEngines } from "./shared-engines.ts";
import { one } from "./sample-flow.ts";

const TWICE = contract(`
name: twice
steps:
  - { id: first, wait: { signal: go } }
  - { id: second, wait: { signal: go }, dependsOn: [first] }
output: { first: "\${ steps.first.output }", second: "\${ steps.second.output }" }
`);
const MINUTE = 60_000;

/** Polls answer late or fail, as the test says. */
class HeldStore extends MemoryStore {
  isFailing = false;
  /** Holds polls of the whole inbox. */
  recovery: Promise<unknown> | undefined;
  /** Holds the next poll of one execution. */
  gate: Promise<unknown> = Promise.resolve();

  override async poll(query: PollQuery = {}): Promise<Poll> {
    if (query.execution === undefined) {
      await this.recovery;
      return super.poll(query);
    }
    const { gate } = this;
    this.gate = Promise.resolve();
    await gate;
    if (this.isFailing) throw new StoreFault("STORE_IO", "the disk does not answer");
    return super.poll(query);
  }
}

let shared = new SharedEngines();
afterEach(async () => {
  await shared.close();
  shared = new SharedEngines();
});

interface Pair {
  readonly owner: Engine;
  readonly direct: ExecutionHandle<unknown>;
  readonly posting: ExecutionHandle<unknown>;
}

async function waiting(): Promise<Pair> {
  const [owner, poster] = [await shared.open(), await shared.poster()];
  const direct = await owner.start(TWICE, null, { id: "mine" });
  await shared.time.advance(10);
  return { owner, direct, posting: await poster.get("mine") };
}

describe("a direct command after an acknowledged posted one", () => {
  it("LEASE-5 a resume ends the pause that was posted before it", async () => {
    const { direct, posting } = await waiting();
    expect(await posting.pause()).toEqual({ kind: "posted" });
    expect(await direct.resume()).toEqual({ kind: "accepted" });
    await shared.time.advance(2 * MINUTE);
    expect([await shared.statusOf(direct), shared.faults]).toEqual(["running", []]);
  });

  it("LEASE-5 signals are consumed in the order of their acknowledgement", async () => {
    const { direct, posting } = await waiting();
    await posting.signal("go", 1);
    await direct.signal("go", 2);
    await shared.time.advance(10);
    expect(await direct.result()).toEqual({ first: 1, second: 2 });
  });

  it("LEASE-5 each posted message is delivered once, by the command or by the poll", async () => {
    const { direct, posting } = await waiting();
    for (let count = 0; count < 20; count++) await (count % 2 === 0 ? posting.pause() : posting.resume());
    const results = [direct.pause(), direct.resume(), direct.pause()];
    await shared.time.advance(2 * MINUTE);
    expect(await Promise.all(results)).toEqual(results.map(() => ({ kind: "accepted" })));
    expect([await shared.statusOf(direct), (await shared.store.poll()).messages]).toEqual(["paused", []]);
    expect(shared.faults).toEqual([]);
  });
});

describe("a process that posted commands and becomes the owner", () => {
  /** A follower whose first reading of the inbox as an owner lasts until the test ends it. */
  async function becoming(): Promise<{ engine: Engine; take: () => Promise<void>; read: () => void }> {
    const store = new HeldStore();
    shared = new SharedEngines(store);
    let mayOwn = false;
    const ownership = { tryOwn: async () => mayOwn, release: () => undefined };
    const engine = await shared.open({ ownership, pollMs: 100 });
    const { promise, resolve: read } = Promise.withResolvers<void>();
    store.recovery = promise;
    const take = async (): Promise<void> => {
      mayOwn = true;
      await shared.time.advance(100);
      expect(engine.isOwner).toBe(true);
    };
    return { engine, take, read };
  }

  it("LEASE-5 resumes what it had paused", async () => {
    const { engine, take, read } = await becoming();
    const handle = await engine.start(TWICE, null, { id: "mine" });
    expect(await handle.pause()).toEqual({ kind: "posted" });
    await take();
    expect(await handle.resume()).toEqual({ kind: "accepted" });
    read();
    await shared.time.advance(MINUTE);
    expect([await shared.statusOf(handle), shared.faults]).toEqual(["running", []]);
  });

  it("LEASE-5 cancels what it had started, before anything of it runs", async () => {
    const { engine, take, read } = await becoming();
    const handle = await engine.start(one(), null, { id: "mine" });
    await take();
    expect(await handle.cancel()).toEqual({ kind: "accepted" });
    read();
    await shared.time.advance(MINUTE);
    expect([await shared.statusOf(handle), shared.ran, shared.faults]).toEqual(["cancelled", [], []]);
  });

  it("LEASE-5 starts nothing else with an id that it had posted (EXECUTION_EXISTS)", async () => {
    const { engine, take, read } = await becoming();
    await engine.start(one(), 1, { id: "mine" });
    await take();
    expect(await shared.start(engine, one({}, { name: "other" }), 2, { id: "mine" })).toBe("EXECUTION_EXISTS");
    read();
    await shared.time.advance(MINUTE);
    expect([shared.ran, shared.faults]).toEqual([[["flow", 1]], []]);
  });
});

describe("a handle on an execution whose start is posted", () => {
  it("LEASE-5 is given to every process, and its commands follow the start", async () => {
    const poster = await shared.poster();
    await expect(poster.get("mine")).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
    await poster.start(TWICE, null, { id: "mine" });
    const other = await (await shared.poster()).get("mine");
    expect(await other.signal("go", 1)).toEqual({ kind: "posted" });
    const owner = await shared.open({ resume: "own" });
    const direct = await owner.get("mine");
    await direct.signal("go", 2);
    await shared.time.advance(10);
    expect(await direct.result()).toEqual({ first: 1, second: 2 });
  });
});

describe("an owner that continues only its own executions", () => {
  it("LEASE-5 consumes the older messages of an execution before one that makes it its own", async () => {
    let release = (): void => undefined;
    const ownership = {
      tryOwn: async (onLost: () => void) => {
        release = onLost;
        return true;
      },
      release: () => undefined,
    };
    const [owner, poster] = [await shared.open({ ownership }), await shared.poster()];
    await owner.start(TWICE, null, { id: "mine" });
    await shared.time.advance(10);
    release();
    const posting = await poster.get("mine");
    await posting.signal("go", 1);
    const next = await shared.open({ resume: "own" });
    await posting.signal("go", 2);
    await shared.time.advance(2 * MINUTE);
    expect(await (await next.get("mine")).result()).toEqual({ first: 1, second: 2 });
  });
});

describe("direct commands while the store answers slowly or not at all", () => {
  it("LEASE-5 keep the order in which they were sent", async () => {
    const store = new HeldStore();
    shared = new SharedEngines(store);
    const { direct } = await waiting();
    const { promise, resolve } = Promise.withResolvers<void>();
    store.gate = promise;
    const signals = [direct.signal("go", 1), direct.signal("go", 2)];
    await shared.time.advance(10);
    resolve();
    await Promise.all(signals);
    expect(await direct.result()).toEqual({ first: 1, second: 2 });
  });

  it("LEASE-5 are refused if it is unknown what was posted before, and overtake nothing (STORE_IO)", async () => {
    const store = new HeldStore();
    shared = new SharedEngines(store);
    const { direct, posting } = await waiting();
    await posting.signal("go", 1);
    store.isFailing = true;
    await expect(direct.signal("go", 2)).rejects.toMatchObject({ code: "STORE_IO" });
    store.isFailing = false;
    await direct.signal("go", 3);
    expect(await direct.result()).toEqual({ first: 1, second: 3 });
  });
});
