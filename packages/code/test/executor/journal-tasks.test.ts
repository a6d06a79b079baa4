import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Engine } from "@segno/engine";
import { MemoryStore } from "@segno/engine/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AgentScript } from "../../src/agents/memory-agents.ts";
import { JournalTasks } from "../../src/executor/journal-tasks.ts";
import type { CodeTask } from "../../src/model/task.ts";
import type { TaskBackend } from "../../src/tasks/task-backend.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { Gate, independent, template, writes } from "./memory-scripts.ts";

const CHAIN = template(
  "name: chain\ntasks:\n  - { id: a, instructions: a }\n  - { id: b, instructions: b, dependsOn: [a] }\n",
);

const OWN_STORE = { ports: { taskBackend: undefined as never } };

/** An agent that changes the tasks of its workflow. */
function changes(
  test: () => MemoryExecutor,
  change: (tasks: TaskBackend, workflowId: string) => Promise<unknown>,
): AgentScript {
  return async ({ request: { workflowId } }) => {
    await change(test().executor.taskBackend, workflowId);
    return undefined;
  };
}

const workers = (test: MemoryExecutor): readonly string[] => test.agents.requests.map(({ taskId }) => taskId);

describe("tasks in the engine's own store", () => {
  it("CODE-1 are the default, and follow the journal", async () => {
    const gate = new Gate();
    await using engine = await Engine.open({ store: new MemoryStore() });
    const tasks = new JournalTasks(engine);
    await using test: MemoryExecutor = new MemoryExecutor({ a: gate.script }, { engine, ...OWN_STORE });
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    const running = test.executor.executeWorkflow(id);
    await gate.begun;
    expect(await tasks.getTask(`${id}-a`)).toMatchObject({ status: "in_progress", blockedTasks: [`${id}-b`, id] });
    expect(await tasks.getTask(`${id}-b`)).toMatchObject({ status: "open", dependencies: [`${id}-a`] });
    expect(await tasks.findReadyTasks(id)).toEqual([]);
    expect(await tasks.getTask(id)).toMatchObject({ status: "in_progress", type: "workflow" });
    await tasks.completeTask(`${id}-b`, { success: true });
    await tasks.updateTask(`${id}-b`, { status: "completed" });
    expect((await tasks.getTask(`${id}-b`))!.status).toBe("open");
    gate.open();
    await running;
    expect(await tasks.getTask(`${id}-b`)).toMatchObject({ status: "completed", result: { success: true } });
    expect(await tasks.claimTask(`${id}-b`, "anybody")).toBe(false);
  });

  it("CODE-1 LEASE-4 of the template are given to no other executor", async () => {
    const gate = new Gate();
    await using test: MemoryExecutor = new MemoryExecutor({ a: gate.script }, OWN_STORE);
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    const running = test.executor.executeWorkflow(id);
    await gate.begun;
    for (const task of ["a", "b"]) expect(await test.executor.taskBackend.claimTask(`${id}-${task}`, "me")).toBe(false);
    gate.open();
    await running;
    expect(workers(test)).toEqual(["a", "b"]);
  });

  it("CODE-1 keep their texts and dependencies once they are steps", async () => {
    const gate = new Gate();
    await using test: MemoryExecutor = new MemoryExecutor({ a: gate.script }, OWN_STORE);
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    const running = test.executor.executeWorkflow(id);
    await gate.begun;
    const refused = { code: "TASKS_FIXED" };
    const tasks = test.executor.taskBackend;
    await tasks.createTask({ id: `${id}-z`, workflowId: id });
    await expect(tasks.addDependency(`${id}-b`, `${id}-z`)).rejects.toMatchObject(refused);
    await expect(tasks.updateTask(`${id}-a`, { title: "other" })).rejects.toMatchObject(refused);
    gate.open();
    await running;
    await expect(tasks.updateTask(`${id}-z`, { title: "other" })).rejects.toMatchObject(refused);
    await expect(tasks.createTask({ id: `${id}-y`, workflowId: id })).rejects.toMatchObject(refused);
    expect(await tasks.getTask(`${id}-y`)).toBeUndefined();
  });
});

