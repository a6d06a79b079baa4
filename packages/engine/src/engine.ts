// The engine: the composition root, and the face that programs see.

import { canonicalJson, createSchemaCheck } from "@segno/contract";
import {
  executionId,
  isTerminalStatus,
  SegnoError,
  snapshotOf,
  type Definition,
  type ExecutionId,
  type ExecutionSnapshot,
  type ExecutionStatus,
  type Failure,
  type Json,
  type State,
  type Value,
} from "@segno/kernel";
import type { Environment } from "./clock/environment.ts";
import { SystemEnvironment } from "./clock/system-environment.ts";
import { Bus, type WatchFilter, type WatchHandler } from "./events/bus.ts";
import type { WatchEvent } from "./events/watch-event.ts";
import type { CancelOptions, ExecutionHandle, Reception } from "./execution-handle.ts";
import { Executions, type Arrival } from "./executions.ts";
import { Intake, newExecution } from "./inbox/intake.ts";
import { checkKey, KEY_LIFE_MS, KEY_SWEEP_MS } from "./idempotency/token.ts";
import { readJournal } from "./recovery/read-journal.ts";
import { Registry, type BuiltWorkflow, type RegisteredWorkflow } from "./registry.ts";
import { functionAgent, type Agent, type AgentFunction } from "./runners/agent.ts";
import { FunctionRunner } from "./runners/function-runner.ts";
import { SCHEDULER_LIMITS, type SchedulerLimits } from "./scheduler/scheduler.ts";
import type { Page, Query, Store } from "./store/store.ts";
import type { StoreAdmin } from "./store/store-admin.ts";
import { NoStore } from "./stores/none/no-store.ts";
import { hashOf } from "./turn/seal.ts";
import { creationOf, happeningOf, type ExecutionWish, type StartWish } from "./wish.ts";

export interface EngineOptions {
  /** Where journals are kept; a SQLite file when it is absent. */
  readonly store?: (Store & Partial<StoreAdmin>) | "none";
  /** The SQLite file; `.segno/segno.db` when it is absent. */
  readonly file?: string;
  /** `relaxed` may lose the last commits when the power fails, never when only the process does (JOURNAL-5). */
  readonly durability?: "full" | "relaxed";
  /** Who may write to the store. Without it this engine is the only one. */
  readonly ownership?: Ownership;
  /** `readOnly` looks and never writes; `post` also posts wishes; `own` goes on with what is unfinished. */
  readonly mode?: "own" | "post" | "readOnly";
  readonly workflows?: readonly (Definition | BuiltWorkflow)[];
  readonly agents?: Readonly<Record<string, AgentFunction | Agent>>;
  readonly limits?: Partial<EngineLimits>;
  readonly environment?: Environment;
  /** How often to look for what others posted; never when it is absent. */
  readonly pollMs?: number;
  /** Told of faults and of executions that were set aside. */
  readonly onFault?: (error: unknown, executionId: string | undefined) => void;
}

type StoredOptions = Omit<EngineOptions, "store"> & { readonly store: Store & Partial<StoreAdmin> };

const FILE_DEFAULT = ".segno/segno.db";
const POLL_MS = 100;

async function withStore(options: EngineOptions, store: EngineOptions["store"]): Promise<StoredOptions> {
  if (store === undefined) return withFile(options);
  return { ...options, store: store === "none" ? new NoStore() : store };
}

/** The embedded store. It is loaded only when it is wanted: a test on a store of its own never opens a file. */
async function withFile(options: EngineOptions): Promise<StoredOptions> {
  const { file = FILE_DEFAULT, durability = "full", pollMs = POLL_MS } = options;
  const [{ openSqliteStore }, { Ownership: FileOwnership }] = await Promise.all([
    import("./stores/sqlite/sqlite-store.ts"),
    import("./stores/sqlite/ownership.ts"),
  ]);
  const store = await openSqliteStore(file, { durability });
  return { ...options, pollMs, store, ownership: new FileOwnership(file) };
}

export interface Ownership {
  tryOwn(): boolean;
  release(): void;
}

