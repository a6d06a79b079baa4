// A thread of agents, seen from the thread that calls.
//
// Job: starting the worker, sending it work, telling what it says and writes, ending it.
// Not its job: whose work it is (`thread-runner.ts`), and how many threads there are (`thread-pool.ts`).
//
//   H1. Whatever a thread said and wrote is told before its end is.
//   H2. It keeps the process alive while it works, and not otherwise.
//   H3. Its environment is a copy: what a module changes there stays in its thread. Secrets are not in it; they go to the
//       thread with the work that asked for them, and to no other.
//   H4. It may use so much memory for its heap; who needs more ends the thread, not the process. Buffers are outside of it.

import {
  MessageChannel,
  receiveMessageOnPort,
  Worker,
  type MessagePort,
  type ResourceLimits,
  type WorkerOptions,
} from "node:worker_threads";
import { workerFile } from "../../checks/worker-file.ts";
import {
  BEAT_UNDER_WAY,
  SHARED_PLACES,
  TEXTS_UNDER_WAY,
  type ThreadReport,
  type ThreadRequest,
  type ThreadWork,
} from "./thread-message.ts";
import type { WorkerInit } from "./thread-worker.ts";

export interface ThreadSetup {
  readonly resourceLimits: ResourceLimits;
  /** A copy of this process's when it is absent. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface ThreadListener {
  onReport(thread: Thread, report: ThreadReport): void;
  onExit(thread: Thread, death: WorkerExit): void;
}

export interface WorkerExit {
  readonly exitCode: number;
  /** What nobody caught, or that it ran out of memory. */
  readonly error: unknown;
}

export class Thread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #shared = new Int32Array(new SharedArrayBuffer(SHARED_PLACES * Int32Array.BYTES_PER_ELEMENT));
  readonly #modules = new Set<string>();
  readonly #gone: Promise<WorkerExit>;

  constructor(setup: ThreadSetup, listener: ThreadListener) {
    this.#worker = new Worker(workerFile(import.meta.url, "thread-worker"), workerOptions(setup));
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#gone = this.#listen(listener);
    const birth: WorkerInit = { port: port2, shared: this.#shared };
    this.#worker.postMessage(birth, [port2]);
  }

  /** Whether the module is loaded there, or should be. */
  knows(path: string): boolean {
    return this.#modules.has(path);
  }

  run(work: ThreadWork): void {
    this.#modules.add(work.module.path);
    this.#worker.ref();
    this.#send({ kind: "run", work });
  }

  abort(reason: string): void {
    this.#send({ kind: "abort", reason });
  }

  /** It has nothing to do. */
  rest(): void {
    this.#worker.unref();
  }

  /** By force: whatever it does, also in the middle of a loop. Resolves when it is gone. */
  async end(): Promise<void> {
    await this.#worker.terminate();
    await this.#gone;
  }

  #send(request: ThreadRequest): void {
    // A thread has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#port.postMessage(request);
  }

  async #listen(listener: ThreadListener): Promise<WorkerExit> {
    const onReport = (report: ThreadReport): void => this.#onReport(report, listener);
    this.#port.on("message", onReport);
    this.#port.unref();
    const death = await workerExit(this.#worker);
    for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port))
      onReport(next.message as ThreadReport);
    this.#port.close();
    listener.onExit(this, death);
    return death;
  }

  /** Room is made before the listener is told, whatever the listener does. */
  #onReport(report: ThreadReport, listener: ThreadListener): void {
    if (report.kind === "beat") Atomics.store(this.#shared, BEAT_UNDER_WAY, 0);
    if (report.kind === "line" || report.kind === "wrote") {
      Atomics.sub(this.#shared, TEXTS_UNDER_WAY, 1);
      Atomics.notify(this.#shared, TEXTS_UNDER_WAY);
    }
    listener.onReport(this, report);
  }
}

/**
 * What is written does not come by these streams (`thread-output.ts`); they keep the rest off the streams of the process.
 * Modules are the user's, so the flags of the process hold for them too (`--import`, `--conditions`); except that one of
 * them is refused for a file.
 */
function workerOptions({ resourceLimits, env }: ThreadSetup): WorkerOptions {
  const isRefused = process.execArgv.some((flag) => flag.startsWith("--input-type"));
  const flags = isRefused ? { execArgv: [] } : {};
  return {
    name: "segno-agent",
    stdout: true,
    stderr: true,
    resourceLimits,
    ...(env === undefined ? {} : { env }),
    ...flags,
  };
}

async function workerExit(worker: Worker): Promise<WorkerExit> {
  let error: unknown;
  worker.on("error", (uncaught: unknown) => (error = uncaught));
  const exitCode = await new Promise<number>((resolve) => worker.once("exit", resolve));
  return { exitCode, error };
}
