// Recorded calls of one attempt, on the main thread or on a worker thread: `run(name, work)` (STATE-14).
//
//   RD1. The value is in the journal when the promise of `run` resolves. A later attempt gets it back without a call, also
//        after a crash and on another machine.
//   RD2. Names are counted when `run` is called, so calls that run at the same time have fixed names.
//   RD3. The first caller gets the value as it was recorded, masked and as JSON, because every later one does.
//   RD4. Only values are recorded. A call that fails is made again by the next attempt.

import { toDefinition } from "@segno/contract";
import {
  backoffDelay,
  classifyError,
  isRetried,
  retryPolicy,
  PermanentError,
  toFailure,
  type DurationMs,
  type EpochMs,
  type Json,
  type RetryPolicy,
} from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import type { CallContext, CallOptions, RecordedWork, RecordedValue } from "../agents/recorded-call.ts";

/** Records the calls of one attempt. */
export interface CallRecorder {
  /** The maximum number of calls of one attempt. */
  readonly callsMax: number;
  now(): EpochMs;
  /** The value of a recorded call by its name before masking; undefined, now or later, if there is none. */
  find(name: string): Promise<Json | undefined> | undefined;
  /** Resolves with the value as it is recorded, once it is durable. */
  record(name: string, startedAt: EpochMs, value: unknown): Promise<Json>;
  /** Calls back after a time, unless the returned function was called before. */
  after(ms: number, call: () => void): () => void;
}

const NAME_LENGTH_MAX = 200;

export class RecordedCalls {
  readonly #recorder: CallRecorder;
  readonly #signal: () => AbortSignal;
  readonly #assertRunning: () => void;
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** `assertRunning` throws if the attempt has ended or should stop. */
  constructor(recorder: CallRecorder, signal: () => AbortSignal, assertRunning: () => void) {
    this.#recorder = recorder;
    this.#signal = signal;
    this.#assertRunning = assertRunning;
  }

  async run<Result>(
    given: string,
    work: RecordedWork<Result>,
    options: CallOptions | undefined,
  ): Promise<RecordedValue<Result>> {
    const name = this.#nextName(given, work);
    const limits = callLimits(options);
    const found = this.#recorder.find(name);
    const recorded = found === undefined ? undefined : await found;
    if (recorded !== undefined) return recorded as RecordedValue<Result>;
    const startedAt = this.#recorder.now();
    const value = await this.#call(name, work, limits);
    return (await this.#recorder.record(name, startedAt, value)) as RecordedValue<Result>;
  }

  /** RD2. */
  #nextName(name: unknown, work: unknown): string {
    checkCall(name, work);
    if (++this.#total > this.#recorder.callsMax) throw callsLimitError(this.#recorder.callsMax);
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  }

  async #call(name: string, work: RecordedWork<unknown>, { policy, timeout }: CallLimits): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      // The function of an attempt may run on after the attempt has ended; its calls then do not begin (LEASE-2).
      this.#assertRunning();
      try {
        return await this.#callOnce(name, work, attempt, timeout);
      } catch (error) {
        const failure = toFailure(error, (text) => text, classifyError(error));
        if (this.#signal().aborted || policy === undefined || !isRetried(policy, failure, attempt)) throw error;
        await this.#sleep(backoffDelay(policy, failure, attempt, Math.random));
      }
    }
  }

  async #callOnce(
    name: string,
    work: RecordedWork<unknown>,
    attempt: number,
    timeout: DurationMs | undefined,
  ): Promise<unknown> {
    if (timeout === undefined) return await work(newCallContext(this.#signal, attempt));
    const timedOut = new AbortController();
    const { promise, reject } = Promise.withResolvers<never>();
    const cancel = this.#recorder.after(timeout, () => {
      const error = new CallTimeoutError(`the call \`${name}\` took longer than ${timeout} ms`);
      timedOut.abort(error);
      reject(error);
    });
    const signal = AbortSignal.any([this.#signal(), timedOut.signal]);
    try {
      return await Promise.race([work(newCallContext(() => signal, attempt)), promise]);
    } finally {
      cancel();
    }
  }

  async #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const signal = this.#signal();
    const cancel = this.#recorder.after(ms, resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    cancel();
  }
}

/** Permanent, because the next attempt would do the same. */
export class CallError extends PermanentError {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export function callsLimitError(callsMax: number): CallError {
  const message = `the attempt makes more than the ${callsMax} recorded calls that \`limits.recordedCalls\` allows`;
  return new CallError("CALLS_LIMIT", message);
}

export function attemptEndedError(): CallError {
  return new CallError("ATTEMPT_NOT_RUNNING", "the attempt has ended, so it makes no more recorded calls");
}

/** Errors of this name are transient (FAIL-1). */
class CallTimeoutError extends Error {
  override readonly name: string = "TimeoutError";
  readonly code = "CALL_TIMEOUT";
}

/** The signal is made when the call reads it. */
function newCallContext(signal: () => AbortSignal, attempt: number): CallContext {
  return {
    attempt,
    get signal() {
      return signal();
    },
  };
}

function checkCall(name: unknown, work: unknown): asserts name is string {
  if (typeof name !== "string" || name === "" || name.length > NAME_LENGTH_MAX || name.includes("#"))
    throw new CallError(
      "CALL_INVALID",
      `a recorded call needs a name: text of 1 to ${NAME_LENGTH_MAX} characters without \`#\`, not ${describeValue(name)}`,
    );
  if (typeof work !== "function")
    throw new CallError("CALL_INVALID", `the recorded call \`${name}\` needs a function, not ${describeValue(work)}`);
}

/** For names that another thread counted: a name may have a number after `#`. */
export function checkRecordedName(name: string): void {
  if (/^[^#]{1,200}(?:#[1-9]\d{0,9})?$/su.test(name)) return;
  throw new CallError("CALL_INVALID", `${describeValue(name)} is not the name of a recorded call`);
}

interface CallLimits {
  readonly policy: RetryPolicy | undefined;
  readonly timeout: DurationMs | undefined;
}

const NO_LIMITS: CallLimits = Object.freeze({ policy: undefined, timeout: undefined });

/** The options are those of a step, so the checks of a contract apply. */
function callLimits(options: CallOptions | undefined): CallLimits {
  if (options === undefined) return NO_LIMITS;
  const { retry, timeout, ...unknown } = options;
  const [first] = Object.keys(unknown);
  if (first !== undefined) throw new CallError("CALL_INVALID", `\`${first}\` is not an option of a recorded call`);
  const limits = { ...(retry === undefined ? {} : { retry }), ...(timeout === undefined ? {} : { timeout }) };
  const result = toDefinition({ name: "call", steps: [{ id: "call", agent: "call", ...limits }] });
  if (result.kind === "problems")
    throw new CallError("CALL_INVALID", `a recorded call: ${result.problems[0]!.message}`);
  const [step] = result.definition.steps;
  return {
    policy: step!.retry === undefined ? undefined : retryPolicy(step!.retry),
    timeout: step!.timeout,
  };
}
