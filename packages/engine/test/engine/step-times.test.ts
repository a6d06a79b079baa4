// The start, end and duration of steps, in reports, in expressions and in events.

import { durationMs, stepId, type Definition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { ExecutionHandle, WatchEvent } from "../../src/index.ts";
import { fail, hang, openTestEngine, script, succeed } from "../../src/testing/index.ts";
import { flow, readHistory, one, step } from "./sample-flow.ts";

type Times = readonly [
  status: string,
  startedAt: number | undefined,
  completedAt: number | undefined,
  duration: number | undefined,
];

/** By step name, relative to a moment. */
async function readTimes(handle: ExecutionHandle, begin: number): Promise<Readonly<Record<string, Times>>> {
  const since = (at: number | undefined): number | undefined => (at === undefined ? undefined : at - begin);
  const { steps } = await handle.status();
  return Object.fromEntries(
    steps.map(({ name, status, startedAt, completedAt, durationMs: duration }) => [
      name,
      [status, since(startedAt), since(completedAt), duration] as const,
    ]),
  );
}

const RETRIED = { retry: { attempts: 3, base: durationMs(1000) } };

describe("STATE-4 a step's times", () => {
  it("STATE-4 go from its first attempt to its end, and the backoff is part of its duration", async () => {
    const work = script([fail("busy", { after: 80 }), succeed(1, { after: 20 })]);
    await using test = await openTestEngine({ agents: { work } });
    const begin = test.now;
    const handle = await test.start(one(RETRIED));
    await test.advance(40);
    expect(await readTimes(handle, begin)).toEqual({ a: ["running", 0, undefined, undefined] });
    await test.advance(100);
    expect(await readTimes(handle, begin)).toEqual({ a: ["retrying", 0, undefined, undefined] });
    await test.advance("10s");
    expect(await readTimes(handle, begin)).toEqual({ a: ["succeeded", 0, 1100, 1100] });
  });

  it("JOURNAL-2 are the same after a crash, and an attempt that was lost belongs to the step", async () => {
    const work = script([hang(), succeed(1, { after: 20 })]);
    await using test = await openTestEngine({ agents: { work } });
    const begin = test.now;
    const { id } = await test.start(one());
    await test.advance(500);
    await test.crash();
    await test.advance(500);
    const before = await readTimes(await test.get(id), begin);
    expect(before).toMatchObject({ a: ["succeeded", 0, 520, 520] });
    await test.crash();
    expect(await readTimes(await test.get(id), begin)).toEqual(before);
  });

  it("STATE-4 of waits and maps go from the wait, and from the opening, to the end", async () => {
    const definition: Definition = flow([
      { id: stepId("wait"), action: { kind: "wait", on: "duration", for: durationMs(300) } },
      {
        id: stepId("map"),
        action: { kind: "map", over: "`[1, 2]`", concurrency: 1, steps: [step("item")] },
      },
    ]);
    await using test = await openTestEngine({
      agents: { work: script([succeed(1, { after: 50 }), succeed(1, { after: 50 })]) },
    });
    const begin = test.now;
    const handle = await test.start(definition);
    await test.advance("1s");
    expect(await readTimes(handle, begin)).toEqual({
      wait: ["succeeded", 0, 300, 300],
      map: ["succeeded", 0, 100, 100],
      "map/0": ["succeeded", 0, 50, 50],
      "map/1": ["succeeded", 50, 100, 50],
    });
  });
});

describe("STATE-4 a step's times", () => {
  it("STATE-4 of a step that never began are its end alone; what fails before its attempt begins when it ends", async () => {
    await using test = await openTestEngine({ agents: { work: async () => 1 } });
    const begin = test.now;
    const bad = step("bad", { input: 1, inputSchema: { type: "string" }, onError: "continue" });
    const handle = await test.start(flow([step("no", { when: "`false`" }), bad, step("off", { enabled: false })]));
    await test.untilIdle();
    expect(await readTimes(handle, begin)).toEqual({
      no: ["skipped", undefined, 0, undefined],
      bad: ["failed", 0, 0, 0],
      off: ["skipped", undefined, undefined, undefined],
    });
  });

  it("STATE-2 begin anew in a new round, for what runs again", async () => {
    const work = script([
      succeed(1, { after: 10 }),
      fail("no", { permanent: true, after: 20 }),
      succeed(2, { after: 5 }),
    ]);
    await using test = await openTestEngine({ agents: { work } });
    const begin = test.now;
    const handle = await test.start(flow([step("a"), step("b", { after: ["a"] })]));
    await test.advance(100);
    await handle.retry();
    await test.advance(100);
    expect(await readTimes(handle, begin)).toEqual({ a: ["succeeded", 0, 10, 10], b: ["succeeded", 100, 105, 5] });
    const ends = (await readHistory(handle)).flatMap(({ status, durationMs: duration }) =>
      duration === undefined ? [] : [[status, duration]],
    );
    expect(ends).toEqual([
      ["succeeded", 10],
      ["failed", 20],
      ["succeeded", 5],
    ]);
  });

  it("DATA-1 are fields of `steps.<id>`, null where there are none", async () => {
    const work = script([succeed(1, { after: 30 })]);
    await using test = await openTestEngine({ agents: { work } });
    const fields = "[startedAt, completedAt, durationMs]";
    const handle = await test.start(
      flow([step("a"), step("no", { when: "`false`" })], {
        output: `\${ [steps.a.${fields}, steps.no.${fields}, [execution.startedAt]] }`,
      }),
    );
    const begin = test.now;
    await test.advance("1s");
    const end = begin + 30;
    expect(await handle.result()).toEqual([[begin, end, 30], [null, begin, null], [begin]]);
  });
});

/** The details of an event beyond kind, step and time. */
function particulars({ agent, dependencies, status, durationMs: duration, steps, cause }: WatchEvent): object {
  return JSON.parse(JSON.stringify({ agent, dependencies, status, durationMs: duration, steps, cause })) as object;
}

describe("EVENT-1 a watch event", () => {
  it("EVENT-1 of a start has agent and dependencies, of an end status and duration; the journal has none of them", async () => {
    await using test = await openTestEngine({
      agents: { work: script([succeed(1, { after: 10 }), succeed(1), succeed(1)]) },
    });
    const handle = await test.start(flow([step("a"), step("b"), step("c", { after: ["b", "a"] })]));
    await test.advance("1s");
    const history = await readHistory(handle);
    const of = (kind: string, name: string): WatchEvent =>
      history.find((each) => each.kind === kind && each.step === name)!;
    expect(particulars(of("step.started", "a"))).toEqual({ agent: "work", dependencies: [] });
    expect(particulars(of("step.started", "c"))).toEqual({ agent: "work", dependencies: ["a", "b"] });
    expect(particulars(of("step.completed", "a"))).toEqual({ status: "succeeded", durationMs: 10 });
    expect(Object.keys(of("step.started", "c").event)).not.toContain("dependencies");
    expect(Object.keys(of("step.completed", "a").event)).not.toContain("durationMs");
  });

  it("EVENT-1 about several steps names all of them, and the step that is the cause", async () => {
    await using test = await openTestEngine({
      agents: { work: script([fail("no", { permanent: true, after: 10 }), hang()]) },
    });
    const steps = [step("bad"), step("long"), step("behind", { after: ["bad"] }), step("later", { after: ["long"] })];
    const handle = await test.start(flow(steps));
    await test.advance("1m");
    const told = (await readHistory(handle)).filter(({ kind }) => kind.startsWith("steps.") || kind === "step.failed");
    expect(told.map((each) => [each.kind, particulars(each)])).toEqual([
      ["step.failed", { status: "failed", durationMs: 10 }],
      ["steps.skipped", { steps: ["behind"], status: "skipped", cause: "bad" }],
      ["steps.skipped", { steps: ["later"], status: "skipped" }],
      ["steps.cancelling", { steps: ["long"] }],
    ]);
  });

  it("EVENT-1 says the same live and in the history, also of a round that is over", async () => {
    const work = script([
      fail("no", { permanent: true, after: 20 }),
      fail("no", { permanent: true, after: 7 }),
      succeed(2),
    ]);
    await using test = await openTestEngine({ agents: { work } });
    const live: WatchEvent[] = [];
    test.engine.subscribe({}, ({ events }) => void live.push(...events));
    const handle = await test.start(flow([step("a"), step("b", { after: ["a"] })]));
    for (let round = 0; round < 2; round++) {
      await test.advance(100);
      await handle.retry();
    }
    await test.advance(100);
    expect((await handle.status()).round).toBe(3);
    expect((await readHistory(handle)).map(particulars)).toEqual(live.map(particulars));
    expect(live.flatMap(({ durationMs: duration }) => duration ?? [])).toEqual([20, 7, 0, 0]);
  });
});

describe("STATE-2 a report", () => {
  it("STATE-2 shows what stands in line as queued, and what a pause keeps from it as ready", async () => {
    const work = script([succeed(1, { after: 100 }), succeed(1, { after: 100 }), succeed(1)]);
    await using test = await openTestEngine({ agents: { work }, limits: { slots: 1 } });
    const handle = await test.start(flow([step("a"), step("b"), step("c", { after: ["b"] })]));
    await test.advance(10);
    const statuses = async (): Promise<readonly string[]> => (await handle.status()).steps.map(({ status }) => status);
    expect(await statuses()).toEqual(["running", "queued", "waiting"]);
    await handle.pause();
    expect(await statuses()).toEqual(["running", "ready", "waiting"]);
    await handle.resume();
    await test.untilIdle();
    expect(await statuses()).toEqual(["running", "queued", "waiting"]);
    await test.advance("1s");
    expect(await statuses()).toEqual(["succeeded", "succeeded", "succeeded"]);
  });
});
