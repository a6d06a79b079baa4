// A turn: the deliveries it consumed, the events it decided, and the effects to perform once these are durable.

import {
  ACCEPTED,
  isAdmissionEffect,
  type DecisionSink,
  type Reply,
  type ContentHash,
  type Effect,
  type EpochMs,
  type Event,
  type Failure,
  type AdmissionEffect,
  type ExternalEffect,
  type RunEffect,
  type State,
  type StepIndex,
} from "@segno/kernel";
import { Fifo } from "@segno/kernel/fifo";
import type { Append, MessageId } from "../store/store.ts";
import type { Delivery } from "./delivery.ts";
import { toMonotonic, type TimeBase } from "../clock/wake-time.ts";

const TURN_EVENTS_MAX = 512;
/**
 * A turn is one row of the journal. Large values are stored outside it, failures are not, so their total length is
 * limited. The check comes after each failure, so the last one may exceed the limit.
 */
const FAILURES_LENGTH_MAX = 65_536;

/** Requests and releases slots and resources for steps. */
export interface AdmissionEffectHandler<Execution> {
  applyAdmissionEffect(execution: Execution, effect: AdmissionEffect): void;
}

export class Turn<Execution extends { readonly state: State }> implements DecisionSink {
  readonly #execution: Execution;
  readonly #admissionEffectHandler: AdmissionEffectHandler<Execution>;
  readonly events: Event[] = [];
  /** External effects, performed once the turn is durable. */
  readonly effects: ExternalEffect[] = [];
  // The kernel writes the next three fields (`DecisionSink`).
  /** The reply to the last happening. */
  reply: Reply = ACCEPTED;
  /** Stored values that have to be loaded before the turn can continue. */
  missingValues: readonly ContentHash[] = [];
  /** Whether the last happening was decided. If not, it is decided again once its missing values are loaded. */
  isHappeningConsumed = false;
  /** Whether the turn is deciding, and not loading or committing: grants made meanwhile are decided in it. */
  isDeciding = false;
  /** The time of the last delivery. Grants use it too, because reading the clock for every step is expensive. */
  at: EpochMs;
  /** Steps granted during this turn; decided after its deliveries. */
  readonly grants: Fifo<StepIndex> = new Fifo();
  /** Requested steps that nothing in this process can run; decided after the grants. */
  readonly unrunnable: Fifo<StepIndex> = new Fifo();
  /** The consumed deliveries, to be redelivered if the commit fails. */
  readonly consumed: Delivery[] = [];
  /** The ids of the inbox messages that carried consumed deliveries. */
  readonly messages: MessageId[] = [];
  /** The append sent to the store. After an error, the store has to be read to see whether it was written (`store.ts`). */
  append: Append | undefined = undefined;
  #monotonicBase: number | undefined = undefined;
  /** How many events are included in `#failureLength`. */
  #measuredEvents = 0;
  #failureLength = 0;
  #replies: { readonly send: (reply: Reply) => void; readonly reply: Reply }[] | undefined = undefined;

  constructor(execution: Execution, admissionEffectHandler: AdmissionEffectHandler<Execution>) {
    this.at = execution.state.at;
    this.#execution = execution;
    this.#admissionEffectHandler = admissionEffectHandler;
  }

  /** Admission effects are applied at once; external effects wait until the turn is durable. */
  emitEffect(effect: Effect): void {
    if (isAdmissionEffect(effect)) this.#admissionEffectHandler.applyAdmissionEffect(this.#execution, effect);
    else this.effects.push(effect);
  }

  /**
   * Returns the time base of the turn: the wall-clock time from which its recorded durations count, and the monotonic
   * time that stands for it. The wall-clock time is that of the last event, or of the last delivery if that is later: a
   * turn without events may arm a timer too. The first call, which comes after all decisions, freezes the monotonic time.
   */
  freezeTimeBase(clock: { monotonic(): number }): TimeBase {
    this.#monotonicBase ??= clock.monotonic();
    return { at: Math.max(this.#execution.state.at, this.at), monotonic: this.#monotonicBase };
  }

  /** The deadline of an attempt on the monotonic clock. */
  monotonicDeadline({ deadline }: RunEffect, clock: { monotonic(): number }): number | undefined {
    return deadline === undefined ? undefined : toMonotonic(deadline, this.freezeTimeBase(clock));
  }

  /** A turn is one row of the journal, and rows are bounded (JOURNAL-4). */
  get isFull(): boolean {
    for (; this.#measuredEvents < this.events.length; this.#measuredEvents++) {
      const event = this.events[this.#measuredEvents]!;
      if (event.kind === "step.failed" || event.kind === "step.retried")
        this.#failureLength += failureLength(event.failure);
    }
    return this.events.length >= TURN_EVENTS_MAX || this.#failureLength >= FAILURES_LENGTH_MAX;
  }

  /** Without a store nothing is redelivered; deliveries with a waiting caller are kept so that the caller can be rejected. */
  consume(delivery: Delivery, hasStore: boolean): void {
    if (hasStore || delivery.reject !== undefined) this.consumed.push(delivery);
    if (delivery.message !== undefined) this.messages.push(delivery.message);
    if (delivery.resolve !== undefined) (this.#replies ??= []).push({ send: delivery.resolve, reply: this.reply });
  }

  /** Sends each caller its reply, once. */
  sendReplies(): void {
    const replies = this.#replies;
    this.#replies = undefined;
    for (const { send, reply } of replies ?? []) send(reply);
  }
}

function failureLength(failure: Failure): number {
  const own = failure.message.length + (failure.stack?.length ?? 0);
  return own + (failure.cause === undefined ? 0 : failureLength(failure.cause));
}
