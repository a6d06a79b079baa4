// When steps began and ended (STATE-4). Both follow from the times of events, so folding a journal gives them again.
//
//   TM1. A step begins with its first attempt of a round, with its wait, or when it opens into others; one that succeeds or
//        fails without any of these begins when it ends. What is skipped or cancelled before that has never begun.
//   TM2. Further attempts, the backoff between them and attempts that were lost belong to it: its duration is that of all.
//   TM3. A new round begins anew what gets another chance. Events of the rounds before keep the starts that they had.

import type { Event } from "../journal/event.ts";
import type { DurationMs, EpochMs } from "../model/units.ts";
import { isTerminalPhase } from "./phase.ts";
import type { State } from "./state.ts";

/** Each where it is known: a step that runs has not ended, and one that was skipped has not begun. */
export interface StepTimes {
  readonly startedAt?: EpochMs;
  readonly completedAt?: EpochMs;
  readonly durationMs?: DurationMs;
}

export function begin({ columns }: State, step: number, at: EpochMs): void {
  if (Number.isNaN(columns.startedAt[step])) columns.startedAt[step] = at;
}

/** For a new round; a scope that goes on begins with it. */
export function beginAnew({ columns, pastStarts, seq }: State, step: number, at: EpochMs | undefined): void {
  const before = columns.startedAt[step]!;
  columns.startedAt[step] = at ?? Number.NaN;
  if (Number.isNaN(before)) return;
  const past = pastStarts.get(step);
  if (past === undefined) pastStarts.set(step, [{ seq, at: before as EpochMs }]);
  else past.push({ seq, at: before as EpochMs });
}

export function stepTimes(state: State, step: number): StepTimes {
  const { startedAt, phase } = state.columns;
  const completedAt = isTerminalPhase(phase[step]!) ? state.last[step]?.at : undefined;
  return toStepTimes(startedAt[step]!, completedAt);
}

export type StepEnd = Extract<
  Event,
  { readonly kind: "step.completed" | "step.failed" | "step.skipped" | "step.cancelled" }
>;

/** How long the step took that an event ended, in whichever round that was; nothing for one that its condition skipped. */
export function durationUntil(state: State, event: StepEnd): DurationMs | undefined {
  if (event.kind === "step.skipped" && event.reason.kind === "condition") return undefined;
  const past = state.pastStarts.get(event.step)?.find(({ seq }) => seq > event.seq);
  return toStepTimes(past?.at ?? state.columns.startedAt[event.step]!, event.at).durationMs;
}

function toStepTimes(startedAt: number, completedAt: EpochMs | undefined): StepTimes {
  if (Number.isNaN(startedAt)) return completedAt === undefined ? {} : { completedAt };
  if (completedAt === undefined) return { startedAt: startedAt as EpochMs };
  return { startedAt: startedAt as EpochMs, completedAt, durationMs: (completedAt - startedAt) as DurationMs };
}
