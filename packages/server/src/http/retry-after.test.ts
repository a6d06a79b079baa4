import { describe, expect, it } from "vitest";
import { retryAfter } from "./retry-after.ts";

type Report = Parameters<typeof retryAfter>[0];

const report = (status: string, ...steps: readonly (readonly [string, number])[]): Report =>
  ({ status, steps: steps.map(([each, attempts]) => ({ status: each, attempts })) }) as unknown as Report;

describe("Retry-After", () => {
  it("HTTP-2 is 5 while the execution runs, 10 once it failed, and absent when it will not change", () => {
    expect(retryAfter(report("running", ["running", 1]))).toBe(5);
    expect(retryAfter(report("failed"))).toBe(10);
    expect(retryAfter(report("completed"))).toBeUndefined();
    expect(retryAfter(report("cancelled"))).toBeUndefined();
  });

  it.each([
    [1, 5],
    [2, 10],
    [3, 20],
    [4, 40],
    [5, 60],
    [50, 60],
  ])("HTTP-2 grows with the attempts of a step in backoff: %i gives %i", (attempts, seconds) => {
    expect(retryAfter(report("running", ["retrying", attempts], ["running", 9]))).toBe(seconds);
  });

  it("HTTP-2 is that of the step that is tried again first", () => {
    expect(retryAfter(report("running", ["retrying", 4], ["retrying", 2]))).toBe(10);
  });
});
