// An executor whose ports are all in memory.

import { MemoryAgents, type AgentScript } from "../../src/agents/memory-agents.ts";
import { EXECUTOR_DEFAULTS, type ExecutorConfig } from "../../src/config/executor-config.ts";
import { WorkflowExecutor, type ExecutorOptions } from "../../src/executor/workflow-executor.ts";
import { MemoryEvents } from "../../src/events/memory-events.ts";
import { MemoryRepository } from "../../src/git/memory-repository.ts";
import { AutoMergePolicy } from "../../src/merging/policies.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { MemoryVcs } from "../../src/vcs/memory-vcs.ts";
import { MemoryWorkspaces } from "../../src/workspaces/memory-workspaces.ts";
import type { CodePorts } from "../../src/steps/code-ports.ts";

export class MemoryExecutor implements AsyncDisposable {
  readonly repository = new MemoryRepository();
  readonly vcs = new MemoryVcs(this.repository);
  readonly workspaces = new MemoryWorkspaces(this.repository);
  readonly backend = new MemoryTaskBackend();
  readonly events = new MemoryEvents();
  readonly agents: MemoryAgents;
  readonly executor: WorkflowExecutor;
  readonly ports: CodePorts;

  constructor(
    scripts: Readonly<Record<string, AgentScript | readonly AgentScript[]>> = {},
    { config, ...options }: Partial<ExecutorOptions & { readonly ports: Partial<CodePorts> }> = {},
  ) {
    this.agents = new MemoryAgents({ tasks: scripts });
    const policy = new AutoMergePolicy();
    this.ports = {
      taskBackend: this.backend,
      agentExecutor: this.agents,
      workspacePort: this.workspaces,
      vcsPort: this.vcs,
      stepMergePolicy: policy,
      workflowMergePolicy: policy,
      eventPort: this.events,
      ...options.ports,
    };
    this.executor = new WorkflowExecutor(this.ports, {
      config: config ?? quick(EXECUTOR_DEFAULTS),
      ...(options.engine === undefined && options.file === undefined ? { store: "none" } : {}),
      ...options,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.executor.close();
  }
}

/** Without delays between attempts. */
export function quick(config: ExecutorConfig): ExecutorConfig {
  return { ...config, retry: { ...config.retry, baseDelay: 0, maxDelay: 0 } };
}
