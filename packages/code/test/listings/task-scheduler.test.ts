// The first test listing of source 003, with our names.

import { describe, expect, it } from "vitest";
import { TaskScheduler } from "../../src/scheduling/task-scheduler.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";

describe("TaskScheduler", () => {
  it("CODE-1 selects the ready task with the highest priority", () => {
    const scheduler = new TaskScheduler(new MemoryTaskBackend());
    const readyTasks = [
      { id: "1", priority: 1 },
      { id: "2", priority: 5 },
      { id: "3", priority: 3 },
    ];
    const selected = scheduler.selectNextTask(readyTasks, "priority");
    expect(selected.id).toBe("2");
  });
});
