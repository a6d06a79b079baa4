// A wall clock that is set back or forward during a run. Durations use elapsed time; only absolute times follow the
// clock. The journal's time never goes back.

import { durationMs, executionId, stepId, type Definition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { AgentFunction, ExecutionHandle } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openTestEngine, inspectEngine } from "../../src/testing/index.ts";
import { ClockEngine } from "./clock-engine.ts";
import { afterWaiting, readEvents, flow, readHistory, one, step } from "./sample-flow.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const SHIFTS: readonly number[] = [-DAY, -HOUR, HOUR, DAY];

async function expectForward(clock: ClockEngine, handle: ExecutionHandle): Promise<void> {
  const times = (await clock.during(readHistory(handle))).map(({ at }) => at);
  expect(times.length).toBeGreaterThan(2);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(await clock.during(clock.engine.verify(handle.id))).toMatchObject({ ok: true });
}

/** An agent that records the elapsed time of each call. */
function calledAt(clock: () => ClockEngine): { readonly calls: number[]; readonly work: AgentFunction } {
  const calls: number[] = [];
  return { calls, work: () => void calls.push(clock().world.elapsedMs) };
}

/** Waits until a time, then calls the agent `work`. */
function afterTime(at: number): Definition {
  const until = new Date(at).toISOString();
  return flow([{ id: stepId("wait"), action: { kind: "wait", on: "time", until } }, step("a", { after: ["wait"] })]);
}

describe.each(SHIFTS)("a clock that is set by %d ms", (shiftMs) => {
  it.each(["in memory", "at rest"])("JOURNAL-4 does not move a wait for a duration (%s)", async (place) => {
    const { calls, work } = calledAt(() => clock);
    await using clock = new ClockEngine({ work });
    await clock.open();
    const { id } = await clock.during(clock.engine.start(afterWaiting(10 * MINUTE)));
    await clock.world.advance(place === "at rest" ? 5 * MINUTE : SECOND);
    expect(inspectEngine(clock.engine).liveCount).toBe(place === "at rest" ? 0 : 1);
    clock.shift(shiftMs);
    await clock.world.advance(10 * MINUTE - clock.world.elapsedMs - 1);
    expect(calls).toEqual([]);
    await clock.world.advance(SECOND);
    expect(calls).toHaveLength(1);
    await expectForward(clock, await clock.during(clock.engine.get(id)));
  });

  it("FAIL-3 does not move a retry", async () => {
    const times: number[] = [];
    const work: AgentFunction = () => {
      times.push(clock.world.elapsedMs);
      if (times.length === 1) throw new Error("busy");
      return "done";
    };
    await using clock = new ClockEngine({ work });
    await clock.open();
    const retry = { attempts: 2, base: durationMs(MINUTE), max: durationMs(MINUTE) };
    const handle = await clock.during(clock.engine.start(one({ retry })));
    const [retried] = await clock.during(readEvents(handle, "step.retried"));
    const inMs = retried!.dueAt - retried!.at;
    await clock.world.advance(30 * SECOND);
    clock.shift(shiftMs);
    await clock.world.advance(inMs - 30 * SECOND - 1);
    expect(times).toHaveLength(1);
    await clock.world.advance(SECOND);
    expect(times).toHaveLength(2);
    expect(await clock.during(handle.result())).toBe("done");
    await expectForward(clock, handle);
  });
});

describe.each(SHIFTS)("for a step that failed, a clock that is set by %d ms", (shiftMs) => {
  it("CANCEL-7 FAIL-3 does not move a retry that was due while the execution was paused", async () => {
    const times: number[] = [];
    const work: AgentFunction = () => {
      times.push(clock.world.elapsedMs);
      if (times.length === 1) throw new Error("busy");
      return "done";
    };
    await using clock = new ClockEngine({ work });
    await clock.open();
    const retry = { attempts: 2, base: durationMs(MINUTE), max: durationMs(MINUTE) };
    const handle = await clock.during(clock.engine.start(one({ retry })));
    await clock.during(handle.pause());
    clock.shift(shiftMs);
    await clock.world.advance(50 * SECOND);
    await clock.during(handle.resume());
    await clock.during(handle.pause());
    await clock.world.advance(20 * SECOND);
    await clock.during(handle.resume());
    await clock.world.advance(SECOND);
    expect(times).toHaveLength(2);
    expect(await clock.during(handle.result())).toBe("done");
  });
});

