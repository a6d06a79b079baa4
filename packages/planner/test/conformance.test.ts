// The list "Conformance Tests" of the source, entry by entry and in its order. The number in a name is the entry's.

import { Worker } from "node:worker_threads";
import { getExecutionOrder, NodeOrchestrator, orchestratorInput, validateWorkflowDefinition } from "@segno/planner";
import { describe, expect, it } from "vitest";
import {
  definition,
  failing,
  graph,
  names,
  outline,
  plan,
  listProblems,
  reasons,
  catchRefusal,
  PlannerFixture,
  step,
  stepId,
  UUID,
  WORKFLOW_ID,
} from "./fixture.ts";

const order = (text: string): string[] => names(getExecutionOrder(graph(text)));
const cyclesIn = (text: string): string[] =>
  reasons(listProblems(() => validateWorkflowDefinition(definition(), graph(text))));

describe("1. Pure function tests", () => {
  it("PLAN-1 (1.1) executeWorkflow gives the same output for the same input", async () => {
    const steps = graph("a b(a) c(a) d(b,c)");
    expect(JSON.stringify(await plan(steps))).toBe(JSON.stringify(await plan(steps)));
  });

  it("PLAN-1 (1.2) no shared state changes: a run in between leaves no trace", async () => {
    const steps = graph("a b(a)");
    const before = JSON.stringify([definition(), steps]);
    const first = await plan(steps);
    await plan(graph("x y z"), { payloadFor: failing("x"), executionMode: "batch" });
    expect(await plan(steps)).toEqual(first);
    expect(JSON.stringify([definition(), steps])).toBe(before);
  });

  it("PLAN-1 (1.3) threads that plan at the same time get the same result", async () => {
    const answers = await Promise.all(Array.from({ length: 3 }, planOnThread));
    expect(answers[0]).toContain('"executionStatus":"completed"');
    expect(new Set(answers).size).toBe(1);
  });
});

async function planOnThread(): Promise<string> {
  const worker = new Worker(new URL("./plan-thread.ts", import.meta.url));
  try {
    return await new Promise<string>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
  } finally {
    await worker.terminate();
  }
}

describe("2. Cycle detection tests", () => {
  it("PLAN-17 GRAPH-1 (2.1) a simple cycle is found: a -> b -> a", () => {
    expect(cyclesIn("a(b) b(a)")).toEqual(["cycle"]);
  });

  it("PLAN-17 GRAPH-1 (2.2) a longer cycle is found: a -> b -> c -> a", () => {
    expect(cyclesIn("a(c) b(a) c(b)")).toEqual(["cycle"]);
  });

  it("PLAN-17 GRAPH-1 (2.3) a graph without cycles is accepted", () => {
    expect(() => validateWorkflowDefinition(definition(), graph("a b(a) c(a) d(b,c) e"))).not.toThrow();
  });

  it("PLAN-17 GRAPH-5 (2.4) a cycle with a disabled step in it is found", () => {
    const steps = [step("a", { after: ["b"] }), step("b", { after: ["a"], enabled: false })];
    expect(reasons(listProblems(() => validateWorkflowDefinition(definition(), steps)))).toEqual(["cycle"]);
  });
});

describe("3. Topological ordering tests", () => {
  it("PLAN-3 GRAPH-2 (3.1) steps in a line come in the order of the line", () => {
    expect(order("c(b) b(a) a")).toEqual(["a", "b", "c"]);
  });

  it("PLAN-3 GRAPH-2 (3.2) a diamond comes as top, sides as declared, bottom", () => {
    expect(order("d(b,c) c(a) b(a) a")).toEqual(["a", "c", "b", "d"]);
  });

  it("PLAN-3 GRAPH-2 (3.3) several roots come first, as declared", () => {
    expect(order("x(r) q r y(q) p")).toEqual(["q", "r", "p", "x", "y"]);
  });
});

describe("4. Execution mode tests", () => {
  it("PLAN-2 PLAN-3 (4.1) sequential processes in order", async () => {
    const result = await plan(graph("a b(a) c(b)"), { executionMode: "sequential" });
    expect(outline(result).completed).toEqual(["a", "b", "c"]);
    expect(result.metadata).toMatchObject({ execution_mode: "sequential" });
  });

  it("PLAN-2 PLAN-3 (4.2) parallel puts independent steps into the same wave", async () => {
    const result = await plan(graph("a x(a) b y(b)"), { executionMode: "parallel" });
    expect(outline(result).completed).toEqual(["a", "b", "x", "y"]);
    expect(result.metadata).toMatchObject({ execution_mode: "parallel" });
  });

  it("PLAN-2 PLAN-3 (4.3) batch includes its metadata", async () => {
    const result = await plan(graph("a b c"), { executionMode: "batch" });
    expect(result.metadata).toMatchObject({ execution_mode: "batch", batch_size: 3 });
  });

  it.each(["conditional", "streaming"] as const)("PLAN-2 (4.4, 4.5) %s is refused", async (mode) => {
    expect(reasons(await catchRefusal(plan(graph("a"), { executionMode: mode })))).toContain("reserved-mode");
  });
});

