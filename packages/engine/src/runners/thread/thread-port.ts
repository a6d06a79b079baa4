// The message port of a worker thread, on the worker's side (`thread-message.ts`).

import { receiveMessageOnPort, type MessagePort, type Transferable } from "node:worker_threads";
import type { ProgressValue } from "../../agents/progress.ts";
import type { ThreadLink } from "./thread-context.ts";
import {
  HEARTBEAT_IN_FLIGHT,
  PROGRESS_IN_FLIGHT,
  WRITES_IN_FLIGHT,
  type ThreadCall,
  type ThreadLine,
  type MessageFromThread,
  type MessageToThread,
} from "./thread-message.ts";

const WRITES_MAX = 256;
/** Longer chunks are sent in parts. */
const CHUNK_BYTES_MAX = 65_536;

export class ThreadPort implements ThreadLink {
  readonly #port: MessagePort;
  readonly #shared: Int32Array<SharedArrayBuffer>;
  readonly #receive: (message: MessageToThread) => void;

  constructor(port: MessagePort, shared: Int32Array<SharedArrayBuffer>, receive: (message: MessageToThread) => void) {
    this.#port = port;
    this.#shared = shared;
    this.#receive = receive;
    port.on("message", receive);
  }

  send(message: MessageFromThread, transfer: readonly Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  receivePending(): void {
    for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port))
      this.#receive(next.message as MessageToThread);
  }

  sendHeartbeat(): void {
    if (Atomics.exchange(this.#shared, HEARTBEAT_IN_FLIGHT, 1) === 0) this.send({ kind: "heartbeat" });
  }

  /** Returns false if another progress is in flight. */
  sendProgress(progress: ProgressValue): boolean {
    if (Atomics.exchange(this.#shared, PROGRESS_IN_FLIGHT, 1) !== 0) return false;
    this.send({ kind: "progress", progress });
    return true;
  }

  write(message: ThreadLine | ThreadCall): void {
    this.#waitForRoom();
    this.send(message);
  }

  /** Each part is copied into its own buffer: transferring a view would transfer its whole buffer. */
  sendChunks(stream: "stdout" | "stderr", bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; from += CHUNK_BYTES_MAX) {
      const chunk = new Uint8Array(bytes.subarray(from, from + CHUNK_BYTES_MAX));
      this.#waitForRoom();
      this.send({ kind: "chunk", stream, chunk }, [chunk.buffer]);
    }
  }

  #waitForRoom(): void {
    const shared = this.#shared;
    while (Atomics.load(shared, WRITES_IN_FLIGHT) >= WRITES_MAX) Atomics.wait(shared, WRITES_IN_FLIGHT, WRITES_MAX);
    Atomics.add(shared, WRITES_IN_FLIGHT, 1);
  }
}
