// The thread runner runs agents that are modules on a pool of worker threads. An agent there cannot block the main
// thread, and its thread can always be terminated (CANCEL-2). See `runner.ts` for the words ended, exited and
// force-stopped.
//
//   TR1. A thread runs one attempt at a time. Attempts without a thread wait first in, first out; an attempt that is
//        aborted while it waits never runs (CANCEL-1).
//   TR2. An attempt ends once. Messages of its thread after it was force-stopped are ignored (LEASE-2).
//   TR3. An attempt that was force-stopped, or whose thread is broken, exits when the thread has exited; `idle` waits
//        for that.
//   TR4. A thread that exits during an attempt fails that attempt with `THREAD_EXITED` and affects nothing else. A new
//        thread replaces it on demand. A thread on which a module failed to load is replaced too: only a new thread has
//        no cached failure (`module-agent.ts`).
//   TR5. Code that an agent left running on its thread may write to stdout during the next attempt, and that text
//        counts as the next attempt's. Text between two attempts is dropped. Log lines and heartbeats of such code
//        are dropped (`thread-context.ts`).
//   TR6. `close` is bounded. A thread inside a call of the system, such as `execSync`, exits only when that call has
//        returned. It is reported; its code does not continue after the call.

import { availableParallelism } from "node:os";
import type { ResourceLimits } from "node:worker_threads";
import { classifyError, SegnoError } from "@segno/kernel";
import type { EventLoop } from "../../clock/system-ports.ts";
import type { Classify } from "../attempt-outcome.ts";
import type { Attempt, Runner, AttemptHandle } from "../runner.ts";
import { endsWithin } from "../time-limit.ts";
import { AttemptQueue } from "./attempt-queue.ts";
import { ThreadAttempt, threadExitedError, toThreadWork, type ThreadAttemptListener } from "./thread-attempt.ts";
import type { AgentResult, ThreadModule, MessageFromThread } from "./thread-message.ts";
import { ThreadPool } from "./thread-pool.ts";
import type { Thread, WorkerExit } from "./thread.ts";
import { deserializeThrown } from "./thrown.ts";

export type { ThreadModule } from "./thread-message.ts";

/** Finds the module of an attempt's agent. An error thrown here fails the attempt. */
export interface ModuleResolver {
  resolve(attempt: Attempt): ThreadModule;
}

export interface ThreadRunnerDependencies {
  /** Schedules callbacks. */
  readonly eventLoop: EventLoop;
  readonly modules: ModuleResolver;
  /** Reports an uncaught error of a thread that ran no attempt, and a thread that does not exit (TR6). */
  report(error: unknown): void;
  readonly classify?: Classify;
}

export interface ThreadOptions {
  /** Maximum number of threads; by default one less than the number of processors, at most 8. */
  readonly size?: number;
  /** Idle threads are terminated after this time. */
  readonly idleMs?: number;
  readonly resourceLimits?: ResourceLimits;
  /** The environment variables of threads; by default a copy of this process's. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

const SIZE_MAX = 8;
const IDLE_MS = 10_000;
/** How long the threads have to exit when the runner closes (TR6). */
const CLOSING_MS = 5000;
const LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 512 };

export class ThreadRunner implements Runner {
  /** No wait: a thread reports a result by a message, which never arrives in the current tick. */
  readonly commitDelayTicks = 0;
  readonly #dependencies: ThreadRunnerDependencies;
  readonly #pool: ThreadPool;
  readonly #attemptListener: ThreadAttemptListener;
  readonly #waiting = new AttemptQueue();
  readonly #running = new Map<Thread, ThreadAttempt>();
  /** Attempts that were started and have not exited. */
  #unexitedCount = 0;
  #idleResolvers: (() => void)[] = [];
  #isAssignPending = false;
  #isClosed = false;

