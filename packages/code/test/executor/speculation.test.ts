import { describe, expect, it } from "vitest";
import { MemoryAgents } from "../../src/agents/memory-agents.ts";
import { MemoryRepository } from "../../src/git/memory-repository.ts";
import { bareContext } from "../../src/model/workflow-context.ts";
import type { CodeTask } from "../../src/model/task.ts";
import { SpeculativeScheduler } from "../../src/scheduling/speculative-scheduler.ts";
import { SessionManager } from "../../src/sessions/session-manager.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { MemoryVcs } from "../../src/vcs/memory-vcs.ts";
import { MemoryWorkspaces } from "../../src/workspaces/memory-workspaces.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { Gate, template, until, writes } from "./memory-scripts.ts";
import { recorded } from "./recorded-ports.ts";

const CHAIN = template(`
name: chain
tasks:
  - { id: a, instructions: a }
  - { id: b, instructions: b, dependsOn: [a] }
  - { id: c, instructions: c, dependsOn: [a] }
`);

async function open(): Promise<{
  readonly workspaces: MemoryWorkspaces;
  readonly vcs: MemoryVcs;
  readonly sessions: SessionManager;
  readonly calls: string[];
  readonly tasks: readonly CodeTask[];
}> {
  const repository = new MemoryRepository({ "a.txt": "first" });
  const workspaces = new MemoryWorkspaces(repository);
  const vcs = new MemoryVcs(repository);
  await vcs.createBranch("workflow/w", "main");
  const backend = new MemoryTaskBackend();
  const tasks = [
    await backend.createTask({ id: "a", workflowId: "w" }),
    await backend.createTask({ id: "b", workflowId: "w", dependencies: ["a"] }),
    await backend.createTask({ id: "c", workflowId: "w", dependencies: ["a", "b"] }),
  ];
  const calls: string[] = [];
  const sessions = new SessionManager(recorded(workspaces, calls), new MemoryAgents(), { branches: vcs });
  return { workspaces, vcs, sessions, calls, tasks };
}

describe("speculative warm-up", () => {
  it("CODE-10 prepares the workspaces of tasks with one open dependency", async () => {
    const { workspaces, vcs, sessions, tasks } = await open();
    const scheduler = new SpeculativeScheduler(sessions, vcs);
    expect(await scheduler.preExecuteTasks({ context: bareContext("w", "workflow/w"), tasks })).toEqual(["b"]);
    expect(await workspaces.getWorkspacePath("w/b")).toBeDefined();
    const done = tasks.map((task) => (task.id === "a" ? { ...task, status: "completed" as const } : task));
    expect(await scheduler.preExecuteTasks({ context: bareContext("w", "workflow/w"), tasks: done })).toEqual(["c"]);
  });

  it("CODE-10 asks a predictor of the program", async () => {
    const { vcs, sessions, tasks } = await open();
    const scheduler = new SpeculativeScheduler(sessions, vcs, ({ tasks: all }) => all.slice(2));
    expect(await scheduler.preExecuteTasks({ context: bareContext("w", "workflow/w"), tasks })).toEqual(["c"]);
  });

  it("CODE-3 a warm workspace gets the files of the workflow branch as it is when the task starts", async () => {
    const { workspaces, vcs, sessions, calls, tasks } = await open();
    const head = (await vcs.getBranchStatus("workflow/w")).head!;
    await sessions.warmupSession(tasks[1]!, "workflow/w", head);
    vcs.repository.commitOn("workflow/w", { "a.txt": "second" });
    await sessions.createSession(tasks[1]!, "workflow/w");
    expect(workspaces.read("w/b", "a.txt")).toBe("second");
    expect(calls.filter((call) => call === "createWorkspace")).toHaveLength(1);
  });

  it("CODE-9 a wrong guess leaves no workspace behind, and a guess that comes too late changes nothing", async () => {
    const { workspaces, sessions, tasks, vcs } = await open();
    const head = (await vcs.getBranchStatus("workflow/w")).head!;
    const session = await sessions.createSession(tasks[1]!, "workflow/w");
    workspaces.write("w/b", "b.txt", "work");
    expect(await sessions.warmupSession(tasks[1]!, "workflow/w", head)).toBe(false);
    expect(workspaces.read("w/b", "b.txt")).toBe("work");
    await sessions.warmupSession(tasks[2]!, "workflow/w", head);
    await sessions.discardWarmSessions("other");
    expect(await workspaces.getWorkspacePath("w/c")).toBeDefined();
    await sessions.discardWarmSessions("w");
    expect(await workspaces.getWorkspacePath("w/c")).toBeUndefined();
    expect(await workspaces.getWorkspacePath(session.workspaceId)).toBeDefined();
  });

  it("CODE-10 is off by default, and has an effect on a running workflow when it is switched on", async () => {
    for (const speculative of [false, true]) {
      const gate = new Gate();
      await using test: MemoryExecutor = new MemoryExecutor(
        {
          a: async (agent) => {
            await gate.script(agent);
            return await writes(() => test, "a.txt", "a")(agent);
          },
        },
        { speculative },
      );
      const calls: string[] = [];
      const warm = test.executor.sessionManager.warmupSession.bind(test.executor.sessionManager);
      test.executor.sessionManager.warmupSession = (task, ...rest) => {
        calls.push(task.id);
        return warm(task, ...rest);
      };
      const id = await test.executor.instantiateTemplate(CHAIN, {});
      const running = test.executor.executeWorkflow(id);
      await gate.begun;
      if (speculative) await until(() => calls.length === 2);
      gate.open();
      expect((await running).completedTasks).toEqual(["a", "b", "c"]);
      expect(new Set(calls)).toEqual(new Set(speculative ? ["b", "c"] : []));
    }
  });
});

describe("workspaces that were prepared for a workflow", () => {
  it.each(["cancelled", "closed"])("CODE-9 are removed when it is %s", async (end) => {
    const gate = new Gate();
    const test: MemoryExecutor = new MemoryExecutor({ a: gate.script }, { speculative: true });
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    const running = test.executor.executeWorkflow(id).catch(() => undefined);
    await gate.begun;
    await until(async () => (await test.workspaces.getWorkspacePath(`${id}/c`)) !== undefined);
    if (end === "cancelled") await test.executor.cancelWorkflow(id);
    gate.open();
    if (end === "cancelled") await running;
    else await test.executor.close();
    for (const task of ["b", "c"]) expect(await test.workspaces.getWorkspacePath(`${id}/${task}`)).toBeUndefined();
    expect(await test.workspaces.getWorkspacePath(`${id}/a`)).toBeDefined();
    await test.executor.close();
  });
});
