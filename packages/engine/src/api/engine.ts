// The engine: the public API, and the composition root that wires all parts.

import type { CheckedInput } from "@segno/contract";
import { SegnoError, type Definition, type Failure, type ExecutionId, type Json, type Program } from "@segno/kernel";
import { StoreMaintenance, type Verification } from "./store-maintenance.ts";
import type { CheckedPart } from "./checking/store-check.ts";
import { assertNotAborted, cancelOn } from "../inbox/cancel-signal.ts";
import { CallbackLimit } from "../checks/callback-limit.ts";
import { validInput } from "../registry/valid-input.ts";
import type { Environment } from "../clock/environment.ts";
import { SystemEnvironment } from "../clock/system-environment.ts";
import {
  ENGINE_LIMITS,
  withStore,
  type EngineLimits,
  type EngineOptions,
  type StoredOptions,
} from "./engine-options.ts";
import { notOwnerError, readOnlyError } from "./not-owner-error.ts";
import { enginePorts, type EnginePorts } from "./engine-ports.ts";
import { Bus, type WatchFilter, type WatchHandler } from "../events/bus.ts";
import { faultReports, logEvents, engineLogger, tellers } from "../events/engine-logger.ts";
import type { FaultReports } from "../events/fault-reports.ts";
import type { ExecutionHandle } from "./execution-handle.ts";
import { Executions } from "../executions/executions.ts";
import { ExecutionQueries, type LogOptions } from "./execution-queries.ts";
import { EngineHandle, type HandlePorts } from "./engine-handle.ts";
import { InboxPoller } from "../inbox/inbox-poller.ts";
import { Listing, type ExecutionList, type ListFilter } from "./listing.ts";
import { toExecutionId } from "../checks/names.ts";
import { OwnershipLoop } from "../ownership/ownership-loop.ts";
import { Registry, type BuiltWorkflow, type RegisteredWorkflow } from "../registry/registry.ts";
import { canRun, functionAgent, type Agent, type AgentFunction } from "../agents/agent.ts";
import { checkClose, type CloseOptions } from "./close-check.ts";
import { untilIdle } from "./until-idle.ts";
import { checkEngineOptions } from "./engine-options-check.ts";
import { givenOptions } from "../checks/option-rules.ts";
import { checkWatch } from "../events/watch-check.ts";
import { invalidOption } from "../checks/option-error.ts";
import { checkStartOptions } from "../inbox/start-options-check.ts";
import type { StartArguments, StartOptions } from "../inbox/start-options.ts";
import { openAttemptRuntime, type AttemptRuntime } from "../attempts/attempt-runtime.ts";
import { Masker } from "../secrets/masker.ts";
import { ExecutionStarter } from "../inbox/execution-starter.ts";
import type { LogListener } from "../logs/log-writer.ts";
import type { StoredLine } from "../store/step-logs.ts";
import type { Waiting } from "../why/reason.ts";
import { admissionsElsewhere } from "../why/reconstruction.ts";
import type { MessageId, NewMessage } from "../store/store.ts";
import { openExtensions, type EngineExtensions } from "./engine-extensions.ts";
import { CommandSender } from "../inbox/command-sender.ts";
import { unknownExecution } from "../checks/unknown-execution.ts";

