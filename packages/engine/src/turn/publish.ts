// Telling of what a turn decided, once it is durable (EVENT-2).

import type { Event, ExecutionId } from "@segno/kernel";
import type { Bus } from "../events/bus.ts";
import { watchEvents } from "../events/watch-event.ts";
import { labelsAtHand } from "../item-labels.ts";
import type { LiveExecution } from "./live-execution.ts";

export interface PublishPorts {
  readonly bus: Bus;
  readonly report: (error: unknown, id: ExecutionId) => void;
  /** An execution waits for somebody from now on. */
  readonly parked: (id: ExecutionId, reason: string) => void;
}

export function publish({ id, state, world }: LiveExecution, events: readonly Event[], ports: PublishPorts): void {
  if (state.hold?.kind === "parked" && events.at(-1)?.kind === "execution.parked") ports.parked(id, state.hold.reason);
  if (ports.bus.isIdleFor(id)) return;
  try {
    ports.bus.publish(id, watchEvents(id, state, events, { labelOf: labelsAtHand(state, world) }));
  } catch (error) {
    // They are durable: that somebody could not be told of them is no reason to doubt them.
    ports.report(error, id);
  }
}
