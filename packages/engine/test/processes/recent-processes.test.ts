// The check of the pids assigned since a command started.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { RecentProcesses } from "../../src/runners/process/recent-processes.ts";
import { useProcessFixture } from "./process-fixture.ts";

const fixture = useProcessFixture();
const children: ChildProcess[] = [];
const NOBODY: ReadonlySet<number> = new Set();

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** A process that has exited, and its pid. */
function exitedProcess(): number {
  return spawnSync("true").pid;
}

async function sleeper(marker: string): Promise<number> {
  const env = { PATH: process.env["PATH"], SEGNO_MARKER: marker };
  const child = spawn("sleep", ["1000"], { env, stdio: "ignore" });
  children.push(child);
  await once(child, "spawn");
  return child.pid!;
}

describe.runIf(existsSync("/proc/sys/kernel/ns_last_pid"))("the processes started since another one", () => {
  it("are known to be without the marker when none has it", async () => {
    const recent = new RecentProcesses();
    const answers: boolean[] = [];
    // Occasionally pids wrap around, or another program starts many processes; then the check cannot be certain.
    for (let tries = 0; tries < 100 && !answers.includes(true); tries++)
      answers.push(recent.hasNoneSince(exitedProcess(), `${fixture.current.prefix}a`, NOBODY));
    expect(answers).toContain(true);
  });

  it("RP1 are never taken as without the marker while one with it runs", async () => {
    const recent = new RecentProcesses();
    const before = exitedProcess();
    await sleeper(`${fixture.current.prefix}a`);
    expect(recent.hasNoneSince(before, `${fixture.current.prefix}a`, NOBODY)).toBe(false);
  });

  it("RP1 are uncertain if the pids wrapped around since", () => {
    expect(new RecentProcesses().hasNoneSince(4_194_304, `${fixture.current.prefix}a`, NOBODY)).toBe(false);
  });

  it("RP1 are uncertain if there are too many of them to read", () => {
    expect(new RecentProcesses().hasNoneSince(2, `${fixture.current.prefix}a`, NOBODY)).toBe(false);
  });
});
