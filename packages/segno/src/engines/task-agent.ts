// The agent of a task's step: evaluates the condition, then runs the action, with the context of the task.
//
//   G1. Any error of an action is retried, always after the same delay (ENGINES-5). The engine itself retries only
//       transient errors, and waits as long as an error requests. So an error that the engine would not retry, or that
//       requests another delay, is wrapped while attempts are left. The error of the last attempt is not wrapped.
//   G2. A condition is evaluated in the first attempt only. An error in it fails the task and is not retried (ruling
//       42). It becomes the cause of a `ConditionFailed` error; results show the cause.
//   G3. A task without an action fails at once.

import { OBJECT, skip, type Agent, type StepContext } from "@segno/engine";
import { toFailure, PermanentError, RetryAfterError, SegnoError, type Failure } from "@segno/kernel";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { secondsToMs } from "./seconds.ts";
import type { TaskOutputs } from "./task-outputs.ts";
import { taskContext } from "./task-context.ts";
import type { TaskContext, TaskDefinition, TaskModule } from "./task-definition.ts";
import type { VisibleTasks, TaskPlan } from "./task-plan.ts";

/** The environment of a task: its outputs, and threads for modules. */
export interface TaskHost {
  outputs(executionId: string): TaskOutputs | Promise<TaskOutputs>;
  runModule(module: TaskModule, context: TaskContext, step: StepContext): Promise<unknown>;
}

export interface TaskAgentOptions {
  readonly plan: TaskPlan;
  readonly task: TaskDefinition;
  /** The tasks whose outputs an attempt sees. */
  readonly visibleTasks: () => VisibleTasks;
  readonly retries: number;
  readonly host: TaskHost;
}

export class TaskAgent implements Agent {
  readonly needsDependencyOutputs = false;
  /** A task has exactly one result. */
  readonly mayExpand = false;
  readonly #options: TaskAgentOptions;

  constructor(options: TaskAgentOptions) {
    this.#options = options;
  }

  execute(_: unknown, step: StepContext): unknown {
    const outputs = this.#options.host.outputs(step.execution.id);
    return outputs instanceof Promise ? outputs.then((each) => this.#begin(each, step)) : this.#begin(outputs, step);
  }

  #begin(outputs: TaskOutputs, step: StepContext): unknown {
    const { plan, visibleTasks, task } = this.#options;
    const context = taskContext(plan, outputs, visibleTasks());
    return task.condition === null || step.attempt > 1 ? this.#act(context, step) : this.#actIf(context, step);
  }

  async #actIf(context: TaskContext, step: StepContext): Promise<unknown> {
    return (await this.#isWanted(context)) ? this.#act(context, step) : skip("its condition is not met");
  }

  /** G2. */
  async #isWanted(context: TaskContext): Promise<boolean> {
    try {
      return Boolean(await this.#options.task.condition!(context));
    } catch (error) {
      throw this.#options.retries === 0 ? error : new ConditionFailed(error);
    }
  }

  #act(context: TaskContext, step: StepContext): unknown {
    if (step.attempt > this.#options.retries) return this.#call(context, step);
    return this.#callAgain(context, step);
  }

  /** G1. */
  async #callAgain(context: TaskContext, step: StepContext): Promise<unknown> {
    try {
      return await this.#call(context, step);
    } catch (error) {
      throw isTriedAlike(error) ? error : this.#toRetryError(error);
    }
  }

  #toRetryError(error: unknown): RetryAfterError {
    return new RetryAfterError(thrownMessage(error), secondsToMs(this.#options.task.retryDelay), { cause: error });
  }

  #call(context: TaskContext, step: StepContext): unknown {
    const { action, name } = this.#options.task;
    if (action === null) throw new SegnoError("TASK_WITHOUT_ACTION", `the task \`${name}\` has no action`);
    return typeof action === "function" ? action(context, step) : this.#options.host.runModule(action, context, step);
  }
}

/** Whether the engine retries the error by itself, after the task's own delay. */
function isTriedAlike(error: unknown): boolean {
  try {
    const { class: kind, retryAfter } = toFailure(error, () => "");
    return kind === "transient" && retryAfter === undefined;
  } catch {
    // An unreadable error stays as it is; the runner reports it.
    return true;
  }
}

/** The code of this failure in a journal. */
const CONDITION_FAILED = "ConditionFailed";

/** G2: permanent by its class, whatever its cause. */
class ConditionFailed extends PermanentError {
  readonly code = CONDITION_FAILED;

  constructor(thrown: unknown) {
    super(thrownMessage(thrown), { cause: OBJECT.fits(thrown) ? thrown : new Error(String(thrown)) });
  }
}

/** The failure as the author of the task knows it. */
export function ownFailure(failure: Failure): Failure {
  return failure.code === CONDITION_FAILED ? (failure.cause ?? failure) : failure;
}
