// The options of a plan: what they may be, and the check of what somebody gave.
//
//   O1. Each is read once, when the call begins, also where it is inherited. Functions stay methods of the object that they came
//       with, so that they may have a state.
//   O2. The signal is kept, not read: it is for later.

import { listCheck, uuid, wrongType, type Check } from "../model/check.ts";
import type { FieldReader } from "../model/field-reader.ts";
import { readOptions } from "../model/options.ts";
import { readChoices } from "../model/plan-choices.ts";
import type { ExecutionMode, FailureStrategy } from "../model/vocabulary.ts";
import type { WorkflowStep } from "../model/workflow-step.ts";
import type { IdAndClock } from "../id-and-clock.ts";

export interface PlanOptions extends IdAndClock {
  /** Beats the definition's. */
  readonly executionMode?: ExecutionMode | undefined;
  /** Bounds the whole plan and changes no step's own timeout. Falls back to the definition's (ruling 11). */
  readonly globalTimeoutMs?: number | undefined;
  /** Counts for steps that have no error action of their own. */
  readonly failureStrategy?: FailureStrategy | undefined;
  /** What a step's payload holds beside the three keys that every payload has and that it cannot override. */
  readonly payloadFor?: ((step: WorkflowStep) => object) | undefined;
  /** Ids of steps that a downstream node reported as failed. */
  readonly failedSteps?: readonly string[] | undefined;
  readonly signal?: { readonly aborted: boolean } | undefined;
}

/** What a call of an orchestrator may say beside its input. */
export type ProcessOptions = Pick<PlanOptions, "payloadFor" | "failedSteps" | "signal">;

const OWN: readonly (keyof ProcessOptions)[] = ["payloadFor", "failedSteps", "signal"];
const PROCESS_OPTIONS: ReadonlySet<string> = new Set(OWN);
const PLAN_OPTIONS: ReadonlySet<string> = new Set<keyof PlanOptions>([
  "newId",
  "now",
  "executionMode",
  "globalTimeoutMs",
  "failureStrategy",
  ...OWN,
]);

/** `fallback` has the sources that count where the options bring none. */
export function planOptions(subject: string, given: unknown, fallback: Partial<IdAndClock>): PlanOptions {
  const newId = boundMethod<IdAndClock["newId"]>(given);
  const now = boundMethod<IdAndClock["now"]>(given);
  return readOptions(subject, given, PLAN_OPTIONS, (fields) => ({
    newId: fallback.newId === undefined ? fields.required("newId", newId) : fields.or("newId", newId, fallback.newId),
    now: fallback.now === undefined ? fields.required("now", now) : fields.or("now", now, fallback.now),
    ...readChoices(fields),
    ...readOwn(fields, given),
  }));
}

export function processOptions(subject: string, given: unknown): ProcessOptions {
  return readOptions(subject, given, PROCESS_OPTIONS, (fields) => readOwn(fields, given));
}

function readOwn(fields: FieldReader, given: unknown): ProcessOptions {
  return {
    payloadFor: fields.optional("payloadFor", boundMethod<(step: WorkflowStep) => object>(given)),
    failedSteps: fields.optional("failedSteps", ids),
    signal: fields.optional("signal", signal),
  };
}

const ids = listCheck(uuid);

const signal: Check<{ readonly aborted: boolean }> = (value, place) =>
  typeof value === "object" && value !== null && "aborted" in value
    ? (value as { readonly aborted: boolean })
    : wrongType(place, "an object with `aborted`", value);

/** O1. */
function boundMethod<Method extends (...args: never[]) => unknown>(owner: unknown): Check<Method> {
  return (value, place) =>
    typeof value === "function" ? ((value as Method).bind(owner) as Method) : wrongType(place, "a function", value);
}
