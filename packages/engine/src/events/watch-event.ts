// What subscribers see: one watch event for each event of the journal, with names instead of places (EVENT-1).

import {
  contextSnapshot,
  isRunning,
  stepName,
  type Event,
  type EventKind,
  type ExecutionId,
  type JsonObject,
  type State,
  type StepIndex,
} from "@segno/kernel";

export interface WatchEvent {
  readonly kind: EventKind;
  readonly executionId: ExecutionId;
  readonly workflow: string;
  readonly correlationId: string;
  readonly seq: number;
  readonly at: number;
  readonly step?: string;
  readonly attempt?: number;
  /** The journal's own event. */
  readonly event: Event;
  /** With `execution.completed`: input, variables and steps as they were at the end, masked like everything (EVENT-1). */
  readonly context?: JsonObject;
}

/** Events that follow each other, and the state in which they left the execution. */
export function watchEvents(id: ExecutionId, state: State, events: readonly Event[]): readonly WatchEvent[] {
  const started = new Map<number, number>();
  return events.map((event) => {
    const step = "step" in event ? event.step : undefined;
    if (event.kind === "step.started") started.set(event.step, event.attempt);
    const attempt = step === undefined ? 0 : (started.get(step) ?? attemptOf(state, step, event.kind));
    return {
      kind: event.kind,
      executionId: id,
      workflow: state.program.definition.name,
      correlationId: state.created?.correlationId ?? "",
      seq: event.seq,
      at: event.at,
      event,
      ...(step === undefined ? {} : { step: stepName(state, step) }),
      ...(attempt === 0 ? {} : { attempt }),
      ...(event.kind === "execution.completed" ? { context: contextSnapshot(state) } : {}),
    };
  });
}

/** Of a step that started before these events. A lost attempt does not count, so unless it runs again it is one less. */
function attemptOf(state: State, step: StepIndex, kind: EventKind): number {
  const attempts = state.columns.attempts[step]!;
  const isCounted = kind !== "step.lost" || isRunning(state, step, state.columns.epoch[step]!);
  return isCounted ? attempts : attempts + 1;
}
