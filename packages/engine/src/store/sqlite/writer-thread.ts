// The calling side of the writer thread. Commits, logs, process records and documents go there, so that a slow disk does
// not block the event loop.
//
// It sends writes, resolves each with its answer, and starts and ends the worker. The worker itself is in
// `writer-worker.ts`, and the choice for a thread in `writer-choice.ts`.
//
//   T1. The order of writes is the order of calls, and answers arrive in that order (V1), so they need no numbers.
//   T2. When the worker ends for any reason, outstanding writes reject with `STORE_IO`; they may have happened (K4).
//       The next write starts another worker. There is never more than one.
//   T3. The worker keeps the process alive only while a write is outstanding.
//   T4. Several writers on one file are safe (W1), so the calling thread may write as well.

import { resolve as absolute } from "node:path";
import { Worker } from "node:worker_threads";
import { InvariantViolation } from "@segno/kernel";
import { Fifo } from "@segno/kernel/fifo";
import { PLAIN, type Codec } from "../codec.ts";
import { StoreFault } from "../store-fault.ts";
import type { Append, CommitBatch, Content } from "../store.ts";
import { findWorkerFile, workerFile } from "../../checks/worker-file.ts";
import type { ConnectionOptions } from "./connection.ts";
import type { WriteRequest, WriterReply, WriterData, WriterRequest } from "./writer-worker.ts";

/** False for a program bundled into one file, because it has no file to start the worker with. */
export function hasWriterFile(): boolean {
  return findWorkerFile(import.meta.url, "writer-worker") !== undefined;
}

interface PendingWrite {
  readonly resolve: (hasEffect: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The worker does not inherit the flags of the process: some (`--input-type`) are refused for a file, and the worker
 * loads no user code. The path is resolved here, because the process may have another working directory when a worker
 * starts.
 */
export function workerStarter(file: string, options: ConnectionOptions): () => Worker {
  const data: WriterData = { file: absolute(file), options };
  const code = workerFile(import.meta.url, "writer-worker");
  return () => new Worker(code, { name: "segno-writer", workerData: data, execArgv: [] });
}

export class WriterThread {
  readonly #start: () => Worker;
  readonly #codec: Codec;
  readonly #pending = new Fifo<PendingWrite>();
  #worker: Worker | undefined;

  constructor(start: () => Worker, codec: Codec = PLAIN) {
    this.#start = start;
    this.#codec = codec;
  }

  commit(batch: CommitBatch): Promise<unknown> {
    return this.#send({ kind: "commit", batch: this.#codec === PLAIN ? batch : encodeBatch(batch, this.#codec) });
  }

  /** Sends a write that needs no encoding. False if it had no effect. */
  write(request: Exclude<WriteRequest, { kind: "commit" }>): Promise<boolean> {
    return this.#send(request);
  }

  /** Resolves when every outstanding write is answered and the worker has ended. */
  async close(): Promise<void> {
    if (this.#worker === undefined) return;
    // The worker does not answer a close request but ends, so a rejection (T2) is the expected result.
    await this.#send({ kind: "close" }).catch(() => undefined);
  }

  #send(request: WriterRequest): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const worker = (this.#worker ??= this.#startWorker());
      // A thread has no origin.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage(request);
      worker.ref();
      this.#pending.add({ resolve, reject });
    });
  }

  #startWorker(): Worker {
    const worker = startWorker(this.#start);
    let cause: unknown;
    worker.on("message", (reply: WriterReply) => this.#settle(worker, reply));
    worker.on("error", (error: unknown) => (cause = error));
    worker.on("exit", () => this.#end(cause));
    return worker;
  }

  #settle(worker: Worker, reply: WriterReply): void {
    const write = this.#pending.take();
    if (this.#pending.isEmpty) worker.unref();
    if (reply.kind === "durable") write?.resolve(reply.hasEffect);
    else write?.reject(toError(reply));
  }

  /** Runs after the last answer: Node.js delivers the worker's messages before it reports the exit. */
  #end(cause: unknown): void {
    this.#worker = undefined;
    const reason = cause instanceof Error ? ` (${cause.message})` : "";
    for (const { reject } of this.#pending.takeAll())
      reject(
        new StoreFault("STORE_IO", `the store: its writer thread ended${reason}; the write may have happened`, {
          cause,
        }),
      );
  }
}

/** A start can fail, for example because of too many threads. The fault is transient (K7). */
function startWorker(start: () => Worker): Worker {
  try {
    return start();
  } catch (cause) {
    throw new StoreFault("STORE_IO", `the store: its writer thread cannot be started (${String(cause)})`, { cause });
  }
}

function toError(reply: Exclude<WriterReply, { kind: "durable" }>): unknown {
  switch (reply.kind) {
    case "fault": {
      const { code, message, refused } = reply;
      return new StoreFault(code, message, refused === undefined ? {} : { refused });
    }
    case "violation":
      return new InvariantViolation(reply.invariant, reply.message.slice(`${reply.invariant}: `.length));
    case "bug":
      return reply.error;
  }
}

/** A codec consists of functions and cannot be sent to a thread, so bodies are encoded before they are sent. */
function encodeBatch({ appends, consumedMessages }: CommitBatch, codec: Codec): CommitBatch {
  return { appends: appends.map((append) => encodedAppend(append, codec)), consumedMessages };
}

function encodedAppend(append: Append, codec: Codec): Append {
  const encode = ({ hash, body }: Content): Content => ({ hash, body: codec.encode(body) });
  const { block, values, definitions } = append;
  const { failure } = append.projection;
  const projection =
    failure === undefined ? append.projection : { ...append.projection, failure: codec.encode(failure) };
  const bodies = { ...append, projection, values: values.map(encode), definitions: definitions.map(encode) };
  return block === undefined ? bodies : { ...bodies, block: { ...block, body: codec.encode(block.body) } };
}
