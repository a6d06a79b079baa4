// A running workflow, which `executeAsync` returns at once (ruling 39).

import type { ExecutionHandle } from "@segno/engine";
import { SegnoError } from "@segno/kernel";
import { workflowState, type WorkflowState } from "./task-state.ts";
import type { WorkflowResult } from "./workflow-result.ts";

/** The result of the start. */
export type StartedWorkflow =
  | { readonly kind: "running"; readonly handle: ExecutionHandle; readonly result: Promise<WorkflowResult> }
  | { readonly kind: "refused"; readonly result: Promise<WorkflowResult>; readonly error: SegnoError };

/** A workflow of tasks that was started. */
export class WorkflowHandle {
  readonly #started: Promise<StartedWorkflow>;
  readonly #result: Promise<WorkflowResult>;

  constructor(started: Promise<StartedWorkflow>, result: Promise<WorkflowResult>) {
    this.#started = started;
    this.#result = result;
    // A caller that never reads the result must not cause an unhandled rejection.
    result.catch(() => undefined);
  }

  /** The result of the workflow. It includes failed tasks; only a fault of the engine itself rejects. */
  result(): Promise<WorkflowResult> {
    return this.#result;
  }

  /** The current state of the workflow. */
  async state(): Promise<WorkflowState> {
    const started = await this.#started;
    return started.kind === "refused" ? "FAILED" : workflowState((await started.handle.status()).status);
  }

  /** Stops running tasks, and starts no more. It has no effect on an ended workflow. */
  async cancel(reason?: string): Promise<void> {
    const started = await this.#started;
    if (started.kind === "running") await started.handle.cancel(reason === undefined ? {} : { reason });
  }

  /** The underlying execution, for further operations. Rejects if the workflow cannot run. */
  async execution(): Promise<ExecutionHandle> {
    const started = await this.#started;
    if (started.kind === "refused") throw started.error;
    return started.handle;
  }
}
