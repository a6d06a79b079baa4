// Publishes the events of a turn once they are durable (EVENT-2).

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
  /** Called when an execution is parked. */
  readonly onParked: (id: ExecutionId, reason: string) => void;
}

export function publish(execution: LiveExecution, events: readonly Event[], ports: PublishPorts): void {
  const { id, state, world } = execution;
  execution.history?.add(events);
  if (state.hold?.kind === "parked" && events.at(-1)?.kind === "execution.parked")
    ports.onParked(id, state.hold.reason);
  if (ports.bus.isIdleFor(id)) return;
  if (!isCompleted(events)) return publishEvents(execution, events, ports, undefined);
  const context = contextAtHand(state, world);
  if (context !== undefined) return publishEvents(execution, events, ports, context);
  // A completed execution has no further events, so none can overtake these while the context loads.
  void finalContext(id, state, ports.store).then((loaded) => publishEvents(execution, events, ports, loaded));
}

function publishEvents(
  { id, state, world }: LiveExecution,
  events: readonly Event[],
  { bus, report }: PublishPorts,
  context: JsonObject | undefined,
): void {
  try {
    bus.publish(id, toPublicEvents(id, state, events, { labelOf: labelsAtHand(state, world), context }));
  } catch (error) {
    // The events are durable; a failing subscriber does not change that.
    report(error, id);
  }
}
