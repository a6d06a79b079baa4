// The enumerations of the models: for each, a frozen object and a union type of the same name.

/** `conditional` and `streaming` are reserved: the planner refuses to plan in these modes (PLAN-2). */
export const ExecutionMode: {
  readonly SEQUENTIAL: "sequential";
  readonly PARALLEL: "parallel";
  readonly CONDITIONAL: "conditional";
  readonly BATCH: "batch";
  readonly STREAMING: "streaming";
} = Object.freeze({
  SEQUENTIAL: "sequential",
  PARALLEL: "parallel",
  CONDITIONAL: "conditional",
  BATCH: "batch",
  STREAMING: "streaming",
});
export type ExecutionMode = WordOf<typeof ExecutionMode>;

/** The kinds of work of an action. */
export const ActionType: {
  readonly COMPUTE: "compute";
  readonly EFFECT: "effect";
  readonly REDUCE: "reduce";
  readonly ORCHESTRATE: "orchestrate";
  readonly CUSTOM: "custom";
} = Object.freeze({
  COMPUTE: "compute",
  EFFECT: "effect",
  REDUCE: "reduce",
  ORCHESTRATE: "orchestrate",
  CUSTOM: "custom",
});
export type ActionType = WordOf<typeof ActionType>;

/** The states of a planned workflow. */
export const WorkflowState: {
  readonly PENDING: "pending";
  readonly RUNNING: "running";
  readonly PAUSED: "paused";
  readonly COMPLETED: "completed";
  readonly FAILED: "failed";
  readonly CANCELLED: "cancelled";
} = Object.freeze({
  PENDING: "pending",
  RUNNING: "running",
  PAUSED: "paused",
  COMPLETED: "completed",
  FAILED: "failed",
  CANCELLED: "cancelled",
});
export type WorkflowState = WordOf<typeof WorkflowState>;

/** Inert: no plan depends on it (PLAN-8). */
export const FailureRecoveryStrategy: {
  readonly RETRY: "RETRY";
  readonly ROLLBACK: "ROLLBACK";
  readonly COMPENSATE: "COMPENSATE";
  readonly ABORT: "ABORT";
} = Object.freeze({ RETRY: "RETRY", ROLLBACK: "ROLLBACK", COMPENSATE: "COMPENSATE", ABORT: "ABORT" });
export type FailureRecoveryStrategy = WordOf<typeof FailureRecoveryStrategy>;

/** Reserved: the planner has no branches. */
export const BranchCondition: {
  readonly IF_TRUE: "if_true";
  readonly IF_FALSE: "if_false";
  readonly IF_ERROR: "if_error";
  readonly IF_SUCCESS: "if_success";
  readonly IF_TIMEOUT: "if_timeout";
  readonly CUSTOM: "custom";
} = Object.freeze({
  IF_TRUE: "if_true",
  IF_FALSE: "if_false",
  IF_ERROR: "if_error",
  IF_SUCCESS: "if_success",
  IF_TIMEOUT: "if_timeout",
  CUSTOM: "custom",
});
export type BranchCondition = WordOf<typeof BranchCondition>;

/** Selects only the target of a step's action (PLAN-6). `conditional` is reserved: no workflow may use it yet. */
export const StepType: {
  readonly COMPUTE: "compute";
  readonly EFFECT: "effect";
  readonly REDUCER: "reducer";
  readonly ORCHESTRATOR: "orchestrator";
  readonly CONDITIONAL: "conditional";
  readonly PARALLEL: "parallel";
  readonly CUSTOM: "custom";
} = Object.freeze({
  COMPUTE: "compute",
  EFFECT: "effect",
  REDUCER: "reducer",
  ORCHESTRATOR: "orchestrator",
  CONDITIONAL: "conditional",
  PARALLEL: "parallel",
  CUSTOM: "custom",
});
export type StepType = WordOf<typeof StepType>;

/** Only `stop` ends a plan; the others let it go on (PLAN-8). */
export const ErrorAction: {
  readonly STOP: "stop";
  readonly CONTINUE: "continue";
  readonly RETRY: "retry";
  readonly COMPENSATE: "compensate";
} = Object.freeze({ STOP: "stop", CONTINUE: "continue", RETRY: "retry", COMPENSATE: "compensate" });
export type ErrorAction = WordOf<typeof ErrorAction>;

/** Counts where a step has no error action of its own (PLAN-8). */
export const FailureStrategy: {
  readonly FAIL_FAST: "fail_fast";
  readonly CONTINUE_ON_ERROR: "continue_on_error";
} = Object.freeze({ FAIL_FAST: "fail_fast", CONTINUE_ON_ERROR: "continue_on_error" });
export type FailureStrategy = WordOf<typeof FailureStrategy>;

type WordOf<Words extends Readonly<Record<string, string>>> = Words[keyof Words];
