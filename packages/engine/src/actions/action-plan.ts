// From the actions of a plan to a workflow of the one engine: a step an action (LEASE-2, ruling 29).
//
//   N1. The same actions give the same id, in whatever order they come, and the id of no other list.
//   N2. Leases stand in the definition, where they are known without reading a payload. Payloads stand in the input: they are
//       data, may be passed through a codec, and can be removed (DATA-11).
//   N3. Nothing of an action is ever taken for an expression.

import crypto from "node:crypto";
import { canonicalJson } from "@segno/contract";
import { durationMs, stepId, type Definition, type Json, type JsonObject, type StepDefinition } from "@segno/kernel";
import type { Action } from "@segno/planner";
import { letsOthersGoOn } from "@segno/planner/action-failure";

/** All workflows made of actions have this name. No contract can have it. */
export const ACTIONS_WORKFLOW = "actions/plan";

/** No contract can name such an agent, and no step of a built workflow has this one. */
export function nodeAgentName(targetNodeType: string): string {
  return `${ACTIONS_WORKFLOW}/${targetNodeType}`;
}

/** The highest that an action can have is what nearly all have: steps that say nothing come down to it (PLAN-4). */
const PRIORITY_ORDINARY = 10;

/** What is known of an action without its payload. */
export interface Lease {
  readonly leaseId: string;
  /** The hash of everything that the planner said, so that something else under the same id is seen. */
  readonly seal: string;
}

export interface ActionPlan {
  readonly executionId: string;
  readonly workflowId: string;
  readonly actions: readonly Action[];
  readonly definition: Definition;
  readonly input: JsonObject;
}

export interface PlanShape {
  /** Whether the actions wait for each other; otherwise whoever executes them sees to their order. */
  readonly isOrdered: boolean;
  readonly concurrency?: number | undefined;
  /** Whether the others go on after any failure, also of actions that do not say so themselves. */
  readonly continuesOnError?: boolean;
}

export function actionPlan(actions: readonly Action[], workflowId: string, shape: PlanShape): ActionPlan {
  const { concurrency } = shape;
  return {
    executionId: planExecutionId(actions.map(({ actionId }) => actionId)),
    workflowId,
    actions,
    definition: {
      name: ACTIONS_WORKFLOW,
      ...(concurrency === undefined ? {} : { concurrency }),
      variables: Object.fromEntries(actions.map((action) => [actionStepId(action.actionId), toLease(action)])),
      steps: actions.map((action) => toStep(action, shape)),
      output: Object.fromEntries(actions.map(({ actionId }) => [actionId, outputTemplate(actionId)])),
    },
    input: Object.fromEntries(actions.map((action) => [actionStepId(action.actionId), toJson(action)])),
  };
}

/** UUIDs are equal whatever the case of their letters. */
export function isSameId(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

const STEP_PREFIX = "action-";

/** Begins with a letter, as an expression needs it. */
export function actionStepId(actionId: string): string {
  return `${STEP_PREFIX}${actionId.toLowerCase()}`;
}

/** In lower case. */
export function actionIdsIn({ steps }: Definition): readonly string[] {
  return steps.map(({ id }) => id.slice(STEP_PREFIX.length));
}

function toLease(action: Action): Lease & JsonObject {
  const { epoch: _, ...planned } = toJson(action);
  return { leaseId: action.leaseId, seal: crypto.hash("sha256", canonicalJson(planned), "hex") };
}

/** What the definition of an execution says of an action's lease. */
export function knownLease({ variables }: Definition, actionId: string): Lease | undefined {
  return variables?.[actionStepId(actionId)] as Lease | undefined;
}

/** N1. */
export function planExecutionId(actionIds: readonly string[]): string {
  const ids = actionIds.map((id) => id.toLowerCase()).toSorted();
  return `plan-${crypto.hash("sha256", ids.join("\n"), "hex").slice(0, 32)}`;
}

/** Any failed action fails the plan; its step's error action says whether that stops the others (ruling 53). */
function toStep(action: Action, { isOrdered, continuesOnError = false }: PlanShape): StepDefinition {
  const { actionId, targetNodeType, dependencies, priority, timeoutMs, retryCount, payload } = action;
  const name = payload["step_name"];
  const dependsOn = [...new Set(isOrdered ? dependencies.map(actionStepId) : [])];
  return {
    id: stepId(actionStepId(actionId)),
    ...(typeof name === "string" ? { name } : {}),
    action: { kind: "agent", agent: nodeAgentName(targetNodeType) },
    dependsOn: dependsOn.map((id) => ({ step: stepId(id), on: "succeeded" })),
    timeout: durationMs(timeoutMs),
    // FAIL-3: so many attempts beyond the first.
    retry: { attempts: retryCount + 1 },
    priority: priority - PRIORITY_ORDINARY,
    ...(continuesOnError || letsOthersGoOn(action) ? { onError: "finish" } : {}),
  };
}

function outputTemplate(actionId: string): string {
  return `\${ steps.${JSON.stringify(actionStepId(actionId))}.output }`;
}

function toJson(action: Action): Readonly<Record<string, Json>> {
  return { ...action, dependencies: [...action.dependencies] };
}
