import { setImmediate as nextTick } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SystemAlarm } from "./system-alarm.ts";
import { SystemClocks } from "./system-clocks.ts";

/** Clocks that advance by a fixed step each time the monotonic clock is read. */
function steppingClocks(stepMs: number): { readonly clocks: SystemClocks; readonly read: () => number } {
  let now = 0;
  const monotonic = (): number => (now += stepMs);
  return { clocks: new SystemClocks({ wall: () => 0, monotonic, sinceBoot: () => now }), read: () => now };
}

const ring = (alarm: SystemAlarm, monotonic: number, wall = Infinity): Promise<void> =>
  new Promise((resolve) => alarm.set({ monotonic, wall }, resolve));

describe("the alarm of the system", () => {
  it("A1 fires when the monotonic clock shows its time, and not before", async () => {
    for (const dueMs of [0.01, 0.3, 0.99, 1, 1.5, 2.7, 7]) {
      const clocks = new SystemClocks();
      const dueAt = clocks.monotonic() + dueMs;
      await ring(new SystemAlarm(clocks), dueAt);
      expect(clocks.monotonic()).toBeGreaterThanOrEqual(dueAt);
    }
  });

  it("A3 spends the last millisecond without a timer", async () => {
    const { clocks, read } = steppingClocks(0.05);
    await ring(new SystemAlarm(clocks), 1);
    expect(read()).toBeGreaterThanOrEqual(1);
    // A timer would have read the clock once or twice and let the rest of the millisecond pass.
    expect(read()).toBeLessThan(1.2);
  });

  it("A1 fires when the wall clock shows its time, whatever the monotonic clock shows", async () => {
    await ring(new SystemAlarm(new SystemClocks()), Infinity, Date.now() - 1);
  });

  it("A1 a time that was replaced or removed does not fire", async () => {
    const alarm = new SystemAlarm(new SystemClocks());
    const rung: string[] = [];
    alarm.set({ monotonic: 0, wall: Infinity }, () => rung.push("replaced"));
    alarm.set({ monotonic: 1, wall: Infinity }, () => rung.push("removed"));
    alarm.set(undefined, () => undefined);
    for (let tick = 0; tick < 5; tick++) await nextTick();
    await ring(alarm, 0);
    expect(rung).toEqual([]);
  });
});
