// Publishes the events of a turn once they are durable (EVENT-2).

import type { Event, ExecutionId, JsonObject } from "@segno/kernel";
import type { Bus } from "../events/bus.ts";
import { inlineContext, finalContext, isCompleted } from "../events/final-context.ts";
import { toPublicEvents } from "../events/watch-event.ts";
import { labelsAtHand } from "../journal/item-labels.ts";
import type { Store } from "../store/store.ts";
import type { LiveExecution } from "./live-execution.ts";

export interface PublisherPorts {
  readonly bus: Bus;
  readonly store: Pick<Store, "contents">;
  readonly report: (error: unknown, id: ExecutionId) => void;
  /** Called when an execution is parked. */
  readonly onParked: (id: ExecutionId, reason: string) => void;
}

export class Publisher {
  readonly #ports: PublisherPorts;

  constructor(ports: PublisherPorts) {
    this.#ports = ports;
  }

  publish(execution: LiveExecution, events: readonly Event[]): void {
    const { id, state, values } = execution;
    execution.history?.add(events);
    if (state.hold?.kind === "parked" && events.at(-1)?.kind === "execution.parked")
      this.#ports.onParked(id, state.hold.reason);
    if (!this.#ports.bus.hasSubscriber(id)) return;
    if (!isCompleted(events)) return this.#publish(execution, events, undefined);
    const context = inlineContext(state, values);
    if (context !== undefined) return this.#publish(execution, events, context);
    // A completed execution has no further events, so none can overtake these while the context loads.
    void finalContext(id, state, this.#ports.store).then((loaded) => this.#publish(execution, events, loaded));
  }

  #publish({ id, state, values }: LiveExecution, events: readonly Event[], context: JsonObject | undefined): void {
    const { bus, report } = this.#ports;
    try {
      bus.publish(id, toPublicEvents(id, state, events, { labelOf: labelsAtHand(state, values), context }));
    } catch (error) {
      // The events are durable; a failing subscriber does not change that.
      report(error, id);
    }
  }
}
