// The task engines: they run a workflow of tasks on the one engine, and return its result (ENGINES-3 to ENGINES-7).
//
// They only translate. The kernel handles order, slots, attempts, deadlines and journals.
//
//   E1. Without a store, a file or an engine of the caller, executions live in memory and are gone when the process
//       ends.
//   E2. A workflow that cannot run gives a result that says so; nothing has begun then. A fault of the engine itself
//       rejects (ENGINES-6).
//   E3. The compiled form of a workflow is cached until a task is added.
//   E4. A failure is logged before the caller gets the result.

import { randomUUID } from "node:crypto";
import {
  ANYTHING,
  checkOptions,
  copyJson,
  createJsonLogger,
  Engine,
  ExecutionError,
  invalidOption,
  ModuleThreads,
  OBJECT,
  safeLogger,
  type ExecutionHandle,
  type Logger,
  type ModuleMask,
  type OptionRule,
} from "@segno/engine";
import { thrownText } from "@segno/kernel/thrown-text";
import { executionId, isJsonObject, SegnoError, type ExecutionId, type State } from "@segno/kernel";
import type { TaskStrategy } from "./task-strategy.ts";
import { openEngine, type ExecutionEngineOptions } from "./execution-engine-options.ts";
import { UnrefEnvironment } from "./unref-environment.ts";
import { plainContext } from "./task-context.ts";
import { taskOutputs, type TaskOutputs } from "./task-outputs.ts";
import type { TaskContext, TaskDefinition } from "./task-definition.ts";
import { TaskPlan } from "./task-plan.ts";
import { taskWorkflow, type TaskWorkflow } from "./task-workflow.ts";
import type { WorkflowDefinition } from "./workflow-definition.ts";
import { WorkflowHandle, type StartedWorkflow } from "./workflow-handle.ts";
import { refusedResult, workflowResult, type WorkflowResult } from "./workflow-result.ts";

/** Options of `execute` and `executeAsync`. */
export interface ExecuteOptions {
  /**
   * With a store: executing the same workflow and context again under the same key returns the existing execution, even
   * one that an earlier process left unfinished.
   */
  readonly key?: string;
}

/** `checkKey` checks the key when the execution starts. */
const EXECUTE_OPTIONS: Readonly<Record<keyof ExecuteOptions, OptionRule>> = { key: ANYTHING };

/** A snapshot of the workflow and its context at the call. */
interface ExecuteRequest {
  readonly workflow: WorkflowDefinition;
  readonly tasks: readonly TaskDefinition[];
  readonly compiled: TaskWorkflow;
  readonly context: TaskContext;
  readonly key: string | undefined;
}

interface CompiledEntry {
  readonly size: number;
  readonly workflow: TaskWorkflow;
}

/** An engine for workflows of tasks. `ParallelEngine` and `SequentialEngine` extend it. */
export abstract class ExecutionEngine implements AsyncDisposable {
  readonly #options: ExecutionEngineOptions;
  readonly #logger: Logger;
  readonly #compiled = new WeakMap<WorkflowDefinition, CompiledEntry>();
  readonly #outputs = new WeakMap<State, TaskOutputs | Promise<TaskOutputs>>();
  readonly #environment = new UnrefEnvironment();
  readonly #threads: ModuleThreads;
  #engine: Promise<Engine> | undefined;
  /** Present as soon as a workflow runs. */
  #opened: Engine | undefined;
  #isClosed = false;

  constructor(options: ExecutionEngineOptions, workers: number) {
    this.#options = options;
    this.#logger = safeLogger(options.logger ?? createJsonLogger(), () => undefined);
    const mask: ModuleMask = {
      text: (text) => this.#opened!.mask(text),
      stream: (step) => this.#opened!.extensions.newStreamMasker(step),
    };
    const report = (error: unknown): void =>
      this.#logger.error({ error: mask.text(thrownText(error)) }, "an idle thread failed");
    this.#threads = new ModuleThreads({ size: workers, eventLoop: this.#environment, report, mask });
  }

  /** The dependencies and the visible outputs of tasks: the only difference between the engines. */
  protected abstract arrange(plan: TaskPlan): TaskStrategy;

  /** Resolves when the workflow has ended, with any state. */
  execute(
    workflow: WorkflowDefinition,
    initialContext: TaskContext = {},
    options: ExecuteOptions = {},
  ): Promise<WorkflowResult> {
    return this.executeAsync(workflow, initialContext, options).result();
  }

  /** Starts a workflow and returns a handle at once. */
  executeAsync(
    workflow: WorkflowDefinition,
    initialContext: TaskContext = {},
    options: ExecuteOptions = {},
  ): WorkflowHandle {
    const started = this.#start(workflow, initialContext, options);
    return new WorkflowHandle(
      started,
      this.#environment.whileRunning(async () => (await started).result),
    );
  }

