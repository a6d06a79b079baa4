// The workspaces and branches that the engine makes for itself: for fixes, for checks and for the landing.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecutionHandle } from "@segno/engine";
import { describe, expect, it } from "vitest";
import { EXECUTOR_DEFAULTS } from "../../src/config/executor-config.ts";
import { quick } from "../executor/memory-executor.ts";
import { CodeProject } from "./code-project.ts";

function projectOf(): CodeProject {
  const project = new CodeProject({ "a.txt": "one\n" });
  project.git("checkout", "--quiet", "-b", "mine");
  return project;
}

async function start(
  project: CodeProject,
  ids: readonly string[],
  script: string,
  fixes = 2,
): Promise<ExecutionHandle> {
  const agent = project.agent("agent.sh", `echo x >> '${project.root}/sessions'\n${script}`);
  const config = quick(EXECUTOR_DEFAULTS);
  return await project.start(
    `name: names
policies: { step: checks, workflow: checks, checks: ["! grep -q bad a.txt"] }
agent: worker
agents: { worker: { command: ["${agent}"] } }
tasks: [${ids.map((id) => `{ id: ${id}, instructions: i }`).join(", ")}]
`,
    { ...config, integration: { ...config.integration, maxFixAttempts: fixes } },
  );
}

async function statusOf(handle: ExecutionHandle, step: string): Promise<string | undefined> {
  return (await handle.status()).steps.find(({ name }) => name === step)?.status;
}

/** Waits for a file beside the repository. */
const wait = ({ root }: CodeProject, name: string): string => `while [ ! -e '${root}/${name}' ]; do sleep 0.05; done`;

describe("a workspace of the engine", () => {
  it("CODE-3 CODE-9 for a fix is not that of a task that is called like an earlier fix", async () => {
    await using project = projectOf();
    const script = `case "$SEGNO_TASK_KIND:$SEGNO_TASK_ID" in
task:one) echo bad > a.txt ;;
task:*) echo x > "$SEGNO_TASK_ID.txt"; ${wait(project, "fixed")} ;;
*) echo good > a.txt; touch '${project.root}/fixed' ;;
esac`;
    const tasks = ["one", "one-fix1", "landing", "one-check"];
    const handle = await start(project, tasks, script);
    await handle.result();
    expect(project.lines("sessions")).toBe(5);
    const files = project.git("ls-tree", "--name-only", "main").split("\n");
    expect(files).toEqual(["a.txt", "landing.txt", "one-check.txt", "one-fix1.txt"]);
    expect(project.git("for-each-ref", "refs/heads/task/")).toBe("");
  });

  it("CODE-3 CODE-9 for checks is not that of a task that is called like it", async () => {
    await using project = projectOf();
    const script = `case "$SEGNO_TASK_ID" in
one) echo bad > a.txt ;;
*) echo x > "$SEGNO_TASK_ID.txt"; ${wait(project, "checked")} ;;
esac`;
    const handle = await start(project, ["one", "one-check"], script, 0);
    await expect.poll(() => statusOf(handle, "merge-one/escalation")).toBe("suspended");
    await expect.poll(() => project.lines("sessions")).toBe(2);
    const folder = join(project.folder, ".segno/worktrees", handle.id);
    writeFileSync(join(folder, "one/a.txt"), "good\n");
    await handle.approve("merge-one/escalation", { by: "ada" });
    await expect.poll(() => statusOf(handle, "merge-one")).toBe("succeeded");
    expect(existsSync(join(folder, "one-check/one-check.txt"))).toBe(true);
    writeFileSync(join(project.root, "checked"), "");
    await handle.result();
    expect(project.lines("sessions")).toBe(2);
    expect(project.git("ls-tree", "--name-only", "main").split("\n")).toEqual(["a.txt", "one-check.txt"]);
  });

  it("CODE-7 exists for a fix of a task with the longest id", async () => {
    await using project = projectOf();
    const script = 'case "$SEGNO_TASK_KIND" in task) echo bad > a.txt ;; *) echo good > a.txt ;; esac';
    await (await start(project, ["x".repeat(64)], script)).result();
    expect(project.git("show", "main:a.txt")).toBe("good");
  });
});
