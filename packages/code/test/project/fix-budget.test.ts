// Fixes and escalations of whole workflows on a real repository, with restarts of the engine in between.

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecutionHandle } from "@segno/engine";
import { describe, expect, it } from "vitest";
import { EXECUTOR_DEFAULTS, type ExecutorConfig } from "../../src/config/executor-config.ts";
import { quick } from "../executor/memory-executor.ts";
import { CodeProject } from "./code-project.ts";

const CHECK = "check.sh";

function withFixes(maxFixAttempts: number): ExecutorConfig {
  const config = quick(EXECUTOR_DEFAULTS);
  return { ...config, integration: { ...config.integration, maxFixAttempts } };
}

/** One task whose files have to pass `check.sh`. */
async function start(project: CodeProject, script: string, fixes = 2): Promise<ExecutionHandle> {
  const agent = project.agent("agent.sh", `echo x >> '${project.root}/sessions'\n${script}`);
  return await project.start(
    `name: fixes\npolicies: { step: checks, workflow: auto, checks: ["sh ${CHECK}"] }\nagent: worker\nagents: { worker: { command: ["${agent}"] } }\ntasks: [{ id: one, instructions: i }]\n`,
    withFixes(fixes),
  );
}

/** A repository with a check, whose `main` is not checked out. */
function projectWith(check: string): CodeProject {
  const project = new CodeProject({ "a.txt": "one\n", [CHECK]: check });
  project.git("checkout", "--quiet", "-b", "mine");
  return project;
}

async function statusOf(handle: ExecutionHandle, step: string): Promise<string | undefined> {
  return (await handle.status()).steps.find(({ name }) => name === step)?.status;
}

async function reopen(project: CodeProject, { id }: ExecutionHandle): Promise<ExecutionHandle> {
  await project.closeEngine();
  return await (await project.openEngine()).get(id);
}

/** Waits until the journal has so many pauses. */
async function pausedTimes(handle: ExecutionHandle, count: number): Promise<void> {
  let found = 0;
  for await (const { event } of handle.events()) if (event.kind === "execution.paused" && ++found === count) return;
}

const sessions = (project: CodeProject): number => project.lines("sessions");
const ESCALATION = "merge-one/escalation";
/** Fails with a message that says what the agents wrote. */
const NO_BAD_FILE = '! grep -q bad a.txt || { echo "error: found $(cat a.txt)"; exit 1; }';

