// An engine (`engine-process.ts`), or a store alone (`store-steps-process.ts`), in another process, as a test sees it.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

const ENGINE = fileURLToPath(new URL("engine-process.ts", import.meta.url));
const STORE = fileURLToPath(new URL("store-steps-process.ts", import.meta.url));

export interface Answered {
  readonly value?: unknown;
  readonly code?: string;
}

export class EngineChild implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** Resolves when it is open. */
  static open(file: string, writer: "main" | "thread" = "main"): Promise<EngineChild> {
    return EngineChild.#start([ENGINE, file, writer]);
  }

  /** A store without an engine: nothing is done with it between two tasks, and nobody looks at its locks. */
  static openStore(file: string, role: "own" | "post"): Promise<EngineChild> {
    return EngineChild.#start([STORE, file, role]);
  }

  static async #start(program: readonly string[]): Promise<EngineChild> {
    const child = spawn(process.execPath, program, { stdio: ["pipe", "pipe", "inherit"] });
    const engine = new EngineChild(child);
    await engine.#next();
    return engine;
  }

  async do(task: string, argument = ""): Promise<Answered> {
    this.#child.stdin.write(`${task} ${argument}\n`);
    return this.#next();
  }

  /** Asks until the answer fits. */
  async until(task: string, fits: (answer: Answered) => boolean): Promise<Answered> {
    for (;;) {
      const answer = await this.do(task);
      if (fits(answer)) return answer;
    }
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #next(): Promise<Answered> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error("the process ended");
    return JSON.parse(value) as Answered;
  }
}
