// A clock that is set back or forward while things run: the journal's time never goes back, and no timer is lost or early.

import { durationMs } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { AgentFunction, ExecutionHandle } from "../../src/index.ts";
import { ClockEngine } from "./clock-engine.ts";
import { afterWaiting, eventsOf, historyOf, one } from "./sample-flow.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

async function expectForward(clock: ClockEngine, handle: ExecutionHandle): Promise<void> {
  const times = (await clock.during(historyOf(handle))).map(({ at }) => at);
  expect(times.length).toBeGreaterThan(2);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(await clock.during(clock.engine.verify(handle.id))).toMatchObject({ ok: true });
}

/** An agent that is called, and how long after the beginning it was. */
function calledAt(clock: () => ClockEngine): { readonly calls: number[]; readonly work: AgentFunction } {
  const calls: number[] = [];
  return { calls, work: () => void calls.push(clock().world.elapsedMs) };
}

describe("a clock that is set back by an hour", () => {
  it.each([false, true])(
    "JOURNAL-4 neither loses a timer nor fires it early (with a restart: %s)",
    async (isRestarted) => {
      const { calls, work } = calledAt(() => clock);
      await using clock = new ClockEngine({ work });
      await clock.open();
      const { id } = await clock.during(clock.engine.start(afterWaiting(10 * MINUTE)));
      await clock.world.advance(5 * MINUTE);
      clock.shift(-HOUR);
      if (isRestarted) await clock.restart();
      await clock.world.advance(5 * MINUTE - 1);
      expect(calls).toEqual([]);
      await clock.world.advance(HOUR + MINUTE);
      expect(calls).toHaveLength(1);
      const handle = await clock.during(clock.engine.get(id));
      expect((await clock.during(handle.status())).status).toBe("completed");
      await expectForward(clock, handle);
    },
  );

  it.each([false, true])("JOURNAL-4 FAIL-3 does not lose a retry (with a restart: %s)", async (isRestarted) => {
    const times: number[] = [];
    const work: AgentFunction = () => {
      times.push(clock.world.elapsedMs);
      if (times.length === 1) throw new Error("busy");
      return "done";
    };
    await using clock = new ClockEngine({ work });
    await clock.open();
    const { id } = await clock.during(
      clock.engine.start(one({ retry: { attempts: 2, base: durationMs(MINUTE), max: durationMs(MINUTE) } })),
    );
    await clock.world.advance(30 * SECOND);
    clock.shift(-HOUR);
    if (isRestarted) await clock.restart();
    await clock.world.advance(2 * HOUR);
    expect(times).toHaveLength(2);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(MINUTE);
    const handle = await clock.during(clock.engine.get(id));
    expect(await clock.during(handle.result())).toBe("done");
    await expectForward(clock, handle);
  });
});

describe("a clock that is set back by an hour", () => {
  it("JOURNAL-4 FAIL-4 does not lose the deadline of an attempt, and does not make it early", async () => {
    await using clock = new ClockEngine({ work: () => new Promise(() => undefined) });
    await clock.open();
    const handle = await clock.during(clock.engine.start(one({ timeout: durationMs(10 * MINUTE) })));
    await clock.world.advance(5 * MINUTE);
    clock.shift(-HOUR);
    await clock.world.advance(5 * MINUTE - 1);
    expect((await clock.during(handle.status())).status).toBe("running");
    await clock.world.advance(HOUR + MINUTE);
    expect((await clock.during(handle.status())).failure).toMatchObject({ code: "ATTEMPT_TIMEOUT" });
    await expectForward(clock, handle);
  });

  it("JOURNAL-4 writes no time twice as early: what happens next has the time of what was last, or later", async () => {
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
    expect((await clock.during(eventsOf(handle, "execution.completed")))[0]!.at).toBeGreaterThanOrEqual(before);
  });

  it("IDEM-1 does not make a key forget its execution", async () => {
    await using clock = new ClockEngine({ work: async () => 1 });
    await clock.open();
    const start = (): Promise<ExecutionHandle> => clock.engine.start(one(), null, { idempotencyKey: "order-7" });
    const first = await clock.during(start());
    await clock.during(first.result());
    clock.shift(-HOUR);
    expect((await clock.during(start())).id).toBe(first.id);
  });
});

describe("a clock that is set forward by an hour", () => {
  it.each([false, true])("JOURNAL-4 makes due what is due by it, once (with a restart: %s)", async (isRestarted) => {
    const { calls, work } = calledAt(() => clock);
    await using clock = new ClockEngine({ work });
    await clock.open();
    const { id } = await clock.during(clock.engine.start(afterWaiting(10 * MINUTE)));
    await clock.world.advance(MINUTE);
    clock.shift(HOUR);
    if (isRestarted) await clock.restart();
    await clock.world.advance(10 * MINUTE);
    expect(calls).toHaveLength(1);
    clock.shift(-2 * HOUR);
    await clock.world.advance(3 * HOUR);
    expect(calls).toHaveLength(1);
    await expectForward(clock, await clock.during(clock.engine.get(id)));
  });
});
