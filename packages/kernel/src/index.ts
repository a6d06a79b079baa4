// @segno/kernel: the pure part. It decides; it does nothing.

export { KERNEL_CODES, type CodeText, type KernelErrorCode } from "./errors/catalogue.ts";
export { invariant, InvariantViolation } from "./errors/invariant-violation.ts";
export type { Problem } from "./errors/problem.ts";
export { SegnoError } from "./errors/segno-error.ts";
export { maskAndCut, type TextFilter } from "./errors/mask-and-cut.ts";
export { PermanentError, RateLimitError, RetryAfterError } from "./errors/user-errors.ts";
export { closest } from "./errors/suggestion.ts";

export type {
  ActionDefinition,
  AgentDefinition,
  ApproveAction,
  BarrierAction,
  BreakerDefinition,
  RunnableAction,
  CompensationDefinition,
  Definition,
  DependencyDefinition,
  ExpressionSource,
  FailureMode,
  HttpAction,
  JsonSchema,
  LimitsDefinition,
  MapAction,
  MapMatrix,
  MatrixList,
  RepeatAction,
  MergeMode,
  OutputDefinition,
  ResourceDefinition,
  RetryCause,
  RetryDefinition,
  StepDefinition,
  Template,
  WaitAction,
  WorkflowAction,
} from "./model/definition.ts";
export { stepsInside } from "./model/definition.ts";
export {
  formatJsonPath,
  isForbiddenKey,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonArray,
  type JsonObject,
  type JsonPath,
  type JsonPrimitive,
} from "./model/json.ts";
export type { Artifact } from "./model/artifact.ts";
export type { Failure, FailureClass } from "./model/failure.ts";
export {
  DURATION_MS_MAX,
  GRACE_DEFAULT,
  isInternalId,
  LOST_ATTEMPTS_MAX,
  RETRY_DEFAULT,
  retryPolicy,
  REPEAT_MAX,
  REPEAT_MAX_DEFAULT,
  SCOPE_DEPTH_MAX,
  type RetryPolicy,
} from "./model/policy.ts";
export type { SecretPath } from "./model/secret-path.ts";
export {
  contentHash,
  durationMs,
  epochMs,
  executionId,
  stepId,
  stepIndex,
  type ContentHash,
  type DurationMs,
  type EpochMs,
  type ExecutionId,
  type StepId,
  type StepIndex,
} from "./model/units.ts";
export {
  inlineValue,
  INLINE_BYTES_MAX,
  NULL_VALUE,
  VALUE_BYTES_MAX,
  type Value,
  type InlineValue,
  type StoredValue,
  type GatheredValue,
} from "./model/value.ts";

export { GraphBuilder, type GraphProblem, type GraphResult } from "./graph/graph-builder.ts";
export { EDGE_KINDS, neighbours, type Adjacency, type EdgeKind, type Graph } from "./graph/graph.ts";
export { computeOrder, waveCount, waveSteps, type Order } from "./graph/order.ts";
export { findAncestors, findDependants } from "./graph/reachability.ts";

export { checkJson, JSON_DEPTH_MAX, type JsonCheck } from "./data/json-check.ts";
export { evaluate, type Evaluation } from "./data/jmespath/evaluate.ts";
export { parseExpression, type Expression, type ParsedExpression } from "./data/jmespath/expression.ts";
export { createFuel, FUEL_DEFAULT, type Fuel, type FuelLimits } from "./data/jmespath/fuel.ts";
export { listReferences, type Reference } from "./data/jmespath/references.ts";
export { compute, isTruthy, render } from "./data/render.ts";
export type { CompiledTemplate } from "./data/template.ts";
export { SchemaDefaults, withDefaults, type DefaultsResult } from "./data/schema-defaults.ts";
export { parseTime } from "./data/time.ts";
export { overlaps, type VariablePath } from "./data/variable-path.ts";

export { isSignalName } from "./program/check-waits.ts";
export { compileDefinition, compileOrThrow, validateDefinition, validateExpansion } from "./program/compile.ts";
export { unconditionalCalls, type UnconditionalCall } from "./program/unconditional-calls.ts";
export {
  programInside,
  type CompiledCondition,
  type CompiledRead,
  type CompiledStep,
  type CompiledWork,
  type CompileResult,
  type Program,
} from "./program/program.ts";

