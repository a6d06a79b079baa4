// Runs templates on the one engine, with the ports of a program (CODE-14).
//
//   WE1. The six modules are views and commands over the engine. None of them runs a loop of its own.
//   WE2. A strategy that is not valid ends its workflow: nothing else starts, and `executeWorkflow` rejects with its error.

import { engineHost } from "./engine-host.ts";
import { randomUUID } from "node:crypto";
import type { Engine, ExecutionHandle } from "@segno/engine";
import type { Definition, Json } from "@segno/kernel";
import { EXECUTOR_DEFAULTS, type ExecutorConfig } from "../config/executor-config.ts";
import { CodeError } from "../errors/code-error.ts";
import { EventPublisher } from "../events/event-publisher.ts";
import type { ExecutorMetrics } from "../events/executor-metrics.ts";
import { checkWorkflowId, workflowBranch } from "../git/branch-names.ts";
import type { ErrorResolutionStrategy } from "../model/error-resolution.ts";
import type { MergeResult } from "../model/merge-result.ts";
import type { WorkflowStatus } from "../model/workflow-context.ts";
import { ErrorHandler } from "../resolution/error-handler.ts";
import { AdaptiveScheduler } from "../scheduling/adaptive-scheduler.ts";
import { CodeStrategy } from "../scheduling/code-strategy.ts";
import type { TaskPredictor } from "../scheduling/speculative-scheduler.ts";
import { TaskScheduler } from "../scheduling/task-scheduler.ts";
import { SessionManager } from "../sessions/session-manager.ts";
import { UnlandedWork } from "../sessions/unlanded-work.ts";
import type { CodePorts } from "../steps/code-ports.ts";
import { registerSteps } from "../steps/code-steps.ts";
import { mergeId } from "../steps/merge-step.ts";
import type { StepRuntime } from "../steps/step-runtime.ts";
import type { CodeInput, MergeValue } from "../steps/step-values.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import { bindTemplate } from "../template/bound-template.ts";
import { compileTemplate, type CompileOptions } from "../template/compile-template.ts";
import type { GivenValues } from "../template/parameter-values.ts";
import type { CodeTemplate } from "../template/template.ts";
import type { WorkflowProgress } from "./checkpoint-manager.ts";
import { toCodeError } from "./code-failure.ts";
import { codeSettings, compileOptions } from "./code-settings.ts";
import { WorkflowFeed } from "./workflow-feed.ts";
import { IntegrationManager } from "./integration-manager.ts";
import { JournalTasks } from "./journal-tasks.ts";
import { MergeCancellations } from "./merge-cancellations.ts";
import { MergeJournal } from "./merge-journal.ts";
import { loadStrategy } from "./load-strategy.ts";
import { openOwnEngine, type OwnEngineOptions } from "./own-engine.ts";
import { portSettings } from "./port-settings.ts";
import { SpendingBook } from "./spending-book.ts";
import { untilAborted } from "./until-aborted.ts";
import { SessionWarmer } from "./session-warmer.ts";
import { TaskReports } from "./task-reports.ts";
import { WorkflowCatalog } from "./workflow-catalog.ts";
import type { WorkflowControl } from "./workflow-control.ts";
import { WorkflowManager } from "./workflow-manager.ts";
import { completedTasks, escalatedStep, toWorkflowStatus, waitingEscalation } from "./workflow-progress.ts";

/** The ports of a program. Without a task backend, the tasks are in the engine's own store. */
export type ExecutorPorts = Omit<CodePorts, "taskBackend"> & Partial<Pick<CodePorts, "taskBackend">>;

/** Options of `WorkflowExecutor`. */
export interface ExecutorOptions extends OwnEngineOptions {
  /**
   * The engine that runs the workflows. Its `limits.slots` hold beside those of the configuration. By default the
   * executor opens one of its own.
   */
  readonly engine?: Engine;
  /** The strategy with which `engine` was opened. Without it, the engine's own strategy orders the tasks. */
  readonly engineStrategy?: CodeStrategy;
  /** The configuration. The default is `EXECUTOR_DEFAULTS`. */
  readonly config?: ExecutorConfig;
  /** `hybrid`, the default: tasks run in parallel, and tasks that are marked `exclusive` run alone. */
  readonly mode?: CompileOptions["mode"];
  /** Decides about failed tasks and merges in place of the default rules. */
  readonly errorResolution?: ErrorResolutionStrategy;
  /** The branch that receives the work. */
  readonly baseBranch?: string;
  /** The folder below which sessions keep their files. */
  readonly sessionFolder?: string;
  /** How often the claims of tasks are renewed; without it, often enough for the lease of a claim (K4). */
  readonly claimRenewalMs?: number;
  /** Prepares workspaces of tasks that will probably start next. Off by default. */
  readonly speculative?: boolean | TaskPredictor;
}

