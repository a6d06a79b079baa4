// Workflows as the work of steps and of items.

import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { child, map, repeat, workflow, type BuiltWorkflow } from "../index.ts";
import { openTestEngine } from "../testing/index.ts";

const pack = workflow<{ path: string; level?: number }>("pack")
  .step("zip", ({ input }) => `${input.path}.zip`)
  .output(({ outputs }) => ({ file: outputs.zip }));

const checked = workflow("checked", { input: z.object({ n: z.number(), unit: z.string().default("ms") }) })
  .step("show", ({ input }) => `${input.n}${input.unit}`)
  .output(({ outputs }) => outputs.show);

async function run(built: BuiltWorkflow, input: object = {}): Promise<unknown> {
  await using test = await openTestEngine();
  const ended = (await test.engine.start(built as BuiltWorkflow<object>, input)).result();
  ended.catch(() => undefined);
  await test.advance("1h");
  return ended;
}

function readMessage(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("it did not throw");
}

const base = workflow<{ tag: string }>("release").step("build", ({ input }) => ({ path: `dist/${input.tag}` }));

describe("the input of a child", () => {
  it("CONTRACT-8 may be a function of the outputs and the input, which the compiler checks", async () => {
    const built = base
      .step(
        "pack",
        { dependsOn: ["build"] },
        child(pack, ({ outputs, input }) => {
          expectTypeOf(outputs).toEqualTypeOf<{ readonly build: { path: string } }>();
          expectTypeOf(input).toEqualTypeOf<{ tag: string }>();
          return { path: outputs.build.path };
        }),
      )
      .output(({ outputs }) => {
        expectTypeOf(outputs.pack).toEqualTypeOf<{ file: string }>();
        return outputs.pack;
      });
    expect(await run(built, { tag: "v1" })).toEqual({ file: "dist/v1.zip" });
    base.step(
      "odd",
      // @ts-expect-error -- the input of `pack` has a `path`
      child(pack, () => ({ file: "a" })),
    );
    base.step(
      "odd",
      // @ts-expect-error -- `path` is text
      child(pack, () => ({ path: 7 })),
    );
    base.step(
      "odd",
      // @ts-expect-error -- `build` is not a dependency
      child(pack, ({ outputs }) => outputs.build),
    );
  });

  it("DATA-3 is checked and converted by the child's own schema", async () => {
    const built = workflow<{ n: number }>("caller")
      .step(
        "call",
        child(checked, ({ input }) => ({ n: input.n })),
      )
      .output(({ outputs }) => outputs.call);
    expect(await run(built, { n: 3 })).toBe("3ms");
    await expect(run(built, { n: "three" })).rejects.toMatchObject({ failure: { code: "INPUT_INVALID" } });
  });

  it("STATE-5 is not asked for if the condition of the step is false", async () => {
    const built = base
      .step(
        "pack",
        { dependsOn: ["build"], when: ({ input }) => input.tag === "v2" },
        child(pack, ({ outputs }) => {
          if (Object.keys(outputs).join() !== "build") throw new Error("other outputs");
          return outputs.build;
        }),
      )
      .output(({ outputs }) => outputs.pack);
    expect(await run(built, { tag: "v1" })).toBeNull();
    expect(await run(built, { tag: "v2" })).toEqual({ file: "dist/v2.zip" });
  });
});

describe("a child in a map", () => {
  it("CONTRACT-8 gets each item as its input, and the compiler checks the items", async () => {
    const built = workflow("all")
      .step("list", () => [{ path: "a" }, { path: "b" }])
      .step(
        "packed",
        { dependsOn: ["list"] },
        map(({ outputs }) => outputs.list, child(pack)),
      )
      .step("more", map([{ path: "c" }], child(pack), { concurrency: 1 }))
      .step("named", { dependsOn: ["list"] }, map("steps.list.output", child(pack)))
      .output(({ outputs }) => {
        expectTypeOf(outputs.packed).toEqualTypeOf<readonly { file: string }[]>();
        return [outputs.packed, outputs.more, outputs.named];
      });
    const both = [{ file: "a.zip" }, { file: "b.zip" }];
    expect(await run(built)).toEqual([both, [{ file: "c.zip" }], both]);
    // @ts-expect-error -- the items are numbers
    workflow("odd").step("packed", map([1, 2], child(pack)));
    const files = (): { file: string }[] => [];
    // @ts-expect-error -- the items of the source have no path
    workflow("odd").step("packed", map(files, child(pack)));
  });
});

describe("DEFINITION_INVALID is refused when the workflow is built", () => {
  it.each([
    [
      "an input that is no function",
      () => child(pack, { path: "a" } as never),
      "the input of a child must be a function",
    ],
    [
      "an input as an option and as a function",
      () =>
        base.step(
          "pack",
          { input: { path: "a" } },
          child(pack, () => ({ path: "a" })),
        ).definition,
      "it has an `input` and a function that gives it",
    ],
    [
      "a function in a map",
      () => workflow("w").step("m", map([{ path: "a" }], child(pack, () => ({ path: "a" })) as never)).definition,
      "the item is the input of the workflow",
    ],
    [
      "a function in an iteration",
      () => workflow("w").step("r", repeat({ max: 2 }, child(pack, () => ({ path: "a" })) as never)).definition,
      "write the `input` of the workflow as an option",
    ],
  ])("%s", (_, action, message) => {
    expect(readMessage(action)).toContain(message);
  });
});

describe("a start without its input", () => {
  it("DATA-3 INPUT_INVALID says that the input is missing", async () => {
    await using test = await openTestEngine();
    const { engine } = test;
    // @ts-expect-error -- the input is missing
    await expect(engine.start(checked)).rejects.toThrow("(the start has no input: pass it after the workflow)");
    await expect(engine.start(checked, { n: "3" } as never)).rejects.not.toThrow("the start has no input");
    const schema = { type: "object", required: ["tag"] } as const;
    const plain = workflow("plain", { input: schema }).step("one", () => 1);
    await expect(engine.start(plain)).rejects.toThrow("the start has no input");
  });
});
