// An execution that this process owns and holds in memory.

import type { ContentHash, EpochMs, ExecutionId, Happening, Json, State, World } from "@segno/kernel";
import type { Agent } from "../agents/agent.ts";
import { SchedulingEntry } from "../scheduler/scheduling-entry.ts";
import type { KeyClaim } from "../idempotency/keys.ts";
import type { Content } from "../store/store.ts";
import type { EventHistory } from "../store/none/event-history.ts";
import { ListNode } from "../collections/linked-list.ts";
import { StepMap } from "../collections/step-map.ts";
import { DeliveryQueue } from "./delivery-queue.ts";
import type { AttemptOwner, StepAttempt } from "../attempts/step-attempt.ts";
import type { Turn } from "./turn.ts";
import type { WaitEntry } from "./wait-timers.ts";

/** `scheduled`: something came, and a turn will begin in a moment, with whatever else comes until then. */
export type ExecutionActivity = "idle" | "scheduled" | "deciding" | "loading" | "committing" | "faulted" | "gone";

/** The engine around an execution, as far as the execution itself calls it. */
export interface ExecutionHost {
  post(execution: LiveExecution, happening: Happening): void;
  onFault(execution: LiveExecution, error: unknown): void;
}

export interface LiveExecutionOptions {
  readonly id: ExecutionId;
  readonly definition: ContentHash;
  readonly state: State;
  /** The epoch that the store has it under; 0 when the store has not seen it yet. */
  readonly expectedEpoch: number;
  readonly head: string;
  readonly priority: number;
  readonly check: World["check"];
  readonly host: ExecutionHost;
}

/** Its place is that in the line of executions that only wait. */
export class LiveExecution extends ListNode implements AttemptOwner {
  readonly #host: ExecutionHost;
  readonly id: ExecutionId;
  readonly definition: ContentHash;
  readonly priority: number;
  /** What the kernel may ask about values that are in memory. */
  readonly world: World;
  state: State;
  /** The epoch under which it is written; the store has it only when an append has been accepted (LEASE-3). */
  readonly epoch: number;
  expectedEpoch: number;
  head: string;
  activity: ExecutionActivity = "idle";
  turn: Turn | undefined;
  /** Since when it stands in that line; nothing while it does not. */
  waitsSince: EpochMs | undefined = undefined;
  readonly deliveries: DeliveryQueue = new DeliveryQueue();
  readonly scheduling: SchedulingEntry<LiveExecution>;
  /** Attempts that this process sees to, by the places of their steps. */
  readonly attempts: StepMap<StepAttempt> = new StepMap();
  readonly timers: Map<number, WaitEntry> = new Map();
  readonly values: Map<ContentHash, Json> = new Map();
  /** What happened to it, where no store keeps that. */
  history: EventHistory | undefined;
  /** The functions that it was started with here; a recovered one has those that are registered under their names. */
  agents: ReadonlyMap<string, Agent> | undefined;
  /** What the first append has to bring along. */
  firstAppend: { readonly definitions: readonly Content[]; readonly key: KeyClaim | undefined } | undefined;
  /** Heads that it would have if it was taken over: each was sent, and not answered with a yes (K4). */
  #takeoverHeads: Set<string> | undefined;

  constructor(options: LiveExecutionOptions) {
    super();
    const { id, definition, state, expectedEpoch, head, priority, check, host } = options;
    this.#host = host;
    this.id = id;
    this.definition = definition;
    this.state = state;
    this.expectedEpoch = expectedEpoch;
    this.epoch = expectedEpoch + 1;
    this.head = head;
    this.priority = priority;
    const { concurrency, sequential } = state.program.definition;
    this.scheduling = new SchedulingEntry(this, sequential === true ? 1 : concurrency, priority);
    this.world = { value: (hash) => this.values.get(hash), check };
  }

  get isGone(): boolean {
    return this.activity === "gone";
  }

  post(happening: Happening): void {
    this.#host.post(this, happening);
  }

  onFault(error: unknown): void {
    this.#host.onFault(this, error);
  }

  /** An append is on its way that leads to this head. */
  onAppendSent(head: string): void {
    if (this.expectedEpoch !== this.epoch) (this.#takeoverHeads ??= new Set()).add(head);
  }

  /** The store has an append of this execution. */
  own(head: string): void {
    this.head = head;
    this.expectedEpoch = this.epoch;
    this.#takeoverHeads = undefined;
  }

  /**
   * Whether what the store has is ours to go on with: nobody has taken it over since it was found, or we have. That the
   * epoch is the one that we wanted says nothing by itself, because whoever was faster wanted the same.
   */
  isOurs(epoch: number, head: string): boolean {
    return epoch === this.expectedEpoch || (epoch === this.epoch && this.#takeoverHeads?.has(head) === true);
  }
}

/** Nothing of it is on its way to the store. */
export function isAtRest(live: LiveExecution | undefined): boolean {
  return live?.activity === "idle" || live?.activity === "scheduled";
}

/** Asked anew after every wait: it may have left meanwhile. */
export function isGone({ activity }: LiveExecution): boolean {
  return activity === "gone";
}
