import { describe, expect, it } from "vitest";
import type { CodeTask } from "../../src/model/task.ts";
import type { SchedulingStrategy } from "../../src/scheduling/scheduling-strategy.ts";
import { TaskScheduler } from "../../src/scheduling/task-scheduler.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { trackingRecord } from "../../src/tasks/tracking-record.ts";

const RANKED = [
  { id: "a", priority: 1 },
  { id: "b", priority: 5 },
  { id: "c", priority: 5 },
];

async function openScheduler(): Promise<{ readonly backend: MemoryTaskBackend; readonly scheduler: TaskScheduler }> {
  const backend = new MemoryTaskBackend();
  for (const { id, priority } of RANKED) await backend.createTask({ id, priority, workflowId: "w" });
  return { backend, scheduler: new TaskScheduler(backend) };
}

const choosing = (answer: unknown): SchedulingStrategy => ({ selectTask: () => answer as CodeTask });

describe("a task scheduler", () => {
  it.each([
    ["fifo", "a"],
    ["priority", "b"],
    ["parallel", "a"],
  ] as const)("CODE-1 selects by the strategy %s", (strategy, chosen) => {
    expect(new TaskScheduler(new MemoryTaskBackend()).selectNextTask(RANKED, strategy)).toEqual(
      expect.objectContaining({ id: chosen }),
    );
  });

  it("CODE-1 asks the strategy that was set last, with the ready tasks of the backend", async () => {
    const { scheduler } = await openScheduler();
    const ready = await scheduler.getReadyTasks("w");
    expect(scheduler.selectNextTask(ready).id).toBe("b");
    scheduler.setSchedulingStrategy({ selectTask: (tasks) => tasks.at(-1)! });
    expect(scheduler.selectNextTask(ready).id).toBe("c");
    scheduler.setSchedulingStrategy("fifo");
    expect(scheduler.selectNextTask(ready).id).toBe("a");
  });

  it.each<readonly [string, SchedulingStrategy]>([
    [
      "throws",
      {
        selectTask: () => {
          throw new Error("no idea");
        },
      },
    ],
    ["returns a promise", choosing(Promise.resolve(RANKED[0]))],
    ["returns a promise that is rejected", { selectTask: () => Promise.reject(new Error("late")) as never }],
    ["returns a task that is not ready", choosing({ id: "z" })],
    ["returns nothing", choosing(undefined)],
  ])("CODE-1 refuses a strategy that %s", async (_, strategy) => {
    const { scheduler } = await openScheduler();
    const ready = await scheduler.getReadyTasks("w");
    expect(() => scheduler.selectNextTask(ready, strategy)).toThrow(
      expect.objectContaining({ code: "STRATEGY_INVALID" }) as Error,
    );
  });

  it("CODE-1 refuses a strategy that does not exist, and selects nothing from nothing", async () => {
    const { scheduler } = await openScheduler();
    expect(() => scheduler.setSchedulingStrategy("best" as "fifo")).toThrow(/expected fifo, priority, parallel/u);
    expect(() => scheduler.selectNextTask([])).toThrow(/no task is ready/u);
  });

  it("CODE-1 a strategy cannot change the list of ready tasks", async () => {
    const { scheduler } = await openScheduler();
    const ready = await scheduler.getReadyTasks("w");
    const greedy: SchedulingStrategy = { selectTask: (tasks) => (tasks as CodeTask[]).pop()! };
    expect(() => scheduler.selectNextTask(ready, greedy)).toThrow(/it threw/u);
    expect(ready).toHaveLength(3);
  });
});

describe("a task scheduler and its backend", () => {
  it("CODE-1 claims, completes and fails tasks in the backend", async () => {
    const { backend, scheduler } = await openScheduler();
    expect(await scheduler.claimTask("a", "e1")).toBe(true);
    expect(await scheduler.claimTask("a", "e2")).toBe(false);
    await scheduler.markTaskInProgress("b");
    expect((await backend.getTask("b"))!.status).toBe("in_progress");
    await scheduler.markTaskCompleted("a", { success: true, commit: "c1" });
    await scheduler.markTaskFailed("b", new Error("broken"));
    expect(await backend.getTask("a")).toMatchObject({ status: "completed", result: { commit: "c1" } });
    expect(await backend.getTask("b")).toMatchObject({ status: "failed", error: "broken" });
  });

  it("CODE-10 offers and claims nothing while its workflow is paused", async () => {
    const { scheduler } = await openScheduler();
    await scheduler.pauseScheduling("w");
    expect(await scheduler.getReadyTasks("w")).toEqual([]);
    expect(await scheduler.claimTask("a", "e1")).toBe(false);
    await scheduler.resumeScheduling("w");
    expect(await scheduler.getReadyTasks("w")).toHaveLength(3);
    expect(await scheduler.claimTask("a", "e1")).toBe(true);
  });

  it("CODE-1 does not offer the record of the workflow as a task", async () => {
    const { backend, scheduler } = await openScheduler();
    await backend.createTask(trackingRecord("w", "the workflow", []));
    expect((await scheduler.getReadyTasks("w")).map(({ id }) => id)).toEqual(["a", "b", "c"]);
  });
});
