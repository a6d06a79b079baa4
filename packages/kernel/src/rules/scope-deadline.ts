// The deadline of a scope (FAIL-4): the timeout of its step bounds a map and a call, and a called workflow has its own timeout too.
//
// When a scope times out, it fails as if one of its steps had failed: waiting steps are skipped, running ones are told to stop and
// have their grace period, clean-up still runs, and the step ends when all of them have ended. A new round starts the time again.

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

/** The shorter of the two timeouts; `called` is the workflow that a step calls. */
function scopeTimeLimit({ definition, work }: CompiledStep, called: Program | undefined): TimeLimit | undefined {
  // The timeout of a step that expands bounds its attempt, and not the children that the attempt returned.
  const ownTimeout = work.kind === "call" ? undefined : definition.timeout;
  const calledTimeout = called?.definition.timeout;
  if (ownTimeout !== undefined && (calledTimeout === undefined || ownTimeout <= calledTimeout))
    return { timeout: ownTimeout, failure: tooLong(ownTimeout) };
  return calledTimeout === undefined
    ? undefined
    : { timeout: calledTimeout, failure: calledTooLong(called!, calledTimeout) };
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

/** The time limit of a scope that is open. */
export function scopeBound(state: State, step: number): TimeLimit | undefined {
  const compiled = compiledStep(state, step);
  const called = compiled.work.kind === "workflow" ? lastChildRegion(state, step).program : undefined;
  return scopeTimeLimit(compiled, called);
}

/** Arms the timer of a scope that is about to open, and returns its time. */
export function boundScope(
  state: State,
  step: StepIndex,
  builder: DecisionBuilder,
  called?: Program,
): EpochMs | undefined {
  const bound = scopeTimeLimit(compiledStep(state, step), called);
  if (bound === undefined) return undefined;
  const dueAt = epochMs(builder.at + bound.timeout);
  builder.emitEffect({ kind: "arm", timer: { kind: "scope-deadline", step }, dueAt });
  return dueAt;
}

/** Undefined if the scope has no deadline or is not open. */
export function scopeDeadline(state: State, step: number): EpochMs | undefined {
  if (state.columns.phase[step] !== OPEN) return undefined;
  const event = state.phaseEvents[step];
  if (event?.kind === "step.expanded") return event.deadline;
  const bound = scopeBound(state, step);
  return event === undefined || bound === undefined ? undefined : epochMs(event.at + bound.timeout);
}
