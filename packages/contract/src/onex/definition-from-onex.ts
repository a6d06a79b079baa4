// Converts an ONEX contract to a definition that the engine runs (CONTRACT-1). There is no second scheduler: each action that the
// planner would emit is a step here, and the agent that is named after the action's target runs it.
//
// Not its job: to interpret reserved or inert fields (PLAN-16). `skip_on_failure` applies to plans only: a definition has no key for
// it.
//
//   D1. The input of a step is the payload of its action: workflow_id (here the id of the execution), step_id and step_name.
//   D2. `sequential` and `batch` run one step at a time, strictly in the order of the plan, and add no edges (rulings 3 and 52);
//       `parallel` runs five at once by default (SCHED-1). Priority counts only in `parallel`: it orders the queue, not the plan.
//   D3. `retry_count: n` is n+1 attempts (FAIL-3). Any failed step fails the execution (ruling 53). `error_action: stop` skips
//       the steps that have not begun; any other lets the steps run that do not depend on the failed one (PLAN-8, STATE-7). For a
//       step without an error action, the failure strategy decides.

import {
  durationMs,
  type Definition,
  type DependencyDefinition,
  type StepDefinition,
  type StepId,
} from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";
import { runOptions } from "@segno/planner/run-options";
import { validateWorkflowDefinition, type FailureStrategy, type StepType, type WorkflowStep } from "@segno/planner";

import type { OnexContract } from "./load-onex-contract.ts";
import { nativeIds, nativeName } from "./native-id.ts";

/** The options of a run that the source has in its input and not in the contract. */
export interface OnexRunOptions {
  /** Takes precedence over the definition's. */
  readonly executionMode?: "sequential" | "parallel" | "batch";
  /** Takes precedence over the definition's `timeout_ms`. */
  readonly globalTimeoutMs?: number;
  /** Takes precedence over the definition's failure strategy. */
  readonly failureStrategy?: FailureStrategy;
  /** The maximum number of steps that run at once. Takes precedence over the definition's. */
  readonly maxParallelSteps?: number;
}

const PARALLEL_STEPS_DEFAULT = 5;
/** The highest priority of an action. A step's default of 100 is clamped to it, so it is the usual one. */
const ACTION_PRIORITY_MAX = 10;

/** PLAN-6. Validation refuses `conditional` before a run. */
const AGENTS: Readonly<Record<Exclude<StepType, "conditional">, string>> = {
  compute: "NodeCompute",
  effect: "NodeEffect",
  reducer: "NodeReducer",
  orchestrator: "NodeOrchestrator",
  parallel: "NodeCustom",
  custom: "NodeCustom",
};

/** Converts a loaded ONEX contract to a definition that an engine can run. */
export function definitionFromOnex(contract: OnexContract, given: OnexRunOptions = {}): Definition {
  const options = runOptions("the call of definitionFromOnex", given);
  // A JavaScript caller may pass undefined. Then the planner reports the missing definition.
  const { definition, steps, agents } = Object(contract) as OnexContract;
  validateWorkflowDefinition(definition, steps, options.executionMode);
  const { workflowName, workflowVersion, description, timeoutMs, executionMode } = definition.workflowMetadata;
  const { major, minor, patch } = workflowVersion;
  const isParallel = (options.executionMode ?? executionMode) === "parallel";
  const continuesOnError = options.failureStrategy === "continue_on_error";
  const conversion: Conversion = { ids: nativeIdsByName(steps), isParallel, continuesOnError };
  return deepFreeze({
    name: nativeName(workflowName),
    version: `${major}.${minor}.${patch}`,
    ...(description === "" ? {} : { description }),
    concurrency: isParallel ? (options.maxParallelSteps ?? PARALLEL_STEPS_DEFAULT) : 1,
    ...(isParallel ? {} : { sequential: true }),
    timeout: durationMs(options.globalTimeoutMs ?? timeoutMs),
    ...(agents === undefined ? {} : { agents }),
    steps: steps.map((step) => nativeStep(step, conversion)),
  });
}

interface Conversion {
  readonly ids: ReadonlyMap<string, StepId>;
  readonly isParallel: boolean;
  /** Whether other steps go on when a step without an error action fails. */
  readonly continuesOnError: boolean;
}

function nativeIdsByName(steps: readonly WorkflowStep[]): ReadonlyMap<string, StepId> {
  const ids = nativeIds(steps.map(({ stepName }) => stepName));
  return new Map(steps.map(({ stepId }, index) => [comparable(stepId), ids[index]!]));
}

/** UUIDs are compared by value (ruling 55). */
function comparable(id: string): string {
  return id.toLowerCase();
}

function nativeStep(step: WorkflowStep, { ids, isParallel, continuesOnError }: Conversion): StepDefinition {
  const { stepId, stepName, stepType, dependsOn, timeoutMs, retryCount, enabled, errorAction } = step;
  const priority = Math.min(step.priority, ACTION_PRIORITY_MAX) - ACTION_PRIORITY_MAX;
  const isPatient = errorAction === undefined ? continuesOnError : errorAction !== "stop";
  const needs = dependencies(dependsOn, ids);
  return {
    id: ids.get(comparable(stepId))!,
    name: stepName,
    action: { kind: "agent", agent: AGENTS[stepType as keyof typeof AGENTS] },
    ...(needs.length === 0 ? {} : { dependsOn: needs }),
    input: { workflow_id: "${ execution.id }", step_id: stepId, step_name: literal(stepName) },
    retry: { attempts: retryCount + 1 },
    timeout: durationMs(timeoutMs),
    ...(isPatient ? { onError: "finish" } : {}),
    ...(isParallel && priority !== 0 ? { priority } : {}),
    ...(enabled ? {} : { enabled }),
  };
}

/** A disabled step may depend on steps that do not exist; those dependencies are dropped. */
function dependencies(ids: readonly string[], known: ReadonlyMap<string, StepId>): readonly DependencyDefinition[] {
  return ids.flatMap((id) => {
    const step = known.get(comparable(id));
    return step === undefined ? [] : [{ step, on: "succeeded" }];
  });
}

/** Escapes text so that a template leaves it unchanged: an ONEX contract has no expressions. */
function literal(text: string): string {
  // The replacement is a function, because `$$` in a replacement string stands for one `$`.
  return text.replaceAll("${", () => "$${");
}
