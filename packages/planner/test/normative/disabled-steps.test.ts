// Steps that are switched off.

import { validateWorkflowDefinition } from "@segno/planner";
import { describe, expect, it } from "vitest";
import { definition, failing, names, outline, plan, listProblems, reasons, PlannerFixture, step } from "../fixture.ts";

const off = { enabled: false } as const;

describe("a disabled step", () => {
  it("PLAN-3 is skipped entirely: no action, and nobody asks for its payload", async () => {
    const asked: string[] = [];
    const payloadFor = (each: { readonly stepName: string }): object => {
      asked.push(each.stepName);
      return {};
    };
    const result = await plan([step("a"), step("b", off)], { payloadFor });
    expect(result.actionsEmitted).toHaveLength(1);
    expect(asked).toEqual(["a"]);
  });

  it("PLAN-3 is in skippedSteps, neither completed nor failed, and does not fail the workflow", async () => {
    const result = await plan([step("a", off)]);
    expect(outline(result)).toEqual({ status: "completed", completed: [], failed: [], skipped: ["a"] });
  });

  it("PLAN-20 is not failed by a report from downstream either", async () => {
    const result = await plan([step("a", off), step("b")], { failedSteps: [step("a").stepId] });
    expect(outline(result)).toEqual({ status: "completed", completed: ["b"], failed: [], skipped: ["a"] });
  });

  it("PLAN-9 GRAPH-5 satisfies its dependants", async () => {
    const result = await plan([step("a", off), step("b", { after: ["a"] }), step("c", { after: ["b"] })]);
    expect(outline(result)).toMatchObject({ status: "completed", completed: ["b", "c"], skipped: ["a"] });
  });

  it("PLAN-5 leaves no dependency on an action that does not exist", async () => {
    const { actionsEmitted } = await plan([step("a", off), step("b"), step("c", { after: ["a", "b"] })]);
    expect(actionsEmitted[1]!.dependencies).toEqual([actionsEmitted[0]!.actionId]);
  });

  it("GRAPH-5 leaves the graph before waves are made: its dependant does not wait for what it waits for", async () => {
    const steps = [step("a"), step("off", { ...off, after: ["a"] }), step("b", { after: ["off"] }), step("c")];
    expect(outline(await plan(steps)).completed).toEqual(["a", "b", "c"]);
  });

  it("PLAN-9 GRAPH-5 satisfies its dependants also when what it waits for has failed", async () => {
    const steps = [
      step("a", { errorAction: "continue" }),
      step("off", { ...off, after: ["a"] }),
      step("b", { after: ["off"] }),
    ];
    const result = await plan(steps, { payloadFor: failing("a") });
    expect(outline(result)).toEqual({ status: "failed", completed: ["b"], failed: ["a"], skipped: ["off"] });
  });

  it("PLAN-3 PLAN-6 is skipped also when it is of a type for later versions", async () => {
    const result = await plan([step("a", { ...off, stepType: "conditional" }), step("b", { after: ["a"] })]);
    expect(outline(result)).toEqual({ status: "completed", completed: ["b"], failed: [], skipped: ["a"] });
  });

  it("PLAN-10 is no failure that skipOnFailure would see", async () => {
    const result = await plan([step("a", off), step("b", { skipOnFailure: true, after: ["a"] })]);
    expect(outline(result).completed).toEqual(["b"]);
  });
});

describe("skippedSteps", () => {
  it("PLAN-11 is in declaration order, whatever the dependencies of disabled steps are", async () => {
    const steps = [step("z", { ...off, after: ["a"] }), step("m"), step("y", { ...off, after: ["m"] }), step("a", off)];
    expect(names((await plan(steps)).skippedSteps)).toEqual(["z", "y", "a"]);
  });

  it("PLAN-11 mixes disabled, stopped and skipOnFailure steps in declaration order", async () => {
    const steps = [
      step("d1", off),
      step("late", { after: ["soft"] }),
      step("bad", { errorAction: "continue" }),
      step("soft", { skipOnFailure: true }),
      step("d2", off),
      step("stop", { errorAction: "stop" }),
      step("rest"),
    ];
    const result = await plan(steps, { payloadFor: failing("bad", "stop") });
    expect(names(result.skippedSteps)).toEqual(["d1", "late", "soft", "d2", "rest"]);
    expect(outline(result).failed).toEqual(["bad", "stop"]);
  });

  it("PLAN-12 holds disabled steps also after a timeout", async () => {
    const fixture = new PlannerFixture();
    const steps = [step("a"), step("b", off), step("c"), step("d", off)];
    const result = await plan(steps, { now: fixture.now, payloadFor: fixture.taking(100), globalTimeoutMs: 200 });
    expect(outline(result)).toEqual({ status: "failed", completed: ["a"], failed: ["c"], skipped: ["b", "d"] });
  });
});

describe("validation of disabled steps", () => {
  const check = (steps: Parameters<typeof plan>[0]): void => validateWorkflowDefinition(definition(), steps);

  it("GRAPH-5 does not look for what they depend on", () => {
    expect(() => check([step("a"), step("b", { ...off, after: ["gone"] })])).not.toThrow();
  });

  it("GRAPH-5 lets enabled steps depend on them", () => {
    expect(() => check([step("a", off), step("b", { after: ["a"] })])).not.toThrow();
  });

  it("GRAPH-5 looks for duplicate ids among them", () => {
    expect(reasons(listProblems(() => check([step("a"), step("a", off)])))).toContain("duplicate-step");
  });

  it("GRAPH-5 finds a cycle that only enabling one would close", () => {
    const steps = [step("a", { after: ["c"] }), step("b", { ...off, after: ["a"] }), step("c", { after: ["b"] })];
    expect(reasons(listProblems(() => check(steps)))).toEqual(["cycle"]);
  });

  it("GRAPH-5 finds a cycle of disabled steps alone", () => {
    const steps = [step("a", { ...off, after: ["b"] }), step("b", { ...off, after: ["a"] }), step("c")];
    expect(reasons(listProblems(() => check(steps)))).toEqual(["cycle"]);
  });
});
