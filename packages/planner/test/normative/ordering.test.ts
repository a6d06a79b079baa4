// In which order steps are processed and actions emitted.

import { getExecutionOrder, workflowStep } from "@segno/planner";
import { describe, expect, it } from "vitest";
import {
  graph,
  names,
  outline,
  plan,
  listProblems,
  reasons,
  PlannerFixture,
  step,
  stepFields,
  stepId,
} from "../fixture.ts";

const MODES = ["sequential", "parallel", "batch"] as const;

async function emitted(
  steps: Parameters<typeof plan>[0],
  options: Parameters<typeof plan>[1] = {},
): Promise<unknown[]> {
  const { actionsEmitted } = await plan(steps, options);
  return actionsEmitted.map(({ payload }) => payload["step_name"]);
}

describe("waves", () => {
  it.each(MODES)("PLAN-3 GRAPH-2 all of a wave comes before the next wave, in %s mode too", async (executionMode) => {
    expect(await emitted(graph("a b(a) c"), { executionMode })).toEqual(["a", "c", "b"]);
  });

  it.each(MODES)(
    "PLAN-3 GRAPH-2 inside a wave the order is that of declaration, in %s mode too",
    async (executionMode) => {
      expect(await emitted(graph("z m a x(a) k(z)"), { executionMode })).toEqual(["z", "m", "a", "x", "k"]);
    },
  );

  it("PLAN-3 GRAPH-2 a dependency may be declared after its dependant", async () => {
    expect(await emitted(graph("d(c) c(b) b(a) a"))).toEqual(["a", "b", "c", "d"]);
  });

  it("PLAN-3 GRAPH-2 a step waits for its latest dependency, not for its first", async () => {
    expect(await emitted(graph("a b(a) c(b) x(a,c) y(a)"))).toEqual(["a", "b", "y", "c", "x"]);
  });

  it("PLAN-3 a completed step is listed when its action is emitted", async () => {
    const result = await plan(graph("d(b) c b(a) a"));
    expect(names(result.completedSteps)).toEqual(["c", "a", "b", "d"]);
    expect(result.actionsEmitted.map(({ payload }) => payload["step_id"])).toEqual(result.completedSteps);
  });

  it("PLAN-3 GRAPH-4 a step without any edge is processed in the first wave", async () => {
    expect(await emitted(graph("a b(a) lone"))).toEqual(["a", "lone", "b"]);
  });
});

describe("what does not order", () => {
  it.each(MODES)("PLAN-3 GRAPH-2 priority does not, in %s mode", async (executionMode) => {
    const steps = [step("a", { priority: 1 }), step("b", { priority: 1000 }), step("c", { priority: 10 })];
    expect(await emitted(steps, { executionMode })).toEqual(["a", "b", "c"]);
  });

  it("PLAN-16 orderIndex does not", async () => {
    const steps = [step("a", { orderIndex: 9 }), step("b", { orderIndex: 0 }), step("c", { orderIndex: 5 })];
    expect(await emitted(steps)).toEqual(["a", "b", "c"]);
  });

  it("PLAN-16 parallelGroup does not: neither what is alike nor what looks numbered", async () => {
    const groups = ["wave-2", "wave-1", "wave-2", "10", "9"];
    const steps = groups.map((parallelGroup, index) => step(`s${index}`, { parallelGroup }));
    expect(await emitted(steps, { executionMode: "parallel" })).toEqual(["s0", "s1", "s2", "s3", "s4"]);
  });

  it("PLAN-16 parallelGroup never beats a dependency", async () => {
    const group = { parallelGroup: "same" };
    const steps = [step("a", { ...group, after: ["b"] }), step("b", group)];
    expect(await emitted(steps, { executionMode: "parallel" })).toEqual(["b", "a"]);
  });

  it("GRAPH-7 step names do not, and may repeat", async () => {
    const steps = ["x", "y", "z"].map((name) => step(name, { stepName: "same" }));
    expect(outline(await plan(steps))).toMatchObject({ status: "completed", completed: ["x", "y", "z"] });
  });

  it("PLAN-6 the type of a step does not", async () => {
    const types = ["parallel", "effect", "custom", "compute", "orchestrator", "reducer"] as const;
    const steps = types.map((stepType, index) => step(`s${index}`, { stepType }));
    expect(await emitted(steps)).toEqual(["s0", "s1", "s2", "s3", "s4", "s5"]);
  });

  it("PLAN-5 GRAPH-3 the list of dependencies does not: action dependencies come as their steps are declared", async () => {
    const one = await plan(graph("a b c d(c,a,b)"));
    const two = await plan(graph("a b c d(b,c,a)"));
    expect(two).toEqual(one);
    expect(one.actionsEmitted[3]!.dependencies).toEqual(one.actionsEmitted.slice(0, 3).map(({ actionId }) => actionId));
  });
});

describe("getExecutionOrder", () => {
  it("PLAN-3 GRAPH-2 gives the ids of all steps wave by wave", () => {
    expect(getExecutionOrder(graph("a b(a) c"))).toEqual(["a", "c", "b"].map(stepId));
  });

  it("PLAN-3 gives the order in which executeWorkflow emits", async () => {
    const steps = graph("e(d) a d(b) b(a) c x(c,e)");
    expect(getExecutionOrder(steps)).toEqual((await plan(steps)).completedSteps);
  });

  it("PLAN-13 gives nothing for no steps", () => {
    expect(getExecutionOrder([])).toEqual([]);
  });

  it("PLAN-17 GRAPH-1 refuses a cycle, also when asked to refuse", () => {
    expect(reasons(listProblems(() => getExecutionOrder(graph("a(b) b(a)"))))).toEqual(["cycle"]);
    expect(reasons(listProblems(() => getExecutionOrder(graph("a(b) b(a)"), { onCycle: "refuse" })))).toEqual([
      "cycle",
    ]);
  });

  it("GRAPH-1 leaves out the steps of a cycle for whoever asks for it", () => {
    expect(names(getExecutionOrder(graph("x a(b) b(a)"), { onCycle: "drop" }))).toEqual(["x"]);
  });
});

describe("identity of steps", () => {
  it("PLAN-1 CONTRACT-5 step ids come from when the step is built and stay as they were written", async () => {
    const ids = new PlannerFixture();
    const { stepId: _, ...unnamed } = stepFields("a");
    const built = workflowStep(unnamed, ids);
    expect(ids.issued).toContain(built.stepId);
    expect((await plan([built])).completedSteps).toEqual([built.stepId]);
    const upper = step("b", { stepId: "ABCDEF00-0000-4000-8000-00000000000B" });
    expect((await plan([upper])).completedSteps).toEqual(["ABCDEF00-0000-4000-8000-00000000000B"]);
  });

  it("PLAN-1 planning makes no step ids: each run of the same steps names the same steps", async () => {
    const steps = graph("a b(a)");
    const other = new PlannerFixture();
    other.newId();
    const again = await plan(steps, { newId: other.newId });
    expect(again.completedSteps).toEqual((await plan(steps)).completedSteps);
  });
});
