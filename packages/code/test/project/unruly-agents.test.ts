// Agents that hang, hide their processes or flood their output, in whole workflows.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecutionHandle } from "@segno/engine";
import { describe, expect, it } from "vitest";
import { EXECUTOR_DEFAULTS } from "../../src/config/executor-config.ts";
import { isAlive } from "../agents/agent-session.ts";
import { quick } from "../executor/memory-executor.ts";
import { CodeProject } from "./code-project.ts";

async function run(project: CodeProject, script: string, taskTimeoutMs = 3_600_000): Promise<ExecutionHandle> {
  const agent = project.agent("agent.sh", script);
  const config = quick(EXECUTOR_DEFAULTS);
  const handle = await project.start(
    `name: unruly\npolicies: { step: auto, workflow: auto }\nagent: worker\nagents: { worker: { command: ["${agent}"] } }\ntasks: [{ id: one, instructions: i }]\n`,
    {
      ...config,
      retry: { ...config.retry, maxAttempts: 1 },
      scheduling: { ...config.scheduling, taskTimeoutMs },
    },
  );
  return handle;
}

/** A process that has left the group of the agent and ignores signals. */
const HIDDEN = (root: string): string =>
  `setsid sh -c 'trap "" TERM INT HUP; echo $$ > ${root}/pid; exec sleep 600' > /dev/null 2>&1 < /dev/null &\nwhile [ ! -s ${root}/pid ]; do sleep 0.02; done`;

const hiddenPid = ({ root }: CodeProject): number => Number(readFileSync(join(root, "pid"), "utf8"));

/** The texts of the debug bundles below a folder. */
function bundles(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("debug.json"),
  );
  return names.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
}

describe("an agent", () => {
  it("CODE-8 that hangs and ignores TERM fails its task when its time is up", async () => {
    await using project = new CodeProject();
    const handle = await run(project, 'trap "" TERM\nsleep 600', 1000);
    await expect(handle.result()).rejects.toThrow();
    const session = (await handle.status()).steps.find(({ name }) => name === "session-one");
    expect(session).toMatchObject({ status: "failed", detail: { failure: { class: "timeout" } } });
    expect(existsSync(join(project.folder, ".segno/worktrees", handle.id, "one/a.txt"))).toBe(true);
  });

  it("CODE-8 that writes nothing is ended by the stall timer, with its processes, and its files are kept", async () => {
    await using project = new CodeProject();
    const agent = project.agent("agent.sh", `echo half > half.txt\n${HIDDEN(project.root)}\nsleep 600`);
    const config = quick(EXECUTOR_DEFAULTS);
    const handle = await project.start(
      `name: silent\npolicies: { step: auto, workflow: auto }\nagent: worker\nagents: { worker: { command: ["${agent}"], stall: 2s } }\ntasks: [{ id: one, instructions: i }]\n`,
      { ...config, retry: { ...config.retry, maxAttempts: 1 } },
    );
    await expect(handle.result()).rejects.toThrow("the agent wrote nothing for 2000 ms");
    const session = (await handle.status()).steps.find(({ name }) => name === "session-one");
    expect(session).toMatchObject({ status: "failed" });
    const folder = join(project.folder, ".segno");
    expect(readFileSync(join(folder, "worktrees", handle.id, "one/half.txt"), "utf8")).toBe("half\n");
    expect(bundles(folder)).toContain('"kind": "stalled"');
    await expect.poll(() => isAlive(hiddenPid(project))).toBe(false);
  });

  it("CODE-9 CODE-10 that hides a process is cancelled, nothing of it survives, and its files are kept", async () => {
    await using project = new CodeProject();
    const handle = await run(project, `trap "" TERM\necho half > half.txt\n${HIDDEN(project.root)}\nsleep 600`);
    await expect.poll(() => project.lines("pid")).toBe(1);
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    await expect.poll(() => isAlive(hiddenPid(project))).toBe(false);
    expect(existsSync(join(project.folder, ".segno/worktrees", handle.id, "one/half.txt"))).toBe(true);
  });

  it("CODE-10 that leaves a hidden process behind and succeeds lands, and the process ends", async () => {
    await using project = new CodeProject();
    const handle = await run(project, `${HIDDEN(project.root)}\necho done > done.txt`);
    await handle.result();
    expect(readFileSync(join(project.folder, "done.txt"), "utf8")).toBe("done\n");
    await expect.poll(() => isAlive(hiddenPid(project))).toBe(false);
  });

  it("CODE-4 that writes a line of 50 MB lands", async () => {
    await using project = new CodeProject();
    const handle = await run(project, "head -c 52428800 /dev/zero | tr '\\0' x\necho done > done.txt");
    await handle.result();
    expect(readFileSync(join(project.folder, "done.txt"), "utf8")).toBe("done\n");
  });
});
