// Public events: one for each event of the journal, with step names instead of indexes (EVENT-1).

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
import { eventDetails, type EventDetails } from "./event-details.ts";

/** An event of an execution as subscribers get it. */
export interface WatchEvent extends EventDetails {
  readonly kind: EventKind;
  readonly executionId: ExecutionId;
  readonly workflow: string;
  readonly correlationId: string;
  readonly seq: number;
  readonly at: number;
  readonly step?: string;
  /**
   * The label of the item that the step belongs to, if its map defines labels and the items are in memory. It is raw
   * text; a caller that prints it must escape it.
   */
  readonly label?: string;
  readonly attempt?: number;
  /** The journal's own event. */
  readonly event: Event;
  /**
   * For `execution.completed`: input, variables and steps at the end, masked like all output (EVENT-1). Absent if some
   * of its values were removed from the store.
   */
  readonly context?: JsonObject;
}

export interface EventOptions {
  readonly labelOf: LabelOf;
  /** The final context, if the events include the end. */
  readonly context?: JsonObject | undefined;
  /** Events up to this sequence number are not returned; they only provide context for the others. */
  readonly after?: number;
}

/** Converts consecutive events, given the state after them. */
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
    ...eventDetails(state, event),
    ...(event.kind === "execution.completed" && context !== undefined ? { context } : {}),
  };
}

/**
 * The attempt number of a step that started before these events. A lost attempt does not count, so it is one less
 * unless the step runs again.
 */
function attemptNumber(state: State, step: StepIndex, kind: EventKind): number {
  const attempts = attemptCount(state, step);
  const isCounted = kind !== "step.lost" || isRunning(state, step);
  return isCounted ? attempts : attempts + 1;
}
