// Telling of what a turn decided, once it is durable (EVENT-2).

import type { Event, ExecutionId, JsonObject } from "@segno/kernel";
import type { Bus } from "../events/bus.ts";
import { contextAtHand, finalContext, isCompleted } from "../events/final-context.ts";
import { toPublicEvents } from "../events/watch-event.ts";
import { labelsAtHand } from "../journal/item-labels.ts";
import type { Store } from "../store/store.ts";
import type { LiveExecution } from "./live-execution.ts";

export interface PublishPorts {
  readonly bus: Bus;
  readonly store: Pick<Store, "contents">;
  readonly report: (error: unknown, id: ExecutionId) => void;
  /** Called when an execution is parked and waits for a person. */
  readonly onParked: (id: ExecutionId, reason: string) => void;
}

export function publish(execution: LiveExecution, events: readonly Event[], ports: PublishPorts): void {
  const { id, state, world } = execution;
  execution.history?.add(events);
  if (state.hold?.kind === "parked" && events.at(-1)?.kind === "execution.parked")
    ports.onParked(id, state.hold.reason);
  if (ports.bus.isIdleFor(id)) return;
  if (!isCompleted(events)) return tell(execution, events, ports, undefined);
  const context = contextAtHand(state, world);
  if (context !== undefined) return tell(execution, events, ports, context);
  // Nothing follows the end of an execution that has completed, so nothing can overtake it.
  void finalContext(id, state, ports.store).then((loaded) => tell(execution, events, ports, loaded));
}

function tell(
  { id, state, world }: LiveExecution,
  events: readonly Event[],
  { bus, report }: PublishPorts,
  context: JsonObject | undefined,
): void {
  try {
    bus.publish(id, toPublicEvents(id, state, events, { labelOf: labelsAtHand(state, world), context }));
  } catch (error) {
    // They are durable: that somebody could not be told of them is no reason to doubt them.
    report(error, id);
  }
}