describe("tasks that are added to the engine's own store", () => {
  it("CODE-1 become steps, with their changes and dependencies, before the workflow lands", async () => {
    const add = changes(
      () => test,
      async (tasks, workflowId) => {
        await tasks.createTask({ id: `${workflowId}-more`, workflowId, title: "More ${ x }" });
        await tasks.createTask({ id: `${workflowId}-extra`, workflowId, dependencies: [`${workflowId}-a`] });
        await tasks.addDependency(`${workflowId}-more`, `${workflowId}-extra`);
        await tasks.updateTask(`${workflowId}-more`, { instructions: "do more" });
      },
    );
    await using test: MemoryExecutor = new MemoryExecutor(
      { a: add, extra: writes(() => test, "extra.txt", "extra"), more: writes(() => test, "more.txt", "more") },
      OWN_STORE,
    );
    const id = await test.executor.instantiateTemplate(CHAIN, {}, "w-1");
    expect((await test.executor.executeWorkflow(id)).completedTasks).toEqual(["a", "b", "extra", "more"]);
    expect([...test.repository.read(test.repository.resolve("refs/heads/main")!).files.keys()]).toEqual([
      "extra.txt",
      "more.txt",
    ]);
    expect(test.agents.requests.at(-1)!.context).toMatchObject({
      title: "More ${ x }",
      instructions: "do more",
      artefacts: { extra: { changedFiles: ["extra.txt"] } },
    });
    const tasks = test.executor.taskBackend;
    const result = { success: true, commit: expect.any(String) as string };
    expect(await tasks.getTask("w-1-more")).toMatchObject({ status: "completed", dependencies: ["w-1-extra"], result });
    expect((await tasks.getTask("w-1-a"))!.blockedTasks).toEqual(["w-1-b", "w-1", "w-1-extra"]);
  });

  it("CODE-1 are found again and again until there are none", async () => {
    const next: AgentScript = async ({ request: { workflowId, taskId } }) => {
      const number = Number(taskId.slice(1));
      const id = `${workflowId}-t${number + 1}`;
      if (number < 4) await test.executor.taskBackend.createTask({ id, workflowId });
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor({ t1: next, t2: next, t3: next, t4: next }, OWN_STORE);
    const id = await test.executor.instantiateTemplate(independent("t1"), {});
    expect((await test.executor.executeWorkflow(id)).completedTasks).toEqual(["t1", "t2", "t3", "t4"]);
  });
});

describe("an added task in the engine's own store", () => {
  it("CODE-1 that another executor has done is not done again", async () => {
    const add = changes(
      () => test,
      async (tasks, workflowId) => {
        const id = `${workflowId}-extra`;
        await tasks.createTask({ id, workflowId });
        expect(await tasks.claimTask(id, "e1")).toBe(true);
        await tasks.completeTask(id, { success: true, summary: "done there" });
      },
    );
    await using test: MemoryExecutor = new MemoryExecutor({ a: add }, OWN_STORE);
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    await test.executor.executeWorkflow(id);
    expect(workers(test)).toEqual(["a", "b"]);
    expect(await test.executor.taskBackend.getTask(`${id}-extra`)).toMatchObject({
      status: "completed",
      claimedBy: "e1",
      result: { summary: "done there" },
    });
  });

  it("CODE-1 LEASE-4 is given to no other executor while the engine works on it, whatever the time is", async () => {
    const late = new JournalTasks(() => Promise.resolve(engine), { now: () => Date.now() + 3_600_000 });
    const claims: unknown[] = [];
    await using engine = await Engine.open({ store: new MemoryStore() });
    await using test: MemoryExecutor = new MemoryExecutor(
      {
        a: changes(
          () => test,
          (tasks, workflowId) => tasks.createTask({ id: `${workflowId}-extra`, workflowId }),
        ),
        extra: changes(
          () => test,
          async (_tasks, workflowId) => {
            claims.push(await late.claimTask(`${workflowId}-extra`, "me"), await late.getTask(`${workflowId}-extra`));
          },
        ),
      },
      { engine, ...OWN_STORE },
    );
    await test.executor.executeWorkflow(await test.executor.instantiateTemplate(CHAIN, {}));
    expect(claims).toMatchObject([false, { status: "in_progress" }]);
    expect(workers(test)).toEqual(["a", "b", "extra"]);
  });
});

describe("an added task", () => {
  it.each(["extra", "other-extra", "w-1-Bad", "w-1-", "w-1-../x"])("CODE-1 cannot have the id %s", async (id) => {
    const gate = new Gate();
    await using test: MemoryExecutor = new MemoryExecutor({ a: gate.script }, OWN_STORE);
    const running = test.executor.executeWorkflow(await test.executor.instantiateTemplate(CHAIN, {}, "w-1"));
    await gate.begun;
    const tasks = test.executor.taskBackend;
    await expect(tasks.createTask({ id, workflowId: "w-1" })).rejects.toMatchObject({ code: "TASK_ID_INVALID" });
    gate.open();
    await running;
  });

  it("CODE-1 survives a restart before it is a step", async () => {
    const folder = mkdtempSync(join(tmpdir(), "segno-journal-tasks-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const store = { file: join(folder, "segno.db"), durability: "relaxed" } as const;
    const gate = new Gate();
    const begin = async (): Promise<void> => {
      await using engine = await Engine.open(store);
      await using test: MemoryExecutor = new MemoryExecutor({ a: gate.script }, { engine, ...OWN_STORE });
      test.executor.executeWorkflow(await test.executor.instantiateTemplate(CHAIN, {}, "w")).catch(() => undefined);
      await gate.begun;
      await test.executor.taskBackend.createTask({ id: "w-extra", workflowId: "w", instructions: "do extra" });
    };
    await begin();
    await using engine = await Engine.open(store);
    await using test: MemoryExecutor = new MemoryExecutor({}, { engine, ...OWN_STORE });
    await test.vcs.createBranch("workflow/w", "main");
    expect((await test.executor.executeWorkflow("w")).completedTasks).toEqual(["a", "b", "extra"]);
  });
});

/** Stops the looks for new tasks when they have read them. */
class SlowLooks extends JournalTasks {
  readonly looks: Gate[] = [new Gate(), new Gate()];
  #count = 0;

  override async findReadyTasks(workflowId: string): Promise<readonly CodeTask[]> {
    const found = await super.findReadyTasks(workflowId);
    await this.looks[this.#count++]?.script({} as never);
    return found;
  }
}

function receivesSignal(engine: Engine): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  engine.subscribe({ kinds: ["signal.received"] }, () => resolve());
  return promise;
}

describe("a task that is added while the workflow looks for new tasks", () => {
  it.each([
    ["is refused if that was the last look", []],
    ["waits for the next look if there is one", ["first"]],
  ])("CODE-1 %s", async (_, before) => {
    await using engine = await Engine.open({ store: new MemoryStore() });
    const tasks = new SlowLooks(engine);
    await using test: MemoryExecutor = new MemoryExecutor(
      {
        a: changes(
          () => test,
          async (_tasks, workflowId) => {
            for (const id of before) await tasks.createTask({ id: `w-${id}`, workflowId });
          },
        ),
      },
      { engine, ports: { taskBackend: tasks } },
    );
    const running = test.executor.executeWorkflow(await test.executor.instantiateTemplate(CHAIN, {}, "w"));
    await tasks.looks[0]!.begun;
    const received = receivesSignal(engine);
    let outcome = "unknown";
    const late = tasks.createTask({ id: "w-late", workflowId: "w" }).then(
      () => (outcome = "added"),
      (error: { readonly code: string }) => (outcome = error.code),
    );
    await received;
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    expect(outcome).toBe("unknown");
    for (const look of tasks.looks) look.open();
    const { completedTasks } = await running;
    const isAdded = before.length > 0;
    expect(await late).toBe(isAdded ? "added" : "TASKS_FIXED");
    expect(completedTasks).toEqual(["a", "b", ...before, ...(isAdded ? ["late"] : [])]);
    expect((await tasks.getTask("w-late"))?.status).toBe(isAdded ? "completed" : undefined);
  });
});
