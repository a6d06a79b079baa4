// Decides what follows an error: another attempt, a fix task, or a question to a person (CODE-7, CODE-8).
//
//   EH1. The decision depends on its arguments alone. The number of attempts and of fixes comes from the journal, so a
//        restart neither forgets nor repeats anything.
//   EH2. The budget of fixes and the list of retried errors hold for every strategy: a strategy chooses, and the limits
//        apply to its choice.

import type { JsonObject } from "@segno/kernel";
import type { ExecutorConfig } from "../config/executor-config.ts";
import { CodeError } from "../errors/code-error.ts";
import { fixTaskId } from "../git/branch-names.ts";
import type {
  CodeErrorContext,
  ErrorResolution,
  ErrorResolutionStrategy,
  FixContext,
} from "../model/error-resolution.ts";
import { classOfError, ErrorType } from "../model/error-type.ts";
import type { MergeResult } from "../model/merge-result.ts";
import { RETRY_POLICY, retryDelay, type TaskRetryPolicy } from "../model/retry-policy.ts";
import type { CodeTask, NewTask } from "../model/task.ts";
import { classifyTaskError, TaskError } from "./classify-task-error.ts";

/** Options of `ErrorHandler`. */
export interface ErrorHandlerOptions {
  /** The number of attempts and the delays between them. */
  readonly retry?: TaskRetryPolicy;
  /** The types of errors that are tried again. */
  readonly retryableErrors?: readonly ErrorType[];
  /** Whether a failed merge opens a fix task. The default is true. */
  readonly autoCreateFixTasks?: boolean;
  /** The maximum number of fixes of one task. */
  readonly maxFixAttempts?: number;
  /** Replaces the default decisions, within the limits of the other options. */
  readonly strategy?: ErrorResolutionStrategy;
  /** Tells a person that a task cannot go on by itself. */
  readonly onEscalation?: (error: Error, context: string) => void;
}

const MAX_FIX_ATTEMPTS = 2;

const TRANSIENT: readonly ErrorType[] = [
  ErrorType.NetworkTimeout,
  ErrorType.AgentTimeout,
  ErrorType.ResourceUnavailable,
];

/** Decides about failed tasks and merges: another attempt, a fix task, or a decision by a person. */
export class ErrorHandler {
  readonly #retry: TaskRetryPolicy;
  readonly #retryable: readonly ErrorType[];
  readonly #createsFixes: boolean;
  readonly #fixesMax: number;
  readonly #strategy: ErrorResolutionStrategy;
  readonly #onEscalation: ((error: Error, context: string) => void) | undefined;

  constructor(options: ErrorHandlerOptions = {}) {
    this.#retry = options.retry ?? RETRY_POLICY;
    this.#retryable = options.retryableErrors ?? TRANSIENT;
    this.#createsFixes = options.autoCreateFixTasks ?? true;
    this.#fixesMax = options.maxFixAttempts ?? MAX_FIX_ATTEMPTS;
    this.#strategy = options.strategy ?? { resolve: (error, context) => this.#decide(error, context) };
    this.#onEscalation = options.onEscalation;
  }

  /** Makes a handler from the configuration of an executor. */
  static create({ integration, retry }: ExecutorConfig, strategy: ErrorResolutionStrategy | undefined): ErrorHandler {
    const { retryableErrors } = retry;
    return new ErrorHandler({
      ...integration,
      retry,
      retryableErrors,
      ...(strategy === undefined ? {} : { strategy }),
    });
  }

