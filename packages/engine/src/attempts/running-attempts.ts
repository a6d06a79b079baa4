// The attempts of one execution that this process runs, by step index, and the slots and resources that they hold.

import { StepMap } from "../collections/step-map.ts";
import type { SchedulingEntry } from "../scheduler/scheduling-entry.ts";

export class RunningAttempts<Attempt> extends StepMap<Attempt> {
  readonly schedulingEntry: SchedulingEntry<unknown>;
  #isClosed = false;

  constructor(schedulingEntry: SchedulingEntry<unknown>) {
    super();
    this.schedulingEntry = schedulingEntry;
  }

  /** True when the execution has left memory: no attempt may start. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }
}