export interface EngineLimits extends SchedulerLimits {
  /** Executions in memory; a start beyond them waits. */
  readonly liveExecutions: number;
}

export interface StartOptions {
  readonly id?: string;
  readonly idempotencyKey?: string;
  readonly priority?: number;
  readonly correlationId?: string;
}

/** The input of a built workflow has its type; one that may be null may be left out. */
export type StartArguments<Given> = null extends Given
  ? [input?: Given, options?: StartOptions]
  : [input: Given, options?: StartOptions];

/** The workflow ended otherwise than by completing. */
export class ExecutionError extends SegnoError {
  override readonly name: string = "ExecutionError";
  readonly executionId: string;
  readonly failure: Failure | undefined;

  constructor(code: "EXECUTION_FAILED" | "EXECUTION_CANCELLED", id: string, message: string, failure?: Failure) {
    super(code, message);
    this.executionId = id;
    this.failure = failure;
  }
}

const UNFINISHED: readonly ExecutionStatus[] = [
  "pending",
  "validating",
  "running",
  "paused",
  "parked",
  "failing",
  "cancelling",
];
const PAGE = 200;
const FOLLOW_MS = 50;
const CLAIM_AGAIN_MS = 1000;

export class Engine implements AsyncDisposable {
  readonly #options: StoredOptions;
  readonly #environment: Environment;
  readonly #registry = new Registry();
  readonly #runner: FunctionRunner;
  readonly #bus: Bus;
  readonly #executions: Executions;
  readonly #intake: Intake;
  /** Starts with the same key or id wait for each other. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #waitingStarts: (() => void)[] = [];
  readonly #liveMax: number;
  #isOwner = false;
  #isRecovered = false;
  #isClosed = false;

  private constructor(options: StoredOptions) {
    this.#options = options;
    this.#environment = options.environment ?? new SystemEnvironment();
    this.#runner = new FunctionRunner(this.#registry.agents);
    const report = (error: unknown, id?: ExecutionId): void => options.onFault?.(error, id);
    this.#bus = new Bus(this.#environment, (error) => report(error));
    this.#liveMax = options.limits?.liveExecutions ?? 10_000;
    this.#executions = new Executions({
      store: options.store,
      environment: this.#environment,
      registry: this.#registry,
      runner: this.#runner,
      bus: this.#bus,
      limits: { ...SCHEDULER_LIMITS, ...options.limits },
      check: createSchemaCheck(),
      report,
      putBack: (messages) => this.#intake.putBack(messages),
      left: () => this.#waitingStarts.shift()?.(),
    });
    this.#intake = new Intake({
      executions: this.#executions,
      registry: this.#registry,
      environment: this.#environment,
      store: options.store,
      report,
      inTurn: (name, work) => this.#inTurn(name, work),
    });
    for (const workflow of options.workflows ?? []) this.register(workflow);
    for (const [name, agent] of Object.entries(options.agents ?? {})) this.agent(name, agent);
  }

  static async open(options: EngineOptions = {}): Promise<Engine> {
    const { store } = options;
    const engine = new Engine(await withStore(options, store));
    try {
      await engine.#begin();
    } catch (error) {
      // Nothing of a half-open engine goes on, and another process may own the store.
      await engine.close();
      throw error;
    }
    return engine;
  }

  get isOwner(): boolean {
    return this.#isOwner;
  }

  /** Why nothing is claimed at the moment, if nothing is. */
  get trouble(): unknown {
    return this.#executions.trouble;
  }

  /** What it holds in memory, for those who check it. */
  get internals(): Executions {
    return this.#executions;
  }

  register(workflow: Definition | BuiltWorkflow): RegisteredWorkflow {
    const registered = this.#registry.register(workflow);
    this.#executions.agentsChanged();
    return registered;
  }

  agent(name: string, agent: AgentFunction | Agent): void {
    this.#registry.agents.set(name, typeof agent === "function" ? functionAgent(agent) : agent);
    this.#executions.agentsChanged();
  }

