import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Quota } from "./resource.ts";
import { QuotaWindow } from "./quota-window.ts";

const PER_MS = 1000;

it("SCHED-4 no interval of the window's length, wherever it begins, contains more than the rate", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ afterMs: fc.nat(400), amount: fc.integer({ min: 1, max: 3 }) }), { maxLength: 60 }),
      fc.integer({ min: 3, max: 6 }),
      (commands, rate) => {
        const window = new QuotaWindow(PER_MS);
        const used: { readonly atMs: number; readonly amount: number }[] = [];
        let nowMs = 0;
        for (const { afterMs, amount } of commands) {
          nowMs += afterMs;
          if (window.usedAt(nowMs) + amount > rate) continue;
          window.record(nowMs, amount);
          used.push({ atMs: nowMs, amount });
        }
        for (const { atMs } of used) {
          const within = used.filter((each) => each.atMs >= atMs && each.atMs < atMs + PER_MS);
          expect(within.reduce((sum, { amount }) => sum + amount, 0)).toBeLessThanOrEqual(rate);
        }
      },
    ),
    { numRuns: 300 },
  );
});

it("SCHED-4 usage counts for exactly the length of the window", () => {
  const window = new QuotaWindow(PER_MS);
  window.record(0, 2);
  window.record(300, 1);
  expect([window.usedAt(999), window.expiresAtMs, window.fallsAtMs(0, 999)]).toEqual([3, 1000, 1300]);
  expect([window.usedAt(1000), window.usedAt(1299), window.usedAt(1300)]).toEqual([1, 1, 0]);
  expect(window.expiresAtMs).toBeUndefined();
});

it("SCHED-4 the memory for a high rate is bounded, and usage never counts less than it was", () => {
  const window = new QuotaWindow(1_000_000);
  for (let atMs = 0; atMs < 100_000; atMs++) window.record(atMs, 1);
  expect(window.entries).toBeLessThan(5000);
  expect(window.usedAt(999_999)).toBe(100_000);
  for (const atMs of [10, 1000, 50_000, 99_000]) {
    const left = window.usedAt(1_000_000 + atMs);
    expect(left).toBeGreaterThanOrEqual(100_000 - atMs - 1);
    expect(left).toBeLessThan(100_000 - atMs + 1000);
  }
  expect(window.usedAt(1_100_000)).toBe(0);
});

it("SCHED-4 a new window of a quota includes the usage from before it was declared", () => {
  const quota = new Quota("api", "declared");
  quota.toDemand(1, 10, PER_MS);
  quota.use(0, 3);
  const { meter } = quota.toDemand(1, 10, PER_MS * 2);
  expect([meter.usedAt(500), meter.usedAt(1999), meter.usedAt(2000)]).toEqual([3, 3, 0]);
});
