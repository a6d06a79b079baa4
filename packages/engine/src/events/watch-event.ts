// What subscribers see: one watch event for each event of the journal, with names instead of places (EVENT-1).

import {
  attemptCount,
  isRunning,
  stepName,
  type Event,
  type EventKind,
  type ExecutionId,
  type JsonObject,
  type State,
  type StepIndex,
} from "@segno/kernel";
import type { LabelOf } from "../journal/item-labels.ts";
import { toParticulars, type EventParticulars } from "./event-particulars.ts";

export interface WatchEvent extends EventParticulars {
  readonly kind: EventKind;
  readonly executionId: ExecutionId;
  readonly workflow: string;
  readonly correlationId: string;
  readonly seq: number;
  readonly at: number;
  readonly step?: string;
  /** Of the item that the step stands in, where its map gives labels and the items are at hand. As it came, not made safe. */
  readonly label?: string;
  readonly attempt?: number;
  /** The journal's own event. */
  readonly event: Event;
  /**
   * With `execution.completed`: input, variables and steps as they were at the end, masked like everything (EVENT-1). Absent
   * where values of it were removed from the store.
   */
  readonly context?: JsonObject;
}

export interface EventOptions {
  readonly labelOf: LabelOf;
  /** The context at the end, where that is among the events. */
  readonly context?: JsonObject | undefined;
  /** Events up to this one were seen, and only say what the others mean. */
  readonly after?: number;
}

/** Events that follow each other, and the state in which they left the execution. */
export function toPublicEvents(
  id: ExecutionId,
  state: State,
  events: readonly Event[],
  watching: EventOptions,
): readonly WatchEvent[] {
  const { after = 0 } = watching;
  const started = new Map<number, number>();
  const watched: WatchEvent[] = [];
  for (const event of events) {
    if (event.kind === "step.started") started.set(event.step, event.attempt);
    if (event.seq > after) watched.push(toPublicEvent(id, state, event, started, watching));
  }
  return watched;
}

function toPublicEvent(
  id: ExecutionId,
  state: State,
  event: Event,
  started: ReadonlyMap<number, number>,
  { labelOf, context }: EventOptions,
): WatchEvent {
  const step = "step" in event ? event.step : undefined;
  const attempt = step === undefined ? 0 : (started.get(step) ?? attemptNumber(state, step, event.kind));
  const label = step === undefined ? undefined : labelOf(step);
  return {
    kind: event.kind,
    executionId: id,
    workflow: state.program.definition.name,
    correlationId: state.created?.correlationId ?? "",
    seq: event.seq,
    at: event.at,
    event,
    ...(step === undefined ? {} : { step: stepName(state, step) }),
    ...(label === undefined ? {} : { label }),
    ...(attempt === 0 ? {} : { attempt }),
    ...toParticulars(state, event),
    ...(event.kind === "execution.completed" && context !== undefined ? { context } : {}),
  };
}

/** Of a step that started before these events. A lost attempt does not count, so unless it runs again it is one less. */
function attemptNumber(state: State, step: StepIndex, kind: EventKind): number {
  const attempts = attemptCount(state, step);
  const isCounted = kind !== "step.lost" || isRunning(state, step);
  return isCounted ? attempts : attempts + 1;
}
