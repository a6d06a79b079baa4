// A workflow with its own store, and the process that runs it. The process may crash; another one goes on.

import { Engine, type ExecutionReport } from "@segno/engine";
import { FaultyStore, MemoryStore, SharedStorage, SILENT_LOGGER, type SimulatedWorld } from "@segno/engine/testing";
import { SegnoError, type Definition, type Json } from "@segno/kernel";
import { EXECUTOR_DEFAULTS, type ExecutorConfig } from "../../src/config/executor-config.ts";
import { codeSettings, compileOptions } from "../../src/executor/code-settings.ts";
import { engineHost } from "../../src/executor/engine-host.ts";
import { MergeCancellations } from "../../src/executor/merge-cancellations.ts";
import { SpendingBook } from "../../src/executor/spending-book.ts";
import { mergePolicy } from "../../src/merging/policies.ts";
import { SessionManager } from "../../src/sessions/session-manager.ts";
import { UnlandedWork } from "../../src/sessions/unlanded-work.ts";
import type { StepPorts } from "../../src/steps/code-ports.ts";
import { registerSteps } from "../../src/steps/code-steps.ts";
import type { StepRuntime } from "../../src/steps/step-runtime.ts";
import type { CodeInput } from "../../src/steps/step-values.ts";
import { bindTemplate } from "../../src/template/bound-template.ts";
import { compileTemplate } from "../../src/template/compile-template.ts";
import { loadTemplate } from "../../src/template/load-template.ts";
import type { CodeTemplate } from "../../src/template/template.ts";
import { MemoryVcs } from "../../src/vcs/memory-vcs.ts";
import { MemoryWorkspaces } from "../../src/workspaces/memory-workspaces.ts";
import type { Workspaces } from "../../src/workspaces/workspaces.ts";
import type { LandingDisk } from "./landing-disk.ts";
import type { WorkflowPlan } from "./landing-plan.ts";
import { SimulatedAgents } from "./simulated-agents.ts";
import { SimulatedChecks } from "./simulated-checks.ts";
import type { SimulatedPerson } from "./simulated-person.ts";
import { SimulatedProcess, type CrashChance } from "./simulated-process.ts";

const AGAIN_MS = 600;

export interface SiteOptions {
  readonly world: SimulatedWorld;
  readonly disk: LandingDisk;
  readonly person: SimulatedPerson;
  readonly chance: CrashChance;
  readonly note: (line: string) => void;
}

export class LandingSite {
  readonly plan: WorkflowPlan;
  crashes = 0;
  engine: Engine | undefined;
  process: SimulatedProcess | undefined;
  readonly #options: SiteOptions;
  readonly #storage = new SharedStorage(new MemoryStore());
  readonly #definition: Definition;
  readonly #input: CodeInput;
  #processes = 0;
  #isClosed = false;

  constructor(plan: WorkflowPlan, options: SiteOptions) {
    this.plan = plan;
    this.#options = options;
    const template = toTemplate(plan);
    const config = toConfig(plan);
    this.#definition = compileTemplate(template, compileOptions(config));
    const settings = { ...codeSettings(template, config), executorId: plan.id };
    this.#input = { ...bindTemplate(template, {}), baseBranch: "main", settings };
  }

  open(): void {
    const { world, chance, note } = this.#options;
    const process = new SimulatedProcess(world.process(`${this.plan.id}${++this.#processes}`), chance);
    const { environment } = process;
    this.process = process;
    environment.onCrash(() => {
      if (this.#isClosed) return;
      note(`crash of ${environment.name}`);
      this.crashes++;
      this.engine = undefined;
      world.schedule(world.random.below(AGAIN_MS), "open again", () => this.open());
    });
    const store = new FaultyStore(this.#storage, environment);
    void Engine.open({
      store,
      environment,
      logger: SILENT_LOGGER,
      onFault: (error) => note(`fault ${String(error)}`),
    }).then((engine) => this.#start(engine, process));
  }

  close(): void {
    this.#isClosed = true;
    this.process?.environment.crash();
  }

  /** The status of the execution; undefined while no process is open. */
  async status(): Promise<ExecutionReport | undefined> {
    return await (await this.engine?.get(this.plan.id))?.status();
  }

  async #start(engine: Engine, process: SimulatedProcess): Promise<void> {
    this.engine = engine;
    const runtime = this.#runtime(engine, process);
    registerSteps(engine, async () => runtime);
    try {
      await engine.start(this.#definition, this.#input as unknown as Json, { id: this.plan.id });
    } catch (error) {
      if (!(error instanceof SegnoError && error.code === "EXECUTION_EXISTS")) throw error;
    }
    await this.#options.person.watch(process, engine, this.plan);
  }

  #runtime(engine: Engine, process: SimulatedProcess): StepRuntime {
    const ports = this.#ports(process);
    return {
      ports,
      sessions: new SessionManager(ports.workspacePort, ports.agentExecutor),
      unlanded: new UnlandedWork(),
      executorId: process.environment.name,
      host: {
        ...engineHost(engine, new SpendingBook(), new MergeCancellations()),
        processes: () => new SimulatedChecks(process, this.#options.disk),
        maskText: (text) => text,
        after: (ms, call) => engine.extensions.after(ms, call),
      },
    };
  }

  #ports(process: SimulatedProcess): StepPorts {
    const { disk } = this.#options;
    const onStep = (name: string): Promise<void> => process.step(name);
    const workspaces = new MemoryWorkspaces(disk.repository, { folders: disk.folders, onStep });
    return {
      taskBackend: process.slow("tasks", disk.backend),
      agentExecutor: new SimulatedAgents(process, disk, this.plan),
      workspacePort: process.slow("workspaces", withRecord(workspaces, disk)),
      vcsPort: process.slow("vcs", new MemoryVcs(disk.repository, onStep)),
      stepMergePolicy: mergePolicy(this.plan.stepPolicy),
      workflowMergePolicy: mergePolicy(this.plan.workflowPolicy),
    };
  }
}

/** Records the commits that hold work. */
function withRecord(workspaces: MemoryWorkspaces, { works }: LandingDisk): Workspaces {
  return {
    createWorkspace: (request) => workspaces.createWorkspace(request),
    getWorkspacePath: (id) => workspaces.getWorkspacePath(id),
    checkoutCommit: (id, commit) => workspaces.checkoutCommit(id, commit),
    commitChanges: async (id, request) => {
      const outcome = await workspaces.commitChanges(id, request);
      if (outcome.kind === "committed") works.add(outcome.commit);
      return outcome;
    },
    getWorkspaceStatus: (id) => workspaces.getWorkspaceStatus(id),
    destroyWorkspace: (id) => workspaces.destroyWorkspace(id),
  };
}

function toTemplate({ id, tasks, checks, stepPolicy, workflowPolicy }: WorkflowPlan): CodeTemplate {
  const text = JSON.stringify({
    name: `workflow-${id}`,
    policies: { step: stepPolicy, workflow: workflowPolicy, checks },
    tasks: tasks.map((task) => ({ id: task.id, instructions: `do ${task.id}`, dependsOn: task.dependsOn })),
  });
  return loadTemplate({ text });
}

function toConfig({ fixesMax }: WorkflowPlan): ExecutorConfig {
  return { ...EXECUTOR_DEFAULTS, integration: { ...EXECUTOR_DEFAULTS.integration, maxFixAttempts: fixesMax } };
}
