// A circuit breaker stops calling an agent that keeps failing (FAIL-6).
//
//   B1. `failuresMax` failures in a row open the breaker; then no attempt passes until the cooldown is over.
//   B2. After the cooldown, one attempt may pass: the probe. If it succeeds, the breaker closes; if it fails, the
//       cooldown starts again.
//   B3. If the probe ends without success or failure, another attempt may become the probe, so the breaker cannot stay
//       open for ever.
//   B4. While the breaker is open, only the probe's result counts: attempts that started earlier say nothing about the
//       agent now.
//   B5. The probe is the oldest retry that is due. A first attempt becomes the probe only if no retry waits; otherwise
//       every failed probe would cost another step one of its attempts.

import type { ScheduledAlarm } from "../alarms.ts";
import type { ObstacleGroup } from "../obstacle-group.ts";

/**
 * The result of an attempt as the breaker counts it. `failing` is a transient failure or a timeout. A failure with a
 * retry time is `other`: an agent that says when to call again is working.
 */
export type AttemptResult = "succeeded" | "failing" | "other";

export class Breaker {
  /** Unique per agent and settings: breakers with different settings open at different times. */
  readonly name: string;
  readonly agent: string;
  readonly #failuresMax: number;
  readonly #cooldownMs: number;
  #failures = 0;
  #openUntilMs: number | undefined;
  /** The execution of the probe: its scheduler record. */
  #probeExecution: object | undefined;
  #probeStep = -1;
  /** The queues that have the breaker as their obstacle, and the alarm that includes their group again. */
  obstacleGroup: ObstacleGroup | undefined = undefined;
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

  /** When the cooldown ends, on the monotonic clock; undefined while the breaker is closed. */
  get openUntilMs(): number | undefined {
    return this.#openUntilMs;
  }

  canPass(nowMs: number): boolean {
    return this.#openUntilMs === undefined || (this.#probeExecution === undefined && this.#openUntilMs <= nowMs);
  }

  /** An attempt passed the breaker. */
  onStarted(schedulerRecord: object, step: number): void {
    if (this.#openUntilMs === undefined) return;
    this.#probeExecution = schedulerRecord;
    this.#probeStep = step;
  }

  /** Returns whether more attempts may pass than before. */
  onEnded(schedulerRecord: object, step: number, result: AttemptResult, nowMs: number): boolean {
    if (this.#openUntilMs !== undefined) return this.#probeEnded(schedulerRecord, step, result, nowMs);
    if (result === "succeeded") this.#failures = 0;
    else if (result === "failing" && ++this.#failures >= this.#failuresMax) this.#open(nowMs);
    return false;
  }

  #probeEnded(schedulerRecord: object, step: number, result: AttemptResult, nowMs: number): boolean {
    if (this.#probeExecution !== schedulerRecord || this.#probeStep !== step) return false;
    this.#probeExecution = undefined;
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
