// Runs a shell command of the template, such as a check, in a workspace. It belongs to the attempt of its step.

import { delimiter, dirname } from "node:path";
import { StreamTail } from "@segno/engine";
import type { ProcessStarter } from "../agents/process-starter.ts";

export interface OwnedCommand {
  readonly command: string;
  readonly cwd: string;
  readonly processes: ProcessStarter;
  readonly signal: AbortSignal;
}

export interface OwnedCommandResult {
  readonly exitCode: number | null;
  /** The end of the output. */
  readonly log: string;
}

/** The end of the output goes to the journal, so it is short. */
const LOG_BYTES_MAX = 16 * 1024;

const SHELL = process.platform === "win32" ? ["cmd.exe", "/d", "/s", "/c"] : ["/bin/sh", "-c"];

/** Commands find the Node that runs Segno first, as in scripts of npm. */
const ENV: Readonly<Record<string, string>> = {
  CI: "1",
  NO_COLOR: "1",
  TERM: "dumb",
  PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
};

export async function runOwnedCommand({ command, cwd, processes, signal }: OwnedCommand): Promise<OwnedCommandResult> {
  signal.throwIfAborted();
  const child = processes.start({ argv: [...SHELL, command], cwd, env: ENV });
  const tail = new StreamTail(LOG_BYTES_MAX);
  const stop = (): void => child.stop();
  signal.addEventListener("abort", stop, { once: true });
  child.stdout.on("data", (chunk: Buffer) => tail.write(chunk));
  child.stderr.on("data", (chunk: Buffer) => tail.write(chunk));
  child.stdin.end();
  try {
    const { code } = await child.mainExit;
    await child.treeExited;
    signal.throwIfAborted();
    return { exitCode: code, log: tail.text() };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
