// The first step: initialises the workflow. Its event is derived from the journal, so nothing is announced here.

import type { StepContext } from "@segno/engine";
import type { WorkflowContext } from "../model/workflow-context.ts";
import { initializeWorkflow } from "./initialize-workflow.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { CodeInput } from "./step-values.ts";

export async function prepareWorkflow(
  input: CodeInput,
  { execution }: Pick<StepContext, "execution">,
  { ports }: Pick<StepRuntime, "ports">,
): Promise<WorkflowContext> {
  const context = await initializeWorkflow(execution.id, input, ports, async () => undefined);
  const workspaceFolder = await ports.workspacePort.getWorkspaceFolder?.(execution.id);
  return workspaceFolder === undefined ? context : { ...context, workspaceFolder };
}
