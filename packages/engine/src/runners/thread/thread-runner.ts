// The thread runner runs agents that are modules on a pool of worker threads. A function there cannot block the
// engine's own thread and can always be ended by force (CANCEL-2).
//
//   TR1. A thread runs one attempt at a time. Attempts without a thread wait first in, first out; an attempt that is
//        stopped while it waits never starts (CANCEL-1).
//   TR2. An attempt ends once. Messages of its thread after it was abandoned are ignored (LEASE-2).
//   TR3. An attempt that was abandoned, or whose thread is broken, exits when the thread has exited; `idle` waits for
//        that.
//   TR4. A thread that exits during an attempt fails that attempt with `THREAD_ENDED` and affects nothing else. A new
//        thread replaces it on demand. A thread on which a module failed to load is replaced too: only a new thread has
//        no cached failure (`module-agent.ts`).
//   TR5. Code that a function left running on its thread may write to stdout during the next attempt, and that text
//        counts as the next attempt's. Text between two attempts is dropped. Log lines and heartbeats of such code
//        are dropped (`thread-context.ts`).

import { availableParallelism } from "node:os";
import type { ResourceLimits } from "node:worker_threads";
import { classifyError, SegnoError } from "@segno/kernel";
import type { Environment } from "../../clock/environment.ts";
import type { Classify } from "../function-outcome.ts";
import type { Attempt, Runner, RunningAttempt } from "../runner.ts";
import { AttemptQueue } from "./attempt-queue.ts";
import { ThreadAttempt, threadEndedError, toThreadWork, type ThreadAttemptListener } from "./thread-attempt.ts";
import type { FunctionResult, ThreadModule, ThreadReport } from "./thread-message.ts";
import { ThreadPool } from "./thread-pool.ts";
import type { Thread, WorkerExit } from "./thread.ts";
import { deserializeThrown } from "./thrown.ts";

export type { ThreadModule } from "./thread-message.ts";

/** Finds the module of an attempt's agent. An error thrown here fails the attempt. */
export interface ModuleResolver {
  resolve(attempt: Attempt): ThreadModule;
}

export interface ThreadRunnerDependencies {
  /** The engine's clock and task queue, not environment variables. */
  readonly environment: Pick<Environment, "soon">;
  readonly modules: ModuleResolver;
  /** Reports errors of threads that had no work. */
  report(error: unknown): void;
  readonly classify?: Classify;
}

export interface ThreadOptions {
  /** Maximum number of threads; by default one less than the number of processors, at most 8. */
  readonly size?: number;
  /** Idle threads end after this time. */
  readonly idleMs?: number;
  readonly resourceLimits?: ResourceLimits;
  /** The environment variables of threads; by default a copy of this process's. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

const SIZE_MAX = 8;
const IDLE_MS = 10_000;
const LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 512 };

export class ThreadRunner implements Runner {
  /** No wait: a thread reports a result by a message, which never arrives in the current tick. */
  readonly commitDelayTicks = 0;
  readonly #dependencies: ThreadRunnerDependencies;
  readonly #pool: ThreadPool;
  readonly #attemptListener: ThreadAttemptListener;
  readonly #waiting = new AttemptQueue();
  readonly #running = new Map<Thread, ThreadAttempt>();
  #inFlight = 0;
  #idleResolvers: (() => void)[] = [];
  #isAssignPending = false;
  #isClosed = false;

