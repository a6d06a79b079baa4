// Runs the real command in a process of its own, on the Node that runs the tests.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { fileURLToPath } from "node:url";

export const COMMAND: string = fileURLToPath(new URL("../bin/segno.js", import.meta.url));
const ROOT: string = fileURLToPath(new URL("../../..", import.meta.url));

function pick(...names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

export interface SegnoRun {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SegnoRunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Stop reading after the first bytes, as `head` does. */
  readonly closeEarly?: boolean;
  /** Where it runs; the root of the checkout when it is left out. */
  readonly folder?: string;
  /** Flags of Node. */
  readonly flags?: readonly string[];
}

export function runSegno(words: readonly string[], options: SegnoRunOptions = {}): Promise<SegnoRun> {
  return new RunningSegno(words, options).ended;
}

/** The command while it runs: it can be watched and told to stop. */
export class RunningSegno {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #output = { stdout: "", stderr: "" };
  #hasClosed = false;
  readonly ended: Promise<SegnoRun>;

  constructor(words: readonly string[], options: SegnoRunOptions = {}) {
    const { environment = {}, stdin = "", closeEarly = false, folder = ROOT, flags = [] } = options;
    const child = spawn(process.execPath, [...flags, COMMAND, ...words], {
      cwd: folder,
      env: { ...pick("PATH", "XDG_STATE_HOME", "SEGNO_FRESH_BUNDLE"), ...environment },
    });
    this.#child = child;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#output.stdout += text;
      if (closeEarly) child.stdout.destroy();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#output.stderr += text));
    // The command may end before it has read everything.
    child.stdin.on("error", () => undefined).end(stdin);
    this.ended = new Promise((settle, reject) => {
      child.once("error", reject);
      child.once("close", (exitCode, signal) => {
        this.#hasClosed = true;
        settle({ exitCode, signal, ...this.#output });
      });
    });
  }

  /** Whether it has ended, and all of its output was read. */
  get hasEnded(): boolean {
    return this.#hasClosed;
  }

  /** What it has printed to stdout so far. */
  get stdout(): string {
    return this.#output.stdout;
  }

  /** Resolves when it has written this to stderr; rejects when it ends without. */
  reports(pattern: RegExp): Promise<void> {
    return this.#writes("stderr", pattern);
  }

  /** The same of stdout. */
  prints(pattern: RegExp): Promise<void> {
    return this.#writes("stdout", pattern);
  }

  async #writes(stream: "stdout" | "stderr", pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#output[stream])) {
      if (this.#hasClosed) throw new Error(`it ended without ${pattern}:\n${this.#output.stderr}`);
      const written = new Promise((resolve) => this.#child[stream].once("data", resolve));
      await Promise.race([written, this.ended]);
    }
  }

  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
