// The processes that read objects and refs, seen from the process of the engine.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SampleRepository } from "./sample-repository.ts";

const PROGRAM = fileURLToPath(new URL("reader-process.ts", import.meta.url));
const LONG_MS = 60_000;

interface Printed {
  readonly commit: string;
  readonly content: string;
  readonly pids: readonly number[];
}

/** Runs the program, acts after its first line, and returns its first line and those after it. */
async function run(
  sample: SampleRepository,
  then: "end" | "stay",
  act: (pid: number) => void,
): Promise<readonly [Printed, ...string[]]> {
  const child = spawn(process.execPath, [PROGRAM, sample.folder, then], { stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) if (lines.push(line) === 1) act(child.pid!);
  const [first, ...others] = lines;
  return [JSON.parse(first!) as Printed, ...others];
}

/** A process that has ended may be listed until its parent has asked for its end. */
function isRunning(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.startsWith("Z") === false;
}

async function waitForEnd(pids: readonly number[]): Promise<void> {
  while (pids.some(isRunning)) await sleep(5);
}

describe.runIf(process.platform === "linux")("the processes that read a repository", () => {
  it(
    "CODE-10 give their answers to a program that waits for nothing else, and do not keep it from ending",
    async () => {
      await using sample = new SampleRepository();
      const [{ commit, content, pids }, isLastRunning] = await run(sample, "end", () => {});
      expect([commit, content]).toEqual([sample.git("rev-parse", "main"), "one\n"]);
      expect([pids.length, isLastRunning]).toEqual([2, "true"]);
      await waitForEnd(pids);
    },
    LONG_MS,
  );

  it(
    "CODE-10 end when the engine is killed",
    async () => {
      await using sample = new SampleRepository();
      const [{ pids }] = await run(sample, "stay", (pid) => process.kill(pid, "SIGKILL"));
      expect(pids).toHaveLength(2);
      await waitForEnd(pids);
    },
    LONG_MS,
  );
});