  async start(workflow: Definition | string, input?: Json, options?: StartOptions): Promise<ExecutionHandle>;
  async start<Given, Output>(
    workflow: BuiltWorkflow<Given, Output>,
    ...rest: StartArguments<NoInfer<Given>>
  ): Promise<ExecutionHandle<Output>>;
  async start(
    workflow: Definition | BuiltWorkflow | string,
    given: Json = null,
    options: StartOptions = {},
  ): Promise<ExecutionHandle> {
    this.#assertOpen();
    const registered = typeof workflow === "string" ? this.#registry.workflow(workflow) : this.register(workflow);
    if (registered === undefined)
      throw new SegnoError("WORKFLOW_UNKNOWN", `no workflow \`${String(workflow)}\` is registered`);
    const input = registered.validate === undefined ? given : await registered.validate(given);
    const { idempotencyKey: key, id } = options;
    const begin = (): Promise<ExecutionHandle> => this.#startNow(registered, input, options);
    const beginWithId = id === undefined ? begin : (): Promise<ExecutionHandle> => this.#inTurn(`id ${id}`, begin);
    if (key === undefined) return beginWithId();
    checkKey(key);
    return this.#inTurn(`key ${key}`, async () => (await this.#join(registered, input, key)) ?? (await beginWithId()));
  }

  /** One after another: whoever comes second finds what the first one did, and finds it durable. */
  async #inTurn<Outcome>(name: string, work: () => Promise<Outcome>): Promise<Outcome> {
    const before = this.#turns.get(name) ?? Promise.resolve();
    const mine = before.then(work);
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(name, settled);
    try {
      return await mine;
    } finally {
      if (this.#turns.get(name) === settled) this.#turns.delete(name);
    }
  }

