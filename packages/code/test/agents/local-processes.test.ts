import { describe, expect, it, vi } from "vitest";
import { localProcesses } from "../../src/agents/local-processes.ts";
import type { StartedProcess } from "../../src/agents/process-starter.ts";
import { isAlive } from "./agent-session.ts";

function start(script: string, graceMs = 20): StartedProcess {
  const started = localProcesses({ graceMs }).start({
    argv: ["sh", "-c", script],
    cwd: "/",
    env: {},
    inherits: ["PATH"],
  });
  started.stdin.end();
  return started;
}

async function firstLine(started: StartedProcess): Promise<string> {
  let text = "";
  for await (const chunk of started.stdout) {
    text += String(chunk);
    if (text.includes("\n")) break;
  }
  return text.trim();
}

describe("a local process", () => {
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
    expect(isAlive(child)).toBe(false);
  });

  it("CANCEL-2 leaves nothing behind when it exits by itself", async () => {
    const started = start("trap '' TERM; setsid sleep 1000 & echo $!; exit 0");
    const child = Number(await firstLine(started));
    expect(await started.mainExit).toEqual({ code: 0, signal: null });
    await started.treeExited;
    expect(isAlive(child)).toBe(false);
  });

  it("CODE-12 inherits only the variables that are named", async () => {
    vi.stubEnv("SAMPLE_A", "1");
    const started = start("echo $SAMPLE_A-$PATH");
    expect(await firstLine(started)).toBe(`-${process.env["PATH"]}`);
    await started.treeExited;
    vi.unstubAllEnvs();
  });

  it("CODE-12 that cannot be started rejects its exit and has ended", async () => {
    const started = localProcesses().start({ argv: ["segno-no-such-program"], cwd: "/", env: {} });
    await expect(started.mainExit).rejects.toThrow("ENOENT");
    await started.treeExited;
    started.stop();
  });
});
