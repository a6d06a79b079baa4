import { executionModeField, isWorkflowDefinition, type WorkflowDefinition } from "../model/workflow-definition.ts";
import { ProblemPath } from "../model/problem-path.ts";
import { ExecutionMode } from "../model/vocabulary.ts";
import { ValidationError, type PlannerProblem } from "../validation-error.ts";

/** The mode that a call asks for beats the definition's (PLAN-2). Nothing where neither can be known. */
export function plannedMode(
  definition: WorkflowDefinition | undefined,
  asked: ExecutionMode | undefined,
): ExecutionMode | undefined {
  return asked ?? (isWorkflowDefinition(definition) ? definition.workflowMetadata.executionMode : undefined);
}

/** Throws for a mode in which no plan is made. */
export function refuseMode(mode: ExecutionMode): void {
  const problems: PlannerProblem[] = [];
  reportMode(mode, new ProblemPath(problems, ["executionMode"]));
  if (problems.length > 0) throw new ValidationError("the execution mode", problems);
}

/** Reserved modes are refused, never replaced by another one. */
export function reportMode(mode: ExecutionMode, place: ProblemPath): void {
  const known = executionModeField(mode, place);
  if (known === ExecutionMode.CONDITIONAL || known === ExecutionMode.STREAMING)
    place.report("reserved-mode", `the mode ${known} is reserved; use sequential, parallel or batch`);
}
