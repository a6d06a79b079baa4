// Action maker
//
// Job: the action of one step (PLAN-4), with its own id and lease, at epoch 0.
// Not its job: whether the step may have one.
//
//   A1. It throws whatever goes wrong; the planner makes a failed step of it (PLAN-14).
//   A2. It skips the factory's checks: each value is a built step's own, or checked here. The result is what the factory
//       would have built, and is marked as such.
//   A3. It runs once a step: a handful of objects, no closure, nothing looked up by name.

import { formatJsonPath, isJsonObject, type JsonObject } from "@segno/kernel";
import { frozenJson } from "../frozen-json.ts";
import { isoTime } from "../iso-time.ts";
import type { Action } from "../model/action.ts";
import { brandModel } from "../model/model-brand.ts";
import { ActionType, StepType } from "../model/vocabulary.ts";
import type { WorkflowStep } from "../model/workflow-step.ts";
import type { PlanOptions } from "./plan-options.ts";
import { ValidationError, type PlannerProblem } from "../validation-error.ts";
import { StepFailure } from "./step-failure.ts";

/** What an action's priority can be at most; a step's goes to 1000, and is cut without a word. */
const PRIORITY_MAX = 10;

interface Route {
  readonly actionType: ActionType;
  readonly targetNodeType: string;
}

const CUSTOM: Route = { actionType: ActionType.CUSTOM, targetNodeType: "NodeCustom" };

/** Where each type of step goes (PLAN-6). Conditional goes nowhere: it is reserved, and never taken for another type. */
const ROUTES: Readonly<Record<StepType, Route | undefined>> = {
  compute: { actionType: ActionType.COMPUTE, targetNodeType: "NodeCompute" },
  effect: { actionType: ActionType.EFFECT, targetNodeType: "NodeEffect" },
  reducer: { actionType: ActionType.REDUCE, targetNodeType: "NodeReducer" },
  orchestrator: { actionType: ActionType.ORCHESTRATE, targetNodeType: "NodeOrchestrator" },
  custom: CUSTOM,
  parallel: CUSTOM,
  conditional: undefined,
};

export class ActionMaker {
  readonly #workflowId: string;
  readonly #options: PlanOptions;
  /** Most actions of a plan are made in the same millisecond: its text is made once. */
  #lastMs: number | undefined;
  #lastTime = "";

  constructor(workflowId: string, options: PlanOptions) {
    this.#workflowId = workflowId;
    this.#options = options;
  }

  make(step: WorkflowStep, dependencies: readonly string[]): Action {
    const route = ROUTES[step.stepType];
    if (route === undefined)
      throw new StepFailure("conditional-step", "stepType: the type conditional is reserved and has no action");
    const payload = this.#makePayload(step);
    return brandModel(
      {
        actionId: this.#newId(),
        actionType: route.actionType,
        targetNodeType: route.targetNodeType,
        payload,
        dependencies,
        priority: step.priority < PRIORITY_MAX ? step.priority : PRIORITY_MAX,
        timeoutMs: step.timeoutMs,
        leaseId: this.#newId(),
        epoch: 0,
        retryCount: step.retryCount,
        metadata: Object.freeze({ step_name: step.stepName, correlation_id: step.correlationId }),
        createdAt: this.timeText(this.#options.now()),
      },
      "action",
    );
  }

  /** When the last action was made: the clock is asked for it when everything else of the action is there. */
  get madeMs(): number {
    return this.#lastMs!;
  }

  timeText(nowMs: number): string {
    if (nowMs !== this.#lastMs) {
      const time = isoTime(nowMs);
      if (time === undefined) throw new ValidationError("the clock", [notATime(nowMs)]);
      this.#lastTime = time;
      this.#lastMs = nowMs;
    }
    return this.#lastTime;
  }

  #newId(): string {
    const id = this.#options.newId();
    if (!hasFormOfUuid(id))
      throw new StepFailure("not-a-uuid", "newId: the source of ids gave something that is no UUID");
    return id;
  }

  #makePayload(step: WorkflowStep): JsonObject {
    const own = { workflow_id: this.#workflowId, step_id: step.stepId, step_name: step.stepName };
    return Object.freeze(
      this.#options.payloadFor === undefined ? own : { ...own, ...this.#payloadExtension(step), ...own },
    );
  }

  /** PLAN-7: what is not JSON fails the step and names its place. */
  #payloadExtension(step: WorkflowStep): JsonObject {
    const copy = frozenJson(this.#options.payloadFor!(step));
    if (copy.kind === "not-json") {
      const path = formatJsonPath(["payload", ...copy.path]);
      throw new StepFailure("not-json", `${path}: expected JSON, found ${copy.found}`);
    }
    if (!isJsonObject(copy.json)) throw new StepFailure("not-json", "payload: expected an object");
    return copy.json;
  }
}

const HYPHEN = 45;

/** A source is trusted for its digits: looking at each of them, twice a step, would be most of what a plan costs. */
function hasFormOfUuid(id: unknown): boolean {
  if (typeof id !== "string" || id.length !== 36) return false;
  const isSplit = id.charCodeAt(8) === HYPHEN && id.charCodeAt(13) === HYPHEN;
  return isSplit && id.charCodeAt(18) === HYPHEN && id.charCodeAt(23) === HYPHEN;
}

function notATime(found: unknown): PlannerProblem {
  const message = `expected milliseconds since 1970, found ${String(found)}`;
  return { reason: "out-of-range", path: "now", message };
}
