// Node orchestrator
//
// Job: the source's stateful facade for one workflow. The program injects the definition; `process` validates and plans.
// Not its job: loading contracts, or running actions. The class is not pure: it keeps the definition and the ids of operations.
//
//   N1. `process` reads the definition once, when it is called. A definition that is replaced meanwhile affects the next call
//       (PLAN-18).
//   N2. The orchestrator never changes the injected definition or its arguments.
//   N3. Each call is an operation with its own id: that of the input, or a new one if that was used before (ruling 56).

import { isOrchestratorInput, type OrchestratorInput } from "../model/orchestrator-input.ts";
import type { WorkflowDefinition } from "../model/workflow-definition.ts";
import { executeWorkflow } from "../plan/execute-workflow.ts";
import { processOptions, type PlanOptions, type ProcessOptions } from "../plan/plan-options.ts";
import { plannedMode, refuseMode } from "../plan/planned-mode.ts";
import { validateWorkflowDefinition } from "../plan/validate-workflow-definition.ts";
import type { IdAndClock } from "../model/id-and-clock.ts";
import { ValidationError } from "../errors/validation-error.ts";
import { toOutput, type OrchestratorOutput } from "./orchestrator-output.ts";
import { UsedIds } from "./used-ids.ts";

const SUBJECT = "the call of process";

export class NodeOrchestrator {
  workflowDefinition: WorkflowDefinition | undefined;
  readonly #idAndClock: IdAndClock;
  readonly #operations = new UsedIds();

  constructor(idAndClock: IdAndClock) {
    this.#idAndClock = idAndClock;
  }

  async process(input: OrchestratorInput, options: ProcessOptions = {}): Promise<OrchestratorOutput> {
    const definition = this.workflowDefinition ?? refuse("no-definition", "workflowDefinition", "was not injected");
    if (!isOrchestratorInput(input)) refuse("not-a-model", "input", "expected an input that `orchestratorInput` built");
    const own = processOptions(SUBJECT, options);
    const mode = plannedMode(definition, input.executionMode);
    if (mode !== undefined) refuseMode(mode);
    validateWorkflowDefinition(definition, input.steps, input.executionMode);
    const operationId = this.#operations.unusedId(input.operationId, () => this.#idAndClock.newId());
    const result = await executeWorkflow(definition, input.steps, input.workflowId, this.#optionsFor(input, own));
    return toOutput(result, operationId);
  }

  #optionsFor(input: OrchestratorInput, own: ProcessOptions): PlanOptions {
    return {
      newId: () => this.#idAndClock.newId(),
      now: () => this.#idAndClock.now(),
      executionMode: input.executionMode,
      globalTimeoutMs: input.globalTimeoutMs,
      failureStrategy: input.failureStrategy,
      ...own,
    };
  }
}

function refuse(reason: string, path: string, message: string): never {
  throw new ValidationError(SUBJECT, [{ reason, path, message }]);
}
