// A worker thread, seen from the main thread.
//
// Job: start the worker, send it work, report its messages and the bytes of its streams, terminate it.
// Not its job: to know which attempt it runs (`thread-runner.ts`) or how many threads exist (`thread-pool.ts`).
//
//   TH1. All messages of a thread, and the bytes of its streams, are reported before its exit.
//   TH2. A thread keeps the process alive only while it works.
//   TH3. A thread's environment variables are a copy: changes made by a module stay in the thread. They contain no
//        secrets; those are sent with the attempt that requested them.
//   TH4. A thread's heap is limited; exceeding the limit terminates the thread, not the process. Buffers do
//        not count.

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
  HEARTBEAT_IN_FLIGHT,
  PROGRESS_IN_FLIGHT,
  SHARED_LENGTH,
  WRITES_IN_FLIGHT,
  type CallReply,
  type MessageFromThread,
  type MessageToThread,
  type ThreadWork,
} from "./thread-message.ts";
import { readMessage } from "./read-message.ts";
import type { WorkerInit } from "./thread-worker.ts";

export interface ThreadSetup {
  readonly resourceLimits: ResourceLimits;
  /** The environment variables; by default a copy of this process's. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface ThreadListener {
  onMessage(thread: Thread, message: MessageFromThread): void;
  onExit(thread: Thread, exit: WorkerExit): void;
}

export interface WorkerExit {
  readonly exitCode: number;
  /** An uncaught error, or an out-of-memory error. */
  readonly error: unknown;
}

/** The messages that a thread sends only while there is room for them (MG2). */
const WRITES: ReadonlySet<MessageFromThread["kind"]> = new Set(["line", "chunk", "call-find", "call-record"]);

/** The thread cannot be relied on any more: the attempt ends, and the thread runs nothing more. */
const UNREADABLE: MessageFromThread = {
  kind: "completed",
  isBroken: true,
  result: {
    kind: "threw",
    error: {
      kind: "error",
      chain: [{ code: "THREAD_EXITED", message: "the thread sent a message that cannot be read, and was terminated" }],
    },
  },
};

export class Thread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #shared = new Int32Array(new SharedArrayBuffer(SHARED_LENGTH * Int32Array.BYTES_PER_ELEMENT));
  readonly #loadedModules = new Set<string>();
  readonly #exited: Promise<WorkerExit>;

  constructor(setup: ThreadSetup, listener: ThreadListener) {
    this.#worker = new Worker(workerFile(import.meta.url, "thread-worker"), workerOptions(setup));
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#exited = this.#listen(listener);
    const init: WorkerInit = { port: port2, shared: this.#shared };
    this.#worker.postMessage(init, [port2]);
  }

  /** Whether the thread has loaded the module or is loading it. */
  hasLoaded(path: string): boolean {
    return this.#loadedModules.has(path);
  }

  run(work: ThreadWork): void {
    this.#loadedModules.add(work.module.path);
    this.#worker.ref();
    this.#send({ kind: "run", work });
  }

  abort(reason: string): void {
    this.#send({ kind: "abort", reason });
  }

  reply(id: number, reply: CallReply): void {
    this.#send({ kind: "call-reply", id, reply });
  }

  /** The thread has no work, so it no longer keeps the process alive. */
  markIdle(): void {
    this.#worker.unref();
  }

  /** Terminates the thread, even in the middle of a loop. Resolves when it has exited. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
    await this.#exited;
  }

  #send(message: MessageToThread): void {
    // The rule is about windows; a thread has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#port.postMessage(message);
  }

  async #listen(listener: ThreadListener): Promise<WorkerExit> {
    const onMessage = (message: unknown): void => this.#onMessage(readMessage(message) ?? UNREADABLE, listener);
    this.#port.on("message", onMessage);
    this.#port.unref();
    const exit = await workerExit(this.#worker);
    for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port))
      onMessage(next.message);
    this.#port.close();
    listener.onExit(this, exit);
    return exit;
  }

  /** Frees space for further messages first, whatever the listener does. */
  #onMessage(message: MessageFromThread, listener: ThreadListener): void {
    if (message.kind === "heartbeat") Atomics.store(this.#shared, HEARTBEAT_IN_FLIGHT, 0);
    if (message.kind === "progress") Atomics.store(this.#shared, PROGRESS_IN_FLIGHT, 0);
    if (WRITES.has(message.kind)) {
      Atomics.sub(this.#shared, WRITES_IN_FLIGHT, 1);
      Atomics.notify(this.#shared, WRITES_IN_FLIGHT);
    }
    listener.onMessage(this, message);
  }
}

/**
 * The worker's own streams are captured only to keep them off the streams of the process; the bytes come by the port
 * (`stdio-capture.ts`). User modules get the flags of the process (`--import`, `--conditions`), except if these include
 * `--input-type`, which Node.js refuses for a file.
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