describe("the budget of fixes", () => {
  it("CODE-7 is the same after restarts of the engine, and then a person is asked", async () => {
    await using project = projectWith(NO_BAD_FILE);
    const gate = join(project.root, "gate");
    const letters = "case $(wc -l < '" + project.root + "/sessions') in 1) w=a;; 2) w=b;; 3) w=c;; *) w=d;; esac";
    const waits = `if [ -e '${gate}' ]; then while [ -e '${gate}' ]; do sleep 0.05; done; fi`;
    const first = await start(project, `${letters}; echo "bad $w" > a.txt; if [ $w = b ]; then ${waits}; fi`);
    writeFileSync(gate, "");
    await expect.poll(() => statusOf(first, "merge-one/fix-1")).toBe("running");
    await expect.poll(() => sessions(project)).toBe(2);
    await project.closeEngine();
    const second = await (await project.openEngine()).get(first.id);
    rmSync(gate);
    await expect.poll(() => statusOf(second, ESCALATION)).toBe("suspended");
    const third = await reopen(project, second);
    expect(await statusOf(third, ESCALATION)).toBe("suspended");
    const fixes = (await third.status()).steps.filter(({ name }) => /fix-\d+$/u.test(name));
    expect(fixes.map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  });

  it("CODE-7 is not used up by a fix that changes nothing, which lands nothing", async () => {
    await using project = projectWith(NO_BAD_FILE);
    const handle = await start(project, "echo bad > a.txt", 5);
    await expect.poll(() => statusOf(handle, ESCALATION)).toBe("suspended");
    expect(sessions(project)).toBe(2);
    expect(project.git("show", `workflow/${handle.id}:a.txt`)).toBe("one");
  });

  it("CODE-7 is not used up if the same failure comes twice", async () => {
    await using project = projectWith(NO_BAD_FILE);
    const handle = await start(project, "echo bad > a.txt; date +%N > other.txt", 5);
    await expect.poll(() => statusOf(handle, ESCALATION)).toBe("suspended");
    expect(sessions(project)).toBe(2);
  });
});

describe("an escalation", () => {
  it("CODE-7 CODE-9 that is rejected fails the task, and the workspace is kept", async () => {
    await using project = projectWith(NO_BAD_FILE);
    const handle = await start(project, "echo bad > a.txt", 0);
    await expect.poll(() => statusOf(handle, ESCALATION)).toBe("suspended");
    await handle.reject(ESCALATION, { by: "ada" });
    await expect(handle.result()).rejects.toThrow();
    expect(await statusOf(handle, "merge-one")).toBe("failed");
    expect(project.git("show", `task/${handle.id}-one:a.txt`)).toBe("bad");
    expect(existsSync(join(project.folder, ".segno/worktrees", handle.id, "one/a.txt"))).toBe(true);
  });

  it("CODE-7 that is approved lands the repair of a person in the kept workspace", async () => {
    await using project = projectWith(NO_BAD_FILE);
    const handle = await start(project, "echo bad > a.txt", 1);
    await expect.poll(() => statusOf(handle, ESCALATION)).toBe("suspended");
    const workspace = join(project.folder, ".segno/worktrees", handle.id, "one.fix1");
    writeFileSync(join(workspace, "a.txt"), "good\n");
    await handle.approve(ESCALATION, { by: "ada" });
    await handle.result();
    expect(project.git("show", "main:a.txt")).toBe("good");
  });

  it("CODE-7 of a conflict lands a merge that a person made in the kept workspace", async () => {
    await using project = projectWith("true");
    // The branch of the workflow gets another change of the file while the agent works.
    const script = "echo agent > a.txt; git update-ref refs/heads/workflow/$SEGNO_WORKFLOW_ID other";
    await project.commitOn("other", project.git("rev-parse", "main") as never, { "a.txt": "other\n" });
    const handle = await start(project, script, 0);
    await expect.poll(() => statusOf(handle, ESCALATION)).toBe("suspended");
    const folder = join(project.folder, ".segno/worktrees", handle.id, "one");
    expect(project.gitIn(folder, "status", "--porcelain")).toBe("");
    expect(() => project.gitIn(folder, "merge", `workflow/${handle.id}`)).toThrow();
    writeFileSync(join(folder, "a.txt"), "both\n");
    project.gitIn(folder, "commit", "--quiet", "--all", "--message", "merged");
    await handle.approve(ESCALATION, { by: "ada" });
    await handle.result();
    expect(project.git("show", "main:a.txt")).toBe("both");
  });
});

describe("a check", () => {
  it("CODE-7 that fails on the base too pauses the workflow and charges no task", async () => {
    await using project = projectWith("test -e repaired.txt");
    const handle = await start(project, "echo work > b.txt");
    await expect.poll(async () => (await handle.status()).status).toBe("paused");
    expect(sessions(project)).toBe(1);
    await project.commitOn("repair", project.git("rev-parse", "main") as never, { "repaired.txt": "r\n" });
    project.git("update-ref", "refs/heads/main", project.git("rev-parse", "repair"));
    await handle.resume();
    await handle.result();
    expect(project.git("ls-tree", "--name-only", "main").split("\n")).toContain("b.txt");
    expect(sessions(project)).toBe(1);
  });

  it("CODE-7 that fails on the base after a resume and after a restart pauses the same merge again", async () => {
    await using project = projectWith("test -e repaired.txt");
    const first = await start(project, "echo work > b.txt");
    await pausedTimes(first, 1);
    await first.resume();
    await pausedTimes(first, 2);
    await expect.poll(() => statusOf(first, "merge-one")).toBe("retrying");
    const second = await reopen(project, first);
    expect((await second.status()).status).toBe("paused");
    const { steps } = await second.status();
    expect(steps.filter(({ name }) => name.startsWith("merge-one/"))).toEqual([]);
    const merge = steps.find(({ name }) => name === "merge-one");
    expect(merge).toMatchObject({ status: "retrying", detail: { failure: { code: "BASE_BROKEN" } } });
    const commit = await project.commitOn("repair", project.git("rev-parse", "main") as never, {
      "repaired.txt": "r\n",
    });
    project.git("update-ref", "refs/heads/main", commit);
    await second.resume();
    await second.result();
    expect(project.git("ls-tree", "--name-only", "main").split("\n")).toContain("b.txt");
    expect(sessions(project)).toBe(1);
  });

  it("CODE-7 that fails once and then passes opens no fix", async () => {
    await using project = projectWith("");
    const count = join(project.root, "checks");
    const script = `echo x >> '${count}'; test "$(wc -l < '${count}')" -gt 1`;
    const commit = await project.commitOn("checked", project.git("rev-parse", "main") as never, { [CHECK]: script });
    project.git("update-ref", "refs/heads/main", commit);
    await (await start(project, "echo work > b.txt")).result();
    expect([project.lines("checks"), sessions(project)]).toEqual([2, 1]);
  });
});
