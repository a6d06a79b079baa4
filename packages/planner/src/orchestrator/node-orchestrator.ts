// Node orchestrator
//
// Job: the stateful facade of the source, for one workflow: somebody injects the definition, `process` validates and plans.
// Not its job: loading contracts, keeping anything else than the definition, or running actions. It is not pure.
//
//   N1. The definition is read once, when `process` is entered: who replaces it meanwhile changes the next call (PLAN-18).
//   N2. Nothing that was injected or given is changed.

import { isOrchestratorInput, type OrchestratorInput } from "../model/orchestrator-input.ts";
import type { WorkflowDefinition } from "../model/workflow-definition.ts";
import { executeWorkflow } from "../plan/execute-workflow.ts";
import type { PlanOptions } from "../plan/plan-options.ts";
import { plannedMode, refuseMode } from "../plan/planned-mode.ts";
import { validateWorkflow } from "../plan/validate-workflow-definition.ts";
import type { Sources } from "../sources.ts";
import { ValidationError } from "../validation-error.ts";
import { outputOf, type OrchestratorOutput } from "./orchestrator-output.ts";

export type ProcessOptions = Pick<PlanOptions, "payloadFor" | "failedSteps" | "signal">;

export class NodeOrchestrator {
  workflowDefinition: WorkflowDefinition | undefined;
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async process(input: OrchestratorInput, options: ProcessOptions = {}): Promise<OrchestratorOutput> {
    const definition = this.workflowDefinition ?? refuse("no-definition", "workflowDefinition", "was not injected");
    if (!isOrchestratorInput(input)) refuse("not-a-model", "input", "expected an input that `orchestratorInput` built");
    const mode = plannedMode(definition, input.executionMode);
    if (mode !== undefined) refuseMode(mode);
    validateWorkflow(definition, input.steps, input.executionMode);
    return outputOf(await executeWorkflow(definition, input.steps, input.workflowId, this.#optionsFor(input, options)));
  }

  #optionsFor(input: OrchestratorInput, options: ProcessOptions): PlanOptions {
    return {
      newId: () => this.#sources.newId(),
      now: () => this.#sources.now(),
      executionMode: input.executionMode,
      globalTimeoutMs: input.globalTimeoutMs,
      failureStrategy: input.failureStrategy,
      payloadFor: options.payloadFor?.bind(options),
      failedSteps: options.failedSteps,
      signal: options.signal,
    };
  }
}

function refuse(reason: string, path: string, message: string): never {
  throw new ValidationError("the call of process", [{ reason, path, message }]);
}
