// @segno/engine: runs workflows. The kernel decides, and the engine carries the decisions out.

import "@segno/contract/node-version";

export {
  BaseAgent,
  functionAgent,
  type Agent,
  type AgentFunction,
  type GivenAgent,
  type NamedAgent,
} from "./agents/agent.ts";
export { expand, isExpansion, type ExpandOptions, type Expansion } from "./agents/expansion.ts";
export { isSkip, skip, skipReason, type Skip } from "./agents/skip.ts";
export type { Jsonified, JsonLike } from "./agents/jsonified.ts";
export type { CallContext, CallOptions, RecordedValue, RecordedWork, RunCall } from "./agents/recorded-call.ts";
export type {
  CompensationContext,
  ConditionContext,
  ExecutionInfo,
  HandlerContext,
  ItemContext,
  IterationContext,
  ReceivedArtifact,
  ReceivedArtifacts,
  StepContext,
  StepInfo,
} from "./agents/step-context.ts";
export { child, type ChildWork } from "./builder/child-work.ts";
export { agent } from "./builder/named-agent.ts";
export {
  exec,
  http,
  shell,
  type CallWork,
  type CommandOutput,
  type HttpOutput,
  type CommandOptions,
  type ProgramOptions,
} from "./builder/command.ts";
export {
  approval,
  barrier,
  map,
  sleep,
  sleepUntil,
  waitForSignal,
  type AnsweredApproval,
  type Approval,
  type ApprovalOptions,
  type ApprovalVote,
  type FlowWork,
  type ItemHandler,
  type Items,
  type MapOptions,
  type MapSource,
  type MapWork,
  type MatrixItem,
  type MatrixLists,
  type ItemWork,
  type SignalWaitOptions,
} from "./builder/flow-work.ts";
export {
  repeat,
  type IterationWork,
  type OpenRepeatOptions,
  type RepeatedWork,
  type RepeatOptions,
  type RepeatUntil,
  type TypedRepeatOptions,
} from "./builder/repeated-work.ts";
export type { StandardSchema, StandardResult, StandardIssue } from "./builder/standard-schema.ts";
export type { OutputAgent, SchemaAgent } from "./builder/schema-agent.ts";
export type {
  ConditionOptions,
  Dependency,
  UntypedStepOptions,
  OutputOptions,
  StepOptions,
  WorkflowOptions,
  CheckedOptions,
  CompensationOptions,
} from "./builder/step-options.ts";
export {
  workflow,
  WorkflowBuilder,
  type Handler,
  type InputTypes,
  type StepWork,
  type CompensationHandler,
} from "./builder/workflow.ts";
export type { SystemPorts, AlarmTime } from "./clock/system-ports.ts";
export { SystemEnvironment } from "./clock/system-environment.ts";
export { referencesIn } from "./registry/called-workflows.ts";
export { isBuiltWorkflow } from "./registry/workflow-agents.ts";
export type { EventBatch, WatchFilter, WatchHandler } from "./events/bus.ts";
export { createJsonLogger, type JsonLoggerOptions } from "./events/json-logger.ts";
export { safeLogger } from "./events/safe-logger.ts";
export type { LogFields, Logger, LogLevel, LogMethod, StepLogger, StepLogLine } from "./events/logger.ts";
export { openSink, type SinkPorts } from "./sinks/open-sink.ts";
export type {
  CommonSinkOptions,
  FileSinkOptions,
  HttpSinkOptions,
  SinkOptions,
  StdoutSinkOptions,
} from "./sinks/sink-options.ts";
export type { Sink } from "./sinks/line-sink.ts";
export type { EngineSinkOptions } from "./sinks/engine-sinks.ts";
export type { SinkMetrics } from "./sinks/sink-metrics.ts";
export type { SinkWait } from "./sinks/sink-output.ts";
export type { SinkRecord } from "./sinks/sink-record.ts";
export type { WatchEvent } from "./events/watch-event.ts";
export { Engine } from "./api/engine.ts";
export type { EngineExtensions, ExecutionStates, Workload } from "./api/engine-extensions.ts";
export type { ArtifactLimits } from "./attempts/attempt-artifacts.ts";
export type { EngineLimits, EngineOptions, StoreOptions } from "./api/engine-options.ts";
export type { StartArguments, StartOptions } from "./inbox/start-options.ts";
export type { Ownership, OwnershipOptions } from "./ownership/ownership.ts";
export { ExecutionError, type ExecutionErrorDetails } from "./checks/execution-error.ts";
export { copyJson } from "./checks/copy-json.ts";
export { isName } from "./checks/names.ts";
export { invalidOption, unknownOption } from "./checks/option-error.ts";
export {
  ANYTHING,
  checkOptions,
  OBJECT,
  oneOf,
  TEXT,
  withMethods,
  type Rule as OptionRule,
} from "./checks/option-rules.ts";
export { KeyedMutex } from "./collections/keyed-mutex.ts";
export { HistogramFold, type Histogram, type HistogramBucket } from "./metrics/histogram.ts";
export {
  MetricMaker,
  type HistogramPoint,
  type Metric,
  type MetricCatalogue,
  type MetricDefinition,
  type MetricKind,
  type MetricPoint,
  type MetricsSnapshot,
} from "./metrics/metric.ts";
export { observeMetrics } from "./metrics/otel-metrics.ts";
export { prometheusText, PROMETHEUS_CONTENT_TYPE } from "./metrics/prometheus-text.ts";
export { hashJson } from "./journal/block-encoding.ts";
export { LocalProcesses, type LocalProcessesOptions } from "./runners/process/local-processes.ts";
export type { OwnedProcess, OwnedProcessExit, ProcessCommand } from "./runners/process/owned-process.ts";
export { StreamTail } from "./runners/process/stream-tail.ts";
export type { StreamMasker } from "./secrets/stream-masker.ts";
export type { ModuleMask } from "./runners/thread/module-call.ts";
export { ModuleThreads, type ModuleFunction, type ModuleThreadsOptions } from "./runners/thread/module-threads.ts";
export { notUndoneText } from "./why/not-undone.ts";
export type { Verification } from "./api/store-maintenance.ts";
export type { CheckedExecution, Rebuilt } from "./api/checking/execution-check.ts";
export type { Finding, FindingCode } from "./api/checking/finding.ts";
export type { CheckedPart, CheckedStore } from "./api/checking/store-check.ts";
export type { RemainingDamage, RepairReport } from "./api/checking/store-repair.ts";
export type { EventReadOptions, ExecutionHandle, ExecutionReport, StepReport } from "./api/execution-handle.ts";
export type { CancelOptions, CommandResult, RetryOptions, VoteOptions } from "./inbox/command-options.ts";
export type { ExecutionList, ListedExecution, ListFilter } from "./api/listing.ts";
export type { LogOptions } from "./api/execution-queries.ts";
export { assignToStep, type UncaughtInStep } from "./events/console-capture.ts";
export type { FailedAttempt, FailureOptions, Resolution } from "./runners/failure-callbacks.ts";
export type {
  CustomStrategy,
  Strategy,
  StrategyName,
  StoredExecution,
  ReadyStep,
  StrategyContext,
} from "./scheduler/strategy.ts";
export { fileSecrets, type FileSecretsOptions } from "./secrets/file-secrets.ts";
export {
  environmentSecrets,
  firstSource,
  providedSecrets,
  type SecretProvider,
  type SecretSource,
  type EnvironmentVariables,
} from "./secrets/source.ts";
export { findSecretFailure } from "./secrets/secret-failure.ts";
export { listSecretNames } from "./secrets/secret-names.ts";
export type { Backup, FrozenStore, Rewrite, OrphanedRows } from "./store/backup.ts";
export type { Codec } from "./store/codec.ts";
export type { LogCut, LogStream, StoredLine, LogLine, StepLogs, NewLogs, LogRequest } from "./store/step-logs.ts";
export type {
  EndedReason,
  Reason,
  SkipCause,
  Waiting,
  AdmissionReason,
  ApprovalReason,
  StepOfExecution,
} from "./why/reason.ts";
export type { BuiltWorkflow, RegisteredWorkflow, RegistryOptions } from "./registry/registry.ts";
export type {
  Store,
  Projection,
  IdempotencyEntry,
  CommitBatch,
  LoadResult,
  LastBlock,
  ContentRequest,
  Query,
  Page,
  NewMessage,
  MessageId,
  PollQuery,
  Poll,
  Append,
  Block,
  Summary,
  Content,
  Message,
} from "./store/store.ts";
export type { StoreAdmin, Examination } from "./store/store-admin.ts";
export { StoreFault, type StoreFaultCode, type RefusedIds } from "./store/store-fault.ts";
export {
  inspectOrigin,
  inspectOwner,
  inspectPages,
  inspectSchema,
  type StoreOwner,
} from "./store/sqlite/inspection.ts";
export { repairFile } from "./api/checking/repair-file.ts";
export { WholeFile } from "./store/whole-file.ts";
export type { LogListener, StreamChunk, StreamListener } from "./logs/log-writer.ts";
export type { StreamWriter } from "./agents/stream-writer.ts";
export type { ProgressListener } from "./logs/progress-writer.ts";
export type { StepProgress } from "./store/step-progress.ts";
export type { ProgressInput, ReportProgress } from "./agents/progress.ts";
export type { CloseOptions } from "./api/close-check.ts";
export type { ExecutionLimits } from "./executions/execution-limits.ts";
export type { InboxLimits } from "./inbox/command-sender.ts";
export type { AdmissionOptions } from "./turn/admission-controller.ts";
export type { AttemptOptions } from "./attempts/attempt-options.ts";
export type { LoggingOptions } from "./events/engine-logger.ts";
export type { RetentionOptions } from "./ownership/retention.ts";
export type { EventDetails } from "./events/event-details.ts";
export type { Caller } from "./registry/call-cycle.ts";
export type { SchedulerLimits } from "./scheduler/scheduler-ports.ts";
export type { ClaimOptions } from "./scheduler/resources/claim-maker.ts";
export type { HttpOptions } from "./runners/http/http-runner.ts";
export type { ResumePolicy } from "./inbox/resumption.ts";
export type { EngineStore } from "./store/engine-store.ts";
export type { WaitReason, Occupied, ResourceHolder } from "./scheduler/wait-reason.ts";
export type { AllowPrivate } from "./runners/http/private-network-policy.ts";
export type { HttpLimits } from "./runners/http/http-limits.ts";
export type { DnsLookup, HostAddress } from "./runners/http/address-guard.ts";
export type { StartTimer } from "./checks/callback-limit.ts";
export type { ProcessRecords, ProcessEntry } from "./store/process-records.ts";
export type { FileCheck } from "./store/file-check.ts";
export type { DocumentRange, DocumentStore, StoredDocument } from "./store/document-store.ts";
export type { EndListener } from "./turn/end-listeners.ts";
