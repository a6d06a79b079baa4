// @segno/code: coding agents on a git repository.

import "@segno/contract/node-version";

export { CodeError } from "./errors/code-error.ts";
export type { CodeErrorCode } from "./errors/error-codes.ts";
export { EventType } from "./model/event-type.ts";
export { ErrorType, type ErrorClass } from "./model/error-type.ts";
export type { TaskRetryPolicy as RetryPolicy } from "./model/retry-policy.ts";
export type { WorkflowContext, WorkflowState, WorkflowStatus } from "./model/workflow-context.ts";
export type { ExecutionSession, SessionStatus, TaskArtefact, TaskContext } from "./model/execution-session.ts";
export type {
  ConflictInfo,
  ConflictingFile,
  MergeError,
  MergeResult,
  MergeState,
  MergeStatus,
  MergeWait,
} from "./model/merge-result.ts";
export type {
  CodeErrorContext as ErrorContext,
  ErrorResolution,
  ErrorResolutionStrategy,
  FixContext,
} from "./model/error-resolution.ts";
export type { CodeTask as Task, CodeTaskResult as TaskResult, NewTask, TaskChanges, TaskStatus } from "./model/task.ts";
export type { Claims, TaskBackend, Tasks } from "./tasks/task-backend.ts";
export type {
  AgentExecutor,
  AgentReport,
  AgentRunOptions,
  AgentSession,
  AgentSessionRequest,
  SessionOutput,
} from "./agents/agent-executor.ts";
export type { AgentOutcome } from "./agents/agent-outcome.ts";
export type { AgentUsage, ReportedResult } from "./agents/agent-event.ts";
export type { AgentConfiguration, PresetConfiguration, ProgramConfiguration } from "./agents/agent-configuration.ts";
export { AcpAgents, type AcpAgentsOptions } from "./agents/acp-agents.ts";
export type { PermissionPolicy, PermissionRequest } from "./agents/permission-policy.ts";
export { CommandAgents, type CommandAgentsOptions } from "./agents/command-agents.ts";
export {
  MemoryAgents,
  type AgentScript,
  type MemoryAgentsOptions,
  type ScriptedAgent,
} from "./agents/memory-agents.ts";
export { checkConformance, type ConformanceCheck, type ConformanceOptions } from "./agents/conformance.ts";
export { localProcesses, type LocalProcessesOptions } from "./agents/local-processes.ts";
export type { ProcessStarter, ProcessToStart, StartedProcess } from "./agents/process-starter.ts";
export type {
  CommitOutcome,
  CommitRequest,
  Workspace,
  WorkspaceRequest,
  Workspaces,
  WorkspaceStatus,
} from "./workspaces/workspaces.ts";
export type {
  Branches,
  BranchMergeOutcome,
  BranchStatus,
  CheckResult,
  LandingMarker,
  MergeBranchRequest,
  MergedCommit,
} from "./vcs/branches.ts";
export type {
  NewPullRequest,
  PullRequest,
  PullRequestChecks,
  PullRequestMerge,
  PullRequests,
  PullRequestStatus,
} from "./vcs/pull-requests.ts";
export type {
  StepMergePolicy,
  StepMergeRequest,
  WorkflowMergePolicy,
  WorkflowMergeRequest,
} from "./merging/merge-policies.ts";
export type { EventFilter, EventHandler, EventPort, ExecutionEvent } from "./events/event-port.ts";
