// When steps began and ended (STATE-4). Both are derived from the times of events, so folding a journal restores them.
//
//   TM1. A step begins with its first attempt of a round, with its wait, or when it opens. A step that succeeds or fails without
//        any of these begins when it ends. A step that is skipped or cancelled before that never begins.
//   TM2. The duration of a step includes all its attempts, lost attempts and the backoff between attempts.
//   TM3. In a new round, a step that runs again begins again. Events of earlier rounds keep the start times of their round.

import type { Event } from "../journal/event.ts";
import type { DurationMs, EpochMs } from "../model/units.ts";
import { isTerminalPhase } from "./phase.ts";
import type { State } from "./state.ts";

/** A running step has no end, and a skipped step has no start. */
export interface StepTimes {
  readonly startedAt?: EpochMs;
  readonly completedAt?: EpochMs;
  readonly durationMs?: DurationMs;
}

export function begin({ columns }: State, step: number, at: EpochMs): void {
  if (Number.isNaN(columns.startedAt[step])) columns.startedAt[step] = at;
}

/** Resets the start for a new round. `at` is set for a scope that continues: it begins with the round. */
export function resetStart({ columns, pastStarts, seq }: State, step: number, at: EpochMs | undefined): void {
  const before = columns.startedAt[step]!;
  columns.startedAt[step] = at ?? Number.NaN;
  if (Number.isNaN(before)) return;
  const past = pastStarts.get(step);
  if (past === undefined) pastStarts.set(step, [{ seq, at: before as EpochMs }]);
  else past.push({ seq, at: before as EpochMs });
}

export function stepTimes(state: State, step: number): StepTimes {
  const { startedAt, phase } = state.columns;
  const completedAt = isTerminalPhase(phase[step]!) ? state.phaseEvents[step]?.at : undefined;
  return toStepTimes(startedAt[step]!, completedAt);
}

/** The time since when a step has its status; undefined for a step without an event. */
export function statusSince(state: State, step: number): EpochMs | undefined {
  return state.phaseEvents[step]?.at;
}

export type StepEnd = Extract<
  Event,
  { readonly kind: "step.completed" | "step.failed" | "step.skipped" | "step.cancelled" }
>;

/**
 * The start of the step of an event, in the round of that event; NaN if the step never began. It is a number because metrics
 * read it for every step.
 */
export function startOf({ columns, pastStarts }: State, { step, seq }: Pick<StepEnd, "step" | "seq">): number {
  const past = pastStarts.size === 0 ? undefined : pastStarts.get(step)?.find((each) => each.seq > seq);
  return past?.at ?? columns.startedAt[step]!;
}

/**
 * The duration of the step that an event ended, in the round of that event; undefined for a step that its condition skipped.
 */
export function durationUntil(state: State, event: StepEnd): DurationMs | undefined {
  if (event.kind === "step.skipped" && event.reason.kind === "condition") return undefined;
  return toStepTimes(startOf(state, event), event.at).durationMs;
}

function toStepTimes(startedAt: number, completedAt: EpochMs | undefined): StepTimes {
  if (Number.isNaN(startedAt)) return completedAt === undefined ? {} : { completedAt };
  if (completedAt === undefined) return { startedAt: startedAt as EpochMs };
  return { startedAt: startedAt as EpochMs, completedAt, durationMs: (completedAt - startedAt) as DurationMs };
}
