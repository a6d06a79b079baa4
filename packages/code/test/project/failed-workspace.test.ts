import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadExecutorConfig } from "../../src/config/executor-config.ts";
import { quick } from "../executor/memory-executor.ts";
import { CodeProject } from "./code-project.ts";

describe("the workspace of a failed task", () => {
  it.each([true, false])("CODE-9 CODE-13 with `preserve_on_failure: %s`, its work is not lost", async (isKept) => {
    await using project = new CodeProject();
    const agent = project.agent("agent.sh", "echo work > work.txt; exit 78");
    const config = quick(loadExecutorConfig(`executor: { session: { preserve_on_failure: ${isKept} } }\n`));
    const handle = await project.start(
      `name: x\nagent: a\nagents: { a: { command: ["${agent}"] } }\ntasks: [{ id: one, instructions: work }]\n`,
      config,
    );
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED" });
    const folder = join(project.folder, ".segno/worktrees", handle.id, "one");
    expect(existsSync(join(folder, "work.txt"))).toBe(isKept);
    const kept = project.git("for-each-ref", "--format=%(refname)", `refs/segno/${handle.id}/kept`);
    if (!isKept) expect(project.git("show", `${kept}:work.txt`)).toBe("work");
  });
});

const bundle = ({ folder }: CodeProject, session: string, name = "debug.json"): unknown =>
  JSON.parse(readFileSync(join(folder, ".segno/sessions", session, name), "utf8"));

const template = (agent: string, rest = ""): string =>
  `name: x\n${rest}agent: a\nagents: { a: { command: ["${agent}"] } }\ntasks: [{ id: one, instructions: work }]\n`;

describe("the debug bundle", () => {
  it("CODE-9 is written for a session that was cancelled", async () => {
    await using project = new CodeProject();
    const agent = project.agent("agent.sh", `touch '${project.root}/began'\nsleep 600`);
    const handle = await project.start(template(agent));
    await expect.poll(() => existsSync(join(project.root, "began"))).toBe(true);
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect(bundle(project, `${handle.id}-one-1`)).toMatchObject({
      task: { id: "one" },
      result: { outcome: { kind: "cancelled" } },
      workspace: { kind: "present" },
    });
  });

  it("CODE-9 is written for a set-up that failed", async () => {
    await using project = new CodeProject();
    const config = quick(loadExecutorConfig("executor: { retry: { max_attempts: 1 } }\n"));
    const handle = await project.start(template(project.agent("agent.sh", "true"), "setup: ['exit 3']\n"), config);
    await expect(handle.result()).rejects.toThrow();
    expect(bundle(project, `${handle.id}-one-1`)).toMatchObject({
      setUp: { command: "exit 3", exitCode: 3 },
      workspace: { kind: "present" },
    });
  });

  it("CODE-9 is written for a merge whose checks failed", async () => {
    await using project = new CodeProject();
    const config = quick(loadExecutorConfig("executor: { integration: { auto_create_fix_tasks: false } }\n"));
    const policies = "policies: { step: checks, workflow: auto, checks: ['echo red; test ! -e bad.txt'] }\n";
    const handle = await project.start(template(project.agent("agent.sh", "touch bad.txt"), policies), config);
    const isWaiting = async (): Promise<boolean> =>
      (await handle.status()).steps.some(({ name, status }) => name.endsWith("/escalation") && status === "suspended");
    await expect.poll(isWaiting).toBe(true);
    expect(bundle(project, `${handle.id}-one-1`, "merge-debug.json")).toMatchObject({
      task: { id: "one" },
      result: { success: false, ciLogs: expect.stringContaining("red") as string },
      workspace: { kind: "present" },
    });
    await handle.cancel();
  });
});
