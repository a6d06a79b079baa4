// The thread runner: agents that are modules, on a pool of worker threads. A function there cannot hold up this thread, and
// can be ended by force whatever it does (CANCEL-2).
//
//   Q1. A thread has one attempt at a time. Attempts that find none wait, first in, first out; one that is stopped while it
//       waits never begins (CANCEL-1).
//   Q2. An attempt ends once. What its thread still says after it was given up counts for nothing (LEASE-2).
//   Q3. An attempt that was given up, or whose thread is broken, is settled when the thread is gone; so is `idle`.
//   Q4. A thread that ends under an attempt fails it with `THREAD_ENDED`, and nothing else. Another takes its place when it is
//       needed. So it is with a thread on which a module could not be loaded: only a new one forgets that (M1).
//   Q5. What a function left going on its thread may write to stdout in the time of the next attempt there; that cannot be
//       told apart, and what is written between two attempts is dropped. Lines and heartbeats can be told apart (X1).

import { availableParallelism } from "node:os";
import type { ResourceLimits } from "node:worker_threads";
import { classifyError, SegnoError } from "@segno/kernel";
import type { Environment } from "../../clock/environment.ts";
import type { Classify } from "../function-outcome.ts";
import type { Attempt, Runner, RunningAttempt } from "../runner.ts";
import { CallQueue } from "./call-queue.ts";
import { ThreadCall, threadEnded, toThreadWork, type ThreadCallListener } from "./thread-call.ts";
import type { ThreadEnd, ThreadModule, ThreadReport } from "./thread-message.ts";
import { ThreadPool } from "./thread-pool.ts";
import type { Thread, WorkerExit } from "./thread.ts";
import { errorFrom } from "./thrown.ts";

export type { ThreadModule } from "./thread-message.ts";

export interface ThreadRunnerOptions {
  readonly environment: Pick<Environment, "soon">;
  /** The module behind the attempt's agent. What it throws fails the attempt. */
  resolveModule(attempt: Attempt): ThreadModule;
  /** What went wrong on a thread that had nothing to do. */
  report(error: unknown): void;
  readonly classify?: Classify;
  /** How many threads at most; one less than there are processors when it is absent, but not more than 8. */
  readonly size?: number;
  /** Threads that had nothing to do for so long are ended. */
  readonly idleMs?: number;
  readonly resourceLimits?: ResourceLimits;
  /** What threads see as their environment; a copy of this process's when it is absent. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

const SIZE_MAX = 8;
const IDLE_MS = 10_000;
const LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 512 };

export class ThreadRunner implements Runner {
  /** No end comes before the thread has been heard, which takes another turn of the event loop. */
  readonly commitDelayTicks = 0;
  readonly #options: ThreadRunnerOptions;
  readonly #pool: ThreadPool;
  readonly #callListener: ThreadCallListener;
  readonly #waiting = new CallQueue();
  readonly #running = new Map<Thread, ThreadCall>();
  #inFlight = 0;
  #idleResolvers: (() => void)[] = [];
  #isPlacing = false;
  #isClosed = false;

  constructor(options: ThreadRunnerOptions) {
    this.#options = options;
    this.#pool = this.#createPool();
    this.#callListener = {
      classify: options.classify ?? classifyError,
      withdraw: (call) => options.environment.soon(() => call.withdraw()),
      onLeft: () => this.#onCallLeft(),
    };
  }

  start(attempt: Attempt): RunningAttempt {
    const call = new ThreadCall(attempt, this.#callListener);
    this.#inFlight++;
    this.#waiting.add(call);
    if (this.#isClosed) call.abort(false, "the engine is closed");
    else this.#placeSoon();
    return call;
  }

  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idleResolvers.push(resolve));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const call of [...this.#waiting.all(), ...this.#running.values()]) call.abort(true, "the engine closes");
    await this.#pool.close();
    await this.idle();
  }

  #createPool(): ThreadPool {
    const { size = defaultSize(), idleMs = IDLE_MS, resourceLimits = LIMITS, env } = this.#options;
    return new ThreadPool(
      { size, idleMs, resourceLimits, env },
      {
        onReport: (thread, report) => this.#onReport(thread, report),
        onExit: (thread, death) => this.#onExit(thread, death),
      },
    );
  }

  #onCallLeft(): void {
    if (--this.#inFlight === 0) for (const wake of this.#idleResolvers.splice(0)) wake();
  }

  #placeSoon(): void {
    if (this.#isPlacing) return;
    this.#isPlacing = true;
    this.#options.environment.soon(() => this.#place());
  }

  #place(): void {
    this.#isPlacing = false;
    while (this.#pool.hasRoom) {
      const call = this.#waiting.take();
      if (call === undefined) return;
      this.#begin(call);
    }
  }

  #begin(call: ThreadCall): void {
    try {
      if (!call.attempt.isCurrent()) return call.withdraw();
      const work = toThreadWork(call.attempt, this.#options.resolveModule(call.attempt));
      const thread = this.#threadFor(work.module);
      this.#running.set(thread, call);
      call.begin(thread, work);
    } catch (error) {
      call.fail(error);
      call.onThreadExit();
    }
  }

  #threadFor({ path }: ThreadModule): Thread {
    try {
      return this.#pool.take(path);
    } catch (cause) {
      throw new SegnoError("THREAD_ENDED", `no thread can be started (${String(cause)})`, { cause });
    }
  }

  #onReport(thread: Thread, report: ThreadReport): void {
    const call = this.#running.get(thread);
    switch (report.kind) {
      case "line":
        return call?.log(report);
      case "wrote":
        return call?.attempt.wrote(report.stream, report.chunk);
      case "beat":
        return call?.attempt.beat();
      case "ended":
        return call === undefined ? undefined : this.#onEnded(thread, call, report);
      case "broken":
        return this.#isUnusable(thread, call, errorFrom(report.error));
    }
  }

  #onEnded(thread: Thread, call: ThreadCall, { end, isBroken }: ThreadReport & { kind: "ended" }): void {
    call.end(end);
    // Its thread is on the way out, and settles it (Q3).
    if (call.isAbandoned) return;
    if (isBroken || isModuleInvalid(end)) return this.#pool.retire(thread);
    this.#running.delete(thread);
    call.onThreadExit();
    this.#pool.rest(thread);
    this.#placeSoon();
  }

  /** It said so before it took up the attempt that it was given meanwhile, if any; so that one may have another thread. */
  #isUnusable(thread: Thread, call: ThreadCall | undefined, error: unknown): void {
    this.#options.report(error);
    this.#pool.retire(thread);
    if (call === undefined || call.isAbandoned) return;
    this.#running.delete(thread);
    call.waitAgain();
    this.#waiting.putBack(call);
  }

  /** Q4. */
  #onExit(thread: Thread, death: WorkerExit): void {
    const call = this.#running.get(thread);
    this.#running.delete(thread);
    this.#pool.forget(thread);
    call?.lostThread(threadEnded(death));
    call?.onThreadExit();
    if (call === undefined && death.error !== undefined) this.#options.report(death.error);
    this.#placeSoon();
  }
}

/** Whether the module could not be used. */
function isModuleInvalid(end: ThreadEnd): boolean {
  return end.kind === "threw" && end.error.kind === "error" && end.error.chain[0]?.code === "AGENT_MODULE_INVALID";
}

function defaultSize(): number {
  return Math.min(SIZE_MAX, Math.max(1, availableParallelism() - 1));
}
