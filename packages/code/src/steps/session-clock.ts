// The time of one attempt at a task. It begins when the session has its place and its workspace: a task that waits for a
// place uses up nothing.

import { ErrorType } from "../model/error-type.ts";
import { TaskError } from "../resolution/classify-task-error.ts";
import type { StepHost } from "./step-runtime.ts";

/** An agent that is told its time ends by itself. One that does not gets this much longer, and is then left alone. */
const GRACE_MS = 30_000;

export class SessionClock {
  readonly #timeoutMs: number;
  readonly #after: StepHost["after"];
  readonly #startedAt = performance.now();

  constructor(timeoutMs: number, { after }: Pick<StepHost, "after">) {
    this.#timeoutMs = timeoutMs;
    this.#after = after;
  }

  get leftMs(): number {
    return Math.max(1, Math.ceil(this.#timeoutMs - (performance.now() - this.#startedAt)));
  }

  /** Runs work that ends when its signal aborts. Throws if its time was up before. */
  async limit<Result>(signal: AbortSignal, work: (limited: AbortSignal) => Promise<Result>): Promise<Result> {
    const timer = this.#timer(0);
    try {
      return await work(AbortSignal.any([signal, timer.signal]));
    } catch (error) {
      if (timer.signal.aborted && !signal.aborted) throw timeUp();
      throw error;
    } finally {
      timer.stop();
    }
  }

  /** Runs an agent that knows its time. One that does not keep to it is told to stop, and not waited for. */
  async supervise<Result>(signal: AbortSignal, work: (limited: AbortSignal) => Promise<Result>): Promise<Result> {
    const timer = this.#timer(GRACE_MS);
    const { promise: late, reject } = Promise.withResolvers<never>();
    timer.signal.addEventListener("abort", () => reject(timeUp()), { once: true });
    const working = work(AbortSignal.any([signal, timer.signal]));
    working.catch(() => undefined);
    try {
      return await Promise.race([working, late]);
    } finally {
      timer.stop();
    }
  }

  #timer(graceMs: number): { readonly signal: AbortSignal; stop(): void } {
    const controller = new AbortController();
    const stop = this.#after(this.leftMs + graceMs, () => controller.abort());
    return { signal: controller.signal, stop };
  }
}

function timeUp(): TaskError {
  return new TaskError(ErrorType.AgentTimeout, "the task took too long");
}
