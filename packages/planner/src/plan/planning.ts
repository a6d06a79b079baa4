// Planning
//
// Job: walk the steps of one call in order, and decide for each whether it completed (it gets an action), failed or was skipped.
// Not its job: validating the workflow (PLAN-17), or running anything.
//
//   P1. Each step is visited once, in emission order. Before each step, planning reads the signal, then the clock (PLAN-12,
//       PLAN-21). It reads the clock again when the action is made, and does not emit an action that is too late (ruling 54).
//   P2. A step that a downstream node reported as failed fails when its turn comes, also if it has unmet dependencies or would be
//       skipped. It gets no action, and its error action applies as for any failure (PLAN-20).
//   P3. A step with an unmet dependency is passed over. It fails only when no other step can progress (PLAN-9), so its error action
//       cannot stop another step and no later step is skipped because of it. If the plan stops before, the step is skipped
//       (PLAN-11).
//   P4. Unmet dependencies are checked before `skipOnFailure` (PLAN-10).
//   P5. The reason why the walk ended decides the state: a stop or a timeout means failed, an abort means cancelled, even if a step
//       failed before. If all steps were visited, any failed step means failed (PLAN-8).
//   P6. Planning changes only the state of this call, never its arguments (PLAN-1).

import { InvariantViolation, type JsonObject } from "@segno/kernel";
import { thrownText } from "@segno/kernel/thrown-text";
import type { Action } from "../model/action.ts";
import { markTolerant } from "../model/action-failure.ts";
import { comparableId } from "../model/check.ts";
import { FailureStrategy, WorkflowState, type ExecutionMode } from "../model/vocabulary.ts";
import type { WorkflowDefinition } from "../model/workflow-definition.ts";
import type { WorkflowStep } from "../model/workflow-step.ts";
import { ActionMaker } from "./action-maker.ts";
import type { PlanOptions } from "./plan-options.ts";
import { planGraph, type PlanGraph } from "./step-graph.ts";
import { StepFailure } from "./step-failure.ts";
import { UnmetDependencies } from "./unmet-dependencies.ts";
import type { StepError, WorkflowExecutionResult } from "./workflow-execution-result.ts";

export interface PlanningRequest {
  readonly definition: WorkflowDefinition;
  readonly steps: readonly WorkflowStep[];
  readonly workflowId: string;
  readonly mode: ExecutionMode;
  readonly options: PlanOptions;
}

/** The state of a step: not decided yet, or one of the three ends. */
const OPEN = 0;
const COMPLETED = 1;
const FAILED = 2;
const SKIPPED = 3;

/** The reason why the walk ended. */
type PlanEnding = "all-seen" | "stopped" | "timed-out" | "aborted";

const NO_DEPENDENCIES: readonly string[] = Object.freeze([]);

export class Planning {
  readonly #request: PlanningRequest;
  readonly #options: PlanOptions;
  readonly #steps: readonly WorkflowStep[];
  readonly #graph: PlanGraph;
  readonly #maker: ActionMaker;
  readonly #reported: ReadonlySet<string> | undefined;
  readonly #startMs: number;
  readonly #timeoutMs: number;
  /** One of the four states above for each step. */
  readonly #stepStates: Uint8Array;
  /** For each completed step, the index of its action. */
  readonly #actionIndexes: Int32Array;
  readonly #actions: Action[] = [];
  readonly #completed: string[] = [];
  readonly #failed: string[] = [];
  readonly #errors: StepError[] = [];
  #ending: PlanEnding = "all-seen";

  constructor(request: PlanningRequest) {
    const { options, steps, definition, workflowId } = request;
    this.#request = request;
    this.#options = options;
    this.#startMs = options.now();
    this.#timeoutMs = options.globalTimeoutMs ?? definition.workflowMetadata.timeoutMs;
    this.#steps = steps;
    this.#graph = planGraph(steps);
    this.#maker = new ActionMaker(workflowId, options);
    this.#reported =
      (options.failedSteps?.length ?? 0) === 0 ? undefined : new Set(options.failedSteps!.map(comparableId));
    this.#stepStates = new Uint8Array(steps.length);
    this.#actionIndexes = new Int32Array(steps.length);
  }

  run(): WorkflowExecutionResult {
    this.#walk();
    if (this.#ending === "timed-out") this.#failTimedOut();
    if (this.#ending === "all-seen") this.#failUnmet();
    return this.#result();
  }

  #walk(): void {
    const { order } = this.#graph;
    for (let position = 0; position < order.length && this.#ending === "all-seen"; position++) {
      if (this.#options.signal?.aborted === true) {
        this.#ending = "aborted";
        return;
      }
      if (this.#isLate(this.#options.now())) {
        this.#ending = "timed-out";
        return;
      }
      this.#decide(order[position]!);
    }
  }

  #isLate(nowMs: number): boolean {
    return nowMs - this.#startMs >= this.#timeoutMs;
  }

