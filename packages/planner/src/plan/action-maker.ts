// Action maker
//
// Job: make the action of one step (PLAN-4), with its own id and lease, at epoch 0.
// Not its job: deciding whether the step gets an action.
//
//   A1. Every problem is thrown; the planner turns it into a failed step (PLAN-14).
//   A2. The factory's checks are skipped, because each value comes from a built step or is checked here. The result is the model
//       that the factory would have built, brand included.
//   A3. The code runs once per step, so it allocates few objects, creates no closure and looks up nothing by name.

import { formatJsonPath, isJsonObject, type JsonObject } from "@segno/kernel";
import { frozenJson } from "../values/frozen-json.ts";
import { isoTime } from "../values/iso-time.ts";
import type { Action } from "../model/action.ts";
import { brandModel } from "../model/model-brand.ts";
import { ActionType, StepType } from "../model/vocabulary.ts";
import type { WorkflowStep } from "../model/workflow-step.ts";
import type { PlanOptions } from "./plan-options.ts";
import { ValidationError, type PlannerProblem } from "../errors/validation-error.ts";
import { StepFailure } from "./step-failure.ts";

/** The highest priority of an action. A step's priority may be up to 1000 and is clamped silently. */
const PRIORITY_MAX = 10;

interface Route {
  readonly actionType: ActionType;
  readonly targetNodeType: string;
}

const CUSTOM: Route = { actionType: ActionType.CUSTOM, targetNodeType: "NodeCustom" };

/** The target of each type of step (PLAN-6). `conditional` has none: it is reserved, and never treated as another type. */
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
  /** Caches the text of the last time: most actions of a plan are made in the same millisecond. */
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

  /** When the last action was made. The clock is read after all other parts of the action are complete. */
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
      throw new StepFailure("not-a-uuid", "newId: the source of ids returned a value that is not a UUID");
    return id;
  }

  #makePayload(step: WorkflowStep): JsonObject {
    const own = { workflow_id: this.#workflowId, step_id: step.stepId, step_name: step.stepName };
    return Object.freeze(
      this.#options.payloadFor === undefined ? own : { ...own, ...this.#payloadExtension(step), ...own },
    );
  }

  /** PLAN-7: a payload that is not JSON fails the step; the message names the path. */
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

/** Checks only the form of a generated id, not its digits: checking those twice per step would be most of the cost of a plan. */
function hasFormOfUuid(id: unknown): boolean {
  if (typeof id !== "string" || id.length !== 36) return false;
  const isSplit = id.charCodeAt(8) === HYPHEN && id.charCodeAt(13) === HYPHEN;
  return isSplit && id.charCodeAt(18) === HYPHEN && id.charCodeAt(23) === HYPHEN;
}

function notATime(value: unknown): PlannerProblem {
  const message = `expected milliseconds since 1970, found ${String(value)}`;
  return { reason: "out-of-range", path: "now", message };
}
