// The attempts of one execution that this process runs, by step index, and the slots and resources that they hold.

import { StepMap } from "../collections/step-map.ts";
import type { SchedulerRecord } from "../scheduler/scheduler-record.ts";

export class RunningAttempts<Attempt> extends StepMap<Attempt> {
  readonly schedulerRecord: SchedulerRecord<unknown>;
  #isClosed = false;

  constructor(schedulerRecord: SchedulerRecord<unknown>) {
    super();
    this.schedulerRecord = schedulerRecord;
  }

  /** True when the execution has left memory: no attempt may start. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }
}
