// Where there is no store, the last ends are all there is to ask about. They are kept while they are few and small.

import { stepCount, type ExecutionId, type State } from "@segno/kernel";

const EXECUTIONS_MAX = 1000;
const STEPS_MAX = 100_000;

export class RememberedEnds {
  readonly #states = new Map<ExecutionId, State>();
  #steps = 0;

  get(id: ExecutionId): State | undefined {
    return this.#states.get(id);
  }

  add(id: ExecutionId, state: State): void {
    this.#states.set(id, state);
    this.#steps += stepCount(state);
    for (const oldest of this.#states.keys()) {
      if (this.#isRoomy || oldest === id) return;
      this.#steps -= stepCount(this.#states.get(oldest)!);
      this.#states.delete(oldest);
    }
  }

  get #isRoomy(): boolean {
    return this.#states.size <= EXECUTIONS_MAX && this.#steps <= STEPS_MAX;
  }
}
