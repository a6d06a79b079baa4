// One call of a module function inside a step (`module-threads.ts`), as an attempt for the thread runner. Its data comes
// from the context of the enclosing step.

import type { EpochMs, JsonObject, Outcome } from "@segno/kernel";
import type { StepLogger } from "../../events/logger.ts";
import { LineSplitter } from "../../logs/line-splitter.ts";
import type { Attempt, RenderedAction } from "../runner.ts";
import type { StreamMasker } from "../../secrets/stream-masker.ts";
import type { ProgressValue } from "../../agents/progress.ts";
import type { ReceivedArtifacts, ExecutionInfo, StepContext, StepInfo } from "../../agents/step-context.ts";
import type { LogStream } from "../../store/step-logs.ts";

/** Masks secrets for calls inside steps, as the engine that runs the steps does. */
export interface ModuleMask {
  text(text: string): string;
  stream(step: StepContext): StreamMasker;
}

const LINE_BYTES_MAX = 16_384;

/** A stream of a call as lines for the log: masked first, because a secret may be split over writes (DATA-9). */
class MaskedLines {
  readonly #mask: StreamMasker;
  readonly #splitter: LineSplitter;

  constructor(mask: StreamMasker, onLine: (text: string) => void) {
    this.#mask = mask;
    this.#splitter = new LineSplitter(LINE_BYTES_MAX, (text) => {
      if (text !== "") onLine(text);
    });
  }

  write(chunk: Uint8Array): void {
    this.#splitter.write(this.#mask.write(chunk));
  }

  end(): void {
    this.#splitter.write(this.#mask.end());
    this.#splitter.end();
  }
}

export class ModuleCall implements Attempt {
  readonly action = { kind: "agent", agent: "" } as const;
  readonly mainThreadAgent = undefined;
  readonly agentDefinition = undefined;
  readonly retriedExitCodes: readonly number[] = [];
  /** Rejects if the call was force-stopped. */
  readonly outcome: Promise<Outcome>;
  readonly #input: JsonObject;
  readonly #step: StepContext;
  readonly #mask: ModuleMask;
  readonly #streams: Readonly<Record<"stdout" | "stderr", MaskedLines>>;
  readonly #settled: PromiseWithResolvers<Outcome> = Promise.withResolvers();

  constructor(input: JsonObject, step: StepContext, mask: ModuleMask) {
    this.#input = input;
    this.#step = step;
    this.#mask = mask;
    this.#streams = {
      stdout: new MaskedLines(mask.stream(step), (line) => step.log.info(line)),
      stderr: new MaskedLines(mask.stream(step), (line) => step.log.warn(line)),
    };
    this.outcome = this.#settled.promise;
  }

  get execution(): string {
    return this.#step.execution.id;
  }

  executionInfo(): ExecutionInfo {
    return this.#step.execution;
  }

  stepInfo(): StepInfo {
    return this.#step.step;
  }

  get resources(): Readonly<Record<string, number>> {
    return this.#step.resources;
  }

  get artifacts(): ReceivedArtifacts {
    return this.#step.artifacts;
  }

  get artifactFolder(): undefined {
    return undefined;
  }

  get step(): string {
    return this.#step.step.id;
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

  traceparent(): string {
    return this.#step.traceparent;
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

  iteration(): undefined {
    return undefined;
  }

  renderedAction(): RenderedAction {
    return {};
  }

  logger(): StepLogger {
    return this.#step.log;
  }

  writeStream(stream: LogStream, chunk: Uint8Array): void {
    this.#streams[stream === "stderr" ? "stderr" : "stdout"].write(chunk);
  }

  /**
   * Masks here, because the message of a failed call is cut before the engine masks it, and a cut could leave half a
   * secret.
   */
  maskText(text: string): string {
    return this.#mask.text(text);
  }

  newStreamMasker(): StreamMasker {
    return this.#mask.stream(this.#step);
  }

  dropDeadline(): void {}

  recorder(): undefined {
    return undefined;
  }

  recordHeartbeat(): void {
    if (this.isCurrent()) this.#step.heartbeat();
  }

  reportProgress({ fraction, done, total, message }: ProgressValue): void {
    if (!this.isCurrent()) return;
    if (done === undefined || total === undefined) this.#step.progress(fraction);
    else this.#step.progress({ done, total, message });
  }

  onEnded(outcome: Outcome): void {
    this.#endStreams();
    this.#settled.resolve(outcome);
  }

  /** Rejects the promise of a call that was force-stopped. If the call has ended, its promise is already resolved. */
  onExited(): void {
    this.#endStreams();
    this.#settled.reject(this.#step.signal.reason ?? new Error("the thread has exited"));
  }

  /** The last line of a stream may have no line break. */
  #endStreams(): void {
    this.#streams.stdout.end();
    this.#streams.stderr.end();
  }
}