export class Engine implements AsyncDisposable {
  readonly #options: StoredOptions;
  readonly #environment: Environment;
  readonly #registry = new Registry({
    onChange: () => this.#executions.agentsChanged(),
    isSequential: () => this.#options.strategy === "sequential",
  });
  readonly #callbacks: CallbackLimit;
  readonly #attemptRuntime: AttemptRuntime;
  readonly #bus: Bus;
  readonly #executions: Executions;
  readonly #inboxPoller: InboxPoller;
  readonly #queries: ExecutionQueries;
  readonly #ownershipLoop: OwnershipLoop;
  readonly #faults: FaultReports;
  readonly #starter: ExecutionStarter;
  readonly #commandSender: CommandSender;
  readonly #maintenance: StoreMaintenance;
  readonly #limits: EngineLimits;
  readonly #listing: Listing;
  /** Shared by all handles. */
  #handlePorts: HandlePorts | undefined;
  #extensions: EngineExtensions | undefined;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  private constructor(options: StoredOptions) {
    const { store, environment = new SystemEnvironment() } = options;
    this.#options = options;
    this.#environment = environment;
    this.#limits = { ...ENGINE_LIMITS, ...givenOptions(options.limits ?? {}) };
    const masker = new Masker();
    const logger = engineLogger(options, environment, masker);
    const { report } = (this.#faults = faultReports(options, logger, environment, masker));
    this.#callbacks = new CallbackLimit(options.callbackTimeoutMs, (ms, call) => this.#executions.after(ms, call));
    const runtimePorts = { environment, logger, masker, report: (error: unknown) => report(error, undefined) };
    const workflow = (name: string): Program | undefined => this.#registry.workflow(name)?.program;
    this.#attemptRuntime = openAttemptRuntime(options, { ...runtimePorts, limit: this.#callbacks, workflow });
    this.#listing = new Listing(store, environment);
    this.#bus = new Bus(environment, this.#callbacks, (error) => report(error, undefined));
    if (options.logger !== undefined) logEvents(this.#bus, logger);
    const ports = { ...enginePorts(options, environment, report), limits: this.#limits, scheduling: options };
    const executions = (this.#executions = new Executions({
      ...ports,
      registry: this.#registry,
      attemptRuntime: this.#attemptRuntime,
      bus: this.#bus,
      putBack: (messages) => this.#inboxPoller.nack(messages),
      onMessagesTaken: (messages) => this.#inboxPoller.ack(messages),
      onMemoryFull: () => this.#ownershipLoop.evictIdle(Math.ceil(this.#limits.liveExecutions / 10)),
      ...tellers(options, logger),
      onRemoved: () => this.#starter.notifyCapacity(),
      idle: () => this.#starter.notifyCapacity(),
    }));
    this.#inboxPoller = new InboxPoller({ ...ports, executions });
    this.#ownershipLoop = this.#newOwnershipLoop(ports);
    const shared = {
      ...ports,
      executions,
      now: () => environment.now(),
      isOwner: () => this.#ownershipLoop.isOwner,
      assertOpen: () => this.#assertOpen(),
      post: (message: NewMessage) => this.#post(message),
    };
    this.#queries = new ExecutionQueries({
      ...shared,
      bus: this.#bus,
      flushLogs: () => this.#attemptRuntime.logs.flush(),
      admissionsElsewhere: (id) => admissionsElsewhere({ ...shared, journals: executions.journals }, id),
    });
    this.#starter = new ExecutionStarter({
      ...shared,
      rest: (atMost) => this.#ownershipLoop.evictIdle(atMost),
      calledBy: (registered) => this.#registry.calledBy(registered),
      join: (id) => this.#ownershipLoop.adopt(id),
    });
    this.#commandSender = new CommandSender(shared);
    this.#maintenance = new StoreMaintenance({
      ...ports,
      executions,
      inboxPoller: this.#inboxPoller,
      assertOwner: () => this.#assertOwner(),
    });
    for (const definition of options.workflows ?? []) this.register(definition);
    for (const [name, agent] of Object.entries(options.agents ?? {})) this.agent(name, agent);
  }

  #newOwnershipLoop(ports: EnginePorts): OwnershipLoop {
    return new OwnershipLoop({
      ...ports,
      options: this.#options,
      executions: this.#executions,
      inboxPoller: this.#inboxPoller,
      endOrphans: () => this.#attemptRuntime.endOrphans(),
      isClosed: () => this.#isClosed,
    });
  }

  /** Opens an engine and its store. As the owner, it continues the unfinished executions of the store. */
  static async open(options: EngineOptions = {}): Promise<Engine> {
    checkEngineOptions(options);
    const engine = new Engine(await withStore(options));
    try {
      await engine.#ownershipLoop.begin();
    } catch (error) {
      // If opening fails, the engine closes: no part of it keeps running, and another process may own the store.
      await engine.close();
      throw error;
    }
    return engine;
  }

  /** Whether this process owns the store. Only an owner runs executions. */
  get isOwner(): boolean {
    return this.#ownershipLoop.isOwner;
  }

  /** The error that prevents this engine from owning the store or reading from it, if there is one. */
  get lastFault(): unknown {
    return this.#executions.lastFault;
  }

  /** Replaces every secret that this engine knows by `***`. It also works after `close` (DATA-9). */
  mask(text: string): string {
    return this.#attemptRuntime.mask.text(text);
  }

  /** The port that actions, batches, task engines and the command use beside the public methods. */
  get extensions(): EngineExtensions {
    return (this.#extensions ??= openExtensions(this.#executions, this.#options.store));
  }

  /** Registers a workflow under its name, so that `start` and sub-workflow steps can name it. */
  register(workflow: Definition | BuiltWorkflow): RegisteredWorkflow {
    return this.#registry.register(workflow);
  }

  /** Registers an agent. Executions that are parked because it was missing continue (FAIL-9). */
  agent(name: string, agent: AgentFunction | Agent): void {
    if (!canRun(agent)) throw invalidOption(name, "a function, or an agent with `execute`", agent);
    this.#registry.addAgent(name, typeof agent === "function" ? functionAgent(agent) : agent);
  }

  async start(
    workflow: Definition | string,
    input?: Json | CheckedInput,
    options?: StartOptions,
  ): Promise<ExecutionHandle>;
  /** Starts an execution of a built workflow, with typed input and output. */
  async start<Given, Output>(
    workflow: BuiltWorkflow<Given, Output>,
    ...rest: StartArguments<NoInfer<Given>>
  ): Promise<ExecutionHandle<Output>>;
  async start(
    workflow: Definition | BuiltWorkflow | string,
    given: Json | CheckedInput = null,
    options: StartOptions = {},
  ): Promise<ExecutionHandle> {
    this.#assertOpen();
    checkStartOptions(options);
    const registered = typeof workflow === "string" ? this.#findWorkflow(workflow) : this.register(workflow);
    const problem = this.#executions.admission.findProblem(registered.definition);
    if (problem !== undefined) throw new SegnoError("RESOURCE_TOO_LARGE", problem);
    this.#registry.assertEnds(registered);
    // Without a schema the engine copies the input before it awaits anything, because the caller may change the object
    // after the call.
    const input = registered.validate === undefined ? given : await validInput(registered, given, this.#callbacks);
    const { signal } = options;
    assertNotAborted(signal);
    const id = await this.#starter.start(registered, input, options);
    const handle = this.#handle(id);
    const report = (error: unknown): void => this.#faults.report(error, id);
    if (signal !== undefined) cancelOn(signal, handle, () => this.#queries.end(id), report);
    return handle;
  }

  /**
   * Checks before a start whether the secrets that a workflow names are available. Returns the failure if they are not.
   */
  async checkSecrets(workflow: Definition | BuiltWorkflow): Promise<Failure | undefined> {
    this.#assertOpen();
    return this.#attemptRuntime.secretProblem(this.register(workflow).program);
  }

  #findWorkflow(workflow: string): RegisteredWorkflow {
    const registered = this.#registry.workflow(workflow);
    if (registered === undefined) throw new SegnoError("WORKFLOW_UNKNOWN", `no workflow \`${workflow}\` is registered`);
    return registered;
  }

  /** A handle on an existing execution. Rejects with `EXECUTION_UNKNOWN` if there is none. */
  async get(id: string): Promise<ExecutionHandle> {
    this.#assertOpen();
    const known = toExecutionId(id);
    if (!(await this.#starter.exists(known))) throw unknownExecution(id);
    return this.#handle(known);
  }

  /** Lists executions, oldest first, one page at a time. */
  async list(filter: ListFilter = {}, cursor?: string): Promise<ExecutionList> {
    this.#assertOpen();
    return this.#listing.page(filter, cursor);
  }

  /** Calls `handler` with batches of events that match the filter (EVENT-2). Returns a function that unsubscribes. */
  subscribe(filter: WatchFilter, handler: WatchHandler): () => void {
    this.#assertOpen();
    checkWatch(filter, handler);
    return this.#bus.subscribe(filter, handler);
  }

  /** Checks one execution: its journal, the bodies that the journal names, and its row in the store (JOURNAL-4). */
  async verify(id: string): Promise<Verification> {
    this.#assertOpen();
    return this.#maintenance.verify(id);
  }

  /** Exports an execution as lines of JSON, for `import` into this or another store (JOURNAL-7). */
  export(id: string): AsyncIterable<string> {
    this.#assertOpen();
    return this.#maintenance.export(id);
  }

  /** Imports an exported execution and returns its id. If the execution has not ended, this engine continues it. */
  import(lines: AsyncIterable<string> | Iterable<string>): Promise<string> {
    return this.#maintenance.import(lines);
  }

  /**
   * Checks a quarantined execution and continues it if the check finds no damage. This is useful after the bug that
   * caused the quarantine is fixed (JOURNAL-6). Otherwise it rejects with `STORE_CORRUPT`, and the message says what is
   * damaged.
   */
  recover(id: string): Promise<void> {
    return this.#maintenance.recover(id);
  }

  /** Removes an ended execution with all its data. */
  remove(id: string): Promise<void> {
    return this.#maintenance.remove(id);
  }

  /**
   * Removes the input, the values and the logs of an ended execution. The events stay, with their times and failure
   * messages, and the hash chain still verifies (DATA-11).
   */
  removePayloads(id: string): Promise<void> {
    return this.#maintenance.removePayloads(id);
  }

  /** Writes a consistent copy of the store to a new file. */
  async backup(file: string): Promise<void> {
    this.#assertOpen();
    return this.#maintenance.backup(file);
  }

  /** Reads the log lines that the steps of an execution wrote. With `follow` it continues until the execution ends. */
  async *logs(id: string, options: LogOptions = {}): AsyncGenerator<StoredLine> {
    const handle = await this.get(id);
    yield* this.#queries.logs(handle.id as ExecutionId, options);
  }

  /**
   * Calls `handler` for each line that a step of this process writes, before the line is stored. Returns a function
   * that unsubscribes.
   */
  onLog(filter: { readonly executionId?: string }, handler: LogListener): () => void {
    const { executionId } = filter;
    return this.#attemptRuntime.logs.subscribe(
      executionId === undefined ? {} : { execution: toExecutionId(executionId) },
      handler,
    );
  }

  /** Explains why an execution, or one step of it, does not make progress (SCHED-7). */
  async why(id: string, step?: string): Promise<readonly Waiting[]> {
    const handle = await this.get(id);
    return this.#queries.why(handle.id as ExecutionId, step);
  }

  /** Checks the whole store and yields findings for each execution (JOURNAL-4). */
  check(): AsyncGenerator<CheckedPart> {
    this.#assertOpen();
    return this.#maintenance.check();
  }

  /** Frees the disk space of removed executions. */
  async vacuum(): Promise<void> {
    this.#assertOwner();
    return this.#maintenance.vacuum();
  }

  /**
   * Closes the engine. Running attempts may finish within `drainMs`; then the engine aborts them. Unfinished executions
   * continue when an engine opens the store again.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    checkClose(options);
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #close(options: CloseOptions): Promise<void> {
    this.#isClosed = true;
    if (options.drainMs !== undefined) {
      // Ready steps do not start now; they start when an engine opens the store again.
      this.#executions.admission.close();
      const idle = untilIdle(this.#attemptRuntime.runner, this.#executions, this.#environment);
      await Promise.race([idle, this.#executions.sleep(options.drainMs)]);
    }
    if (this.isOwner) await this.#executions.shutDownAll("the engine was closed");
    this.#executions.close();
    this.#callbacks.close();
    this.#bus.flush();
    this.#environment.alarm(undefined, () => undefined);
    this.#starter.close();
    await this.#attemptRuntime.close();
    // Pending writes must reach the store before another process can own it.
    await this.#executions.untilCommitted();
    this.#options.ownership?.release();
    await this.#options.store.close();
    this.#faults.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #handle(id: ExecutionId): ExecutionHandle {
    const [queries, commands, environment] = [this.#queries, this.#commandSender, this.#environment];
    return new EngineHandle(id, (this.#handlePorts ??= { queries, commands, environment }));
  }

  async #post(message: NewMessage): Promise<MessageId> {
    if (this.#options.mode === "readOnly") throw readOnlyError();
    return this.#options.store.post(message, this.#limits.inbox);
  }

  #assertOwner(): void {
    this.#assertOpen();
    if (!this.#ownershipLoop.isOwner) throw notOwnerError();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new SegnoError("ENGINE_CLOSED", "the engine is closed");
  }
}
