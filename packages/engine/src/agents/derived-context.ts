// A context with other data than that of the attempt which it was made from, such as the context of a map's item.

import type { EpochMs, Json, JsonObject } from "@segno/kernel";
import type { StepLogger } from "../events/logger.ts";
import type { ReportProgress } from "./progress.ts";
import type { RunCall } from "./recorded-call.ts";
import type { StreamWriter } from "./stream-writer.ts";
import type { ExecutionInfo, ReceivedArtifacts, StepContext, StepInfo } from "./step-context.ts";

/** A context of any kind: only the data differ. */
type AnyContext = Omit<StepContext, "input">;

/** Each member is read from the original context when the function reads it. */
export abstract class DerivedContext implements AnyContext {
  readonly #original: StepContext;

  constructor(original: StepContext) {
    this.#original = original;
  }

  /** The context of the attempt itself, by which the engine knows the attempt. */
  static originalOf(context: AnyContext): AnyContext {
    return context instanceof DerivedContext ? context.#original : context;
  }

  /** A part of the step's input, which has the data of the derived context. */
  protected inputPart(name: string): Json {
    return (this.#original.input as JsonObject)[name]!;
  }

  get signal(): AbortSignal {
    return this.#original.signal;
  }

  get execution(): ExecutionInfo {
    return this.#original.execution;
  }

  get step(): StepInfo {
    return this.#original.step;
  }

  get attempt(): number {
    return this.#original.attempt;
  }

  get deadline(): EpochMs | undefined {
    return this.#original.deadline;
  }

  get token(): string {
    return this.#original.token;
  }

  get traceparent(): string {
    return this.#original.traceparent;
  }

  get secrets(): Readonly<Record<string, string>> {
    return this.#original.secrets;
  }

  get resources(): Readonly<Record<string, number>> {
    return this.#original.resources;
  }

  get artifacts(): ReceivedArtifacts {
    return this.#original.artifacts;
  }

  get log(): StepLogger {
    return this.#original.log;
  }

  get progress(): ReportProgress {
    return this.#original.progress;
  }

  get stream(): StreamWriter {
    return this.#original.stream;
  }

  get run(): RunCall {
    return this.#original.run;
  }

  get heartbeat(): () => void {
    return this.#original.heartbeat;
  }
}
