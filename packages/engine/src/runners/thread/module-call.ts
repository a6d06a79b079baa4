// One call of a module function inside a step (`module-threads.ts`), as an attempt for the thread runner. Its data comes
// from the context of the enclosing step.

import type { EpochMs, JsonObject, Outcome } from "@segno/kernel";
import type { StepLogger } from "../../events/logger.ts";
import type { Attempt, RenderedAction, MaskedStream } from "../runner.ts";
import type { StepContext } from "../../agents/step-context.ts";
import type { LogStream } from "../../store/step-logs.ts";

export class ModuleCall implements Attempt {
  readonly action = { kind: "agent", agent: "" } as const;
  readonly mainThreadAgent = undefined;
  readonly agentDefinition = undefined;
  readonly retriedExitCodes: readonly number[] = [];
  /** Rejects if the call was force-stopped. */
  readonly outcome: Promise<Outcome>;
  readonly #input: JsonObject;
  readonly #step: StepContext;
  readonly #settled: PromiseWithResolvers<Outcome> = Promise.withResolvers();

  constructor(input: JsonObject, step: StepContext) {
    this.#input = input;
    this.#step = step;
    this.outcome = this.#settled.promise;
  }

  get execution(): string {
    return this.#step.executionId;
  }

  get workflow(): string {
    return this.#step.workflow;
  }

  get correlationId(): string {
    return this.#step.correlationId;
  }

  get executionStartedAt(): EpochMs {
    return this.#step.startedAt;
  }

  get resources(): Readonly<Record<string, number>> {
    return this.#step.resources;
  }

  get step(): string {
    return this.#step.stepId;
  }

  get attempt(): number {
    return this.#step.attempt;
  }

  get deadline(): EpochMs | undefined {
    return this.#step.deadline;
  }

  get secrets(): Readonly<Record<string, string>> {
    return this.#step.secrets;
  }

  isCurrent(): boolean {
    return !this.#step.signal.aborted;
  }

  token(): string {
    return this.#step.token;
  }

  marker(): string {
    return "";
  }

  /** The input that the caller assembled: the first argument of a module that exports a function. */
  input(): JsonObject {
    return this.#input;
  }

  /** The same input: the first argument of a module that exports an agent object. */
  dependencyOutputs(): JsonObject {
    return this.#input;
  }

  renderedAction(): RenderedAction {
    return {};
  }

  logger(): StepLogger {
    return this.#step.logger;
  }

  writeStream(stream: LogStream, chunk: Uint8Array): void {
    const text = Buffer.from(chunk).toString().trimEnd();
    if (text !== "") this.#step.logger[stream === "stderr" ? "warn" : "info"](text);
  }

  /** The engine masks whatever it stores of the attempt. */
  maskText(text: string): string {
    return text;
  }

  maskStream(): MaskedStream {
    return { write: (chunk) => chunk, end: () => new Uint8Array(0) };
  }

  stopDeadline(): void {}

  recordHeartbeat(): void {
    if (this.isCurrent()) this.#step.heartbeat();
  }

  onEnded(outcome: Outcome): void {
    this.#settled.resolve(outcome);
  }

  /** Rejects the promise of a call that was force-stopped. If the call has ended, its promise is already resolved. */
  onExited(): void {
    this.#settled.reject(this.#step.signal.reason ?? new Error("the thread has exited"));
  }
}
