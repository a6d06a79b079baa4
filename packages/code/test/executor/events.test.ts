import { describe, expect, it } from "vitest";
import { EXECUTOR_DEFAULTS } from "../../src/config/executor-config.ts";
import { MemoryExecutor, quick } from "./memory-executor.ts";
import { independent, writes } from "./memory-scripts.ts";

describe("the events of an executor", () => {
  it("CODE-1 are published once each, from the start to the end, before the result is there", async () => {
    await using test: MemoryExecutor = new MemoryExecutor({ a: writes(() => test, "a.txt", "a") });
    await test.executor.executeWorkflow(await test.executor.instantiateTemplate(independent("a"), {}));
    const types = test.events.events.map(({ type }) => type);
    expect(types[0]).toBe("workflow.started");
    expect(types.at(-1)).toBe("workflow.completed");
    expect(types).toContain("task.completed");
    expect(new Set(test.events.events.map(({ id }) => id)).size).toBe(types.length);
    expect(test.executor.metrics()).toMatchObject({ workflows_completed: 1, tasks_completed: 1, sessions_active: 0 });
  });

  it("CODE-13 are not published if they are switched off, and the metrics are kept all the same", async () => {
    const config = { ...quick(EXECUTOR_DEFAULTS), events: { enabled: false, streams: [] } };
    await using test = new MemoryExecutor({}, { config });
    await test.executor.executeWorkflow(await test.executor.instantiateTemplate(independent("a"), {}));
    expect(test.events.events).toEqual([]);
    expect(test.executor.metrics()).toMatchObject({ workflows_completed: 1 });
  });

  it("EVENT-2 a port that fails does not disturb the workflow", async () => {
    await using test = new MemoryExecutor();
    test.events.publish = () => Promise.reject(new Error("down"));
    const id = await test.executor.instantiateTemplate(independent("a"), {});
    expect((await test.executor.executeWorkflow(id)).success).toBe(true);
  });
});
