// The ports of an executor, as 003 names them.

import type { AgentExecutor } from "../agents/agent-executor.ts";
import type { EventPort } from "../events/event-port.ts";
import type { StepMergePolicy, WorkflowMergePolicy } from "../merging/merge-policies.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import type { Vcs } from "../vcs/vcs.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";

/** The ports that steps use. Events are derived from the journal, so no step publishes one. */
export interface StepPorts {
  readonly taskBackend: TaskBackend;
  readonly agentExecutor: AgentExecutor;
  readonly workspacePort: Workspaces;
  readonly vcsPort: Vcs;
  readonly stepMergePolicy: StepMergePolicy;
  readonly workflowMergePolicy: WorkflowMergePolicy;
}

/** The collaborators of a code workflow, with the port of its events. */
export interface CodePorts extends StepPorts {
  readonly eventPort: EventPort;
}
