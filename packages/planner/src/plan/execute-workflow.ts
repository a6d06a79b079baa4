// The planner: steps in, actions out (PLAN-1). It is asynchronous in its signature only; when the call returns, the plan is
// made. It checks its options, the mode before anything else about the workflow, and that it was given models (PLAN-2,
// PLAN-22); whether the workflow is sound was for whoever calls to validate (PLAN-17).

import { isUuid } from "../model/check.ts";
import { ProblemPath } from "../model/problem-path.ts";
import { isWorkflowDefinition, type WorkflowDefinition } from "../model/workflow-definition.ts";
import type { WorkflowStep } from "../model/workflow-step.ts";
import type { IdAndClock } from "../id-and-clock.ts";
import { ValidationError, type PlannerProblem } from "../validation-error.ts";
import { planOptions, type PlanOptions } from "./plan-options.ts";
import { plannedMode, refuseMode } from "./planned-mode.ts";
import { Planning } from "./planning.ts";
import { stepList } from "./step-list.ts";
import type { WorkflowExecutionResult } from "./workflow-execution-result.ts";

const SUBJECT = "the call of executeWorkflow";

/** `fallback` is for whoever stands around the planner: sources that count where the options bring none (ruling 6). */
export async function executeWorkflow(
  definition: WorkflowDefinition,
  steps: readonly WorkflowStep[],
  workflowId: string,
  given: PlanOptions,
  fallback: Partial<IdAndClock> = {},
): Promise<WorkflowExecutionResult> {
  const options = planOptions(SUBJECT, given, fallback);
  const mode = plannedMode(definition, options.executionMode);
  if (mode !== undefined) refuseMode(mode);
  const problems: PlannerProblem[] = [];
  const list = checkCall(definition, steps, workflowId, new ProblemPath(problems));
  if (list === undefined || mode === undefined || problems.length > 0) throw new ValidationError(SUBJECT, problems);
  return new Planning({ definition, steps: list, workflowId, mode, options }).run();
}

function checkCall(
  definition: WorkflowDefinition,
  steps: readonly WorkflowStep[],
  workflowId: string,
  place: ProblemPath,
): readonly WorkflowStep[] | undefined {
  if (!isWorkflowDefinition(definition))
    place.at("definition").report("not-a-model", "expected a definition that `workflowDefinition` built");
  const list = stepList(steps, place.at("steps"));
  if (!isUuid(workflowId)) place.at("workflowId").report("not-a-uuid", "expected a UUID");
  return list;
}
