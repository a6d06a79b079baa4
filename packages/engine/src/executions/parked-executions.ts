// Resumes executions that are parked because a process lacked something that this process has (FAIL-9).
//
//   P1. A source of secrets may answer again, or get a secret that it lacked. So executions that are parked on a secret
//       are checked again after 5 s, and then with growing delays of at most a minute. One pass checks all of them: the
//       source is asked once for each secret.
//   P2. A permission of a process does not change; nothing is checked again for it.

import type { SystemPorts } from "../clock/system-ports.ts";
import type { Timers } from "../clock/timers.ts";
import {
  canUnpark,
  isParkedWithoutAgent,
  isParkedWithoutSecret,
  missingPrerequisiteStep,
  type Prerequisites,
} from "../attempts/missing-prerequisite.ts";
import type { LiveExecution } from "../turn/live-execution.ts";
import type { TurnLoop } from "../turn/turn-loop.ts";
import type { StepDispatcher } from "../turn/turn-loop-ports.ts";
import type { LiveExecutions } from "./live-executions.ts";

export interface ParkedExecutionsPorts {
  readonly environment: SystemPorts;
  readonly timers: Timers;
  readonly live: LiveExecutions;
  readonly loop: TurnLoop;
  readonly dispatcher: Pick<StepDispatcher, "canRun">;
  /** The secrets and permissions of this process. */
  readonly prerequisites: Prerequisites;
}

const CHECK_MS = 5000;
const CHECK_MS_MAX = 60_000;

export class ParkedExecutions {
  readonly #ports: ParkedExecutionsPorts;
  #checks = 0;
  /** The delay before the next pass over executions that are parked on a secret; undefined while there are none (P1). */
  #checkDelayMs: number | undefined;

  constructor(ports: ParkedExecutionsPorts) {
    this.#ports = ports;
  }

  /** Whether a check is in progress, after which an execution may continue. */
  get isChecking(): boolean {
    return this.#checks > 0;
  }

  /** True if the execution was parked because no runner was registered for a step, and one is registered now. */
  isRunnerRegisteredNow(execution: LiveExecution): boolean {
    const step = missingPrerequisiteStep(execution.state);
    return (
      step !== undefined && isParkedWithoutAgent(execution.state) && this.#ports.dispatcher.canRun(execution, step)
    );
  }

  /** Called when a new agent or workflow is registered. */
  onRegistered(): void {
    const { environment, live, loop } = this.#ports;
    const at = environment.now();
    for (const execution of live.parkedExecutions())
      if (this.isRunnerRegisteredNow(execution)) loop.enqueue(execution, { kind: "resume", at });
  }

  /** Called after each turn that leaves nothing to do. */
  onIdle({ state }: LiveExecution): void {
    if (this.#checkDelayMs === undefined && isParkedWithoutSecret(state)) this.#checkAfter(CHECK_MS);
  }

  #checkAfter(delayMs: number): void {
    this.#checkDelayMs = delayMs;
    this.#ports.timers.after(delayMs, () => void this.#checkAll(delayMs));
  }

  async #checkAll(delayMs: number): Promise<void> {
    const waiting = this.#ports.live.parkedExecutions().filter(({ state }) => isParkedWithoutSecret(state));
    await Promise.all(waiting.map((execution) => this.resumeIfAble(execution)));
    if (waiting.some(({ state }) => isParkedWithoutSecret(state)))
      this.#checkAfter(Math.min(delayMs * 2, CHECK_MS_MAX));
    else this.#checkDelayMs = undefined;
  }

  /**
   * The execution is parked for a reason other than a missing agent, and this process may be able to continue it. The
   * check is asynchronous.
   */
  async resumeIfAble(execution: LiveExecution): Promise<void> {
    const { environment, prerequisites, loop } = this.#ports;
    const step = missingPrerequisiteStep(execution.state);
    if (step === undefined || isParkedWithoutAgent(execution.state)) return;
    this.#checks++;
    const isAble = await canUnpark(execution.state, step, prerequisites).finally(() => this.#checks--);
    if (!isAble) this.onIdle(execution);
    else if (missingPrerequisiteStep(execution.state) === step)
      loop.enqueue(execution, { kind: "resume", at: environment.now() });
  }
}
