// The planner: steps in, actions out (PLAN-1). Only its signature is asynchronous; the plan is complete when the call returns. The
// planner checks its options, then the mode, then that its arguments are models (PLAN-2, PLAN-22). It does not validate the
// workflow: the caller does that (PLAN-17).

import { isUuid } from "../model/check.ts";
import { ProblemPath } from "../model/problem-path.ts";
import { isWorkflowDefinition, type WorkflowDefinition } from "../model/workflow-definition.ts";
import type { WorkflowStep } from "../model/workflow-step.ts";
import type { IdAndClock } from "../model/id-and-clock.ts";
import { ValidationError, type PlannerProblem } from "../errors/validation-error.ts";
import { planOptions, type PlanOptions } from "./plan-options.ts";
import { plannedMode, refuseMode } from "./planned-mode.ts";
import { Planning } from "./planning.ts";
import { stepList } from "./step-list.ts";
import type { WorkflowExecutionResult } from "./workflow-execution-result.ts";

const SUBJECT = "the call of executeWorkflow";

/** `fallback` is for packages that wrap the planner: ids and clock for calls whose options have none (ruling 6). */
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
  path: ProblemPath,
): readonly WorkflowStep[] | undefined {
  if (!isWorkflowDefinition(definition))
    path.at("definition").report("not-a-model", "expected a definition that `workflowDefinition` built");
  const list = stepList(steps, path.at("steps"));
  if (!isUuid(workflowId)) path.at("workflowId").report("not-a-uuid", "expected a UUID");
  return list;
}
