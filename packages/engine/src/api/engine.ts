// The engine: the public API. `compose-engine.ts` constructs its parts.

import type { CheckedInput } from "@segno/contract";
import type { Definition, ExecutionId, Failure, Json } from "@segno/kernel";
import type { GivenAgent } from "../agents/agent.ts";
import { toExecutionId } from "../checks/names.ts";
import type { WatchFilter, WatchHandler } from "../events/bus.ts";
import { cancelOn } from "../inbox/cancel-signal.ts";
import type { StartArguments, StartOptions } from "../inbox/start-options.ts";
import type { LogListener, StreamListener } from "../logs/log-writer.ts";
import type { BuiltWorkflow, RegisteredWorkflow } from "../registry/registry.ts";
import type { ProgressListener } from "../logs/progress-writer.ts";
import type { SinkMetrics } from "../sinks/sink-metrics.ts";
import type { MetricsSnapshot } from "../metrics/metric.ts";
import type { StepProgress } from "../store/step-progress.ts";
import type { StoredLine } from "../store/step-logs.ts";
import type { Waiting } from "../why/reason.ts";
import type { CheckedPart } from "./checking/store-check.ts";
import { checkClose, type CloseOptions } from "./close-check.ts";
import { composeEngine } from "./compose-engine.ts";
import type { EngineExtensions } from "./engine-extensions.ts";
import { EngineHandle } from "./engine-handle.ts";
import { checkEngineOptions } from "./engine-options-check.ts";
import { withStore, type EngineOptions } from "./engine-options.ts";
import type { EngineParts } from "./engine-parts.ts";
import type { ExecutionHandle } from "./execution-handle.ts";
import type { LogOptions } from "./execution-queries.ts";
import type { ExecutionList, ListFilter } from "./listing.ts";
import type { Verification } from "./store-maintenance.ts";

/**
 * Runs executions of workflows and keeps their journals in a store. One process owns a store; others can read it and
 * post commands.
 *
 * @example
 * ```ts
 * import { Engine, workflow } from "segno";
 *
 * const hello = workflow("hello")
 *   .step("say", () => "Hello")
 *   .output(({ outputs }) => outputs.say);
 *
 * await using engine = await Engine.open(); // the journal is in .segno/
 * engine.register(hello);
 * const execution = await engine.start("hello");
 * console.log(await execution.result()); // Hello
 * const { executions } = await engine.list({ status: ["completed"], limit: 1 });
 * console.log(executions[0]?.workflow); // hello
 * ```
 */
export class Engine implements AsyncDisposable {
  readonly #parts: EngineParts;

  private constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /**
   * Opens an engine and its store. As the owner, it continues the unfinished executions of the store.
   *
   * @example
   * ```ts
   * import { Engine } from "segno";
   *
   * // The journal is in .segno/segno.db. Unfinished executions of an earlier process continue.
   * await using engine = await Engine.open({ limits: { slots: 20 }, retention: { endedMs: 7 * 24 * 60 * 60 * 1000 } });
   * console.log(engine.isOwner); // true
   * ```
   */
  static async open(options: EngineOptions = {}): Promise<Engine> {
    checkEngineOptions(options);
    const engine = new Engine(composeEngine(await withStore(options)));
    await engine.#parts.lifecycle.open();
    return engine;
  }

  /** Whether this process owns the store. Only an owner runs executions. */
  get isOwner(): boolean {
    return this.#parts.lifecycle.isOwner;
  }

  /** The error that prevents this engine from owning the store or reading from it, if there is one. */
  get lastFault(): unknown {
    return this.#parts.lifecycle.lastFault;
  }

  /** The counters of the sinks of this engine, in the order of the option `sinks` (EVENT-3). */
  get sinks(): readonly SinkMetrics[] {
    return this.#parts.subscriptions.sinks;
  }

  /** Replaces every secret that this engine knows by `***`. It also works after `close` (DATA-9). */
  mask(text: string): string {
    return this.#parts.runtime.mask.text(text);
  }

