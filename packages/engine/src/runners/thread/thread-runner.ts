// The thread runner runs agents that are modules on a pool of worker threads. A function there cannot block this thread
// and can always be ended by force (CANCEL-2).
//
//   Q1. A thread runs one attempt at a time. Attempts without a thread wait first in, first out; an attempt that is
//       stopped while it waits never starts (CANCEL-1).
//   Q2. An attempt ends once. Messages of its thread after it was abandoned are ignored (LEASE-2).
//   Q3. An attempt that was abandoned, or whose thread is broken, exits when the thread has exited; `idle` waits for
//       that.
//   Q4. A thread that exits during an attempt fails that attempt with `THREAD_ENDED` and affects nothing else. A new
//       thread replaces it on demand. A thread on which a module failed to load is replaced too: only a new thread has
//       no cached failure (`module-agent.ts`).
//   Q5. Code that a function left running on its thread may write to stdout during the next attempt, and that output
//       counts as the next attempt's. Output between two attempts is dropped. Log lines and heartbeats of such code are
//       dropped (`thread-context.ts`).

import { availableParallelism } from "node:os";
import type { ResourceLimits } from "node:worker_threads";
import { classifyError, SegnoError } from "@segno/kernel";
import type { Environment } from "../../clock/environment.ts";
import type { Classify } from "../function-outcome.ts";
import type { Attempt, Runner, RunningAttempt } from "../runner.ts";
import { CallQueue } from "./call-queue.ts";
import { ThreadCall, threadEndedError, toThreadWork, type ThreadCallListener } from "./thread-call.ts";
import type { ThreadEnd, ThreadModule, ThreadReport } from "./thread-message.ts";
import { ThreadPool } from "./thread-pool.ts";
import type { Thread, WorkerExit } from "./thread.ts";
import { deserializeThrown } from "./thrown.ts";

export type { ThreadModule } from "./thread-message.ts";

/** Finds the module of an attempt's agent. An error thrown here fails the attempt. */
export interface ModuleResolver {
  resolve(attempt: Attempt): ThreadModule;
}

export interface ThreadRunnerPorts {
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
  /** The environment of threads; by default a copy of this process's. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

const SIZE_MAX = 8;
const IDLE_MS = 10_000;
const LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 512 };

export class ThreadRunner implements Runner {
  /** An attempt cannot end in the current tick, because its thread's message takes another one. */
  readonly commitDelayTicks = 0;
  readonly #ports: ThreadRunnerPorts;
  readonly #pool: ThreadPool;
  readonly #callListener: ThreadCallListener;
  readonly #waiting = new CallQueue();
  readonly #running = new Map<Thread, ThreadCall>();
  #inFlight = 0;
  #idleResolvers: (() => void)[] = [];
  #isAssignPending = false;
  #isClosed = false;

  constructor(ports: ThreadRunnerPorts, options: ThreadOptions = {}) {
    this.#ports = ports;
    this.#pool = this.#createPool(options);
    this.#callListener = {
      classify: ports.classify ?? classifyError,
      onWithdrawn: (call) => ports.environment.soon(() => call.withdraw()),
      onFinished: () => this.#onCallFinished(),
    };
  }

  start(attempt: Attempt): RunningAttempt {
    const call = new ThreadCall(attempt, this.#callListener);
    this.#inFlight++;
    this.#waiting.add(call);
    if (this.#isClosed) call.abort(false, "the engine is closed");
    else this.#assignSoon();
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

  #createPool(options: ThreadOptions): ThreadPool {
    const { size = defaultSize(), idleMs = IDLE_MS, resourceLimits = LIMITS, env } = options;
    return new ThreadPool(
      { size, idleMs, resourceLimits, env },
      {
        onReport: (thread, report) => this.#onReport(thread, report),
        onExit: (thread, exit) => this.#onExit(thread, exit),
      },
    );
  }

  #onCallFinished(): void {
    if (--this.#inFlight === 0) for (const wake of this.#idleResolvers.splice(0)) wake();
  }

  #assignSoon(): void {
    if (this.#isAssignPending) return;
    this.#isAssignPending = true;
    this.#ports.environment.soon(() => this.#assign());
  }

  #assign(): void {
    this.#isAssignPending = false;
    while (this.#pool.hasRoom) {
      const call = this.#waiting.dequeue();
      if (call === undefined) return;
      this.#begin(call);
    }
  }

  #begin(call: ThreadCall): void {
    try {
      if (!call.attempt.isCurrent()) return call.withdraw();
      const work = toThreadWork(call.attempt, this.#ports.modules.resolve(call.attempt));
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
      return this.#pool.acquire(path);
    } catch (cause) {
      throw new SegnoError("THREAD_ENDED", `no thread can be started (${String(cause)})`, { cause });
    }
  }

  #onReport(thread: Thread, report: ThreadReport): void {
    const call = this.#running.get(thread);
    switch (report.kind) {
      case "line":
        return call?.log(report);
      case "output":
        return call?.attempt.writeOutput(report.stream, report.chunk);
      case "beat":
        return call?.attempt.beat();
      case "ended":
        return call === undefined ? undefined : this.#onEnded(thread, call, report);
      case "broken":
        return this.#onBroken(thread, call, deserializeThrown(report.error));
    }
  }

  #onEnded(thread: Thread, call: ThreadCall, { end, isBroken }: ThreadReport & { kind: "ended" }): void {
    call.end(end);
    // The thread is being terminated; the attempt exits with it (Q3).
    if (call.isAbandoned) return;
    if (isBroken || isModuleInvalid(end)) return this.#pool.retire(thread);
    this.#running.delete(thread);
    call.onThreadExit();
    this.#pool.markIdle(thread);
    this.#assignSoon();
  }

  /**
   * The thread reported the error before it started the attempt assigned meanwhile, if any, so that attempt may use
   * another thread.
   */
  #onBroken(thread: Thread, call: ThreadCall | undefined, error: unknown): void {
    this.#ports.report(error);
    this.#pool.retire(thread);
    if (call === undefined || call.isAbandoned) return;
    this.#running.delete(thread);
    call.requeue();
    this.#waiting.addFirst(call);
  }

  /** Q4. */
  #onExit(thread: Thread, exit: WorkerExit): void {
    const call = this.#running.get(thread);
    this.#running.delete(thread);
    this.#pool.remove(thread);
    call?.onThreadLost(threadEndedError(exit));
    call?.onThreadExit();
    if (call === undefined && exit.error !== undefined) this.#ports.report(exit.error);
    this.#assignSoon();
  }
}

/** Whether the module could not be used. */
function isModuleInvalid(end: ThreadEnd): boolean {
  const code = end.kind === "threw" && end.error.kind === "error" ? end.error.chain[0]?.code : undefined;
  return code === "AGENT_MODULE_INVALID" || code === "AGENT_MODULE_MISSING";
}

function defaultSize(): number {
  return Math.min(SIZE_MAX, Math.max(1, availableParallelism() - 1));
}
