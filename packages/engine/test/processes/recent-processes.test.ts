// What a command started is looked for among the pids that were given out since.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { RecentProcesses } from "../../src/runners/process/recent-processes.ts";
import { workbench } from "./workbench.ts";

const bench = workbench();
const children: ChildProcess[] = [];
const NOBODY: ReadonlySet<number> = new Set();

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** A process that has ended, and its pid. */
function ended(): number {
  return spawnSync("true").pid;
}

async function sleeper(marker: string): Promise<number> {
  const env = { PATH: process.env["PATH"], SEGNO_MARKER: marker };
  const child = spawn("sleep", ["1000"], { env, stdio: "ignore" });
  children.push(child);
  await once(child, "spawn");
  return child.pid!;
}

describe.runIf(existsSync("/proc/sys/kernel/ns_last_pid"))("the processes since another", () => {
  it("are clear when none has the marker", async () => {
    const recent = new RecentProcesses();
    const answers: boolean[] = [];
    // Now and then pids begin anew, or somebody else starts many processes at once; then nothing is said.
    for (let tries = 0; tries < 100 && !answers.includes(true); tries++)
      answers.push(recent.isClear(ended(), `${bench.current.prefix}a`, NOBODY));
    expect(answers).toContain(true);
  });

  it("P1 are never clear while one with the marker runs", async () => {
    const recent = new RecentProcesses();
    const before = ended();
    await sleeper(`${bench.current.prefix}a`);
    expect(recent.isClear(before, `${bench.current.prefix}a`, NOBODY)).toBe(false);
  });

  it("P1 are not clear when the row of pids began anew since", () => {
    expect(new RecentProcesses().isClear(4_194_304, `${bench.current.prefix}a`, NOBODY)).toBe(false);
  });

  it("P1 are not clear when there are too many of them to be looked at", () => {
    expect(new RecentProcesses().isClear(2, `${bench.current.prefix}a`, NOBODY)).toBe(false);
  });
});
