// The result of a workflow and of its tasks, in the terms of the task engines (ENGINES-6).

import {
  isTerminalStatus,
  stepName,
  stepNamed,
  stepSnapshot,
  type Failure,
  type Json,
  type SegnoError,
  type State,
  type StepSnapshot,
} from "@segno/kernel";
import { allBefore } from "./task-strategy.ts";
import type { TaskOutputs } from "./task-outputs.ts";
import { ownFailure } from "./task-agent.ts";
import { taskContext } from "./task-context.ts";
import type { TaskContext, TaskDefinition } from "./task-definition.ts";
import type { TaskPlan } from "./task-plan.ts";
import { taskState, workflowState, type TaskState, type WorkflowState } from "./task-state.ts";
import type { WorkflowDefinition } from "./workflow-definition.ts";

/** The times of a task or of a workflow, in milliseconds since 1970; each is null if it is unknown. */
export interface ResultTimes {
  /** Null if it never began. */
  readonly startedAt: number | null;
  /** Null if it has not ended. */
  readonly completedAt: number | null;
  /** Includes all attempts of a task, and the delays between them. */
  readonly durationMs: number | null;
}

/** The result of a task. */
export interface TaskResult extends ResultTimes {
  readonly id: string;
  readonly name: string;
  readonly state: TaskState;
  /** Null unless it has completed. */
  readonly output: Json;
  /** The failure of its last attempt; null unless it has failed. */
  readonly error: Failure | null;
  /** The number of attempts. */
  readonly attempts: number;
}

/** The result of a workflow of tasks. */
export interface WorkflowResult extends ResultTimes {
  readonly success: boolean;
  readonly state: WorkflowState;
  /** The failure and its task; null if nothing failed. */
  readonly error: string | null;
  /** The code of the failure: a failed task's, or that of a workflow that cannot run. */
  readonly code: string | null;
  /** Null for a workflow that cannot run. */
  readonly executionId: string | null;
  /** In order of insertion. */
  readonly tasks: readonly TaskResult[];
  /** The given context, and the outputs of all completed tasks. */
  readonly context: TaskContext;
}

export function workflowResult(plan: TaskPlan, outputs: TaskOutputs, tasks: readonly TaskDefinition[]): WorkflowResult {
  const { state } = outputs;
  const failure = state.failure === undefined ? undefined : ownFailure(state.failure.failure);
  const isCancelled = state.baseStatus === "cancelled";
  return Object.freeze({
    success: state.baseStatus === "completed",
    state: workflowState(state.baseStatus),
    error: errorText(plan, outputs) ?? (isCancelled ? (state.cancelling?.reason ?? "cancelled") : null),
    code: failure?.code ?? (isCancelled ? "EXECUTION_CANCELLED" : null),
    executionId: state.created?.execution ?? null,
    ...executionTimes(state),
    tasks: toTaskResults(plan, outputs, tasks),
    context: taskContext(plan, outputs, allBefore(plan.tasks.length)),
  });
}

/** The failure and its task. */
function errorText({ tasks }: TaskPlan, { state }: TaskOutputs): string | undefined {
  if (state.failure === undefined) return undefined;
  const { code, message } = ownFailure(state.failure.failure);
  const { step } = state.failure;
  const name = step === undefined ? undefined : stepName(state, step);
  const failed = tasks.find(({ stepId }) => stepId === name);
  // This message already names its task.
  if (failed === undefined || code === "TASK_WITHOUT_ACTION") return message;
  return `the task \`${failed.task.name}\` failed: ${message}`;
}

/** The result of a workflow that cannot run; nothing has begun. */
export function refusedResult(workflow: WorkflowDefinition, error: SegnoError): WorkflowResult {
  return Object.freeze({
    success: false,
    state: "FAILED",
    error: error.message,
    code: error.code,
    executionId: null,
    ...NO_TIMES,
    tasks: workflow.tasks.map((task) => toTaskResult(task, undefined, undefined)),
    context: Object.freeze({}),
  });
}

function toTaskResults(plan: TaskPlan, outputs: TaskOutputs, tasks: readonly TaskDefinition[]): readonly TaskResult[] {
  const results = new Map<TaskDefinition, TaskResult>();
  for (const { task, stepId } of plan.tasks) {
    const place = stepNamed(outputs.state, stepId);
    const snapshot = place === undefined ? undefined : stepSnapshot(outputs.state, place);
    results.set(task, toTaskResult(task, snapshot, outputs.of(stepId)));
  }
  return Object.freeze(tasks.map((task) => results.get(task)!));
}

function toTaskResult(
  { id, name }: TaskDefinition,
  step: StepSnapshot | undefined,
  output: Json | undefined,
): TaskResult {
  const state = step === undefined ? "PENDING" : taskState(step);
  return Object.freeze({
    id,
    name,
    state,
    output: output ?? null,
    error: state === "FAILED" && step?.detail.kind === "failure" ? ownFailure(step.detail.failure) : null,
    // Evaluating the condition of a task does not count as an attempt.
    attempts: step === undefined || state === "SKIPPED" ? 0 : step.attempts,
    ...taskTimes(state, step),
  });
}

const NO_TIMES: ResultTimes = { startedAt: null, completedAt: null, durationMs: null };

function taskTimes(state: TaskState, step: StepSnapshot | undefined): ResultTimes {
  const { startedAt = null, completedAt = null, durationMs = null } = step ?? {};
  // Nor does it count as the task's time.
  return state === "SKIPPED" ? { ...NO_TIMES, completedAt } : { startedAt, completedAt, durationMs };
}

function executionTimes({ startedAt, baseStatus, at }: State): ResultTimes {
  if (startedAt === undefined) return NO_TIMES;
  return isTerminalStatus(baseStatus)
    ? { startedAt, completedAt: at, durationMs: at - startedAt }
    : { ...NO_TIMES, startedAt };
}
