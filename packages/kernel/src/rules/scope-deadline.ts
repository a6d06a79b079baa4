// The time that a scope has (FAIL-4): a map and a call are bounded by the timeout of their step, a called workflow also by its own.
//
// When it is over the scope fails as if one of its steps had: the rest is skipped, what runs is told to stop and has its grace,
// clean-up still runs, and the step ends when all of them have. In a new round the time begins anew.

import type { Failure } from "../model/failure.ts";
import { epochMs, type DurationMs, type EpochMs, type StepIndex } from "../model/units.ts";
import type { CompiledStep, Program } from "../program/program.ts";
import type { DecisionBuilder } from "./decision-builder.ts";
import { OPEN } from "../state/phase.ts";
import { compiledStep, lastChildRegion } from "../state/step-position.ts";
import type { State } from "../state/state.ts";

export interface TimeLimit {
  readonly timeout: DurationMs;
  readonly failure: Failure;
}

/** The shorter one; `called` is the workflow that a step calls. */
function scopeTimeLimit({ definition, work }: CompiledStep, called: Program | undefined): TimeLimit | undefined {
  // What an attempt opened into is not its attempt any more, and that is what its timeout bounds.
  const own = work.kind === "items" || work.kind === "workflow" ? definition.timeout : undefined;
  const theirs = called?.definition.timeout;
  if (own !== undefined && (theirs === undefined || own <= theirs)) return { timeout: own, failure: tooLong(own) };
  return theirs === undefined ? undefined : { timeout: theirs, failure: calledTooLong(called!, theirs) };
}

function tooLong(timeout: DurationMs): Failure {
  return { class: "timeout", code: "ATTEMPT_TIMEOUT", message: `the step took longer than ${timeout} ms` };
}

function calledTooLong({ definition: { name } }: Program, timeout: DurationMs): Failure {
  return {
    class: "timeout",
    code: "EXECUTION_TIMEOUT",
    message: `the workflow \`${name}\` took longer than ${timeout} ms`,
  };
}

/** Of a scope that is open. */
export function scopeBound(state: State, step: number): TimeLimit | undefined {
  const compiled = compiledStep(state, step);
  const called = compiled.work.kind === "workflow" ? lastChildRegion(state, step).program : undefined;
  return scopeTimeLimit(compiled, called);
}

/** Asks for the timer of a scope that is about to open, and says when it is due. */
export function boundScope(
  state: State,
  step: StepIndex,
  draft: DecisionBuilder,
  called?: Program,
): EpochMs | undefined {
  const bound = scopeTimeLimit(compiledStep(state, step), called);
  if (bound === undefined) return undefined;
  const dueAt = epochMs(draft.at + bound.timeout);
  draft.emitEffect({ kind: "arm", timer: { kind: "scope-deadline", step }, dueAt });
  return dueAt;
}

/** Nothing when it has none, or is not open. */
export function scopeDeadline(state: State, step: number): EpochMs | undefined {
  if (state.columns.phase[step] !== OPEN) return undefined;
  const event = state.last[step];
  if (event?.kind === "step.expanded") return event.deadline;
  const bound = scopeBound(state, step);
  return event === undefined || bound === undefined ? undefined : epochMs(event.at + bound.timeout);
}
