// The queue of executions whose turn runs soon: after the current work, before input and output (`callSoon`). Deliveries that
// arrive until then join the same turn, so steps that end together cost one turn, not one each.

import type { SystemPorts } from "../clock/system-ports.ts";
import type { LiveExecution } from "./live-execution.ts";

/** Maximum number of turns before input and output come next. */
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
    if (this.#executions.push(execution) === 1) this.#runSoon();
  }

  #runSoon(): void {
    this.#environment.callSoon(() => this.#runTurns(this.#dequeue()));
  }

  #dequeue(): readonly LiveExecution[] {
    const executions = this.#executions;
    if (executions.length > TURNS_MAX) {
      this.#runSoon();
      return executions.splice(0, TURNS_MAX);
    }
    this.#executions = [];
    return executions;
  }
}
