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
import type { FunctionResult, ThreadLine, ThreadModule, ThreadWork } from "./thread-message.ts";
import { deserializeThrown } from "./thrown.ts";

/** The thread runner, as its attempts see it. */
export interface ThreadAttemptListener {
  readonly classify: Classify;
  /** The attempt was stopped while it waited for a thread; the listener calls `endUnstarted` in a later tick. */
  onWithdrawalNeeded(threadAttempt: ThreadAttempt): void;
  onExited(): void;
}

export class ThreadAttempt implements RunningAttempt {
  readonly attempt: Attempt;
  readonly #listener: ThreadAttemptListener;
  #phase: "waiting" | "withdrawn" | "running" | "over" = "waiting";
  #thread: Thread | undefined;
  #abortReason: string | undefined;
  #logger: Logger | undefined;
  #isAbandoned = false;
  #hasEnded = false;

  constructor(attempt: Attempt, listener: ThreadAttemptListener) {
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

  /** The thread cannot start the attempt. The attempt waits for another thread, unless it was aborted meanwhile. */
  requeue(): void {
    this.#thread = undefined;
    this.#phase = "waiting";
    if (this.#abortReason !== undefined) this.#scheduleWithdrawal();
  }

  abort(force: boolean, reason: string): void {
    if (this.#phase === "over") return;
    this.#abortReason ??= reason;
    this.#isAbandoned ||= force;
    if (this.#phase === "waiting") this.#scheduleWithdrawal();
    else if (force) void this.#thread?.terminate();
    else this.#thread?.abort(reason);
  }

  #scheduleWithdrawal(): void {
    this.#phase = "withdrawn";
    this.#listener.onWithdrawalNeeded(this);
  }

  /** Ends the attempt without having started it. */
  endUnstarted(): void {
    this.#abortReason ??= "the attempt was stopped before it began";
    this.fail(new DOMException(this.#abortReason, "AbortError"));
    this.markExited();
  }

  log({ level, fields, message }: ThreadLine): void {
    const logger = (this.#logger ??= this.attempt.logger());
    if (Object.keys(fields).length === 0) logger[level](message);
    else logger[level](fields, message);
  }

  complete(result: FunctionResult): void {
    if (result.kind === "threw") this.fail(deserializeThrown(result.error));
    else this.#end(outcomeOfResult(result));
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
  markExited(): void {
    if (this.#phase === "over") return;
    this.#phase = "over";
    this.attempt.onExited();
    this.#listener.onExited();
  }
}

export function toThreadWork(attempt: Attempt, module: ThreadModule): ThreadWork {
  const { execution: executionId, workflow, correlationId, step: stepId, executionStartedAt, deadline } = attempt;
  const ids = { executionId, workflow, correlationId, stepId, attempt: attempt.attempt, token: attempt.token() };
  const { secrets, resources } = attempt;
  const held = { secrets, resources };
  return {
    module,
    ...ids,
    startedAt: executionStartedAt,
    deadline,
    ...held,
    input: attempt.input(),
    dependencyOutputs: attempt.dependencyOutputs(),
  };
}

/** Applies the same checks as to functions of the engine's own thread, whatever the other thread checked (DATA-8). */
function outcomeOfResult(functionResult: Exclude<FunctionResult, { kind: "threw" }>): Outcome {
  switch (functionResult.kind) {
    case "returned":
      return outcomeOfValue(JSON.parse(functionResult.text));
    case "skipped":
      return outcomeOfValue(new Skip(functionResult.reason));
    case "expanded": {
      const { steps, result } = JSON.parse(functionResult.text) as Expansion;
      return outcomeOfValue(new Expansion(steps, result));
    }
    case "refused":
      return { kind: "failed", failure: functionResult.failure };
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