  #decide(index: number): void {
    const step = this.#steps[index]!;
    if (this.#reported?.has(comparableId(step.stepId)) === true) {
      this.#fail(index, "downstream-failure", "a downstream node reported that the step failed");
    } else if (!this.#isMet(index)) {
      return;
    } else if (step.skipOnFailure && this.#failed.length > 0) {
      this.#stepStates[index] = SKIPPED;
    } else {
      this.#emit(index, step);
    }
  }

  /** Disabled steps are not dependencies in this graph: they count as satisfied (GRAPH-5). */
  #isMet(index: number): boolean {
    const { dependencies, stranded } = this.#graph;
    const end = dependencies.offsets[index + 1]!;
    for (let edge = dependencies.offsets[index]!; edge < end; edge++) {
      if (this.#stepStates[dependencies.targets[edge]!] !== COMPLETED) return false;
    }
    return stranded.size === 0 || !stranded.has(index);
  }

  #emit(index: number, step: WorkflowStep): void {
    let made: Action;
    try {
      made = this.#maker.make(step, this.#actionDependencies(index));
    } catch (error) {
      this.#failBy(index, error);
      return;
    }
    if (this.#isLate(this.#maker.madeMs)) {
      this.#ending = "timed-out";
      return;
    }
    if (this.#errorAction(step) !== "stop") markTolerant(made);
    this.#stepStates[index] = COMPLETED;
    this.#actionIndexes[index] = this.#actions.push(made) - 1;
    this.#completed.push(step.stepId);
  }

  /** PLAN-5: ids of actions in the order in which their steps are declared, each once (GRAPH-3). */
  #actionDependencies(index: number): readonly string[] {
    const { offsets, targets } = this.#graph.dependencies;
    const first = offsets[index]!;
    const end = offsets[index + 1]!;
    if (first === end) return NO_DEPENDENCIES;
    const ids: string[] = [];
    for (let edge = first; edge < end; edge++) ids.push(this.#actions[this.#actionIndexes[targets[edge]!]!]!.actionId);
    return Object.freeze(ids);
  }

  /** PLAN-14: any thrown value fails the step, except an invariant violation, which is a bug of the planner. */
  #failBy(index: number, thrown: unknown): void {
    if (isInstance(thrown, InvariantViolation)) throw thrown;
    if (isInstance(thrown, StepFailure)) this.#fail(index, thrown.errorType, thrown.message);
    else this.#fail(index, "action-creation-failed", thrownText(thrown));
  }

  #fail(index: number, errorType: string, message: string): void {
    this.#note(index, errorType, message);
    if (this.#errorAction(this.#steps[index]!) === "stop") this.#ending = "stopped";
  }

  #note(index: number, errorType: string, message: string): void {
    const { stepId } = this.#steps[index]!;
    this.#stepStates[index] = FAILED;
    this.#failed.push(stepId);
    this.#errors.push(Object.freeze({ step_id: stepId, error_type: errorType, message }));
  }

  #errorAction({ errorAction }: WorkflowStep): string {
    if (errorAction !== undefined) return errorAction;
    return this.#options.failureStrategy === FailureStrategy.CONTINUE_ON_ERROR ? "continue" : "stop";
  }

  #failTimedOut(): void {
    const message = `the plan had taken ${this.#timeoutMs} ms or more before the step had its action`;
    for (const index of this.#openSteps()) this.#note(index, "timeout", message);
  }

  /** PLAN-9: no step can progress any more. */
  #failUnmet(): void {
    const open = this.#openSteps();
    if (open.length === 0) return;
    const unmet = new UnmetDependencies(this.#steps, this.#completed);
    for (const index of open) this.#note(index, "unmet-dependency", unmet.textFor(this.#steps[index]!));
  }

  /** Enabled steps that are not decided yet, in declaration order. Disabled steps never fail. */
  #openSteps(): readonly number[] {
    const open: number[] = [];
    for (let index = 0; index < this.#steps.length; index++) {
      if (this.#stepStates[index] === OPEN && this.#steps[index]!.enabled) open.push(index);
    }
    return open;
  }

  #result(): WorkflowExecutionResult {
    const endMs = this.#options.now();
    return Object.freeze({
      workflowId: this.#request.workflowId,
      executionStatus: this.#status(),
      completedSteps: Object.freeze(this.#completed),
      failedSteps: Object.freeze(this.#failed),
      skippedSteps: this.#skippedSteps(),
      actionsEmitted: Object.freeze(this.#actions),
      executionTimeMs: Math.max(0, Math.trunc(endMs - this.#startMs)),
      metadata: this.#metadata(),
      timestamp: this.#maker.timeText(endMs),
    });
  }

  #status(): WorkflowState {
    if (this.#ending === "aborted") return WorkflowState.CANCELLED;
    return this.#failed.length > 0 ? WorkflowState.FAILED : WorkflowState.COMPLETED;
  }

  /** Disabled steps, steps that were skipped, and steps that a stop or an abort left undecided (PLAN-11). */
  #skippedSteps(): readonly string[] {
    const ids: string[] = [];
    for (let index = 0; index < this.#steps.length; index++) {
      const position = this.#stepStates[index];
      if (position === OPEN || position === SKIPPED) ids.push(this.#steps[index]!.stepId);
    }
    return Object.freeze(ids);
  }

  #metadata(): JsonObject {
    const { mode, definition } = this.#request;
    return Object.freeze({
      execution_mode: mode,
      workflow_name: definition.workflowMetadata.workflowName,
      ...(mode === "batch" ? { batch_size: this.#steps.length } : {}),
      ...(this.#errors.length === 0 ? {} : { errors: Object.freeze(this.#errors) }),
    });
  }
}

/** A proxy may throw from `instanceof`. Such a value is not an error of the planner. */
function isInstance<Value>(value: unknown, of: abstract new (...args: never[]) => Value): value is Value {
  try {
    return value instanceof of;
  } catch {
    return false;
  }
}
