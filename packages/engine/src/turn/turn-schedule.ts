// Collects executions with new deliveries and runs their turns in the next tick. Deliveries that arrive until then join
// the same turn: functions that end together cost one turn, not one each.

import type { Environment } from "../clock/environment.ts";
import type { LiveExecution } from "./live-execution.ts";

/** Maximum number of turns in one tick. */
const TURNS_MAX = 512;

export class TurnSchedule {
  readonly #environment: Environment;
  readonly #runTurns: (executions: readonly LiveExecution[]) => void;
  #scheduled: LiveExecution[] = [];

  constructor(environment: Environment, runTurns: (executions: readonly LiveExecution[]) => void) {
    this.#environment = environment;
    this.#runTurns = runTurns;
  }

  add(execution: LiveExecution): void {
    execution.activity = "scheduled";
    if (this.#scheduled.push(execution) === 1) this.#runSoon();
  }

  #runSoon(): void {
    this.#environment.callSoon(() => this.#runTurns(this.#next()));
  }

  #next(): readonly LiveExecution[] {
    const all = this.#scheduled;
    if (all.length > TURNS_MAX) {
      this.#runSoon();
      return all.splice(0, TURNS_MAX);
    }
    this.#scheduled = [];
    return all;
  }
}
