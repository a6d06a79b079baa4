// The timeout of the whole workflow, and the timeouts of steps. Time moves only while payloads are made.

import { describe, expect, it } from "vitest";
import { definition, failing, graph, outline, plan, PlannerFixture, step } from "../fixture.ts";

/** Every step takes 100 ms. */
function slowly(steps: Parameters<typeof plan>[0], options: Parameters<typeof plan>[1] = {}, of = definition()) {
  const fixture = new PlannerFixture();
  return plan(steps, { now: fixture.now, payloadFor: fixture.taking(100), ...options }, of);
}

describe("the global timeout", () => {
  it("PLAN-12 fails what is not processed when it elapses; the result is failed", async () => {
    const result = await slowly(graph("a b c d e"), { globalTimeoutMs: 350 });
    expect(outline(result)).toEqual({ status: "failed", completed: ["a", "b", "c"], failed: ["d", "e"], skipped: [] });
  });

  it("PLAN-12 has elapsed when exactly that much time has passed, and not a millisecond before", async () => {
    expect(outline(await slowly(graph("a b c"), { globalTimeoutMs: 300 })).failed).toEqual(["c"]);
    expect(outline(await slowly(graph("a b c"), { globalTimeoutMs: 301 })).failed).toEqual([]);
  });

  it("PLAN-12 fails the step during which it elapses, and its action is not emitted", async () => {
    const result = await slowly(graph("a b c"), { globalTimeoutMs: 150 });
    expect(outline(result)).toEqual({ status: "failed", completed: ["a"], failed: ["b", "c"], skipped: [] });
    expect(result.actionsEmitted).toHaveLength(1);
    expect(result.metadata["errors"]).toMatchObject([{ error_type: "timeout" }, { error_type: "timeout" }]);
  });

  it("PLAN-12 fails the last step too when it elapses during that one", async () => {
    const result = await slowly(graph("a"), { globalTimeoutMs: 100 });
    expect(outline(result)).toEqual({ status: "failed", completed: [], failed: ["a"], skipped: [] });
  });

  it("PLAN-12 is looked at before and after each step, also within a wave and in every mode", async () => {
    for (const executionMode of ["sequential", "parallel", "batch"] as const) {
      const result = await slowly(graph("a b c d(a)"), { globalTimeoutMs: 300, executionMode });
      expect(outline(result)).toMatchObject({ completed: ["a", "b"], failed: ["c", "d"] });
    }
  });

  it("PLAN-12 leaves actions that are already emitted as they are", async () => {
    const { actionsEmitted } = await slowly(graph("a b c"), { globalTimeoutMs: 300 });
    const { actionsEmitted: unhurried } = await slowly(graph("a b c"));
    expect(actionsEmitted).toEqual(unhurried.slice(0, 2));
  });

  it("PLAN-12 fails steps whatever their errorAction or skipOnFailure is", async () => {
    const steps = [step("a"), step("b", { errorAction: "continue" }), step("c", { skipOnFailure: true })];
    const result = await slowly(steps, { globalTimeoutMs: 200, failureStrategy: "continue_on_error" });
    expect(outline(result)).toEqual({ status: "failed", completed: ["a"], failed: ["b", "c"], skipped: [] });
  });

  it("PLAN-12 fails also what waited for a failed step", async () => {
    const fixture = new PlannerFixture();
    const steps = [step("a", { errorAction: "continue" }), step("b", { after: ["a"] }), step("c"), step("d")];
    const payloadFor = (each: (typeof steps)[number]): object => {
      fixture.nowMs += 100;
      return failing("a")(each);
    };
    const result = await plan(steps, { now: fixture.now, payloadFor, globalTimeoutMs: 300 });
    expect(outline(result)).toEqual({ status: "failed", completed: ["c"], failed: ["a", "b", "d"], skipped: [] });
  });

  it("PLAN-12 PLAN-19 each step that it fails has its entry in errors", async () => {
    const { metadata, failedSteps } = await slowly(graph("a b c d"), { globalTimeoutMs: 200 });
    const errors = metadata["errors"] as readonly { readonly step_id: string; readonly message: string }[];
    expect(errors.map((error) => error.step_id).toSorted()).toEqual(failedSteps.toSorted());
    for (const { message } of errors) expect(message).not.toBe("");
  });

  it("PLAN-12 does not fail a workflow without steps", async () => {
    expect((await slowly([], { globalTimeoutMs: 100 })).executionStatus).toBe("completed");
  });
});

describe("where the global timeout comes from", () => {
  const twelve = graph("a b c d e f g h i j k l");

  it("PLAN-12 it falls back to the definition's", async () => {
    const result = await slowly(twelve, {}, definition({ timeoutMs: 1000 }));
    expect(outline(result)).toMatchObject({ status: "failed", failed: ["j", "k", "l"] });
  });

  it("PLAN-12 the option beats the definition's, upwards and downwards", async () => {
    const of = definition({ timeoutMs: 1000 });
    expect(outline(await slowly(twelve, { globalTimeoutMs: 1200 }, of)).failed).toEqual(["l"]);
    expect(outline(await slowly(twelve, { globalTimeoutMs: 500 }, of)).completed).toHaveLength(4);
  });

  it("PLAN-12 the definition's default is ten minutes", async () => {
    const fixture = new PlannerFixture();
    const payloadFor = fixture.taking(200_000);
    const result = await plan(graph("a b c"), { now: fixture.now, payloadFor });
    expect(outline(result)).toMatchObject({ completed: ["a", "b"], failed: ["c"] });
  });
});

describe("a step's timeout", () => {
  it("PLAN-12 is never clamped or changed by the global one", async () => {
    const steps = [step("a", { timeoutMs: 300_000 }), step("b", { timeoutMs: 100 })];
    const { actionsEmitted } = await plan(steps, { globalTimeoutMs: 1000 }, definition({ timeoutMs: 1000 }));
    expect(actionsEmitted.map(({ timeoutMs }) => timeoutMs)).toEqual([300_000, 100]);
  });

  it("PLAN-12 is for the target node: a step that takes longer here is not failed by it", async () => {
    const result = await slowly([step("a", { timeoutMs: 100 }), step("b", { timeoutMs: 100 })]);
    expect(outline(result)).toMatchObject({ status: "completed", completed: ["a", "b"] });
  });
});

describe("time in the result", () => {
  it("PLAN-1 is what the clock said: duration and moment of completion", async () => {
    const fixture = new PlannerFixture();
    const begun = fixture.nowMs;
    const result = await plan(graph("a b c"), { now: fixture.now, payloadFor: fixture.taking(250) });
    expect(result.executionTimeMs).toBe(750);
    expect(Date.parse(result.timestamp)).toBe(begun + 750);
  });

  it("PLAN-13 PLAN-1 nothing to do takes no time", async () => {
    expect((await plan([])).executionTimeMs).toBe(0);
  });
});
