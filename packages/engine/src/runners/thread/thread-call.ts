// One attempt on a thread: it waits for a thread, runs there and ends once. If it is abandoned, it exits when its
// thread does.

import { toFailure, SegnoError, type Outcome } from "@segno/kernel";
import { thrownMessage } from "@segno/kernel/thrown-text";
import type { Logger } from "../../events/logger.ts";
import { Expansion } from "../../agents/expansion.ts";
import { outcomeOfError, outcomeOfValue } from "../function-outcome.ts";
import type { Classify } from "../function-outcome.ts";
import type { Attempt, RunningAttempt } from "../runner.ts";
import { Skip } from "../../agents/skip.ts";
import type { Thread, WorkerExit } from "./thread.ts";
import type { ThreadEnd, ThreadLine, ThreadModule, ThreadWork } from "./thread-message.ts";
import { deserializeThrown } from "./thrown.ts";

/** The runner's side of a call. */
export interface ThreadCallListener {
  readonly classify: Classify;
  /** The call must not start; the listener calls `withdraw` later. */
  onWithdrawn(call: ThreadCall): void;
  onFinished(): void;
}

export class ThreadCall implements RunningAttempt {
  readonly attempt: Attempt;
  readonly #listener: ThreadCallListener;
  #phase: "waiting" | "withdrawn" | "running" | "over" = "waiting";
  #thread: Thread | undefined;
  #abortReason: string | undefined;
  #logger: Logger | undefined;
  #isAbandoned = false;
  #hasEnded = false;

  constructor(attempt: Attempt, listener: ThreadCallListener) {
    this.attempt = attempt;
    this.#listener = listener;
  }

  get isWaiting(): boolean {
    return this.#phase === "waiting";
  }

  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  begin(thread: Thread, work: ThreadWork): void {
    this.#thread = thread;
    this.#phase = "running";
    thread.run(work);
  }

  /**
   * The thread cannot start the call. A call that was aborted meanwhile is withdrawn instead of getting another thread.
   */
  requeue(): void {
    this.#thread = undefined;
    this.#phase = "waiting";
    if (this.#abortReason !== undefined) this.#withdraw();
  }

  abort(force: boolean, reason: string): void {
    if (this.#phase === "over") return;
    this.#abortReason ??= reason;
    this.#isAbandoned ||= force;
    if (this.#phase === "waiting") this.#withdraw();
    else if (force) void this.#thread?.end();
    else this.#thread?.abort(reason);
  }

  #withdraw(): void {
    this.#phase = "withdrawn";
    this.#listener.onWithdrawn(this);
  }

  /** Ends the call without having started it. */
  withdraw(): void {
    this.#abortReason ??= "it was stopped before it began";
    this.fail(new DOMException(this.#abortReason, "AbortError"));
    this.onThreadExit();
  }

  log({ level, fields, message }: ThreadLine): void {
    const logger = (this.#logger ??= this.attempt.logger());
    if (Object.keys(fields).length === 0) logger[level](message);
    else logger[level](fields, message);
  }

  end(end: ThreadEnd): void {
    if (end.kind === "threw") this.fail(deserializeThrown(end.error));
    else this.#end(outcomeOfEnd(end));
  }

  fail(error: unknown): void {
    const maskText = (text: string): string => this.attempt.maskText(text);
    const { classify } = this.#listener;
    this.#end(outcomeOfError(error, { isAborted: this.#abortReason !== undefined, classify, maskText }));
  }

  /**
   * Whether the function had done its work is unknown, so the failure is retryable, like any unknown error (FAIL-1).
   */
  onThreadLost(error: SegnoError): void {
    const kind = this.#abortReason === undefined ? "transient" : "cancelled";
    this.#end({ kind: "failed", failure: toFailure(error, kind) });
  }

  #end(outcome: Outcome): void {
    if (this.#hasEnded || this.#isAbandoned) return;
    this.#hasEnded = true;
    this.attempt.end(outcome);
  }

  /** No part of the attempt runs any more. */
  onThreadExit(): void {
    if (this.#phase === "over") return;
    this.#phase = "over";
    this.attempt.onExited();
    this.#listener.onFinished();
  }
}

export function toThreadWork(attempt: Attempt, module: ThreadModule): ThreadWork {
  const { execution: executionId, workflow, correlationId, step: stepId, startedAt, deadline } = attempt;
  const ids = { executionId, workflow, correlationId, stepId, attempt: attempt.attempt, token: attempt.token() };
  const { secrets, resources } = attempt;
  const held = { secrets, resources };
  return { module, ...ids, startedAt, deadline, ...held, input: attempt.input(), outputs: attempt.outputs() };
}

/** Applies the same checks as to functions of this thread, whatever the other thread has checked (DATA-8). */
function outcomeOfEnd(end: Exclude<ThreadEnd, { kind: "threw" }>): Outcome {
  switch (end.kind) {
    case "returned":
      return outcomeOfValue(JSON.parse(end.text));
    case "skipped":
      return outcomeOfValue(new Skip(end.reason));
    case "expanded": {
      const { steps, result } = JSON.parse(end.text) as Expansion;
      return outcomeOfValue(new Expansion(steps, result));
    }
    case "refused":
      return { kind: "failed", failure: end.failure };
  }
}

export function threadEndedError({ exitCode, error }: WorkerExit): SegnoError {
  const cause = error === undefined ? {} : { cause: error };
  return new SegnoError(
    "THREAD_ENDED",
    `the thread ended before its function did: ${exitReason(exitCode, error)}`,
    cause,
  );
}

function exitReason(exitCode: number, error: unknown): string {
  if (error === undefined) return `exit code ${exitCode}`;
  return thrownMessage(error);
}
