// Faulty sources: the error, that they are closed, and how much is read of endless ones (BEYOND-1).

import { VALUE_BYTES_MAX, type Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { collectItems } from "../../src/builder/collect-items.ts";
import { Engine, map, workflow, type BuiltWorkflow } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";

const one = (): number => 1;

/** Any value of plain JavaScript. */
const over = (given: unknown): BuiltWorkflow => workflow("bad").step("all", map(given as () => readonly Json[], one));

async function readFailure(built: BuiltWorkflow): Promise<unknown> {
  await using test = await openTestEngine();
  const execution = await test.start(built);
  await test.advance("1h");
  const { failure, steps } = await execution.status();
  return { ...failure, attempts: steps.find(({ name }) => name === "all-items")?.attempts };
}

describe("a source that is none", () => {
  it.each<readonly [string, unknown]>([
    ["a number", 7],
    ["null", null],
    ["undefined", undefined],
    ["a string", "abc"],
    ["an object", { length: 2 }],
    ["a function", one],
  ])("MAP_NOT_A_LIST that gives %s fails its step, and is not asked again", async (what, given) => {
    for (const source of [() => given, async () => given])
      expect(await readFailure(over(source))).toMatchObject({
        code: "MAP_NOT_A_LIST",
        class: "permanent",
        message: `the source returned ${what}, not a list, an iterable or an async iterable`,
        attempts: 1,
      });
  });
});

/** Yields items, and records when it was closed. */
class Recorder {
  read = 0;
  closed = 0;

  *items(give: (index: number) => unknown): Iterable<unknown> {
    try {
      for (;;) yield give(this.read++);
    } finally {
      this.closed++;
    }
  }

  async *later(give: (index: number) => unknown): AsyncIterable<unknown> {
    yield* this.items(give);
  }
}

describe("an item that is no JSON", () => {
  const throwing = {
    get x(): never {
      throw new Error("no");
    },
  };
  it.each<readonly [string, unknown]>([
    ["a function at x", { x: one }],
    ["undefined", undefined],
    ["a bigint", 1n],
    ["NaN", Number.NaN],
    ["an instance of Set at [1]", [1, new Set()]],
    ["an instance of Map", new Map()],
    ["a value that throws when it is read", throwing],
  ])(
    "OUTPUT_NOT_JSON DATA-8 that holds %s fails its step, which says its index and closes the source",
    async (what, bad) => {
      for (const kind of ["items", "later"] as const) {
        const recorder = new Recorder();
        expect(await readFailure(over(() => recorder[kind]((index) => (index === 2 ? bad : index))))).toMatchObject({
          code: "OUTPUT_NOT_JSON",
          message: `the item at index 2 contains ${what}, which is not JSON`,
          attempts: 1,
        });
        expect(recorder).toMatchObject({ read: 3, closed: 1 });
      }
    },
  );

  it("DATA-8 is known before anything starts where the list is given right there", () => {
    expect(() => over([1, [one]]).definition).toThrow(
      /step `all`: its items have a function at \[1\]\[0\], which is not JSON/u,
    );
    expect(() => over(["x".repeat(VALUE_BYTES_MAX)]).definition).toThrow(/step `all`: its items have 10485764 bytes/u);
    expect(() => over(7).definition).toThrow(/an expression, a list, lists by name or a function, not number/u);
  });
});

describe("a source without end", () => {
  it.each(["items", "later"] as const)(
    "VALUE_TOO_LARGE is read no further than a value may have, and closed (%s)",
    async (kind) => {
      const recorder = new Recorder();
      const text = "x".repeat(1021);
      expect(await readFailure(over(() => recorder[kind](() => text)))).toMatchObject({
        code: "VALUE_TOO_LARGE",
        attempts: 1,
      });
      // An item has 1,024 bytes with its quotes and its comma; with two brackets and one comma less that is one byte
      // too many.
      expect(recorder).toMatchObject({ read: VALUE_BYTES_MAX / 1024, closed: 1 });
    },
  );

  it("JOURNAL-4 is kept whole up to exactly the limit", async () => {
    const items = ["x".repeat(1020), ...Array.from({ length: VALUE_BYTES_MAX / 1024 - 1 }, () => "x".repeat(1021))];
    expect(Buffer.byteLength(JSON.stringify(items))).toBe(VALUE_BYTES_MAX);
    expect(await collectItems(items, new AbortController().signal)).toEqual(items);
  });

  it.each(["items", "later"] as const)(
    "CANCEL-1 is left between two items when its signal fires, and closed (%s)",
    async (kind) => {
      await using engine = await Engine.open({ store: "none" });
      const recorder = new Recorder();
      const begun = Promise.withResolvers<void>();
      const execution = await engine.start(
        over(() =>
          recorder[kind](() => {
            begun.resolve();
            return 0;
          }),
        ),
      );
      await begun.promise;
      await execution.cancel();
      await expect(execution.result()).rejects.toMatchObject({ code: "EXECUTION_CANCELLED" });
      expect(recorder.closed).toBe(1);
      expect((await execution.status()).steps[0]).toMatchObject({ status: "cancelled", detail: { ended: "itself" } });
    },
  );
});
