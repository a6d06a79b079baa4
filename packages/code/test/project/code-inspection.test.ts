import { Engine } from "@segno/engine";
import { stepId } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { MemoryAgents } from "../../src/agents/memory-agents.ts";
import { CodeProject } from "./code-project.ts";
import { inspectCode } from "../../src/project/code-inspection.ts";
import { SessionManager } from "../../src/sessions/session-manager.ts";
import { MemoryWorkspaces } from "../../src/workspaces/memory-workspaces.ts";
import { toCodeTask } from "../../src/steps/backend-task.ts";

const TASK = toCodeTask("w", {
  id: "a",
  title: "a",
  instructions: "a",
  acceptanceCriteria: [],
  dependsOn: [],
  context: {},
  priority: 0,
  type: "task",
  touches: [],
  exclusive: false,
});

describe("an execution that is not a code workflow", () => {
  it("CODE-14 WORKFLOW_NOT_CODE has no tasks to look at", async () => {
    await using engine = await Engine.open({ store: "none" });
    const handle = await engine.start({ name: "plain", steps: [{ id: stepId("a"), action: { kind: "barrier" } }] });
    await handle.result();
    await expect(inspectCode(engine, handle)).rejects.toMatchObject({ code: "WORKFLOW_NOT_CODE" });
  });
});

describe("what can be removed", () => {
  it("CODE-9 is only work that a branch has, whatever markers say", async () => {
    await using project = new CodeProject();
    project.git("checkout", "--quiet", "-b", "mine");
    const agent = project.agent("agent.sh", "echo work > work.txt");
    const handle = await project.start(
      `name: waits\npolicies: { step: manual, workflow: auto }\nagent: worker\nagents: { worker: { command: ["${agent}"] } }\ntasks:\n  - { id: one, instructions: i }\n`,
    );
    const isWaiting = async (): Promise<boolean> =>
      (await handle.status()).steps.some(({ status }) => status === "suspended");
    await expect.poll(isWaiting, { timeout: 60_000 }).toBe(true);
    const branch = `task/${handle.id}-one`;
    project.git("update-ref", `refs/segno/${handle.id}/landed/one`, branch);
    await using inspection = await inspectCode(project.engine!, handle);
    const { removed, kept } = await inspection.clean();
    expect(removed).toEqual([]);
    expect(kept).toContain(branch);
    expect(project.git("show", `${branch}:work.txt`)).toBe("work");
  });
});

describe("a workflow that a forge has squashed", () => {
  it.each([
    ["is removed if the base has its files", "work.txt", true],
    ["is kept if the base has only some of them", "other.txt", false],
  ])("CODE-9 %s", async (_, landed, isRemoved) => {
    await using project = new CodeProject();
    project.git("checkout", "--quiet", "-b", "mine");
    const agent = project.agent("agent.sh", "echo work > work.txt; echo other > other.txt");
    const handle = await project.start(
      `name: waits\npolicies: { step: auto, workflow: manual }\nagent: worker\nagents: { worker: { command: ["${agent}"] } }\ntasks:\n  - { id: one, instructions: i }\n`,
    );
    const isWaiting = async (): Promise<boolean> =>
      (await handle.status()).steps.some(({ status }) => status === "suspended");
    await expect.poll(isWaiting, { timeout: 60_000 }).toBe(true);
    const branch = `workflow/${handle.id}`;
    project.git("checkout", "--quiet", "main");
    project.git("checkout", branch, "--", ...(isRemoved ? ["work.txt", "other.txt"] : [landed]));
    project.git("commit", "--quiet", "--message", "squashed");
    project.git("update-ref", `refs/segno/${handle.id}/landed/_workflow`, "main");
    await using inspection = await inspectCode(project.engine!, handle);
    const { removed, kept } = await inspection.clean();
    expect([removed, kept].map((names) => names.includes(branch))).toEqual([isRemoved, !isRemoved]);
    expect(project.git("branch", "--list", branch)).toBe(isRemoved ? "" : branch);
  });
});

describe("a task that was added", () => {
  it("CODE-1 CODE-9 has changes to look at, and its branch is removed when it has landed", async () => {
    await using project = new CodeProject();
    project.git("checkout", "--quiet", "-b", "mine");
    const agent = project.agent("agent.sh", "echo work >> $(basename $PWD).txt");
    const handle = await project.start(
      `name: grows\npolicies: { step: auto, workflow: manual }\nagent: worker\nagents: { worker: { command: ["${agent}"] } }\ntasks:\n  - { id: one, instructions: i }\n`,
    );
    await project.backend.createTask({ id: "extra", workflowId: handle.id, instructions: "more" });
    const isWaiting = async (): Promise<boolean> =>
      (await handle.status()).steps.some(({ status }) => status === "suspended");
    await expect.poll(isWaiting, { timeout: 60_000 }).toBe(true);
    await using inspection = await inspectCode(project.engine!, handle);
    expect(await inspection.diff("extra")).toContain("+work");
    expect(await inspection.workspacePath("extra")).toBeUndefined();
    await expect(inspection.diff("other")).rejects.toThrow("it has `one`, `extra`");
    const { removed, kept } = await inspection.clean();
    expect([...removed, ...kept].filter((name) => name.includes("extra") && !removed.includes(name))).toEqual([]);
    expect(project.git("branch", "--list", `task/${handle.id}-extra`)).toBe("");
  });
});

describe("a session that has not ended", () => {
  it("CODE-4 TASK_FAILED has no results", async () => {
    const workspaces = new MemoryWorkspaces();
    const sessions = new SessionManager(workspaces, new MemoryAgents());
    const base = workspaces.repository.resolve("refs/heads/main")!;
    const session = await sessions.createSession(TASK, base);
    await expect(sessions.captureResults(session)).rejects.toMatchObject({ code: "TASK_FAILED" });
    await sessions.executeTask(session);
    expect(await sessions.captureResults(session)).toMatchObject({ success: true });
  });
});
