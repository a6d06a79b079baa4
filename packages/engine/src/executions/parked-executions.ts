// Resumes executions that are parked because a process lacked something that this process has (FAIL-9).

import type { Environment } from "../clock/environment.ts";
import { canUnpark, isUnregistered, missingRunnerStep, type MissingParts } from "../attempts/missing-runner.ts";
import type { LiveExecution } from "../turn/live-execution.ts";
import type { TurnLoop } from "../turn/turn-loop.ts";
import type { StepRunner } from "../turn/turn-loop-ports.ts";
import type { LiveExecutions } from "./live-executions.ts";

export interface ParkedExecutionsPorts {
  readonly environment: Environment;
  readonly live: LiveExecutions;
  readonly loop: TurnLoop;
  readonly runner: Pick<StepRunner, "canRun">;
  /** The secrets and permissions of this process. */
  readonly parts: MissingParts;
}

export class ParkedExecutions {
  readonly #ports: ParkedExecutionsPorts;
  #checks = 0;

  constructor(ports: ParkedExecutionsPorts) {
    this.#ports = ports;
  }

  /** Whether a check is in progress, after which an execution may continue. */
  get isChecking(): boolean {
    return this.#checks > 0;
  }

  /** True if the execution was parked because no runner was registered for a step, and one is registered now. */
  hasItsAgent(execution: LiveExecution): boolean {
    const step = missingRunnerStep(execution.state);
    return step !== undefined && isUnregistered(execution.state) && this.#ports.runner.canRun(execution, step);
  }

  /** Called when a new agent or workflow is registered. */
  onRegistered(): void {
    const { environment, live, loop } = this.#ports;
    const at = environment.now();
    for (const execution of live.parkedExecutions())
      if (this.hasItsAgent(execution)) loop.post(execution, { kind: "resume", at });
  }

  /**
   * The execution is parked for a reason other than a missing agent, and this process may be able to continue it. The
   * check is asynchronous.
   */
  async resumeIfAble(execution: LiveExecution): Promise<void> {
    const { environment, parts, loop } = this.#ports;
    const step = missingRunnerStep(execution.state);
    if (step === undefined || isUnregistered(execution.state)) return;
    this.#checks++;
    const isAble = await canUnpark(execution.state, step, parts).finally(() => this.#checks--);
    if (isAble && missingRunnerStep(execution.state) === step)
      loop.post(execution, { kind: "resume", at: environment.now() });
  }
}
