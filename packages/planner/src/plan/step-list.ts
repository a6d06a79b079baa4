import { ProblemPath } from "../model/problem-path.ts";
import { isWorkflowStep, type WorkflowStep } from "../model/workflow-step.ts";
import { ValidationError, type PlannerProblem } from "../errors/validation-error.ts";

/**
 * Copies the steps of a call into a new list. A member that the factory did not build is reported and not converted (PLAN-22);
 * then the function returns no list.
 */
export function stepList(
  steps: readonly WorkflowStep[],
  path: ProblemPath,
  visit?: (step: WorkflowStep, path: ProblemPath) => void,
): readonly WorkflowStep[] | undefined {
  if (!Array.isArray(steps)) return path.report("wrong-type", "expected a list of steps");
  const list: WorkflowStep[] = [];
  for (let index = 0; index < steps.length; index++) {
    const step: unknown = steps[index];
    if (isWorkflowStep(step)) {
      list.push(step);
      visit?.(step, path.at(index));
    } else path.at(index).report("not-a-model", "expected a step that `workflowStep` built");
  }
  return list.length === steps.length ? list : undefined;
}

/** The same for a call without other arguments. */
export function builtSteps(steps: readonly WorkflowStep[]): readonly WorkflowStep[] {
  const problems: PlannerProblem[] = [];
  const list = stepList(steps, new ProblemPath(problems, ["steps"]));
  if (list === undefined) throw new ValidationError("the list of steps", problems);
  return list;
}
