// One attempt on a worker thread: it waits for a thread, runs there and ends once. If it is force-stopped, it does not
// end, and exits when its thread has exited.

import { toFailure, SegnoError, VALUE_BYTES_MAX, type Outcome, type TextFilter } from "@segno/kernel";
import { thrownMessage } from "@segno/kernel/thrown-text";
import type { Logger } from "../../events/logger.ts";
import { Expansion } from "../../agents/expansion.ts";
import { WHOLE } from "../../checks/copy-json.ts";
import {
  EXPANDED_STEPS,
  OUTPUT,
  UNREADABLE_VALUE,
  valueFailure,
  type ValueRefusal,
} from "../../checks/value-failure.ts";
import { outcomeOfError, outcomeOfValue } from "../attempt-outcome.ts";
import type { Classify } from "../attempt-outcome.ts";
import type { Attempt, AttemptHandle } from "../runner.ts";
import { Skip } from "../../agents/skip.ts";
import type { Thread, WorkerExit } from "./thread.ts";
import { CallReplies } from "./call-replies.ts";
import type { AgentResult, ThreadCall, ThreadLine, ThreadModule, ThreadWork } from "./thread-message.ts";
import { deserializeThrown } from "./thrown.ts";

/** The thread runner, as its attempts see it. */
export interface ThreadAttemptListener {
  readonly classify: Classify;
  /** The attempt was aborted while it waited for a thread. The listener calls `endWithoutRunning` in a later tick. */
  onWithdrawn(threadAttempt: ThreadAttempt): void;
  onExited(): void;
}

export class ThreadAttempt implements AttemptHandle {
  readonly attempt: Attempt;
  readonly #listener: ThreadAttemptListener;
  #phase: "waiting" | "withdrawn" | "running" | "exited" = "waiting";
  #thread: Thread | undefined;
  #abortReason: string | undefined;
  #logger: Logger | undefined;
  /** Undefined until the agent makes a recorded call. */
  #calls: CallReplies | undefined;
  readonly #maskText = (text: string): string => this.attempt.maskText(text);
  #isForceStopped = false;
  #hasEnded = false;

  constructor(attempt: Attempt, listener: ThreadAttemptListener) {
    this.attempt = attempt;
    this.#listener = listener;
  }

  get isWaiting(): boolean {
    return this.#phase === "waiting";
  }

  get isForceStopped(): boolean {
    return this.#isForceStopped;
  }

  runOn(thread: Thread, work: ThreadWork): void {
    this.#thread = thread;
    this.#phase = "running";
    thread.run(work);
  }

