// The input of a start: a refused input creates nothing, and an accepted one is copied (DATA-2, DATA-8, DATA-10).

import type { Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { workflow, type AgentFunction } from "../../src/index.ts";
import { openTestEngine, type TestEngine, inspectEngine } from "../../src/testing/index.ts";
import { flow, one, step } from "./sample-flow.ts";

async function refused(
  test: TestEngine,
  input: unknown,
  more: object = {},
): Promise<{ code: string; message: string }> {
  const error = await test.start(one({}, more), input as Json, { id: "mine", idempotencyKey: "key-1" }).catch((e) => e);
  expect((await test.engine.list()).executions).toEqual([]);
  expect(inspectEngine(test.engine).liveCount).toBe(0);
  await expect(test.get("mine")).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
  return error as { code: string; message: string };
}

function cycle(): unknown {
  const self: Record<string, unknown> = {};
  return Object.assign(self, { self });
}

const notJson: readonly (readonly [string, unknown, string])[] = [
  ["undefined inside", { a: [undefined] }, "a"],
  ["a Map", { a: new Map() }, "a"],
  ["infinity", { a: { b: Number.POSITIVE_INFINITY } }, "b"],
  ["a symbol", [Symbol("s")], ""],
  ["a cycle", cycle(), "self"],
  [
    "a getter that throws",
    Object.defineProperty({}, "x", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    }),
    "",
  ],
  ["what is not plain", { a: new URLSearchParams("x") }, "a"],
];

describe("an input", () => {
  it.each(notJson)("DATA-8 with %s creates nothing, and says where it is (INPUT_INVALID)", async (_, input, place) => {
    await using test = await openTestEngine({ agents: { work: async () => 1 } });
    const { code, message } = await refused(test, input);
    expect(code).toBe("INPUT_INVALID");
    expect(message).toContain(place);
  });

  it.each([
    ["text", "x".repeat(10_500_000)],
    ["characters of three bytes", "€".repeat(3_600_000)],
    ["a list", Array.from({ length: 2_200_000 }, () => 1000)],
  ])("JOURNAL-4 of more than 10 MB in %s creates nothing (VALUE_TOO_LARGE)", async (_, input) => {
    await using test = await openTestEngine({ agents: { work: async () => 1 } });
    expect((await refused(test, input)).code).toBe("VALUE_TOO_LARGE");
  });

  it("DATA-2 against its schema creates nothing and leaves its key free (INPUT_INVALID)", async () => {
    const input = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    await using test = await openTestEngine({ agents: { work: async () => 1 } });
    const { code, message } = await refused(test, { n: "one" }, { input });
    expect(code).toBe("INPUT_INVALID");
    expect(message).toContain("n");
    const handle = await test.start(one({}, { input }), { n: 1 }, { id: "mine", idempotencyKey: "key-1" });
    expect(await handle.result()).toBe(1);
  });

  it("JOURNAL-4 of nearly 10 MB is taken, and is there after a crash", async () => {
    const sizes: unknown[] = [];
    const work: AgentFunction = (input) => {
      sizes.push((input as string).length);
      return sizes.length === 1 ? new Promise(() => undefined) : "done";
    };
    await using test = await openTestEngine({ agents: { work } });
    const { id } = await test.start(flow([step("a")]), "x".repeat(9_900_000));
    await test.untilIdle();
    await test.crash();
    await test.advance("10s");
    expect((await (await test.get(id)).status()).status).toBe("completed");
    expect(sizes).toEqual([9_900_000, 9_900_000]);
  });
});

describe("an input that was taken", () => {
  it("DATA-10 is what it was at the call, whatever its caller does afterwards", async () => {
    const seen: string[] = [];
    const work: AgentFunction = (input) => void seen.push(JSON.stringify(input));
    await using test = await openTestEngine({ agents: { work }, limits: { liveExecutions: 1 } });
    const given: { list: unknown[]; later?: unknown } = { list: [1, { deep: true }] };
    const starting = test.start(one(), given as Json, { idempotencyKey: "key-1" });
    given.list.push(2);
    given.later = () => 1;
    const handle = await starting;
    (given.list[1] as { deep: unknown }).deep = false;
    await test.untilIdle();
    expect(seen).toEqual(['{"list":[1,{"deep":true}]}']);
    const again = await test.start(one(), { list: [1, { deep: true }] }, { idempotencyKey: "key-1" });
    expect(again.id).toBe(handle.id);
    expect(Object.isFrozen(given)).toBe(false);
  });

  it("DATA-10 is frozen to its depths, as is everything that functions are given", async () => {
    const frozen: Record<string, readonly boolean[]> = {};
    const note = (name: string, value: { readonly deep: object }): void => {
      frozen[name] = [Object.isFrozen(value), Object.isFrozen(value.deep)];
    };
    const built = workflow("frozen")
      .step("first", ({ input }) => {
        note("input", input as never);
        return { deep: { n: 1 } };
      })
      .step("second", { dependsOn: ["first"] }, ({ outputs: { first }, input }) => {
        note("output", first);
        note("input of the second", input as never);
        return first;
      })
      .output(({ outputs }) => outputs.second);
    await using test = await openTestEngine();
    const handle = await test.start(built, { deep: [1] });
    note("result", await handle.result());
    expect(frozen).toEqual({
      "input of the second": [true, true],
      input: [true, true],
      output: [true, true],
      result: [true, true],
    });
  });

  it("DATA-10 is frozen also where it was loaded again, and where a template made it", async () => {
    const frozen: boolean[] = [];
    const work: AgentFunction = (input) => {
      frozen.push(Object.isFrozen(input), Object.isFrozen((input as { deep: object }).deep));
      return frozen.length === 2 ? new Promise(() => undefined) : { deep: ["x".repeat(70_000)] };
    };
    await using test = await openTestEngine({ agents: { work } });
    const second = step("b", { after: ["a"], input: { deep: { of: "${ steps.a.output }" } } });
    const { id } = await test.start(flow([step("a"), second]), { deep: ["x".repeat(70_000)] });
    await test.untilIdle();
    await test.crash();
    await test.advance("10s");
    expect((await (await test.get(id)).status()).status).toBe("completed");
    expect(frozen).toEqual([true, true, true, true, true, true]);
  });
});
