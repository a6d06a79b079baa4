// Rebuilds the circuit breakers of the owning process from the attempts in the journals (FAIL-6, SCHED-7).
//
//   H1. Attempts count in order of time across all executions, as they did for the owner.
//   H2. A breaker lives in the memory of a process, so attempts of a process that has ended do not count.
//   H3. An attempt that begins after the cooldown of an open breaker is its probe.

import type { Event, StepIndex } from "@segno/kernel";
import type { AttemptResult, Breaker } from "../scheduler/resources/breaker.ts";
import { resultOfFailure, type AdmissionController } from "../turn/admission-controller.ts";
import type { LiveExecution } from "../turn/live-execution.ts";

/** The beginning or the end of an attempt, as an input of its breaker. */
interface BreakerInput {
  readonly at: number;
  readonly breaker: Breaker;
  readonly execution: LiveExecution;
  readonly step: StepIndex;
  /** The process that ran the attempt. */
  readonly worker: string;
  /** The result of the attempt; undefined at its beginning. */
  readonly result: AttemptResult | undefined;
}

export class BreakerHistory {
  readonly #admission: AdmissionController;
  readonly #inputs: BreakerInput[] = [];

  constructor(admission: AdmissionController) {
    this.#admission = admission;
  }

  add(execution: LiveExecution, events: readonly Event[]): void {
    const running = new Map<StepIndex, string>();
    let worker = "";
    for (const event of events) {
      if (event.kind === "step.started") running.set(event.step, (worker = event.worker ?? worker));
      const result = attemptResult(event);
      if (!("step" in event) || (event.kind !== "step.started" && result === undefined)) continue;
      this.#addInput(execution, event.step, event.at, running.get(event.step), result);
      if (result !== undefined) running.delete(event.step);
    }
  }

  /** Brings the breakers to their current state. */
  replay(): void {
    const inputs = this.#inputs.toSorted((one, other) => one.at - other.at);
    const owner = inputs.at(-1)?.worker;
    for (const { at, breaker, execution, step, worker, result } of inputs) {
      if (worker !== owner) continue;
      if (result !== undefined) breaker.onEnded(execution.schedulerRecord, step, result, at);
      else if (breaker.canPass(at)) breaker.onStarted(execution.schedulerRecord, step);
    }
  }

  /** An end without a beginning was not an attempt. */
  #addInput(
    execution: LiveExecution,
    step: StepIndex,
    at: number,
    worker: string | undefined,
    result?: AttemptResult,
  ): void {
    const breaker = worker === undefined ? undefined : this.#admission.breaker(execution, step);
    if (breaker !== undefined) this.#inputs.push({ at, breaker, execution, step, worker: worker!, result });
  }
}

/** The attempt result that an event records; undefined if the event ends no attempt. */
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
