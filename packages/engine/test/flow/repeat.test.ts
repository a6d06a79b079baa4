// Repetitions on a real engine (STATE-13).

import { PermanentError, type Json } from "@segno/kernel";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  agent,
  child,
  Engine,
  expand,
  repeat,
  shell,
  skip,
  workflow,
  type BuiltWorkflow,
  type RepeatOptions,
} from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { pollUntil, useFixture } from "../running/fixture.ts";
import { statuses } from "./fixture.ts";

const fixture = useFixture();

/** A store that outlives its engines. */
class KeptStore extends MemoryStore {
  override async close(): Promise<void> {}
}

async function run<Given>(built: BuiltWorkflow<Given>, input: Given = null as Given): Promise<unknown> {
  await using test = await openTestEngine();
  return await (await test.start(built as BuiltWorkflow, input as Json)).result();
}

describe("a function that repeats", () => {
  it("STATE-13 gets the output of the time before, its number, the input and the outputs of the dependencies", async () => {
    const seen: unknown[] = [];
    const built = workflow<{ readonly question: string }>("loop")
      .step("before", () => ({ base: 10 }))
      .step(
        "turns",
        { dependsOn: ["before"] },
        repeat(
          {
            first: ({ input }) => ({ text: input.question, count: 0 }),
            until: ({ last, index, outputs }) => {
              expectTypeOf(last).toEqualTypeOf<{ text: string; count: number }>();
              return last.count === 3 && index === 2 && outputs.before.base === 10;
            },
          },
          ({ last, index, input, outputs }) => {
            expectTypeOf(outputs).toEqualTypeOf<{ readonly before: { base: number } }>();
            seen.push([last.text, last.count, index, input.question, outputs.before.base]);
            return { text: `${last.text}!`, count: last.count + 1 };
          },
        ),
      )
      .output(({ outputs }) => {
        expectTypeOf(outputs.turns).toEqualTypeOf<{ text: string; count: number }>();
        return outputs.turns;
      });
    expect(await run(built, { question: "why" })).toEqual({ text: "why!!!", count: 3 });
    expect(seen).toEqual([
      ["why", 0, 0, "why", 10],
      ["why!", 1, 1, "why", 10],
      ["why!!", 2, 2, "why", 10],
    ]);
  });

  it("STATE-13 has null as its first `last`, and an expression may end it", async () => {
    const seen: Json[] = [];
    const built = workflow("loop")
      .step(
        "count",
        repeat({ until: "last.n >= `2`" }, ({ last }) => {
          seen.push(last);
          return { n: seen.length };
        }),
      )
      .output(({ outputs }) => outputs.count.n);
    expect(await run(built)).toBe(2);
    expect(seen).toEqual([null, { n: 1 }]);
  });

  it("STATE-13 goes on with the iteration that a crash interrupted, and makes no call again", async () => {
    const store = new KeptStore();
    const made: string[] = [];
    const isStuck = { value: true };
    const built = workflow("loop")
      .step(
        "turns",
        repeat({ first: 0, until: ({ last }) => last === 3 }, async ({ last, index, run: record, signal }) => {
          const value = await record("call", () => made.push(`${index}`) && last + 1);
          if (index === 1 && isStuck.value)
            await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("closed"))));
          return value;
        }),
      )
      .output(({ outputs }) => outputs.turns);
    const first = await Engine.open({ store, workflows: [built] });
    const { id } = await first.start(built, null);
    await pollUntil(() => made.length === 2, "the second iteration has made its call");
    await first.close();
    isStuck.value = false;
    await using second = await Engine.open({ store, workflows: [built] });
    expect(await (await second.get(id)).result()).toBe(3);
    expect(made).toEqual(["0", "1", "2"]);
  });

  it("STATE-13 shows each iteration as a step, with its own retries", async () => {
    await using test = await openTestEngine();
    const built = workflow("loop").step(
      "turns",
      repeat({ max: 2, retry: { attempts: 2, base: "1s" } }, ({ index, attempt, step }) => {
        expect(step.id).toBe(`turns/${index}`);
        if (index === 1 && attempt === 1) throw new Error("once more");
      }),
    );
    const handle = await test.start(built);
    await test.advance("1h");
    await handle.result();
    expect(await statuses(handle)).toEqual({ turns: "succeeded", "turns/0": "succeeded", "turns/1": "succeeded" });
    const { steps } = await handle.status();
    expect(steps.map(({ attempts }) => attempts)).toEqual([0, 1, 2]);
  });

  it("STATE-13 waits between iterations", async () => {
    await using test = await openTestEngine();
    const times: number[] = [];
    const began = test.now;
    const built = workflow("loop").step(
      "poll",
      repeat({ max: 3, delay: "1m" }, () => {
        times.push(test.now - began);
      }),
    );
    const handle = await test.start(built);
    await test.advance("1h");
    await handle.result();
    expect(times).toEqual([0, 60_000, 120_000]);
  });

  it("STATE-13 ends with a skip only if `until` says so", async () => {
    const built = workflow("loop")
      .step(
        "turns",
        repeat({ until: ({ last, index }) => last === null && index === 1 }, () => skip("nothing to do")),
      )
      .output(({ outputs }) => outputs.turns);
    expect(await run(built)).toBeNull();
  });
});

describe("another action that repeats", () => {
  it("STATE-13 reads `last` and `index` in its templates, and a function may end it", async () => {
    const engine = await fixture.current.open();
    const built = workflow("loop")
      .step(
        "grow",
        repeat(
          { until: ({ last }) => last.stdout.trim() === "2", max: 5 },
          shell("echo $N", { env: { N: "${ index }" } }),
        ),
      )
      .output(({ outputs }) => outputs.grow.stdout);
    expect(await (await engine.start(built, null)).result()).toBe("2");
  });

  it("STATE-13 can be a called workflow or an agent", async () => {
    const inner = workflow<{ readonly n: number }>("inner")
      .step("add", ({ input }) => input.n + 1)
      .output(({ outputs }) => ({ n: outputs.add }));
    const built = workflow("loop")
      .step("calls", repeat({ max: 3, input: { n: "${ last.n || `0` }" } }, child(inner)))
      .step(
        "agents",
        repeat(
          { until: "last > `1`", input: "${ index }" },
          agent("double", (input: Json) => Number(input) * 2),
        ),
      )
      .output(({ outputs }) => [outputs.calls.n, outputs.agents]);
    expect(await run(built)).toEqual([3, 2]);
  });
});

describe("a repetition that goes wrong", () => {
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
