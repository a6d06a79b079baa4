// The choice of a strategy of the user's own. One that throws, or chooses what it was not given, is reported, and its execution
// goes on first in, first out (SCHED-5).

import { SegnoError } from "@segno/kernel";
import type { Board } from "./board.ts";
import { comesBefore } from "./heap.ts";
import type { Lane } from "./lane.ts";
import {
  ORDER_OF_THE_BROKEN,
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

export interface ChoicePorts {
  report(error: unknown): void;
  weight(owner: unknown, step: number): number;
  nameOf(owner: unknown, step: number): StepName;
}

export interface Chosen {
  readonly lane: Lane;
  readonly step: number;
}

/** What is offered, and which step of which lane is meant by it. */
interface Offer {
  readonly ready: readonly ReadyStep[];
  readonly meant: readonly Chosen[];
}

export class Choice {
  readonly #board: Board;
  readonly #ports: ChoicePorts;

  constructor(board: Board, ports: ChoicePorts) {
    this.#board = board;
    this.#ports = ports;
  }

  /** What runs next of an execution. The lane is one that could go on, so there is at least one to choose. */
  of(lane: Lane, strategy: SchedulingStrategy, nowMs: number): Chosen {
    const offer = this.#offer(lane, nowMs);
    const answer = answerOf(strategy, offer, this.#context(lane));
    if (answer.kind === "chosen") return answer.chosen;
    this.#replace(lane, answer.error);
    const first = this.#open(lane, nowMs)[0]!;
    return { lane: first, step: first.steps.first };
  }

  #context({ stand: { account }, steps }: Lane): StrategyContext {
    const { execution, workflow } = this.#ports.nameOf(account.owner, steps.first);
    return Object.freeze({ execution, workflow, running: account.held.size });
  }

  #replace({ stand: { account } }: Lane, cause: unknown): void {
    account.order = ORDER_OF_THE_BROKEN;
    account.lobby!.reorder(ORDER_OF_THE_BROKEN);
    const because = cause instanceof Error ? cause.message : String(cause);
    const message = `the scheduling strategy is broken, and its execution goes on first in, first out: ${because}`;
    this.#ports.report(new SegnoError("STRATEGY_BROKEN", message, { cause }));
  }

  #offer(lane: Lane, nowMs: number): Offer {
    const ready: ReadyStep[] = [];
    const meant: Chosen[] = [];
    for (const open of this.#open(lane, nowMs)) {
      open.steps.visit((step, since) => {
        if (ready.length === READY_MAX) return;
        ready.push(this.#readyStep(open, step, nowMs - since));
        meant.push({ lane: open, step });
      });
      if (ready.length === READY_MAX) break;
    }
    return { ready: Object.freeze(ready), meant };
  }

  #readyStep({ stand: { account }, claim }: Lane, place: number, waitedMs: number): ReadyStep {
    const { step } = this.#ports.nameOf(account.owner, place);
    const dependants = this.#ports.weight(account.owner, place);
    return Object.freeze({ step, priority: claim.priority, dependants, waitedMs: Math.max(0, Math.ceil(waitedMs)) });
  }

  /** The lanes of the execution that could go on, in their order. */
  #open({ stand }: Lane, nowMs: number): readonly Lane[] {
    return stand.account
      .lobby!.lanes.filter(({ steps, claim }) => steps.size > 0 && this.#board.fits(claim.need, nowMs))
      .toSorted((a, b) => (comesBefore(a, b) ? -1 : 1));
  }
}

type Answer =
  | { readonly kind: "chosen"; readonly chosen: Chosen }
  | { readonly kind: "broken"; readonly error: unknown };

function answerOf(strategy: SchedulingStrategy, { ready, meant }: Offer, context: StrategyContext): Answer {
  try {
    const answer: unknown = strategy.select(ready, context);
    // A strategy has to answer at once; what comes of a promise is heard by nobody.
    if (answer instanceof Promise) answer.catch(() => undefined);
    const index = ready.findIndex((each) => each.step === (answer as Partial<ReadyStep> | undefined)?.step);
    if (index >= 0) return { kind: "chosen", chosen: meant[index]! };
    return { kind: "broken", error: new Error("it chose none of the steps that it was given") };
  } catch (error) {
    return { kind: "broken", error };
  }
}
