// The attempts of one execution that this process runs, by step index, and the slots and resources that they hold.

import { StepMap } from "../collections/step-map.ts";
import type { ScheduledExecution } from "../scheduler/scheduled-execution.ts";

export class RunningAttempts<Attempt> extends StepMap<Attempt> {
  readonly scheduled: ScheduledExecution<unknown>;
  #isClosed = false;

  constructor(scheduled: ScheduledExecution<unknown>) {
    super();
    this.scheduled = scheduled;
  }

  /** True when the execution has left memory: no attempt may start. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }
}
