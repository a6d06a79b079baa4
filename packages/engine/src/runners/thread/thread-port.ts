// The port of an agent thread, on the thread's side (`thread-message.ts`).

import { receiveMessageOnPort, type MessagePort, type Transferable } from "node:worker_threads";
import type { ThreadLink } from "./thread-context.ts";
import {
  BEAT_IN_FLIGHT,
  TEXTS_IN_FLIGHT,
  type ThreadLine,
  type ThreadReport,
  type ThreadRequest,
} from "./thread-message.ts";

const TEXTS_MAX = 256;
/** Longer chunks are sent in parts. */
const CHUNK_BYTES_MAX = 65_536;

export class ThreadPort implements ThreadLink {
  readonly #port: MessagePort;
  readonly #shared: Int32Array<SharedArrayBuffer>;
  readonly #receive: (request: ThreadRequest) => void;

  constructor(port: MessagePort, shared: Int32Array<SharedArrayBuffer>, receive: (request: ThreadRequest) => void) {
    this.#port = port;
    this.#shared = shared;
    this.#receive = receive;
    port.on("message", receive);
  }

  send(report: ThreadReport, transfer: readonly Transferable[] = []): void {
    this.#port.postMessage(report, transfer);
  }

  receivePending(): void {
    for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port))
      this.#receive(next.message as ThreadRequest);
  }

  beat(): void {
    if (Atomics.exchange(this.#shared, BEAT_IN_FLIGHT, 1) === 0) this.send({ kind: "beat" });
  }

  write(line: ThreadLine): void {
    this.#waitForRoom();
    this.send(line);
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
    while (Atomics.load(shared, TEXTS_IN_FLIGHT) >= TEXTS_MAX) Atomics.wait(shared, TEXTS_IN_FLIGHT, TEXTS_MAX);
    Atomics.add(shared, TEXTS_IN_FLIGHT, 1);
  }
}
