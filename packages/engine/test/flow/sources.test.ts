// Maps over lists and sources: read once, by a separate step, before the first item runs (BEYOND-1).

import { describe, expect, expectTypeOf, it } from "vitest";
import { map, shell, workflow } from "../../src/index.ts";
import { fail, openTestEngine, script, succeed } from "../../src/testing/index.ts";
import { statuses } from "./fixture.ts";

describe("what a map takes", () => {
  it("BEYOND-1 a list that is given right there, as it was when the workflow was built", async () => {
    await using test = await openTestEngine();
    const numbers = [1, 2, 3];
    const built = workflow("list")
      .step(
        "twice",
        map(numbers, ({ item }) => item * 2),
      )
      .output(({ outputs }) => outputs.twice);
    numbers.push(4);
    const result = await (await test.start(built)).result();
    expectTypeOf(result).toEqualTypeOf<readonly number[]>();
    expect(result).toEqual([2, 4, 6]);
  });

  it("BEYOND-1 a function of the outputs and the context, whose items have their types", async () => {
    await using test = await openTestEngine();
    const built = workflow<{ readonly add: number }>("outputs")
      .step("files", () => [{ name: "a" }, { name: "bb" }])
      .step(
        "sizes",
        { dependsOn: ["files"] },
        map(
          ({ outputs, input }) => outputs.files.map(({ name }) => ({ name, add: input.add })),
          ({ item, index }) => {
            expectTypeOf(item).toEqualTypeOf<{ name: string; add: number }>();
            return item.name.length + item.add + index;
          },
          { tolerance: "1%" },
        ),
      )
      .output(({ outputs }) => outputs.sizes);
    const result = await (await test.start(built, { add: 10 })).result();
    expectTypeOf(result).toEqualTypeOf<readonly (number | null)[]>();
    expect(result).toEqual([11, 13]);
  });

  it("BEYOND-1 a generator, an async one, and a promise of something to iterate over", async () => {
    await using test = await openTestEngine();
    const built = workflow("sources")
      .step("n", () => 2)
      .step(
        "sync",
        { dependsOn: ["n"] },
        map(upTo, ({ item }) => item + 1),
      )
      .step(
        "async",
        { dependsOn: ["n"] },
        map(boxed, ({ item: { i } }) => i + 1),
      )
      .step(
        "promise",
        { dependsOn: ["n"] },
        map(
          async ({ outputs: { n } }) => new Set([n, n]),
          ({ item }) => String(item),
        ),
      )
      .output(({ outputs: { sync, async, promise } }) => ({ sync, async, promise }));
    const result = await (await test.start(built)).result();
    expectTypeOf(result).toEqualTypeOf<{
      sync: readonly number[];
      async: readonly number[];
      promise: readonly string[];
    }>();
    expect(result).toEqual({ sync: [1, 2], async: [1, 2], promise: ["2"] });
  });
});

interface OutputsOfN {
  readonly outputs: { readonly n: number };
}

function* upTo({ outputs }: OutputsOfN): Iterable<number> {
  for (let i = 0; i < outputs.n; i++) yield i;
}

async function* boxed({ outputs }: OutputsOfN): AsyncIterable<{ readonly i: number }> {
  for (let i = 0; i < outputs.n; i++) yield { i };
}

describe("the steps of a map over a source", () => {
  it("BEYOND-1 a command for each item of a source, which is read by a step before it", () => {
    const built = workflow("said")
      .step("words", () => ["a", "b"])
      .step(
        "say",
        { dependsOn: ["words"] },
        map(({ outputs }) => outputs.words, shell("echo $W", { env: { W: "${ item }" } })),
      );
    expect(built.definition.steps.map(({ id }) => id)).toEqual(["words", "say-items", "say"]);
  });
});

describe("the types of a source", () => {
  it("CONTRACT-1 refuse what the step does not depend on, and items that the work does not take", () => {
    const files = workflow("typed")
      .step("files", () => ["a"])
      .step("other", () => 1);
    const one = (): number => 1;
    const ofNumber = ({ item }: { readonly item: number }): number => item;
    const refused = (): readonly unknown[] => [
      files.step(
        "x",
        { dependsOn: ["files"] },
        // @ts-expect-error -- `other` is not among the dependencies
        map(({ outputs }) => outputs.other, one),
      ),
      files.step(
        "x",
        { dependsOn: ["files"] },
        // @ts-expect-error -- the items are texts
        map(({ outputs }) => outputs.files, ofNumber),
      ),
      files.step(
        "x",
        // @ts-expect-error -- a text is no list, though it can be iterated over
        map(() => "abc", one),
      ),
      files.step(
        "x",
        { dependsOn: ["other"] },
        // @ts-expect-error -- the output of `other` is a number
        map(({ outputs }) => outputs.other, one),
      ),
    ];
    expect(refused).toBeTypeOf("function");
  });
});

describe("the step that reads a source", () => {
  it("JOURNAL-3 is read once, whatever crashes after it", async () => {
    let reads = 0;
    const built = workflow("once")
      .step(
        "all",
        map(
          () => [++reads, 2],
          async ({ item, signal }) =>
            item === 2 ? new Promise((resolve) => signal.addEventListener("abort", resolve)) : item,
        ),
      )
      .output(({ outputs }) => outputs.all);
    await using test = await openTestEngine({ workflows: [built] });
    const { id } = await test.start(built);
    await test.untilIdle();
    await test.crash();
    expect(reads).toBe(1);
    expect(await statuses(await test.get(id))).toMatchObject({
      "all-items": "succeeded",
      all: "open",
      "all/0": "succeeded",
    });
  });

  it("FAIL-2 is tried again as the step says, and reads from the beginning; items are tried as the map says", async () => {
    const reading = script([fail("busy"), succeed()]);
    const built = workflow("again")
      .step(
        "all",
        { retry: { attempts: 2, base: "1m" } },
        map(
          async function* (context) {
            yield 1;
            await reading.play(null, context, async () => undefined);
            yield 2;
          },
          () => {
            throw new Error("busy");
          },
          { retry: 1, tolerance: 2 },
        ),
      )
      .output(({ outputs }) => outputs.all);
    await using test = await openTestEngine();
    const execution = await test.start(built);
    await test.untilIdle();
    expect(await statuses(execution)).toMatchObject({ "all-items": "retrying", all: "waiting" });
    await test.advance("1m");
    expect(await execution.result()).toEqual([null, null]);
    expect((await execution.status()).steps.map(({ name, attempts }) => [name, attempts])).toContainEqual(["all/0", 1]);
  });
});
