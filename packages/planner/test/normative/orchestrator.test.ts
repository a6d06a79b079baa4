// NodeOrchestrator: a facade that keeps a definition and nothing else.

import {
  NodeOrchestrator,
  orchestratorInput,
  workflowContext,
  type OrchestratorInput,
  type WorkflowStep,
} from "@segno/planner";
import { describe, expect, it } from "vitest";
import {
  definition,
  failing,
  graph,
  names,
  numberedId,
  plan,
  reasons,
  catchRefusal,
  PlannerFixture,
  step,
  stepId,
  WORKFLOW_ID,
} from "../fixture.ts";

type InputFields = Partial<Parameters<typeof orchestratorInput>[0]>;

function makeInput(steps: readonly WorkflowStep[], fields: InputFields = {}): OrchestratorInput {
  return orchestratorInput({ workflowId: WORKFLOW_ID, steps, ...fields }, new PlannerFixture());
}

function orchestratorFor(of = definition(), fixture = new PlannerFixture()): NodeOrchestrator {
  const orchestrator = new NodeOrchestrator(fixture);
  orchestrator.workflowDefinition = of;
  return orchestrator;
}

describe("the definition of an orchestrator", () => {
  it("PLAN-18 is not there until it is injected, and without it nothing is processed", async () => {
    const orchestrator = new NodeOrchestrator(new PlannerFixture());
    expect(orchestrator.workflowDefinition).toBeUndefined();
    expect(reasons(await catchRefusal(orchestrator.process(makeInput(graph("a")))))).toEqual(["no-definition"]);
  });

  it("PLAN-18 is never loaded from a contract that the orchestrator may have", async () => {
    const contract = { workflowDefinition: definition(), workflow_coordination: { workflow_definition: definition() } };
    const orchestrator = Object.assign(new NodeOrchestrator(new PlannerFixture()), { contract });
    expect(reasons(await catchRefusal(orchestrator.process(makeInput(graph("a")))))).toEqual(["no-definition"]);
  });

  it("PLAN-18 stays the very one that was injected", async () => {
    const of = definition();
    const orchestrator = orchestratorFor(of);
    await orchestrator.process(makeInput(graph("a")));
    expect(orchestrator.workflowDefinition).toBe(of);
  });

  it("PLAN-18 may be changed between calls", async () => {
    const orchestrator = orchestratorFor(definition({ executionMode: "streaming" }));
    expect(reasons(await catchRefusal(orchestrator.process(makeInput([]))))).toContain("reserved-mode");
    orchestrator.workflowDefinition = definition();
    expect((await orchestrator.process(makeInput([]))).executionStatus).toBe("completed");
  });

  it("PLAN-18 is read once at entry: a change on the way has no effect", async () => {
    const fixture = new PlannerFixture();
    const orchestrator = orchestratorFor(definition({ timeoutMs: 1000 }), fixture);
    const payloadFor = (): object => {
      orchestrator.workflowDefinition = undefined;
      fixture.nowMs += 400;
      return {};
    };
    const output = await orchestrator.process(makeInput(graph("a b c")), { payloadFor });
    expect([names(output.completedSteps), names(output.failedSteps)]).toEqual([["a", "b"], ["c"]]);
  });

  it("PLAN-18 is read at entry: a change right after the call has no effect", async () => {
    const orchestrator = orchestratorFor();
    const pending = orchestrator.process(makeInput(graph("a")));
    orchestrator.workflowDefinition = undefined;
    expect((await pending).executionStatus).toBe("completed");
  });

  it("PLAN-18 PLAN-22 is refused when it is a plain object", async () => {
    const orchestrator = orchestratorFor({ ...definition() });
    expect(reasons(await catchRefusal(orchestrator.process(makeInput([]))))).toContain("not-a-model");
  });
});

