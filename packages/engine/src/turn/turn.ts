// A turn: what was taken, what was decided about it, and what is to be done once that is durable.

import {
  ACCEPTED,
  isInward,
  type Advance,
  type Reply,
  type ContentHash,
  type Effect,
  type EpochMs,
  type Event,
  type Failure,
  type InwardEffect,
  type OutwardEffect,
  type RunEffect,
} from "@segno/kernel";
import type { Append, MessageId } from "../store/store.ts";
import type { Delivery } from "./delivery.ts";
import type { LiveExecution } from "./live-execution.ts";
import { StepQueue } from "./step-queue.ts";
import { toMonotonic, type ClockReading } from "../clock/wake-time.ts";

const TURN_EVENTS_MAX = 512;
/** Values can leave a row, failures cannot; one more may be as long as 16 causes with what is kept of their messages. */
const FAILURES_LENGTH_MAX = 65_536;

/** Where slots and resources are asked for and given back. */
export interface SchedulerEffects {
  applyInward(execution: LiveExecution, effect: InwardEffect): void;
}

/** What a turn has gathered and not yet made durable. */
export class Turn implements Advance {
  readonly #execution: LiveExecution;
  readonly #schedulerEffects: SchedulerEffects;
  readonly events: Event[] = [];
  /** What is to be done once it is durable. */
  readonly effects: OutwardEffect[] = [];
  answer: Reply = ACCEPTED;
  needs: readonly ContentHash[] = [];
  isConsumed = false;
  /** Whether it is being decided, and not loaded or written: what is granted meanwhile is decided in it. */
  isDeciding = false;
  /** When what it took last happened; its grants are of that time, because asking the clock for every step is dear. */
  at: EpochMs;
  /** Steps that were granted what they need by what this turn decided; decided in it, once its deliveries are. */
  readonly grants: StepQueue = new StepQueue();
  /** Steps that asked, and that nothing here can run; decided after the grants. */
  readonly unknown: StepQueue = new StepQueue();
  /** Everything that it took, to be delivered again if it cannot be made durable. */
  readonly consumed: Delivery[] = [];
  /** Those of it that were posted. */
  readonly messages: MessageId[] = [];
  /** What was sent to the store: whoever gets an error for it has to see whether it is there (K4). */
  append: Append | undefined = undefined;
  #decidedAt: number | undefined = undefined;
  #weighed = 0;
  #failureLength = 0;
  #answers: { readonly tell: (answer: Reply) => void; readonly answer: Reply }[] | undefined = undefined;

  constructor(execution: LiveExecution, settler: SchedulerEffects) {
    this.at = execution.state.at;
    this.#execution = execution;
    this.#schedulerEffects = settler;
  }

  /** Inward effects settle at once, and nobody has to keep them; the others wait until the turn is durable. */
  emitEffect(effect: Effect): void {
    if (isInward(effect)) this.#schedulerEffects.applyInward(this.#execution, effect);
    else this.effects.push(effect);
  }

  /**
   * Durations that it recorded count from its last event, or from what it took last where that came later: a turn without
   * events may arm a timer too. On the monotonic clock they count from the first call, when everything is decided.
   */
  reading(clock: { monotonic(): number }): ClockReading {
    this.#decidedAt ??= clock.monotonic();
    return { at: Math.max(this.#execution.state.at, this.at), monotonic: this.#decidedAt };
  }

  /** When an attempt that it starts is overdue, on the monotonic clock. */
  overdueAt({ deadline }: RunEffect, clock: { monotonic(): number }): number | undefined {
    return deadline === undefined ? undefined : toMonotonic(deadline, this.reading(clock));
  }

  /** A turn is one row of the journal, and rows are not to grow without end (JOURNAL-4). */
  get isFull(): boolean {
    for (; this.#weighed < this.events.length; this.#weighed++) {
      const event = this.events[this.#weighed]!;
      if (event.kind === "step.failed" || event.kind === "step.retried")
        this.#failureLength += failureLength(event.failure);
    }
    return this.events.length >= TURN_EVENTS_MAX || this.#failureLength >= FAILURES_LENGTH_MAX;
  }

  /** What nobody can fail to make durable is never brought again; only whoever waits for it has to be known. */
  take(delivery: Delivery, isDurable: boolean): void {
    if (isDurable || delivery.refuse !== undefined) this.consumed.push(delivery);
    if (delivery.message !== undefined) this.messages.push(delivery.message);
    if (delivery.answer !== undefined) (this.#answers ??= []).push({ tell: delivery.answer, answer: this.answer });
  }

  /** Tells everybody whose command it took; each once. */
  answerAll(): void {
    const answers = this.#answers;
    this.#answers = undefined;
    for (const { tell, answer } of answers ?? []) tell(answer);
  }
}

function failureLength(failure: Failure): number {
  return failure.message.length + (failure.cause === undefined ? 0 : failureLength(failure.cause));
}
