// The engine: the composition root, and the face that programs see.

import { canonicalJson, createSchemaCheck } from "@segno/contract";
import { executionId, SegnoError, type Definition, type ExecutionId, type Json } from "@segno/kernel";
import type { Environment } from "./clock/environment.ts";
import { SystemEnvironment } from "./clock/system-environment.ts";
import { Bus, type WatchFilter, type WatchHandler } from "./events/bus.ts";
import type { CancelOptions, ExecutionHandle, Reception } from "./execution-handle.ts";
import {
  withStore,
  type EngineOptions,
  type StartArguments,
  type StartOptions,
  type StoredOptions,
} from "./engine-options.ts";
import { Following } from "./following.ts";
import { Sequence } from "./sequence.ts";
import { Executions, type Arrival } from "./executions.ts";
import { Intake } from "./inbox/intake.ts";
import { checkKey, KEY_LIFE_MS } from "./idempotency/token.ts";
import { readJournal } from "./recovery/read-journal.ts";
import { Tenure } from "./recovery/tenure.ts";
import { Registry, type BuiltWorkflow, type RegisteredWorkflow } from "./registry.ts";
import { functionAgent, type Agent, type AgentFunction } from "./runners/agent.ts";
import { FunctionRunner } from "./runners/function-runner.ts";
import { SCHEDULER_LIMITS } from "./scheduler/scheduler.ts";
import type { Page, Query } from "./store/store.ts";
import { hashOf } from "./turn/seal.ts";
import { creationOf, happeningOf, type ExecutionWish, type StartWish } from "./wish.ts";

const PAGE = 200;

export class Engine implements AsyncDisposable {
  readonly #options: StoredOptions;
  readonly #environment: Environment;
  readonly #registry = new Registry();
  readonly #runner: FunctionRunner;
  readonly #bus: Bus;
  readonly #executions: Executions;
  readonly #intake: Intake;
  /** Starts with the same key or id wait for each other. */
  readonly #sequence = new Sequence();
  readonly #following: Following;
  readonly #tenure: Tenure;
  readonly #waitingStarts: (() => void)[] = [];
  readonly #liveMax: number;
  #isClosed = false;

  private constructor(options: StoredOptions) {
    this.#options = options;
    this.#environment = options.environment ?? new SystemEnvironment();
    this.#runner = new FunctionRunner(this.#registry.agents, this.#environment);
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
      environment: this.#environment,
      store: options.store,
      report,
      inTurn: (name, work) => this.#sequence.run(name, work),
    });
    this.#tenure = new Tenure({
      options,
      executions: this.#executions,
      intake: this.#intake,
      environment: this.#environment,
      isClosed: () => this.#isClosed,
    });
    this.#following = new Following({
      executions: this.#executions,
      store: options.store,
      bus: this.#bus,
      isOwner: () => this.#tenure.isOwner,
      assertOpen: () => this.#assertOpen(),
    });
    for (const workflow of options.workflows ?? []) this.register(workflow);
    for (const [name, agent] of Object.entries(options.agents ?? {})) this.agent(name, agent);
  }

  static async open(options: EngineOptions = {}): Promise<Engine> {
    const engine = new Engine(await withStore(options));
    try {
      await engine.#tenure.begin();
    } catch (error) {
      // Nothing of a half-open engine goes on, and another process may own the store.
      await engine.close();
      throw error;
    }
    return engine;
  }

  get isOwner(): boolean {
    return this.#tenure.isOwner;
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
    const registered = typeof workflow === "string" ? this.#named(workflow) : this.register(workflow);
    const input = registered.validate === undefined ? given : await registered.validate(given);
    const { idempotencyKey: key, id } = options;
    const begin = (): Promise<ExecutionHandle> => this.#startNow(registered, input, options);
    const beginWithId =
      id === undefined ? begin : (): Promise<ExecutionHandle> => this.#sequence.run(`id ${id}`, begin);
    if (key === undefined) return beginWithId();
    checkKey(key);
    return this.#sequence.run(
      `key ${key}`,
      async () => (await this.#join(registered, input, key)) ?? (await beginWithId()),
    );
  }

  #named(workflow: string): RegisteredWorkflow {
    const registered = this.#registry.workflow(workflow);
    if (registered === undefined) throw new SegnoError("WORKFLOW_UNKNOWN", `no workflow \`${workflow}\` is registered`);
    return registered;
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
    if (!this.#tenure.isOwner) return this.#postStart(id, wish, registered);
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

  /** Resolves when the execution is durable and has begun. */
  async #create(
    id: ExecutionId,
    wish: StartWish,
    registered: RegisteredWorkflow,
    key: string | undefined,
  ): Promise<void> {
    const execution = this.#executions.create(id, registered.hash, registered.program, wish.priority);
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
      result: () => this.#following.result(id),
      status: () => this.#following.status(id),
      events: () => this.#following.events(id),
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
    if (!this.#tenure.isOwner) {
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