describe("process", () => {
  it("PLAN-18 validates: cycles, duplicates, unknown dependencies and conditional steps are refused", async () => {
    const refused = async (steps: readonly WorkflowStep[]): Promise<string[]> =>
      reasons(await catchRefusal(orchestratorFor().process(makeInput(steps))));
    expect(await refused(graph("a(b) b(a)"))).toEqual(["cycle"]);
    expect(await refused(graph("a a"))).toEqual(["duplicate-step"]);
    expect(await refused(graph("a(gone)"))).toEqual(["unknown-dependency"]);
    expect(await refused([step("a", { stepType: "conditional" })])).toEqual(["conditional-step"]);
  });

  it.each(["conditional", "streaming"] as const)(
    "PLAN-2 PLAN-18 refuses the input's mode %s",
    async (executionMode) => {
      const refused = orchestratorFor().process(makeInput([], { executionMode }));
      expect(reasons(await catchRefusal(refused))).toEqual(["reserved-mode"]);
    },
  );

  it("PLAN-18 makes no action before it has validated", async () => {
    const fixture = new PlannerFixture();
    await catchRefusal(orchestratorFor(definition(), fixture).process(makeInput(graph("a b(b)"))));
    expect(fixture.issued).toEqual([]);
  });

  it("PLAN-18 PLAN-12 takes the input's timeout, else the definition's", async () => {
    const completed = async (fields: InputFields): Promise<number> => {
      const fixture = new PlannerFixture();
      const orchestrator = orchestratorFor(definition({ timeoutMs: 1000 }), fixture);
      const output = await orchestrator.process(makeInput(graph("a b c d"), fields), {
        payloadFor: fixture.taking(400),
      });
      return output.completedSteps.length;
    };
    expect(await completed({})).toBe(2);
    expect(await completed({ globalTimeoutMs: 800 })).toBe(1);
    expect(await completed({ globalTimeoutMs: 5000 })).toBe(4);
  });

  it("PLAN-18 PLAN-8 takes the input's failure strategy", async () => {
    const completed = async (fields: InputFields): Promise<string[]> => {
      const output = await orchestratorFor().process(makeInput(graph("a b"), fields), { payloadFor: failing("a") });
      return names(output.completedSteps);
    };
    expect(await completed({})).toEqual([]);
    expect(await completed({ failureStrategy: "fail_fast" })).toEqual([]);
    expect(await completed({ failureStrategy: "continue_on_error" })).toEqual(["b"]);
  });

  it("PLAN-18 PLAN-20 PLAN-21 passes reports and the signal on", async () => {
    const options = { failedSteps: [stepId("a")] };
    const output = await orchestratorFor().process(makeInput(graph("a b")), options);
    expect(output).toMatchObject({
      executionStatus: "failed",
      failedSteps: [stepId("a")],
      skippedSteps: [stepId("b")],
    });
    const cancelled = await orchestratorFor().process(makeInput(graph("a")), { signal: { aborted: true } });
    expect(cancelled.executionStatus).toBe("cancelled");
  });

  it("PLAN-18 keeps no state besides: a run is the same after another run", async () => {
    const fixture = new PlannerFixture();
    const orchestrator = orchestratorFor(definition(), fixture);
    const first = makeInput(graph("x y(x) z"), { operationId: numberedId(99) });
    await orchestrator.process(first, { payloadFor: failing("x") });
    fixture.issued.length = 0;
    const second = await orchestrator.process(makeInput(graph("a b(a)")));
    expect(second).toEqual(await orchestratorFor().process(makeInput(graph("a b(a)"))));
  });
});

describe("the output", () => {
  const options = { payloadFor: failing("b"), failedSteps: [] };
  const steps = [step("a"), step("b", { errorAction: "continue" }), step("c", { enabled: false }), step("d")];

  it("PLAN-18 says what executeWorkflow says for the same sources", async () => {
    const result = await plan(steps, options);
    const input = makeInput(steps);
    const { errors, ...metadata } = result.metadata;
    expect(await orchestratorFor().process(input, options)).toEqual({
      workflowId: WORKFLOW_ID,
      operationId: input.operationId,
      executionStatus: result.executionStatus,
      executionTimeMs: result.executionTimeMs,
      startTime: result.timestamp,
      endTime: result.timestamp,
      completedSteps: result.completedSteps,
      failedSteps: result.failedSteps,
      skippedSteps: result.skippedSteps,
      stepOutputs: {},
      finalResult: null,
      outputVariables: {},
      errors,
      metrics: { actions_count: 2, completed_count: 2, failed_count: 1, skipped_count: 1 },
      metadata: { workflow_id: WORKFLOW_ID, operation_id: input.operationId, ...metadata },
      parallelExecutions: 0,
      actionsEmitted: result.actionsEmitted,
      customOutputs: null,
    });
  });

  it("PLAN-18 has the completion time as start and as end", async () => {
    const fixture = new PlannerFixture();
    const orchestrator = orchestratorFor(definition(), fixture);
    const output = await orchestrator.process(makeInput(graph("a b")), { payloadFor: fixture.taking(500) });
    expect(output.endTime).toBe(output.startTime);
    expect(Date.parse(output.startTime)).toBe(fixture.nowMs);
    expect(output.executionTimeMs).toBe(1000);
  });

  it("PLAN-18 has the four counts and no more in metrics", async () => {
    const { metrics } = await orchestratorFor().process(makeInput([]));
    expect(metrics).toEqual({ actions_count: 0, completed_count: 0, failed_count: 0, skipped_count: 0 });
  });

  it("PLAN-15 has 0 parallel executions, also in parallel mode, and tells nothing of waves", async () => {
    const output = await orchestratorFor().process(makeInput(graph("a b c(a)"), { executionMode: "parallel" }));
    expect(output.parallelExecutions).toBe(0);
    expect(JSON.stringify(output)).not.toMatch(/wave|step_?to_?action|graph/iu);
  });

  it("PLAN-3 PLAN-18 has the metadata of the mode batch, and that of no other mode", async () => {
    const metadataIn = async (executionMode: "batch" | "parallel"): Promise<object> =>
      (await orchestratorFor().process(makeInput(graph("a b"), { executionMode }))).metadata;
    expect(await metadataIn("batch")).toMatchObject({
      execution_mode: "batch",
      workflow_name: "pipeline",
      batch_size: 2,
    });
    expect(await metadataIn("parallel")).not.toHaveProperty("batch_size");
  });

  it("PLAN-19 has no errors where nothing failed", async () => {
    expect((await orchestratorFor().process(makeInput(graph("a")))).errors).toEqual([]);
  });

  it("PLAN-18 is JSON", async () => {
    const output = await orchestratorFor().process(makeInput(steps), options);
    expect(JSON.parse(JSON.stringify(output))).toEqual(output);
  });
});