  /** Decides about a failed session of a task. */
  handleTaskError(task: Pick<CodeTask, "id" | "workflowId">, error: Error, attempt = 1): Promise<ErrorResolution> {
    return this.#resolve(error, {
      workflowId: task.workflowId,
      taskId: task.id,
      errorType: classifyTaskError(error),
      attempt,
      fixesMade: 0,
      isRepeated: false,
    });
  }

  /** `attempt`, `fixesMade` and `isRepeated` come from the journal (EH1). */
  handleMergeError(
    task: Pick<CodeTask, "id" | "workflowId">,
    result: MergeResult,
    state: MergeErrorState = { attempt: 1, fixesMade: 0, isRepeated: false, originalIntent: "" },
  ): Promise<ErrorResolution> {
    const { error = { type: ErrorType.CIFailure, message: "the merge failed" }, conflicts, ciLogs } = result;
    const fix: FixContext = {
      originalTaskId: task.id,
      originalIntent: state.originalIntent,
      error,
      ...(conflicts === undefined ? {} : { conflicts }),
      ...(ciLogs === undefined ? {} : { ciLogs }),
      fixNumber: state.fixesMade + 1,
    };
    return this.#resolve(new TaskError(error.type, error.message), {
      workflowId: task.workflowId,
      taskId: task.id,
      errorType: error.type,
      attempt: state.attempt,
      fixesMade: state.fixesMade,
      isRepeated: state.isRepeated,
      fix,
    });
  }

  /** Decides about an error of the workflow itself. */
  handleWorkflowError(workflow: { readonly workflowId: string }, error: Error): Promise<ErrorResolution> {
    return this.#resolve(error, {
      workflowId: workflow.workflowId,
      errorType: classifyTaskError(error),
      attempt: 1,
      fixesMade: 0,
      isRepeated: false,
    });
  }

  /** Whether the error is worth another attempt after this many attempts. */
  shouldRetry(error: Error, attemptCount: number): boolean {
    return this.#retryable.includes(classifyTaskError(error)) && attemptCount < this.#retry.maxAttempts;
  }

  /** The delay before the next attempt, in milliseconds. */
  getRetryDelay(attemptCount: number): number {
    return retryDelay(this.#retry, attemptCount);
  }

  /** The context of the task has the whole failure: conflicting files, logs of the checks, and what the task was for. */
  createFixTask(fix: FixContext, workflowId = ""): NewTask {
    const { originalTaskId, originalIntent, error, fixNumber } = fix;
    return {
      id: fixTaskId(originalTaskId, fixNumber),
      workflowId,
      title: `Fix ${fixNumber} of ${originalTaskId}: ${error.type}`,
      instructions: `Repair the merge of the task \`${originalTaskId}\`: ${error.message}\n\n${originalIntent}`,
      type: "fix",
      context: { fix: { ...fix } as unknown as JsonObject },
    };
  }

  /** Tells a person that a task cannot go on by itself. */
  escalateToUser(error: Error, context: string): void {
    this.#onEscalation?.(error, context);
  }

  /** The choice of the strategy, within the limits (EH2). */
  async #resolve(error: Error, context: CodeErrorContext): Promise<ErrorResolution> {
    const resolution = checkResolution(await this.#strategy.resolve(error, context), context);
    const limited = this.#withinLimits(resolution, error, context);
    if (limited.type === "escalate") this.escalateToUser(error, limited.reason);
    return limited;
  }

  #withinLimits(resolution: ErrorResolution, error: Error, context: CodeErrorContext): ErrorResolution {
    if (resolution.type === "retry" && context.attempt >= this.#retry.maxAttempts)
      return { type: "escalate", reason: `${error.message} (after ${context.attempt} attempts)` };
    if (resolution.type === "fix_task") {
      const reason = this.#whyNoFix(context);
      if (reason !== undefined) return { type: "escalate", reason: `${error.message} (${reason})` };
    }
    return resolution;
  }

  #whyNoFix({ fixesMade, isRepeated }: CodeErrorContext): string | undefined {
    if (!this.#createsFixes) return "fix tasks are switched off";
    if (isRepeated) return "the last fix left the failure as it was";
    return fixesMade >= this.#fixesMax ? `${fixesMade} of ${this.#fixesMax} fixes were made` : undefined;
  }

  /** The default strategy. */
  #decide(error: Error, context: CodeErrorContext): ErrorResolution {
    const { errorType, attempt, workflowId, fix } = context;
    if (this.#retryable.includes(errorType))
      return attempt < this.#retry.maxAttempts
        ? { type: "retry", retryDelay: this.getRetryDelay(attempt) }
        : { type: "escalate", reason: `${error.message} (after ${attempt} attempts)` };
    if (classOfError(errorType) === "recoverable" && fix !== undefined)
      return { type: "fix_task", task: this.createFixTask(fix, workflowId) };
    return { type: "escalate", reason: error.message };
  }
}

/** The history of a task whose merge failed. */
export interface MergeErrorState {
  readonly attempt: number;
  readonly fixesMade: number;
  readonly isRepeated: boolean;
  /** The title and the instructions of the original task. */
  readonly originalIntent: string;
}

/** A strategy is code of the user. */
function checkResolution(resolution: ErrorResolution, { fix }: CodeErrorContext): ErrorResolution {
  const type: unknown = (resolution as ErrorResolution | undefined)?.type;
  const isValid =
    type === "escalate" ||
    (type === "fix_task" && typeof (resolution as { readonly task?: unknown }).task === "object") ||
    (type === "retry" && Number.isFinite((resolution as { readonly retryDelay: number }).retryDelay));
  if (!isValid)
    throw new CodeError(
      "RESOLUTION_INVALID",
      "the error resolution strategy returned neither a retry with `retryDelay`, nor a fix task with `task`, nor an escalation",
    );
  if (type === "fix_task" && fix === undefined)
    throw new CodeError(
      "RESOLUTION_INVALID",
      "the error resolution strategy returned a fix task for an error that is not of a merge; return a retry or an escalation",
    );
  return resolution;
}
