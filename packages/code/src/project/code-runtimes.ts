// The repositories of this machine on which an engine runs code workflows. Any process that opens the engine can go on with
// them: an execution names its repository.

import type { AgentFunction, Engine, StepContext, StoredExecution } from "@segno/engine";
import { executionId } from "@segno/kernel";
import { engineHost } from "../executor/engine-host.ts";
import { CodeError } from "../errors/code-error.ts";
import { MergeCancellations } from "../executor/merge-cancellations.ts";
import { JournalTasks } from "../executor/journal-tasks.ts";
import { TaskReports } from "../executor/task-reports.ts";
import { SpendingBook } from "../executor/spending-book.ts";
import { UnlandedWork } from "../sessions/unlanded-work.ts";
import { SESSION } from "../executor/workflow-catalog.ts";
import { codeSteps } from "../steps/code-steps.ts";
import { permanentError } from "../steps/permanent-error.ts";
import type { StepRuntime } from "../steps/step-runtime.ts";
import type { CodeSettings } from "../steps/step-values.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import { StreamFeeds, type StreamFeedsOptions } from "./stream-feeds.ts";
import { OpenRepository } from "./open-repository.ts";
import type { WorkflowStrategies } from "./workflow-strategies.ts";

/** Options of `CodeRuntimes`. */
export interface CodeRuntimesOptions extends StreamFeedsOptions {
  /** The default is the engine's own store: the journal has the tasks. */
  readonly taskBackend?: TaskBackend;
  /** Identifies the owner of claims. It has to be the same after a restart. */
  readonly executorId: string;
  /** The strategies with which the engine was opened. Without them, a workflow with a custom strategy fails. */
  readonly strategies?: WorkflowStrategies;
}

/** Connects code workflows to an engine that a program has opened: registers their agents and feeds their event streams. */
export class CodeRuntimes implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #options: CodeRuntimesOptions;
  readonly #repositories = new Map<string, Promise<OpenRepository>>();
  readonly #feeds: StreamFeeds;
  readonly #spending = new SpendingBook();
  readonly #cancellations = new MergeCancellations();
  /** The tokens of forges, by execution. A step that merges brings the current one. */
  readonly #tokens = new Map<string, string>();
  readonly #runtimes = new Map<string, Promise<StepRuntime>>();
  /** Undefined if the tasks are in the engine's own store: the journal has their ends. */
  readonly #reports: TaskReports | undefined;
  /** The executions whose strategy is forgotten when they end. */
  readonly #strategic = new Set<string>();

  constructor(engine: Engine, options: CodeRuntimesOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#feeds = new StreamFeeds(engine, options);
    const { taskBackend, executorId } = options;
    this.#reports = taskBackend === undefined ? undefined : new TaskReports(engine, taskBackend, { executorId });
  }

  /** The agents of code workflows, by name. */
  get steps(): Readonly<Record<string, AgentFunction>> {
    return codeSteps((settings, context) => this.#find(settings, context));
  }

  /** Registers the agents of code workflows at the engine. */
  register(): void {
    for (const [name, run] of Object.entries(this.steps)) this.#engine.agent(name, run);
  }

  /** Feeds the streams that another process did not finish. */
  async resumeStreams(): Promise<void> {
    await this.#feeds.resume();
  }

  /**
   * Call it before the engine is closed: the streams of executions that have ended get their last events, and the task
   * backend gets their ends.
   */
  async settle(): Promise<void> {
    await this.#reports?.close();
    await this.#cancellations.settle();
    await this.#feeds.settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const opened of this.#repositories.values()) await opened.then((each) => each[Symbol.asyncDispose](), ignore);
  }

  async #find(settings: CodeSettings, context: StepContext): Promise<StepRuntime> {
    const { execution, secrets } = context;
    const { id } = execution;
    if (settings.schedulingModule !== undefined) await this.#checkStrategy(context);
    const token = settings.forge === undefined ? undefined : secrets[settings.forge.tokenSecret];
    if (token !== undefined) this.#tokens.set(id, token);
    if (settings.events !== undefined) this.#feeds.follow(id, settings.events);
    return await remember(this.#runtimes, id, () => this.#open(settings, id));
  }

  /** Throws in the first step and in sessions of tasks if the strategy is not valid. Other steps finish work that was begun. */
  async #checkStrategy({ execution: { id }, step }: StepContext): Promise<void> {
    const { strategies } = this.#options;
    if (strategies === undefined)
      throw permanentError(
        new CodeError("CONFIGURATION_INVALID", "the engine was opened without `WorkflowStrategies`"),
      );
    if (!strategies.covers(id)) await strategies.load(this.#stored(id));
    this.#forgetAtEnd(id, strategies);
    if (step.id !== "prepare" && !SESSION.test(step.id)) return;
    try {
      strategies.assertValid(id);
    } catch (error) {
      throw permanentError(error as Error);
    }
  }

  #forgetAtEnd(id: string, strategies: WorkflowStrategies): void {
    if (this.#strategic.has(id)) return;
    this.#strategic.add(id);
    this.#engine.extensions.onEnd(executionId(id), () => {
      this.#strategic.delete(id);
      strategies.forget(id);
    });
  }

  /** An execution that this process has started. */
  #stored(id: string): StoredExecution {
    const { extensions } = this.#engine;
    return {
      id,
      get state() {
        return extensions.states.live(executionId(id))!;
      },
      readValues: (hashes) => extensions.readValues(executionId(id), hashes),
    };
  }

  async #open(settings: CodeSettings, id: string): Promise<StepRuntime> {
    const { repository } = settings;
    if (repository === undefined)
      throw permanentError(new CodeError("REPOSITORY_MISSING", "the execution names no repository"));
    const opened = await remember(this.#repositories, repository, () => OpenRepository.open(repository));
    const engine = this.#engine;
    const { executorId } = this.#options;
    const taskBackend = this.#options.taskBackend ?? new JournalTasks(engine, { executorId });
    const ports = opened.ports(settings, taskBackend, () => this.#tokens.get(id) ?? "");
    return {
      ports,
      sessions: opened.sessions(ports, settings.maxConcurrentSessions),
      unlanded: new UnlandedWork(),
      executorId,
      host: engineHost(engine, this.#spending, this.#cancellations),
      claims: this.#reports,
    };
  }
}

/** A result that is computed once. After an error the next caller tries again. */
function remember<Value>(
  values: Map<string, Promise<Value>>,
  key: string,
  compute: () => Promise<Value>,
): Promise<Value> {
  const known = values.get(key);
  if (known !== undefined) return known;
  const computed = compute();
  values.set(key, computed);
  computed.catch(() => values.delete(key));
  return computed;
}

function ignore(): void {}
