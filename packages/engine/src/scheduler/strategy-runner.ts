// The choice of a strategy of the user's own. One that throws, or chooses what it was not given, is reported, and its execution
// goes on first in, first out (SCHED-5).

import { SegnoError } from "@segno/kernel";
import { thrownMessage } from "@segno/kernel/thrown-text";
import type { WaitQueue } from "./wait-queue.ts";
import { comesBefore } from "../collections/heap.ts";
import type { ClaimQueue } from "./claim-queue.ts";
import {
  FALLBACK_ORDER,
  READY_MAX,
  type ReadyStep,
  type SchedulingStrategy,
  type StrategyContext,
} from "./strategy.ts";

export interface StepName {
  readonly execution: string;
  readonly workflow: string;
  readonly step: string;
}

export interface StrategyRunnerPorts {
  report(error: unknown): void;
  weight(owner: unknown, step: number): number;
  stepName(owner: unknown, step: number): StepName;
}

export interface Selection {
  readonly queue: ClaimQueue;
  readonly step: number;
}

/** What is offered, and which step of which claim queue is meant by it. */
interface ReadyCandidates {
  readonly ready: readonly ReadyStep[];
  readonly byIndex: readonly Selection[];
}

export class StrategyRunner {
  readonly #waitQueue: WaitQueue;
  readonly #ports: StrategyRunnerPorts;

  constructor(waitQueue: WaitQueue, ports: StrategyRunnerPorts) {
    this.#waitQueue = waitQueue;
    this.#ports = ports;
  }

  /** What runs next of an execution. The claim queue is one that could go on, so there is at least one to choose. */
  select(queue: ClaimQueue, strategy: SchedulingStrategy, nowMs: number): Selection {
    const offer = this.#candidates(queue, nowMs);
    const answer = runStrategy(strategy, offer, this.#context(queue));
    if (answer.kind === "chosen") return answer.chosen;
    this.#replace(queue, answer.error);
    const first = this.#open(queue, nowMs)[0]!;
    return { queue: first, step: first.steps.first };
  }

  #context({ group: { entry }, steps }: ClaimQueue): StrategyContext {
    const { execution, workflow } = this.#ports.stepName(entry.owner, steps.first);
    return Object.freeze({ execution, workflow, running: entry.held.size });
  }

  #replace({ group: { entry } }: ClaimQueue, cause: unknown): void {
    entry.order = FALLBACK_ORDER;
    entry.waiting!.reorder(FALLBACK_ORDER);
    const because = thrownMessage(cause);
    const message = `the scheduling strategy is broken, and its execution goes on first in, first out: ${because}`;
    this.#ports.report(new SegnoError("STRATEGY_BROKEN", message, { cause }));
  }

  #candidates(queue: ClaimQueue, nowMs: number): ReadyCandidates {
    const ready: ReadyStep[] = [];
    const meant: Selection[] = [];
    for (const open of this.#open(queue, nowMs)) {
      open.steps.visit((step, since) => {
        if (ready.length === READY_MAX) return;
        ready.push(this.#readyStep(open, step, nowMs - since));
        meant.push({ queue: open, step });
      });
      if (ready.length === READY_MAX) break;
    }
    return { ready: Object.freeze(ready), byIndex: meant };
  }

  #readyStep({ group: { entry }, claim }: ClaimQueue, place: number, waitedMs: number): ReadyStep {
    const { step } = this.#ports.stepName(entry.owner, place);
    const dependants = this.#ports.weight(entry.owner, place);
    return Object.freeze({ step, priority: claim.priority, dependants, waitedMs: Math.max(0, Math.ceil(waitedMs)) });
  }

  /** The claim queues of the execution that could go on, in their order. */
  #open({ group }: ClaimQueue, nowMs: number): readonly ClaimQueue[] {
    return group.entry
      .waiting!.queues.filter(({ steps, claim }) => steps.size > 0 && this.#waitQueue.fits(claim.requirement, nowMs))
      .toSorted((a, b) => (comesBefore(a, b) ? -1 : 1));
  }
}

type StrategyResult =
  | { readonly kind: "chosen"; readonly chosen: Selection }
  | { readonly kind: "broken"; readonly error: unknown };

function runStrategy(
  strategy: SchedulingStrategy,
  { ready, byIndex }: ReadyCandidates,
  context: StrategyContext,
): StrategyResult {
  try {
    const answer: unknown = strategy.select(ready, context);
    // A strategy has to answer at once; what comes of a promise is heard by nobody.
    if (answer instanceof Promise) answer.catch(() => undefined);
    const index = ready.findIndex((each) => each.step === (answer as Partial<ReadyStep> | undefined)?.step);
    if (index >= 0) return { kind: "chosen", chosen: byIndex[index]! };
    return { kind: "broken", error: new Error("it chose none of the steps that it was given") };
  } catch (error) {
    return { kind: "broken", error };
  }
}
