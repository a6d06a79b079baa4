// The types of values after JSON: what dependants see, and what does not compile (DATA-8, ruling 59).

import type { Json } from "@segno/kernel";
import { describe, expect, expectTypeOf, it } from "vitest";
import { map, skip, waitForSignal, workflow, type Jsonified, type JsonLike } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";

interface Tree {
  readonly at: Date;
  readonly parent: Tree | undefined;
  readonly children: readonly Tree[];
}

interface Report {
  path: string;
  readonly size?: number;
}

const AT = new Date(0);
const TEXT = "1970-01-01T00:00:00.000Z";

describe("the type of a value as JSON", () => {
  it("DATA-8 is its own type if it is JSON", () => {
    expectTypeOf<Jsonified<"a" | 1 | true | null>>().toEqualTypeOf<"a" | 1 | true | null>();
    expectTypeOf<Jsonified<readonly [1, { a?: string }]>>().toEqualTypeOf<readonly [1, { a?: string }]>();
    expectTypeOf<Jsonified<Report>>().toEqualTypeOf<{ path: string; readonly size?: number }>();
    expectTypeOf<Jsonified<Json>>().toEqualTypeOf<Json>();
    expectTypeOf<Jsonified<ReturnType<typeof JSON.parse>>>().toBeAny();
    expectTypeOf<Jsonified<unknown>>().toBeUnknown();
    expectTypeOf<Jsonified<never>>().toBeNever();
    expectTypeOf<Jsonified<{ a: unknown; b: Date }>>().toEqualTypeOf<{ a: unknown; b: string }>();
    expectTypeOf<Jsonified<Record<string, unknown>>>().toEqualTypeOf<Record<string, unknown>>();
  });

  it("DATA-8 has the result of `toJSON`, and a key that may be undefined may be absent", () => {
    expectTypeOf<Jsonified<Date | null>>().toEqualTypeOf<string | null>();
    expectTypeOf<Jsonified<readonly Date[]>>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Jsonified<[Date, number]>>().toEqualTypeOf<[string, number]>();
    expectTypeOf<Jsonified<Record<string, Date>>>().toEqualTypeOf<Record<string, string>>();
    type Given = { a: string | undefined; readonly b?: Date; c?: 1 | undefined; d: null };
    expectTypeOf<Jsonified<Given>>().toEqualTypeOf<{ a?: string; readonly b?: string; c?: 1; d: null }>();
    expectTypeOf<Jsonified<{ toJSON(): { at: Date } }>>().toEqualTypeOf<{ at: string }>();
  });

  it("DATA-8 may contain itself", () => {
    type Read = NonNullable<Jsonified<Tree>["parent"]>["children"][number]["at"];
    expectTypeOf<Read>().toEqualTypeOf<string>();
    expectTypeOf<Tree>().toExtend<JsonLike<Tree>>();
  });

  it("DATA-8 is a sentence where it is not JSON", () => {
    type Given = { at: Date; names: Map<string, number>; size: bigint[] };
    type Sentences = {
      at: Date;
      names: "a Map is not JSON: use `Object.fromEntries`";
      size: "a bigint is not JSON: use a string or a number"[];
    };
    expectTypeOf<JsonLike<Given>>().toEqualTypeOf<Sentences>();
  });
});

describe("what a reader sees", () => {
  it("DATA-8 is text for a date, in outputs, items, recorded calls, payloads, inputs and results", async () => {
    const built = workflow<{ readonly at: Date; readonly limit?: number | undefined }>("w")
      .step("step", ({ input }) => ({ at: new Date(input.at), none: undefined as number | undefined }))
      .step("maybe", ({ input }) => (input.limit === undefined ? skip("no limit") : { at: AT }))
      .step("call", async ({ run }) => (await run("call", async () => ({ at: AT }))).at.length)
      .step(
        "list",
        map([AT], ({ item }) => ({ item: item.length, at: AT })),
      )
      .step(
        "source",
        { dependsOn: ["step"] },
        map(
          ({ outputs }) => [outputs.step.at, AT],
          ({ item }) => item.length,
        ),
      )
      .step("signal", waitForSignal<{ readonly at: Date }>("go"))
      .output(({ outputs }) => ({ ...outputs, at: AT }));
    await using test = await openTestEngine();
    const handle = await test.start(built, { at: AT });
    await handle.signal("go", { at: TEXT });
    const result = await handle.result();
    expectTypeOf(result.step).toEqualTypeOf<{ at: string; none?: number }>();
    expectTypeOf(result.maybe).toEqualTypeOf<{ at: string } | null>();
    expectTypeOf(result.list).toEqualTypeOf<readonly { item: number; at: string }[]>();
    expectTypeOf(result.source).toEqualTypeOf<readonly number[]>();
    expectTypeOf(result.signal).toEqualTypeOf<{ readonly at: string }>();
    expectTypeOf(result.at).toEqualTypeOf<string>();
    expect(result).toStrictEqual({
      step: { at: TEXT },
      maybe: null,
      call: TEXT.length,
      list: [{ item: TEXT.length, at: TEXT }],
      source: [TEXT.length, TEXT.length],
      signal: { at: TEXT },
      at: TEXT,
    });
  });
});

describe("what can never be JSON", () => {
  const start = workflow("w");
  const results = map([1], () => new Set([1]));
  const items = map([new Set([1])], () => 1);
  const gaps = map([1, undefined], () => 1);
  const source = map(
    () => [new Set([1])],
    () => 1,
  );

  it("DATA-8 does not compile as the result of a step, of an item or of a workflow", () => {
    const refused = (): readonly unknown[] => [
      // @ts-expect-error -- a Map is not JSON
      start.step("a", () => new Map()),
      // @ts-expect-error -- a bigint is not JSON
      start.step("a", async () => ({ deep: [{ size: 1n }] })),
      // @ts-expect-error -- a function is not JSON
      start.step("a", { retry: 1 }, () => ({ next: () => 1 })),
      // @ts-expect-error -- undefined is not JSON in a list
      start.step("a", () => [1, undefined]),
      // @ts-expect-error -- a Set is not JSON
      start.step("a", results),
      // @ts-expect-error -- a Map is not JSON
      start.step("a", waitForSignal<Map<string, string>>("go")),
      // @ts-expect-error -- a symbol is not JSON
      start.output(() => Symbol("a")),
    ];
    expect(refused).toBeTypeOf("function");
  });

  it("DATA-8 does not compile as an item, a recorded call or an input", () => {
    const refused = (): readonly unknown[] => [
      // @ts-expect-error -- a Set is not JSON
      start.step("a", items),
      // @ts-expect-error -- undefined is not JSON in a list
      start.step("a", gaps),
      // @ts-expect-error -- a Set is not JSON
      start.step("a", source),
      // @ts-expect-error -- a Map is not JSON
      start.step("a", ({ run }) => run("call", () => new Map())),
      // @ts-expect-error -- a Map is not JSON
      workflow<{ readonly names: Map<string, number> }>("w"),
    ];
    expect(refused).toBeTypeOf("function");
  });
});
