// The static types of a batch: the arguments of `process`, the results, and invalid configurations.

import { expect, expectTypeOf, it } from "vitest";
import { executeBatch, type BatchOutcome } from "../../src/batch.ts";
import { skip } from "../../src/index.ts";

it("BEYOND-1 results have the type that `process` gives, without skips and with null for nothing", async () => {
  const chunked = await executeBatch(["a"], {
    mode: "chunked",
    size: 1,
    process: (items, { chunk }) => {
      expectTypeOf(items).toEqualTypeOf<readonly string[]>();
      expectTypeOf(chunk).toEqualTypeOf<number>();
      return items.length > 5 ? skip("too many") : items.length;
    },
  });
  expectTypeOf(chunked.results).toEqualTypeOf<readonly number[]>();
  expectTypeOf(chunked.total).toEqualTypeOf<undefined>();
  const nothing = await executeBatch([1], { mode: "windowed", count: 1, process: () => undefined });
  expectTypeOf(nothing.results).toEqualTypeOf<readonly null[]>();
  expect([chunked.results, nothing.results]).toEqual([[1], [null]]);
});

it("BEYOND-1 a stream is of items without a size, and of lists with one", async () => {
  const single = executeBatch([1], {
    mode: "streaming",
    process: async (item) => String(item),
    aggregate: { initial: "", reduce: (text, each) => text + each },
  });
  expectTypeOf(await single.next()).toExtend<IteratorResult<BatchOutcome<string>, undefined>>();
  expectTypeOf((await single.return()).value).toEqualTypeOf<undefined>();
  expectTypeOf((await single.summary).total).toEqualTypeOf<string>();
  const lists = executeBatch([1], { mode: "streaming", size: 2, process: (items) => items.length });
  expectTypeOf(lists.summary).resolves.toHaveProperty("results").toEqualTypeOf<readonly number[]>();
  expect((await lists.next()).value).toMatchObject({ output: 1 });
  await lists.return();
});

it("BEYOND-1 what makes no sense does not compile, and is refused", async () => {
  // @ts-expect-error a chunked batch has a size
  const sizeless = executeBatch([1], { mode: "chunked", process: () => 1 });
  await expect(sizeless).rejects.toMatchObject({ code: "OPTION_INVALID" });
  // @ts-expect-error there is no such mode
  const modeless = executeBatch([1], { mode: "sliced", size: 1, process: () => 1 }) as unknown as Promise<unknown>;
  await expect(modeless).rejects.toMatchObject({ code: "OPTION_INVALID" });
});
