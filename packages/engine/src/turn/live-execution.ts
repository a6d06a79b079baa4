// An execution that this process owns and holds in memory.

import type { Answer, ContentHash, Effect, Event, ExecutionId, Happening, Json, State } from "@segno/kernel";
import type { Append, Content, IdempotencyEntry, MessageId } from "../store/store.ts";
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

/** What a turn has gathered and not yet made durable. */
export interface Turn {
  readonly events: Event[];
  readonly outward: Effect[];
  /** Everything that it took, to be delivered again if it cannot be made durable. */
  readonly taken: Delivery[];
  /** What was sent to the store: whoever gets an error for it has to see whether it is there (K4). */
  append: Append | undefined;
  readonly answers: { readonly tell: (answer: Answer) => void; readonly answer: Answer }[];
}

export type Activity = "idle" | "deciding" | "loading" | "committing" | "ailing" | "gone";

export class LiveExecution {
  readonly id: ExecutionId;
  readonly definition: ContentHash;
  readonly priority: number;
  state: State;
  epoch: number;
  head: string;
  activity: Activity = "idle";
  turn: Turn | undefined;
  readonly inbox: Delivery[] = [];
  readonly timers: Map<string, WheelEntry<unknown>> = new Map();
  readonly values: Map<ContentHash, Json> = new Map();
  /** What the first append has to bring along. */
  firstAppend:
    | { readonly definitions: readonly Content[]; readonly idempotency: IdempotencyEntry | undefined }
    | undefined;

  constructor(
    id: ExecutionId,
    definition: ContentHash,
    state: State,
    options: { readonly epoch: number; readonly head: string; readonly priority: number },
  ) {
    this.id = id;
    this.definition = definition;
    this.state = state;
    this.epoch = options.epoch;
    this.head = options.head;
    this.priority = options.priority;
  }
}

/** Asked anew after every wait: it may have left meanwhile. */
export function isGone({ activity }: LiveExecution): boolean {
  return activity === "gone";
}

export function newTurn(): Turn {
  return { events: [], outward: [], taken: [], append: undefined, answers: [] };
}
