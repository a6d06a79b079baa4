// A program of the examples, run as people run it.

import { spawn, type ChildProcess } from "node:child_process";

export interface EndedExample {
  readonly code: number | null;
  readonly stdout: string;
}

/** `seen` is told what it has printed so far. */
export function runExample(
  folder: string,
  words: readonly string[],
  seen?: (stdout: string, child: ChildProcess) => void,
): Promise<EndedExample> {
  const child = spawn(process.execPath, words, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    seen?.(stdout, child);
  });
  return new Promise((end) => child.once("close", (code) => end({ code, stdout })));
}