  /** The thread cannot run the attempt. The attempt waits for another thread, unless it was aborted meanwhile. */
  requeue(): void {
    this.#thread = undefined;
    this.#phase = "waiting";
    if (this.#abortReason !== undefined) this.#withdraw();
  }

  abort(force: boolean, reason: string): void {
    if (this.#phase === "exited") return;
    this.#abortReason ??= reason;
    this.#isForceStopped ||= force;
    if (this.#phase === "waiting") this.#withdraw();
    else if (force) void this.#thread?.terminate();
    else this.#thread?.abort(reason);
  }

  #withdraw(): void {
    this.#phase = "withdrawn";
    this.#listener.onWithdrawn(this);
  }

  /** Ends an attempt that never ran. */
  endWithoutRunning(): void {
    this.#abortReason ??= "the attempt was aborted before it began";
    this.endWithError(new DOMException(this.#abortReason, "AbortError"));
    this.markExited();
  }

  log({ level, fields, message }: ThreadLine): void {
    const logger = (this.#logger ??= this.attempt.logger());
    if (Object.keys(fields).length === 0) logger[level](message);
    else logger[level](fields, message);
  }

  /** The thread that waits for the reply may have been terminated meanwhile; it then ignores the reply. */
  async onCall(call: ThreadCall): Promise<void> {
    const thread = this.#thread;
    this.#calls ??= new CallReplies(this.attempt.recorder(), this.#maskText);
    thread?.reply(call.id, await this.#calls.reply(call));
  }

  endWithResult(result: AgentResult): void {
    if (result.kind === "threw") this.endWithError(deserializeThrown(result.error));
    else this.#end(outcomeOfResult(result, this.#maskText));
  }

  endWithError(error: unknown): void {
    const { classify } = this.#listener;
    const isAborted = this.#abortReason !== undefined;
    this.#end(outcomeOfError(error, { isAborted, classify, maskText: this.#maskText }));
  }

  /**
   * Whether the agent had done its work is unknown, so the failure is retryable, like any unknown error (FAIL-1).
   */
  onThreadExited(error: SegnoError): void {
    const failureClass = this.#abortReason === undefined ? "transient" : "cancelled";
    this.#end({ kind: "failed", failure: toFailure(error, this.#maskText, failureClass) });
  }

  #end(outcome: Outcome): void {
    if (this.#hasEnded || this.#isForceStopped) return;
    this.#hasEnded = true;
    this.attempt.onEnded(outcome);
  }

  markExited(): void {
    if (this.#phase === "exited") return;
    this.#phase = "exited";
    this.attempt.onExited();
    this.#listener.onExited();
  }
}

export function toThreadWork(attempt: Attempt, module: ThreadModule): ThreadWork {
  return {
    module,
    execution: attempt.executionInfo(),
    step: attempt.stepInfo(),
    attempt: attempt.attempt,
    callsMax: attempt.recorder()?.callsMax,
    token: attempt.token(),
    traceparent: attempt.traceparent(),
    deadline: attempt.deadline,
    secrets: attempt.secrets,
    resources: attempt.resources,
    artifacts: attempt.artifacts,
    input: attempt.input(),
    dependencyOutputs: attempt.dependencyOutputs(),
  };
}

/** Applies the same checks as to agents on the main thread, whatever the worker thread checked (DATA-8). */
function outcomeOfResult(agentResult: Exclude<AgentResult, { kind: "threw" }>, maskText: TextFilter): Outcome {
  switch (agentResult.kind) {
    case "returned":
      return outcomeOfText(OUTPUT, agentResult.text, maskText, (json) => json);
    case "skipped":
      return outcomeOfValue(new Skip(agentResult.reason), { maskText });
    case "expanded":
      return outcomeOfText(EXPANDED_STEPS, agentResult.text, maskText, toExpansion);
    case "refused": {
      const { value, reason } = agentResult;
      const subject = value === "expanded" ? EXPANDED_STEPS : OUTPUT;
      const refusal = reason.kind === "unreadable" ? UNREADABLE_VALUE : reason;
      return { kind: "failed", failure: valueFailure(subject, refusal, maskText) };
    }
  }
}

/** The agent may have replaced `JSON.stringify` on its thread, so the text can be anything. */
function outcomeOfText(
  subject: string,
  text: string,
  maskText: TextFilter,
  toValue: (json: unknown) => unknown,
): Outcome {
  const refuse = (refusal: ValueRefusal): Outcome => {
    return { kind: "failed", failure: valueFailure(subject, refusal, maskText) };
  };
  if (text.length > VALUE_BYTES_MAX) return refuse({ kind: "too-large", bytes: Buffer.byteLength(text) });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return refuse({ kind: "not-json", path: WHOLE, found: "a text that cannot be parsed" });
  }
  return outcomeOfValue(toValue(json), { maskText });
}

function toExpansion(json: unknown): Expansion {
  const { steps, result } = (json ?? {}) as Expansion;
  return new Expansion(steps, result);
}

export function threadExitedError({ exitCode, error }: WorkerExit): SegnoError {
  const cause = error === undefined ? {} : { cause: error };
  return new SegnoError(
    "THREAD_EXITED",
    `the thread exited before its function ended: ${exitReason(exitCode, error)}`,
    cause,
  );
}

function exitReason(exitCode: number, error: unknown): string {
  if (error === undefined) return `exit code ${exitCode}`;
  return thrownMessage(error);
}
