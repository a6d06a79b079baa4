// Reads objects of a git directory through one process that stays, because to start a process costs more than to read.
//
//   OR1. Answers are never older than their requests: git looks at loose refs and at objects anew for each request. It
//        keeps only packed refs, which `ref-reader.ts` watches.
//   OR2. A process that ends early costs nobody an answer: open requests are sent to another process. A request with which two
//        processes ended fails, so a corrupt object fails only those who read it.
//   OR3. At most `bytesMax` of the contents of one call are held. Larger contents are read and dropped.
//   OR4. The process ends after some idle seconds (BP1 to BP3 hold as well).

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { CodeError } from "../errors/code-error.ts";
import type { ObjectInfo } from "./batch-answers.ts";
import { BatchProcess, type BatchEnd, type BatchLimits, type BatchRequest } from "./batch-process.ts";
import { OUTPUT_BYTES_MAX, TIMEOUT_MS } from "./git.ts";
import type { Oid } from "./oid.ts";

/** The arguments of git for a process that `ObjectReader` can use. */
export const BATCH_COMMAND: readonly string[] = ["cat-file", "--batch-command"];

export interface ObjectReaderLimits extends BatchLimits {
  /** The largest sum of the contents that one call reads. */
  readonly bytesMax: number;
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
}

const LIMITS: ObjectReaderLimits = { answerMs: TIMEOUT_MS, idleMs: 5000, bytesMax: OUTPUT_BYTES_MAX };
const NAME_BYTES_MAX = 8192;

interface ObjectAnswer {
  readonly object: ObjectInfo | undefined;
  readonly content: Buffer;
}

interface OpenRequest extends BatchRequest {
  fail(error: unknown): void;
  wasRepeated: boolean;
}

export class ObjectReader {
  readonly #start: () => ChildProcessWithoutNullStreams;
  readonly #limits: ObjectReaderLimits;
  /** The process that gets the next request, and those that only owe answers. */
  readonly #processes = new Set<BatchProcess<OpenRequest>>();
  #current: BatchProcess<OpenRequest> | undefined;

  /** `start` starts git with the arguments `BATCH_COMMAND` in the git directory. */
  constructor(start: () => ChildProcessWithoutNullStreams, limits: Partial<ObjectReaderLimits> = {}) {
    this.#start = start;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** The object with this name, which is an id or a revision; undefined if there is none. */
  async info(name: string, { signal }: ReadOptions = {}): Promise<ObjectInfo | undefined> {
    return (await this.#ask("info", name, () => "none", signal)).object;
  }

  /** Contents of objects, in the given order. Throws if one is missing, or if they are too large (OR3). */
  async contents(oids: readonly Oid[], { signal }: ReadOptions = {}): Promise<readonly Buffer[]> {
    const { bytesMax } = this.#limits;
    const sizes: number[] = [];
    let bytes = 0;
    // A request that is repeated begins twice.
    const begin = (index: number, size: number): "keep" | "skip" => {
      bytes += size - (sizes[index] ?? 0);
      sizes[index] = size;
      return bytes > bytesMax || signal?.aborted === true ? "skip" : "keep";
    };
    const answers = await Promise.all(
      oids.map((oid, index) => this.#ask("contents", oid, (object) => begin(index, object?.bytes ?? 0), signal)),
    );
    const missing = answers.findIndex(({ object }) => object === undefined);
    if (missing >= 0) throw new CodeError("GIT_FAILED", `git cannot read the object ${oids[missing]}`);
    if (bytes > bytesMax) throw new CodeError("GIT_FAILED", `\`git cat-file\` wrote more than ${bytesMax} bytes`);
    return answers.map(({ content }) => content);
  }

  /** Lets a new process answer all later requests. */
  renew(): void {
    this.#current?.finish();
    this.#current = undefined;
  }

  /** Ends the process, after the answers that it owes. A later request would start another one. */
  async close(): Promise<void> {
    this.renew();
    await Promise.all([...this.#processes].map((each) => each.ended()));
  }

  #ask(
    command: "info" | "contents",
    name: string,
    begin: BatchRequest["begin"],
    signal: AbortSignal | undefined,
  ): Promise<ObjectAnswer> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      refuseOtherLines(name);
      const onAbort = (): void => reject(signal?.reason as Error);
      const settle = (finish: () => void): void => {
        signal?.removeEventListener("abort", onAbort);
        finish();
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      const request: OpenRequest = {
        line: `${command} ${name}`,
        begin,
        end: (object, content) => settle(() => resolve({ object, content })),
        fail: (error) => settle(() => reject(error)),
        wasRepeated: false,
      };
      this.#send(request);
    });
  }

  #send(request: OpenRequest): void {
    try {
      if (this.#current?.isAccepting !== true) this.#current = this.#open();
      this.#current.send(request);
    } catch (error) {
      request.fail(error);
    }
  }

  #open(): BatchProcess<OpenRequest> {
    const opened = new BatchProcess<OpenRequest>(this.#start(), this.#limits, (process, end) => {
      this.#processes.delete(process);
      if (this.#current === process) this.#current = undefined;
      this.#settle(end);
    });
    this.#processes.add(opened);
    return opened;
  }

  /** OR2. Requests are answered in their order, so only the first one can be the cause. */
  #settle({ unanswered, error, isWorthRepeating }: BatchEnd<OpenRequest>): void {
    const [first, ...others] = unanswered;
    if (first === undefined) return;
    const isRepeated = isWorthRepeating && !first.wasRepeated;
    first.wasRepeated = true;
    if (!isRepeated) first.fail(error);
    for (const request of isRepeated ? unanswered : others) this.#send(request);
  }
}

/** A name with a line break would be two requests, and one with a space could not be told from git's own words. */
function refuseOtherLines(name: string): void {
  if (!/^[!-~\u0080-\u{10ffff}]+$/u.test(name) || Buffer.byteLength(name) > NAME_BYTES_MAX)
    throw new CodeError("GIT_FAILED", `${JSON.stringify(name.slice(0, 80))} is not the name of an object`);
}
