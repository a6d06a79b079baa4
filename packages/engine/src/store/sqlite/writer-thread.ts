// The writer thread, seen from the thread that calls: commits go there, and logs and notes of processes with them, so that a
// slow disk does not hold up the event loop.
//
// Job: sending what is to be written, giving each write its answer, starting the worker and ending it.
// Not its job: writing (`writer-worker.ts`), and whether there should be a thread at all (`writer-choice.ts`).
//
//   T1. The order of writes is the order of calls, and answers come in that order (V1); so they need no numbers.
//   T2. When the worker ends, whatever the reason, what was outstanding rejects with `STORE_IO`: it may have happened (K4).
//       The next write starts another worker. There is never more than one.
//   T3. The worker keeps the process alive while something is outstanding, and not otherwise.
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
import type { WriteRequest, WriterAnswer, WriterData, WriterRequest } from "./writer-worker.ts";

/** Whether there can be a writer thread: a program that was bundled into one file has no file to start it with. */
export function hasWriterFile(): boolean {
  return findWorkerFile(import.meta.url, "writer-worker") !== undefined;
}

interface Outstanding {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The process's own flags are not passed on: some of them (`--input-type`) are refused for a file, and the worker loads
 * nothing of the user's. The path is made absolute on the spot; when a worker starts, the process may be in another folder.
 */
export function workerStarter(file: string, options: ConnectionOptions): () => Worker {
  const data: WriterData = { file: absolute(file), options };
  const code = workerFile(import.meta.url, "writer-worker");
  return () => new Worker(code, { name: "segno-writer", workerData: data, execArgv: [] });
}

export class WriterThread {
  readonly #start: () => Worker;
  readonly #codec: Codec;
  readonly #outstanding = new Fifo<Outstanding>();
  #worker: Worker | undefined;

  constructor(start: () => Worker, codec: Codec = PLAIN) {
    this.#start = start;
    this.#codec = codec;
  }

  commit(batch: CommitBatch): Promise<void> {
    return this.#send({ kind: "commit", batch: this.#codec === PLAIN ? batch : encodeBatch(batch, this.#codec) });
  }

  /** What needs no codec any more. */
  write(request: Exclude<WriteRequest, { kind: "commit" }>): Promise<void> {
    return this.#send(request);
  }

  /** Resolves when everything outstanding is answered and the worker is gone. */
  async close(): Promise<void> {
    if (this.#worker === undefined) return;
    // The worker does not answer this one but ends, so a rejection (T2) is what was asked for.
    await this.#send({ kind: "close" }).catch(() => undefined);
  }

  #send(request: WriterRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const worker = (this.#worker ??= this.#startWorker());
      // A thread is no window and has no origin.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage(request);
      worker.ref();
      this.#outstanding.add({ resolve, reject });
    });
  }

  #startWorker(): Worker {
    const worker = startedBy(this.#start);
    let cause: unknown;
    worker.on("message", (answer: WriterAnswer) => this.#settle(worker, answer));
    worker.on("error", (error: unknown) => (cause = error));
    worker.on("exit", () => this.#end(cause));
    return worker;
  }

  #settle(worker: Worker, answer: WriterAnswer): void {
    const write = this.#outstanding.take();
    if (this.#outstanding.isEmpty) worker.unref();
    if (answer.kind === "durable") write?.resolve();
    else write?.reject(toError(answer));
  }

  /** Comes after the last answer: Node.js hands over what the worker has said before it reports the exit. */
  #end(cause: unknown): void {
    this.#worker = undefined;
    const why = cause instanceof Error ? ` (${cause.message})` : "";
    for (const { reject } of this.#outstanding.takeAll())
      reject(
        new StoreFault("STORE_IO", `the store: its writer thread ended${why}; the write may have happened`, { cause }),
      );
  }
}

/** Too many threads, for example: it may be different the next time (K7). */
function startedBy(start: () => Worker): Worker {
  try {
    return start();
  } catch (cause) {
    throw new StoreFault("STORE_IO", `the store: its writer thread cannot be started (${String(cause)})`, { cause });
  }
}

function toError(answer: Exclude<WriterAnswer, { kind: "durable" }>): unknown {
  switch (answer.kind) {
    case "fault": {
      const { code, message, refused } = answer;
      return new StoreFault(code, message, refused === undefined ? {} : { refused });
    }
    case "violation":
      return new InvariantViolation(answer.invariant, answer.message.slice(`${answer.invariant}: `.length));
    case "bug":
      return answer.error;
  }
}

/** A codec is two functions and cannot be sent, so bodies are encoded before they are; the worker takes them as they come. */
function encodeBatch({ appends, taken }: CommitBatch, codec: Codec): CommitBatch {
  return { appends: appends.map((append) => encodedAppend(append, codec)), taken };
}

function encodedAppend(append: Append, codec: Codec): Append {
  const encode = ({ hash, body }: Content): Content => ({ hash, body: codec.encode(body) });
  const { block, values, definitions } = append;
  const bodies = { ...append, values: values.map(encode), definitions: definitions.map(encode) };
  return block === undefined ? bodies : { ...bodies, block: { ...block, body: codec.encode(block.body) } };
}
