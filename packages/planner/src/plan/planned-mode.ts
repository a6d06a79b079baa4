import { executionModeField, isWorkflowDefinition, type WorkflowDefinition } from "../model/workflow-definition.ts";
import { ProblemPath } from "../model/problem-path.ts";
import { ExecutionMode } from "../model/vocabulary.ts";
import { ValidationError, type PlannerProblem } from "../errors/validation-error.ts";

/** The mode that a call asks for takes precedence over the definition's (PLAN-2). Returns nothing if neither is known. */
export function plannedMode(
  definition: WorkflowDefinition | undefined,
  requested: ExecutionMode | undefined,
): ExecutionMode | undefined {
  return requested ?? (isWorkflowDefinition(definition) ? definition.workflowMetadata.executionMode : undefined);
}

/** Throws for a mode that the planner does not support. */
export function refuseMode(mode: ExecutionMode): void {
  const problems: PlannerProblem[] = [];
  reportMode(mode, new ProblemPath(problems, ["executionMode"]));
  if (problems.length > 0) throw new ValidationError("the execution mode", problems);
}

/** Refuses reserved modes; it never replaces one by another mode. */
export function reportMode(mode: ExecutionMode, path: ProblemPath): void {
  const known = executionModeField(mode, path);
  if (known === ExecutionMode.CONDITIONAL || known === ExecutionMode.STREAMING)
    path.report("reserved-mode", `the mode ${known} is reserved; use sequential, parallel or batch`);
}
