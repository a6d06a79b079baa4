// Runs the real command in a process of its own, on the Node that runs the tests.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const COMMAND: string = fileURLToPath(new URL("../bin/segno.js", import.meta.url));
const ROOT: string = fileURLToPath(new URL("../../..", import.meta.url));

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
}

export function runSegno(words: readonly string[], options: SegnoRunOptions = {}): Promise<SegnoRun> {
  const { environment = {}, stdin = "", closeEarly = false } = options;
  const child = spawn(process.execPath, [COMMAND, ...words], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"], ...environment },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
    if (closeEarly) child.stdout.destroy();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  // The command may end before it has read everything.
  child.stdin.on("error", () => undefined).end(stdin);
  return new Promise((settle, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode, signal) => settle({ exitCode, signal, ...output }));
  });
}
