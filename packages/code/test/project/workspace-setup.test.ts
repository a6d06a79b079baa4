// The set-up of workspaces, in whole workflows on a real repository.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecutionHandle, StepReport } from "@segno/engine";
import { describe, expect, it } from "vitest";
import { EXECUTOR_DEFAULTS } from "../../src/config/executor-config.ts";
import { quick } from "../executor/memory-executor.ts";
import { CodeProject } from "./code-project.ts";

/** A repository whose checks need a file that only the set-up makes. */
function projectWithSetUp(): CodeProject {
  const project = new CodeProject({ "a.txt": "one\n", ".gitignore": "installed\n" });
  project.git("checkout", "--quiet", "-b", "mine");
  return project;
}

interface Plan {
  readonly setup?: string;
  readonly script?: string;
  readonly fixes?: number;
}

/** Each set-up adds a line to `setups`, with the name of its workspace. */
async function start(project: CodeProject, { setup = "true", script = "", fixes = 2 }: Plan): Promise<ExecutionHandle> {
  const agent = project.agent("agent.sh", `test -e installed; ${script || "echo work > b.txt"}`);
  const commands = [`basename "$PWD" >> '${project.root}/setups'`, setup, "touch installed"];
  const config = quick(EXECUTOR_DEFAULTS);
  return await project.start(
    `name: prepared
setup: ${JSON.stringify(commands)}
policies: { step: checks, workflow: checks, checks: ["test -e installed", "! grep -q bad a.txt"] }
agent: worker
agents: { worker: { command: ["${agent}"] } }
tasks: [{ id: one, instructions: i }]
`,
    { ...config, integration: { ...config.integration, maxFixAttempts: fixes } },
  );
}

function setups(project: CodeProject): readonly string[] {
  return readFileSync(join(project.root, "setups"), "utf8").trim().split("\n");
}

async function step(handle: ExecutionHandle, wanted: string): Promise<StepReport | undefined> {
  return (await handle.status()).steps.find(({ name }) => name === wanted);
}

describe("the set-up of a workspace", () => {
  it("BEYOND-5 CODE-5 runs once for the task, once for its fix and once for the landing", async () => {
    await using project = projectWithSetUp();
    const script = 'case "$SEGNO_TASK_KIND" in task) echo bad > a.txt ;; *) echo good > a.txt ;; esac';
    await (await start(project, { script })).result();
    expect(setups(project)).toEqual(["one", "one.fix1", "workflow.landing"]);
    expect(project.git("show", "main:a.txt")).toBe("good");
  });

  it("BEYOND-5 CODE-7 runs in the workspace that checks the repair of a person", async () => {
    await using project = projectWithSetUp();
    const handle = await start(project, { script: "echo bad > a.txt", fixes: 0 });
    await expect.poll(async () => (await step(handle, "merge-one/escalation"))?.status).toBe("suspended");
    writeFileSync(join(project.folder, ".segno/worktrees", handle.id, "one/a.txt"), "good\n");
    await handle.approve("merge-one/escalation", { by: "ada" });
    await handle.result();
    expect(setups(project)).toEqual(["one", "one.check", "workflow.landing"]);
  });

  it("BEYOND-5 is repeated after a crash in a workspace for checks that it had not finished", async () => {
    await using project = projectWithSetUp();
    const hangs = `case "$PWD" in */workflow.landing) test -e '${project.root}/again' || sleep 600 ;; esac`;
    const first = await start(project, { setup: hangs });
    await expect.poll(() => setups(project)).toEqual(["one", "workflow.landing"]);
    await project.closeEngine();
    writeFileSync(join(project.root, "again"), "");
    await (await (await project.openEngine()).get(first.id)).result();
    expect(setups(project)).toEqual(["one", "workflow.landing", "workflow.landing"]);
  });
});

describe("a set-up that fails", () => {
  it("CODE-8 CODE-9 fails the task with its own code, a kept workspace and a debug bundle", async () => {
    await using project = projectWithSetUp();
    const handle = await start(project, { setup: "echo no network >&2; exit 3" });
    await expect(handle.result()).rejects.toThrow(/`echo no network >&2; exit 3` ended with 3/u);
    const failure = { code: "SETUP_FAILED" };
    expect((await step(handle, "session-one"))?.detail).toMatchObject({ kind: "failure", failure });
    expect(setups(project)).toEqual(["one", "one", "one"]);
    const bundle = readFileSync(join(project.folder, `.segno/sessions/${handle.id}-one-3/debug.json`), "utf8");
    expect(JSON.parse(bundle)).toMatchObject({ setUp: { exitCode: 3, log: "no network\n" } });
    expect(existsSync(join(project.folder, ".segno/worktrees", handle.id, "one/a.txt"))).toBe(true);
  });

  it("CODE-7 CODE-8 for a landing does not call the base broken, and no agent gets a fix", async () => {
    await using project = projectWithSetUp();
    const handle = await start(project, { setup: 'case "$PWD" in */workflow.landing) echo broken; exit 4 ;; esac' });
    await expect(handle.result()).rejects.toThrow(/ended with 4/u);
    expect((await step(handle, "land"))?.detail).toMatchObject({ failure: { code: "SETUP_FAILED" } });
    expect(await step(handle, "land/fix-1")).toBeUndefined();
    const bundle = readFileSync(
      join(project.folder, `.segno/sessions/${handle.id}-workflow.landing/debug.json`),
      "utf8",
    );
    expect(JSON.parse(bundle)).toMatchObject({ setUp: { exitCode: 4, log: "broken\n" } });
  });
});
