import { describe, expect, it } from "vitest";
import { describeKind, describeValue, quoteText } from "./describe-value.ts";

describe("the description of a value", () => {
  it.each([
    [undefined, "undefined", "undefined"],
    [null, "null", "null"],
    ["five", "a string", '"five"'],
    [5, "a number", "5"],
    [true, "a boolean", "true"],
    [5n, "a bigint", "a bigint"],
    [() => 5, "a function", "a function"],
    [Symbol("five"), "a symbol", "a symbol"],
    [[5], "a list", "a list"],
    [{ five: 5 }, "an object", "an object"],
  ])("names the kind of %s, and shows a scalar", (value, kind, shown) => {
    expect([describeKind(value), describeValue(value)]).toEqual([kind, shown]);
  });

  it("DATA-9 shows a text whole or not at all, so that a secret in it can be masked", () => {
    expect(quoteText("x".repeat(80))).toBe(`"${"x".repeat(80)}"`);
    expect(quoteText("x".repeat(81))).toBe("a text of 81 characters");
  });
});