/** The result of a code workflow. */
export interface CodeWorkflowResult {
  readonly success: boolean;
  readonly workflowId: string;
  readonly completedTasks: readonly string[];
}

interface Instance {
  readonly definition: Definition;
  readonly input: CodeInput;
}

/** Runs templates as workflows of coding agents: instantiates, executes, pauses, cancels and reports. */
export class WorkflowExecutor implements AsyncDisposable {
  readonly sessionManager: SessionManager;
  readonly taskScheduler: TaskScheduler;
  readonly workflowManager: WorkflowManager;
  readonly integrationManager: IntegrationManager;
  readonly errorHandler: ErrorHandler;
  readonly eventPublisher: EventPublisher;
  readonly #unlanded = new UnlandedWork();
  readonly #ports: CodePorts;
  /** The tasks in the engine's own store belong to this executor. */
  readonly #claimsTasks: boolean;
  readonly #options: ExecutorOptions;
  readonly #config: ExecutorConfig;
  readonly #strategy: CodeStrategy | undefined;
  readonly #feed: WorkflowFeed;
  readonly #catalog = new WorkflowCatalog();
  readonly #spending = new SpendingBook();
  readonly #cancellations = new MergeCancellations();
  readonly #instances = new Map<string, Instance>();
  readonly #invalid = new Map<string, unknown>();
  readonly #executorId = randomUUID();
  readonly #onClose: (() => void)[] = [];
  #opening: Promise<Engine> | undefined;
  /** Undefined if the tasks are in the engine's own store: the journal has their ends. */
  #reports: TaskReports | undefined;
  #currentWorkflow: string | undefined;

