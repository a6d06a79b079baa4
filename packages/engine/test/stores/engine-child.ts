// The test's side of an engine (`engine-process.ts`), or of a store alone (`store-steps-process.ts`), in another
// process.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "../bundled-program.ts";

const ENGINE = fileURLToPath(new URL("engine-process.ts", import.meta.url));
const STORE = fileURLToPath(new URL("store-steps-process.ts", import.meta.url));
/** The bundles by their sources. Each is built when a test needs it first. */
const bundles = new Map<string, string>();

function bundled(source: string): string {
  const bundle = bundles.get(source) ?? bundleProgram(source);
  bundles.set(source, bundle);
  return bundle;
}

export interface Answered {
  readonly value?: unknown;
  readonly code?: string;
}

export class EngineChild implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #answers: string[] = [];
  readonly #asked: PromiseWithResolvers<string>[] = [];
  #stderr = "";
  #end: Error | undefined;

  private constructor(child: ChildProcessByStdio<Writable, Readable, Readable>) {
    this.#child = child;
    createInterface({ input: child.stdout }).on("line", (line) => this.#take(line));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    // The exit of the process reports why nothing can be written to it any more.
    child.stdin.on("error", () => undefined);
    child.once("close", (code, signal) => this.#finish(code ?? signal ?? "no code"));
  }

  /** Resolves when the engine is open. */
  static open(file: string, writer: "main" | "thread" = "main"): Promise<EngineChild> {
    return EngineChild.#start([bundled(ENGINE), file, writer]);
  }

  /** A store without an engine: it does nothing between two tasks, and does not check its locks. */
  static openStore(file: string, role: "own" | "post", writer: "main" | "thread" = "main"): Promise<EngineChild> {
    return EngineChild.#start([bundled(STORE), file, role, writer]);
  }

  static async #start(words: readonly string[]): Promise<EngineChild> {
    const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "pipe"] });
    const engine = new EngineChild(child);
    await engine.#next();
    return engine;
  }

  /** Rejects with the process's stderr if it exits instead of answering. */
  async do(task: string, argument = ""): Promise<Answered> {
    this.#child.stdin.write(`${task} ${argument}\n`);
    return this.#next();
  }

  /** Repeats the task until the answer fits. */
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
    const asked = Promise.withResolvers<string>();
    const answer = this.#answers.shift();
    if (answer !== undefined) asked.resolve(answer);
    else if (this.#end !== undefined) asked.reject(this.#end);
    else this.#asked.push(asked);
    return JSON.parse(await asked.promise) as Answered;
  }

  #take(line: string): void {
    const asked = this.#asked.shift();
    if (asked === undefined) this.#answers.push(line);
    else asked.resolve(line);
  }

  #finish(how: number | string): void {
    this.#end = new Error(`the process ended (${how}): ${this.#stderr}`);
    for (const asked of this.#asked.splice(0)) asked.reject(this.#end);
  }
}
