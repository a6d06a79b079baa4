// Runs templates on the one engine, with the ports of a program (CODE-14).

import { randomUUID } from "node:crypto";
import { Engine, type ExecutionHandle, type ExecutionReport, type StepContext } from "@segno/engine";
import type { Definition, Json } from "@segno/kernel";
import { EXECUTOR_DEFAULTS, type ExecutorConfig } from "../config/executor-config.ts";
import { CodeError } from "../errors/code-error.ts";
import { checkTaskId } from "../git/branch-names.ts";
import type { ErrorResolutionStrategy } from "../model/error-resolution.ts";
import type { WorkflowStatus } from "../model/workflow-context.ts";
import { SessionManager } from "../sessions/session-manager.ts";
import type { CodePorts } from "../steps/code-ports.ts";
import { registerSteps } from "../steps/code-steps.ts";
import type { StepRuntime } from "../steps/step-runtime.ts";
import type { CodeInput } from "../steps/step-values.ts";
import { bindTemplate } from "../template/bound-template.ts";
import { compileTemplate } from "../template/compile-template.ts";
import type { GivenValues } from "../template/parameter-values.ts";
import type { CodeTemplate } from "../template/template.ts";
import { codeSettings, compileOptions } from "./code-settings.ts";
import { completedTasks, escalatedStep, toWorkflowStatus } from "./workflow-progress.ts";

export interface ExecutorOptions {
  /** The engine that runs the workflows. By default the executor opens one without a store. */
  readonly engine?: Engine;
  readonly config?: ExecutorConfig;
  readonly errorResolution?: ErrorResolutionStrategy;
  /** The branch that receives the work. */
  readonly baseBranch?: string;
  /** The folder below which sessions keep their files. */
  readonly sessionFolder?: string;
}

export interface WorkflowResult {
  readonly success: boolean;
  readonly workflowId: string;
  readonly completedTasks: readonly string[];
}

interface Instance {
  readonly definition: Definition;
  readonly input: CodeInput;
}

export class WorkflowExecutor implements AsyncDisposable {
  readonly #ports: CodePorts;
  readonly #options: ExecutorOptions;
  readonly #config: ExecutorConfig;
  readonly #sessions: SessionManager;
  readonly #instances = new Map<string, Instance>();
  readonly #executorId = randomUUID();
  #opening: Promise<Engine> | undefined;

  constructor(ports: CodePorts, options: ExecutorOptions = {}) {
    this.#ports = ports;
    this.#options = options;
    this.#config = options.config ?? EXECUTOR_DEFAULTS;
    this.#sessions = new SessionManager(ports.workspacePort, ports.agentExecutor, {
      maxConcurrentSessions: this.#config.session.maxConcurrentSessions,
      ...(options.sessionFolder === undefined ? {} : { folder: options.sessionFolder }),
    });
  }

  /** Checks the template and its parameters, and gives back the id of the workflow. Nothing runs yet. */
  async instantiateTemplate(template: CodeTemplate, parameters: GivenValues, id?: string): Promise<string> {
    const workflowId = id ?? randomUUID();
    checkTaskId(workflowId);
    const input: CodeInput = {
      ...bindTemplate(template, parameters),
      baseBranch: this.#options.baseBranch ?? "main",
      settings: codeSettings(template, this.#config),
    };
    this.#instances.set(workflowId, { definition: compileTemplate(template, compileOptions(this.#config)), input });
    return workflowId;
  }

  /** Runs a workflow to its end. Rejects if it fails, is cancelled, or needs a person. */
  async executeWorkflow(workflowId: string): Promise<WorkflowResult> {
    const engine = await this.#engine();
    const handle = await this.#start(engine, workflowId);
    const { promise: escalation, reject } = Promise.withResolvers<never>();
    const unsubscribe = engine.subscribe({ executionId: workflowId }, ({ events }) => {
      const step = escalatedStep(events);
      if (step !== undefined)
        reject(new CodeError("TASK_ESCALATED", `the workflow ${workflowId} waits for a person at \`${step}\``));
    });
    try {
      await Promise.race([handle.result(), escalation]);
      return { success: true, workflowId, completedTasks: completedTasks(await handle.status()) };
    } finally {
      unsubscribe();
    }
  }

  async pauseWorkflow(workflowId: string): Promise<void> {
    await (await this.#handle(workflowId)).pause();
  }

  async resumeWorkflow(workflowId: string): Promise<void> {
    await (await this.#handle(workflowId)).resume();
  }

  async cancelWorkflow(workflowId: string): Promise<void> {
    await (await this.#handle(workflowId)).cancel();
  }

  async getWorkflowStatus(workflowId: string): Promise<WorkflowStatus> {
    return toWorkflowStatus(workflowId, await this.#report(workflowId), this.#sessions.getActiveSessionCount());
  }

  /** Closes the engine, unless the program gave it. */
  async close(): Promise<void> {
    if (this.#options.engine === undefined) await (await this.#opening)?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #engine(): Promise<Engine> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<Engine> {
    const engine = this.#options.engine ?? (await Engine.open({ store: "none" }));
    registerSteps(engine, async () => this.#runtime(engine));
    return engine;
  }

  #runtime(engine: Engine): StepRuntime {
    return {
      ports: this.#ports,
      sessions: this.#sessions,
      executorId: this.#executorId,
      strategy: this.#options.errorResolution,
      processes: (context: StepContext) => ({ start: (command) => engine.extensions.spawn(context, command) }),
      maskText: (text) => engine.mask(text),
      pause: async (id) => void (await (await engine.get(id)).pause()),
    };
  }

  /** A workflow that was started before goes on. */
  async #start(engine: Engine, workflowId: string): Promise<ExecutionHandle> {
    const instance = this.#instances.get(workflowId);
    if (instance === undefined) return await engine.get(workflowId);
    const { definition, input } = instance;
    return await engine.start(definition, input as unknown as Json, { id: workflowId });
  }

  async #handle(workflowId: string): Promise<ExecutionHandle> {
    return await (await this.#engine()).get(workflowId);
  }

  async #report(workflowId: string): Promise<ExecutionReport> {
    return await (await this.#handle(workflowId)).status();
  }
}
