// The HTTP runner runs `http` steps.
//
//   HR1. An attempt ends once; a force-stopped attempt does not end. In both cases its socket is closed first. Then the
//        attempt exits (CANCEL-2).
//   HR2. A private address is reached only if the policy allows it, also by a redirect.
//   HR3. Whatever a server does, an attempt stays within its limits of memory and time, and ends when its signal fires.
//   HR4. Log lines contain no headers, queries or bodies.
//
// The HTTP client is imported with the first request, because most processes never send one.

import { SegnoError, type Outcome } from "@segno/kernel";
import type { StartTimer } from "../../checks/callback-limit.ts";
import type { SystemPorts } from "../../clock/system-ports.ts";
import { outcomeOfError } from "../attempt-outcome.ts";
import type { Attempt, Runner, AttemptHandle } from "../runner.ts";
import type { DnsLookup } from "./address-guard.ts";
import { failureOfError } from "./http-failure.ts";
import { httpLimits, type HttpLimits } from "./http-limits.ts";
import { toRequest } from "./http-request.ts";
import { PrivateNetworkPolicy, type AllowPrivate } from "./private-network-policy.ts";

/** Options of the part of an engine that sends HTTP requests. */
export interface HttpOptions {
  /** The current time, and the scheduling of callbacks. */
  readonly clock: Pick<SystemPorts, "now" | "callSoon">;
  /** Private addresses that may be reached; none by default. */
  readonly allowPrivate?: AllowPrivate | undefined;
  /** Limits that replace the defaults. */
  readonly limits?: Partial<HttpLimits> | undefined;
  /** Resolves host names; the system's resolver by default. */
  readonly lookup?: DnsLookup | undefined;
  /** Reports faults of the engine, never of a request. */
  readonly report: (error: unknown) => void;
  /** Starts a timer that bounds the total time of a request. */
  readonly startTimer: StartTimer;
}

interface HttpDependencies {
  readonly clock: Pick<SystemPorts, "now" | "callSoon">;
  readonly policy: PrivateNetworkPolicy;
  readonly limits: HttpLimits;
  readonly lookup: DnsLookup | undefined;
  readonly report: (error: unknown) => void;
  readonly startTimer: StartTimer;
}

export class HttpRunner implements Runner {
  readonly #dependencies: HttpDependencies;
  readonly #attempts = new Set<HttpAttempt>();
  #idleResolvers: (() => void)[] = [];

  constructor({ clock, allowPrivate = false, limits, lookup, report, startTimer }: HttpOptions) {
    const policy = new PrivateNetworkPolicy(allowPrivate);
    this.#dependencies = { clock, policy, limits: httpLimits(limits), lookup, report, startTimer };
  }

  /** A response cannot arrive in the current tick. */
  readonly commitDelayTicks = 0;

  start(attempt: Attempt): AttemptHandle {
    const httpAttempt = new HttpAttempt(attempt, this.#dependencies);
    this.#attempts.add(httpAttempt);
    this.#dependencies.clock.callSoon(() => void this.#run(httpAttempt));
    return httpAttempt;
  }

  async idle(): Promise<void> {
    if (this.#attempts.size > 0) await new Promise<void>((resolve) => this.#idleResolvers.push(resolve));
  }

  close(): Promise<void> {
    for (const httpAttempt of this.#attempts) httpAttempt.abort(true, "the engine is closing");
    return this.idle();
  }

  async #run(httpAttempt: HttpAttempt): Promise<void> {
    try {
      await httpAttempt.run();
    } catch (error) {
      this.#dependencies.report(error);
    }
    this.#attempts.delete(httpAttempt);
    if (this.#attempts.size === 0) for (const wake of this.#idleResolvers.splice(0)) wake();
  }
}

class HttpAttempt implements AttemptHandle {
  readonly #attempt: Attempt;
  readonly #dependencies: HttpDependencies;
  readonly #controller = new AbortController();
  #isForceStopped = false;

  constructor(attempt: Attempt, dependencies: HttpDependencies) {
    this.#attempt = attempt;
    this.#dependencies = dependencies;
  }

  abort(force: boolean, reason: string): void {
    if (force) this.#isForceStopped = true;
    this.#controller.abort(new DOMException(reason, "AbortError"));
  }

  /** The connection is closed before the attempt ends. */
  async run(): Promise<void> {
    const outcome = await this.#outcome();
    try {
      if (!this.#isForceStopped) this.#attempt.onEnded(outcome);
    } finally {
      this.#attempt.onExited();
    }
  }

  async #outcome(): Promise<Outcome> {
    const { signal } = this.#controller;
    const maskText = (text: string): string => this.#attempt.maskText(text);
    try {
      if (!this.#attempt.isCurrent()) this.abort(false, "the attempt was aborted before it began");
      signal.throwIfAborted();
      return await this.#withTotalTimeout(() => this.#sendRequest(signal));
    } catch (error) {
      if (signal.aborted && signal.reason instanceof SegnoError) return timeoutOutcome(signal.reason);
      if (signal.aborted) return outcomeOfError(signal.reason, { isAborted: true, maskText });
      return { kind: "failed", failure: failureOfError(error, maskText) };
    }
  }

  /**
   * Bounds the total time. A server that sends a byte now and then never triggers the idle timeout. A step with a
   * `timeout` has its own bound.
   */
  async #withTotalTimeout(work: () => Promise<Outcome>): Promise<Outcome> {
    if (this.#attempt.deadline !== undefined) return work();
    const { startTimer, limits } = this.#dependencies;
    const cancel = startTimer(limits.totalMs, () => this.#controller.abort(timeoutError(limits.totalMs)));
    try {
      return await work();
    } finally {
      cancel();
    }
  }

  async #sendRequest(signal: AbortSignal): Promise<Outcome> {
    const { clock, limits, policy, lookup } = this.#dependencies;
    const request = toRequest(this.#attempt);
    const [{ sendFollowingRedirects }, { outcomeOfResponse }] = await Promise.all([
      import("./redirecting-request.ts"),
      import("./http-outcome.ts"),
    ]);
    signal.throwIfAborted();
    const response = await sendFollowingRedirects(request, {
      policy,
      limits,
      lookup,
      signal,
      log: (line) => this.#log(line),
    });
    const maskText = (text: string): string => this.#attempt.maskText(text);
    return outcomeOfResponse(response, { now: clock.now(), bodyBytesMax: limits.bodyBytes, maskText });
  }

  /** A log line that cannot be stored is no reason to repeat a request. */
  #log(line: string): void {
    try {
      this.#attempt.writeStream("log", Buffer.from(`${line}\n`));
    } catch (error) {
      this.#dependencies.report(error);
    }
  }
}

function timeoutError(totalMs: number): SegnoError {
  return new SegnoError("HTTP_TIMEOUT", `the response was not complete within ${totalMs / 1000} seconds`);
}

/** The next attempt may be faster. The class `timeout` is for deadlines that the user set (FAIL-1). */
function timeoutOutcome({ code, message }: SegnoError): Outcome {
  return { kind: "failed", failure: { class: "transient", code, message } };
}
