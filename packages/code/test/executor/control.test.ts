import { describe, expect, it } from "vitest";
import { MemoryExecutor } from "./memory-executor.ts";
import { Gate, hangs, independent, template, until } from "./memory-scripts.ts";

const CHAIN = template(
  "name: chain\ntasks:\n  - { id: a, instructions: a }\n  - { id: b, instructions: b, dependsOn: [a] }\n",
);

describe("a workflow with sessions at work", () => {
  it("CODE-10 starts no further session while it is paused, and goes on when it is resumed", async () => {
    const gate = new Gate();
    await using test = new MemoryExecutor({ a: gate.script });
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    const running = test.executor.executeWorkflow(id);
    await gate.begun;
    await test.executor.pauseWorkflow(id);
    expect(await test.executor.getWorkflowStatus(id)).toMatchObject({ state: "paused", activeSessions: 1 });
    gate.open();
    await until(async () => (await test.executor.getWorkflowStatus(id)).activeSessions === 0);
    expect((await test.executor.getWorkflowStatus(id)).state).toBe("paused");
    expect(test.agents.requests.map(({ taskId }) => taskId)).toEqual(["a"]);
    await test.executor.resumeWorkflow(id);
    expect((await running).completedTasks).toEqual(["a", "b"]);
  });

  it("CODE-10 scheduling that is paused pauses the workflow in the engine", async () => {
    const gate = new Gate();
    await using test = new MemoryExecutor({ a: gate.script });
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    const running = test.executor.executeWorkflow(id);
    await gate.begun;
    await test.executor.taskScheduler.pauseScheduling(id);
    expect((await test.executor.getWorkflowStatus(id)).state).toBe("paused");
    await test.executor.taskScheduler.resumeScheduling(id);
    gate.open();
    await running;
  });

  it("CODE-10 ends its agents when it is cancelled, and keeps their workspaces", async () => {
    const { promise: bothBegun, resolve } = Promise.withResolvers<void>();
    let begun = 0;
    const script = hangs(() => {
      if (++begun === 2) resolve();
    });
    await using test = new MemoryExecutor({ a: script, b: script });
    const id = await test.executor.instantiateTemplate(independent("a", "b"), {});
    const running = test.executor.executeWorkflow(id);
    await bothBegun;
    expect(await test.executor.getWorkflowStatus(id)).toMatchObject({ activeSessions: 2, tasksDone: 0, tasksAll: 2 });
    await test.executor.cancelWorkflow(id, "not needed");
    await expect(running).rejects.toThrow("not needed");
    expect(await test.executor.getWorkflowStatus(id)).toMatchObject({
      state: "cancelled",
      error: "not needed",
      activeSessions: 0,
    });
    expect(test.executor.sessionManager.findSession(`${id}-a-1`)).toBeUndefined();
    expect(await test.workspaces.getWorkspacePath(`${id}/a`)).toBeDefined();
    expect(await test.workspaces.getWorkspacePath(`${id}/b`)).toBeDefined();
  });

  it("CODE-10 does not know a workflow that was never started", async () => {
    await using test = new MemoryExecutor();
    await expect(test.executor.getWorkflowStatus("nothing")).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
  });
});
