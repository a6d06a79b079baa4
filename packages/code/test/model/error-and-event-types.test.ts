import { describe, expect, it } from "vitest";
import { classOfError, ERROR_TYPES } from "../../src/model/error-type.ts";
import { EVENT_TYPES } from "../../src/model/event-type.ts";
import { RETRY_POLICY, retryDelay } from "../../src/model/retry-policy.ts";

describe("types of errors", () => {
  it("CODE-8 are eleven in three classes", () => {
    const classes = ERROR_TYPES.map(classOfError);
    const count = (wanted: string): number => classes.filter((each) => each === wanted).length;
    expect([count("transient"), count("recoverable"), count("permanent")]).toEqual([3, 4, 4]);
  });
});

describe("types of events", () => {
  it("CODE-1 are 23 different ones", () => {
    expect(new Set(EVENT_TYPES).size).toBe(23);
  });
});

describe("delays between attempts", () => {
  it("CODE-8 double from one second and stay below thirty", () => {
    expect([1, 2, 3, 4, 5, 6, 20].map((attempts) => retryDelay(RETRY_POLICY, attempts))).toEqual([
      1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
    ]);
  });
});
