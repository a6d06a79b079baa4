// The options of a plan, and their check.
//
//   O1. Each option is read once, when the call begins, inherited ones included. Functions are called as methods of the options
//       object, so that they may use its state.
//   O2. The signal is kept and not read yet: planning reads it before each step.

import { listCheck, uuid, wrongType, type Check } from "../model/check.ts";
import type { FieldReader } from "../model/field-reader.ts";
import { readOptions } from "../model/options.ts";
import { readChoices } from "../model/plan-choices.ts";
import type { ExecutionMode, FailureStrategy } from "../model/vocabulary.ts";
import type { WorkflowStep } from "../model/workflow-step.ts";
import type { IdAndClock } from "../model/id-and-clock.ts";

export interface PlanOptions extends IdAndClock {
  /** Takes precedence over the definition's. */
  readonly executionMode?: ExecutionMode | undefined;
  /** Bounds the whole plan and does not change the timeout of a step. The default is the definition's (ruling 11). */
  readonly globalTimeoutMs?: number | undefined;
  /** Applies to steps without an error action. */
  readonly failureStrategy?: FailureStrategy | undefined;
  /** Returns the payload of a step. It cannot override the three keys that every payload has. */
  readonly payloadFor?: ((step: WorkflowStep) => object) | undefined;
  /** Ids of steps that a downstream node reported as failed. */
  readonly failedSteps?: readonly string[] | undefined;
  readonly signal?: { readonly aborted: boolean } | undefined;
}

/** The options of an orchestrator's call. */
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

/** `fallback` has the ids and the clock for options that have none. */
export function planOptions(subject: string, given: unknown, fallback: Partial<IdAndClock>): PlanOptions {
  const newId = boundMethod<IdAndClock["newId"]>(given);
  const now = boundMethod<IdAndClock["now"]>(given);
  return readOptions(subject, given, PLAN_OPTIONS, (fields) => ({
    newId:
      fallback.newId === undefined
        ? fields.required("newId", newId)
        : fields.withDefault("newId", newId, fallback.newId),
    now: fallback.now === undefined ? fields.required("now", now) : fields.withDefault("now", now, fallback.now),
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

const signal: Check<{ readonly aborted: boolean }> = (value, path) =>
  typeof value === "object" && value !== null && "aborted" in value
    ? (value as { readonly aborted: boolean })
    : wrongType(path, "an object with `aborted`", value);

/** O1. */
function boundMethod<Method extends (...args: never[]) => unknown>(owner: unknown): Check<Method> {
  return (value, path) =>
    typeof value === "function" ? ((value as Method).bind(owner) as Method) : wrongType(path, "a function", value);
}
