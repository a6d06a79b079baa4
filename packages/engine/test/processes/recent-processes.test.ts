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
  it("are clear when none has the marker", async () => {
    const recent = new RecentProcesses();
    const answers: boolean[] = [];
    // Occasionally pids wrap around, or another program starts many processes; then the check cannot be clear.
    for (let tries = 0; tries < 100 && !answers.includes(true); tries++)
      answers.push(recent.isClear(exitedProcess(), `${fixture.current.prefix}a`, NOBODY));
    expect(answers).toContain(true);
  });

  it("P1 are never clear while one with the marker runs", async () => {
    const recent = new RecentProcesses();
    const before = exitedProcess();
    await sleeper(`${fixture.current.prefix}a`);
    expect(recent.isClear(before, `${fixture.current.prefix}a`, NOBODY)).toBe(false);
  });

  it("P1 are not clear if the pids wrapped around since", () => {
    expect(new RecentProcesses().isClear(4_194_304, `${fixture.current.prefix}a`, NOBODY)).toBe(false);
  });

  it("P1 are not clear if there are too many of them to read", () => {
    expect(new RecentProcesses().isClear(2, `${fixture.current.prefix}a`, NOBODY)).toBe(false);
  });
});
