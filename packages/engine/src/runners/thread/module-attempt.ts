// Adapts the call of a module inside a step to the interface of the thread runner. All data comes from the attempt of the
// enclosing step; it decides nothing.

import type { EpochMs, JsonObject, Outcome } from "@segno/kernel";
import type { StepLogger } from "../../events/logger.ts";
import type { Attempt, RenderedAction, MaskedStream } from "../runner.ts";
import type { StepContext } from "../../agents/step-context.ts";
import type { LogStream } from "../../store/step-logs.ts";

export class ModuleAttempt implements Attempt {
  readonly action = { kind: "agent", agent: "" } as const;
  readonly agent = "";
  readonly localAgent = undefined;
  readonly agentDefinition = undefined;
  readonly epoch = 0;
  readonly retriedExitCodes: readonly number[] = [];
  /** Rejects if the attempt was abandoned. */
  readonly outcome: Promise<Outcome>;
  readonly #input: JsonObject;
  readonly #step: StepContext;
  readonly #ended: PromiseWithResolvers<Outcome> = Promise.withResolvers();

  constructor(input: JsonObject, step: StepContext) {
    this.#input = input;
    this.#step = step;
    this.outcome = this.#ended.promise;
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

  get startedAt(): EpochMs {
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

  /** A function gets it as the first argument. An agent gets it as its input and as its outputs. */
  input(): JsonObject {
    return this.#input;
  }

  outputs(): JsonObject {
    return this.#input;
  }

  call(): RenderedAction {
    return {};
  }

  logger(): StepLogger {
    return this.#step.logger;
  }

  writeOutput(stream: LogStream, chunk: Uint8Array): void {
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

  onCleanup(): void {}

  beat(): void {
    if (this.isCurrent()) this.#step.heartbeat();
  }

  end(outcome: Outcome): void {
    this.#ended.resolve(outcome);
  }

  /** Called after the end, if there was one. */
  onExited(): void {
    this.#ended.reject(this.#step.signal.reason ?? new Error("the thread is gone"));
  }
}
