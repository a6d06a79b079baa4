// Without a store, the most recent terminal states are cached, up to a limit on their number and size.

import { stepCount, type ExecutionId, type State } from "@segno/kernel";
import { EventHistory } from "../store/none/event-history.ts";

const EXECUTIONS_MAX = 1000;
const STEPS_MAX = 100_000;
const EVENTS_MAX = 200_000;

interface CachedExecution {
  readonly state: State;
  readonly history: EventHistory;
}

export class TerminalStateCache {
  readonly #entries = new Map<ExecutionId, CachedExecution>();
  #steps = 0;
  #events = 0;

  get(id: ExecutionId): State | undefined {
    return this.#entries.get(id)?.state;
  }

  history(id: ExecutionId): EventHistory | undefined {
    return this.#entries.get(id)?.history;
  }

  newHistory(): EventHistory {
    return new EventHistory();
  }

  add(id: ExecutionId, state: State, history: EventHistory = this.newHistory()): void {
    this.#forget(id);
    this.#entries.set(id, { state, history });
    this.#steps += stepCount(state);
    this.#events += history.size;
    for (const oldest of this.#entries.keys()) {
      if (this.#isWithinLimits || oldest === id) return;
      this.#forget(oldest);
    }
  }

  #forget(id: ExecutionId): void {
    const cached = this.#entries.get(id);
    if (cached === undefined) return;
    this.#steps -= stepCount(cached.state);
    this.#events -= cached.history.size;
    this.#entries.delete(id);
  }

  get #isWithinLimits(): boolean {
    return this.#entries.size <= EXECUTIONS_MAX && this.#steps <= STEPS_MAX && this.#events <= EVENTS_MAX;
  }
}
