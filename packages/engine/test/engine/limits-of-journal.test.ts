// Bounds on unlimited growth: journals, inboxes, and data of ended executions.

import { stepId, type Definition } from "@segno/kernel";
import { afterEach, describe, expect, it } from "vitest";
import { Engine, type EngineOptions, type ExecutionHandle } from "../../src/index.ts";
import { fail, hang, openTestEngine, script, succeed } from "../../src/testing/index.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { readEvents, flow, one, step } from "./sample-flow.ts";

const scratch = scratchFolder();
const open: Engine[] = [];

afterEach(async () => {
  for (const engine of open.splice(0).toReversed()) await engine.close();
});

async function openOn(file: string, more: EngineOptions = {}): Promise<Engine> {
  const engine = await Engine.open({ file, agents: { work: async () => 1 }, ...more });
  open.push(engine);
  return engine;
}

const STEPS = 30;

/** A chain of steps with two events each. */
const CHAIN: Definition = flow(
  Array.from({ length: STEPS }, (_, index) => step(`s${index}`, index === 0 ? {} : { after: [`s${index - 1}`] })),
);

async function readReason(handle: ExecutionHandle): Promise<string> {
  return (await readEvents(handle, "execution.parked")).at(-1)!.reason;
}

describe("an execution whose journal reaches `limits.journal`", () => {
  it("JOURNAL-4 is parked, with a reason that names the limit, and runs nothing any more", async () => {
    const work = script([succeed(1)]);
    await using test = await openTestEngine({ agents: { work }, limits: { journal: 20 } });
    const handle = await test.start(CHAIN);
    await test.advance("1h");
    const { status, seq } = await handle.status();
    expect(status).toBe("parked");
    expect(seq).toBeGreaterThanOrEqual(20);
    expect(seq).toBeLessThan(30);
    expect(await readReason(handle)).toContain("`limits.journal` allows 20");
    expect(work.calls.length).toBeLessThan(STEPS);
    expect((await test.engine.verify(handle.id)).ok).toBe(true);
  });

  it("JOURNAL-4 is stopped when it tries again for ever", async () => {
    const work = script([fail("busy")]);
    await using test = await openTestEngine({ agents: { work }, limits: { journal: 50 } });
    const handle = await test.start(one({ retry: { attempts: 1_000_000 } }));
    await test.advance("1d");
    expect((await handle.status()).status).toBe("parked");
    expect(work.calls.length).toBeLessThan(50);
  });

  it("JOURNAL-4 does not hold up the others", async () => {
    await using test = await openTestEngine({ agents: { work: async () => 1 }, limits: { journal: 20 } });
    const long = await test.start(CHAIN);
    const short = await test.start(one());
    await test.untilIdle();
    expect([(await long.status()).status, (await short.status()).status]).toEqual(["parked", "completed"]);
  });

  it("JOURNAL-4 stays parked over a restart, and is parked again when it is resumed under the same limit", async () => {
    await using test = await openTestEngine({ agents: { work: async () => 1 }, limits: { journal: 20 } });
    const { id } = await test.start(CHAIN);
    await test.untilIdle();
    await test.crash();
    const handle = await test.get(id);
    expect((await handle.status()).status).toBe("parked");
    const before = (await handle.status()).seq;
    await handle.resume();
    await test.advance("1m");
    const { status, seq } = await handle.status();
    expect(status).toBe("parked");
    expect(seq - before).toBeLessThan(10);
  });
});

