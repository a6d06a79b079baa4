// The attempt runtime: the runners with the secrets, masks, logs and modules that attempts need.
//
//   W1. Every outcome, output and log line of an attempt is masked before it leaves the runtime (DATA-9).

import type { AgentDefinition, Failure, Json, Outcome, Program } from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";
import type { Agent } from "../agents/agent.ts";
import type { StepLogger } from "../events/logger.ts";
import type { AttemptLog } from "../logs/log-writer.ts";
import type { Runners } from "../runners/runners.ts";
import type { Mask, Masker } from "../secrets/masker.ts";
import type { Resolved, SecretValues } from "../secrets/secrets.ts";
import type { AttemptLogs } from "./attempt-logs.ts";
import type { AttemptProcesses } from "./attempt-processes.ts";
import type { AttemptSecrets } from "./attempt-secrets.ts";
import type { ModuleAgents } from "./module-agents.ts";
import type { OutcomeRecorder } from "./outcome-recorder.ts";
import { NO_SECRETS, type AttemptServices, type StepAttempt } from "./step-attempt.ts";

export interface AttemptRuntimePorts {
  readonly runners: Runners;
  readonly modules: ModuleAgents;
  readonly processes: AttemptProcesses;
  readonly secrets: AttemptSecrets;
  readonly masker: Masker;
  readonly logs: AttemptLogs;
  readonly outcomes: OutcomeRecorder;
}

export class AttemptRuntime implements AttemptServices {
  readonly #ports: AttemptRuntimePorts;
  readonly runners: Runners;

  constructor(ports: AttemptRuntimePorts) {
    this.#ports = ports;
    this.runners = ports.runners;
  }

  /** The module agent that a workflow defines, if it runs in this process. */
  moduleAgent(name: string, definition: AgentDefinition | undefined): Agent | undefined {
    return this.#ports.modules.find(name, definition);
  }

  /**
   * Prepares the surroundings of an attempt: the secrets that it requested, and copies of its dependencies' files.
   * `undefined` if no enclosing workflow names any.
   */
  prepare(attempt: StepAttempt): Promise<Resolved> | undefined {
    const { secrets, outcomes } = this.#ports;
    const resolving = secrets.resolve(attempt);
    const copying = outcomes.artifacts.prepare(attempt);
    return copying === undefined ? resolving : preparation(copying, resolving);
  }

  /** Keeps the secrets of an attempt masked, and its copies of files, until the returned function is called. */
  hold(attempt: StepAttempt, values: SecretValues): () => void {
    const { secrets, outcomes } = this.#ports;
    const release = secrets.hold(attempt, values);
    return () => {
      release();
      outcomes.artifacts.release(attempt);
    };
  }

  /** The permanent failure to resolve the secrets that a workflow names; `undefined` if there is none. */
  findSecretFailure(program: Program): Promise<Failure | undefined> {
    return this.#ports.secrets.findFailure(program);
  }

  marker(attempt: StepAttempt): string {
    return this.#ports.processes.marker(attempt);
  }

  get mask(): Mask {
    return this.#ports.masker;
  }

  /** W1. */
  maskJson(json: Json): Json {
    return this.#ports.masker.isIdle ? json : deepFreeze(this.#ports.masker.json(json));
  }

  openLog(attempt: StepAttempt): AttemptLog {
    return this.#ports.logs.open(attempt);
  }

  newLogger(attempt: StepAttempt): StepLogger {
    return this.#ports.logs.newLogger(attempt);
  }

  onProgress(attempt: StepAttempt): void {
    this.#ports.logs.onProgress(attempt);
  }

  /** The outcome as it may be recorded (W1). */
  recordableOutcome(outcome: Outcome, attempt: StepAttempt): Outcome | Promise<Outcome> {
    return this.#ports.outcomes.record(outcome, attempt);
  }

  async close(): Promise<void> {
    await this.runners.close();
    await this.#ports.processes.close();
    await this.#ports.logs.close();
    await this.#ports.outcomes.artifacts.close();
  }
}

async function preparation(
  copying: Promise<Failure | undefined>,
  resolving: Promise<Resolved> | undefined,
): Promise<Resolved> {
  const [failure, resolved] = await Promise.all([copying, resolving]);
  if (failure !== undefined) return { kind: "failure", failure };
  return resolved ?? { kind: "values", values: NO_SECRETS };
}
