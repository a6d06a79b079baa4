// Values of user code become JSON as `JSON.stringify` converts them, wherever they enter an execution (DATA-8, ruling 59).

import type { Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { map, waitForSignal, workflow, type BuiltWorkflow } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";

const GIVEN = { at: new Date(0), none: undefined, deep: [{ none: undefined, url: new URL("http://a/") }] };
const READ = { at: "1970-01-01T00:00:00.000Z", deep: [{ url: "http://a/" }] };

describe("a date and a key without a value", () => {
  it.each<readonly [string, BuiltWorkflow<Json>]>([
    [
      "output",
      workflow("w")
        .step("a", () => GIVEN)
        .step("b", { dependsOn: ["a"] }, ({ outputs }) => outputs.a)
        .output(({ outputs }) => outputs.b),
    ],
    ["output of a workflow", workflow("w").output(() => GIVEN)],
    ["recorded call", workflow("w").output(({ run }) => run("a", () => GIVEN))],
    [
      "item of a list",
      workflow("w")
        .step(
          "a",
          map([GIVEN], ({ item }) => item),
        )
        .output(({ outputs }) => outputs.a[0]!),
    ],
    [
      "item of a source",
      workflow("w")
        .step(
          "a",
          map(
            () => [GIVEN],
            ({ item }) => item,
          ),
        )
        .output(({ outputs }) => outputs.a[0]!),
    ],
    [
      "result of an item",
      workflow("w")
        .step(
          "a",
          map([1], () => GIVEN),
        )
        .output(({ outputs }) => outputs.a[0]!),
    ],
  ])("DATA-8 are text and absent in the %s", async (_, built) => {
    await using test = await openTestEngine();
    expect(await (await test.start(built, null)).result()).toStrictEqual(READ);
  });

  it("DATA-8 are text and absent in the input of a start and the payload of a signal", async () => {
    const built = workflow<typeof GIVEN>("w")
      .step("go", waitForSignal("go"))
      .output(({ input, outputs }) => ({ input, payload: outputs.go }));
    await using test = await openTestEngine();
    const handle = await test.start(built, GIVEN);
    await handle.signal("go", GIVEN as never);
    expect(await handle.result()).toStrictEqual({ input: READ, payload: READ });
  });
});

class Endless {
  toJSON(): unknown {
    return { next: new Endless(), more: [new Endless()] };
  }
}

const HOSTILE: readonly (readonly [string, unknown, "not JSON" | "too large"])[] = [
  ["throws", { toJSON: () => fail() }, "not JSON"],
  ["returns itself", returnsItself(), "not JSON"],
  ["returns further ones for ever", new Endless(), "not JSON"],
  ["returns 30 million characters", { toJSON: () => "x".repeat(30_000_000) }, "too large"],
];

describe("a `toJSON` that", () => {
  it.each(HOSTILE)("DATA-8 %s fails a step, a recorded call and a source of items", async (_, bad, reason) => {
    const code = reason === "not JSON" ? "OUTPUT_NOT_JSON" : "VALUE_TOO_LARGE";
    await using test = await openTestEngine();
    for (const built of [
      workflow("output").step("a", () => ({ bad })),
      workflow("call").step("a", ({ run }) => run("call", () => ({ bad }))),
      workflow("items").step(
        "a",
        map(
          () => [bad],
          () => 1,
        ),
      ),
    ]) {
      const handle = await test.start(built, null);
      await expect(handle.result()).rejects.toThrow();
      expect(await handle.status()).toMatchObject({ failure: { code } });
    }
  });

  it.each(HOSTILE)("DATA-8 %s is refused as an input and as a payload", async (_, bad, reason) => {
    const code = reason === "not JSON" ? "INPUT_INVALID" : "VALUE_TOO_LARGE";
    await using test = await openTestEngine();
    const built = workflow<unknown>("w").step("go", waitForSignal("go"));
    await expect(test.start(built, { bad })).rejects.toMatchObject({ code });
    const handle = await test.start(built, null);
    await expect(handle.signal("go", { bad } as never)).rejects.toMatchObject({ code });
  });

  it.each(HOSTILE)("DEFINITION_INVALID DATA-8 %s is refused in a list of items and in an option", (_, bad) => {
    const refused = expect.objectContaining({ code: "DEFINITION_INVALID" }) as Error;
    expect(
      () =>
        workflow("w").step(
          "a",
          map([bad], () => 1),
        ).definition,
    ).toThrow(refused);
    expect(() => workflow("w").step("a", { input: { bad } as never }, () => 1).definition).toThrow(refused);
  });
});

function fail(): never {
  throw new Error("no");
}

function returnsItself(): unknown {
  const itself = { toJSON: (): unknown => itself };
  return itself;
}
