// The HTTP runner: steps that ask a server.
//
//   H1. An attempt ends once, and not when it was given up; then its socket is gone (CANCEL-2).
//   H2. Nothing private is reached unless it was allowed, neither at first nor by a redirect.
//   H3. Whatever a server does, an attempt holds no more memory and takes no more time than its limits say, and ends when
//       its signal fires.
//   H4. What it writes holds neither headers nor queries nor bodies.
//
// What this needs to speak HTTP is loaded with the first request: most processes never make one.

import { SegnoError, type Outcome } from "@segno/kernel";
import type { Timer } from "../../callbacks/callback-limit.ts";
import type { Environment } from "../../clock/environment.ts";
import { outcomeOfError } from "../function-outcome.ts";
import type { Attempt, Runner, Running } from "../runner.ts";
import type { Lookup } from "./address-guard.ts";
import { failureOfError } from "./http-failure.ts";
import { httpLimits, type HttpLimits } from "./http-limits.ts";
import { requestOf } from "./http-request.ts";
import { PrivateAllowance, type AllowPrivate } from "./private-allowance.ts";

export interface HttpOptions {
  readonly environment: Environment;
  /** Private addresses that may be reached; none when it is absent. */
  readonly allowPrivate?: AllowPrivate | undefined;
  readonly limits?: Partial<HttpLimits> | undefined;
  /** Finds the addresses of a host; the system's own way when it is absent. */
  readonly lookup?: Lookup | undefined;
  /** Told of what is wrong with the engine, never of what is wrong with a request. */
  readonly report: (error: unknown) => void;
  /** The engine's clock, for the time that a whole conversation may take. */
  readonly timer: Timer;
}

interface Means {
  readonly environment: Environment;
  readonly allowance: PrivateAllowance;
  readonly limits: HttpLimits;
  readonly lookup: Lookup | undefined;
  readonly report: (error: unknown) => void;
  readonly timer: Timer;
}

export class HttpRunner implements Runner {
  readonly #means: Means;
  readonly #calls = new Set<HttpCall>();
  #waiters: (() => void)[] = [];

  constructor({ environment, allowPrivate = false, limits, lookup, report, timer }: HttpOptions) {
    const allowance = new PrivateAllowance(allowPrivate);
    this.#means = { environment, allowance, limits: httpLimits(limits), lookup, report, timer };
  }

  /** Answers come from outside, so never within this turn of the event loop. */
  readonly turnsToWait = 0;

  start(attempt: Attempt): Running {
    const call = new HttpCall(attempt, this.#means);
    this.#calls.add(call);
    this.#means.environment.soon(() => void this.#run(call));
    return call;
  }

  async idle(): Promise<void> {
    if (this.#calls.size > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  close(): Promise<void> {
    for (const call of this.#calls) call.abort(true, "the engine closes");
    return this.idle();
  }

  async #run(call: HttpCall): Promise<void> {
    try {
      await call.run();
    } catch (error) {
      this.#means.report(error);
    }
    this.#calls.delete(call);
    if (this.#calls.size === 0) for (const wake of this.#waiters.splice(0)) wake();
  }
}

class HttpCall implements Running {
  readonly #attempt: Attempt;
  readonly #means: Means;
  readonly #controller = new AbortController();
  #isAbandoned = false;

  constructor(attempt: Attempt, means: Means) {
    this.#attempt = attempt;
    this.#means = means;
  }

  abort(force: boolean, reason: string): void {
    if (force) this.#isAbandoned = true;
    this.#controller.abort(new DOMException(reason, "AbortError"));
  }

  /** Whatever is answered, the connection is gone by then. */
  async run(): Promise<void> {
    const outcome = await this.#outcome();
    try {
      if (!this.#isAbandoned) this.#attempt.end(outcome);
    } finally {
      this.#attempt.settled();
    }
  }

  async #outcome(): Promise<Outcome> {
    const { signal } = this.#controller;
    try {
      if (!this.#attempt.isWanted()) this.abort(false, "it was stopped before it began");
      signal.throwIfAborted();
      return await this.#inTime(() => this.#answered(signal));
    } catch (error) {
      if (signal.aborted && signal.reason instanceof SegnoError) return tooSlow(signal.reason);
      if (signal.aborted) return outcomeOfError(signal.reason, { isAborted: true });
      return { kind: "failed", failure: failureOfError(error) };
    }
  }

  /**
   * A server that sends or takes a byte now and then never lets a limit between two bytes ring. A step with a `timeout` has
   * said how long it may take; any other is bounded here.
   */
  async #inTime(work: () => Promise<Outcome>): Promise<Outcome> {
    if (this.#attempt.deadline !== undefined) return work();
    const { timer, limits } = this.#means;
    const drop = timer(limits.totalMs, () => this.#controller.abort(lateError(limits.totalMs)));
    try {
      return await work();
    } finally {
      drop();
    }
  }

  async #answered(signal: AbortSignal): Promise<Outcome> {
    const { environment, limits, allowance, lookup } = this.#means;
    const request = requestOf(this.#attempt);
    const [{ converse }, { outcomeOfAnswer }] = await Promise.all([
      import("./conversation.ts"),
      import("./http-outcome.ts"),
    ]);
    signal.throwIfAborted();
    const answer = await converse(request, { allowance, limits, lookup, signal, note: (line) => this.#note(line) });
    const shown = (text: string): string => this.#attempt.maskText(text);
    return outcomeOfAnswer(answer, { now: environment.now(), bodyBytes: limits.bodyBytes, shown });
  }

  /** A line that cannot be kept is no reason to ask a server twice. */
  #note(line: string): void {
    try {
      this.#attempt.wrote("log", Buffer.from(`${line}\n`));
    } catch (error) {
      this.#means.report(error);
    }
  }
}

function lateError(totalMs: number): SegnoError {
  return new SegnoError("HTTP_TIMEOUT", `there was no whole answer within ${totalMs / 1000} seconds`);
}

/** It may be faster next time. `timeout` would mean a deadline that somebody wrote (FAIL-1). */
function tooSlow({ code, message }: SegnoError): Outcome {
  return { kind: "failed", failure: { class: "transient", code, message } };
}
