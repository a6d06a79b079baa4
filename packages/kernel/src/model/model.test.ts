// Ids, units, JSON and values.

import { describe, expect, it } from "vitest";
import { formatJsonPath, isForbiddenKey, isJsonArray, isJsonObject } from "./json.ts";
import { gracePeriod, isEnabled, RETRY_DEFAULT, retryPolicy } from "./policy.ts";
import { durationMs, stepId } from "./units.ts";
import { inlineValue, NULL_VALUE } from "./value.ts";

describe("JSON", () => {
  it("DATA-8 distinguishes objects, lists and other values", () => {
    const seen = [{}, [], null, 1, "x", true, undefined].map((value) => [isJsonObject(value), isJsonArray(value)]);
    expect(seen).toEqual([[true, false], [false, true], ...Array.from({ length: 5 }, () => [false, false])]);
  });

  it("DATA-8 writes paths as people do", () => {
    expect(formatJsonPath([])).toBe("(document)");
    expect(formatJsonPath(["steps", 3, "dependsOn", 0])).toBe("steps[3].dependsOn[0]");
    expect(formatJsonPath([0, "a"])).toBe("[0].a");
    expect(formatJsonPath(["odd key", 'a"b', "a-b", ""])).toBe('["odd key"]["a\\"b"].a-b[""]');
  });

  it("DATA-6 refuses the keys that could reach a prototype", () => {
    expect(["__proto__", "constructor", "prototype"].every(isForbiddenKey)).toBe(true);
    expect(["proto", "Constructor", "toString"].some(isForbiddenKey)).toBe(false);
  });
});

describe("policies", () => {
  it("FAIL-3 are three attempts, a second, doubling, at most half a minute, without jitter, for transient failures", () => {
    expect(retryPolicy(undefined)).toEqual({
      attempts: 3,
      base: 1000,
      factor: 2,
      max: 30_000,
      jitter: "none",
      on: ["transient"],
      exitCodes: [],
    });
    expect(retryPolicy({ attempts: 1, on: ["timeout"] })).toEqual({ ...RETRY_DEFAULT, attempts: 1, on: ["timeout"] });
    expect(Object.isFrozen(retryPolicy({ factor: 3 }))).toBe(true);
  });

  it("CANCEL-2 give an attempt five seconds to clean up, unless the workflow says otherwise", () => {
    expect(gracePeriod({ name: "w", steps: [] })).toBe(5000);
    expect(gracePeriod({ name: "w", steps: [], grace: durationMs(0) })).toBe(0);
  });

  it("GRAPH-5 a step is enabled unless it says that it is not", () => {
    const step = { id: stepId("a"), action: { kind: "run", script: "" } } as const;
    expect([step, { ...step, enabled: true }, { ...step, enabled: false }].map(isEnabled)).toEqual([true, true, false]);
  });
});

it("JOURNAL-4 a value without content is null, and cannot be changed", () => {
  expect(NULL_VALUE).toEqual(inlineValue(null));
  expect(Object.isFrozen(NULL_VALUE)).toBe(true);
});
