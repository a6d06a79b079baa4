// Breakers of the process that owns the journals, rebuilt from what the journals say of its attempts (FAIL-6, SCHED-7).
//
//   H1. Attempts count in the order of their times, over all executions, as they did for the owner.
//   H2. A breaker is in the memory of a process: attempts of a process that runs no more say nothing about it.
//   H3. What begins while a breaker is open and has cooled down is its probe.

import type { Event, StepIndex } from "@segno/kernel";
import type { AttemptResult, Breaker } from "../scheduler/resources/breaker.ts";
import { resultOfFailure, type AdmissionController } from "../turn/admission-controller.ts";
import type { LiveExecution } from "../turn/live-execution.ts";

interface BreakerMark {
  readonly at: number;
  readonly breaker: Breaker;
  readonly execution: LiveExecution;
  readonly step: StepIndex;
  /** The process that it ran in. */
  readonly worker: string;
  /** How it ended; nothing where it began. */
  readonly result: AttemptResult | undefined;
}

export class BreakerHistory {
  readonly #admission: AdmissionController;
  readonly #marks: BreakerMark[] = [];

  constructor(admission: AdmissionController) {
    this.#admission = admission;
  }

  add(execution: LiveExecution, events: readonly Event[]): void {
    const running = new Map<StepIndex, string>();
    let place = "";
    for (const event of events) {
      if (event.kind === "step.started") running.set(event.step, (place = event.worker ?? place));
      const result = attemptResult(event);
      if (!("step" in event) || (event.kind !== "step.started" && result === undefined)) continue;
      this.#mark(execution, event.step, event.at, running.get(event.step), result);
      if (result !== undefined) running.delete(event.step);
    }
  }

  /** Brings the breakers to where they are now. */
  replay(): void {
    const marks = this.#marks.toSorted((one, other) => one.at - other.at);
    const owner = marks.at(-1)?.worker;
    for (const { at, breaker, execution, step, worker, result } of marks) {
      if (worker !== owner) continue;
      if (result !== undefined) breaker.onEnded(execution.scheduling, step, result, at);
      else if (breaker.canPass(at)) breaker.onStarted(execution.scheduling, step);
    }
  }

  /** What ended without having begun was no attempt. */
  #mark(
    execution: LiveExecution,
    step: StepIndex,
    at: number,
    worker: string | undefined,
    result?: AttemptResult,
  ): void {
    const breaker = worker === undefined ? undefined : this.#admission.breaker(execution, step);
    if (breaker !== undefined) this.#marks.push({ at, breaker, execution, step, worker: worker!, result });
  }
}

/** How an event ends an attempt; nothing where it ends none. */
function attemptResult(event: Event): AttemptResult | undefined {
  switch (event.kind) {
    case "step.completed":
    case "step.skipped":
    case "step.expanded":
      return "succeeded";
    case "step.retried":
    case "step.failed":
      return resultOfFailure(event.failure);
    case "step.lost":
    case "step.cancelled":
      return "other";
    default:
      return undefined;
  }
}
