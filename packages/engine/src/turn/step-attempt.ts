// One attempt of a step, as runners see it, and what the engine has to do with it. There is one for every step that runs, so
// it holds two references and makes everything else when it is asked for.

import {
  compiledStep,
  isJsonObject,
  isRunning,
  stepName,
  type EpochMs,
  type ExecutionId,
  type Json,
  type Outcome,
  type RunEffect,
  type SecretPlace,
  type State,
  type StepIndex,
  type Value,
} from "@segno/kernel";
import { deepFreeze } from "@segno/contract";
import type { Logger } from "../events/logger.ts";
import { attemptToken } from "../idempotency/token.ts";
import type { Agent } from "../runners/agent.ts";
import type { Attempt, Running } from "../runners/runner.ts";
import type { LiveExecution } from "./live-execution.ts";
import type { WheelEntry } from "./timer-wheel.ts";

export type Outputs = Readonly<Record<string, Json>>;

/** Where attempts are started and ended. */
export interface AttemptDesk {
  readonly logger: Logger;
  now(): EpochMs;
  ended(attempt: StepAttempt, outcome: Outcome): void;
}

export class StepAttempt implements Attempt {
  readonly #owner: LiveExecution;
  readonly #effect: RunEffect;
  readonly #desk: AttemptDesk;
  readonly own: Agent | undefined;
  #outputs: Outputs = {};
  /** Nothing until its values are loaded and it was started. */
  running: Running | undefined = undefined;
  /** When it last said that it is at work. */
  beatAt: EpochMs | undefined = undefined;
  /** Rings at its deadline. */
  alarm: WheelEntry<unknown> | undefined = undefined;

  constructor(owner: LiveExecution, effect: RunEffect, desk: AttemptDesk, own: Agent | undefined) {
    this.#owner = owner;
    this.#effect = effect;
    this.#desk = desk;
    this.own = own;
  }

  get owner(): LiveExecution {
    return this.#owner;
  }

  get place(): StepIndex {
    return this.#effect.step;
  }

  get effect(): RunEffect {
    return this.#effect;
  }

  get agent(): string {
    return agentOf(this.#owner.state, this.#effect.step)!;
  }

  get execution(): ExecutionId {
    return this.#owner.id;
  }

  get workflow(): string {
    return this.#owner.state.program.definition.name;
  }

  get step(): string {
    return stepName(this.#owner.state, this.#effect.step);
  }

  get attempt(): number {
    return this.#effect.attempt;
  }

  get epoch(): number {
    return this.#effect.epoch;
  }

  get deadline(): EpochMs | undefined {
    return this.#effect.deadline;
  }

  get secrets(): readonly SecretPlace[] {
    return this.#effect.secrets;
  }

  isWanted(): boolean {
    return isRunning(this.#owner.state, this.#effect.step, this.#effect.epoch);
  }

  /** The step's own input where it has one; a step without one gets the workflow's. */
  input(): Json {
    const call = valueOf(this.#owner, this.#effect.call);
    if (isJsonObject(call) && Object.hasOwn(call, "input")) return deepFreeze(call["input"]!);
    return valueOf(this.#owner, this.#owner.state.created?.input);
  }

  outputs(): Outputs {
    return this.#outputs;
  }

  token(): string {
    const { execution, step, workflow } = this;
    return attemptToken({ executionId: execution, input: this.input(), stepId: step, workflowId: workflow });
  }

  logger(): Logger {
    const { execution: executionId, workflow, step, attempt } = this;
    const correlationId = this.#owner.state.created?.correlationId;
    return this.#desk.logger.child({ executionId, workflow, correlationId, step, attempt });
  }

  beat(): void {
    this.beatAt = this.#desk.now();
  }

  /** Everything that it was given is at hand. */
  begin(outputs: Outputs, start: (attempt: Attempt) => Running): void {
    this.#outputs = outputs;
    this.running = start(this);
  }

  end(outcome: Outcome): void {
    this.#desk.ended(this, outcome);
  }
}

export function agentOf(state: State, step: StepIndex): string | undefined {
  const { action } = compiledStep(state, step).definition;
  return action.kind === "agent" ? action.agent : undefined;
}

function valueOf(execution: LiveExecution, value: Value | undefined): Json {
  if (value?.kind === "inline") return value.json;
  return value?.kind === "stored" ? (execution.values.get(value.hash) ?? null) : null;
}