  constructor(ports: ExecutorPorts, options: ExecutorOptions = {}) {
    this.#options = options;
    this.#config = options.config ?? EXECUTOR_DEFAULTS;
    this.#strategy = options.engine === undefined ? new CodeStrategy() : options.engineStrategy;
    this.#claimsTasks = ports.taskBackend !== undefined;
    this.#ports = { ...ports, taskBackend: ports.taskBackend ?? new JournalTasks(() => this.#engine()) };
    const { taskBackend, workspacePort, agentExecutor, stepMergePolicy, vcsPort } = this.#ports;
    this.sessionManager = new SessionManager(workspacePort, agentExecutor, {
      maxConcurrentSessions: () => this.#sessionsMax(),
      branches: vcsPort,
      ...(options.sessionFolder === undefined ? {} : { folder: options.sessionFolder }),
    });
    const control = this.#control();
    this.workflowManager = new WorkflowManager(this.#ports, control);
    this.errorHandler = ErrorHandler.create(this.#config, options.errorResolution);
    this.integrationManager = new IntegrationManager(stepMergePolicy, vcsPort, {
      errorHandler: this.errorHandler,
      journal: new MergeJournal(() => this.#engine()),
    });
    this.eventPublisher = new EventPublisher(ports.eventPort, { isEnabled: this.#config.events.enabled });
    this.#feed = new WorkflowFeed(ports.eventPort, this.eventPublisher, this.#config.events);
    const { strategy } = this.#config.scheduling;
    this.taskScheduler = new TaskScheduler(taskBackend, strategy === "custom" ? "priority" : strategy, {
      pause: (id) => control.pause(id),
      resume: (id) => control.resume(id),
      strategyChanged: () => this.#assertStrategy(),
    });
  }

  /** The backend of the tasks: the one that was given, or the engine's own store. */
  get taskBackend(): TaskBackend {
    return this.#ports.taskBackend;
  }

  /** The workflow that was executed last; undefined if there is none. */
  get currentWorkflow(): string | undefined {
    return this.#currentWorkflow;
  }

  /** Checks the template and its parameters, and gives back the id of the workflow. Nothing runs yet. */
  async instantiateTemplate(template: CodeTemplate, parameters: GivenValues, id?: string): Promise<string> {
    const workflowId = id ?? randomUUID();
    checkWorkflowId(workflowId);
    if (template.forge !== undefined || this.#config.integration.forge !== undefined)
      throw new CodeError(
        "CONFIGURATION_INVALID",
        "`forge` has no effect here: give the executor a VCS port of the forge",
      );
    const { baseBranch = "main" } = this.#options;
    const settings = codeSettings(template, this.#config, undefined, this.#options.mode);
    const input: CodeInput = {
      ...bindTemplate(template, parameters),
      baseBranch,
      settings: { ...settings, ...portSettings(this.#ports), executorId: this.#executorId },
    };
    // The ports do not name their repository, so landings on branches of the same name take turns.
    const targets = { repository: "", workflowBranch: workflowBranch(workflowId), baseBranch };
    const options = { ...compileOptions(this.#config, this.#options.mode), claimsTasks: this.#claimsTasks };
    const definition = compileTemplate(template, options, targets);
    this.#instances.set(workflowId, { definition, input });
    return workflowId;
  }

  /** Runs a workflow to its end. Rejects if it fails, is cancelled, or needs a person. */
  async executeWorkflow(workflowId: string): Promise<CodeWorkflowResult> {
    const engine = await this.#engine();
    const { promise: escalation, reject } = Promise.withResolvers<never>();
    const escalate = (step: string | undefined): void => {
      if (step !== undefined)
        reject(new CodeError("TASK_ESCALATED", `the workflow ${workflowId} waits for a person at \`${step}\``));
    };
    const unsubscribe = engine.subscribe({ executionId: workflowId }, ({ events }) => escalate(escalatedStep(events)));
    try {
      const handle = await this.#start(engine, workflowId);
      this.#feed.follow(engine, workflowId);
      // A workflow that goes on may be waiting already.
      escalate(waitingEscalation(await handle.status()));
      await Promise.race([this.#end(handle), escalation]);
      return { success: true, workflowId, completedTasks: completedTasks(await handle.status()) };
    } catch (error) {
      throw this.#invalid.get(workflowId) ?? toCodeError(error);
    } finally {
      unsubscribe();
      this.#catalog.forget(workflowId);
      await this.sessionManager.discardWarmSessions(workflowId);
    }
  }

  /** Starts no further step until `resumeWorkflow`. Running agents finish. */
  async pauseWorkflow(workflowId: string): Promise<void> {
    await this.workflowManager.pauseWorkflow(workflowId);
  }

  /** Continues a paused workflow. */
  async resumeWorkflow(workflowId: string): Promise<void> {
    await this.workflowManager.resumeWorkflow(workflowId);
  }

  /** Ends the agents. Their workspaces are kept (CODE-9). */
  async cancelWorkflow(workflowId: string, reason?: string): Promise<void> {
    await this.workflowManager.cancelWorkflow(workflowId, reason);
  }

  /** The current state of a workflow, with counts of its tasks. */
  async getWorkflowStatus(workflowId: string): Promise<WorkflowStatus> {
    return await this.workflowManager.getWorkflowStatus(workflowId);
  }

  /** The metrics of the workflows that this executor has run. A session that waits for its place is not active yet. */
  metrics(): ExecutorMetrics {
    return { ...this.#feed.metrics(), sessions_active: this.sessionManager.getActiveSessionCount() };
  }

  /** The tasks that have landed, and the sessions that are at work. */
  async progressOf(workflowId: string): Promise<WorkflowProgress> {
    return {
      completedTasks: completedTasks(await (await this.#handle(workflowId)).status()),
      activeSessions: this.sessionManager.activeSessions
        .filter(({ context }) => context.workflow.workflowId === workflowId)
        .map(({ sessionId }) => sessionId),
    };
  }

  /** Exports a workflow as lines of JSON, for `importWorkflow`. */
  async exportWorkflow(workflowId: string): Promise<AsyncIterable<string>> {
    if (this.#options.store === "none")
      throw new CodeError("CONFIGURATION_INVALID", 'a workflow without a journal (`store: "none"`) has no checkpoints');
    return (await this.#engine()).export(workflowId);
  }

  /** Imports a workflow and goes on with it. */
  async importWorkflow(lines: AsyncIterable<string>): Promise<string> {
    return await (await this.#engine()).import(lines);
  }

  /** Closes the engine, unless the program gave it. */
  async close(): Promise<void> {
    const engine = await this.#opening?.catch(() => undefined);
    await this.#reports?.close();
    await this.#cancellations.settle();
    if (this.#options.engine === undefined) await engine?.close();
    for (const close of this.#onClose.splice(0)) close();
    await this.#feed.close();
    await this.sessionManager.discardWarmSessions();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #engine(): Promise<Engine> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<Engine> {
    const { strategy, module = "" } = this.#config.scheduling;
    if (strategy === "custom") this.taskScheduler.setSchedulingStrategy(await loadStrategy(module));
    const engine = this.#options.engine ?? (await openOwnEngine(this.#options, this.#config, this.#strategy));
    this.#feed.open(engine, () => this.metrics());
    this.#attach(engine);
    registerSteps(engine, async (_, { execution, signal }) => {
      if (this.#invalid.has(execution.id)) await untilAborted(signal);
      return this.#runtime(engine);
    });
    if (!(this.taskBackend instanceof JournalTasks))
      this.#reports = new TaskReports(engine, this.taskBackend, {
        executorId: this.#executorId,
        renewalMs: this.#options.claimRenewalMs,
      });
    return engine;
  }

  #attach(engine: Engine): void {
    const scheduler = this.taskScheduler;
    const detach = this.#strategy?.attach({
      get strategy() {
        return scheduler.strategy;
      },
      find: (execution) => this.#catalog.find(engine, execution),
      fail: (execution, error) => this.#failWorkflow(engine, execution, error),
    });
    if (detach !== undefined) this.#onClose.push(detach);
    const { speculative = false } = this.#options;
    if (speculative === false) return;
    const predictor = speculative === true ? undefined : speculative;
    const warmer = new SessionWarmer(engine, this.#catalog, this.sessionManager, this.#ports.vcsPort, predictor);
    this.#onClose.push(warmer.start());
  }

  #runtime(engine: Engine): StepRuntime {
    return {
      ports: this.#ports,
      sessions: this.sessionManager,
      unlanded: this.#unlanded,
      executorId: this.#executorId,
      strategy: this.#options.errorResolution,
      host: engineHost(engine, this.#spending, this.#cancellations),
      claims: this.#reports,
    };
  }

  /** WE2. */
  #failWorkflow(engine: Engine, workflowId: string, error: unknown): void {
    if (this.#invalid.has(workflowId)) return;
    this.#invalid.set(workflowId, error);
    const cancel = async (): Promise<void> => {
      const handle = await engine.get(workflowId);
      await handle.cancel({ reason: (error as Error).message });
    };
    // The engine is being closed if this fails; the strategy is asked again after the next start.
    cancel().catch(() => undefined);
  }

  #control(): WorkflowControl {
    return {
      pause: async (id) => void (await (await this.#handle(id)).pause()),
      resume: async (id) => void (await (await this.#handle(id)).resume()),
      cancel: async (id, reason) => void (await (await this.#handle(id)).cancel({ reason })),
      status: async (id) => {
        const { activeSessions } = await this.progressOf(id);
        return toWorkflowStatus(id, await (await this.#handle(id)).status(), activeSessions.length);
      },
      complete: (id) => this.#complete(id),
    };
  }

  async #complete(workflowId: string): Promise<MergeResult> {
    const handle = await this.#handle(workflowId);
    await handle.result();
    const landed = (await handle.output("land")) as unknown as MergeValue | undefined;
    const id = mergeId({ workflow: { workflowId } });
    return { success: true, mergeId: id, ...(landed?.kind === "landed" ? { commit: landed.commit } : {}) };
  }

  /** Resolves or rejects when the workflow has ended, its events were published and its tasks were reported. */
  async #end(handle: ExecutionHandle): Promise<void> {
    try {
      await handle.result();
    } finally {
      await this.#feed.delivered(handle.id);
      await this.#reports?.report(handle.id);
    }
  }

  /** A workflow that was started before goes on. */
  async #start(engine: Engine, workflowId: string): Promise<ExecutionHandle> {
    this.#currentWorkflow = workflowId;
    const instance = this.#instances.get(workflowId);
    if (instance === undefined) return await engine.get(workflowId);
    const { definition, input } = instance;
    this.#catalog.remember(workflowId, input);
    const handle = await engine.start(definition, input as unknown as Json, { id: workflowId });
    this.#instances.delete(workflowId);
    return handle;
  }

  #sessionsMax(): number {
    const { maxConcurrentSessions } = this.#config.session;
    const { strategy } = this.taskScheduler;
    return strategy instanceof AdaptiveScheduler
      ? Math.min(maxConcurrentSessions, strategy.maxParallel())
      : maxConcurrentSessions;
  }

  /** A strategy that the engine never asks would have no effect. */
  #assertStrategy(): void {
    if (this.#strategy === undefined)
      throw new CodeError(
        "CONFIGURATION_INVALID",
        "the engine was opened without `codeStrategy()`; pass it to `Engine.open` and as `engineStrategy`",
      );
  }

  async #handle(workflowId: string): Promise<ExecutionHandle> {
    return await (await this.#engine()).get(workflowId);
  }
}
