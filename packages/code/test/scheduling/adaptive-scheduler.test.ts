import { describe, expect, it } from "vitest";
import { AdaptiveScheduler } from "../../src/scheduling/adaptive-scheduler.ts";
import { systemResources } from "../../src/scheduling/resource-monitor.ts";

const READY = Array.from({ length: 30 }, (_, index) => ({ id: `t${index}`, priority: 0 }));

describe("an adaptive scheduler", () => {
  it.each([
    [0, 1],
    [0.1, 1],
    [0.4, 2],
    [1, 5],
    [4, 20],
    [Number.NaN, 1],
    [-3, 1],
  ])("CODE-10 with %d free processors selects %d tasks", (cpu, count) => {
    const scheduler = new AdaptiveScheduler({ getAvailable: () => ({ cpu }) });
    expect(scheduler.selectTasks(READY)).toEqual(READY.slice(0, count));
  });

  it("CODE-10 reads the free processors of the machine", () => {
    const { cpu } = systemResources.getAvailable();
    expect(cpu).toBeGreaterThanOrEqual(0);
    expect(new AdaptiveScheduler().selectTasks(READY).length).toBeGreaterThanOrEqual(1);
  });
});
