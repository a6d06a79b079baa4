import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Engine } from "@segno/engine";
import { MemoryStore } from "@segno/engine/testing";
import { afterAll, describe, expect, it } from "vitest";
import type { AgentScript } from "../../src/agents/memory-agents.ts";
import { JournalTasks } from "../../src/executor/journal-tasks.ts";
import { FileTaskBackend } from "../../src/tasks/file-tasks.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { Gate, independent, template, writes } from "./memory-scripts.ts";
import { recorded } from "./recorded-ports.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-backends-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CHAIN = template(
  "name: chain\ntasks:\n  - { id: a, instructions: a }\n  - { id: b, instructions: b, dependsOn: [a] }\n",
);

const workers = (test: MemoryExecutor): readonly string[] => test.agents.requests.map(({ taskId }) => taskId);

describe("tasks that appear in the backend while a workflow runs", () => {
  it("CODE-1 become steps, with their dependencies, before the workflow lands", async () => {
    const add: AgentScript = async ({ request: { workflowId } }) => {
      const task = (id: string, dependencies: readonly string[]): Promise<unknown> =>
        test.backend.createTask({ id, workflowId, dependencies, title: `New \${ id }`, instructions: `do ${id}` });
      await task("extra", [`${workflowId}-a`]);
      await task(`${workflowId}-more`, ["extra"]);
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor({
      a: add,
      extra: writes(() => test, "extra.txt", "extra"),
      more: writes(() => test, "more.txt", "more"),
    });
    const id = await test.executor.instantiateTemplate(CHAIN, {}, "w1");
    const result = await test.executor.executeWorkflow(id);
    expect(result.completedTasks).toEqual(["a", "b", "extra", "more"]);
    expect(workers(test)).toEqual(["a", "b", "extra", "more"]);
    expect([...test.repository.read(test.repository.resolve("refs/heads/main")!).files.keys()]).toEqual([
      "extra.txt",
      "more.txt",
    ]);
    expect((await test.backend.getTask("extra"))!.status).toBe("completed");
    expect(test.agents.requests.at(-1)!.context).toMatchObject({
      title: "New ${ id }",
      instructions: "do w1-more",
      artefacts: { extra: { changedFiles: ["extra.txt"] } },
    });
    expect(await test.executor.getWorkflowStatus(id)).toMatchObject({ tasksDone: 4, tasksAll: 4 });
    const types = (task: string): readonly string[] =>
      test.events.events.filter(({ taskId }) => taskId === task).map(({ type }) => type);
    expect(types("more")).toEqual(types("b"));
    expect(types("more")).toContain("task.scheduled");
  });

  it("CODE-1 are found again and again until there are none", async () => {
    const next: AgentScript = async ({ request: { workflowId, taskId } }) => {
      const number = Number(taskId.slice(1));
      if (number < 4) await test.backend.createTask({ id: `t${number + 1}`, workflowId });
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor({ t1: next, t2: next, t3: next, t4: next });
    const id = await test.executor.instantiateTemplate(independent("t1"), {});
    expect((await test.executor.executeWorkflow(id)).completedTasks).toEqual(["t1", "t2", "t3", "t4"]);
  });

  it.each([
    ["cannot be part of a branch name", "Bad Id", "TASK_ID_INVALID"],
    ["is the name of another task", "a", "TASK_ID_INVALID"],
  ])("CODE-1 fail the workflow if their id %s", async (_, bad, code) => {
    const add: AgentScript = async ({ request: { workflowId } }) => {
      await test.backend.createTask({ id: bad, workflowId });
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor({ a: add });
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    await expect(test.executor.executeWorkflow(id)).rejects.toMatchObject({ code });
  });

  it("CODE-1 that wait for each other end the workflow, and the error names the cycle", async () => {
    const backend = new MemoryTaskBackend();
    const cyclic = Object.create(backend) as MemoryTaskBackend;
    const cycle = { x: "y", y: "x" } as Record<string, string>;
    cyclic.getTask = async (taskId) => {
      const found = await backend.getTask(taskId);
      const other = cycle[taskId];
      return found === undefined || other === undefined ? found : { ...found, dependencies: [other] };
    };
    const delegate = new Proxy(backend, {
      get: (target, name) =>
        name === "getTask"
          ? cyclic.getTask
          : (Reflect.get(target, name, target) as (...all: unknown[]) => unknown).bind(target),
    });
    const add: AgentScript = async ({ request: { workflowId } }) => {
      for (const id of ["x", "y"]) await backend.createTask({ id, workflowId, dependencies: [`${workflowId}-a`] });
      await backend.claimTask("x", "nobody");
      await backend.claimTask("y", "nobody");
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor({ a: add }, { ports: { taskBackend: delegate } });
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    await expect(test.executor.executeWorkflow(id)).rejects.toMatchObject({
      code: "WORKFLOW_DEADLOCKED",
      message: expect.stringMatching(/x -> y -> x|y -> x -> y/u) as string,
    });
  });

  it("CODE-1 that wait for a task that does not exist end the workflow with its name", async () => {
    const add: AgentScript = async ({ request: { workflowId } }) => {
      await test.backend.createTask({ id: "x", workflowId, dependencies: [`${workflowId}-a`, "ghost"] });
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor({ a: add });
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    await expect(test.executor.executeWorkflow(id)).rejects.toMatchObject({
      code: "WORKFLOW_DEADLOCKED",
      message: expect.stringContaining("`ghost`") as string,
    });
  });
});

describe("a new task", () => {
  it("CODE-1 that would close a cycle is refused", async () => {
    const backend = new MemoryTaskBackend();
    await backend.createTask({ id: "a", workflowId: "w", dependencies: ["b"] });
    await expect(backend.createTask({ id: "b", workflowId: "w", dependencies: ["a"] })).rejects.toMatchObject({
      code: "TASK_CYCLE",
    });
    await expect(backend.createTask({ id: "c", workflowId: "w", dependencies: ["c"] })).rejects.toThrow("c -> c");
  });
});

describe("two executors on one backend", () => {
  it("CODE-1 never run one task twice, and both finish", async () => {
    const tasks = ["a", "b", "c", "d", "e"];
    const file = join(folder, "shared.jsonl");
    const gate = new Gate();
    const script = (test: () => MemoryExecutor, id: string): AgentScript => {
      const write = writes(test, `${id}.txt`, id);
      return async (agent) => {
        if (id === "a") await gate.script(agent);
        return await write(agent);
      };
    };
    const open = (shared?: MemoryExecutor): MemoryExecutor => {
      const test: MemoryExecutor = new MemoryExecutor(
        Object.fromEntries(tasks.map((id) => [id, script(() => shared ?? test, id)])),
        {
          ports: {
            taskBackend: new FileTaskBackend(file),
            ...(shared === undefined ? {} : { workspacePort: shared.workspaces, vcsPort: shared.vcs }),
          },
        },
      );
      return test;
    };
    await using one = open();
    await using two = open(one);
    const running = await Promise.all(
      [one, two]
        .map(async ({ executor }) =>
          executor.executeWorkflow(await executor.instantiateTemplate(independent(...tasks), {}, "shared")),
        )
        .map(async (run, index) => {
          if (index === 0) {
            await gate.begun;
            gate.open();
          }
          return await run;
        }),
    );
    expect(running.map(({ completedTasks }) => completedTasks)).toEqual([tasks, tasks]);
    expect([...workers(one), ...workers(two)].toSorted()).toEqual(tasks);
    expect([...one.repository.read(one.repository.resolve("refs/heads/main")!).files.keys()]).toEqual(
      tasks.map((id) => `${id}.txt`),
    );
  });

  it("CODE-1 ask for the claim before the session, and write the status after the landing", async () => {
    const calls: string[] = [];
    await using test: MemoryExecutor = new MemoryExecutor(
      {
        a: () => void calls.push("agent") as undefined,
      },
      { ports: { taskBackend: recorded(new MemoryTaskBackend(), calls) } },
    );
    await test.executor.executeWorkflow(await test.executor.instantiateTemplate(independent("a"), {}));
    expect(calls.filter((call) => ["claimTask", "agent", "completeTask"].includes(call))).toEqual([
      "claimTask",
      "agent",
      "completeTask",
    ]);
  });

  it("CODE-10 an executor that is opened again keeps the claims of its executions", async () => {
    const file = join(folder, "claims.db");
    const backend = new MemoryTaskBackend();
    const claims: string[] = [];
    const claim = backend.claimTask.bind(backend);
    backend.claimTask = (task, by) => {
      claims.push(by);
      return claim(task, by);
    };
    const gate = new Gate();
    const engine = await Engine.open({ file });
    const first: MemoryExecutor = new MemoryExecutor({ a: gate.script }, { engine, ports: { taskBackend: backend } });
    const id = await first.executor.instantiateTemplate(independent("a"), {});
    const running = first.executor.executeWorkflow(id).catch(() => undefined);
    await gate.begun;
    await engine.close({ drainMs: 0 });
    gate.open();
    await running;
    await using again = await Engine.open({ file });
    await using second: MemoryExecutor = new MemoryExecutor(
      {},
      {
        engine: again,
        ports: { taskBackend: backend, workspacePort: first.workspaces, vcsPort: first.vcs },
      },
    );
    expect((await second.executor.executeWorkflow(id)).completedTasks).toEqual(["a"]);
    expect(new Set(claims).size).toBe(1);
  });
});

describe("tasks in the engine's own store", () => {
  it("CODE-1 are the default, and follow the journal", async () => {
    const gate = new Gate();
    await using engine = await Engine.open({ store: new MemoryStore() });
    const tasks = new JournalTasks(engine);
    await using test: MemoryExecutor = new MemoryExecutor(
      { a: gate.script },
      { engine, ports: { taskBackend: undefined as never } },
    );
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    const running = test.executor.executeWorkflow(id);
    await gate.begun;
    expect(await tasks.getTask(`${id}-a`)).toMatchObject({ status: "in_progress", blockedTasks: [`${id}-b`, id] });
    expect(await tasks.getTask(`${id}-b`)).toMatchObject({ status: "open", dependencies: [`${id}-a`] });
    expect(await tasks.findReadyTasks(id)).toEqual([]);
    expect(await tasks.getTask(id)).toMatchObject({ status: "in_progress", type: "workflow" });
    await tasks.completeTask(`${id}-b`, { success: true });
    expect((await tasks.getTask(`${id}-b`))!.status).toBe("open");
    gate.open();
    await running;
    expect(await tasks.getTask(`${id}-b`)).toMatchObject({ status: "completed", result: { success: true } });
    expect(await tasks.claimTask(`${id}-b`, "anybody")).toBe(false);
  });

  it("CODE-1 refuse a write that the journal does not have", async () => {
    const gate = new Gate();
    await using test: MemoryExecutor = new MemoryExecutor(
      { a: gate.script },
      { ports: { taskBackend: undefined as never } },
    );
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    const running = test.executor.executeWorkflow(id);
    await gate.begun;
    const refused = { code: "TASKS_FIXED" };
    const scheduler = test.executor.taskScheduler;
    expect(await scheduler.getReadyTasks(id)).toEqual([]);
    const tasks = test.executor.taskBackend;
    await expect(tasks.createTask({ id: `${id}-z`, workflowId: id })).rejects.toMatchObject(refused);
    await expect(tasks.addDependency(`${id}-a`, `${id}-b`)).rejects.toMatchObject(refused);
    await expect(tasks.updateTask(`${id}-a`, { title: "other" })).rejects.toMatchObject(refused);
    await expect(tasks.claimTask("nothing", "me")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
    gate.open();
    await running;
  });
});
