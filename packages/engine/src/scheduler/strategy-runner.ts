// Runs a strategy that the user supplies. If the strategy throws, or returns a step that it was not offered, the error
// is reported and the execution falls back to first in, first out (SCHED-5).

import { SegnoError } from "@segno/kernel";
import { thrownMessage } from "@segno/kernel/thrown-text";
import type { WaitQueue } from "./wait-queue.ts";
import { canGrantInArrivalOrder, type ArrivalBatch } from "./arrivals.ts";
import { onRejected } from "../checks/thenable.ts";
import { comesBefore } from "../collections/heap.ts";
import type { ClaimQueue, SchedulerRecord } from "./scheduler-record.ts";
import {
  FALLBACK_SETTINGS,
  READY_MAX,
  type CustomStrategy,
  type ReadyStep,
  type StrategyContext,
  type StrategySettings,
} from "./strategy.ts";

export interface StepName {
  readonly execution: string;
  readonly workflow: string;
  readonly step: string;
}

export interface StrategyRunnerPorts {
  report(error: unknown): void;
  dependantCount(execution: unknown, step: number): number;
  stepName(execution: unknown, step: number): StepName;
  executionId(execution: unknown): string;
}

export interface Selection {
  readonly queue: ClaimQueue;
  readonly step: number;
}

/** The steps offered to the strategy, and the claim queue of each of them. */
interface ReadyCandidates {
  readonly ready: readonly ReadyStep[];
  readonly selections: readonly Selection[];
}

export class StrategyRunner {
  readonly #waitQueue: WaitQueue;
  readonly #ports: StrategyRunnerPorts;

  constructor(waitQueue: WaitQueue, ports: StrategyRunnerPorts) {
    this.#waitQueue = waitQueue;
    this.#ports = ports;
  }

  /** Whether requests can be granted in the order in which they arrived (`arrivals.ts`). */
  mayGrantInArrivalOrder(
    batches: readonly ArrivalBatch<unknown>[],
    settings: StrategySettings,
    freeSlots: number,
  ): boolean {
    const { custom } = settings;
    const isCovered =
      custom !== undefined && batches.some(({ schedulerRecord }) => this.#isCovered(schedulerRecord, custom));
    return canGrantInArrivalOrder(batches, isCovered ? settings : { ...settings, custom: undefined }, freeSlots);
  }

  /** Selects the next step of an execution. The claim queue can run, so there is at least one candidate. */
  select(claimQueue: ClaimQueue, strategy: CustomStrategy, nowMs: number): Selection {
    if (!this.#isCovered(claimQueue.executionGroup.schedulerRecord, strategy))
      return { queue: claimQueue, step: claimQueue.steps.first };
    const candidates = this.#candidates(claimQueue, nowMs);
    const result = runStrategy(strategy, candidates, this.#context(claimQueue));
    if (result.kind === "chosen") return result.chosen;
    this.#useFallback(claimQueue.executionGroup.schedulerRecord, result.error);
    const first = this.#runnableQueues(claimQueue, nowMs)[0]!;
    return { queue: first, step: first.steps.first };
  }

  /** Whether the strategy orders the steps of the execution. */
  #isCovered(schedulerRecord: SchedulerRecord<unknown>, strategy: CustomStrategy): boolean {
    // The strategy has failed before.
    if (schedulerRecord.strategySettings !== undefined) return false;
    if (strategy.covers === undefined) return true;
    try {
      const result: unknown = strategy.covers(this.#ports.executionId(schedulerRecord.execution));
      if (typeof result === "boolean") return result;
      onRejected(result, () => undefined);
      throw new Error("`covers` did not return true or false");
    } catch (error) {
      this.#useFallback(schedulerRecord, error);
      return false;
    }
  }

  #context({ executionGroup: { schedulerRecord }, steps }: ClaimQueue): StrategyContext {
    const { execution, workflow } = this.#ports.stepName(schedulerRecord.execution, steps.first);
    return Object.freeze({ execution, workflow, running: schedulerRecord.held.size });
  }

  #useFallback(schedulerRecord: SchedulerRecord<unknown>, cause: unknown): void {
    schedulerRecord.strategySettings = FALLBACK_SETTINGS;
    schedulerRecord.waitSet?.changeSettings(FALLBACK_SETTINGS);
    const reason = thrownMessage(cause);
    const message = `the scheduling strategy failed, and the execution continues in first-in-first-out order: ${reason}`;
    this.#ports.report(new SegnoError("STRATEGY_BROKEN", message, { cause }));
  }

  #candidates(claimQueue: ClaimQueue, nowMs: number): ReadyCandidates {
    const ready: ReadyStep[] = [];
    const selections: Selection[] = [];
    for (const runnable of this.#runnableQueues(claimQueue, nowMs)) {
      runnable.steps.visit((step, since) => {
        if (ready.length === READY_MAX) return;
        ready.push(this.#readyStep(runnable, step, nowMs - since));
        selections.push({ queue: runnable, step });
      });
      if (ready.length === READY_MAX) break;
    }
    return { ready: Object.freeze(ready), selections };
  }

  #readyStep(
    { executionGroup: { schedulerRecord }, claim }: ClaimQueue,
    stepIndex: number,
    waitedMs: number,
  ): ReadyStep {
    const { step } = this.#ports.stepName(schedulerRecord.execution, stepIndex);
    const dependants = this.#ports.dependantCount(schedulerRecord.execution, stepIndex);
    return Object.freeze({ step, priority: claim.priority, dependants, waitedMs: Math.max(0, Math.ceil(waitedMs)) });
  }

  /** The claim queues of the execution that can run, in rank order. */
  #runnableQueues({ executionGroup }: ClaimQueue, nowMs: number): readonly ClaimQueue[] {
    return executionGroup.schedulerRecord
      .waitSet!.queues.filter(({ steps, claim }) => steps.size > 0 && this.#waitQueue.fits(claim.requirement, nowMs))
      .toSorted((a, b) => (comesBefore(a, b) ? -1 : 1));
  }
}

type StrategyResult =
  | { readonly kind: "chosen"; readonly chosen: Selection }
  | { readonly kind: "broken"; readonly error: unknown };

function runStrategy(
  strategy: CustomStrategy,
  { ready, selections }: ReadyCandidates,
  context: StrategyContext,
): StrategyResult {
  try {
    const result: unknown = strategy.select(ready, context);
    // A strategy must answer synchronously; the rejection of a promise is swallowed.
    onRejected(result, () => undefined);
    const index = ready.findIndex((each) => each.step === (result as Partial<ReadyStep> | undefined)?.step);
    if (index >= 0) return { kind: "chosen", chosen: selections[index]! };
    return { kind: "broken", error: new Error("it did not return one of the candidates") };
  } catch (error) {
    return { kind: "broken", error };
  }
}
