// The messages of the Agent Client Protocol: each is a line of JSON on the standard output or input of the agent.
//
//   AM1. An agent is read only as fast as its messages are handled and its requests are answered, so a flood fills neither
//        the memory nor the queue of answers. The event loop runs between two chunks, so that limits of time and signals
//        take effect meanwhile.
//   AM2. A line that is not a message is left out, because programs print such lines by accident. A response to a request
//        that was not sent, or that was answered, is not a message either. An agent that writes too many of these lines,
//        or a line that is too long, violates the protocol.

import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { Json, JsonObject } from "@segno/kernel";
import { readUpdate, UPDATE_METHOD, type AcpUpdate } from "./acp-update.ts";
import { isObject } from "./agent-event.ts";
import type { ChunkReader } from "./agent-process.ts";
import { OutputLines } from "./output-lines.ts";

const LINE_BYTES_MAX = 32 * 1024 * 1024;
const INVALID_LINES_MAX = 10_000;
const INVALID_CHARS_MAX = 4 * 1024 * 1024;
/** The requests of an agent that wait for their answers to be written. */
const UNANSWERED_MAX = 64;
const LINE_BREAK = 0x0a;

/** The agent does not keep to the protocol, so the connection was ended (AM2). */
export class AcpViolation extends Error {
  override readonly name = "AcpViolation";
}

export class AcpMessages implements ChunkReader {
  /** The messages of the agent, without its updates. */
  readonly readable: ReadableStream<JsonObject>;
  /** The messages to the agent. */
  readonly writable: WritableStream<JsonObject>;
  readonly #lines: OutputLines;
  readonly #onUpdate: (update: AcpUpdate) => void;
  #incoming: ReadableStreamDefaultController<JsonObject> | undefined;
  /** The lines that were read and not yet handled. */
  #read: string[] = [];
  #lineBytes = 0;
  #invalidLines = 0;
  #invalidChars = 0;
  #unanswered = 0;
  /** The ids of our requests without a response. */
  readonly #asked = new Set<Json>();
  #onProgress: () => void = () => {};

  constructor(stdin: Writable, onUpdate: (update: AcpUpdate) => void) {
    this.#onUpdate = onUpdate;
    this.#lines = new OutputLines((line) => this.#read.push(line), LINE_BYTES_MAX);
    this.readable = new ReadableStream<JsonObject>({
      start: (controller) => void (this.#incoming = controller),
      pull: () => this.#onProgress(),
      cancel: () => this.#stop(),
    });
    this.writable = new WritableStream<JsonObject>({
      write: (message) => this.#send(stdin, message),
      close: () => void stdin.end(),
    });
  }

  /** Resolves when the messages of the chunk are handled (AM1). */
  async write(chunk: Uint8Array): Promise<void> {
    if (this.#incoming === undefined) return;
    this.#lines.write(chunk);
    const lineEnd = chunk.lastIndexOf(LINE_BREAK);
    this.#lineBytes = lineEnd === -1 ? this.#lineBytes + chunk.length : chunk.length - lineEnd - 1;
    if (this.#lineBytes > LINE_BYTES_MAX) return this.#violate(`a line of more than ${LINE_BYTES_MAX} bytes`);
    await this.#handleLines();
    await setImmediate();
  }

  async end(): Promise<void> {
    this.#lines.end();
    await this.#handleLines();
    this.#incoming?.close();
    this.#stop();
  }

  async #handleLines(): Promise<void> {
    for (const line of this.#read.splice(0)) {
      await this.#room();
      if (this.#incoming === undefined) return;
      this.#handle(this.#incoming, line);
    }
  }

  #handle(incoming: ReadableStreamDefaultController<JsonObject>, line: string): void {
    if (line.trim() === "") return;
    const message = parseMessage(line);
    const update = message?.["method"] === UPDATE_METHOD ? readUpdate(message["params"]) : undefined;
    if (update !== undefined) return this.#onUpdate(update);
    if (message === undefined || !this.#isExpected(message)) return this.#countInvalid(line);
    if (isRequest(message)) this.#unanswered++;
    incoming.enqueue(message);
  }

  /** Whether it is a request, a notification, or the response to a request of ours. */
  #isExpected({ id, method }: JsonObject): boolean {
    if (method === undefined) return id !== undefined && this.#asked.delete(id);
    return typeof method === "string" && method !== UPDATE_METHOD && (id === undefined || isId(id));
  }

  #countInvalid(line: string): void {
    this.#invalidLines++;
    this.#invalidChars += line.length;
    if (this.#invalidLines > INVALID_LINES_MAX)
      return this.#violate(`more than ${INVALID_LINES_MAX} lines that are not messages`);
    if (this.#invalidChars > INVALID_CHARS_MAX)
      this.#violate(`more than ${INVALID_CHARS_MAX} characters that are not messages`);
  }

  /** Waits until the last message is taken and enough requests are answered. */
  async #room(): Promise<void> {
    while (this.#incoming !== undefined && (this.#incoming.desiredSize! <= 0 || this.#unanswered >= UNANSWERED_MAX))
      await new Promise<void>((resolve) => (this.#onProgress = resolve));
  }

  async #send(stdin: Writable, message: JsonObject): Promise<void> {
    if (isRequest(message)) this.#asked.add(message["id"]!);
    await writeText(stdin, `${JSON.stringify(message)}\n`);
    if (Object.hasOwn(message, "method")) return;
    this.#unanswered--;
    this.#onProgress();
  }

  #violate(what: string): void {
    this.#incoming?.error(new AcpViolation(`the agent violates the Agent Client Protocol: it wrote ${what}`));
    this.#stop();
  }

  /** From now on, the output of the agent is read and left out. */
  #stop(): void {
    this.#incoming = undefined;
    this.#onProgress();
  }
}

/** Undefined if a line is not a message of JSON-RPC. The protocol has no batches. */
function parseMessage(line: string): JsonObject | undefined {
  try {
    const value = JSON.parse(line) as Json;
    return isObject(value) && value["jsonrpc"] === "2.0" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves also when the pipe is closed: an agent that does not read any more has ended, or is ended by a limit. */
function writeText(stdin: Writable, text: string): Promise<void> {
  return new Promise((resolve) => {
    const onDone = (): void => {
      stdin.off("close", onDone);
      resolve();
    };
    stdin.once("close", onDone);
    stdin.write(text, onDone);
  });
}

function isId(id: Json): boolean {
  return typeof id === "string" || id === null || (typeof id === "number" && Number.isFinite(id));
}

function isRequest(message: JsonObject): boolean {
  return Object.hasOwn(message, "method") && Object.hasOwn(message, "id");
}