describe("operations", () => {
  it("PLAN-18 each input has an operation id of its own; several may share a workflow id", () => {
    const fixture = new PlannerFixture();
    const fields = { workflowId: WORKFLOW_ID, steps: graph("a") };
    const inputs = Array.from({ length: 3 }, () => orchestratorInput(fields, fixture));
    expect(new Set(inputs.map(({ operationId }) => operationId)).size).toBe(3);
    expect(new Set(inputs.map(({ workflowId }) => workflowId)).size).toBe(1);
  });

  it("PLAN-18 an operation id that is written is kept", () => {
    expect(makeInput([], { operationId: numberedId(77) }).operationId).toBe(numberedId(77));
  });
});

describe("the operation of a call", () => {
  it("PLAN-18 has an id of its own for each call, also when the same input comes twice", async () => {
    const orchestrator = orchestratorFor();
    const input = makeInput(graph("a"), { operationId: numberedId(77) });
    const first = await orchestrator.process(input);
    const others = await Promise.all([orchestrator.process(input), orchestrator.process(input)]);
    expect(first.operationId).toBe(numberedId(77));
    expect(new Set([first, ...others].map(({ operationId }) => operationId)).size).toBe(3);
    for (const { operationId, metadata } of others) expect(metadata["operation_id"]).toBe(operationId);
    expect(input.operationId).toBe(numberedId(77));
  });

  it("PLAN-18 an id in other letters is the same id", async () => {
    const orchestrator = orchestratorFor();
    const id = "abcdefab-0000-4000-8000-00000000000a";
    await orchestrator.process(makeInput([], { operationId: id }));
    const again = await orchestrator.process(makeInput([], { operationId: id.toUpperCase() }));
    expect(again.operationId.toLowerCase()).not.toBe(id);
  });

  it("PLAN-18 a call that was refused used no id", async () => {
    const orchestrator = orchestratorFor();
    await catchRefusal(orchestrator.process(makeInput(graph("a(a)"), { operationId: numberedId(5) })));
    const output = await orchestrator.process(makeInput(graph("a"), { operationId: numberedId(5) }));
    expect(output.operationId).toBe(numberedId(5));
  });

  it("PLAN-18 a source that gives no id is refused", async () => {
    const orchestrator = new NodeOrchestrator({ newId: () => "seven", now: () => 0 });
    orchestrator.workflowDefinition = definition();
    await orchestrator.process(makeInput([]));
    expect(reasons(await catchRefusal(orchestrator.process(makeInput([]))))).toEqual(["not-a-uuid"]);
  });
});

describe("the context", () => {
  it("PLAN-18 has the mode in which the plan is made: the input's, else the definition's", () => {
    const parallel = definition({ executionMode: "parallel" });
    expect(workflowContext(makeInput([]), parallel)["execution_mode"]).toBe("parallel");
    expect(workflowContext(makeInput([], { executionMode: "batch" }), parallel)["execution_mode"]).toBe("batch");
    expect(workflowContext(makeInput([]))["execution_mode"]).toBe("sequential");
  });

  it("PLAN-18 has the metadata and three keys of the system", () => {
    const metadata = { tenant: "t1", nested: { deep: [1] } };
    const input = makeInput([], { metadata, executionMode: "batch", operationId: numberedId(5) });
    expect(workflowContext(input)).toEqual({
      ...metadata,
      workflow_id: WORKFLOW_ID,
      operation_id: numberedId(5),
      execution_mode: "batch",
    });
  });

  it("PLAN-18 the keys of the system cannot be overridden", () => {
    const metadata = { workflow_id: "mine", operation_id: "mine", execution_mode: "mine", other: "mine" };
    const input = makeInput([], { metadata, executionMode: "parallel", operationId: numberedId(5) });
    expect(workflowContext(input)).toEqual({
      workflow_id: WORKFLOW_ID,
      operation_id: numberedId(5),
      execution_mode: "parallel",
      other: "mine",
    });
    expect(workflowContext(makeInput([], { metadata }))["execution_mode"]).not.toBe("mine");
  });

  it("PLAN-18 neither it nor process changes the input's metadata", async () => {
    const metadata = { workflow_id: "mine", list: [1] };
    const input = makeInput(graph("a"), { metadata });
    workflowContext(input);
    await orchestratorFor().process(input);
    expect(input.metadata).toEqual({ workflow_id: "mine", list: [1] });
    expect(metadata).toEqual({ workflow_id: "mine", list: [1] });
  });
});
