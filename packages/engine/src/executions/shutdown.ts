// Graceful shutdown: a closing engine waits for running attempts, up to the time that the caller allows. Then it records
// the attempts that it force-stops, so that the next owner knows that there was no crash (FAIL-9). If the store does not
// accept the record, the next owner treats these attempts as crashed.

import type { SystemPorts } from "../clock/system-ports.ts";
import type { Runner } from "../runners/runner.ts";
import type { AdmissionController } from "../turn/admission-controller.ts";
import type { LiveExecution } from "../turn/live-execution.ts";
import type { AttemptStopper } from "./evictor.ts";
import type { Executions } from "./executions.ts";

export interface ShutdownPorts {
  readonly environment: SystemPorts;
  readonly admission: AdmissionController;
  readonly executions: Executions;
  readonly attempts: AttemptStopper;
  readonly runner: Pick<Runner, "idle" | "commitDelayTicks">;
}

/** The current turn, the turn that records the force-stopped attempts, and one for deliveries that came between. */
const PASSES_MAX = 4;
/** The time between two checks whether attempts run. */
const POLL_MS = 5;
const POLLS_WITHOUT_SLEEP = 20;

export class Shutdown {
  readonly #ports: ShutdownPorts;

  constructor(ports: ShutdownPorts) {
    this.#ports = ports;
  }

  /** Waits for running attempts. Ready steps do not start now; they start when an engine opens the store again. */
  async drain(ms: number): Promise<void> {
    const { admission, executions } = this.#ports;
    admission.close();
    await Promise.race([this.#untilIdle(), executions.sleep(ms)]);
  }

  /** Resolves when no attempt is prepared or runs, and every outcome is durable. */
  async #untilIdle(): Promise<void> {
    const { executions, runner } = this.#ports;
    for (let poll = 1; ; poll++) {
      await runner.idle();
      await executions.untilCommitted();
      if (runner.commitDelayTicks === 0 && executions.isQuiet && !this.#hasAttempts()) return;
      // Idleness usually needs only a few ticks of the event loop. A slow store needs longer, so the loop then sleeps.
      if (poll <= POLLS_WITHOUT_SLEEP) await this.#nextTick();
      else await executions.sleep(POLL_MS);
    }
  }

  /** The runner does not know an attempt that waits for its secrets or files, or whose files are being kept. */
  #hasAttempts(): boolean {
    for (const { attempts } of this.#ports.executions.all()) if (attempts.size > 0) return true;
    return false;
  }

  /** Stops running attempts by force and records that. */
  async forceStopAttempts(reason: string): Promise<void> {
    const { admission, executions } = this.#ports;
    admission.close();
    for (const execution of executions.all()) this.#forceStopAttemptsOf(execution, reason);
    for (let pass = 0; pass < PASSES_MAX && !executions.isQuiet; pass++) {
      await this.#nextTick();
      await executions.untilCommitted();
    }
  }

  #forceStopAttemptsOf(execution: LiveExecution, reason: string): void {
    const attempts = Array.from(execution.attempts.values(), ({ stepIndex, epoch }) => ({ step: stepIndex, epoch }));
    if (attempts.length === 0) return;
    this.#ports.attempts.forceStopAttempts(execution, reason);
    const at = this.#ports.environment.now();
    for (const attempt of attempts) execution.enqueue({ kind: "lost", at, ...attempt, reason, graceful: true });
  }

  #nextTick(): Promise<void> {
    return new Promise((resolve) => this.#ports.environment.defer(resolve));
  }

  /** Resolves when pending writes have reached the store. */
  untilCommitted(): Promise<void> {
    return this.#ports.executions.untilCommitted();
  }
}
