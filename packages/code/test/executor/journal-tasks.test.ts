import { Engine } from "@segno/engine";
import { MemoryStore } from "@segno/engine/testing";
import { describe, expect, it } from "vitest";
import { JournalTasks } from "../../src/executor/journal-tasks.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { Gate, template } from "./memory-scripts.ts";

const CHAIN = template(
  "name: chain\ntasks:\n  - { id: a, instructions: a }\n  - { id: b, instructions: b, dependsOn: [a] }\n",
);

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
