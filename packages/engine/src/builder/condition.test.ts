// Conditions that are functions.

import { describe, expect, expectTypeOf, it } from "vitest";
import type { StepReport } from "../index.ts";
import { approval, barrier, child, map, shell, sleep, workflow, type BuiltWorkflow } from "../index.ts";
import { openTestEngine } from "../testing/index.ts";

function readMessage(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("it did not throw");
}

async function run(
  built: BuiltWorkflow,
  input: object = {},
): Promise<{ output: unknown; steps: readonly StepReport[] }> {
  await using test = await openTestEngine();
  const handle = await test.engine.start(built as BuiltWorkflow<object>, input);
  const ended = handle.result();
  ended.catch(() => undefined);
  await test.advance("1h");
  const output = await ended;
  return { output, steps: (await handle.status()).steps };
}

describe("a condition that is a function", () => {
  const checked = workflow<{ readonly ship: boolean }>("checked")
    .step("check", ({ input }) => ({ ok: input.ship }))
    .step("ship", { dependsOn: ["check"], when: ({ outputs }) => outputs.check.ok }, ({ outputs }) =>
      Object.keys(outputs),
    );

  it("STATE-5 runs the step or skips it, and the step sees only the outputs that it asked for", async () => {
    const built = checked.output(({ outputs }) => outputs.ship);
    expect((await run(built, { ship: true })).output).toEqual(["check"]);
    const { output, steps } = await run(built, { ship: false });
    expect(output).toBeNull();
    expect(steps.find(({ name }) => name === "ship")).toMatchObject({ status: "skipped" });
  });

  it("STATE-5 has typed outputs and input, in any order of the options, and adds null to the type of the output", () => {
    checked
      .step(
        "notify",
        {
          when: ({ outputs, input }) => {
            expectTypeOf(outputs).toEqualTypeOf<{
              readonly ship: string[] | null;
              readonly check: { ok: boolean } | null;
            }>();
            expectTypeOf(input).toEqualTypeOf<{ readonly ship: boolean }>();
            return outputs.ship !== null && input.ship;
          },
          dependsOn: ["ship", { step: "check", on: "settled" }],
          input: { text: "${ steps.ship.output }" },
        },
        () => 1,
      )
      .output(({ outputs }) => {
        expectTypeOf(outputs.notify).toEqualTypeOf<number | null>();
        expectTypeOf(outputs.ship).toEqualTypeOf<string[] | null>();
      });
    // @ts-expect-error -- `chek` is not among the dependencies
    checked.step("odd", { dependsOn: ["check"], when: ({ outputs }) => outputs.chek.ok }, () => 1);
    // @ts-expect-error -- a condition returns a boolean
    checked.step("odd", { dependsOn: ["check"], when: ({ outputs }) => outputs.check }, () => 1);
    // @ts-expect-error -- without dependencies there are no outputs
    checked.step("odd", { when: ({ outputs }) => outputs.check.ok }, () => 1);
  });
});

describe("every kind of step", () => {
  it("STATE-5 may have a condition that is a function", async () => {
    const part = workflow("part")
      .step("one", () => 1)
      .output(({ outputs }) => outputs.one);
    const all = (isTrue: boolean): BuiltWorkflow => {
      const when = (): boolean => isTrue;
      return workflow("all")
        .step("first", () => [1, 2])
        .step("call", { dependsOn: ["first"], when }, child(part))
        .step(
          "list",
          { dependsOn: ["first"], when },
          map([1, 2], ({ item }) => item * 2),
        )
        .step(
          "each",
          { dependsOn: ["first"], when },
          map("steps.first.output", ({ item }: { item: number }) => item + 1),
        )
        .step(
          "read",
          { dependsOn: ["first"], when },
          map(
            ({ outputs }) => Object.keys(outputs),
            ({ item }) => item,
          ),
        )
        .step("meet", { dependsOn: ["first"], when }, barrier())
        .step("nap", { when: async ({ input }) => isTrue && input === input }, sleep("1ms"))
        .output(({ outputs }) => outputs);
    };
    expect((await run(all(true))).output).toEqual({
      first: [1, 2],
      call: 1,
      list: [2, 4],
      each: [2, 3],
      read: ["first"],
      meet: null,
      nap: null,
    });
    expect((await run(all(false))).output).toEqual({
      first: [1, 2],
      call: null,
      list: null,
      each: null,
      read: null,
      meet: null,
      nap: null,
    });
    const waiting = workflow("waiting")
      .step("ask", { when: () => false }, approval())
      .step("cmd", { when: () => false }, shell("exit 1"));
    expect((await run(waiting)).steps.filter(({ status }) => status === "skipped").map(({ name }) => name)).toEqual([
      "ask",
      "cmd",
    ]);
  });
});

describe("the function of a condition", () => {
  it("STATE-5 decides once: a retry of the step does not call the function again", async () => {
    let decisions = 0;
    const built = workflow("once")
      .step("flaky", { when: () => ++decisions === 1, retry: { attempts: 3, base: "1ms" } }, ({ attempt }) => {
        if (attempt < 3) throw new Error("not yet");
        return attempt;
      })
      .output(({ outputs }) => outputs.flaky);
    expect((await run(built)).output).toBe(3);
    expect(decisions).toBe(1);
  });

  it("CONDITION_NOT_BOOLEAN fails the execution if the result is not boolean", async () => {
    const built = workflow("odd").step("ship", { when: (() => "yes") as never }, () => 1);
    await expect(run(built)).rejects.toThrow('a condition must return true or false, not "yes"');
    await expect(run(built)).rejects.toMatchObject({
      failure: { code: "CONDITION_NOT_BOOLEAN" },
    });
  });

  it("STATE-7 an error of the function is an error of the step, which `onError` may tolerate", async () => {
    const fail = (): boolean => {
      throw new Error("no answer");
    };
    const built = workflow("failing")
      .step("ship", { when: fail, onError: "continue", retry: 1 }, () => 1)
      .step("other", () => 2)
      .output(({ outputs }) => outputs);
    expect((await run(built)).output).toEqual({ ship: null, other: 2 });
  });

  it("STATE-8 is refused for a fallback", () => {
    const built = workflow("instead")
      .step("spare", { when: () => true }, () => 1)
      .step("main", { fallback: "spare" }, () => 2);
    expect(readMessage(() => built.definition)).toContain("the condition of a fallback must be text");
  });

  it("CONTRACT-1 ids that begin with _ are reserved, so that its step collides with none", () => {
    // @ts-expect-error -- the id is reserved
    const built = workflow("taken").step("_when-ship", () => 1);
    expect(readMessage(() => built.definition)).toContain("ids that begin with `_` are reserved");
  });
});
