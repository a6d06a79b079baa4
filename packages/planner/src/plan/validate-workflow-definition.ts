// Validation of a workflow. It is a separate call, which the planner itself never makes (PLAN-17).
//
//   V1. All problems are reported, in the source's order: those of the workflow, those of single steps in declaration order,
//       duplicate ids and unknown dependencies in declaration order, cycles last (GRAPH-6).
//   V2. Ranges, lengths and types are not validated here: the factories refused wrong ones.
//   V3. Of a disabled step only type and id are checked. Its dependencies may be missing, but a cycle through it is a cycle
//       (GRAPH-5).

import { ProblemPath } from "../model/problem-path.ts";
import { StepType, type ExecutionMode } from "../model/vocabulary.ts";
import { isWorkflowDefinition, type WorkflowDefinition } from "../model/workflow-definition.ts";
import type { WorkflowStep } from "../model/workflow-step.ts";
import { ValidationError, type PlannerProblem } from "../errors/validation-error.ts";
import { reportGraphProblems } from "./graph-problems.ts";
import { plannedMode, reportMode } from "./planned-mode.ts";
import { buildStepGraph } from "./step-graph.ts";
import { stepList } from "./step-list.ts";

/** If a call asks for a mode, the mode of the definition is not checked. */
export function validateWorkflowDefinition(
  definition: WorkflowDefinition,
  steps: readonly WorkflowStep[],
  requested?: ExecutionMode,
): void {
  const problems: PlannerProblem[] = [];
  const path = new ProblemPath(problems);
  reportDefinition(definition, requested, path);
  reportSteps(steps, path.at("steps"));
  if (problems.length > 0) throw new ValidationError("the workflow", problems);
}

function reportDefinition(
  definition: WorkflowDefinition,
  requested: ExecutionMode | undefined,
  path: ProblemPath,
): void {
  const mode = plannedMode(definition, requested);
  const modePath = requested === undefined ? path.at("workflowMetadata", "executionMode") : path.at("executionMode");
  if (mode !== undefined) reportMode(mode, modePath);
  if (!isWorkflowDefinition(definition))
    path.at("definition").report("not-a-model", "expected a definition that `workflowDefinition` built");
}

function reportSteps(steps: readonly WorkflowStep[], path: ProblemPath): void {
  const list = stepList(steps, path, reportType);
  if (list !== undefined) reportGraphProblems(list, buildStepGraph(list).problems, path);
}

function reportType({ stepType }: WorkflowStep, path: ProblemPath): void {
  if (stepType !== StepType.CONDITIONAL) return;
  path.at("stepType").report("conditional-step", "the type conditional is reserved: nothing evaluates conditions yet");
}
