// Converts the actions of a plan into a workflow of the engine, with one step per action (LEASE-2, ruling 29).
//
//   N1. The same actions give the same id in any order, and no other list has that id.
//   N2. Leases are in the definition, where they can be read without a payload. Payloads are in the input: they are
//       data, may pass through a codec, and can be removed (DATA-11).
//   N3. No part of an action is evaluated as an expression.

import crypto from "node:crypto";
import { canonicalJson } from "@segno/contract";
import { durationMs, stepId, type Definition, type Json, type JsonObject, type StepDefinition } from "@segno/kernel";
import type { Action } from "@segno/planner";
import { isTolerant } from "@segno/planner/action-failure";

/** The name of all workflows made of actions. No contract can have it. */
export const ACTIONS_WORKFLOW = "actions/plan";

/** No contract can name such an agent, and no built workflow has a step with this name. */
export function nodeAgentName(targetNodeType: string): string {
  return `${ACTIONS_WORKFLOW}/${targetNodeType}`;
}

/** The highest priority of an action, which nearly all have: steps without a priority get it (PLAN-4). */
const PRIORITY_ORDINARY = 10;

/** The facts about an action that need no payload. */
export interface Lease {
  readonly leaseId: string;
  /** The hash of all fields from the planner, to detect a different action with the same id. */
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
  /** Whether the actions wait for their dependencies; otherwise the caller is responsible for their order. */
  readonly isOrdered: boolean;
  readonly concurrency?: number | undefined;
  /** Whether the others continue after any failure, even if the failed action does not say so itself. */
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

/** UUIDs are compared case-insensitively. */
export function isSameId(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

const STEP_PREFIX = "action-";

/** Begins with a letter, as expressions require. */
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

/** The lease of an action in the definition of an execution. */
export function knownLease({ variables }: Definition, actionId: string): Lease | undefined {
  return variables?.[actionStepId(actionId)] as Lease | undefined;
}

/** N1. */
export function planExecutionId(actionIds: readonly string[]): string {
  const ids = actionIds.map((id) => id.toLowerCase()).toSorted();
  return `plan-${crypto.hash("sha256", ids.join("\n"), "hex").slice(0, 32)}`;
}

/** Any failed action fails the plan; the error action of its step decides whether the others stop (ruling 53). */
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
    // FAIL-3: attempts include the first one.
    retry: { attempts: retryCount + 1 },
    priority: priority - PRIORITY_ORDINARY,
    ...(continuesOnError || isTolerant(action) ? { onError: "finish" } : {}),
  };
}

function outputTemplate(actionId: string): string {
  return `\${ steps.${JSON.stringify(actionStepId(actionId))}.output }`;
}

function toJson(action: Action): Readonly<Record<string, Json>> {
  return { ...action, dependencies: [...action.dependencies] };
}
