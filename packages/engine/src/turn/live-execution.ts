// An execution that this process owns and holds in memory.

import type { Answer, ContentHash, Effect, Event, ExecutionId, Happening, Json, State, World } from "@segno/kernel";
import { Account } from "../scheduler/scheduler.ts";
import type { Append, Content, IdempotencyEntry, MessageId } from "../store/store.ts";
import type { StepAttempt } from "./step-attempt.ts";
import type { WheelEntry } from "./timer-wheel.ts";

/** A happening on its way to a turn. */
export interface Delivery {
  readonly happening: Happening;
  /** Told when the turn that took it is durable. */
  readonly answer?: (answer: Answer) => void;
  /** Told when it will never be taken: the execution was let go, or the engine closed. */
  readonly refuse?: (error: unknown) => void;
  /** The posted message that it came in; taken in the transaction of the turn. */
  readonly message?: MessageId;
}

const TURN_EVENTS_MAX = 512;

/** What a turn has gathered and not yet made durable. */
export class Turn {
  readonly events: Event[] = [];
  readonly effects: Effect[] = [];
  /** How many of the effects were looked at; those that are inward are settled by then. */
  settled = 0;
  /** Everything that it took, to be delivered again if it cannot be made durable. */
  readonly taken: Delivery[] = [];
  /** What was sent to the store: whoever gets an error for it has to see whether it is there (K4). */
  append: Append | undefined = undefined;
  #answers: { readonly tell: (answer: Answer) => void; readonly answer: Answer }[] | undefined = undefined;

  /** A turn is one row of the journal, and rows are not to grow without end (JOURNAL-4). */
  get isFull(): boolean {
    return this.events.length >= TURN_EVENTS_MAX;
  }

  take(delivery: Delivery, answer: Answer): void {
    this.taken.push(delivery);
    if (delivery.answer !== undefined) (this.#answers ??= []).push({ tell: delivery.answer, answer });
  }

  /** Tells everybody whose wish it took; each once. */
  answerAll(): void {
    const answers = this.#answers;
    this.#answers = undefined;
    for (const { tell, answer } of answers ?? []) tell(answer);
  }
}

/** `summoned`: something came, and a turn will begin in a moment, with whatever else comes until then. */
export type Activity = "idle" | "summoned" | "deciding" | "loading" | "committing" | "ailing" | "gone";

export interface LiveExecutionOptions {
  readonly id: ExecutionId;
  readonly definition: ContentHash;
  readonly state: State;
  readonly epoch: number;
  readonly head: string;
  readonly priority: number;
  readonly check: World["check"];
}

export class LiveExecution {
  readonly id: ExecutionId;
  readonly definition: ContentHash;
  readonly priority: number;
  /** What the kernel may ask about values that are in memory. */
  readonly world: World;
  state: State;
  epoch: number;
  head: string;
  activity: Activity = "idle";
  turn: Turn | undefined;
  readonly inbox: Delivery[] = [];
  readonly slots: Account<LiveExecution>;
  /** Attempts that this process sees to, by the places of their steps. */
  readonly attempts: Map<number, StepAttempt> = new Map();
  readonly timers: Map<number, WheelEntry<unknown>> = new Map();
  readonly values: Map<ContentHash, Json> = new Map();
  /** What the first append has to bring along. */
  firstAppend:
    | { readonly definitions: readonly Content[]; readonly idempotency: IdempotencyEntry | undefined }
    | undefined;

  constructor(options: LiveExecutionOptions) {
    const { id, definition, state, epoch, head, priority, check } = options;
    this.id = id;
    this.definition = definition;
    this.state = state;
    this.epoch = epoch;
    this.head = head;
    this.priority = priority;
    this.slots = new Account(this, state.program.definition.concurrency);
    this.world = { value: (hash) => this.values.get(hash), check };
  }
}

/** Asked anew after every wait: it may have left meanwhile. */
export function isGone({ activity }: LiveExecution): boolean {
  return activity === "gone";
}
