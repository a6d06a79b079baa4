// The object that each function of a built workflow gets.

import { PermanentError, type Json } from "@segno/kernel";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  map,
  workflow,
  type CompensationContext,
  type HandlerContext,
  type ItemContext,
  type StepContext,
} from "../../src/index.ts";
import { openTestEngine, recordedLogger } from "../../src/testing/index.ts";

const broken = (): never => {
  throw new PermanentError("broken");
};

/** The members that every context has, each destructured. */
function shared(context: Omit<StepContext, "input">): Readonly<Record<string, unknown>> {
  const { execution, step, attempt, deadline, token, secrets, resources, signal, log, heartbeat } = context;
  log.info("seen");
  heartbeat();
  const isFrozen = [execution, step, secrets, resources].every((part) => Object.isFrozen(part));
  const types = [typeof deadline, typeof token, signal instanceof AbortSignal];
  return { execution, step, attempt, secrets, resources, types, isFrozen };
}

describe("the object of a handler", () => {
  it("DATA-1 IDEM-4 has all that the step may know, and each member can be destructured", async () => {
    const logger = recordedLogger();
    await using test = await openTestEngine({ logger, secrets: (name) => `the ${name} of a test` });
    const seen: unknown[] = [];
    const built = workflow<{ n: number }>("whole", { resources: { memory: 8 } })
      .step("one", ({ input }) => input.n)
      .step("two", { dependsOn: ["one"], timeout: "1m", secrets: ["key"], resources: { memory: 3 } }, (context) => {
        const { input, outputs } = context;
        seen.push(shared(context));
        return [input, outputs];
      })
      .output(({ outputs, input, execution }) => ({ two: outputs.two, input, id: execution.id }));
    const handle = await test.start(built, { n: 1 }, { correlationId: "order-7" });
    expect(await handle.result()).toEqual({ two: [{ n: 1 }, { one: 1 }], input: { n: 1 }, id: handle.id });
    expect(seen).toEqual([
      {
        execution: { id: handle.id, workflow: "whole", startedAt: expect.any(Number), correlationId: "order-7" },
        step: { id: "two", label: undefined },
        attempt: 1,
        secrets: { key: "the key of a test" },
        resources: { memory: 3 },
        types: ["number", "string", true],
        isFrozen: true,
      },
    ]);
    expect(logger.lines.find(({ message }) => message === "seen")?.fields).toMatchObject({ step: "two" });
  });

  it("BEYOND-1 of a source has the outputs and the input of its step", async () => {
    await using test = await openTestEngine();
    const built = workflow<number>("source")
      .step("one", () => [1])
      .step(
        "all",
        { dependsOn: ["one"] },
        map(
          ({ outputs, input, step }) => [...outputs.one, input, step.id],
          ({ item }) => item,
        ),
      )
      .output(({ outputs }) => outputs.all);
    expect(await (await test.start(built, 2)).result()).toEqual([1, 2, "all-items"]);
  });
});

describe("the object of an item", () => {
  it("BEYOND-1 has the item, its index and its label, and so has that of its fallback", async () => {
    await using test = await openTestEngine();
    const seen: unknown[] = [];
    const note = (context: ItemContext<string>): void => {
      const { item, index, step } = context;
      seen.push([item, index, step, "input" in context]);
    };
    const work = (context: ItemContext<string>): void => {
      note(context);
      if (context.item === "b") broken();
    };
    const label = "${ item } of ${ input.n }";
    const built = workflow<{ n: number }>("items").step(
      "all",
      map(["a", "b"], work, { label, fallback: note, concurrency: 1 }),
    );
    await (await test.start(built, { n: 2 })).result();
    expect(seen).toEqual([
      ["a", 0, { id: "all/0/item", label: "a of 2" }, false],
      ["b", 1, { id: "all/1/item", label: "b of 2" }, false],
      ["b", 1, { id: "all/1/fallback", label: "b of 2" }, false],
    ]);
  });

  it("DATA-1 has all other members of a context", async () => {
    await using test = await openTestEngine({ logger: recordedLogger() });
    const built = workflow("items")
      .step(
        "all",
        map([1], (context) => ({ ...shared(context), secrets: null }), { timeout: "1m" }),
      )
      .output(({ outputs }) => outputs.all);
    const handle = await test.start(built);
    expect(await handle.result()).toMatchObject([
      { execution: { id: handle.id }, step: { id: "all/0" }, attempt: 1, isFrozen: true },
    ]);
  });
});

describe("the object of a compensation", () => {
  it("FAIL-8 has the output of the step even if the options define its input", async () => {
    await using test = await openTestEngine({ logger: recordedLogger() });
    const undone: unknown[] = [];
    const built = workflow<{ tag: string }>("undo", { onFailure: "compensate" })
      .step("own", () => ({ id: 7 }))
      .compensate("own", { input: { tag: "${ input.tag }!", id: "${ steps.own.output.id }" } }, (context) => {
        const { output, input } = context;
        expectTypeOf(output).toEqualTypeOf<{ id: number }>();
        expectTypeOf(input).toEqualTypeOf<Json>();
        undone.push([output, input, "outputs" in context, shared(context)]);
      })
      .step("of-the-workflow", { dependsOn: ["own"] }, () => "made")
      .compensate("of-the-workflow", ({ output, input, step }) => void undone.push([output, input, step.id]))
      .step("end", { dependsOn: ["of-the-workflow"] }, broken);
    const handle = await test.start(built, { tag: "v1" });
    await expect(handle.result()).rejects.toThrow("broken");
    expect(undone).toEqual([
      ["made", { tag: "v1" }, "of-the-workflow/compensate"],
      [{ id: 7 }, { tag: "v1!", id: 7 }, false, expect.objectContaining({ attempt: 1, isFrozen: true })],
    ]);
  });
});

describe("the types of these objects", () => {
  it("CONTRACT-1 are exported, and are contexts of steps with further members", () => {
    expectTypeOf<HandlerContext<{ readonly a: 1 }, string>>().toExtend<StepContext<string>>();
    expectTypeOf<CompensationContext<{ readonly a: 1 }, string>>().toExtend<StepContext<string>>();
    expectTypeOf<ItemContext<1>>().toExtend<Omit<StepContext, "input">>();
    expectTypeOf<ItemContext<1>>().not.toHaveProperty("input");
    expectTypeOf<StepContext>().not.toHaveProperty("outputs");
  });

  it("CONTRACT-1 refuse the old form with two arguments, and members of another kind of handler", () => {
    const base = workflow("old").step("build", () => ({ path: "dist" }));
    const one = (): number => 1;
    const twoArguments = (_: unknown, { attempt }: StepContext): number => attempt;
    const refused = (): readonly unknown[] => [
      // @ts-expect-error -- a handler gets one object
      base.step("test", { dependsOn: ["build"] }, twoArguments),
      // @ts-expect-error -- nor do compensations get two arguments
      base.compensate("build", twoArguments),
      // @ts-expect-error -- nor does the output
      base.output(twoArguments),
      // @ts-expect-error -- nor do items
      map([1], twoArguments),
      // @ts-expect-error -- nor do sources
      map(twoArguments, one),
      // @ts-expect-error -- the outputs are a member
      base.step("test", { dependsOn: ["build"] }, ({ build }: { readonly build: object }) => build),
      // @ts-expect-error -- the item is a member
      map([1], (item: number) => item),
      // @ts-expect-error -- an item has no input
      map([1], ({ input }) => input),
      // @ts-expect-error -- a compensation has the output of its own step only
      base.compensate("build", ({ outputs }) => outputs),
    ];
    expect(refused).toBeTypeOf("function");
  });
});
