// Watches an agent at work, and ends it when its time, its silence or its cost exceeds a limit, or when the attempt is
// cancelled. The first reason counts.

import type { AgentUsage } from "./agent-event.ts";
import type { AgentRunOptions } from "./agent-executor.ts";
import type { Intervention } from "./agent-outcome.ts";

/** An agent that writes nothing for so long is taken for stuck. */
const STALL_MS = 5 * 60_000;
/** Node fires a timer with a longer time at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export type WatchLimits = Pick<AgentRunOptions, "signal" | "timeoutMs" | "stallMs" | "budgetUsd">;

export class AgentWatch implements Disposable {
  readonly #limits: WatchLimits;
  readonly #onEnd: () => void;
  readonly #total: NodeJS.Timeout | undefined;
  readonly #stall: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  #intervention: Intervention | undefined;
  #isClosed = false;

  /** `onEnd` is called when the agent has to end; at once if the attempt was cancelled already. */
  constructor(limits: WatchLimits, onEnd: () => void) {
    this.#limits = limits;
    this.#onEnd = onEnd;
    const { timeoutMs, stallMs = STALL_MS, signal } = limits;
    this.#total = startTimer(timeoutMs, () => this.#intervene({ kind: "timed-out" }));
    this.#stall = startTimer(stallMs, () => this.#intervene({ kind: "stalled", silentMs: stallMs }));
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  get intervention(): Intervention | undefined {
    return this.#intervention;
  }

  /** The agent has written something. */
  hear(): void {
    this.#stall?.refresh();
    this.#grace?.refresh();
  }

  /** The agent has reported its result. It should exit soon; an agent that hangs instead is ended, and its result counts. */
  expectExit(graceMs: number): void {
    if (!this.#isClosed) this.#grace ??= startTimer(graceMs, this.#onEnd);
  }

  /** The cost of the agent so far. */
  checkCost({ costUsd = 0 }: AgentUsage): void {
    const { budgetUsd: budget } = this.#limits;
    const budgetUsd = typeof budget === "function" ? budget(costUsd) : budget;
    if (budgetUsd === undefined || costUsd <= budgetUsd) return;
    const reason = `the agent has spent ${costUsd} USD, more than its budget of ${budgetUsd} USD`;
    this.#intervene({ kind: "failed", reason, isLasting: true });
  }

  /** The agent has ended by itself or was ended: from now on only its cost counts, which may be known late. */
  close(): void {
    this.#isClosed = true;
    for (const timer of [this.#total, this.#stall, this.#grace]) clearTimeout(timer);
    this.#limits.signal.removeEventListener("abort", this.#onAbort);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  readonly #onAbort = (): void => this.#intervene({ kind: "cancelled" });

  #intervene(intervention: Intervention): void {
    this.#intervention ??= intervention;
    this.#onEnd();
  }
}

function startTimer(ms: number | undefined, onTime: () => void): NodeJS.Timeout | undefined {
  return ms === undefined || ms > TIMER_MS_MAX ? undefined : setTimeout(onTime, ms);
}
