// Suggestions, and the three kinds of error.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KERNEL_CODES } from "./catalogue.ts";
import { invariant, InvariantViolation } from "./invariant-violation.ts";
import { SegnoError } from "./segno-error.ts";
import { closest } from "./suggestion.ts";
import { PermanentError, RetryAfterError } from "./user-errors.ts";

describe("a suggestion", () => {
  it("CONTRACT-3 is the nearest word, if it is near enough to be a slip", () => {
    const words = ["build", "test", "publish", "deploy-all"];
    expect(closest("biuld", words)).toBe("build");
    expect(closest("Build", words)).toBe("build");
    expect(closest("tests", words)).toBe("test");
    expect(closest("deploy_all", words)).toBe("deploy-all");
    expect(closest("zzzzz", words)).toBeUndefined();
    expect(closest("x", words)).toBeUndefined();
    expect(closest("", words)).toBeUndefined();
    expect(closest("build", [])).toBeUndefined();
  });

  it("CONTRACT-3 is the first of those that are equally near", () => {
    expect(closest("cat", ["bat", "rat"])).toBe("bat");
    expect(closest("ab", ["abc", "a"])).toBe("abc");
  });

  it("CONTRACT-3 is the word itself when that is known, and never farther than three changes", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 6 }), (asked, known) => {
        const found = closest(asked, known);
        if (known.includes(asked)) expect(found).toBe(asked);
        if (found === undefined) return;
        const nearest = Math.min(...known.map((each) => distance(asked, each)));
        expect(distance(asked, found)).toBe(nearest);
        expect(nearest).toBeLessThanOrEqual(3);
      }),
    );
  });
});

/** Edit distance by its definition. */
function distance(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  if (a[0] === b[0]) return distance(a.slice(1), b.slice(1));
  return 1 + Math.min(distance(a.slice(1), b), distance(a, b.slice(1)), distance(a.slice(1), b.slice(1)));
}

describe("errors", () => {
  it("CONTRACT-3 a fault has a code of the catalogue, and its cause", () => {
    const cause = new Error("inner");
    const fault = new SegnoError("DEFINITION_INVALID", "outer", { cause });
    expect([fault.name, fault.code, fault.message, fault.cause]).toEqual([
      "SegnoError",
      "DEFINITION_INVALID",
      "outer",
      cause,
    ]);
    for (const { meaning, remedy } of Object.values(KERNEL_CODES)) {
      expect(meaning).toMatch(/\.$/u);
      expect(remedy).toMatch(/\.$/u);
    }
  });

  it("STATE-2 a broken invariant names itself", () => {
    expect(() => invariant(false, "STATE-2", "no such move")).toThrow(InvariantViolation);
    expect(() => invariant(false, "STATE-2", "no such move")).toThrow("STATE-2: no such move");
    expect(() => invariant(true, "STATE-2", "")).not.toThrow();
  });

  it("FAIL-1 user errors are recognized by names, also if the package is loaded twice", () => {
    expect(new PermanentError("no").name).toBe("PermanentError");
    const later = new RetryAfterError("later", 250);
    expect([later.name, later.retryAfterMs]).toEqual(["RetryAfterError", 250]);
  });
});
