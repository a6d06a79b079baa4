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
import { writtenGraph } from "./step-graph.ts";
import { stepList } from "./step-list.ts";

/** If a call asks for a mode, the mode of the definition is not checked. */
export function validateWorkflowDefinition(
  definition: WorkflowDefinition,
  steps: readonly WorkflowStep[],
  asked?: ExecutionMode,
): void {
  const problems: PlannerProblem[] = [];
  const place = new ProblemPath(problems);
  reportDefinition(definition, asked, place);
  reportSteps(steps, place.at("steps"));
  if (problems.length > 0) throw new ValidationError("the workflow", problems);
}

function reportDefinition(definition: WorkflowDefinition, asked: ExecutionMode | undefined, place: ProblemPath): void {
  const mode = plannedMode(definition, asked);
  const modePlace = asked === undefined ? place.at("workflowMetadata", "executionMode") : place.at("executionMode");
  if (mode !== undefined) reportMode(mode, modePlace);
  if (!isWorkflowDefinition(definition))
    place.at("definition").report("not-a-model", "expected a definition that `workflowDefinition` built");
}

function reportSteps(steps: readonly WorkflowStep[], place: ProblemPath): void {
  const list = stepList(steps, place, reportType);
  if (list !== undefined) reportGraphProblems(list, writtenGraph(list).problems, place);
}

function reportType({ stepType }: WorkflowStep, place: ProblemPath): void {
  if (stepType !== StepType.CONDITIONAL) return;
  place.at("stepType").report("conditional-step", "the type conditional is reserved: nothing evaluates conditions yet");
}