describe("5. Action emission tests", () => {
  it("PLAN-3 (5.1) each completed step has one action, other steps have none", async () => {
    const steps = [step("a"), step("b", { enabled: false }), step("c", { errorAction: "continue" }), step("d")];
    const result = await plan(steps, { payloadFor: failing("c") });
    expect(result.actionsEmitted.map(({ payload }) => payload["step_name"])).toEqual(["a", "d"]);
    expect(outline(result).completed).toEqual(["a", "d"]);
  });

  it("PLAN-4 LEASE-2 (5.2) every action has a lease of its own and epoch 0", async () => {
    const { actionsEmitted } = await plan(graph("a b(a) c"));
    for (const { leaseId, epoch } of actionsEmitted) expect([leaseId, epoch]).toEqual([expect.stringMatching(UUID), 0]);
    expect(new Set(actionsEmitted.map(({ leaseId }) => leaseId)).size).toBe(3);
  });

  it("PLAN-6 (5.3) an action goes where the step's type says", async () => {
    const types = ["compute", "effect", "reducer", "orchestrator", "custom"] as const;
    const { actionsEmitted } = await plan(types.map((stepType, index) => step(`s${index}`, { stepType })));
    expect(actionsEmitted.map(({ actionType, targetNodeType }) => `${actionType} ${targetNodeType}`)).toEqual([
      "compute NodeCompute",
      "effect NodeEffect",
      "reduce NodeReducer",
      "orchestrate NodeOrchestrator",
      "custom NodeCustom",
    ]);
  });

  it("PLAN-5 (5.4) an action depends on action ids, not on step ids", async () => {
    const { actionsEmitted } = await plan(graph("a b(a)"));
    expect(actionsEmitted[1]!.dependencies).toEqual([actionsEmitted[0]!.actionId]);
    expect(actionsEmitted[1]!.dependencies).not.toContain(stepId("a"));
  });
});

describe("6. Error handling tests", () => {
  it("PLAN-17 (6.1) what is not valid raises a ValidationError", () => {
    expect(reasons(listProblems(() => validateWorkflowDefinition(definition(), graph("a(gone)"))))).toEqual([
      "unknown-dependency",
    ]);
  });

  it("PLAN-14 (6.2) an action that cannot be created gives a failed result", async () => {
    const result = await plan(graph("a"), { payloadFor: failing("a") });
    expect(outline(result)).toEqual({ status: "failed", completed: [], failed: ["a"], skipped: [] });
  });

  it.each([
    ["stop", [], ["b"]],
    ["continue", ["b"], []],
    ["retry", ["b"], []],
    ["compensate", ["b"], []],
  ] as const)("PLAN-8 (6.3) errorAction %s does what it says", async (errorAction, completed, skipped) => {
    const result = await plan([step("a", { errorAction }), step("b")], { payloadFor: failing("a") });
    expect(outline(result)).toEqual({ status: "failed", completed, failed: ["a"], skipped });
  });
});

describe("7. Typed input tests", () => {
  const sources = new PlannerFixture();
  const orchestrator = new NodeOrchestrator(sources);
  orchestrator.workflowDefinition = definition();

  it("PLAN-18 PLAN-22 (7.1) the input takes a list of built steps", async () => {
    const input = orchestratorInput({ workflowId: WORKFLOW_ID, steps: graph("a b(a)") }, sources);
    expect(names((await orchestrator.process(input)).completedSteps)).toEqual(["a", "b"]);
  });

  it("PLAN-22 (7.2) the orchestrator makes no models out of plain objects", async () => {
    const steps = [{ ...step("a") }] as never;
    expect(reasons(listProblems(() => orchestratorInput({ workflowId: WORKFLOW_ID, steps }, sources)))).toContain(
      "not-a-model",
    );
    const plain = { workflowId: WORKFLOW_ID, steps: graph("a") } as never;
    expect(reasons(await catchRefusal(orchestrator.process(plain)))).toContain("not-a-model");
  });
});

describe("8. Skipped steps tests", () => {
  it("PLAN-3 GRAPH-5 (8.1) disabled steps are in skippedSteps", async () => {
    const result = await plan([step("a", { enabled: false }), step("b")]);
    expect(outline(result)).toEqual({ status: "completed", completed: ["b"], failed: [], skipped: ["a"] });
  });

  it("PLAN-9 GRAPH-5 (8.2) disabled steps count as satisfied dependencies", async () => {
    const result = await plan([step("a", { enabled: false }), step("b", { after: ["a"] })]);
    expect(outline(result).completed).toEqual(["b"]);
  });
});