export { findBreak, chainForm, replaceValues } from "./journal/chain.ts";
export {
  EVENT_VERSION,
  type CalledWorkflow,
  type ExecutionLabels,
  type Event,
  type EventKind,
  type ParkCause,
  type SkipReason,
  type Vote,
  type Wait,
  type ExecutionEvent,
  type StepEvent,
  type MassEvent,
  type MessageEvent,
  type CancelMode,
  type ExecutionCreated,
  type ExecutionReopened,
  type ExecutionCancelling,
  type StepStarted,
  type StepCompleted,
  type StepRecorded,
  type ExpansionRecord,
  type StepRange,
  type ApprovalWait,
} from "./journal/event.ts";
export { EVENT_KINDS, readEvent, type ReadResult } from "./journal/read-event.ts";
export { upcast, type Upcaster, type Upcasting } from "./journal/upcast.ts";

export { advance, advanceInto, type DecisionSink, type AdvanceResult } from "./rules/advance.ts";
export { effectiveVotes } from "./state/votes.ts";
export { classifyError, toFailure } from "./rules/classify.ts";
export { enclosingInput, handlerData, type HandlerData, type IterationData } from "./rules/context.ts";
export { decide, hasWork } from "./rules/decide.ts";
export {
  ACCEPTED,
  type Reply,
  type Decided,
  type Decision,
  type IgnoreReason,
  type Needs,
  type ConsumedEntry,
} from "./rules/decision.ts";
export {
  isAdmissionEffect,
  type Effect,
  type AdmissionEffect,
  type ExternalEffect,
  type RunEffect,
} from "./rules/effect.ts";
export { fold, foldAll } from "./state/fold.ts";
export type { Happening, Outcome, Timer, NonAttemptTimer, CreateHappening } from "./rules/happening.ts";
export { itemLabel, labelValues } from "./views/item-label.ts";
export { stepName, stepNamed } from "./state/names.ts";
export { signalRefusal } from "./rules/signal-refusal.ts";
export { EXECUTION_STATUSES, isTerminalStatus, type ExecutionStatus, type StepStatus } from "./state/phase.ts";
export { dependantCount, listDependencies, itemLimit, pendingDependencies } from "./views/pending.ts";
export { planBlocker } from "./state/sequential-plan.ts";
export { internalSteps, isCountedStep, isInternalStep, writtenStepCount } from "./views/internal-step.ts";
export { activeCount, attemptsUnderWay, hasReadyStep, isRunning, toProgress, type Progress } from "./views/progress.ts";
export { backoffDelay, isRetried } from "./rules/backoff.ts";
export { outputSource, outputStepIndex, stepOutput, type StepOutput } from "./views/step-output.ts";
export { attemptsMax, stepRelations, type StepRelation } from "./views/step-relation.ts";
export { failedStep } from "./views/failed-step.ts";
export { dependencyArtifacts, listArtifacts, type ArtifactsByStep, type StepArtifact } from "./views/artifacts.ts";
export { FollowedState } from "./views/followed-state.ts";
export { statusReason } from "./views/status-reason.ts";
export { durationUntil, startOf, statusSince, type StepEnd, type StepTimes } from "./state/step-times.ts";
export { toleratedFailureCount } from "./state/tolerated.ts";
export { undoCount } from "./state/compensation.ts";
export {
  contextSnapshot,
  notUndoneSteps,
  toSnapshot,
  stepSnapshot,
  type ExecutionSnapshot,
  type NotUndoneStep,
  type CallSnapshot,
  type StepSnapshot,
  type StepDetail,
} from "./views/snapshot.ts";
export {
  agentName,
  compiledStep,
  localIndex,
  enclosingMaps,
  enclosingProgram,
  ownTimeout,
  enclosingWorkflow,
} from "./state/step-position.ts";
export { createState, executionStatus, stepCount, type Library, type State, type ResolvedCall } from "./state/state.ts";
export { attemptCount, stepEpoch, stepStatus } from "./state/step-status.ts";
export { isAbsoluteTime, listTimers, type DueTimer } from "./rules/timers.ts";
export {
  EXECUTION_TRANSITIONS,
  STEP_TRANSITIONS,
  type ExecutionTransition,
  type StepTransition,
} from "./state/transitions.ts";
export { mismatchText } from "./rules/mismatch-text.ts";
export type { SchemaMismatch, StoredValues } from "./rules/stored-values.ts";
