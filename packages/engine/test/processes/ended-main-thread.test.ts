// Processes whose main thread has ended while another thread runs. Such a process has the state of a zombie and shows no
// environment. Only a program in C can do this, so these tests need a compiler; `process-markers.test.ts` does not.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { markedProcessesSync } from "../../src/runners/process/marked-processes.ts";
import { markedProcesses } from "../../src/runners/process/orphans.ts";
import { ProcessGroup } from "../../src/runners/process/process-group.ts";
import { readStat } from "../../src/runners/process/process-stat.ts";
import { isAlive, useProcessFixture } from "./process-fixture.ts";

const PROGRAM = `
#include <pthread.h>
#include <unistd.h>
static void *run(void *unused) { sleep(1000); return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  pthread_exit(0);
}
`;

const hasCompiler = process.platform === "linux" && spawnSync("cc", ["--version"]).status === 0;
const fixture = useProcessFixture();

/** Waits until the main thread of the process has ended. */
async function endedMainThread(pid: number): Promise<void> {
  while ((await readStat(pid))?.state !== "Z");
}

function compile(): string {
  const source = fixture.current.file("program.c", PROGRAM);
  const program = join(fixture.current.folder, "program");
  const { status, stderr } = spawnSync("cc", ["-pthread", "-o", program, source], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return program;
}

describe.runIf(hasCompiler)("a process of which only the main thread has ended", () => {
  it.each(["", "setsid"])("CANCEL-2 is ended before the attempt of its command ends: %s", async (setsid) => {
    const script = `${setsid} ${compile()} >/dev/null 2>&1 & echo pid $!; while [ ! -e go ]; do sleep 0.01; done`;
    const { attempt } = fixture.current.startScript(script);
    const pid = Number((await attempt.said(/pid (\d+)/u))[1]);
    await endedMainThread(pid);
    fixture.current.file("go", "");
    await attempt.ended;
    expect(await isAlive(pid)).toBe(false);
    await attempt.isSettled;
  });

  it("CANCEL-2 is a live member of its group, and is found by its marker", async () => {
    const { attempt } = fixture.current.startScript(`echo pid $$; exec ${compile()}`);
    const pid = Number((await attempt.said(/pid (\d+)/u))[1]);
    await endedMainThread(pid);
    expect(await isAlive(pid)).toBe(true);
    expect(await new ProcessGroup(pid).hasLiveMembers()).toBe(true);
    expect(await markedProcesses(fixture.current.prefix)).toEqual([pid]);
    expect(markedProcessesSync(new Set([attempt.marker()]))).toEqual([pid]);
    expect(await fixture.current.killOrphans()).toBe(1);
    await attempt.isSettled;
    expect(await isAlive(pid)).toBe(false);
  });
});
