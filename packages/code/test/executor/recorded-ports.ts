// Ports that record their calls.

import type { EventFilter, EventHandler, EventPort, ExecutionEvent } from "../../src/events/event-port.ts";

export class RecordedEvents implements EventPort {
  readonly events: ExecutionEvent[] = [];

  async publish(event: ExecutionEvent): Promise<void> {
    this.events.push(event);
  }

  async publishBatch(events: readonly ExecutionEvent[]): Promise<void> {
    this.events.push(...events);
  }

  subscribe(_filter: EventFilter, _handler: EventHandler): string {
    return "";
  }

  unsubscribe(_subscriptionId: string): void {}
}

/** A port whose calls are written to a list by their names. */
export function recorded<Port extends object>(port: Port, calls: string[]): Port {
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: readonly unknown[]): unknown => {
        calls.push(String(name));
        return (value as (...all: readonly unknown[]) => unknown).apply(target, [...given]);
      };
    },
  });
}
