// @segno/code: coding agents on a git repository.

import "@segno/contract/node-version";

export { CodeError } from "./errors/code-error.ts";
export type { CodeErrorCode } from "./errors/error-codes.ts";
export type {
  CodeErrorContext as ErrorContext,
  ErrorResolution,
  ErrorResolutionStrategy,
  FixContext,
} from "./model/error-resolution.ts";
export { ErrorType, type ErrorClass } from "./model/error-type.ts";
export { EventType } from "./model/event-type.ts";
export type {
  CodeTaskContext as TaskContext,
  ExecutionSession,
  SessionStatus,
  TaskArtefact,
} from "./model/execution-session.ts";
export type { ForgeConfiguration } from "./model/forge-configuration.ts";
export type { MergePolicyName } from "./model/merge-policy-name.ts";
export type {
  ConflictInfo,
  ConflictingFile,
  FailedMerge,
  MergeError,
  MergeResult,
  MergeState,
  MergeStatus,
  MergeWait,
} from "./model/merge-result.ts";
export type { ParameterValue, ParameterValues } from "./model/parameter-values.ts";
export type { TaskRetryPolicy as RetryPolicy } from "./model/retry-policy.ts";
export type { CodeTask as Task, CodeTaskResult as TaskResult, NewTask, TaskChanges, TaskStatus } from "./model/task.ts";
export type { WorkflowContext, WorkflowState, WorkflowStatus } from "./model/workflow-context.ts";
export { LANDING_NAME, type RefName } from "./git/branch-names.ts";
export {
  MemoryRepository,
  type MemoryCommit,
  type MemoryFiles,
  type MemoryMerge,
  type NewMemoryCommit,
} from "./git/memory-repository.ts";
export type { MemoryStep } from "./git/memory-step.ts";
export type { Identity } from "./git/object-git.ts";
export type { Oid } from "./git/oid.ts";
export type { RefChange, RefOutcome } from "./git/ref-transaction.ts";
export { AcpAgents, type AcpAgentsOptions } from "./agents/acp-agents.ts";
export type {
  AcpConfiguration,
  AgentConfiguration,
  AgentOptions,
  CommandConfiguration,
  PresetConfiguration,
  ProgramConfiguration,
} from "./agents/agent-configuration.ts";
export type { AgentStatus, AgentUsage, ReportedResult } from "./agents/agent-event.ts";
export type {
  AgentExecutor,
  AgentReport,
  AgentRunOptions,
  AgentSession,
  AgentSessionRequest,
  SessionOutput,
} from "./agents/agent-executor.ts";
export type { AgentOutcome } from "./agents/agent-outcome.ts";
export { CommandAgents, type CommandAgentsOptions } from "./agents/command-agents.ts";
export { checkConformance, type ConformanceCheck, type ConformanceOptions } from "./agents/conformance.ts";
export {
  MemoryAgents,
  type AgentScript,
  type MemoryAgentsOptions,
  type ScriptedAgent,
} from "./agents/memory-agents.ts";
export type { PermissionPolicy, PermissionRequest } from "./agents/permission-policy.ts";
export type { PresetName } from "./agents/presets.ts";
export type { ProcessAgents } from "./agents/process-agents.ts";
export { LocalProcesses, type LocalProcessesOptions } from "@segno/engine";
export type { ProcessStarter } from "./agents/process-starter.ts";
export { RoutedAgents, type RoutedAgentsOptions } from "./agents/routed-agents.ts";
export { compileTemplate, type CompileOptions } from "./template/compile-template.ts";
export type { MergeTargets } from "./template/merge-resources.ts";
export { loadTemplate, type TemplateText } from "./template/load-template.ts";
export type { GivenValues } from "./template/parameter-values.ts";
export type {
  CodeTemplate as Template,
  Parameter,
  TemplatePolicies,
  TemplateTask,
  WorkspaceKind,
} from "./template/template.ts";
export {
  EXECUTOR_DEFAULTS,
  loadExecutorConfig,
  type EventLevel,
  type EventStream,
  type ExecutorConfig,
} from "./config/executor-config.ts";
export { CLAIM_LEASE_MS, CLAIM_RENEWAL_MS } from "./tasks/claim-lease.ts";
export { FileTaskBackend } from "./tasks/file-tasks.ts";
export { MemoryTaskBackend } from "./tasks/memory-tasks.ts";
export type { RecordedBackend, RecordedBackendOptions } from "./tasks/recorded-backend.ts";
export type { Claims, TaskBackend, Tasks } from "./tasks/task-backend.ts";
export type { TaskRecord } from "./tasks/task-record.ts";
export type { DiffStat } from "./git/file-change.ts";
export { COMMIT_POLICY, type CommitPolicy } from "./workspaces/commit-policy.ts";
export type { FolderWorkspacesOptions } from "./workspaces/folder-workspaces.ts";
export { MemoryWorkspaces, type MemoryFolder } from "./workspaces/memory-workspaces.ts";
export type {
  CommitOutcome,
  CommitRequest,
  DestroyOptions,
  Workspace,
  WorkspaceRequest,
  WorkspaceStatus,
  Workspaces,
} from "./workspaces/workspaces.ts";
export type {
  BranchMergeOutcome,
  BranchStatus,
  Branches,
  CheckResult,
  LandingMarker,
  MergeBranchRequest,
  MergedCommit,
} from "./vcs/branches.ts";
export { MemoryVcs } from "./vcs/memory-vcs.ts";
export type {
  FoundConflict,
  NewPullRequest,
  PullRequest,
  PullRequestChecks,
  PullRequestMerge,
  PullRequestStatus,
  PullRequestTexts,
  PullRequests,
} from "./vcs/pull-requests.ts";
export type { Vcs } from "./vcs/vcs.ts";
export {
  ForgeError,
  ForgeLimitError,
  ForgePendingError,
  type ForgeErrorCode,
  type ForgeErrorDetails,
} from "./github/forge-error.ts";
export type { GitHubOptions } from "./github/github-options.ts";
export type {
  MergePolicy,
  MergePolicyRequest,
  StepMergePolicy,
  StepMergeRequest,
  WorkflowMergePolicy,
  WorkflowMergeRequest,
} from "./merging/merge-policies.ts";
export { MemoryMergePolicy, type MergeScript, type ScriptedMerge } from "./merging/memory-merge-policy.ts";
export {
  AutoMergePolicy,
  ChecksMergePolicy,
  ManualMergePolicy,
  PullRequestPolicy,
  mergePolicy,
  type RecordedPolicy,
} from "./merging/policies.ts";
export {
  SessionManager,
  type SessionDetails,
  type SessionManagerOptions,
  type SessionResult,
} from "./sessions/session-manager.ts";
export { ErrorHandler, type ErrorHandlerOptions, type MergeErrorState } from "./resolution/error-handler.ts";
export { AdaptiveScheduler } from "./scheduling/adaptive-scheduler.ts";
export {
  CodeStrategy,
  codeStrategy,
  type ScheduledWorkflow,
  type ScheduledWorkflows,
} from "./scheduling/code-strategy.ts";
export { systemResources, type AvailableResources, type ResourceMonitor } from "./scheduling/resource-monitor.ts";
export {
  fifoStrategy,
  parallelStrategy,
  priorityStrategy,
  type RankedTask,
  type SchedulingStrategy,
  type SchedulingStrategyName,
} from "./scheduling/scheduling-strategy.ts";
export {
  SpeculativeScheduler,
  oneOpenDependency,
  type PredictedWorkflow,
  type TaskPredictor,
} from "./scheduling/speculative-scheduler.ts";
export { TaskScheduler, type SchedulingControl } from "./scheduling/task-scheduler.ts";
export { DerivedEvents, deriveEvents } from "./events/derive-events.ts";
export { EventBus, type EventBusOptions } from "./events/event-bus.ts";
export { codeEvents } from "./events/event-feed.ts";
export type { CodeEvent as ExecutionEvent, EventFilter, EventHandler, EventPort } from "./events/event-port.ts";
export { EventPublisher, type EventPublisherOptions, type NewEvent } from "./events/event-publisher.ts";
export { levelOfEvent, toRecord } from "./events/event-record.ts";
export { codeMetrics } from "./events/code-metrics.ts";
export { MetricsFold, type ExecutorMetrics } from "./events/executor-metrics.ts";
export type { Histogram, HistogramBucket } from "@segno/engine";
export { MemoryEvents } from "./events/memory-events.ts";
export type { ReadValue } from "./events/merge-facts.ts";
export { openStreams, type EventStreams, type StreamPorts } from "./events/open-streams.ts";
export type { CodePorts, StepPorts } from "./steps/code-ports.ts";
export type { WorkflowPlan } from "./steps/initialize-workflow.ts";
export type { CodeInput, CodeSettings } from "./steps/step-values.ts";
export {
  CheckpointManager,
  type CheckpointSource,
  type ExecutorState,
  type WorkflowProgress,
} from "./executor/checkpoint-manager.ts";
export { IntegrationManager, type IntegrationManagerOptions } from "./executor/integration-manager.ts";
export { JournalTasks, type JournalTasksOptions } from "./executor/journal-tasks.ts";
export { mergeHistory, type MergeRecord } from "./executor/merge-history.ts";
export type { MergeJournal } from "./executor/merge-journal.ts";
export type { WorkflowControl } from "./executor/workflow-control.ts";
export {
  WorkflowExecutor,
  type CodeWorkflowResult as WorkflowResult,
  type ExecutorOptions,
  type ExecutorPorts,
} from "./executor/workflow-executor.ts";
export type { OwnEngineOptions } from "./executor/own-engine.ts";
export { WorkflowManager, type WorkflowManagerPorts } from "./executor/workflow-manager.ts";
export {
  inspectCode,
  type CleanResult,
  type CodeInspection,
  type PullRequestReport,
} from "./project/code-inspection.ts";
export { CodeRuntimes, type CodeRuntimesOptions } from "./project/code-runtimes.ts";
export { parseParameters, prepareStart, type CodeStart, type CodeStartRequest } from "./project/code-start.ts";
export { openGitRepository, type GitRepository } from "./project/git-repository.ts";
export { createSampleRepository } from "./project/sample-repository.ts";
export type { StreamFeedsOptions } from "./project/stream-feeds.ts";
export { readCodeReport, type CodeReport, type TaskProgress, type TaskReport } from "./project/task-report.ts";
export { WorkflowStrategies } from "./project/workflow-strategies.ts";
