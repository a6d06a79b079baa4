// Repetitions on a real engine (STATE-13).

import type { Json } from "@segno/kernel";
import { describe, expect, expectTypeOf, it } from "vitest";
import { agent, child, Engine, repeat, shell, skip, workflow, type BuiltWorkflow } from "../../src/index.ts";
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
});

describe("a function that repeats and is interrupted", () => {
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
});

describe("the iterations of a function", () => {
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