  constructor(dependencies: ThreadRunnerDependencies, options: ThreadOptions = {}) {
    this.#dependencies = dependencies;
    this.#pool = this.#createPool(options);
    this.#attemptListener = {
      classify: dependencies.classify ?? classifyError,
      onWithdrawalNeeded: (threadAttempt) => dependencies.environment.soon(() => threadAttempt.endUnstarted()),
      onExited: () => this.#onAttemptExited(),
    };
  }

  start(attempt: Attempt): RunningAttempt {
    const threadAttempt = new ThreadAttempt(attempt, this.#attemptListener);
    this.#inFlight++;
    this.#waiting.add(threadAttempt);
    if (this.#isClosed) threadAttempt.abort(false, "the engine is closed");
    else this.#assignSoon();
    return threadAttempt;
  }

  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idleResolvers.push(resolve));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const threadAttempt of [...this.#waiting.all(), ...this.#running.values()])
      threadAttempt.abort(true, "the engine is closing");
    await this.#pool.close();
    await this.idle();
  }

  #createPool(options: ThreadOptions): ThreadPool {
    const { size = defaultSize(), idleMs = IDLE_MS, resourceLimits = LIMITS, env } = options;
    return new ThreadPool(
      { size, idleMs, resourceLimits, env },
      {
        onReport: (thread, report) => this.#onReport(thread, report),
        onExit: (thread, exit) => this.#onThreadExit(thread, exit),
      },
    );
  }

  #onAttemptExited(): void {
    if (--this.#inFlight === 0) for (const wake of this.#idleResolvers.splice(0)) wake();
  }

  #assignSoon(): void {
    if (this.#isAssignPending) return;
    this.#isAssignPending = true;
    this.#dependencies.environment.soon(() => this.#assign());
  }

  #assign(): void {
    this.#isAssignPending = false;
    while (this.#pool.hasRoom) {
      const threadAttempt = this.#waiting.dequeue();
      if (threadAttempt === undefined) return;
      this.#begin(threadAttempt);
    }
  }

  #begin(threadAttempt: ThreadAttempt): void {
    try {
      if (!threadAttempt.attempt.isUnderWay()) return threadAttempt.endUnstarted();
      const work = toThreadWork(threadAttempt.attempt, this.#dependencies.modules.resolve(threadAttempt.attempt));
      const thread = this.#threadFor(work.module);
      this.#running.set(thread, threadAttempt);
      threadAttempt.begin(thread, work);
    } catch (error) {
      threadAttempt.fail(error);
      threadAttempt.markExited();
    }
  }

  #threadFor({ path }: ThreadModule): Thread {
    try {
      return this.#pool.acquire(path);
    } catch (cause) {
      throw new SegnoError("THREAD_ENDED", `a worker thread cannot be started (${String(cause)})`, { cause });
    }
  }

  #onReport(thread: Thread, report: ThreadReport): void {
    const threadAttempt = this.#running.get(thread);
    switch (report.kind) {
      case "line":
        return threadAttempt?.log(report);
      case "chunk":
        return threadAttempt?.attempt.writeStream(report.stream, report.chunk);
      case "beat":
        return threadAttempt?.attempt.beat();
      case "completed":
        return threadAttempt === undefined ? undefined : this.#onCompleted(thread, threadAttempt, report);
      case "broken":
        return this.#onBroken(thread, threadAttempt, deserializeThrown(report.error));
    }
  }

  #onCompleted(
    thread: Thread,
    threadAttempt: ThreadAttempt,
    { result, isBroken }: ThreadReport & { kind: "completed" },
  ): void {
    threadAttempt.complete(result);
    // The thread is being terminated; the attempt exits with it (TR3).
    if (threadAttempt.isAbandoned) return;
    if (isBroken || isModuleInvalid(result)) return this.#pool.retire(thread);
    this.#running.delete(thread);
    threadAttempt.markExited();
    this.#pool.markIdle(thread);
    this.#assignSoon();
  }

  /**
   * The error occurred while the thread ran no attempt. An attempt that was assigned before the report arrived has not
   * started, so it is queued again for another thread.
   */
  #onBroken(thread: Thread, threadAttempt: ThreadAttempt | undefined, error: unknown): void {
    this.#dependencies.report(error);
    this.#pool.retire(thread);
    if (threadAttempt === undefined || threadAttempt.isAbandoned) return;
    this.#running.delete(thread);
    threadAttempt.requeue();
    this.#waiting.addFirst(threadAttempt);
  }

  /** TR4. */
  #onThreadExit(thread: Thread, exit: WorkerExit): void {
    const threadAttempt = this.#running.get(thread);
    this.#running.delete(thread);
    this.#pool.remove(thread);
    threadAttempt?.onThreadLost(threadEndedError(exit));
    threadAttempt?.markExited();
    if (threadAttempt === undefined && exit.error !== undefined) this.#dependencies.report(exit.error);
    this.#assignSoon();
  }
}

/** Whether the module could not be used. */
function isModuleInvalid(result: FunctionResult): boolean {
  const code = result.kind === "threw" && result.error.kind === "error" ? result.error.chain[0]?.code : undefined;
  return code === "AGENT_MODULE_INVALID" || code === "AGENT_MODULE_MISSING";
}

function defaultSize(): number {
  return Math.min(SIZE_MAX, Math.max(1, availableParallelism() - 1));
}
