// The queue of executions whose turn runs in the next tick. Deliveries that arrive until then join the same turn, so
// steps that end in the same tick cost one turn, not one each.

import type { SystemPorts } from "../clock/system-ports.ts";
import type { LiveExecution } from "./live-execution.ts";

/** Maximum number of turns in one tick. */
const TURNS_MAX = 512;

export class TurnQueue {
  readonly #environment: SystemPorts;
  readonly #runTurns: (executions: readonly LiveExecution[]) => void;
  #executions: LiveExecution[] = [];

  constructor(environment: SystemPorts, runTurns: (executions: readonly LiveExecution[]) => void) {
    this.#environment = environment;
    this.#runTurns = runTurns;
  }

  add(execution: LiveExecution): void {
    execution.turnStage = "turn-queued";
    if (this.#executions.push(execution) === 1) this.#runNextTick();
  }

  #runNextTick(): void {
    this.#environment.callSoon(() => this.#runTurns(this.#dequeue()));
  }

  #dequeue(): readonly LiveExecution[] {
    const executions = this.#executions;
    if (executions.length > TURNS_MAX) {
      this.#runNextTick();
      return executions.splice(0, TURNS_MAX);
    }
    this.#executions = [];
    return executions;
  }
}
