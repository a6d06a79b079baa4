// An attempt without an engine that records its calls.

import { epochMs, type RunnableAction, type Json, type Outcome } from "@segno/kernel";
import type { Agent } from "../../src/agents/agent.ts";
import type { ExecutionInfo, StepInfo } from "../../src/agents/step-context.ts";
import type { Logger } from "../../src/events/logger.ts";
import type { Attempt, RenderedAction } from "../../src/runners/runner.ts";
import type { StreamMasker } from "../../src/secrets/stream-masker.ts";
import type { LogStream } from "../../src/store/step-logs.ts";

export interface FakeOptions {
  readonly action?: RunnableAction;
  readonly env?: Readonly<Record<string, Json>>;
  readonly retriedExitCodes?: readonly number[];
  readonly isWanted?: boolean;
  /** For an attempt on the main thread. */
  readonly agent?: Agent;
  /** Receives the output instead of storing it. */
  readonly onChunk?: (chunk: Uint8Array) => void;
}

export class FakeAttempt implements Attempt {
  readonly action: RunnableAction;
  readonly mainThreadAgent: Agent | undefined;
  readonly agentDefinition = undefined;
  readonly execution = "execution-1";
  readonly resources = {};
  readonly artifacts = {};
  readonly artifactFolder = undefined;
  readonly step = "build";
  readonly attempt = 2;
  readonly deadline = undefined;
  readonly secrets = {};
  readonly retriedExitCodes: readonly number[];
  readonly ended: Promise<Outcome>;
  readonly isSettled: Promise<void>;
  /** The calls, in order. */
  readonly calls: string[] = [];
  /** Whether the deadline no longer applies, because only leftover processes are being ended. */
  isDeadlineDropped = false;
  readonly #options: FakeOptions;
  readonly #marker: string;
  readonly #ending = Promise.withResolvers<Outcome>();
  readonly #settling = Promise.withResolvers<void>();
  #written: Readonly<Record<LogStream, Buffer>> = { stdout: Buffer.of(), stderr: Buffer.of(), log: Buffer.of() };
  #listeners: (() => void)[] = [];

  constructor(marker: string, options: FakeOptions) {
    this.#marker = marker;
    this.#options = options;
    this.mainThreadAgent = options.agent;
    this.action = options.action ?? { kind: "run", script: "true" };
    this.retriedExitCodes = options.retriedExitCodes ?? [];
    this.ended = this.#ending.promise;
    this.isSettled = this.#settling.promise;
  }

  isCurrent(): boolean {
    return this.#options.isWanted ?? true;
  }

  traceparent(): string {
    return "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  }

  token(): string {
    return "token-of-the-step";
  }

  marker(): string {
    return this.#marker;
  }

  executionInfo(): ExecutionInfo {
    return { id: this.execution, workflow: "release", startedAt: epochMs(0), correlationId: "correlation" };
  }

  stepInfo(): StepInfo {
    return { id: this.step, label: undefined };
  }

  input(): Json {
    return null;
  }

  renderedAction(): RenderedAction {
    const { action } = this;
    const { env = {} } = this.#options;
    return action.kind === "exec" ? { argv: action.argv, env } : { env };
  }

  iteration(): undefined {
    return undefined;
  }

  dependencyOutputs(): Readonly<Record<string, Json>> {
    return {};
  }

  logger(): Logger {
    throw new Error("a command has no logger");
  }

  maskText(text: string): string {
    return text;
  }

  newStreamMasker(): StreamMasker {
    return { write: (chunk) => chunk, end: () => new Uint8Array(0) };
  }

  writeStream(stream: LogStream, chunk: Uint8Array): void {
    const { onChunk } = this.#options;
    if (onChunk !== undefined) return onChunk(chunk);
    this.#written = { ...this.#written, [stream]: Buffer.concat([this.#written[stream], chunk]) };
    for (const listen of this.#listeners) listen();
  }

  recorder(): undefined {
    return undefined;
  }

  recordHeartbeat(): void {}

  reportProgress(): void {}

  dropDeadline(): void {
    this.isDeadlineDropped = true;
  }

  onEnded(outcome: Outcome): void {
    this.calls.push("end");
    this.#ending.resolve(outcome);
  }

  onExited(): void {
    this.calls.push("exited");
    this.#settling.resolve();
  }

  bytes(stream: LogStream): Buffer {
    return this.#written[stream];
  }

  /** The first match in stdout; waits until there is one. */
  async said(pattern: RegExp): Promise<RegExpExecArray> {
    const { promise, resolve } = Promise.withResolvers<RegExpExecArray>();
    const listen = (): void => {
      const match = pattern.exec(this.bytes("stdout").toString());
      if (match !== null) resolve(match);
    };
    this.#listeners.push(listen);
    listen();
    return promise;
  }
}