describe("an execution that was parked for its journal", () => {
  it("JOURNAL-4 goes on after a restart with a higher limit and a resume", async () => {
    const file = scratch.file();
    const first = await openOn(file, { limits: { journal: 20 } });
    const { id } = await first.start(CHAIN);
    for await (const { kind } of (await first.get(id)).events()) if (kind === "execution.parked") break;
    await first.close();
    const second = await openOn(file, { limits: { journal: 1000 } });
    const handle = await second.get(id);
    expect((await handle.status()).status).toBe("parked");
    expect(await handle.resume()).toEqual({ kind: "accepted" });
    await handle.result();
    expect(
      (await handle.status()).steps.every(({ status, attempts }) => status === "succeeded" && attempts === 1),
    ).toBe(true);
    expect((await second.verify(id)).ok).toBe(true);
  });

  it("CANCEL-4 can be cancelled", async () => {
    await using test = await openTestEngine({ agents: { work: async () => 1 }, limits: { journal: 20 } });
    const handle = await test.start(CHAIN);
    await test.untilIdle();
    expect(await handle.cancel({ reason: "enough" })).toEqual({ kind: "accepted" });
    await test.untilIdle();
    expect((await handle.status()).status).toBe("cancelled");
  });

  it("CANCEL-2 while something runs lets that end, and can be cancelled", async () => {
    const agents = { work: async () => 1, hangs: script([hang()]) };
    await using test = await openTestEngine({ agents, limits: { journal: 20 } });
    const handle = await test.start(flow([...CHAIN.steps, step("hangs", { agent: "hangs" })]));
    await test.untilIdle();
    expect((await handle.status()).status).toBe("parked");
    await handle.cancel();
    await test.advance("5s");
    expect((await handle.status()).status).toBe("cancelled");
    expect(await readEvents(handle, "step.cancelled")).toMatchObject([{ ended: "by-force" }]);
  });

  it("STATE-1 completes where its last event is the one that reaches it", async () => {
    await using probe = await openTestEngine({ agents: { work: async () => 1 } });
    const needed = await probe.start(one());
    await probe.untilIdle();
    const { seq } = await needed.status();
    await using test = await openTestEngine({ agents: { work: async () => 1 }, limits: { journal: seq } });
    const handle = await test.start(one());
    await test.untilIdle();
    expect((await handle.status()).status).toBe("completed");
  });
});

const WAITS: Definition = flow([{ id: stepId("w"), action: { kind: "wait", on: "signal", signal: "go" } }]);
const NEVER_MS = 3_600_000;

describe("an inbox that has reached `limits.inbox`", () => {
  it("LEASE-5 refuses what is posted beyond it (INBOX_FULL), and other executions are not touched by that", async () => {
    const file = scratch.file();
    const owner = await openOn(file, { pollMs: NEVER_MS });
    const [full, other] = [await owner.start(WAITS), await owner.start(WAITS)];
    const follower = await openOn(file, { pollMs: NEVER_MS, limits: { inbox: 3 } });
    const handle = await follower.get(full.id);
    for (let count = 0; count < 3; count++) expect(await handle.signal(`s${count}`)).toEqual({ kind: "posted" });
    await expect(handle.signal("go")).rejects.toMatchObject({ code: "INBOX_FULL" });
    await expect(handle.cancel()).rejects.toMatchObject({ code: "INBOX_FULL" });
    expect(await (await follower.get(other.id)).signal("go")).toEqual({ kind: "posted" });
    expect((await follower.start(one())).id).toEqual(expect.any(String));
    // A command to the owner itself is not posted, so it does not wait behind the inbox.
    expect(await full.signal("go")).toEqual({ kind: "accepted" });
    await full.result();
  });

  it("LEASE-5 loses nothing of what it had taken, and has room again when its owner has taken it", async () => {
    const file = scratch.file();
    const first = await openOn(file, { pollMs: NEVER_MS });
    const { id } = await first.start(WAITS);
    const poster = await openOn(file, { mode: "post", limits: { inbox: 2 } });
    const handle = await poster.get(id);
    await handle.signal("one");
    await handle.signal("two");
    await expect(handle.signal("go")).rejects.toMatchObject({ code: "INBOX_FULL" });
    await first.close();
    const second = await openOn(file, { pollMs: 5 });
    const names: string[] = [];
    for await (const { event } of (await second.get(id)).events()) {
      if (event.kind === "signal.received") names.push(event.name);
      if (names.length === 2) break;
    }
    expect(names).toEqual(["one", "two"]);
    expect(await handle.signal("go")).toEqual({ kind: "posted" });
    await handle.result();
  });
});

