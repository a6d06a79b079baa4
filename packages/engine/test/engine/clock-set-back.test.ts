// After the wall clock is set back, later events get the time of the last one. Two durations that begin at different
// moments may then have one recorded end, and must still be two durations.

import { durationMs, stepId } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { AgentFunction } from "../../src/index.ts";
import { ClockEngine } from "./clock-engine.ts";
import { readEvents, flow, step } from "./sample-flow.ts";
import { inspectEngine } from "../../src/testing/index.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** An attempt that runs until it is told to stop, and then cleans up for a time. */
function until(clock: () => ClockEngine, cleanUpMs: number): AgentFunction {
  return (_, { signal }) =>
    new Promise((resolve) => {
      const end = (): void => void clock().world.schedule(cleanUpMs, "cleaning up", () => resolve("tidied"));
      signal.addEventListener("abort", end, { once: true });
    });
}

describe("a clock that is set back", () => {
  it("FAIL-3 does not cut a backoff short that is recorded to end when the one before it did", async () => {
    const calls: number[] = [];
    const agents: Record<string, AgentFunction> = {
      busy: () => {
        calls.push(clock.world.elapsedMs);
        throw new Error("busy");
      },
      slow: () => new Promise((resolve) => void clock.world.schedule(2 * MINUTE, "slow", () => resolve("done"))),
    };
    await using clock = new ClockEngine(agents);
    await clock.open();
    const retry = { attempts: 3, base: durationMs(MINUTE), factor: 1, max: durationMs(MINUTE) };
    const steps = [step("a", { agent: "busy", retry }), step("b", { agent: "slow" })];
    const handle = await clock.during(clock.engine.start(flow(steps, { concurrency: 1 })));
    clock.shift(-DAY);
    await clock.world.advance(4 * MINUTE);
    const retried = await clock.during(readEvents(handle, "step.retried"));
    expect(new Set(retried.map(({ dueAt }) => dueAt)).size).toBe(1);
    expect(calls.map((at) => Math.floor(at / MINUTE))).toEqual([0, 2, 3]);
  });

  it("CANCEL-2 does not cut a grace short that is recorded to end when the one before it did", async () => {
    await using clock = new ClockEngine({ work: until(() => clock, 0), tidy: until(() => clock, SECOND) });
    await clock.open();
    const steps = [
      {
        id: stepId("m"),
        action: { kind: "map", over: "`[1]`", steps: [step("x")] },
        timeout: durationMs(MINUTE),
        fallback: stepId("f"),
      } as const,
      step("f", { agent: "tidy" }),
    ];
    const handle = await clock.during(clock.engine.start(flow(steps)));
    await clock.world.advance(MINUTE + SECOND);
    clock.shift(-DAY);
    await clock.world.advance(10 * SECOND);
    await clock.during(handle.cancel());
    await clock.world.advance(2 * SECOND);
    const stops = await clock.during(readEvents(handle, "steps.cancelling"));
    expect(stops.map(({ forceAt }) => forceAt)).toEqual([stops[0]!.forceAt, stops[0]!.forceAt]);
    const { steps: ended } = await clock.during(handle.status());
    expect(ended.slice(0, 2).map(({ status }) => status)).toEqual(["failed", "succeeded"]);
  });

  it("CANCEL-2 gives a step its whole grace when another step, stopped earlier, ended within the same recorded one", async () => {
    await using clock = new ClockEngine({
      four: until(() => clock, 4 * SECOND),
      three: until(() => clock, 3 * SECOND),
    });
    await clock.open();
    const map = { kind: "map", over: "`[1]`", steps: [step("x", { agent: "four" })] } as const;
    const steps = [{ id: stepId("m"), action: map, timeout: durationMs(MINUTE) }, step("y", { agent: "three" })];
    const handle = await clock.during(clock.engine.start(flow(steps)));
    clock.shift(-DAY);
    await clock.world.advance(MINUTE + 10 * SECOND);
    const stops = await clock.during(readEvents(handle, "steps.cancelling"));
    expect(stops.map(({ forceAt }) => forceAt)).toEqual([stops[0]!.forceAt, stops[0]!.forceAt]);
    const { steps: ended } = await clock.during(handle.status());
    expect(ended.map(({ status }) => status)).toEqual(["failed", "succeeded", "succeeded"]);
  });
});

describe("for two waits that are recorded to end together, a clock that was set back", () => {
  it.each(["in memory", "at rest"])("JOURNAL-4 does not cut the second one short (%s)", async (place) => {
    const calls: [string, number][] = [];
    const noted =
      (name: string): AgentFunction =>
      () =>
        void calls.push([name, clock.world.elapsedMs / SECOND]);
    const slow: AgentFunction = () =>
      new Promise((resolve) => void clock.world.schedule(30 * SECOND, "slow", () => resolve("done")));
    await using clock = new ClockEngine({ slow, first: noted("first"), second: noted("second") });
    await clock.open();
    const lastsMs = durationMs(place === "at rest" ? 10 * MINUTE : MINUTE);
    const action = { kind: "wait", on: "duration", for: lastsMs } as const;
    const steps = [
      { id: stepId("one"), action },
      step("slow", { agent: "slow" }),
      { id: stepId("two"), action, dependsOn: [{ step: stepId("slow"), on: "succeeded" as const }] },
      step("first", { agent: "first", after: ["one"] }),
      step("second", { agent: "second", after: ["two"] }),
    ];
    const handle = await clock.during(clock.engine.start(flow(steps)));
    clock.shift(-DAY);
    await clock.world.advance(lastsMs - SECOND);
    expect(inspectEngine(clock.engine).liveCount).toBe(place === "at rest" ? 0 : 1);
    await clock.world.advance(MINUTE);
    const waits = await clock.during(readEvents(handle, "step.suspended"));
    expect(waits.map(({ wait }) => wait)).toEqual([waits[0]!.wait, waits[0]!.wait]);
    expect(calls.map(([name, at]) => [name, Math.floor(at)])).toEqual([
      ["first", lastsMs / SECOND],
      ["second", lastsMs / SECOND + 30],
    ]);
  });
});
