// Repetitions that fail, and repetitions that are refused (STATE-13).

import { PermanentError } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { expand, repeat, workflow, type RepeatOptions } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";

const cases: [string, RepeatOptions, (context: never) => unknown, object][] = [
  ["REPEAT_LIMIT never ends", { until: () => false, max: 3 }, () => 1, { code: "REPEAT_LIMIT" }],
  [
    "REPEAT_LIMIT has an expression that never is true",
    { until: "last > `5`", max: 2 },
    () => 1,
    { code: "REPEAT_LIMIT" },
  ],
  [
    "UNTIL_NOT_BOOLEAN has a function that returns no boolean",
    { until: () => 1 as never },
    () => 1,
    { code: "SCOPE_FAILED", cause: { code: "UNTIL_NOT_BOOLEAN" } },
  ],
  [
    "UNTIL_NOT_BOOLEAN has an expression that gives no boolean",
    { until: "last" },
    () => 1,
    { code: "UNTIL_NOT_BOOLEAN" },
  ],
  [
    "CALLBACK_FAILED has a function that throws",
    {
      until: () => {
        throw new Error("boom");
      },
    },
    () => 1,
    { code: "SCOPE_FAILED", cause: { code: "CALLBACK_FAILED" } },
  ],
  [
    "EXPANSION_INVALID returns steps",
    { until: () => true },
    () => expand([{ id: "x", run: "true" }]),
    { code: "SCOPE_FAILED", cause: { code: "EXPANSION_INVALID" } },
  ],
  [
    "OUTPUT_NOT_JSON begins with a value that is not JSON",
    { first: new Map(), max: 1 },
    () => 1,
    { code: "SCOPE_FAILED", cause: { code: "OUTPUT_NOT_JSON" } },
  ],
  [
    "OUTPUT_NOT_JSON returns a value that is not JSON",
    { until: () => true },
    () => new Map(),
    { code: "SCOPE_FAILED", cause: { code: "OUTPUT_NOT_JSON" } },
  ],
  [
    "FAIL-2 fails for good",
    { max: 3 },
    () => {
      throw new PermanentError("boom");
    },
    { code: "SCOPE_FAILED", message: "`turns/0` failed: boom" },
  ],
];

describe("a repetition that goes wrong", () => {
  it.each(cases)("%s", async (_, options, work, failure) => {
    await using test = await openTestEngine();
    const handle = await test.start(workflow("loop").step("turns", repeat(options as never, work as never)));
    await expect(handle.result()).rejects.toThrow();
    const { steps } = await handle.status();
    expect(steps[0]!.detail).toMatchObject({ kind: "failure", failure });
  });

  it.each([
    ["REPEAT_ENDLESS", {}, "needs `until`, `max`, or both"],
    ["OUT_OF_RANGE", { max: 0 }, "max"],
    ["OUT_OF_RANGE", { max: 100_001 }, "max"],
    ["UNTIL_NOT_BOOLEAN", { until: "`5`" }, "not true or false"],
    ["ROOT_NOT_HERE", { until: "item" }, "item"],
    ["an unknown option", { times: 3, max: 2 }, "times"],
    ["an `until` of the wrong type", { until: 7 }, "expected `until` as an expression or a function, found 7"],
    ["an `input` for a function", { max: 1, input: 5 }, "`input` is an option for an agent"],
  ])("%s is refused when the workflow is built", (_, options, message) => {
    const built = workflow("loop").step(
      "turns",
      repeat(options as never, () => 1),
    );
    expect(() => built.definition).toThrow(message);
  });

  it("is refused if its work is a map, or if work and options are exchanged", () => {
    expect(() => workflow("w").step("x", repeat((() => 1) as never, { max: 1 } as never)).definition).toThrow(
      "expected the options of the repetition first",
    );
    expect(() => workflow("w").step("x", repeat({ max: 1 }, { kind: "map" } as never)).definition).toThrow(
      "of each iteration",
    );
  });
});
