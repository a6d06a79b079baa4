// Idle eviction: an execution that only waits leaves memory, with no visible effect (JOURNAL-3, SCHED-1).

import { durationMs, stepId, type Definition, type StepDefinition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { ExecutionHandle } from "../../src/index.ts";
import {
  fail,
  hang,
  openTestEngine,
  script,
  succeed,
  type TestEngine,
  inspectEngine,
} from "../../src/testing/index.ts";
import { collect } from "./collect.ts";
import { afterWaiting, readEvents, flow, eventKinds, one, step } from "./sample-flow.ts";

const HOUR = 3_600_000;

/** Waits for a signal, then calls the agent `work`. */
const UNTIL_TOLD: Definition = flow(
  [{ id: stepId("wait"), action: { kind: "wait", on: "signal", signal: "go" } }, step("a", { after: ["wait"] })],
  { output: "${ steps.a.output }" },
);

/** Waits for a signal after any end of `a`. */
const CLEAN_UP: StepDefinition = {
  id: stepId("clean"),
  action: { kind: "wait", on: "signal", signal: "go" },
  dependsOn: [{ step: stepId("a"), on: "settled" }],
};

function live(test: TestEngine): number {
  return inspectEngine(test.engine).liveCount;
}

/** In memory at first, and evicted after two minutes. */
async function resting(test: TestEngine, definition: Definition): Promise<ExecutionHandle> {
  const handle = await test.start(definition);
  await test.untilIdle();
  expect(live(test)).toBe(1);
  await test.advance("2m");
  expect(live(test)).toBe(0);
  return handle;
}

async function readStatus(handle: ExecutionHandle): Promise<string> {
  return (await handle.status()).status;
}

const agents = { work: async () => "done" };

describe("an execution that only waits", () => {
  it("JOURNAL-3 stays in memory for a minute", async () => {
    await using test = await openTestEngine({ agents });
    await test.start(afterWaiting(HOUR));
    await test.advance("59s");
    expect(live(test)).toBe(1);
  });

  it("JOURNAL-3 for a time leaves memory, and goes on at that time", async () => {
    await using test = await openTestEngine({ agents });
    const begun = test.now;
    const handle = await resting(test, afterWaiting(HOUR));
    await test.advance("57m");
    expect([await readStatus(handle), live(test)]).toEqual(["running", 0]);
    await test.advance("1m");
    expect([await readStatus(handle), live(test)]).toEqual(["completed", 0]);
    expect((await readEvents(handle, "step.started")).map(({ at }) => at)).toEqual([begun + HOUR]);
  });

  it("JOURNAL-3 before it tries again leaves memory, and tries again in time", async () => {
    const work = script([fail("later", { retryAfter: "1h" }), succeed("done")]);
    await using test = await openTestEngine({ agents: { work } });
    const handle = await resting(test, flow([step("a")]));
    await test.advance("57m");
    expect(work.calls).toHaveLength(1);
    await test.advance("2m");
    expect([await readStatus(handle), work.calls.length]).toEqual(["completed", 2]);
  });

  it("JOURNAL-3 for a signal leaves memory, and goes on when it comes", async () => {
    await using test = await openTestEngine({ agents });
    const handle = await resting(test, UNTIL_TOLD);
    await test.advance("1d");
    expect(live(test)).toBe(0);
    expect(await handle.signal("go")).toEqual({ kind: "accepted" });
    await test.untilIdle();
    expect([await handle.result(), live(test)]).toEqual(["done", 0]);
  });

  it("FAIL-4 ends when its own time is over, although it is not in memory", async () => {
    await using test = await openTestEngine({ agents });
    const handle = await resting(test, { ...UNTIL_TOLD, timeout: durationMs(HOUR) });
    await test.advance("59m");
    expect([await readStatus(handle), live(test)]).toEqual(["failed", 0]);
  });

  it("JOURNAL-4 that has rested has a journal as if it had not", async () => {
    await using test = await openTestEngine({ agents });
    const rested = await resting(test, UNTIL_TOLD);
    await rested.signal("go");
    await test.untilIdle();
    const other = await test.start(UNTIL_TOLD);
    await other.signal("go");
    await test.untilIdle();
    expect(await eventKinds(rested)).toEqual(await eventKinds(other));
    expect((await test.engine.verify(rested.id)).ok).toBe(true);
  });
});

describe("an execution that rests", () => {
  it("CANCEL-7 is paused and resumed, and rests when it is paused as well", async () => {
    await using test = await openTestEngine({ agents });
    const handle = await resting(test, afterWaiting(HOUR));
    expect(await handle.pause()).toEqual({ kind: "accepted" });
    expect(await readStatus(handle)).toBe("paused");
    await test.advance("2m");
    expect(live(test)).toBe(0);
    await test.advance("2h");
    expect(await readStatus(handle)).toBe("paused");
    expect(await handle.resume()).toEqual({ kind: "accepted" });
    await test.advance("1s");
    expect(await readStatus(handle)).toBe("completed");
  });

  it("CANCEL-4 is cancelled at once", async () => {
    await using test = await openTestEngine({ agents });
    const handle = await resting(test, UNTIL_TOLD);
    expect(await handle.cancel({ reason: "not needed" })).toEqual({ kind: "accepted" });
    await test.untilIdle();
    expect([await readStatus(handle), live(test)]).toEqual(["cancelled", 0]);
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_CANCELLED" });
  });

  it("JOURNAL-3 answers all who were waiting for it: `result()` and `events()`, also over several rests", async () => {
    await using test = await openTestEngine({ agents });
    const handle = await test.start(
      flow([
        { id: stepId("first"), action: { kind: "wait", on: "duration", for: durationMs(HOUR) } },
        {
          id: stepId("second"),
          action: { kind: "wait", on: "signal", signal: "go" },
          dependsOn: [{ step: stepId("first"), on: "succeeded" }],
        },
        step("a", { after: ["second"] }),
      ]),
    );
    const result = handle.result();
    const seen: number[] = [];
    const events = (async () => {
      for await (const { seq } of handle.events()) seen.push(seq);
    })();
    await test.advance("2m");
    expect(live(test)).toBe(0);
    const late = handle.result();
    await test.advance("2h");
    expect(live(test)).toBe(0);
    await handle.signal("go");
    await test.untilIdle();
    await Promise.all([result, late, events]);
    expect(seen).toEqual(Array.from({ length: (await handle.status()).seq }, (_, index) => index + 1));
  });
});

describe("an execution with a time that has passed and changes nothing", () => {
  it("CANCEL-7 leaves memory when it is paused and its backoff is over, and tries again when it is resumed", async () => {
    const work = script([fail("later", { retryAfter: "10s" }), succeed("done")]);
    await using test = await openTestEngine({ agents: { work } });
    const handle = await test.start(flow([step("a")]));
    await test.untilIdle();
    await handle.pause();
    await test.advance("2m");
    expect([await readStatus(handle), live(test), work.calls.length]).toEqual(["paused", 0, 1]);
    await handle.resume();
    await test.untilIdle();
    expect([await readStatus(handle), work.calls.length]).toEqual(["completed", 2]);
  });

  it("SCHED-1 makes room for others when it is paused and its backoff is over", async () => {
    const work = script([fail("later", { retryAfter: "10s" }), succeed("done")]);
    await using test = await openTestEngine({ agents: { work }, limits: { liveExecutions: 1 } });
    const paused = await test.start(flow([step("a")]));
    await test.untilIdle();
    await paused.pause();
    await test.advance("20s");
    const other = test.start(flow([step("a")])).then(() => "started", String);
    const isWaiting = test.untilIdle().then(() => "there is no room");
    expect([await readStatus(paused), await Promise.race([other, isWaiting])]).toEqual(["paused", "started"]);
  });

  it.each([
    { over: "the time of the workflow", flowMs: 10_000, stepMs: HOUR },
    { over: "the time of the workflow, after a failure,", flowMs: 60_000, stepMs: 10_000 },
  ])("STATE-6 leaves memory when $over is over and its clean-up waits", async ({ flowMs, stepMs }) => {
    await using test = await openTestEngine({ agents: { work: script([hang()]) } });
    const stuck = { ...step("a"), timeout: durationMs(stepMs), retry: { attempts: 1 } };
    const handle = await test.start(flow([stuck, CLEAN_UP], { timeout: durationMs(flowMs) }));
    await test.advance("5m");
    expect([await readStatus(handle), live(test)]).toEqual(["failing", 0]);
    await handle.signal("go");
    await test.untilIdle();
    expect([await readStatus(handle), live(test)]).toEqual(["failed", 0]);
  });

  it("STATE-6 leaves memory when the time of a map is over and its clean-up waits", async () => {
    await using test = await openTestEngine({ agents: { work: script([hang()]) } });
    const steps = [step("a"), CLEAN_UP];
    const action: StepDefinition["action"] = { kind: "map", over: "`[1]`", steps };
    const handle = await test.start(flow([{ id: stepId("map"), action, timeout: durationMs(10_000) }]));
    await test.advance("5m");
    expect([await readStatus(handle), live(test)]).toEqual(["running", 0]);
    await handle.signal("go");
    await test.untilIdle();
    expect([await readStatus(handle), live(test)]).toEqual(["failed", 0]);
  });
});

describe("an execution that rests, for those who look after it,", () => {
  it("JOURNAL-7 has not ended: it is not removed, and is verified, listed and exported like any other", async () => {
    await using test = await openTestEngine({ agents });
    const { id } = await resting(test, UNTIL_TOLD);
    await expect(test.engine.remove(id)).rejects.toMatchObject({ code: "EXECUTION_UNFINISHED" });
    expect(await test.engine.verify(id)).toMatchObject({ ok: true });
    expect((await test.engine.list({ status: ["running"] })).executions).toMatchObject([{ id }]);
    expect((await collect(test.engine.export(id))).length).toBeGreaterThan(2);
    expect(live(test)).toBe(0);
  });

  it("STATE-1 may be parked by a limit, and is resumed or cancelled like any other", async () => {
    await using test = await openTestEngine({ agents, limits: { journal: 10 } });
    const chain = flow(Array.from({ length: 9 }, (_, n) => step(`s${n}`, n === 0 ? {} : { after: [`s${n - 1}`] })));
    const handle = await resting(test, chain);
    expect(await readStatus(handle)).toBe("parked");
    expect(await handle.resume()).toEqual({ kind: "accepted" });
    await test.advance("2m");
    expect([await readStatus(handle), live(test)]).toEqual(["parked", 0]);
    await handle.cancel();
    await test.untilIdle();
    expect(await readStatus(handle)).toBe("cancelled");
  });

  it("IDEM-1 is joined by a start with its key", async () => {
    await using test = await openTestEngine({ agents });
    const handle = await test.start(UNTIL_TOLD, null, { idempotencyKey: "order-7" });
    await test.advance("1h");
    expect(live(test)).toBe(0);
    expect((await test.start(UNTIL_TOLD, null, { idempotencyKey: "order-7" })).id).toBe(handle.id);
    await expect(test.start(UNTIL_TOLD, null, { id: handle.id })).rejects.toMatchObject({ code: "EXECUTION_EXISTS" });
  });
});

describe("executions that only wait", () => {
  it("SCHED-1 do not keep others from starting beyond `limits.liveExecutions`", async () => {
    await using test = await openTestEngine({ agents, limits: { liveExecutions: 2 } });
    const handles: ExecutionHandle[] = [];
    for (let count = 0; count < 10; count++) {
      handles.push(await test.start(count % 2 === 0 ? UNTIL_TOLD : afterWaiting(HOUR)));
      expect(live(test)).toBeLessThanOrEqual(2);
    }
    for (const handle of handles) await handle.signal("go");
    await test.advance("2h");
    for (const handle of handles) expect(await readStatus(handle)).toBe("completed");
  });

  it("SCHED-1 make room for starts that come at the same moment, too", async () => {
    await using test = await openTestEngine({ agents, limits: { liveExecutions: 2 } });
    const starting = Promise.all(Array.from({ length: 20 }, () => test.start(UNTIL_TOLD)));
    await test.advance("1s");
    expect(await Promise.race([starting.then((all) => all.length), test.untilIdle()])).toBe(20);
  });

  it("SCHED-1 make room for a start that waited while they ran", async () => {
    const work = script([succeed("done", { after: "1s" })]);
    await using test = await openTestEngine({ agents: { work }, limits: { liveExecutions: 1 } });
    await test.start(
      flow([step("a"), { ...UNTIL_TOLD.steps[0]!, dependsOn: [{ step: stepId("a"), on: "succeeded" }] }]),
    );
    const second = test.start(one());
    await test.advance("5m");
    expect(await Promise.race([second.then(readStatus), test.untilIdle()])).toBe("completed");
  });

  it("JOURNAL-3 stay out of memory when an engine opens, and go on when they are due or told", async () => {
    await using test = await openTestEngine({ agents, limits: { liveExecutions: 2 } });
    const ids: string[] = [];
    for (let count = 0; count < 6; count++)
      ids.push((await test.start(count % 2 === 0 ? UNTIL_TOLD : afterWaiting(HOUR))).id);
    await test.untilIdle();
    await test.crash();
    expect(live(test)).toBe(0);
    await test.advance("2h");
    for (const [index, id] of ids.entries()) {
      const handle = await test.get(id);
      expect(await readStatus(handle)).toBe(index % 2 === 0 ? "running" : "completed");
      if (index % 2 === 0) await handle.signal("go");
    }
    await test.untilIdle();
    for (const id of ids) expect(await readStatus(await test.get(id))).toBe("completed");
    expect(live(test)).toBe(0);
  });
});

describe("starts that come at the same moment", () => {
  it("SCHED-1 are no more in memory than `limits.liveExecutions`; the others wait", async () => {
    await using test = await openTestEngine({ agents: { work: script([hang()]) }, limits: { liveExecutions: 2 } });
    for (let count = 0; count < 20; count++) test.start(one()).catch(() => undefined);
    await test.advance("1s");
    expect(live(test)).toBe(2);
  });
});

describe("what does not rest", () => {
  it("JOURNAL-3 is an execution that runs something, however long", async () => {
    await using test = await openTestEngine({ agents: { work: script([succeed("done", { after: "1h" })]) } });
    const handle = await test.start(one());
    await test.advance("30m");
    expect(live(test)).toBe(1);
    await test.advance("31m");
    expect([await readStatus(handle), live(test)]).toEqual(["completed", 0]);
  });

  it("JOURNAL-3 is one in which something runs while something else waits", async () => {
    await using test = await openTestEngine({ agents: { work: script([hang()]) } });
    await test.start(flow([...UNTIL_TOLD.steps, step("runs")]));
    await test.advance("30m");
    expect(live(test)).toBe(1);
  });

  it("FAIL-9 is one that is parked for an agent that nobody registered: it goes on as soon as somebody does", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(one());
    await test.advance("30m");
    expect([await readStatus(handle), live(test)]).toEqual(["parked", 1]);
    test.engine.agent("work", async () => "done");
    await test.untilIdle();
    expect(await readStatus(handle)).toBe("completed");
  });

  it("SCHED-2 is one whose step waits for its turn", async () => {
    await using test = await openTestEngine({
      agents: { work: script([succeed("done", { after: "1h" })]) },
      limits: { slots: 1 },
    });
    const handles = [await test.start(one()), await test.start(one())];
    await test.advance("30m");
    expect(live(test)).toBe(2);
    await test.advance("2h");
    for (const handle of handles) expect(await readStatus(handle)).toBe("completed");
  });
});