  constructor(dependencies: ThreadRunnerDependencies, options: ThreadOptions = {}) {
    this.#dependencies = dependencies;
    this.#pool = this.#createPool(options);
    this.#attemptListener = {
      classify: dependencies.classify ?? classifyError,
      onWithdrawn: (threadAttempt) => dependencies.eventLoop.callSoon(() => threadAttempt.endWithoutRunning()),
      onExited: () => this.#onAttemptExited(),
    };
  }

  start(attempt: Attempt): AttemptHandle {
    const threadAttempt = new ThreadAttempt(attempt, this.#attemptListener);
    this.#unexitedCount++;
    this.#waiting.add(threadAttempt);
    if (this.#isClosed) threadAttempt.abort(false, "the engine is closed");
    else this.#assignSoon();
    return threadAttempt;
  }

  async idle(): Promise<void> {
    if (this.#unexitedCount > 0) await new Promise<void>((resolve) => this.#idleResolvers.push(resolve));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const threadAttempt of [...this.#waiting.all(), ...this.#running.values()])
      threadAttempt.abort(true, "the engine is closing");
    if (!(await endsWithin(Promise.all([this.#pool.close(), this.idle()]), CLOSING_MS)))
      this.#dependencies.report(
        new Error("a thread does not exit: it is inside a call of the system, which may continue"),
      );
  }

  #createPool(options: ThreadOptions): ThreadPool {
    const { size = defaultSize(), idleMs = IDLE_MS, resourceLimits = LIMITS, env } = options;
    return new ThreadPool(
      { size, idleMs, resourceLimits, env },
      {
        onMessage: (thread, message) => this.#onMessage(thread, message),
        onExit: (thread, exit) => this.#onThreadExit(thread, exit),
      },
    );
  }

  #onAttemptExited(): void {
    if (--this.#unexitedCount === 0) for (const wake of this.#idleResolvers.splice(0)) wake();
  }

  #assignSoon(): void {
    if (this.#isAssignPending) return;
    this.#isAssignPending = true;
    this.#dependencies.eventLoop.callSoon(() => this.#assign());
  }

  #assign(): void {
    this.#isAssignPending = false;
    while (this.#pool.hasFreeThread) {
      const threadAttempt = this.#waiting.dequeue();
      if (threadAttempt === undefined) return;
      this.#run(threadAttempt);
    }
  }

  #run(threadAttempt: ThreadAttempt): void {
    try {
      if (!threadAttempt.attempt.isCurrent()) return threadAttempt.endWithoutRunning();
      const work = toThreadWork(threadAttempt.attempt, this.#dependencies.modules.resolve(threadAttempt.attempt));
      const thread = this.#threadFor(work.module);
      this.#running.set(thread, threadAttempt);
      threadAttempt.runOn(thread, work);
    } catch (error) {
      threadAttempt.endWithError(error);
      threadAttempt.markExited();
    }
  }

  #threadFor({ path }: ThreadModule): Thread {
    try {
      return this.#pool.acquire(path);
    } catch (cause) {
      throw new SegnoError("THREAD_EXITED", `a worker thread cannot be started (${String(cause)})`, { cause });
    }
  }

  #onMessage(thread: Thread, message: MessageFromThread): void {
    const threadAttempt = this.#running.get(thread);
    switch (message.kind) {
      case "line":
        return threadAttempt?.log(message);
      case "call-find":
      case "call-record":
        return void threadAttempt?.onCall(message);
      case "chunk":
        return threadAttempt?.attempt.writeStream(message.stream, message.chunk);
      case "heartbeat":
        return threadAttempt?.attempt.recordHeartbeat();
      case "progress":
        return threadAttempt?.attempt.reportProgress(message.progress);
      case "completed":
        return threadAttempt === undefined ? undefined : this.#onCompleted(thread, threadAttempt, message);
      case "broken":
        return this.#onBroken(thread, threadAttempt, deserializeThrown(message.error));
    }
  }

  #onCompleted(
    thread: Thread,
    threadAttempt: ThreadAttempt,
    { result, isBroken }: MessageFromThread & { kind: "completed" },
  ): void {
    threadAttempt.endWithResult(result);
    // The thread is being terminated; the attempt exits with it (TR3).
    if (threadAttempt.isForceStopped) return;
    if (isBroken || isModuleInvalid(result)) return this.#pool.retire(thread);
    this.#running.delete(thread);
    threadAttempt.markExited();
    this.#pool.markIdle(thread);
    this.#assignSoon();
  }

  /**
   * The error occurred while the thread ran no attempt. An attempt that was assigned before the message arrived has not
   * run, so it is queued again for another thread.
   */
  #onBroken(thread: Thread, threadAttempt: ThreadAttempt | undefined, error: unknown): void {
    this.#dependencies.report(error);
    this.#pool.retire(thread);
    if (threadAttempt === undefined || threadAttempt.isForceStopped) return;
    this.#running.delete(thread);
    threadAttempt.requeue();
    this.#waiting.addFirst(threadAttempt);
  }

  /** TR4. */
  #onThreadExit(thread: Thread, exit: WorkerExit): void {
    const threadAttempt = this.#running.get(thread);
    this.#running.delete(thread);
    this.#pool.remove(thread);
    threadAttempt?.onThreadExited(threadExitedError(exit));
    threadAttempt?.markExited();
    if (threadAttempt === undefined && exit.error !== undefined) this.#dependencies.report(exit.error);
    this.#assignSoon();
  }
}

/** Whether the module could not be used. */
function isModuleInvalid(result: AgentResult): boolean {
  const code = result.kind === "threw" && result.error.kind === "error" ? result.error.chain[0]?.code : undefined;
  return code === "AGENT_MODULE_INVALID" || code === "AGENT_MODULE_MISSING";
}

function defaultSize(): number {
  return Math.min(SIZE_MAX, Math.max(1, availableParallelism() - 1));
}
