// Text that is larger than a value may be is found, not copied (PLAN-7).

import { expect, it } from "vitest";
import { frozenJson } from "../../src/values/frozen-json.ts";

it("PLAN-7 text far beyond what a value may have is refused at its place", () => {
  const found = "more text than a value may have";
  expect(frozenJson({ list: ["x".repeat(30_000_000)] })).toEqual({ kind: "not-json", path: ["list", 0], found });
});
