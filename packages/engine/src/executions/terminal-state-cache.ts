// Without a store, the most recent terminal states are cached, up to a limit on their number and size.

import { stepCount, type ExecutionId, type State } from "@segno/kernel";
import { EventHistory } from "../store/none/event-history.ts";

const EXECUTIONS_MAX = 1000;
const STEPS_MAX = 100_000;
const EVENTS_MAX = 200_000;

interface End {
  readonly state: State;
  readonly history: EventHistory;
}

export class TerminalStateCache {
  readonly #ends = new Map<ExecutionId, End>();
  #steps = 0;
  #events = 0;

  get(id: ExecutionId): State | undefined {
    return this.#ends.get(id)?.state;
  }

  history(id: ExecutionId): EventHistory | undefined {
    return this.#ends.get(id)?.history;
  }

  newHistory(): EventHistory {
    return new EventHistory();
  }

  add(id: ExecutionId, state: State, history: EventHistory = this.newHistory()): void {
    this.#forget(id);
    this.#ends.set(id, { state, history });
    this.#steps += stepCount(state);
    this.#events += history.size;
    for (const oldest of this.#ends.keys()) {
      if (this.#isRoomy || oldest === id) return;
      this.#forget(oldest);
    }
  }

  #forget(id: ExecutionId): void {
    const end = this.#ends.get(id);
    if (end === undefined) return;
    this.#steps -= stepCount(end.state);
    this.#events -= end.history.size;
    this.#ends.delete(id);
  }

  get #isRoomy(): boolean {
    return this.#ends.size <= EXECUTIONS_MAX && this.#steps <= STEPS_MAX && this.#events <= EVENTS_MAX;
  }
}