  async #startNow(registered: RegisteredWorkflow, input: Json, options: StartOptions): Promise<ExecutionHandle> {
    this.#assertOpen();
    const id = executionId(options.id ?? this.#environment.id());
    if (options.id !== undefined && (await this.#exists(id)))
      throw new SegnoError("EXECUTION_EXISTS", `there is an execution ${id} already`);
    const wish: StartWish = {
      kind: "start",
      workflow: registered.definition.name,
      definition: registered.hash,
      input,
      seed: this.#environment.seed(),
      correlationId: options.correlationId ?? id,
      priority: options.priority ?? 0,
    };
    if (!this.#isOwner) return this.#postStart(id, wish, registered);
    await this.#roomForOne();
    await this.#create(id, wish, registered, options.idempotencyKey);
    return this.#handle(id);
  }

  async get(id: string): Promise<ExecutionHandle> {
    this.#assertOpen();
    if (!(await this.#exists(executionId(id))))
      throw new SegnoError("EXECUTION_UNKNOWN", `there is no execution ${id}`);
    return this.#handle(executionId(id));
  }

  async list(filter: Partial<Query> = {}): Promise<Page> {
    this.#assertOpen();
    return this.#options.store.find({ limit: PAGE, ...filter });
  }

  subscribe(filter: WatchFilter, handler: WatchHandler): () => void {
    return this.#bus.subscribe(filter, handler);
  }

  /** Reads an execution's journal and checks its chain (JOURNAL-4). */
  async verify(id: string): Promise<{ readonly ok: boolean; readonly events: number; readonly reason?: string }> {
    const loaded = await this.#options.store.load(executionId(id));
    if (loaded === undefined) throw new SegnoError("EXECUTION_UNKNOWN", `there is no execution ${id}`);
    if (loaded.kind === "unreadable") return { ok: false, events: 0, reason: loaded.reason };
    const journal = readJournal(loaded);
    return journal.kind === "journal"
      ? { ok: true, events: journal.events.length }
      : { ok: false, events: 0, reason: journal.reason };
  }

  /** What runs may end for so long; then everything is let go. What is unfinished goes on when an engine opens again. */
  async close(options: { readonly drainMs?: number } = {}): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (options.drainMs !== undefined) await this.#drain(options.drainMs);
    this.#executions.close();
    this.#runner.abandonAll("the engine was closed");
    this.#environment.alarm(undefined, () => undefined);
    for (const wake of this.#waitingStarts.splice(0)) wake();
    // What is on its way to the store arrives before anybody else owns it.
    await this.#executions.committed();
    this.#options.ownership?.release();
    await this.#options.store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #drain(drainMs: number): Promise<void> {
    await Promise.race([this.#idle(), this.#executions.sleep(drainMs)]);
  }

  /** What ran has ended, and its outcome is durable. */
  async #idle(): Promise<void> {
    await this.#runner.idle();
    await this.#executions.committed();
    if (this.#runner.isBusy) await this.#idle();
  }

  async #begin(): Promise<void> {
    const mode = this.#options.mode ?? "own";
    this.#isOwner = mode === "own" && (this.#options.ownership?.tryOwn() ?? true);
    if (this.#isOwner) await this.#recover();
    if (this.#isClosed) return;
    this.#executions.after(KEY_SWEEP_MS, () => void this.#sweep());
    if (this.#options.pollMs !== undefined) this.#executions.after(this.#options.pollMs, () => void this.#poll());
  }

  /** Loads what is due now, and makes a note of when the rest will be. */
  async #recover(): Promise<void> {
    await this.#intake.take();
    let cursor: string | undefined;
    do {
      const page: Page = await this.#options.store.find({
        status: UNFINISHED,
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const { id, projection, quarantined } of page.executions) {
        if (quarantined === undefined) await this.#wake(id, projection.wakeAt);
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
    this.#isRecovered = true;
  }

  async #wake(id: ExecutionId, wakeAt: number | null): Promise<void> {
    if (wakeAt === null) return;
    const inMs = wakeAt - this.#environment.now();
    if (inMs <= 0) await this.#claim(id);
    else this.#executions.wake(id, inMs, () => void this.#claim(id));
  }

  async #claim(id: ExecutionId): Promise<void> {
    try {
      if (!this.#isClosed) await this.#executions.claim(id);
    } catch (error) {
      this.#options.onFault?.(error, id);
      this.#executions.wake(id, CLAIM_AGAIN_MS, () => void this.#claim(id));
    }
  }

  async #poll(): Promise<void> {
    if (this.#isClosed) return;
    try {
      if (!this.#isOwner && (this.#options.mode ?? "own") === "own" && this.#options.ownership?.tryOwn() === true) {
        this.#isOwner = true;
      }
      // A recovery that failed is begun again, until everything that is unfinished was looked at.
      if (this.#isOwner && !this.#isRecovered) await this.#recover();
      else if (this.#isOwner) await this.#intake.take();
    } catch (error) {
      this.#options.onFault?.(error, undefined);
    }
    if (!this.#isClosed) this.#executions.after(this.#options.pollMs!, () => void this.#poll());
  }

  async #sweep(): Promise<void> {
    if (this.#isClosed) return;
    try {
      if (this.#isOwner) await this.#options.store.sweepKeys?.((this.#environment.now() - KEY_LIFE_MS) as never);
    } catch (error) {
      this.#options.onFault?.(error, undefined);
    }
    if (!this.#isClosed) this.#executions.after(KEY_SWEEP_MS, () => void this.#sweep());
  }

  /** Resolves when the execution is durable and has begun. */
  async #create(
    id: ExecutionId,
    wish: StartWish,
    registered: RegisteredWorkflow,
    key: string | undefined,
  ): Promise<void> {
    const execution = newExecution(id, wish, registered, this.#registry);
    this.#executions.create(execution);
    const payload = payloadOf(wish.workflow, wish.input);
    execution.firstAppend = {
      definitions: [{ hash: registered.hash, body: registered.text }],
      idempotency: key === undefined ? undefined : { key, payload },
    };
    const { create, begin } = creationOf(id, wish, this.#environment.now());
    execution.inbox.push({ happening: create });
    await new Promise<void>((resolve, reject) =>
      this.#executions.deliver(execution, { happening: begin, answer: () => resolve(), refuse: reject }),
    );
  }

  async #postStart(id: ExecutionId, wish: StartWish, registered: RegisteredWorkflow): Promise<ExecutionHandle> {
    this.#assertMayPost();
    const definitions = [{ hash: registered.hash, body: registered.text }];
    await this.#options.store.post({
      execution: id,
      body: JSON.stringify(wish),
      postedAt: this.#environment.now(),
      definitions,
    });
    return this.#handle(id);
  }

  #assertMayPost(): void {
    if (this.#options.mode === "readOnly")
      throw new SegnoError("ENGINE_NOT_OWNER", "this engine was opened `readOnly`");
  }

  async #roomForOne(): Promise<void> {
    while (this.#executions.liveCount >= this.#liveMax)
      await new Promise<void>((resolve) => this.#waitingStarts.push(resolve));
    this.#assertOpen();
  }

  /** IDEM-1, IDEM-2: the execution that a key already stands for. */
  async #join({ definition }: RegisteredWorkflow, input: Json, key: string): Promise<ExecutionHandle | undefined> {
    const payload = payloadOf(definition.name, input);
    const known = await this.#storedKey(key);
    if (known === undefined) return undefined;
    if (known.payload !== payload)
      throw new SegnoError("IDEMPOTENCY_CONFLICT", `the key ${key} is in use for another workflow or input`);
    return this.#handle(known.id);
  }

  async #storedKey(key: string): Promise<{ readonly id: ExecutionId; readonly payload: string } | undefined> {
    const [found] = (await this.#options.store.find({ idempotencyKey: key, limit: 1 })).executions;
    if (found?.idempotency === undefined) return undefined;
    const { status, updatedAt } = found.projection;
    if (status === "failed" || status === "cancelled") return undefined;
    if (status === "completed" && this.#environment.now() - updatedAt > KEY_LIFE_MS) return undefined;
    return { id: found.id, payload: found.idempotency.payload };
  }

  async #exists(id: ExecutionId): Promise<boolean> {
    return (
      this.#executions.live(id) !== undefined ||
      this.#executions.remembered(id) !== undefined ||
      (await this.#options.store.load(id)) !== undefined
    );
  }

  #handle(id: ExecutionId): ExecutionHandle {
    return {
      id,
      result: () => this.#result(id),
      status: () => this.#status(id),
      events: () => this.#events(id),
      cancel: (options: CancelOptions = {}) => this.#wish(id, cancelWish(options)),
      pause: () => this.#wish(id, { kind: "pause" }),
      resume: () => this.#wish(id, { kind: "resume" }),
      retry: () => this.#wish(id, { kind: "retry" }),
      signal: (name, payload = null, options = {}) =>
        this.#wish(id, { kind: "signal", id: options.id ?? this.#environment.id(), name, payload }),
    };
  }

  async #wish(id: ExecutionId, wish: ExecutionWish): Promise<Reception> {
    this.#assertOpen();
    if (!this.#isOwner) {
      this.#assertMayPost();
      await this.#options.store.post({ execution: id, body: JSON.stringify(wish), postedAt: this.#environment.now() });
      return { kind: "posted" };
    }
    const happening = happeningOf(wish, this.#environment.now());
    return new Promise((resolve, reject) => {
      const missed = (arrival: Arrival): void => {
        if (arrival !== "here") reject(this.#isClosed ? engineClosed() : notHere(id, arrival));
      };
      this.#executions.deliverTo(id, { happening, answer: resolve, refuse: reject }).then(missed, reject);
    });
  }

  async #status(id: ExecutionId): Promise<ExecutionSnapshot> {
    return snapshotOf(await this.#stateOf(id));
  }

  async #stateOf(id: ExecutionId): Promise<State> {
    const state = await this.#executions.stateOf(id);
    if (state === undefined) throw new SegnoError("EXECUTION_UNKNOWN", `there is no execution ${id}`);
    return state;
  }

  async #result(id: ExecutionId): Promise<Json> {
    const state = await this.#ended(id);
    const { failure } = state.failure ?? {};
    if (state.base === "failed")
      throw new ExecutionError(
        "EXECUTION_FAILED",
        id,
        `the execution ${id} failed: ${failure?.message ?? ""}`,
        failure,
      );
    if (state.base === "cancelled")
      throw new ExecutionError("EXECUTION_CANCELLED", id, `the execution ${id} was cancelled`);
    return this.#valueOf(id, state.result);
  }

  async #valueOf(id: ExecutionId, value: Value | undefined): Promise<Json> {
    if (value?.kind !== "stored") return value?.kind === "inline" ? value.json : null;
    const body = (await this.#options.store.contents({ kind: "values", execution: id, hashes: [value.hash] })).get(
      value.hash,
    );
    return body === undefined ? null : (JSON.parse(body) as Json);
  }

  /** Waits for the end, in this process or in the one that owns the execution. */
  async #ended(id: ExecutionId): Promise<State> {
    for (;;) {
      this.#assertOpen();
      if (this.#executions.live(id) !== undefined) {
        const ended = await new Promise<State | undefined>((resolve) => this.#executions.onEnd(id, resolve));
        if (ended !== undefined) return ended;
        continue;
      }
      const state = await this.#stateOf(id).catch((error: unknown) => this.#notYet(error));
      if (state !== undefined && isTerminalStatus(state.base)) return state;
      if (this.#executions.live(id) === undefined) await this.#executions.sleep(FOLLOW_MS);
    }
  }

  /** A start that was posted is not there until its owner has taken it. */
  #notYet(error: unknown): undefined {
    if (!this.#isOwner && error instanceof SegnoError && error.code === "EXECUTION_UNKNOWN") return undefined;
    throw error;
  }

  /** From the store, then as it happens; from the store again whenever something is missing. */
  async *#events(id: ExecutionId): AsyncGenerator<WatchEvent> {
    const waiting: WatchEvent[] = [];
    let wake = (): void => undefined;
    const stop = this.#bus.subscribe({ executionId: id }, ({ events }) => {
      waiting.push(...events);
      wake();
    });
    try {
      for (let seq = 0; ;) {
        this.#assertOpen();
        let last: WatchEvent | undefined;
        for (const event of (await this.#executions.journals.history(id)) ?? []) {
          last = event;
          if (event.seq > seq) yield event;
          seq = Math.max(seq, event.seq);
        }
        if (last !== undefined && isEnd(last)) return;
        while (this.#executions.live(id) !== undefined || waiting.length > 0) {
          const event = waiting.shift();
          if (event === undefined) {
            await new Promise<void>((resolve) => {
              wake = resolve;
              this.#executions.onEnd(id, () => resolve());
            });
            continue;
          }
          if (event.seq <= seq) continue;
          if (event.seq > seq + 1) break;
          seq = event.seq;
          yield event;
          if (isEnd(event)) return;
        }
        await this.#executions.sleep(FOLLOW_MS);
      }
    } finally {
      stop();
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) throw engineClosed();
  }
}

function engineClosed(): SegnoError {
  return new SegnoError("ENGINE_CLOSED", "the engine is closed");
}

function notHere(id: ExecutionId, arrival: Exclude<Arrival, "here">): SegnoError {
  return arrival === "unknown"
    ? new SegnoError("EXECUTION_UNKNOWN", `there is no execution ${id}`)
    : new SegnoError("STORE_CORRUPT", `the execution ${id} was set aside; \`verify\` says why`);
}

function isEnd({ kind }: WatchEvent): boolean {
  return kind === "execution.completed" || kind === "execution.failed" || kind === "execution.cancelled";
}

function payloadOf(workflow: string, input: Json): ReturnType<typeof hashOf> {
  return hashOf({ workflow, input: canonicalInput(input) });
}

/** The same input whatever the order of its keys. */
function canonicalInput(input: Json): Json {
  return canonicalJson(input);
}

function cancelWish({ mode = "abort", reason = "cancelled", graceMs, compensate }: CancelOptions): ExecutionWish {
  return {
    kind: "cancel",
    mode,
    reason,
    ...(graceMs === undefined ? {} : { graceMs }),
    ...(compensate === undefined ? {} : { compensate }),
  };
}