  /** The port that actions, batches, task engines and the command use beside the public methods. */
  get extensions(): EngineExtensions {
    return this.#parts.extensions;
  }

  /** Registers a workflow under its name, so that `start` and sub-workflow steps can name it. */
  register(workflow: Definition | BuiltWorkflow): RegisteredWorkflow {
    return this.#parts.workflows.register(workflow);
  }

  /**
   * Registers an agent. It replaces an agent that workflows bring under this name, also in later attempts of running
   * executions. Executions that are parked because the agent was missing continue (FAIL-9).
   */
  agent(name: string, agent: GivenAgent): void {
    this.#parts.workflows.addAgent(name, agent);
  }

  /**
   * Starts an execution of a workflow, given as a definition or by its registered name. Resolves when the execution is
   * durable, or when its start is durably posted to the process that owns the store.
   *
   * @example
   * ```ts
   * import { Engine, workflow } from "segno";
   *
   * const charge = workflow<{ order: string }>("charge")
   *   .step("pay", ({ input, token }) => `${input.order} is paid${token === "" ? " without a token" : ""}`)
   *   .output(({ outputs }) => outputs.pay);
   *
   * await using engine = await Engine.open({ store: "none" });
   * const first = await engine.start(charge, { order: "A1" }, { idempotencyKey: "order-A1" });
   * const again = await engine.start(charge, { order: "A1" }, { idempotencyKey: "order-A1" });
   * console.log(first.id === again.id, await again.result()); // true A1 is paid
   * ```
   */
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
    given?: Json | CheckedInput,
    options: StartOptions = {},
  ): Promise<ExecutionHandle> {
    const { workflows, handles, lifecycle } = this.#parts;
    lifecycle.assertOpen();
    const id = await workflows.start(workflow, given, options);
    const handle = this.#handle(id);
    const report = (error: unknown): void => lifecycle.report(error, id);
    if (options.signal !== undefined) cancelOn(options.signal, handle, () => handles.queries.end(id), report);
    return handle;
  }

  /**
   * Checks before a start whether the secrets that a workflow names are available. Returns the failure if they are not.
   */
  async checkSecrets(workflow: Definition | BuiltWorkflow): Promise<Failure | undefined> {
    this.#assertOpen();
    return this.#parts.runtime.findSecretFailure(this.register(workflow).program);
  }

  /** A handle on an existing execution. Rejects with `EXECUTION_UNKNOWN` if there is none. */
  async get(id: string): Promise<ExecutionHandle> {
    this.#assertOpen();
    const known = toExecutionId(id);
    await this.#parts.handles.queries.assertExists(known);
    return this.#handle(known);
  }

  /** Lists executions, oldest first, one page at a time. */
  async list(filter: ListFilter = {}, cursor?: string): Promise<ExecutionList> {
    this.#assertOpen();
    return this.#parts.handles.queries.list(filter, cursor);
  }

  /** Calls `handler` with batches of events that match the filter (EVENT-2). Returns a function that unsubscribes. */
  subscribe(filter: WatchFilter, handler: WatchHandler): () => void {
    this.#assertOpen();
    return this.#parts.subscriptions.onEvents(filter, handler);
  }

  /** Checks one execution: its journal, the bodies that the journal names, and its row in the store (JOURNAL-4). */
  async verify(id: string): Promise<Verification> {
    this.#assertOpen();
    return this.#parts.maintenance.verify(id);
  }

  /** Exports an execution as lines of JSON, for `import` into this or another store (JOURNAL-7). */
  export(id: string): AsyncIterable<string> {
    this.#assertOpen();
    return this.#parts.maintenance.export(id);
  }

  /** Imports an exported execution and returns its id. If the execution has not ended, this engine continues it. */
  import(lines: AsyncIterable<string> | Iterable<string>): Promise<string> {
    return this.#parts.maintenance.import(lines);
  }

  /**
   * Checks a quarantined execution and continues it if the check finds no damage. This is useful after the bug that
   * caused the quarantine is fixed (JOURNAL-6). Otherwise it rejects with `STORE_CORRUPT`, and the message says what is
   * damaged.
   */
  recover(id: string): Promise<void> {
    return this.#parts.maintenance.recover(id);
  }

  /** Removes an ended execution with all its data. */
  remove(id: string): Promise<void> {
    return this.#parts.maintenance.remove(id);
  }

  /**
   * Removes the input, the values and the logs of an ended execution. The events stay, with their times and failure
   * messages, and the hash chain still verifies (DATA-11).
   */
  removePayloads(id: string): Promise<void> {
    return this.#parts.maintenance.removePayloads(id);
  }

  /** Writes a consistent copy of the store to a new file. */
  async backup(file: string): Promise<void> {
    this.#assertOpen();
    return this.#parts.maintenance.backup(file);
  }

  /** Reads the log lines that the steps of an execution wrote. With `follow` it continues until the execution ends. */
  async *logs(id: string, options: LogOptions = {}): AsyncGenerator<StoredLine> {
    const handle = await this.get(id);
    yield* this.#parts.handles.queries.logs(handle.id as ExecutionId, options);
  }

  /**
   * Calls `handler` for each line that a step of this process writes, before the line is stored. Returns a function
   * that unsubscribes.
   */
  onLog(filter: { readonly executionId?: string }, handler: LogListener): () => void {
    return this.#parts.subscriptions.onLog(filter, handler);
  }

  /**
   * Calls `handler` with each part of a stream that a step of this process writes: what a function passes to `stream`, and the
   * output of a command. A part may end inside a line; secrets are masked. Returns a function that unsubscribes.
   */
  onStream(filter: { readonly executionId?: string }, handler: StreamListener): () => void {
    return this.#parts.subscriptions.onStream(filter, handler);
  }

  /**
   * Calls `handler` with the latest progress of steps of this process, for each attempt at most ten times a second. Progress
   * is not part of the journal. Returns a function that unsubscribes.
   */
  onProgress(filter: { readonly executionId?: string }, handler: ProgressListener): () => void {
    return this.#parts.subscriptions.onProgress(filter, handler);
  }

  /**
   * The metrics of this engine with their values now. They count what this process has done since it opened the engine.
   * `prometheusText` and `observeMetrics` pass them on.
   *
   * @example
   * ```ts
   * import { Engine, prometheusText, workflow } from "segno";
   *
   * const hello = workflow("hello").step("say", () => "Hello");
   * await using engine = await Engine.open({ store: "none" });
   * await (await engine.start(hello)).result();
   * const page = prometheusText(engine.metrics());
   * console.log(page.includes('workflows_completed{workflow="hello"} 1')); // true
   * ```
   */
  metrics(): MetricsSnapshot {
    return this.#parts.subscriptions.metrics();
  }

  /**
   * The latest progress that steps of an execution have reported, in whichever process they run. It may include attempts that
   * have ended; `status()` has only the running ones.
   */
  async progress(id: string): Promise<readonly StepProgress[]> {
    const handle = await this.get(id);
    return this.#parts.handles.queries.progress(handle.id as ExecutionId);
  }

  /** Explains why an execution, or one step of it, does not make progress (SCHED-7). */
  async why(id: string, step?: string): Promise<readonly Waiting[]> {
    const handle = await this.get(id);
    return this.#parts.handles.queries.why(handle.id as ExecutionId, step);
  }

  /** Checks the whole store and yields findings for each execution (JOURNAL-4). */
  check(): AsyncGenerator<CheckedPart> {
    this.#assertOpen();
    return this.#parts.maintenance.check();
  }

  /** Frees the disk space of removed executions. */
  async vacuum(): Promise<void> {
    return this.#parts.maintenance.vacuum();
  }

  /**
   * Closes the engine. Running attempts may finish within `drainMs`; then the engine aborts them. Unfinished executions
   * continue when an engine opens the store again.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    checkClose(options);
    return this.#parts.lifecycle.close(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #handle(id: ExecutionId): ExecutionHandle {
    return new EngineHandle(id, this.#parts.handles);
  }

  #assertOpen(): void {
    this.#parts.lifecycle.assertOpen();
  }
}
