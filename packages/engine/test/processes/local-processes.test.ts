// Processes of a program in which no engine runs.

import { spawnSync } from "node:child_process";
import { describe, expect, it, vi } from "vitest";
import { LocalProcesses } from "../../src/runners/process/local-processes.ts";
import type { OwnedProcess } from "../../src/runners/process/owned-process.ts";
import { isAlive } from "./process-fixture.ts";

function start(script: string, graceMs = 20): OwnedProcess {
  const started = new LocalProcesses({ graceMs }).start({
    argv: ["sh", "-c", script],
    cwd: "/",
    env: {},
    inherits: ["PATH"],
  });
  started.stdin.end();
  return started;
}

async function firstLine(started: OwnedProcess): Promise<string> {
  let text = "";
  for await (const chunk of started.stdout) {
    text += String(chunk);
    if (text.includes("\n")) break;
  }
  return text.trim();
}

/** A program that starts a process which leaves its group, prints its pid, and then exits in a given way. */
function exitWith(ending: string): number {
  const module = new URL("../../src/runners/process/local-processes.ts", import.meta.url).href;
  const program = `
    const { LocalProcesses } = await import(${JSON.stringify(module)});
    const argv = ["sh", "-c", "trap '' TERM; setsid sleep 1000 & echo $!; wait"];
    const started = new LocalProcesses().start({ argv, cwd: "/", env: {} });
    started.stdout.once("data", (chunk) => {
      process.stdout.write(chunk, () => { ${ending} });
    });`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
  return Number(stdout);
}

describe("a local process", () => {
  it.each(["process.exit()", "throw new Error()", "process.kill(process.pid, 'SIGTERM')"])(
    "CANCEL-2 LP1 is killed with its tree if its program ends by `%s`",
    async (ending) => {
      const pid = exitWith(ending);
      expect(pid).toBeGreaterThan(1);
      await expect.poll(() => isAlive(pid)).toBe(false);
    },
  );

  it("CANCEL-2 tells which processes are left when it has exited by itself", async () => {
    const left: (readonly number[])[] = [];
    const processes = new LocalProcesses({ graceMs: 20, onRemaining: (pids) => left.push(pids) });
    const argv = ["sh", "-c", "setsid sleep 1000 & echo $!"];
    const started = processes.start({ argv, cwd: "/", env: {} });
    const child = Number(await firstLine(started));
    await started.mainExit;
    started.stop();
    await started.treeExited;
    expect(left).toEqual([[child]]);
    expect(await isAlive(child)).toBe(false);
  });

  it("CANCEL-2 gets SIGTERM and may end by itself", async () => {
    const started = start("trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done", 100_000);
    await firstLine(started);
    started.stop();
    await started.treeExited;
    expect(await started.mainExit).toEqual({ code: 7, signal: null });
  });

  it("CANCEL-2 is killed with its tree if it ignores SIGTERM", async () => {
    const started = start("trap '' TERM; sleep 1000 & echo $!; wait");
    const child = Number(await firstLine(started));
    started.stop();
    await started.treeExited;
    expect(await started.mainExit).toEqual({ code: null, signal: "SIGKILL" });
    expect(await isAlive(child)).toBe(false);
  });

  it("CANCEL-2 leaves nothing behind when it exits by itself", async () => {
    const started = start("trap '' TERM; setsid sleep 1000 & echo $!; exit 0");
    const child = Number(await firstLine(started));
    expect(await started.mainExit).toEqual({ code: 0, signal: null });
    await started.treeExited;
    expect(await isAlive(child)).toBe(false);
  });

  it("CODE-12 inherits only the variables that are named", async () => {
    vi.stubEnv("SAMPLE_A", "1");
    const started = start("echo $SAMPLE_A-$PATH");
    expect(await firstLine(started)).toBe(`-${process.env["PATH"]}`);
    await started.treeExited;
    vi.unstubAllEnvs();
  });

  it("CODE-12 that cannot be started rejects its exit and has ended", async () => {
    const started = new LocalProcesses().start({ argv: ["segno-no-such-program"], cwd: "/", env: {} });
    await expect(started.mainExit).rejects.toMatchObject({ code: "COMMAND_NOT_FOUND" });
    await started.treeExited;
    started.stop();
  });
});