describe.each(SHIFTS)("for a step that never ends, a clock that is set by %d ms", (shiftMs) => {
  it("FAIL-4 does not move the deadline of an attempt", async () => {
    await using clock = new ClockEngine({ work: () => new Promise(() => undefined) });
    await clock.open();
    const handle = await clock.during(clock.engine.start(one({ timeout: durationMs(10 * MINUTE) })));
    await clock.world.advance(5 * MINUTE);
    clock.shift(shiftMs);
    await clock.world.advance(5 * MINUTE - 1);
    expect((await clock.during(handle.status())).status).toBe("running");
    await clock.world.advance(SECOND);
    expect((await clock.during(handle.status())).steps[0]!.status).toBe("cancelling");
    await clock.world.advance(5 * SECOND);
    expect((await clock.during(handle.status())).failure).toMatchObject({ code: "ATTEMPT_TIMEOUT" });
    await expectForward(clock, handle);
  });

  it("FAIL-4 does not move the deadline of a workflow", async () => {
    await using clock = new ClockEngine({ work: () => new Promise(() => undefined) });
    await clock.open();
    const handle = await clock.during(clock.engine.start(one({}, { timeout: durationMs(10 * MINUTE) })));
    await clock.world.advance(5 * MINUTE);
    clock.shift(shiftMs);
    await clock.world.advance(5 * MINUTE - 1);
    expect((await clock.during(handle.status())).status).toBe("running");
    await clock.world.advance(HOUR);
    expect((await clock.during(handle.status())).failure).toMatchObject({ code: "EXECUTION_TIMEOUT" });
  });
});

describe.each(SHIFTS)("for others, a clock that is set by %d ms", (shiftMs) => {
  it("LEASE-5 does not keep a posted cancel from being heard at the next poll", async () => {
    const store = new MemoryStore();
    await using clock = new ClockEngine({}, store);
    await clock.open();
    const handle = await clock.during(clock.engine.start(afterWaiting(HOUR)));
    clock.shift(shiftMs);
    const body = JSON.stringify({ kind: "cancel", mode: "abort", reason: "enough" });
    await store.post({ execution: executionId(handle.id), body, postedAt: clock.now });
    await clock.world.advance(2 * SECOND);
    expect((await clock.during(handle.status())).status).toBe("cancelled");
  });

  it("IDEM-1 does not make a key forget its execution", async () => {
    await using clock = new ClockEngine({ work: async () => 1 });
    await clock.open();
    const start = (): Promise<ExecutionHandle> => clock.engine.start(one(), null, { idempotencyKey: "order-7" });
    const first = await clock.during(start());
    await clock.during(first.result());
    clock.shift(shiftMs);
    await clock.world.advance(5 * MINUTE);
    expect((await clock.during(start())).id).toBe(first.id);
  });
});

describe("a process that opens after the clock was set back", () => {
  it("JOURNAL-4 waits for a duration no longer than all of it", async () => {
    const { calls, work } = calledAt(() => clock);
    await using clock = new ClockEngine({ work });
    await clock.open();
    await clock.during(clock.engine.start(afterWaiting(10 * MINUTE)));
    await clock.world.advance(5 * MINUTE);
    clock.shift(-DAY);
    await clock.restart();
    await clock.world.advance(5 * MINUTE - 1);
    expect(calls).toEqual([]);
    await clock.world.advance(5 * MINUTE + SECOND);
    expect(calls).toHaveLength(1);
  });
});

describe("a wait until a time", () => {
  it.each(["in memory", "at rest"])("ends within a second when the clock is set past it (%s)", async (place) => {
    const { calls, work } = calledAt(() => clock);
    await using clock = new ClockEngine({ work });
    await clock.open();
    await clock.during(clock.engine.start(afterTime(clock.now + 12 * HOUR)));
    await clock.world.advance(place === "at rest" ? 5 * MINUTE : SECOND);
    expect(inspectEngine(clock.engine).liveCount).toBe(place === "at rest" ? 0 : 1);
    clock.shift(DAY);
    await clock.world.advance(SECOND);
    expect(calls).toHaveLength(1);
  });

  it("goes on until the clock shows the time when the clock is set back", async () => {
    const { calls, work } = calledAt(() => clock);
    await using clock = new ClockEngine({ work });
    await clock.open();
    await clock.during(clock.engine.start(afterTime(clock.now + HOUR)));
    await clock.world.advance(30 * MINUTE);
    clock.shift(-HOUR);
    await clock.world.advance(90 * MINUTE - 1);
    expect(calls).toEqual([]);
    await clock.world.advance(SECOND);
    expect(calls).toHaveLength(1);
  });

  it("follows the clock of a test engine", async () => {
    await using test = await openTestEngine({ agents: { work: async () => "done" } });
    const handle = await test.start(afterTime(test.now + DAY));
    await test.advance("1h");
    await test.shiftClock(-HOUR);
    await test.advance("23h");
    expect((await handle.status()).status).toBe("running");
    await test.shiftClock(HOUR);
    expect((await handle.status()).status).toBe("completed");
  });
});

describe("a clock that is set back by an hour", () => {
  it("JOURNAL-4 writes no earlier time: what happens next has the time of what was last, or a later one", async () => {
    const calls: PromiseWithResolvers<unknown>[] = [];
    const work: AgentFunction = () => {
      calls.push(Promise.withResolvers());
      return calls.at(-1)!.promise;
    };
    await using clock = new ClockEngine({ work });
    await clock.open();
    const handle = await clock.during(clock.engine.start(one()));
    await clock.world.advance(MINUTE);
    const before = clock.now;
    await clock.during(handle.pause());
    clock.shift(-HOUR);
    await clock.during(handle.resume());
    calls[0]!.resolve("done");
    expect(await clock.during(handle.result())).toBe("done");
    await expectForward(clock, handle);
    expect((await clock.during(readEvents(handle, "execution.completed")))[0]!.at).toBeGreaterThanOrEqual(before);
  });
});
