// The command on a pseudo-terminal, by `script` of util-linux.

import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";

import { COMMAND } from "./run-segno.ts";
import { SmallTerminal } from "./small-terminal.ts";

const SCRIPT = "script";

/** Where it is missing, the tests that need it say so and are left out. */
export const hasScript: boolean = spawnSync(SCRIPT, ["--version"]).status === 0;

export interface PseudoTerminalOptions {
  readonly folder: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

export class PseudoTerminal {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #columns: number;
  readonly ended: Promise<number | null>;
  /** All output to the terminal. */
  output = "";

  constructor(words: readonly string[], options: PseudoTerminalOptions) {
    const { folder, columns = 80, rows = 24, environment = {} } = options;
    this.#columns = columns;
    const line = [process.execPath, COMMAND, ...words].map((word) => `'${word}'`).join(" ");
    this.#child = spawn(SCRIPT, ["-qec", `stty cols ${columns} rows ${rows}; exec ${line}`, "/dev/null"], {
      cwd: folder,
      env: { PATH: process.env["PATH"], TERM: "xterm-256color", SHELL: "/bin/sh", ...environment },
    });
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => (this.output += text));
    this.ended = new Promise((settle) => this.#child.once("close", settle));
  }

  /** Resolves when this was written; rejects when the command ends without. */
  async shows(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.output)) {
      if (this.#child.exitCode !== null) throw new Error(`it ended without ${pattern}:\n${this.output}`);
      await new Promise((resolve) => this.#child.stdout.once("data", resolve).once("close", resolve));
    }
  }

  press(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** The screen at the end; throws if the command used an unexpected feature of the terminal. */
  screen(): SmallTerminal {
    const terminal = new SmallTerminal(this.#columns);
    terminal.write(this.output);
    return terminal;
  }
}
