// Executions that something came for: each is to take a turn, in a moment, with whatever else comes until then. Functions that
// end together end in one turn, which costs as much as one of them alone.

import type { Environment } from "../clock/environment.ts";
import type { LiveExecution } from "./live-execution.ts";

/** So many executions take their turns one after the other; then others have theirs. */
const TURNS_AT_ONCE = 512;

export class TurnSchedule {
  readonly #environment: Environment;
  readonly #take: (executions: readonly LiveExecution[]) => void;
  #scheduled: LiveExecution[] = [];

  constructor(environment: Environment, take: (executions: readonly LiveExecution[]) => void) {
    this.#environment = environment;
    this.#take = take;
  }

  add(execution: LiveExecution): void {
    execution.activity = "scheduled";
    if (this.#scheduled.push(execution) === 1) this.#takeSoon();
  }

  #takeSoon(): void {
    this.#environment.soon(() => this.#take(this.#next()));
  }

  #next(): readonly LiveExecution[] {
    const all = this.#scheduled;
    if (all.length > TURNS_AT_ONCE) {
      this.#takeSoon();
      return all.splice(0, TURNS_AT_ONCE);
    }
    this.#scheduled = [];
    return all;
  }
}
