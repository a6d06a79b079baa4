// Results of `skip` and `expand` that a handler has changed, and values that differ at each look.

import type { Failure } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { expand, skip, type AgentFunction } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { one } from "./sample-flow.ts";

interface Ended {
  readonly status: string;
  readonly failure: Failure | undefined;
  /** The length of what the engine says about the step. */
  readonly length: number;
}

/** Runs the agent, and reads its journal again as another process would. */
async function run(work: AgentFunction): Promise<Ended> {
  const faults: unknown[] = [];
  await using test = await openTestEngine({
    agents: { work, child: async () => "fine" },
    onFault: (error) => faults.push(error),
  });
  const handle = await test.start(one({ retry: { attempts: 1 } }));
  await test.advance("1m");
  expect(faults).toEqual([]);
  expect(await test.engine.verify(handle.id)).toMatchObject({ ok: true });
  const { steps, failure } = await handle.status();
  return { status: steps[0]!.status, failure, length: JSON.stringify(steps[0]).length };
}

const refuse = (): never => {
  throw new Error("hands off");
};

describe("a skip", () => {
  it.each([
    ["a number", 5],
    ["nothing", undefined],
    ["a function", () => 1],
    ["an object whose `toString` throws", { toString: refuse }],
  ])("STATE-5 whose reason was changed to %s counts as one without a reason", async (_, reason) => {
    const ended = await run(async () => Object.assign(skip("nothing new"), { reason }));
    expect(ended).toMatchObject({ status: "skipped", failure: undefined });
  });

  it("STATE-5 whose reason is text with a lone surrogate leaves a journal that can be read", async () => {
    expect(await run(async () => Object.assign(skip("x"), { reason: "\uD800" }))).toMatchObject({ status: "skipped" });
  });

  it("JOURNAL-4 with a reason of 11 MB is written down in part", async () => {
    const { status, length } = await run(async () => skip("x".repeat(11_000_000)));
    expect([status, length < 10_000]).toEqual(["skipped", true]);
  });

  it("DATA-8 whose reason throws when it is read fails the step (OUTPUT_NOT_JSON)", async () => {
    const work = async (): Promise<unknown> => Object.defineProperty(skip("x"), "reason", { get: refuse });
    expect((await run(work)).failure).toMatchObject({ code: "OUTPUT_NOT_JSON" });
  });
});

describe("the result of an expansion", () => {
  const STEPS = [{ id: "x", agent: "child" }];
  const withResult = (result: unknown): AgentFunction => {
    return async () => expand(STEPS, { result: result as string });
  };

  it.each([
    ["a number", 5],
    ["a list", ["x"]],
    ["an object", { deep: "x" }],
  ])("EXPANSION_INVALID that is %s fails the step with its reason", async (kind, result) => {
    const { failure } = await run(withResult(result));
    expect(failure).toMatchObject({ class: "permanent", code: "EXPANSION_INVALID" });
    expect(failure!.message).toContain(`\`result\`, found ${kind}`);
  });

  it("DATA-8 with a `toJSON` is the text that it gives, whatever its `toString` does", async () => {
    expect(await run(withResult({ toJSON: () => "x", toString: refuse }))).toMatchObject({ status: "succeeded" });
    const { failure } = await run(withResult({ toJSON: () => "y", toString: refuse }));
    expect(failure).toMatchObject({ code: "EXPANSION_INVALID", message: expect.stringContaining('the result "y"') });
  });

  it("DATA-8 that is another at each look counts as it was at the first", async () => {
    let looks = 0;
    const get = (): unknown => (++looks === 1 ? "x" : 5);
    const work = async (): Promise<unknown> => Object.defineProperty(expand(STEPS), "result", { get });
    expect(await run(work)).toMatchObject({ status: "succeeded" });
  });

  it("JOURNAL-4 that is a megabyte of text is quoted in part", async () => {
    const { failure } = await run(withResult("x".repeat(1_000_000)));
    expect(failure!.message.length).toBeLessThan(1000);
  });
});

describe("an output that is another at the second look", () => {
  function nested(depth: number): unknown {
    let value: unknown = 1;
    for (let each = 0; each < depth; each++) value = [value];
    return value;
  }

  it.each([
    ["a value that is too deep", nested(3000)],
    ["text with a lone surrogate", "\uD800"],
  ])("DATA-8 and then holds %s fails the step (OUTPUT_NOT_JSON)", async (_, second) => {
    let looks = 0;
    const value = {
      get odd(): unknown {
        return ++looks === 1 ? 1 : second;
      },
    };
    expect((await run(async () => value)).failure).toMatchObject({
      code: "OUTPUT_NOT_JSON",
      path: expect.stringMatching(/^odd/u),
    });
  });
});

describe("text of user code beside the message of an error", () => {
  it.each(["code", "name"])("JOURNAL-4 a %s of 11 MB is written down in part", async (field) => {
    const { failure } = await run(() => {
      throw Object.assign(new Error("m"), { [field]: "X".repeat(11_000_000) });
    });
    expect(failure!.code.length).toBeLessThan(1000);
  });

  it("JOURNAL-4 so are the name of a class and the path of a value", async () => {
    class Odd {}
    Object.defineProperty(Odd, "name", { value: "X".repeat(11_000_000) });
    const { failure } = await run(async () => ({ ["k".repeat(1_000_000)]: new Odd() }));
    expect(failure).toMatchObject({ code: "OUTPUT_NOT_JSON" });
    expect([failure!.message.length < 10_000, failure!.path!.length < 10_000]).toEqual([true, true]);
  });
});