  /** Closes the engine. With a store, unfinished executions continue when it is opened again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const engine = await this.#engine?.catch(() => undefined);
    if (this.#options.engine === undefined) await engine?.close();
    await this.#threads.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #start(workflow: WorkflowDefinition, given: TaskContext, options: ExecuteOptions): Promise<StartedWorkflow> {
    if (this.#isClosed) throw new SegnoError("ENGINE_CLOSED", "the engine is closed");
    if (!OBJECT.fits(options)) throw invalidOption("options", OBJECT.expected, options);
    checkOptions("an execution", options, EXECUTE_OPTIONS);
    const { key } = options;
    try {
      const context = toContext(given);
      const order = { workflow, tasks: workflow.tasks, compiled: this.#compileWorkflow(workflow), context, key };
      return await this.#startOn(await this.#open(), order);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#logger.error({ workflow: workflow.name, code: error.code }, error.message);
      return { kind: "refused", error, result: Promise.resolve(refusedResult(workflow, error)) };
    }
  }

  /** Opens once; if opening fails, the next call tries again. */
  #open(): Promise<Engine> {
    this.#engine ??= openEngine(this.#options, this.#environment).catch((error: unknown) => {
      this.#engine = undefined;
      throw error;
    });
    return this.#engine;
  }

  /** Subscribes to the end before the start, because an execution without a store is soon evicted. */
  async #startOn(
    engine: Engine,
    { workflow, tasks, compiled, context, key }: ExecuteRequest,
  ): Promise<StartedWorkflow> {
    const id = randomUUID();
    this.#opened = engine;
    const end = new TerminalState(engine, executionId(id));
    try {
      const handle = await engine.start(compiled, context, key === undefined ? { id } : { idempotencyKey: key });
      const result = end.of(handle).then(async (state) => {
        const outcome = workflowResult(compiled.plan, await this.#readOutputs(engine, state), tasks);
        this.#log(workflow, outcome);
        return outcome;
      });
      return { kind: "running", handle, result };
    } catch (error) {
      end.forget();
      throw error;
    }
  }

  #compileWorkflow(workflow: WorkflowDefinition): TaskWorkflow {
    const known = this.#compiled.get(workflow);
    if (known?.size === workflow.size) return known.workflow;
    const plan = new TaskPlan(workflow.name, workflow.orderWith());
    const made = taskWorkflow({
      plan,
      strategy: this.arrange(plan),
      maxRetries: this.#options.maxRetries ?? 0,
      grace: this.#options.grace,
      host: {
        outputs: (id) => this.#readOutputs(this.#opened!, liveState(this.#opened!, id)),
        runModule: (module, context, step) => this.#threads.run(module, plainContext(context), step),
      },
    });
    this.#compiled.set(workflow, { size: workflow.size, workflow: made });
    return made;
  }

  /** Cached per state: the state grows while its execution runs, and its outputs are read live. */
  #readOutputs(engine: Engine, state: State): TaskOutputs | Promise<TaskOutputs> {
    const known = this.#outputs.get(state);
    if (known !== undefined) return known;
    const outputs = taskOutputs(engine, state);
    this.#outputs.set(state, outputs);
    if (outputs instanceof Promise)
      outputs.then(
        (loaded) => this.#outputs.set(state, loaded),
        () => this.#outputs.delete(state),
      );
    return outputs;
  }

  /** E4. The engine's own events are logged asynchronously, which may be later. */
  #log(workflow: WorkflowDefinition, { executionId: id, tasks }: WorkflowResult): void {
    for (const { name, error } of tasks)
      if (error !== null)
        this.#logger.error({ executionId: id, workflow: workflow.name, task: name, code: error.code }, error.message);
  }
}

/** The state in which an execution ended. */
class TerminalState {
  readonly #engine: Engine;
  readonly #stop: () => void;
  #state: State | undefined;

  constructor(engine: Engine, id: ExecutionId) {
    this.#engine = engine;
    this.#stop = engine.extensions.onEnd(id, (state) => (this.#state = state));
  }

  async of(handle: ExecutionHandle): Promise<State> {
    try {
      await handle.result();
    } catch (error) {
      if (!(error instanceof ExecutionError)) throw error;
    } finally {
      this.#stop();
    }
    const state = this.#state ?? (await this.#engine.extensions.states.read(executionId(handle.id)));
    if (state === undefined) throw new SegnoError("EXECUTION_UNKNOWN", `there is no execution ${handle.id}`);
    return state;
  }

  forget(): void {
    this.#stop();
  }
}

function liveState(engine: Engine, id: string): State {
  const state = engine.extensions.states.live(executionId(id));
  if (state === undefined) throw new SegnoError("EXECUTION_UNKNOWN", `the execution ${id} is no longer in memory`);
  return state;
}

/** Copies, because the caller may change the object later. */
function toContext(given: unknown): TaskContext {
  const context = copyJson("the initial context", given);
  if (isJsonObject(context)) return context;
  throw new SegnoError("INPUT_INVALID", "the initial context is not an object");
}

const REFUSALS: ReadonlySet<string> = new Set([
  "TASK_CYCLE",
  "TASK_UNKNOWN",
  "TASK_AMBIGUOUS",
  "INPUT_INVALID",
  "VALUE_TOO_LARGE",
  "DEFINITION_INVALID",
  "NAME_INVALID",
]);

/** Whether the error is about the workflow or its context, which cannot run. */
function isRefusal(error: unknown): error is SegnoError {
  return error instanceof SegnoError && REFUSALS.has(error.code);
}
