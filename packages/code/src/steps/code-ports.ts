// The ports of an executor, as 003 names them.

import type { AgentExecutor } from "../agents/agent-executor.ts";
import type { EventPort } from "../events/event-port.ts";
import type { StepMergePolicy, WorkflowMergePolicy } from "../merging/merge-policies.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import type { Vcs } from "../vcs/vcs.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";

export interface CodePorts {
  readonly taskBackend: TaskBackend;
  readonly agentExecutor: AgentExecutor;
  readonly workspacePort: Workspaces;
  readonly vcsPort: Vcs;
  readonly stepMergePolicy: StepMergePolicy;
  readonly workflowMergePolicy: WorkflowMergePolicy;
  readonly eventPort: EventPort;
}
