// One `git cat-file --batch-command` process, which answers requests in their order.
//
//   BP1. The process ends when its input ends, so it does not outlive the engine, however the engine ends.
//   BP2. It keeps Node running only while it owes an answer.
//   BP3. An answer has a time limit. After it, the process is killed.
//   BP4. When the process has ended, its owner gets the requests without an answer, in their order.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { CodeError } from "../errors/code-error.ts";
import { BatchAnswers, type ObjectInfo } from "./batch-answers.ts";
import { gitMissing } from "./git.ts";

export interface BatchRequest {
  /** A line of `--batch-command` without its line break. */
  readonly line: string;
  begin(object: ObjectInfo | undefined): "keep" | "skip" | "none";
  end(object: ObjectInfo | undefined, content: Buffer): void;
}

export interface BatchEnd<Request> {
  readonly unanswered: readonly Request[];
  readonly error: CodeError;
  /** Whether another process may answer the first of them. */
  readonly isWorthRepeating: boolean;
}

export interface BatchLimits {
  /** The longest time for one answer. */
  readonly answerMs: number;
  /** The process ends after this time without a request. */
  readonly idleMs: number;
}

const ERROR_TEXT_MAX = 4096;

export class BatchProcess<Request extends BatchRequest> {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #limits: BatchLimits;
  readonly #onEnd: (process: BatchProcess<Request>, end: BatchEnd<Request>) => void;
  readonly #open: Request[] = [];
  readonly #ended = Promise.withResolvers<void>();
  #stderr = "";
  #timer: NodeJS.Timeout | undefined;
  /** Why this class killed the process. */
  #problem: string | undefined;
  #isAccepting = true;
  #isAwaited = false;

  constructor(
    child: ChildProcessWithoutNullStreams,
    limits: BatchLimits,
    onEnd: (process: BatchProcess<Request>, end: BatchEnd<Request>) => void,
  ) {
    this.#child = child;
    this.#limits = limits;
    this.#onEnd = onEnd;
    const answers = new BatchAnswers({
      begin: (object) => this.#open[0]?.begin(object) ?? "none",
      end: (object, content) => this.#answer(object, content),
      fail: (problem) => this.#kill(problem),
    });
    child.on("error", (error) => this.#end(gitMissing(error), false));
    child.stdout.on("data", (chunk: Buffer) => answers.add(chunk));
    child.stderr.on("data", (chunk: Buffer) => this.#keepError(chunk));
    // The process may have ended; then its end is reported.
    child.stdin.on("error", () => {});
    child.on("close", (code, signal) => this.#end(this.#exitError(code, signal), this.#problem === undefined));
    this.#watch();
  }

  /** False if the process has ended or will end after the answers that it owes. */
  get isAccepting(): boolean {
    return this.#isAccepting;
  }

  send(request: Request): void {
    this.#open.push(request);
    this.#child.stdin.write(`${request.line}\n`);
    if (this.#open.length === 1) this.#watch();
  }

  /** Lets the process end after the answers that it owes. */
  finish(): void {
    this.#isAccepting = false;
    this.#child.stdin.end();
    this.#watch();
  }

  /** Waits for the end of the process, after `finish`. */
  async ended(): Promise<void> {
    this.#isAwaited = true;
    this.#keepNodeRunning(true);
    await this.#ended.promise;
  }

  #answer(object: ObjectInfo | undefined, content: Buffer): void {
    const request = this.#open.shift();
    this.#watch();
    if (request === undefined) this.#kill("wrote an answer without a request");
    else request.end(object, content);
  }

  /** BP2, BP3. */
  #watch(): void {
    clearTimeout(this.#timer);
    const isBusy = this.#open.length > 0;
    this.#keepNodeRunning(isBusy || this.#isAwaited);
    const { answerMs, idleMs } = this.#limits;
    const isIdle = !isBusy && this.#isAccepting;
    this.#timer = isIdle
      ? setTimeout(() => this.finish(), idleMs)
      : setTimeout(() => this.#kill(`took longer than ${answerMs / 1000} s`), answerMs);
    // A request keeps Node running by the process itself.
    this.#timer.unref();
  }

  #keepNodeRunning(isKept: boolean): void {
    const { stdin, stdout, stderr } = this.#child as unknown as Record<"stdin" | "stdout" | "stderr", Referenced>;
    for (const part of [this.#child, stdin, stdout, stderr]) {
      if (isKept) part.ref();
      else part.unref();
    }
  }

  #kill(problem: string): void {
    this.#problem ??= problem;
    this.#isAccepting = false;
    this.#child.kill("SIGKILL");
  }

  #keepError(chunk: Buffer): void {
    this.#stderr = (this.#stderr + chunk.toString("utf8")).slice(-ERROR_TEXT_MAX);
  }

  #exitError(code: number | null, signal: string | null): CodeError {
    const end = code === null ? `was killed by ${signal}` : `ended with ${code}`;
    const lines = this.#stderr.trim().split("\n").slice(-5).join("\n");
    return new CodeError("GIT_FAILED", `\`git cat-file\` ${this.#problem ?? end}: ${lines || "no message"}`);
  }

  #end(error: CodeError, isWorthRepeating: boolean): void {
    clearTimeout(this.#timer);
    this.#isAccepting = false;
    this.#ended.resolve();
    this.#onEnd(this, { unanswered: this.#open.splice(0), error, isWorthRepeating });
  }
}

/** The streams of a child process are sockets; their type does not say so. */
interface Referenced {
  ref(): unknown;
  unref(): unknown;
}
