// Loading valid ONEX contracts.

import { readFileSync } from "node:fs";

import { executeWorkflow, isWorkflowDefinition, isWorkflowStep } from "@segno/planner";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";

import { onexText, stepText, uuid } from "../../test/onex-text.ts";
import { loadOnexContract } from "./load-onex-contract.ts";

const exampleText = (name: string): string =>
  readFileSync(new URL(`../../../../examples/onex/${name}.yaml`, import.meta.url), "utf8");

const EXAMPLES = [
  ["data-processing", "data_processing_pipeline", ["Fetch Data", "Validate Schema", "Enrich Data", "Persist Results"]],
  [
    "etl",
    "etl_pipeline",
    ["Extract Source A", "Extract Source B", "Extract Source C", "Transform Merge", "Load Warehouse"],
  ],
] as const;

describe("the example contracts", () => {
  it.each(EXAMPLES)("CONTRACT-1 %s loads into the planner's own models", (file, workflow, names) => {
    const { definition, steps } = loadOnexContract(exampleText(file), { file });
    expect(isWorkflowDefinition(definition) && steps.every(isWorkflowStep)).toBe(true);
    expect(definition.workflowMetadata).toMatchObject({ workflowName: workflow, executionMode: "parallel" });
    expect(definition.executionGraph.nodes).toHaveLength(names.length);
    expect(steps.map(({ stepName }) => stepName)).toEqual(names);
  });

  it.each(EXAMPLES)("CONTRACT-5 %s loads without steps too, as the source has it", (file) => {
    const document = parse(exampleText(file)) as { workflow_coordination: { steps?: unknown }; segno?: unknown };
    delete document.workflow_coordination.steps;
    delete document.segno;
    expect(loadOnexContract(stringify(document)).steps).toEqual([]);
  });
});

describe("order", () => {
  it("CONTRACT-2 steps and their dependencies stay exactly as they were declared", () => {
    const { steps } = loadOnexContract(onexText(stepText(9), stepText(2, [9, 5]), stepText(5), stepText(1, [2, 9, 2])));
    expect(steps.map(({ stepId }) => stepId)).toEqual([9, 2, 5, 1].map(uuid));
    expect(steps.map(({ dependsOn }) => dependsOn)).toEqual([[], [9, 5].map(uuid), [], [2, 9, 2].map(uuid)]);
  });

  it("CONTRACT-2 PLAN-3 a plan of what was loaded has waves in the order of the text, whatever their numbers say", async () => {
    const text = onexText(
      stepText(3, [7], "order_index: 0, priority: 1"),
      stepText(7, [], "order_index: 9, priority: 1"),
      stepText(1, [], "order_index: 5, priority: 1000"),
    );
    const { definition, steps } = loadOnexContract(text);
    let made = 100;
    const sources = { newId: () => uuid(made++), now: () => 0 };
    for (const executionMode of ["sequential", "parallel", "batch"] as const) {
      const { completedSteps } = await executeWorkflow(definition, steps, uuid(50), { ...sources, executionMode });
      expect(completedSteps).toEqual([7, 1, 3].map(uuid));
    }
  });
});

describe("ids", () => {
  it("CONTRACT-5 those that are missing come from the source of ids, in the order of the steps", () => {
    let made = 100;
    const text = onexText("step_name: a, step_type: compute", stepText(1), "step_name: b, step_type: effect");
    const { steps } = loadOnexContract(text, { newId: () => uuid(made++) });
    expect(steps.map(({ stepId, correlationId }) => [stepId, correlationId])).toEqual([
      [uuid(100), uuid(101)],
      [uuid(1), uuid(102)],
      [uuid(103), uuid(104)],
    ]);
  });

  it("CONTRACT-5 those that are written stay as they are written", () => {
    const id = "ABCDEF00-0000-4000-8000-00000000abcd";
    const [step] = loadOnexContract(
      onexText(`step_id: ${id}, correlation_id: ${id}, step_name: a, step_type: custom`),
    ).steps;
    expect(step).toMatchObject({ stepId: id, correlationId: id });
  });

  it("CONTRACT-5 are random where nobody gives a source", () => {
    const text = onexText("step_name: a, step_type: compute");
    const ids = [1, 2].flatMap(() => loadOnexContract(text).steps.map(({ stepId }) => stepId));
    expect(new Set(ids).size).toBe(2);
  });
});

describe("what is kept", () => {
  it("CONTRACT-4 unknown keys are ignored wherever they stand", () => {
    const text = `${onexText(stepText(1, [], "timeoutMs: 1, colour: red"))}
  registry: { steps: 5 }
contract_version: 1
fsm: { steps: [a, b] }
`;
    const known = loadOnexContract(text);
    expect(known.steps[0]!.timeoutMs).toBe(30_000);
    expect(Object.keys(known)).toEqual(["definition", "steps"]);
  });

  it("CONTRACT-5 what a node of the graph says is kept whole, and nothing looks into it", () => {
    const node = "{ node_id: n, node_type: t, steps: [1], condition: { if_true: '${ x }' }, reserved: 1 }";
    const text = onexText().replace("patch: 0 } }\n", `patch: 0 }, nodes: [${node}] }\n`);
    expect(loadOnexContract(text).definition.executionGraph.nodes).toEqual([
      {
        nodeId: "n",
        nodeType: "t",
        description: null,
        reserved: { steps: [1], condition: { if_true: "${ x }" }, reserved: 1 },
      },
    ]);
  });

  it("CONTRACT-5 PLAN-16 reserved fields are checked for their type only, and never interpreted", () => {
    const [step] = loadOnexContract(
      onexText(
        stepText(1, [], "compensation_action: '', checkpoint_required: true, idempotency_key: '${', condition: ')'"),
      ),
    ).steps;
    expect(step).toMatchObject({
      compensationAction: "",
      checkpointRequired: true,
      idempotencyKey: "${",
      condition: ")",
    });
    const rules =
      "coordination_rules: { version: { major: 1, minor: 0, patch: 0 }, max_retries: -5, retry_delay_ms: -1 }";
    const { coordinationRules } = loadOnexContract(
      onexText().replace("    execution_graph", `    ${rules}\n    execution_graph`),
    ).definition;
    expect(coordinationRules).toMatchObject({ maxRetries: -5, retryDelayMs: -1, failureRecoveryStrategy: "RETRY" });
  });

  it("CONTRACT-1 models and lists are frozen, however deep", () => {
    const { definition, steps } = loadOnexContract(onexText(stepText(1), stepText(2, [1])));
    const parts = [definition, definition.workflowMetadata.version, steps, steps[1], steps[1]!.dependsOn];
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
  });

  it("CONTRACT-1 JSON is read as well as YAML", () => {
    const json = JSON.stringify(parse(onexText(stepText(1))));
    expect(loadOnexContract(new TextEncoder().encode(json)).steps[0]!.stepId).toBe(uuid(1));
  });
});
