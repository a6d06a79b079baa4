// Two engines on one file: one owns it, the other reads, posts, follows, and takes over (LEASE-1, LEASE-5).

import { afterEach, describe, expect, it } from "vitest";
import { Engine, type AgentFunction, type EngineOptions } from "../../src/index.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { readEvents, readHistory, one } from "./sample-flow.ts";
import { eventually } from "../eventually.ts";

const scratch = scratchFolder();
const open: Engine[] = [];

/** Closes engines in reverse order, before the files are removed. */
afterEach(async () => {
  for (const engine of open.splice(0).toReversed()) await engine.close();
});

async function openOn(file: string, agents: Record<string, AgentFunction>, more: EngineOptions = {}): Promise<Engine> {
  const engine = await Engine.open({ file, agents, pollMs: 5, ...more });
  open.push(engine);
  return engine;
}

async function pair(work: AgentFunction): Promise<{ owner: Engine; follower: Engine; calls: string[] }> {
  const file = scratch.file();
  const calls: string[] = [];
  const named =
    (name: string): AgentFunction =>
    (...given) => {
      calls.push(name);
      return work(...given);
    };
  const owner = await openOn(file, { work: named("owner") });
  const follower = await openOn(file, { work: named("follower") });
  expect([owner.isOwner, follower.isOwner]).toEqual([true, false]);
  return { owner, follower, calls };
}

/** Ends when its signal aborts. */
const untilStopped: AgentFunction = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

describe("an engine that does not own the file", () => {
  it("LEASE-5 reads what the owner does", async () => {
    const { owner, follower } = await pair(async () => "done");
    const mine = await owner.start(one());
    await mine.result();
    const same = await follower.get(mine.id);
    expect(await same.status()).toEqual(await mine.status());
    expect(await same.result()).toBe("done");
    expect(await readHistory(same)).toEqual(await readHistory(mine));
    expect(await follower.verify(mine.id)).toEqual(await owner.verify(mine.id));
    expect((await follower.list()).executions.map(({ id }) => id)).toEqual([mine.id]);
  });

  it("LEASE-5 posts a start, which the owner takes, and follows it to its result and over all its events", async () => {
    const { owner, follower, calls } = await pair(async (input) => input);
    const handle = await follower.start(one(), { n: 1 });
    expect(await handle.result()).toEqual({ n: 1 });
    const seqs: number[] = [];
    for await (const { seq } of handle.events()) seqs.push(seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect(calls).toEqual(["owner"]);
    expect((await (await owner.get(handle.id)).status()).status).toBe("completed");
  });

  it("LEASE-5 hears of a failure as the owner would", async () => {
    const { follower } = await pair(() => {
      throw new TypeError("broken");
    });
    const handle = await follower.start(one());
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED", failure: { code: "TypeError" } });
  });

  it("LEASE-5 posts a cancel, and it is taken once", async () => {
    const { owner, follower } = await pair(untilStopped);
    const { id } = await owner.start(one());
    const handle = await follower.get(id);
    expect(await handle.cancel({ reason: "from afar" })).toEqual({ kind: "posted" });
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_CANCELLED" });
    expect((await readEvents(handle, "execution.cancelling")).map(({ reason }) => reason)).toEqual(["from afar"]);
  });

  it("LEASE-5 posts a hundred starts, none of which is lost or taken twice", async () => {
    const { owner, follower, calls } = await pair(async () => 1);
    const handles = await Promise.all(
      Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? follower : owner).start(one())),
    );
    await Promise.all(handles.map((handle) => handle.result()));
    expect(calls).toEqual(Array.from({ length: 100 }, () => "owner"));
    expect((await owner.list({ limit: 200 })).executions).toHaveLength(100);
  });

  it("LEASE-5 refuses a start under an id that exists (EXECUTION_EXISTS)", async () => {
    const { owner, follower } = await pair(async () => 1);
    await (await owner.start(one(), null, { id: "mine" })).result();
    await expect(follower.start(one(), null, { id: "mine" })).rejects.toMatchObject({ code: "EXECUTION_EXISTS" });
  });
});

describe("a key on two engines", () => {
  it("IDEM-1 joins what the owner started", async () => {
    const { owner, follower, calls } = await pair(async () => 1);
    const first = await owner.start(one(), { a: 1 }, { idempotencyKey: "order-7" });
    expect((await follower.start(one(), { a: 1 }, { idempotencyKey: "order-7" })).id).toBe(first.id);
    await first.result();
    expect(calls).toEqual(["owner"]);
  });

  it("IDEM-2 refuses another payload than the owner's (IDEMPOTENCY_CONFLICT)", async () => {
    const { owner, follower } = await pair(async () => 1);
    await owner.start(one(), { a: 1 }, { idempotencyKey: "order-7" });
    await expect(follower.start(one(), { a: 2 }, { idempotencyKey: "order-7" })).rejects.toMatchObject({
      code: "IDEMPOTENCY_CONFLICT",
    });
  });

  it("IDEM-1 joins starts that the other one posted", async () => {
    const { owner, follower, calls } = await pair(async () => 1);
    const key = { idempotencyKey: "order-7" };
    const first = await follower.start(one(), { a: 1 }, key);
    await first.result();
    const others = [await follower.start(one(), { a: 1 }, key), await owner.start(one(), { a: 1 }, key)];
    await Promise.all(others.map((handle) => handle.result()));
    expect([others.map(({ id }) => id), calls]).toEqual([[first.id, first.id], ["owner"]]);
  });

  it("IDEM-1 runs once what both start in the same moment", async () => {
    const { owner, follower, calls } = await pair(async () => 1);
    const handles = await Promise.all(
      [owner, follower, owner, follower].map((engine) => engine.start(one(), { a: 1 }, { idempotencyKey: "order-7" })),
    );
    await Promise.all(handles.map((handle) => handle.result()));
    expect(calls).toEqual(["owner"]);
  });
});

describe("when the owner closes", () => {
  it("LEASE-5 the other one takes over, makes the lost attempt again, and gives the result to who waits", async () => {
    let calls = 0;
    const { owner, follower, calls: names } = await pair(() => (++calls === 1 ? new Promise(() => undefined) : "done"));
    const handle = await follower.start(one());
    await eventually(() => expect(calls).toBe(1));
    const result = handle.result();
    await owner.close();
    expect(await result).toBe("done");
    expect([follower.isOwner, names]).toEqual([true, ["owner", "follower"]]);
    expect(await readEvents(handle, "step.lost")).toHaveLength(1);
  });

  it("LEASE-5 a start that was posted and not taken is taken by the next owner", async () => {
    const file = scratch.file();
    const poster = await openOn(file, {}, { mode: "post" });
    const handle = await poster.start(one(), "hello");
    await openOn(file, { work: async (input) => input });
    expect(await handle.result()).toBe("hello");
  });

  it("LEASE-5 one that was opened `readOnly` or `post` never takes over", async () => {
    const file = scratch.file();
    const owner = await openOn(file, { work: () => new Promise(() => undefined) });
    const others = [await openOn(file, {}, { mode: "post" }), await openOn(file, {}, { mode: "readOnly" })];
    await owner.start(one());
    await owner.close();
    const next = await openOn(file, { work: async () => 1 });
    expect([next.isOwner, ...others.map(({ isOwner }) => isOwner)]).toEqual([true, false, false]);
  });
});
