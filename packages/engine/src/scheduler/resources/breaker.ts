// A circuit breaker: an agent that keeps failing is left alone for a while (FAIL-6).
//
//   B1. So many failures in a row open it; then nothing passes until it has cooled down.
//   B2. After that one attempt may pass, the probe. If it succeeds everything passes again; if it fails it cools down anew.
//   B3. A probe that ends in neither way leaves its place to another, so an open breaker is never forgotten.
//   B4. While it is open only the probe counts: what began before says nothing about now.
//   B5. The probe is the oldest retry that is due, and somebody new only where no retry waits: otherwise every probe that
//       fails would cost another step one of its attempts.

import type { ScheduledAlarm } from "../alarms.ts";
import type { BlockedGroup } from "../blocked-group.ts";

/**
 * How an attempt ended, as far as its breaker cares: `failing` is a transient failure or a timeout. A request to wait is
 * neither a success nor a failure: whoever says when to come again works.
 */
export type AttemptResult = "succeeded" | "failing" | "other";

export class Breaker {
  /** Tells it from others of the same agent, which open at another time. */
  readonly name: string;
  readonly agent: string;
  readonly #failuresMax: number;
  readonly #cooldownMs: number;
  #failures = 0;
  #openUntilMs: number | undefined;
  /** The account and step of the probe. */
  #prober: object | undefined;
  #probe = -1;
  /** Those who wait for it, and when to look again. */
  blocked: BlockedGroup | undefined = undefined;
  alarm: ScheduledAlarm | undefined = undefined;

  constructor(name: string, agent: string, failuresMax: number, cooldownMs: number) {
    this.name = name;
    this.agent = agent;
    this.#failuresMax = failuresMax;
    this.#cooldownMs = cooldownMs;
  }

  get isClosed(): boolean {
    return this.#openUntilMs === undefined;
  }

  /** When it has cooled down; nothing when it is closed. */
  get openUntilMs(): number | undefined {
    return this.#openUntilMs;
  }

  canPass(nowMs: number): boolean {
    return this.#openUntilMs === undefined || (this.#prober === undefined && this.#openUntilMs <= nowMs);
  }

  /** Something was let through. */
  onStarted(account: object, step: number): void {
    if (this.#openUntilMs === undefined) return;
    this.#prober = account;
    this.#probe = step;
  }

  /** True when more may pass than before. */
  onEnded(account: object, step: number, result: AttemptResult, nowMs: number): boolean {
    if (this.#openUntilMs !== undefined) return this.#probeEnded(account, step, result, nowMs);
    if (result === "succeeded") this.#failures = 0;
    else if (result === "failing" && ++this.#failures >= this.#failuresMax) this.#open(nowMs);
    return false;
  }

  #probeEnded(account: object, step: number, result: AttemptResult, nowMs: number): boolean {
    if (this.#prober !== account || this.#probe !== step) return false;
    this.#prober = undefined;
    if (result === "succeeded") this.#close();
    else if (result === "failing") this.#open(nowMs);
    return result !== "failing";
  }

  #open(nowMs: number): void {
    this.#openUntilMs = nowMs + this.#cooldownMs;
  }

  #close(): void {
    this.#openUntilMs = undefined;
    this.#failures = 0;
  }
}
