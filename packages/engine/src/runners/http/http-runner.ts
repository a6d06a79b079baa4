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
import type { LimitTimer } from "../../checks/callback-limit.ts";
import type { Environment } from "../../clock/environment.ts";
import { outcomeOfError } from "../function-outcome.ts";
import type { Attempt, Runner, RunningAttempt } from "../runner.ts";
import type { DnsLookup } from "./address-guard.ts";
import { failureOfError } from "./http-failure.ts";
import { httpLimits, type HttpLimits } from "./http-limits.ts";
import { toRequest } from "./http-request.ts";
import { PrivateNetworkPolicy, type AllowPrivate } from "./private-network-policy.ts";

export interface HttpOptions {
  readonly environment: Environment;
  /** Private addresses that may be reached; none when it is absent. */
  readonly allowPrivate?: AllowPrivate | undefined;
  readonly limits?: Partial<HttpLimits> | undefined;
  /** Finds the addresses of a host; the system's own way when it is absent. */
  readonly lookup?: DnsLookup | undefined;
  /** Told of what is wrong with the engine, never of what is wrong with a request. */
  readonly report: (error: unknown) => void;
  /** The engine's clock, for the time that a whole conversation may take. */
  readonly timer: LimitTimer;
}

interface HttpDependencies {
  readonly environment: Environment;
  readonly allowance: PrivateNetworkPolicy;
  readonly limits: HttpLimits;
  readonly lookup: DnsLookup | undefined;
  readonly report: (error: unknown) => void;
  readonly timer: LimitTimer;
}

export class HttpRunner implements Runner {
  readonly #dependencies: HttpDependencies;
  readonly #calls = new Set<HttpCall>();
  #waiters: (() => void)[] = [];

  constructor({ environment, allowPrivate = false, limits, lookup, report, timer }: HttpOptions) {
    const policy = new PrivateNetworkPolicy(allowPrivate);
    this.#dependencies = { environment, allowance: policy, limits: httpLimits(limits), lookup, report, timer };
  }

  /** Answers come from outside, so never within this turn of the event loop. */
  readonly commitDelayTicks = 0;

  start(attempt: Attempt): RunningAttempt {
    const call = new HttpCall(attempt, this.#dependencies);
    this.#calls.add(call);
    this.#dependencies.environment.soon(() => void this.#run(call));
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
      this.#dependencies.report(error);
    }
    this.#calls.delete(call);
    if (this.#calls.size === 0) for (const wake of this.#waiters.splice(0)) wake();
  }
}

class HttpCall implements RunningAttempt {
  readonly #attempt: Attempt;
  readonly #dependencies: HttpDependencies;
  readonly #controller = new AbortController();
  #isAbandoned = false;

  constructor(attempt: Attempt, dependencies: HttpDependencies) {
    this.#attempt = attempt;
    this.#dependencies = dependencies;
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
      this.#attempt.onExited();
    }
  }

  async #outcome(): Promise<Outcome> {
    const { signal } = this.#controller;
    try {
      if (!this.#attempt.isCurrent()) this.abort(false, "it was stopped before it began");
      signal.throwIfAborted();
      return await this.#inTime(() => this.#exchange(signal));
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
    const { timer, limits } = this.#dependencies;
    const drop = timer(limits.totalMs, () => this.#controller.abort(lateError(limits.totalMs)));
    try {
      return await work();
    } finally {
      drop();
    }
  }

  async #exchange(signal: AbortSignal): Promise<Outcome> {
    const { environment, limits, allowance: policy, lookup } = this.#dependencies;
    const request = toRequest(this.#attempt);
    const [{ sendFollowingRedirects }, { outcomeOfAnswer }] = await Promise.all([
      import("./redirecting-request.ts"),
      import("./http-outcome.ts"),
    ]);
    signal.throwIfAborted();
    const answer = await sendFollowingRedirects(request, {
      allowance: policy,
      limits,
      lookup,
      signal,
      note: (line) => this.#note(line),
    });
    const maskText = (text: string): string => this.#attempt.maskText(text);
    return outcomeOfAnswer(answer, { now: environment.now(), bodyBytes: limits.bodyBytes, shown: maskText });
  }

  /** A line that cannot be kept is no reason to ask a server twice. */
  #note(line: string): void {
    try {
      this.#attempt.wrote("log", Buffer.from(`${line}\n`));
    } catch (error) {
      this.#dependencies.report(error);
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
