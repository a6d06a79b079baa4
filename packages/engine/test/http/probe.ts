// An attempt of an `http` step as a test sees it: what it was given, what it was told, and how often.

import { epochMs, executionId, type EpochMs, type HttpAction, type Json, type Outcome } from "@segno/kernel";
import { SystemEnvironment } from "../../src/clock/system-environment.ts";
import { createJsonLogger } from "../../src/events/json-logger.ts";
import { HttpRunner, type HttpOptions } from "../../src/runners/http/http-runner.ts";
import type { Attempt, RenderedAction, MaskedStream, RunningAttempt } from "../../src/runners/runner.ts";

export interface Wish {
  readonly url: Json;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, Json>>;
  readonly body?: Json;
  readonly token?: string;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly isWanted?: boolean;
  readonly deadline?: EpochMs;
}

export class Probe implements Attempt {
  readonly agent = "";
  readonly localAgent = undefined;
  readonly agentDefinition = undefined;
  readonly execution = executionId("e");
  readonly workflow = "w";
  readonly correlationId = "correlation";
  readonly startedAt: EpochMs = epochMs(0);
  readonly resources = {};
  readonly step = "ask";
  readonly attempt = 1;
  readonly epoch = 1;
  readonly deadline: EpochMs | undefined;
  readonly retriedExitCodes: readonly number[] = [];
  readonly action: HttpAction;
  readonly secrets: Readonly<Record<string, string>>;
  readonly #wish: Wish;
  /** In the order in which it was told: outcomes, and `settled`. */
  readonly told: (Outcome | "settled")[] = [];
  log = "";
  readonly whenSettled: Promise<void>;
  #settle: () => void = () => {};

  constructor(command: Wish) {
    this.#wish = command;
    this.deadline = command.deadline;
    this.action = { kind: "http", method: command.method ?? "GET", url: "as written" };
    this.secrets = command.secrets ?? {};
    this.whenSettled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  isCurrent(): boolean {
    return this.#wish.isWanted ?? true;
  }

  token(): string {
    return this.#wish.token ?? "token-of-the-attempt";
  }

  marker(): string {
    return "marker";
  }

  input(): Json {
    return null;
  }

  call(): RenderedAction {
    const { url, headers, body } = this.#wish;
    return { url, ...(headers === undefined ? {} : { headers }), ...(body === undefined ? {} : { body }) };
  }

  outputs(): Readonly<Record<string, Json>> {
    return {};
  }

  logger(): ReturnType<typeof createJsonLogger> {
    return createJsonLogger({ write: () => {} });
  }

  maskText(text: string): string {
    const forms = Object.values(this.secrets).flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
    return forms.reduce((rest, form) => rest.replaceAll(form, "***"), text);
  }

  maskStream(): MaskedStream {
    return { write: (chunk) => chunk, end: () => new Uint8Array(0) };
  }

  writeOutput(stream: string, chunk: Uint8Array): void {
    this.log += `${stream}: ${Buffer.from(chunk).toString()}`;
  }

  beat(): void {}

  onCleanup(): void {}

  end(outcome: Outcome): void {
    this.told.push(outcome);
  }

  onExited(): void {
    this.told.push("settled");
    this.#settle();
  }
}

/** What a test asks with; everything of this machine that a test serves is allowed. */
export function openRunner(options: Partial<HttpOptions> = {}): Disposable & HttpRunner {
  const report = (error: unknown): void => {
    throw error;
  };
  const runner = new HttpRunner({
    environment: new SystemEnvironment(),
    allowPrivate: ["127.0.0.1"],
    report,
    timer: (ms, ring) => {
      const timer = setTimeout(ring, ms);
      return () => clearTimeout(timer);
    },
    ...options,
  });
  return Object.assign(runner, { [Symbol.dispose]: () => void runner.close() });
}

export interface Started {
  readonly probe: Probe;
  readonly running: RunningAttempt;
}

export function start(runner: HttpRunner, command: Wish): Started {
  const probe = new Probe(command);
  return { probe, running: runner.start(probe) };
}

export interface Asked {
  readonly outcome: Outcome;
  readonly log: string;
}

/** Asks, waits until everything is over, and sees to it that it was told once and in order. */
export async function ask(command: Wish, options: Partial<HttpOptions> = {}): Promise<Asked> {
  using runner = openRunner(options);
  const { probe } = start(runner, command);
  await probe.whenSettled;
  const [outcome, settled, ...more] = probe.told;
  if (typeof outcome !== "object" || settled !== "settled" || more.length > 0)
    throw new Error(`told ${JSON.stringify(probe.told)}`);
  return { outcome, log: probe.log };
}

/** Status, headers and body of an answer; a failure is thrown, so that a test that expects none shows it. */
export async function answerTo(command: Wish, options?: Partial<HttpOptions>): Promise<Json> {
  const { outcome } = await ask(command, options);
  if (outcome.kind === "succeeded" && outcome.output.kind === "inline") return outcome.output.json;
  throw new Error(JSON.stringify(outcome));
}

export async function bodyOf(command: Wish, options?: Partial<HttpOptions>): Promise<Json> {
  return ((await answerTo(command, options)) as { readonly body: Json }).body;
}

export type FailureView = Extract<Outcome, { kind: "failed" }>["failure"];

export async function failureOf(command: Wish, options?: Partial<HttpOptions>): Promise<FailureView> {
  const { outcome } = await ask(command, options);
  if (outcome.kind === "failed") return outcome.failure;
  throw new Error(`it succeeded: ${JSON.stringify(outcome)}`);
}
