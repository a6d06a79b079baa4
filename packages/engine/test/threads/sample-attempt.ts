// An attempt for runners that records everything that happens to it.

import { epochMs, type RunnableAction, type EpochMs, type Json, type Outcome } from "@segno/kernel";
import type { ProgressValue } from "../../src/agents/progress.ts";
import type { ExecutionInfo, StepInfo } from "../../src/agents/step-context.ts";
import type { LogFields, Logger, LogLevel } from "../../src/events/logger.ts";
import type { Attempt } from "../../src/runners/runner.ts";
import type { StreamMasker } from "../../src/secrets/stream-masker.ts";
import type { LogStream } from "../../src/store/step-logs.ts";

/** The settings of a test attempt. */
export interface AttemptSketch {
  readonly input?: Json;
  readonly outputs?: Readonly<Record<string, Json>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly deadline?: EpochMs;
  readonly isWanted?: boolean;
}

export interface RecordedLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

export class SampleAttempt implements Attempt {
  readonly action: RunnableAction = { kind: "agent", agent: "work" };
  readonly mainThreadAgent = undefined;
  readonly agentDefinition = undefined;
  readonly execution: string = "execution-1";
  readonly resources = {};
  readonly artifacts = {};
  readonly artifactFolder = undefined;
  readonly step: string = "step-1";
  readonly attempt: number = 2;
  readonly retriedExitCodes: readonly number[] = [];
  readonly deadline: EpochMs | undefined;
  readonly secrets: Readonly<Record<string, string>>;
  readonly lines: RecordedLine[] = [];
  /** The calls of `end` and `onExited`, in order. */
  readonly calls: string[] = [];
  readonly outcome: Promise<Outcome>;
  readonly whenExited: Promise<void>;
  beats = 0;
  readonly progress: ProgressValue[] = [];
  readonly #sketch: AttemptSketch;
  readonly #written: Record<LogStream, Uint8Array[]> = { stdout: [], stderr: [], log: [] };
  readonly #ended: PromiseWithResolvers<Outcome> = Promise.withResolvers();
  readonly #exited: PromiseWithResolvers<void> = Promise.withResolvers();
  #watchers: (() => void)[] = [];

  constructor(sketch: AttemptSketch = {}) {
    this.#sketch = sketch;
    this.deadline = sketch.deadline;
    this.secrets = sketch.secrets ?? {};
    this.outcome = this.#ended.promise;
    this.whenExited = this.#exited.promise;
  }

  isCurrent(): boolean {
    return this.#sketch.isWanted !== false;
  }

  traceparent(): string {
    return "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  }

  token(): string {
    return "token-1";
  }

  marker(): string {
    return "marker-1";
  }

  executionInfo(): ExecutionInfo {
    return { id: this.execution, workflow: "sample", startedAt: epochMs(0), correlationId: "correlation" };
  }

  stepInfo(): StepInfo {
    return { id: this.step, label: undefined };
  }

  input(): Json {
    return this.#sketch.input ?? null;
  }

  renderedAction(): object {
    return {};
  }

  iteration(): undefined {
    return undefined;
  }

  dependencyOutputs(): Readonly<Record<string, Json>> {
    return this.#sketch.outputs ?? {};
  }

  logger(): Logger {
    const at =
      (level: LogLevel) =>
      (...given: readonly [string] | readonly [LogFields, string]): void => {
        const [fields, message] = given.length === 1 ? [{}, given[0]] : given;
        this.lines.push({ level, message, fields });
        this.#changed();
      };
    return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error"), child: () => this.logger() };
  }

  maskText(text: string): string {
    return text;
  }

  newStreamMasker(): StreamMasker {
    return { write: (chunk) => chunk, end: () => new Uint8Array(0) };
  }

  writeStream(stream: LogStream, chunk: Uint8Array): void {
    this.#written[stream].push(chunk);
    this.#changed();
  }

  dropDeadline(): void {}

  recorder(): undefined {
    return undefined;
  }

  reportProgress(progress: ProgressValue): void {
    this.progress.push(progress);
    this.#changed();
  }

  recordHeartbeat(): void {
    this.beats++;
    this.#changed();
  }

  onEnded(outcome: Outcome): void {
    this.calls.push("end");
    this.#ended.resolve(outcome);
  }

  onExited(): void {
    this.calls.push("exited");
    this.#exited.resolve();
  }

  written(stream: "stdout" | "stderr"): string {
    return Buffer.concat(this.#written[stream]).toString();
  }

  said(message: string): Promise<void> {
    return this.until(() => this.lines.some((line) => line.message === message));
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#watchers.push(resolve));
  }

  #changed(): void {
    for (const tell of this.#watchers.splice(0)) tell();
  }
}
