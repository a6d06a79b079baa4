// A workflow under way: what `executeAsync` gives at once (ruling 39).

import { SegnoError } from "@segno/kernel";
import type { ExecutionHandle } from "../api/execution-handle.ts";
import { workflowState, type WorkflowState } from "./task-state.ts";
import type { WorkflowResult } from "./workflow-result.ts";

/** What became of the start. */
export type StartedWorkflow =
  | { readonly kind: "running"; readonly handle: ExecutionHandle; readonly result: Promise<WorkflowResult> }
  | { readonly kind: "refused"; readonly result: Promise<WorkflowResult>; readonly error: SegnoError };

export class WorkflowHandle {
  readonly #started: Promise<StartedWorkflow>;
  readonly #result: Promise<WorkflowResult>;

  constructor(started: Promise<StartedWorkflow>, result: Promise<WorkflowResult>) {
    this.#started = started;
    this.#result = result;
    // Whoever asks is told; nobody else has to be.
    result.catch(() => undefined);
  }

  /** How it ended. A task that fails is in it; only what is wrong with the engine itself rejects. */
  result(): Promise<WorkflowResult> {
    return this.#result;
  }

  async state(): Promise<WorkflowState> {
    const started = await this.#started;
    return started.kind === "refused" ? "FAILED" : workflowState((await started.handle.status()).status);
  }

  /** Stops what runs, and starts nothing more. It has no effect on what has ended. */
  async cancel(reason?: string): Promise<void> {
    const started = await this.#started;
    if (started.kind === "running") await started.handle.cancel(reason === undefined ? {} : { reason });
  }

  /** The execution underneath, for everything that it can do beside; rejects where the workflow cannot be run. */
  async execution(): Promise<ExecutionHandle> {
    const started = await this.#started;
    if (started.kind === "refused") throw started.error;
    return started.handle;
  }
}
