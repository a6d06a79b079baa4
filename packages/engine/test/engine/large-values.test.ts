// Values that are too large to encode: each is refused at once, at every entry point.

import { VALUE_BYTES_MAX, type Failure, type Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { collectItems } from "../../src/builder/collect-items.ts";
import { copyJson } from "../../src/checks/copy-json.ts";
import { expand, map, workflow } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";

function holes(): readonly Json[] {
  const list: Json[] = [];
  list[100_000_000] = 1;
  return list;
}

function doubled(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level++) value = [value, value];
  return value;
}

const HUGE: readonly (readonly [string, () => Json])[] = [
  ["a list of holes", holes],
  ["a value in a trillion places", () => doubled(40)],
  [
    "the same megabyte of text two thousand times",
    () => Array.from({ length: 2000 }).fill("x".repeat(2 ** 20)) as Json,
  ],
];

const MORE = `has more than the ${VALUE_BYTES_MAX} bytes that are allowed`;

async function readFailure(returned: () => unknown): Promise<Failure | undefined> {
  await using test = await openTestEngine();
  const handle = await test.start(workflow("large").step("a", returned));
  await test.advance("1h");
  return (await handle.status()).failure;
}

describe("what is far larger than a value may be", () => {
  it.each(HUGE)("JOURNAL-4 fails the step that returns it for good (VALUE_TOO_LARGE): %s", async (_, make) => {
    expect(await readFailure(make)).toMatchObject({
      class: "permanent",
      code: "VALUE_TOO_LARGE",
      message: `the output ${MORE}`,
    });
  });

  it("JOURNAL-4 fails the step that returns steps with it (VALUE_TOO_LARGE)", async () => {
    expect(await readFailure(() => expand([{ id: "x", agent: "a", input: holes() }]))).toMatchObject({
      code: "VALUE_TOO_LARGE",
      message: `the list of steps that it returned ${MORE}`,
    });
  });

  it("JOURNAL-4 is no input and no payload of a signal (VALUE_TOO_LARGE)", async () => {
    await using test = await openTestEngine();
    const built = workflow("large").step("a", () => 1);
    await expect(test.start(built, holes())).rejects.toMatchObject({
      code: "VALUE_TOO_LARGE",
      message: `the input ${MORE}`,
    });
    const handle = await test.start(built);
    await expect(handle.signal("s", holes())).rejects.toMatchObject({ code: "VALUE_TOO_LARGE" });
  });

  it("JOURNAL-4 is nothing that a schema may make of an input (VALUE_TOO_LARGE)", async () => {
    await using test = await openTestEngine();
    const input = { "~standard": { version: 1, vendor: "test", validate: () => ({ value: holes() }) } } as const;
    await expect(
      test.start(
        workflow("large", { input }).step("a", () => 1),
        null,
      ),
    ).rejects.toMatchObject({
      code: "VALUE_TOO_LARGE",
      message: `the input of \`large\` ${MORE}`,
    });
  });

  it("JOURNAL-4 is nothing that a map goes over", async () => {
    const over = workflow("large").step(
      "a",
      map([holes()] as never, () => 1),
    );
    expect(() => over.definition).toThrow(/step `a`: its items have more bytes than the \d+ that are allowed/u);
    await expect(collectItems([1, holes()], new AbortController().signal)).rejects.toMatchObject({
      code: "VALUE_TOO_LARGE",
      message: expect.stringContaining("the items up to index 1 have more") as string,
    });
  });

  it("JOURNAL-4 is nothing that a workflow is built with (DEFINITION_INVALID)", () => {
    const built = workflow("large").step("a", { input: holes() as never }, () => 1);
    expect(() => built.definition).toThrow(`the workflow \`large\` cannot be built: it ${MORE}`);
  });
});

describe("what is taken", () => {
  it("JOURNAL-2 is frozen to its last place, and is not what was given", () => {
    const given = { list: [1, null, [{ deep: { text: "x" } }]] };
    const taken = copyJson("it", given) as unknown as typeof given;
    expect(taken).toEqual(given);
    const list = taken.list[2] as unknown as readonly [{ readonly deep: object }];
    for (const place of [taken, taken.list, list, list[0], list[0].deep]) expect(Object.isFrozen(place)).toBe(true);
    expect(Object.isFrozen(given)).toBe(false);
    expect(copyJson("it", null)).toBe(null);
  });
});
