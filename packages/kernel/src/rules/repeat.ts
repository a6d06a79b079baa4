// Repetitions (STATE-13): the steps of a `repeat` run again until its condition is true.
//
//   RP1. An iteration is a region of its own. The next one begins when every step of the one before has ended.
//   RP2. The condition is evaluated once after each iteration, and the result is in the journal: the next iteration, or the end.
//   RP3. A repetition whose condition is not true after its largest number of iterations fails.

import { notAFlagMessage } from "../data/type-mismatch-messages.ts";
import type { KernelErrorCode } from "../errors/catalogue.ts";
import type { Failure } from "../model/failure.ts";
import type { ContentHash } from "../model/units.ts";
import type { RepeatWork } from "../program/program.ts";
import type { Region } from "../state/region.ts";
import { compiledStep } from "../state/step-position.ts";
import type { State } from "../state/state.ts";
import { evaluateInRegion } from "./evaluate-step.ts";
import type { StoredValues } from "./stored-values.ts";

/** The decision after an iteration. `ended`: the repetition has its output. */
export type IterationEnd =
  | { readonly kind: "ended" }
  | { readonly kind: "again" }
  | { readonly kind: "failure"; readonly failure: Failure }
  | { readonly kind: "needs"; readonly values: Iterable<ContentHash> };

export function iterationEnd(state: State, region: Region, values: StoredValues): IterationEnd {
  const work = repeatWork(state, region);
  const until = isConditionMet(state, region, work, values);
  if (typeof until !== "boolean") return until;
  if (until) return { kind: "ended" };
  if (region.iterationsLeft > 0) return { kind: "again" };
  if (work.until === undefined && !work.isEndedByHandler) return { kind: "ended" };
  const count = region.iteration + 1;
  const times = count === 1 ? "1 iteration" : `${count} iterations`;
  return failure("REPEAT_LIMIT", `the condition is still not true after ${times}, which is the limit`);
}

function repeatWork(state: State, { parent }: Region): RepeatWork {
  return compiledStep(state, parent).work as RepeatWork;
}

function isConditionMet(
  state: State,
  region: Region,
  { until }: RepeatWork,
  values: StoredValues,
): boolean | Exclude<IterationEnd, { kind: "ended" | "again" }> {
  const event = state.phaseEvents[region.base + region.result];
  if (event?.kind === "step.completed" && event.isLast === true) return true;
  if (until === undefined) return false;
  const result = evaluateInRegion(state, region, until, values);
  if (result.kind !== "evaluated") return result;
  if (typeof result.value === "boolean") return result.value;
  return failure("UNTIL_NOT_BOOLEAN", notAFlagMessage(until.expression, result.value));
}

function failure(code: KernelErrorCode, message: string): IterationEnd & { kind: "failure" } {
  return { kind: "failure", failure: { class: "permanent", code, message } };
}
