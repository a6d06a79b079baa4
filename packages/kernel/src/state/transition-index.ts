// The table of transitions as a lookup: event kind and phase tell whether a move is allowed, with one array read.

import { InvariantViolation } from "../errors/invariant-violation.ts";
import type { EventKind } from "../journal/event.ts";
import { EVENT_KINDS } from "../journal/read-event.ts";
import { PHASE_COUNT, PHASES, RETRYING, WAITING, type ExecutionStatus, type StepStatus } from "./phase.ts";
import { EXECUTION_TRANSITIONS, STEP_TRANSITIONS } from "./transitions.ts";

/** The journal does not record `ready` and `queued`: a queued step is waiting or in backoff, a ready step is waiting. */
const DURABLE: Readonly<Partial<Record<StepStatus, readonly number[]>>> = {
  ready: [WAITING],
  queued: [WAITING, RETRYING],
};

function durablePhases(status: StepStatus): readonly number[] {
  return DURABLE[status] ?? [PHASES.indexOf(status)];
}

const eventCode = new Map<EventKind, number>(EVENT_KINDS.map((kind, code) => [kind, code]));

const allowed: Uint8Array = new Uint8Array(EVENT_KINDS.length * PHASE_COUNT * PHASE_COUNT);

for (const { from, on, to } of STEP_TRANSITIONS) {
  const code = eventCode.get(on as EventKind);
  if (code === undefined) continue;
  for (const source of durablePhases(from)) {
    for (const target of durablePhases(to)) allowed[(code * PHASE_COUNT + source) * PHASE_COUNT + target] = 1;
  }
}

export function assertStepTransition(step: number, from: number, on: EventKind, to: number): void {
  if (allowed[(eventCode.get(on)! * PHASE_COUNT + from) * PHASE_COUNT + to] === 1) return;
  throw new InvariantViolation("STATE-2", `step ${step} cannot go from ${PHASES[from]} to ${PHASES[to]} on ${on}`);
}

const executionMoves: ReadonlySet<string> = new Set(
  EXECUTION_TRANSITIONS.map(({ from, on, to }) => `${from} ${on} ${to}`),
);

export function assertExecutionTransition(from: ExecutionStatus | "none", on: EventKind, to: ExecutionStatus): void {
  if (executionMoves.has(`${from} ${on} ${to}`)) return;
  throw new InvariantViolation("STATE-1", `an execution cannot go from ${from} to ${to} on ${on}`);
}
