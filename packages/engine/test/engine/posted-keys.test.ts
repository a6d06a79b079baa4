// Starts with an idempotency key in a process that does not own the store (IDEM-1, LEASE-5).

import { afterEach, describe, expect, it } from "vitest";
import { Engine, type EngineOptions } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { VirtualEnvironment, VirtualTime } from "../../src/testing/virtual-environment.ts";
import { one } from "./sample-flow.ts";

const KEY = { idempotencyKey: "order-7" };
const open: Engine[] = [];

afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

interface Shared {
  readonly time: VirtualTime;
  readonly openWith: (options?: EngineOptions) => Promise<Engine>;
}

function sharedStore(): Shared {
  const [time, store] = [new VirtualTime(), new MemoryStore()];
  const openWith = async (options: EngineOptions = {}): Promise<Engine> => {
    const environment = new VirtualEnvironment(time);
    const engine = await Engine.open({ store, environment, agents: { work: async () => "done" }, ...options });
    open.push(engine);
    return engine;
  };
  return { time, openWith };
}

/** A start that settles only as time advances. */
function startWithKey(engine: Engine): Promise<string> {
  const started = engine.start(one(), null, KEY).then(({ id }) => id);
  started.catch(() => undefined);
  return started;
}

describe("a start with a key that is posted", () => {
  it("LEASE-5 fails after 30 seconds without an owner and stays posted (START_UNANSWERED)", async () => {
    const { time, openWith } = sharedStore();
    let isSettled = false;
    const started = startWithKey(await openWith({ mode: "post" }));
    started.catch(() => (isSettled = true));
    await time.advance(29_000);
    expect(isSettled).toBe(false);
    await time.advance(2000);
    await expect(started).rejects.toMatchObject({
      code: "START_UNANSWERED",
      message: expect.stringContaining("within 30 seconds"),
    });
    const owner = await openWith();
    await time.advance(1000);
    expect((await owner.list({ idempotencyKey: "order-7" })).executions).toMatchObject([{ status: "completed" }]);
  });

  it("IDEM-1 can be repeated: the next owner makes one execution of all its tries", async () => {
    const { time, openWith } = sharedStore();
    const poster = await openWith({ mode: "post" });
    for (let count = 0; count < 2; count++) {
      const refused = startWithKey(poster);
      await time.advance(31_000);
      await expect(refused).rejects.toMatchObject({ code: "START_UNANSWERED" });
    }
    const last = startWithKey(poster);
    const owner = await openWith();
    await time.advance(1000);
    expect((await owner.list()).executions.map(({ id }) => id)).toEqual([await last]);
  });

  it("LEASE-5 without a key resolves at once", async () => {
    const { openWith } = sharedStore();
    const poster = await openWith({ mode: "post" });
    expect((await poster.start(one(), null, { id: "mine" })).id).toBe("mine");
  });
});
