// Live output of an engine: events of executions, and log lines of steps.

import { toExecutionId } from "../checks/names.ts";
import type { Bus, WatchFilter, WatchHandler } from "../events/bus.ts";
import { checkWatch } from "../events/watch-check.ts";
import type { LogListener, LogWriter } from "../logs/log-writer.ts";

export class Subscriptions {
  readonly #bus: Bus;
  readonly #logs: LogWriter;

  constructor(bus: Bus, logs: LogWriter) {
    this.#bus = bus;
    this.#logs = logs;
  }

  onEvents(filter: WatchFilter, handler: WatchHandler): () => void {
    checkWatch(filter, handler);
    return this.#bus.subscribe(filter, handler);
  }

  onLog({ executionId }: { readonly executionId?: string }, handler: LogListener): () => void {
    return this.#logs.subscribe(executionId === undefined ? {} : { execution: toExecutionId(executionId) }, handler);
  }
}