describe("what is asked of the owner itself", () => {
  it("LEASE-5 is limited as well, by what waits at that moment", async () => {
    await using test = await openTestEngine({ limits: { inbox: 3 } });
    const handle = await test.start(WAITS);
    await test.untilIdle();
    const all = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => handle.signal(`s${n}`)));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(all.at(-1)).toMatchObject({ reason: { code: "INBOX_FULL" } });
    expect(await handle.signal("go")).toEqual({ kind: "accepted" });
    expect((await handle.status()).status).toBe("completed");
  });

  it("LEASE-5 is not refused because steps of its own end at that moment", async () => {
    const gate = Promise.withResolvers<void>();
    const work = async (): Promise<void> => gate.promise;
    await using test = await openTestEngine({ agents: { work }, limits: { inbox: 3, perAgent: 10 } });
    const wide = flow([...Array.from({ length: 10 }, (_, index) => step(`s${index}`)), ...WAITS.steps]);
    const handle = await test.start(wide);
    await test.untilIdle();
    gate.resolve();
    for (let count = 0; count < 20; count++) await Promise.resolve();
    expect(await handle.pause()).toEqual({ kind: "accepted" });
  });
});

describe("`retention`", () => {
  const agents = { work: async () => 1, fails: script([fail("no", { permanent: true })]), hangs: script([hang()]) };

  it("JOURNAL-7 removes what ended longer ago, by the minute, and nothing that has not ended", async () => {
    await using test = await openTestEngine({ agents, retention: { endedMs: 600_000 } });
    await test.start(one(), null, { id: "completed" });
    await test.start(one({ agent: "fails" }), null, { id: "failed" });
    const hanging = await test.start(one({ agent: "hangs" }), null, { id: "cancelled" });
    await test.start(one({ agent: "hangs" }), null, { id: "running" });
    await test.start(one({ agent: "nobody" }), null, { id: "parked" });
    await test.start(WAITS, null, { id: "waiting" });
    await test.untilIdle();
    await hanging.cancel({ graceMs: 0 });
    await test.advance("9m");
    expect((await test.engine.list()).executions).toHaveLength(6);
    await test.start(one(), null, { id: "young" });
    await test.advance("2m");
    const ids = async (): Promise<readonly string[]> => (await test.engine.list()).executions.map(({ id }) => id);
    expect(await ids()).toEqual(["running", "parked", "waiting", "young"]);
    await expect(test.get("completed")).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
    await test.advance("1d");
    expect(await ids()).toEqual(["running", "parked", "waiting"]);
  });

  it("JOURNAL-7 counts from the end of an execution, not from its beginning", async () => {
    await using test = await openTestEngine({ agents, retention: { endedMs: 600_000 } });
    const handle = await test.start(WAITS);
    await test.advance("1d");
    await handle.signal("go");
    await test.advance("9m");
    expect((await handle.status()).status).toBe("completed");
    await test.advance("3m");
    await expect(handle.status()).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
  });

  it("IDEM-1 takes keys along with what they stood for", async () => {
    await using test = await openTestEngine({ agents, retention: { endedMs: 60_000 } });
    const first = await test.start(one(), { n: 1 }, { idempotencyKey: "key-1" });
    await test.advance("3m");
    const second = await test.start(one(), { n: 2 }, { idempotencyKey: "key-1" });
    expect(second.id).not.toBe(first.id);
  });

  it("JOURNAL-7 removes hundreds in one sweep", async () => {
    await using test = await openTestEngine({ agents, retention: { endedMs: 1000 } });
    for (let count = 0; count < 250; count++) await test.start(one());
    await test.untilIdle();
    expect((await test.engine.list({ limit: 1000 })).executions).toHaveLength(250);
    await test.advance("61s");
    expect((await test.engine.list({ limit: 1000 })).executions).toEqual([]);
  });

  it("JOURNAL-7 is for ever where nothing is said", async () => {
    await using test = await openTestEngine({ agents });
    const handle = await test.start(one());
    await test.advance("7d");
    expect((await handle.status()).status).toBe("completed");
  });
});
