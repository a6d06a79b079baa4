// An attempt of an `http` step that records its inputs and calls.

import { epochMs, executionId, type EpochMs, type HttpAction, type Json, type Outcome } from "@segno/kernel";
import type { ExecutionInfo, StepInfo } from "../../src/agents/step-context.ts";
import { SystemEnvironment } from "../../src/clock/system-environment.ts";
import { createJsonLogger } from "../../src/events/json-logger.ts";
import { HttpRunner, type HttpOptions } from "../../src/runners/http/http-runner.ts";
import type { Attempt, RenderedAction, AttemptHandle } from "../../src/runners/runner.ts";
import type { StreamMasker } from "../../src/secrets/stream-masker.ts";

export interface RequestOptions {
  readonly url: Json;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, Json>>;
  readonly body?: Json;
  readonly token?: string;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly isWanted?: boolean;
  readonly deadline?: EpochMs;
}

export class RecordingAttempt implements Attempt {
  readonly mainThreadAgent = undefined;
  readonly agentDefinition = undefined;
  readonly execution = executionId("e");
  readonly resources = {};
  readonly artifacts = {};
  readonly artifactFolder = undefined;
  readonly step = "ask";
  readonly attempt = 1;
  readonly deadline: EpochMs | undefined;
  readonly retriedExitCodes: readonly number[] = [];
  readonly action: HttpAction;
  readonly secrets: Readonly<Record<string, string>>;
  readonly #wish: RequestOptions;
  /** The calls in order: outcomes and `exited`. */
  readonly calls: (Outcome | "exited")[] = [];
  log = "";
  readonly whenExited: Promise<void>;
  #settle: () => void = () => {};

  constructor(command: RequestOptions) {
    this.#wish = command;
    this.deadline = command.deadline;
    this.action = { kind: "http", method: command.method ?? "GET", url: "as written" };
    this.secrets = command.secrets ?? {};
    this.whenExited = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  isCurrent(): boolean {
    return this.#wish.isWanted ?? true;
  }

  traceparent(): string {
    return "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  }

  token(): string {
    return this.#wish.token ?? "token-of-the-attempt";
  }

  marker(): string {
    return "marker";
  }

  executionInfo(): ExecutionInfo {
    return { id: this.execution, workflow: "w", startedAt: epochMs(0), correlationId: "correlation" };
  }

  stepInfo(): StepInfo {
    return { id: this.step, label: undefined };
  }

  input(): Json {
    return null;
  }

  renderedAction(): RenderedAction {
    const { url, headers, body } = this.#wish;
    return { url, ...(headers === undefined ? {} : { headers }), ...(body === undefined ? {} : { body }) };
  }

  iteration(): undefined {
    return undefined;
  }

  dependencyOutputs(): Readonly<Record<string, Json>> {
    return {};
  }

  logger(): ReturnType<typeof createJsonLogger> {
    return createJsonLogger({ write: () => {} });
  }

  maskText(text: string): string {
    const forms = Object.values(this.secrets).flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
    return forms.reduce((rest, form) => rest.replaceAll(form, "***"), text);
  }

  newStreamMasker(): StreamMasker {
    return { write: (chunk) => chunk, end: () => new Uint8Array(0) };
  }

  writeStream(stream: string, chunk: Uint8Array): void {
    this.log += `${stream}: ${Buffer.from(chunk).toString()}`;
  }

  recorder(): undefined {
    return undefined;
  }

  recordHeartbeat(): void {}

  reportProgress(): void {}

  dropDeadline(): void {}

  onEnded(outcome: Outcome): void {
    this.calls.push(outcome);
  }

  onExited(): void {
    this.calls.push("exited");
    this.#settle();
  }
}

/** A runner that may reach the servers of a test on this machine. */
export function openRunner(options: Partial<HttpOptions> = {}): Disposable & HttpRunner {
  const report = (error: unknown): void => {
    throw error;
  };
  const runner = new HttpRunner({
    clock: new SystemEnvironment(),
    allowPrivate: ["127.0.0.1"],
    report,
    startTimer: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    ...options,
  });
  return Object.assign(runner, { [Symbol.dispose]: () => void runner.close() });
}

export interface Started {
  readonly attempt: RecordingAttempt;
  readonly running: AttemptHandle;
}

export function start(runner: HttpRunner, command: RequestOptions): Started {
  const attempt = new RecordingAttempt(command);
  return { attempt, running: runner.start(attempt) };
}

export interface RequestResult {
  readonly outcome: Outcome;
  readonly log: string;
}

/** Runs a request until the attempt has exited; checks that each call came once and in order. */
export async function sendRequest(command: RequestOptions, options: Partial<HttpOptions> = {}): Promise<RequestResult> {
  using runner = openRunner(options);
  const { attempt } = start(runner, command);
  await attempt.whenExited;
  const [outcome, exited, ...more] = attempt.calls;
  if (typeof outcome !== "object" || exited !== "exited" || more.length > 0)
    throw new Error(`unexpected calls: ${JSON.stringify(attempt.calls)}`);
  return { outcome, log: attempt.log };
}

/** The status, headers and body of a response; throws a failure, so that an unexpected one is visible. */
export async function fetchResponse(command: RequestOptions, options?: Partial<HttpOptions>): Promise<Json> {
  const { outcome } = await sendRequest(command, options);
  if (outcome.kind === "succeeded" && outcome.output.kind === "inline") return outcome.output.json;
  throw new Error(JSON.stringify(outcome));
}

export async function fetchBody(command: RequestOptions, options?: Partial<HttpOptions>): Promise<Json> {
  return ((await fetchResponse(command, options)) as { readonly body: Json }).body;
}

export type FailureView = Extract<Outcome, { kind: "failed" }>["failure"];

export async function fetchFailure(command: RequestOptions, options?: Partial<HttpOptions>): Promise<FailureView> {
  const { outcome } = await sendRequest(command, options);
  if (outcome.kind === "failed") return outcome.failure;
  throw new Error(`it succeeded: ${JSON.stringify(outcome)}`);
}
