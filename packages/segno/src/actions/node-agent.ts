// Nodes as agents of the engine: a node runs the actions of one target node type.

import type { Agent, Engine, StepContext } from "@segno/engine";
import { isJsonObject, stepNamed, stepSnapshot, executionId, invariant, type Json } from "@segno/kernel";
import type { Action } from "@segno/planner";
import { actionStepId } from "./action-plan.ts";
import { rebuiltAction } from "./read-action.ts";

/** The results of the action's dependencies, by id. */
export type ActionResults = Readonly<Record<string, Json>>;

/**
 * Runs the actions of a target node type. The action has the epoch of this attempt, which is unique to it: a node that
 * writes to another system can pass the epoch on, and that system can refuse lower ones.
 */
export type ActionNode = (action: Action, context: StepContext, results: ActionResults) => unknown;

/** Nodes by the target node type of their actions. */
export type ActionNodes = Readonly<Record<string, ActionNode>>;

export function nodeAgent(engine: Engine, node: ActionNode): Agent {
  return {
    execute: (outputs, context) => {
      const action = claimedAction(engine, context);
      return node(action, context, dependencyResults(action, outputs));
    },
  };
}

/** The accepted action, with the epoch of the current attempt (LEASE-2). */
function claimedAction(engine: Engine, { execution, step, input }: StepContext): Action {
  const planned = isJsonObject(input) ? input[step.id] : undefined;
  return rebuiltAction({ ...(planned as object), epoch: currentEpoch(engine, execution.id, step.id) });
}

/** An attempt is called only while it is the current one of its step, so the epoch of the step is its own. */
function currentEpoch(engine: Engine, id: string, stepId: string): number {
  const state = engine.extensions.states.live(executionId(id));
  const step = state === undefined ? undefined : stepNamed(state, stepId);
  invariant(state !== undefined && step !== undefined, "LEASE-2", `no attempt of ${stepId} runs in ${id}`);
  return stepSnapshot(state, step).epoch;
}

function dependencyResults({ dependencies }: Action, outputs: Readonly<Record<string, Json>>): ActionResults {
  return Object.fromEntries(dependencies.map((id) => [id, outputs[actionStepId(id)] ?? null]));
}
