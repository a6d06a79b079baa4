// The engines: they bring a workflow of tasks to the one engine there is, and its end back (ENGINES-3 to ENGINES-7).
//
// Job: the way there and back. Not its job: order, slots, attempts, deadlines and journals. The kernel has all of that.
//
//   E1. Without a store, a file or an engine of the caller's, executions live in memory and are gone with the process.
//   E2. A workflow that cannot be run gives a result that says so; nothing has begun then. What is wrong with the engine
//       itself rejects (ENGINES-6).
//   E3. What is made of a workflow is kept until a task is added.
//   E4. Whatever fails is logged before anybody is told.

import { randomUUID } from "node:crypto";
import { executionId, isJsonObject, SegnoError, type ExecutionId, type State } from "@segno/kernel";
import { Engine } from "../api/engine.ts";
import { createJsonLogger } from "../events/json-logger.ts";
import type { Logger } from "../events/logger.ts";
import { safeLogger } from "../events/safe-logger.ts";
import { ExecutionError } from "../checks/execution-error.ts";
import type { ExecutionHandle } from "../api/execution-handle.ts";
import { invalidOption } from "../checks/option-error.ts";
import { ANYTHING, checkOptions, isObject, type Rule } from "../checks/option-rules.ts";
import { copyJson } from "../checks/copy-json.ts";
import type { TaskStrategy } from "./task-strategy.ts";
import { openEngine, type ExecutionEngineOptions } from "./execution-engine-options.ts";
import { UnrefEnvironment } from "./unref-environment.ts";
import { taskOutputs, type TaskOutputs } from "./task-outputs.ts";
import type { TaskContext, TaskDefinition } from "./task-definition.ts";
import { TaskPlan } from "./task-plan.ts";
import { taskWorkflow, type TaskWorkflow } from "./task-workflow.ts";
import { ModuleThreads } from "./module-threads.ts";
import type { WorkflowDefinition } from "./workflow-definition.ts";
import { WorkflowHandle, type StartedWorkflow } from "./workflow-handle.ts";
import { refusedResult, workflowResult, type WorkflowResult } from "./workflow-result.ts";
import { unknownExecution } from "../checks/unknown-execution.ts";

export interface ExecuteOptions {
  /**
   * With a store: whoever executes the same workflow and context again under the same key gets the execution that is there,
   * also one that a process before left unfinished.
   */
  readonly key?: string;
}

/** `checkKey` checks the key when the execution starts. */
const EXECUTE_OPTIONS: Readonly<Record<keyof ExecuteOptions, Rule>> = { key: ANYTHING };

/** What is to be executed, as it was when somebody asked for it. */
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

export abstract class ExecutionEngine implements AsyncDisposable {
  readonly #options: ExecutionEngineOptions;
  readonly #logger: Logger;
  readonly #compiled = new WeakMap<WorkflowDefinition, CompiledEntry>();
  readonly #outputs = new WeakMap<State, TaskOutputs | Promise<TaskOutputs>>();
  readonly #environment = new UnrefEnvironment();
  readonly #threads: ModuleThreads;
  #engine: Promise<Engine> | undefined;
  /** There as soon as anything runs. */
  #opened: Engine | undefined;
  #isClosed = false;

  constructor(options: ExecutionEngineOptions, workers: number) {
    this.#options = options;
    this.#logger = safeLogger(options.logger ?? createJsonLogger(), () => undefined);
    const report = (error: unknown): void => this.#logger.error({ error }, "a thread failed with nothing to do");
    this.#threads = new ModuleThreads(workers, this.#environment, report);
  }

  /** What tasks wait for and see: the one thing in which engines differ. */
  protected abstract arrange(plan: TaskPlan): TaskStrategy;

  /** Resolves when it has ended, however it ended. */
  execute(
    workflow: WorkflowDefinition,
    initialContext: TaskContext = {},
    options: ExecuteOptions = {},
  ): Promise<WorkflowResult> {
    return this.executeAsync(workflow, initialContext, options).result();
  }

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

  /** Lets go of everything; with a store, what is unfinished goes on when it is opened again. */
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
    if (!isObject(options)) throw invalidOption("options", "an object", options);
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

  /** Once; but one that could not be opened may be the next time. */
  #open(): Promise<Engine> {
    this.#engine ??= openEngine(this.#options, this.#environment).catch((error: unknown) => {
      this.#engine = undefined;
      throw error;
    });
    return this.#engine;
  }

  /** Its end is listened for before it begins: one without a store is soon forgotten. */
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
        runModule: (module, context, step) => this.#threads.run(module, context, step),
      },
    });
    this.#compiled.set(workflow, { size: workflow.size, workflow: made });
    return made;
  }

  /** Once for each state: it grows while its execution runs, and what is read from it is always what it has. */
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

  /** E4. The engine's own events are logged when there is time for it, which may be later. */
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
    const state = this.#state ?? (await this.#engine.extensions.readState(executionId(handle.id)));
    if (state === undefined) throw unknownExecution(handle.id);
    return state;
  }

  forget(): void {
    this.#stop();
  }
}

function liveState(engine: Engine, id: string): State {
  const state = engine.extensions.liveState(executionId(id));
  if (state === undefined) throw new SegnoError("EXECUTION_UNKNOWN", `the execution ${id} is not here any more`);
  return state;
}

/** A copy: whoever gave it may go on changing it. */
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

/** Whether it is the workflow, or what it was given, that cannot be run. */
function isRefusal(error: unknown): error is SegnoError {
  return error instanceof SegnoError && REFUSALS.has(error.code);
}
