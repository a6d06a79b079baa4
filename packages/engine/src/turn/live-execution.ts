// An execution that this process owns and holds in memory.

import type {
  ContentHash,
  EpochMs,
  ExecutionId,
  Happening,
  Json,
  JsonSchema,
  Reply,
  State,
  StoredValues,
} from "@segno/kernel";
import type { Agent } from "../agents/agent.ts";
import { SchedulerRecord } from "../scheduler/scheduler-record.ts";
import type { KeyClaim } from "../idempotency/keys.ts";
import type { Content } from "../store/store.ts";
import type { EventHistory } from "../store/none/event-history.ts";
import { ListNode } from "../collections/linked-list.ts";
import type { Delivery } from "./delivery.ts";
import { DeliveryQueue } from "./delivery-queue.ts";
import { ExecutionValues } from "../attempts/execution-values.ts";
import { RunningAttempts } from "../attempts/running-attempts.ts";
import type { AttemptExecution, StepAttempt } from "../attempts/step-attempt.ts";
import type { Turn } from "./turn.ts";
import type { ExecutionTimer } from "./execution-timer.ts";

/** The stage of an execution in the turn loop. */
export type TurnStage =
  | "idle"
  /** A delivery has arrived and the turn begins soon (`turn-queue.ts`); further deliveries join that turn. */
  | "turn-queued"
  | "deciding"
  /** The decision needs stored values, which are being loaded. */
  | "loading"
  | "committing"
  /** The turn is durable and its effects are performed. */
  | "performing"
  /** A commit or a read failed; the execution waits for the reconciler. */
  | "faulted"
  /** The execution has left memory. */
  | "gone";

/** The turn loop, as far as an execution calls it. */
export interface ExecutionHost {
  /** Checks a value against a schema. */
  readonly checkSchema: StoredValues["checkSchema"];
  enqueue(execution: LiveExecution, happening: Happening): void;
  deliver(execution: LiveExecution, delivery: Delivery): void;
  onFault(execution: LiveExecution, error: unknown): void;
}

export interface LiveExecutionOptions {
  readonly id: ExecutionId;
  readonly definition: ContentHash;
  readonly state: State;
  /** The lease epoch in the store; 0 if the store does not know the execution yet. */
  readonly expectedEpoch: number;
  readonly head: string;
  readonly priority: number;
}

/**
 * Left by the start of the execution in this process, until the first append is durable: the append includes the
 * definitions and the claim of the key.
 */
export interface StartContents {
  readonly definitions: readonly Content[];
  readonly keyClaim: KeyClaim | undefined;
  /** The input, which `start` has checked; absent if another process posted the start. */
  readonly input?: Json;
}

/** An execution that left memory has ended, or another process owns it: its attempts no longer count. */
const GONE: Reply = Object.freeze({ kind: "ignored", reason: "stale", status: "none" });

/** As a list node, it is in the list of idle executions. */
export class LiveExecution extends ListNode implements AttemptExecution {
  readonly #host: ExecutionHost;
  readonly id: ExecutionId;
  readonly definition: ContentHash;
  readonly priority: number;
  /** The stored values that are in memory. */
  readonly values: ExecutionValues;
  state: State;
  /**
   * The epoch of this owner's appends, not to be confused with the epochs of its steps. The store has it from the first
   * accepted append on (LEASE-3).
   */
  readonly leaseEpoch: number;
  /** The lease epoch that the store has now. The store refuses an append if it has another one. */
  expectedEpoch: number;
  /** The hash of the last durable block. */
  head: string;
  turnStage: TurnStage = "idle";
  turn: Turn<LiveExecution> | undefined;
  /** When the execution joined the list of idle executions; undefined while it is not idle. */
  idleSince: EpochMs | undefined = undefined;
  readonly deliveries: DeliveryQueue = new DeliveryQueue();
  readonly schedulerRecord: SchedulerRecord<LiveExecution>;
  readonly attempts: RunningAttempts<StepAttempt>;
  readonly timers: Map<number, ExecutionTimer<LiveExecution>> = new Map();
  /** The events of the execution if there is no store. */
  history: EventHistory | undefined;
  /**
   * The functions passed to `start` in this process; a recovered execution uses those of registered workflows. Agents of
   * the engine have precedence over both.
   */
  agents: ReadonlyMap<string, Agent> | undefined;
  /** Contents that the first append must include. */
  startContents: StartContents | undefined;
  /** The heads of first appends that were sent and not confirmed; one of them may be in the store (`store.ts`). */
  #unconfirmedHeads: Set<string> | undefined;

  constructor(options: LiveExecutionOptions, host: ExecutionHost) {
    super();
    const { id, definition, state, expectedEpoch, head, priority } = options;
    this.#host = host;
    this.id = id;
    this.definition = definition;
    this.state = state;
    this.expectedEpoch = expectedEpoch;
    this.leaseEpoch = expectedEpoch + 1;
    this.head = head;
    this.priority = priority;
    const { concurrency, sequential } = state.program.definition;
    this.schedulerRecord = new SchedulerRecord(this, sequential === true ? 1 : concurrency, priority);
    this.attempts = new RunningAttempts(this.schedulerRecord);
    this.values = new ExecutionValues((schema, value) =>
      this.#isCheckedInput(schema, value) ? [] : host.checkSchema(schema, value),
    );
  }

  /** Whether `start` has checked this value against this schema: an input is checked once (DATA-3). */
  #isCheckedInput(schema: JsonSchema, value: Json): boolean {
    return this.startContents?.input === value && this.state.program.definition.input === schema;
  }

  /** The execution leaves memory. */
  leave(): void {
    this.turnStage = "gone";
    this.attempts.close();
  }

  enqueue(happening: Happening): void {
    this.#host.enqueue(this, happening);
  }

  post(happening: Happening): Promise<Reply> {
    if (this.turnStage === "gone") return Promise.resolve(GONE);
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#host.deliver(this, { happening, resolve, reject });
    return promise;
  }

  onFault(error: unknown): void {
    this.#host.onFault(this, error);
  }

  /** An append that leads to this head was sent. */
  onAppendSent(head: string): void {
    if (this.expectedEpoch !== this.leaseEpoch) (this.#unconfirmedHeads ??= new Set()).add(head);
  }

  /** An append of this owner is in the store. */
  onAppendDurable(head: string): void {
    this.head = head;
    this.expectedEpoch = this.leaseEpoch;
    this.#unconfirmedHeads = undefined;
  }

  /**
   * Whether this process still owns the stored execution. True if the store still has the epoch from before our first
   * append, or if it has our epoch and a head that we sent. Our epoch alone is no proof: a competitor that takes over
   * from the same epoch uses the same next number.
   */
  isOurs(storedEpoch: number, storedHead: string): boolean {
    return (
      storedEpoch === this.expectedEpoch ||
      (storedEpoch === this.leaseEpoch && this.#unconfirmedHeads?.has(storedHead) === true)
    );
  }
}

/** No load or append of the execution is in flight. */
export function isQuiescent(live: LiveExecution | undefined): boolean {
  return live?.turnStage === "idle" || live?.turnStage === "turn-queued";
}

/** A function, so that the check is repeated after every `await`: the execution may have left memory meanwhile. */
export function isGone({ turnStage }: LiveExecution): boolean {
  return turnStage === "gone";
}
