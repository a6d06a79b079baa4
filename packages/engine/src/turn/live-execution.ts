// An execution that this process owns and holds in memory.

import {
  ACCEPTED,
  isInward,
  type Advance,
  type Answer,
  type ContentHash,
  type Effect,
  type EpochMs,
  type Event,
  type ExecutionId,
  type Failure,
  type Happening,
  type InwardEffect,
  type OutwardEffect,
  type Json,
  type State,
  type World,
} from "@segno/kernel";
import type { Agent } from "../runners/agent.ts";
import { Account } from "../scheduler/account.ts";
import type { Append, Content, IdempotencyEntry, MessageId } from "../store/store.ts";
import { StepMap } from "../step-map.ts";
import { Inbox } from "./inbox.ts";
import { StepLine } from "./step-line.ts";
import type { StepAttempt } from "./step-attempt.ts";
import type { WheelEntry } from "./timer-wheel.ts";

/** A happening on its way to a turn. */
export interface Delivery {
  readonly happening: Happening;
  /** Told when the turn that took it is durable. */
  readonly answer?: ((answer: Answer) => void) | undefined;
  /** Told when it will never be taken: the execution was let go, or the engine closed. */
  readonly refuse?: ((error: unknown) => void) | undefined;
  /** The posted message that it came in; taken in the transaction of the turn. */
  readonly message?: MessageId | undefined;
}

/** A happening that nobody waits for; most are. */
export class Posted implements Delivery {
  readonly happening: Happening;

  constructor(happening: Happening) {
    this.happening = happening;
  }
}

const TURN_EVENTS_MAX = 512;
/** Values can leave a row, failures cannot; one more may be as long as 16 causes with what is kept of their messages. */
const FAILURES_LENGTH_MAX = 65_536;

/** Where slots and resources are asked for and given back. */
export interface Settler {
  settle(execution: LiveExecution, effect: InwardEffect): void;
}

/** What a turn has gathered and not yet made durable. */
export class Turn implements Advance {
  readonly events: Event[] = [];
  /** What is to be done once it is durable. */
  readonly effects: OutwardEffect[] = [];
  answer: Answer = ACCEPTED;
  needs: readonly ContentHash[] = [];
  isTaken = false;
  /** Whether something is being decided, and not loaded or written. */
  isDeciding = false;
  /** When what it took last happened; its grants are of that time, because asking the clock for every step is dear. */
  at: EpochMs;
  /** Steps that were granted what they need by what this turn decided; decided in it, once its deliveries are. */
  readonly grants: StepLine = new StepLine();
  /** Steps that asked, and that nothing here can run; decided after the grants. */
  readonly unknown: StepLine = new StepLine();
  /** Everything that it took, to be delivered again if it cannot be made durable. */
  readonly taken: Delivery[] = [];
  /** Those of it that were posted. */
  readonly messages: MessageId[] = [];
  /** What was sent to the store: whoever gets an error for it has to see whether it is there (K4). */
  append: Append | undefined = undefined;
  #weighed = 0;
  #failureLength = 0;
  #answers: { readonly tell: (answer: Answer) => void; readonly answer: Answer }[] | undefined = undefined;

  readonly #execution: LiveExecution;
  readonly #settler: Settler;

  constructor(execution: LiveExecution, settler: Settler) {
    this.at = execution.state.at;
    this.#execution = execution;
    this.#settler = settler;
  }

  /** Inward effects settle at once, and nobody has to keep them; the others wait until the turn is durable. */
  ask(effect: Effect): void {
    if (isInward(effect)) this.#settler.settle(this.#execution, effect);
    else this.effects.push(effect);
  }

  /** A turn is one row of the journal, and rows are not to grow without end (JOURNAL-4). */
  get isFull(): boolean {
    for (; this.#weighed < this.events.length; this.#weighed++) {
      const event = this.events[this.#weighed]!;
      if (event.kind === "step.failed" || event.kind === "step.retried") this.#failureLength += lengthOf(event.failure);
    }
    return this.events.length >= TURN_EVENTS_MAX || this.#failureLength >= FAILURES_LENGTH_MAX;
  }

  /** What nobody can fail to make durable is never brought again; only whoever waits for it has to be known. */
  take(delivery: Delivery, isDurable: boolean): void {
    if (isDurable || delivery.refuse !== undefined) this.taken.push(delivery);
    if (delivery.message !== undefined) this.messages.push(delivery.message);
    if (delivery.answer !== undefined) (this.#answers ??= []).push({ tell: delivery.answer, answer: this.answer });
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
  /** The epoch that the store has it under; 0 when the store has not seen it yet. */
  readonly found: number;
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
  /** The epoch under which it is written; the store has it only when an append has been accepted (LEASE-3). */
  readonly epoch: number;
  found: number;
  head: string;
  activity: Activity = "idle";
  turn: Turn | undefined;
  readonly inbox: Inbox = new Inbox();
  readonly slots: Account<LiveExecution>;
  /** Attempts that this process sees to, by the places of their steps. */
  readonly attempts: StepMap<StepAttempt> = new StepMap();
  readonly timers: Map<number, WheelEntry> = new Map();
  readonly values: Map<ContentHash, Json> = new Map();
  /** The functions that it was started with here; a recovered one has those that are registered under their names. */
  agents: ReadonlyMap<string, Agent> | undefined;
  /** What the first append has to bring along. */
  firstAppend:
    | { readonly definitions: readonly Content[]; readonly idempotency: IdempotencyEntry | undefined }
    | undefined;
  /** Heads that it would have if it was taken over: each was sent, and not answered with a yes (K4). */
  #takeOvers: Set<string> | undefined;

  constructor(options: LiveExecutionOptions) {
    const { id, definition, state, found, head, priority, check } = options;
    this.id = id;
    this.definition = definition;
    this.state = state;
    this.found = found;
    this.epoch = found + 1;
    this.head = head;
    this.priority = priority;
    this.slots = new Account(this, state.program.definition.concurrency, priority);
    this.world = { value: (hash) => this.values.get(hash), check };
  }

  /** An append is on its way that leads to this head. */
  sent(head: string): void {
    if (this.found !== this.epoch) (this.#takeOvers ??= new Set()).add(head);
  }

  /** The store has an append of this execution. */
  own(head: string): void {
    this.head = head;
    this.found = this.epoch;
    this.#takeOvers = undefined;
  }

  /**
   * Whether what the store has is ours to go on with: nobody has taken it over since it was found, or we have. That the
   * epoch is the one that we wanted says nothing by itself, because whoever was faster wanted the same.
   */
  isOurs(epoch: number, head: string): boolean {
    return epoch === this.found || (epoch === this.epoch && this.#takeOvers?.has(head) === true);
  }
}

/** Asked anew after every wait: it may have left meanwhile. */
export function isGone({ activity }: LiveExecution): boolean {
  return activity === "gone";
}

function lengthOf(failure: Failure): number {
  return failure.message.length + (failure.cause === undefined ? 0 : lengthOf(failure.cause));
}
