// @segno/engine: the part that does.

import "@segno/contract/node-version";

export { BaseAgent, functionAgent, type Agent, type AgentFunction } from "./agents/agent.ts";
export { expand, type ExpandOptions, type Expansion } from "./agents/expansion.ts";
export { skip } from "./agents/skip.ts";
export type { StepContext } from "./agents/step-context.ts";
export { ActionExecutor, type DispatchOptions } from "./actions/action-executor.ts";
export type { ActionStatus } from "./actions/action-status.ts";
export { EpochConflictError } from "./actions/epoch-conflict-error.ts";
export { LeaseExpiredError } from "./actions/lease-expired-error.ts";
export type { ActionNode, ActionNodes, ActionResults } from "./actions/node-agent.ts";
export type { DispatchablePlan } from "./actions/plan-check.ts";
export { readAction } from "./actions/read-action.ts";
export { agent, type NamedAgent } from "./builder/named-agent.ts";
export { exec, http, shell, type CallWork, type CommandOutput, type HttpOutput } from "./builder/command.ts";
export {
  approval,
  barrier,
  child,
  map,
  sleep,
  sleepUntil,
  waitForSignal,
  type Approval,
  type FlowWork,
  type ItemHandler,
  type Items,
  type MapOptions,
  type MapSource,
  type MapWork,
} from "./builder/flow-work.ts";
export type { StandardSchema } from "./builder/standard-schema.ts";
export type { Dependency, StepOptions, WorkflowOptions } from "./builder/step-options.ts";
export { workflow, WorkflowBuilder, type Handler, type InputTypes, type StepWork } from "./builder/workflow.ts";
export type { Environment } from "./clock/environment.ts";
export { SystemEnvironment } from "./clock/system-environment.ts";
export { referencesIn } from "./registry/called-workflows.ts";
export type { EventBatch, WatchFilter, WatchHandler } from "./events/bus.ts";
export {
  createJsonLogger,
  type JsonLoggerOptions,
  type LogFields,
  type Logger,
  type StepLogger,
  type LogLevel,
} from "./events/logger.ts";
export type { WatchEvent } from "./events/watch-event.ts";
export { Engine } from "./api/engine.ts";
export type { EngineLimits, EngineOptions } from "./api/engine-options.ts";
export type { StartArguments, StartOptions } from "./inbox/start-options.ts";
export type { Ownership } from "./ownership/ownership.ts";
export { ExecutionError } from "./checks/execution-error.ts";
export { notUndoneText } from "./why/not-undone.ts";
export type { Verification } from "./api/store-maintenance.ts";
export type { CheckedExecution } from "./api/checking/execution-check.ts";
export type { Finding, FindingCode } from "./api/checking/finding.ts";
export type { CheckedPart, CheckedStore } from "./api/checking/store-check.ts";
export type { RemainingDamage, RepairReport } from "./api/checking/store-repair.ts";
export type { ExecutionHandle, ExecutionReport, StepReport } from "./api/execution-handle.ts";
export type { CancelOptions, CommandResult, RetryOptions, VoteOptions } from "./inbox/command-options.ts";
export type { ExecutionList, ListedExecution, ListFilter } from "./api/listing.ts";
export type { LogOptions } from "./api/execution-queries.ts";
export { giveToStep, type UncaughtInStep } from "./events/step-output.ts";
export type { FailedAttempt, FailureOptions, Resolution } from "./runners/failure-rules.ts";
export type { SchedulingStrategy, Strategy, StrategyName } from "./scheduler/strategy.ts";
export { fileSecrets } from "./secrets/file-secrets.ts";
export {
  environmentSecrets,
  firstSource,
  providedSecrets,
  type SecretProvider,
  type SecretSource,
} from "./secrets/source.ts";
export { listSecretNames } from "./secrets/secret-names.ts";
export type { Backup } from "./store/backup.ts";
export type { Codec } from "./store/codec.ts";
export type { LogCut, LogLine as StepLogLine, LogStream, StoredLine } from "./store/step-logs.ts";
export type { EndedReason, Reason, SkipCause, Waiting } from "./why/reason.ts";
export type { BuiltWorkflow } from "./registry/registry.ts";
export type { Store } from "./store/store.ts";
export type { StoreAdmin } from "./store/store-admin.ts";
export { StoreFault } from "./store/store-fault.ts";
export {
  inspectOrigin,
  inspectOwner,
  inspectPages,
  inspectSchema,
  type StoreOwner,
} from "./store/sqlite/inspection.ts";
export { repairFile } from "./api/checking/repair-file.ts";
export { WholeFile } from "./store/whole-file.ts";
