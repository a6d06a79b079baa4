// The context of a handler. The engine creates one for every attempt, so its parts are created lazily.

import type { EpochMs, Json } from "@segno/kernel";
import type { StepLogger } from "../events/logger.ts";
import type { Attempt } from "../runners/runner.ts";

export interface StepContext<Input = Json> {
  readonly input: Input;
  /**
   * Aborts when the attempt should stop: the execution is cancelled, the attempt timed out, or the engine closes
   * (CANCEL-1).
   */
  readonly signal: AbortSignal;
  readonly executionId: string;
  readonly workflow: string;
  /** The correlation id of the start; the execution's id if the start has none. */
  readonly correlationId: string;
  /** When the execution started. */
  readonly startedAt: EpochMs;
  readonly stepId: string;
  readonly attempt: number;
  readonly deadline: EpochMs | undefined;
  readonly token: string;
  /** The secrets that the step declares, by name. Their values are masked in all output (DATA-9). */
  readonly secrets: Readonly<Record<string, string>>;
  /**
   * The amounts that the step holds while it runs, by resource name. It holds all resources that it declares, or none
   * (SCHED-4).
   */
  readonly resources: Readonly<Record<string, number>>;
  /** Writes log lines with the ids of execution, step and attempt (EVENT-5). */
  readonly logger: StepLogger;
  /**
   * Reports that the attempt is still at work; `status` shows the time of the last call. It throws when the attempt
   * should stop, so a loop with heartbeats ends without checking `signal`.
   */
  heartbeat(): void;
}

export class AttemptContext implements StepContext {
  readonly #attempt: Attempt;
  #controller: AbortController | undefined;
  #abortReason: Error | undefined;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  get input(): Json {
    return this.#attempt.input();
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#abortReason !== undefined && !this.#controller.signal.aborted) this.#controller.abort(this.#abortReason);
    return this.#controller.signal;
  }

  get executionId(): string {
    return this.#attempt.execution;
  }

  get workflow(): string {
    return this.#attempt.workflow;
  }

  get correlationId(): string {
    return this.#attempt.correlationId;
  }

  get startedAt(): EpochMs {
    return this.#attempt.startedAt;
  }

  get stepId(): string {
    return this.#attempt.step;
  }

  get attempt(): number {
    return this.#attempt.attempt;
  }

  get deadline(): EpochMs | undefined {
    return this.#attempt.deadline;
  }

  get logger(): StepLogger {
    return this.#attempt.logger();
  }

  get token(): string {
    return this.#attempt.token();
  }

  get secrets(): Readonly<Record<string, string>> {
    return this.#attempt.secrets;
  }

  get resources(): Readonly<Record<string, number>> {
    return this.#attempt.resources;
  }

  heartbeat(): void {
    this.throwIfAborted();
    this.#attempt.beat();
  }

  get isAborted(): boolean {
    return this.#abortReason !== undefined;
  }

  throwIfAborted(): void {
    if (this.#abortReason !== undefined) throw this.#abortReason;
  }

  abort(reason: string): void {
    this.#abortReason ??= new DOMException(reason, "AbortError");
    this.#controller?.abort(this.#abortReason);
  }
}
