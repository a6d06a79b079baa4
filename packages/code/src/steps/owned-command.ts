// Runs a shell command of the template, such as a check, in a workspace. It belongs to the attempt of its step.

import { delimiter, dirname } from "node:path";
import { StreamTail } from "@segno/engine";
import type { ProcessStarter } from "../agents/process-starter.ts";
import { parameterVariables, type ParameterValues } from "../model/parameter-values.ts";

export interface OwnedCommand {
  readonly command: string;
  readonly cwd: string;
  /** The parameters of the workflow, which the command gets as environment variables. */
  readonly parameters: ParameterValues;
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

export async function runOwnedCommand(options: OwnedCommand): Promise<OwnedCommandResult> {
  const { command, cwd, parameters, processes, signal } = options;
  signal.throwIfAborted();
  const env = { ...parameterVariables(parameters), ...ENV };
  const child = processes.start({ argv: [...SHELL, command], cwd, env });
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
