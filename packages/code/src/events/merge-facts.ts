// The facts about merges that their events need, read from the values in the journal: the input of a merge, its output, and
// the steps that it opens into.

import {
  compiledStep,
  isJsonArray,
  isJsonObject,
  render,
  stepName,
  stepNamed,
  type CompiledRead,
  type ContentHash,
  type Event,
  type Json,
  type JsonObject,
  type State,
  type Value,
} from "@segno/kernel";
import type { ConflictInfo } from "../model/merge-result.ts";
import { isErrorType, type FailureFacts } from "./failure-facts.ts";

/** Reads a value that lies beside the journal; undefined if it is not there. */
export type ReadValue = (hash: ContentHash) => Json | undefined;

export interface FixFacts {
  readonly fixTaskId: string;
  readonly originalTaskId: string;
  readonly fixNumber: number;
}

/** A merge that failed, and the fix that follows it, if one does. */
export interface FailedMergeFacts extends FailureFacts {
  readonly fix?: FixFacts;
}

/** Policies that wait for the checks of a forge. */
const FORGE_POLICIES: ReadonlySet<unknown> = new Set(["pr_and_merge", "pr_and_notify"]);

/** Whether a merge has checks and a policy that looks at them: those of the template, or those of a forge. */
export function hasChecks(state: State, step: number, readValue: ReadValue): boolean {
  const call = objectOf(jsonOf(state.calls.get(step)?.value, readValue));
  const { task, settings } = objectOf(call["input"]);
  const { checks, stepPolicy, workflowPolicy, forge, usesForge } = objectOf(settings);
  const policy = isJsonObject(task) ? stepPolicy : workflowPolicy;
  if (policy === "auto") return false;
  const commands = objectOf(task)["checks"] ?? checks;
  const hasForge = isJsonObject(forge) || usesForge === true;
  return (isJsonArray(commands) && commands.length > 0) || (hasForge && FORGE_POLICIES.has(policy));
}

export function jsonOf(value: Value | undefined, readValue: ReadValue): Json | undefined {
  if (value?.kind === "inline") return value.json;
  return value?.kind === "stored" ? readValue(value.hash) : undefined;
}

/** The facts of a merge whose output says that it failed; undefined if it landed. */
export function failedMergeFacts(output: Json): FailedMergeFacts | undefined {
  const { kind, next, fix } = objectOf(output);
  if (kind !== "failed") return undefined;
  return { ...failureOf(objectOf(output)), ...(next === "fix" ? fixOf(objectOf(fix)) : {}) };
}

/**
 * The facts of a merge that opened into these children: the first fix tells its agent about the failure; without a fix, the
 * merge after the escalation has it. Both are written as constants when the merge opens.
 */
export function openedMergeFacts(state: State, merge: string, children: readonly string[]): FailedMergeFacts {
  const first = children.find((id) => FIX.test(id));
  if (first === undefined) return failureOf(objectOf(constantInput(state, `${merge}/resolved`)["failure"]));
  const fix = objectOf(constantInput(state, `${merge}/${first}`)["fix"]);
  return { ...failureOf(objectOf(fix["context"])), ...fixOf(fix) };
}

/**
 * The branch of the work whose merge failed with this event: its output names the branch, or the steps that it opened into have
 * the work. A merge that ended otherwise has the work in its own input.
 */
export function failedBranch(state: State, event: Event, readValue: ReadValue): string | undefined {
  if (!("step" in event) || event.step === undefined) return undefined;
  if (event.kind === "step.completed") return textOf(objectOf(jsonOf(event.output, readValue))["branch"]);
  const opened = event.kind === "step.expanded" ? constantInput(state, `${stepName(state, event.step)}/resolved`) : {};
  const works = opened["reopened"];
  if (isJsonArray(works)) return textOf(objectOf(works.at(-1))["branch"]);
  const call = objectOf(jsonOf(state.calls.get(event.step)?.value, readValue));
  const { work, reopened } = objectOf(call["input"]);
  const repaired = isJsonArray(reopened) ? reopened.find((each) => each !== null) : undefined;
  return textOf(objectOf(work ?? repaired)["branch"]);
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

const FIX = /^fix-\d+$/u;

/** The step of a fix: beside the merge that failed, or beside a step that opened into it, or below it. */
export function findFixStep(state: State, merge: string, fixNumber: number): number | undefined {
  for (let scope = merge; scope !== ""; scope = scope.slice(0, Math.max(0, scope.lastIndexOf("/")))) {
    const step = stepNamed(state, `${scope}/fix-${fixNumber}`);
    if (step !== undefined) return step;
  }
  return undefined;
}

function failureOf({ error, conflicts, ciLogs }: JsonObject): FailureFacts {
  const { message, type } = objectOf(error);
  return {
    ...(typeof message === "string" ? { error: message } : {}),
    ...(isErrorType(type) ? { errorType: type } : {}),
    ...(isConflictInfo(conflicts) ? { conflicts } : {}),
    ...(typeof ciLogs === "string" ? { ciLogs } : {}),
  };
}

function fixOf({ fixTaskId, context }: JsonObject): { readonly fix?: FixFacts } {
  const { originalTaskId, fixNumber } = objectOf(context);
  if (typeof fixTaskId !== "string" || typeof originalTaskId !== "string" || typeof fixNumber !== "number") return {};
  return { fix: { fixTaskId, originalTaskId, fixNumber } };
}

export function constantInput(state: State, step: string): JsonObject {
  const { call } = compiledStep(state, stepNamed(state, step)!);
  return objectOf(objectOf(call === undefined ? undefined : constant(call))["input"]);
}

function isConflictInfo(value: Json | undefined): value is ConflictInfo & JsonObject {
  return isJsonObject(value) && isJsonArray(value["files"]);
}

export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** An expression, such as the output of a sibling, has no value yet and is null. */
function constant({ template }: CompiledRead): Json | undefined {
  const rendered = render(template, {}, false);
  return rendered.kind === "value" ? rendered.value : undefined;
}
