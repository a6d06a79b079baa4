import { SegnoError, type Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Engine } from "../api/engine.ts";
import { BaseAgent } from "../agents/agent.ts";
import { exec, shell } from "./command.ts";
import { child } from "./child-work.ts";
import { map, waitForSignal } from "./flow-work.ts";
import { agent } from "./named-agent.ts";
import { workflow } from "./workflow.ts";

/** The builder as an untyped program calls it. */
interface Plain {
  step(...given: readonly unknown[]): Plain;
  compensate(...given: readonly unknown[]): Plain;
  output(...given: readonly unknown[]): Plain;
  readonly definition: unknown;
}

const plain = workflow as unknown as (...given: readonly unknown[]) => Plain;
const plainMap = map as (...given: readonly unknown[]) => unknown;
const plainChild = child as (...given: readonly unknown[]) => unknown;
const work = (): number => 1;

class Greeter extends BaseAgent {
  override perform(): string {
    return "hello";
  }
}

function catchRefusal(call: () => unknown): SegnoError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(SegnoError);
    return error as SegnoError;
  }
  throw new Error("expected it to throw");
}

const STEPS =
  "expected a function, or the result of `agent`, `shell`, `exec`, `http`, `map`, `repeat`, `child`, `sleep`, `sleepUntil`, `waitForSignal`, `approval` or `barrier`";
const CALLS = "a function, or the result of `agent`, `shell`, `exec` or `http`";

const BAD_STEPS: readonly (readonly [name: string, given: readonly unknown[], problem: string])[] = [
  ["nothing", [], "step `undefined`: expected its id first, which is text, found undefined"],
  ["no id", [work], "step `a function`: expected its id first, which is text, found a function"],
  ["a symbol for its id", [Symbol("a"), work], "step `a symbol`: expected its id first, which is text, found a symbol"],
  ["no work", ["a"], `step \`a\`: ${STEPS}, found undefined`],
  ["null for its work", ["a", null], `step \`a\`: ${STEPS}, found null`],
  ["a number for its work", ["a", 5], `step \`a\`: ${STEPS}, found 5`],
  [
    "a script for its work",
    ["a", "echo hi"],
    `step \`a\`: ${STEPS}, found "echo hi" (for a command use \`shell(script)\`, for an agent \`agent(name)\`)`,
  ],
  [
    "only options",
    ["a", { retry: 2 }],
    `step \`a\`: ${STEPS}, found an object (if these are options, pass the work after them)`,
  ],
  ["null for its options", ["a", null, work], "step `a`: expected its options, an object, found null"],
  ["text for its options", ["a", "x", work], 'step `a`: expected its options, an object, found "x"'],
  ["a list for its options", ["a", ["b"], work], "step `a`: expected its options, an object, found a list"],
  [
    "its options after its function",
    ["a", work, { retry: 2 }],
    `step \`a\`: ${STEPS}, found an object (options come before the handler)`,
  ],
  [
    "its options after its agent",
    ["a", agent("x"), { retry: 2 }],
    `step \`a\`: ${STEPS}, found an object (options come before the handler)`,
  ],
  [
    "an agent without a name",
    ["a", new Greeter()],
    `step \`a\`: ${STEPS}, found an object (for an agent use \`agent(name, instance)\`)`,
  ],
  [
    "the class of an agent",
    ["a", Greeter],
    `step \`a\`: ${STEPS}, found a class (for an agent use \`agent(name, instance)\`, with an instance of the class)`,
  ],
  [
    "a promise",
    ["a", Promise.resolve(1)],
    `step \`a\`: ${STEPS}, found an object (a promise has already started: pass the function that creates it)`,
  ],
  [
    "another workflow",
    ["a", workflow("inner").step("b", work)],
    `step \`a\`: ${STEPS}, found an object (for another workflow use \`child(workflow)\`)`,
  ],
  [
    "its id among its options",
    ["a", { id: "b" }, work],
    "step `a`: `id` is not an option: pass the id as the first argument",
  ],
  [
    "its agent among its options",
    ["a", { agent: "x" }, work],
    "step `a`: `agent` is not an option: pass the work after the options",
  ],
];

describe("CONTRACT-1 a step of plain JavaScript", () => {
  it.each(BAD_STEPS)("that is given %s is refused, and what was expected is said", (_, given, problem) => {
    const refusal = catchRefusal(() => plain("w").step(...given).definition);
    expect([refusal.code, refusal.message]).toEqual([
      "DEFINITION_INVALID",
      `the workflow \`w\` cannot be built: ${problem}`,
    ]);
  });

  it("is not checked before somebody looks, and then together with all others", () => {
    const builder = plain("w").step("a").step("b", null);
    const { message } = catchRefusal(() => builder.definition);
    expect(message).toContain("step `a`: expected");
    expect(message).toContain("; step `b`: expected");
  });

  it("may say that it has no options by `undefined`", () => {
    expect(plain("w").step("a", undefined, work).definition).toEqual(workflow("w").step("a", work).definition);
  });
});

describe("CONTRACT-1 a map of plain JavaScript", () => {
  it.each<readonly [name: string, given: readonly unknown[], problem: string]>([
    ["without work", [[1]], `of each item: expected ${CALLS}, found undefined`],
    ["with null for its work", [[1], null], `of each item: expected ${CALLS}, found null`],
    ["with null for its options", [[1], work, null], "expected the options of the map, an object, found null"],
    [
      "with its options before its function",
      [[1], { concurrency: 2 }, work],
      `expected as the work of each item ${CALLS}, found an object (the options of a map come last)`,
    ],
    [
      "of maps",
      ["input", map("item", work)],
      "a map cannot be the work of each item of a map; use a workflow for each item, or one list of all items",
    ],
  ])("%s is refused, and what was expected is said", (_, given, problem) => {
    const refusal = catchRefusal(() => plain("w").step("a", plainMap(...given)).definition);
    expect([refusal.code, refusal.message]).toEqual([
      "DEFINITION_INVALID",
      `the workflow \`w\` cannot be built: step \`a\`: ${problem}`,
    ]);
  });

  it.each([[null], [5], ["b"]])(
    "with the dependencies %j is refused once, at the step that reads its items",
    (dependsOn) => {
      const built = plain("w")
        .step("b", work)
        .step("a", { dependsOn }, plainMap([1], work));
      const { code, message } = catchRefusal(() => built.definition);
      expect(code).toBe("DEFINITION_INVALID");
      expect(message.match(/expected a list of ids of steps/gu)).toHaveLength(1);
    },
  );
});

describe("CONTRACT-1 the rest of a workflow of plain JavaScript", () => {
  const one = (): Plain => plain("w").step("a", work);

  it.each<readonly [name: string, call: () => unknown, problem: string]>([
    ["an output without a function", () => one().output(), "the output: expected a function, found undefined"],
    ["an output that is a number", () => one().output(5), "the output: expected a function, found 5"],
    [
      "a compensation without work",
      () => one().compensate("a").definition,
      `the compensation of \`a\`: expected ${CALLS}, found undefined`,
    ],
    [
      "null for options",
      () => plain("w", null).step("a", work).definition,
      "expected its options, an object, found null",
    ],
    [
      "text for options",
      () => plain("w", "x").step("a", work).definition,
      'expected its options, an object, found "x"',
    ],
    [
      "another name among its options",
      () => plain("w", { name: "v" }).step("a", work).definition,
      "`name` is not an option of a workflow",
    ],
    [
      "steps among its options",
      () => plain("w", { steps: [] }).step("a", work).definition,
      "`steps` is not an option of a workflow",
    ],
  ])("that has %s is refused, and what was expected is said", (_, call, problem) => {
    const { code, message } = catchRefusal(call);
    expect([code, message]).toEqual(["DEFINITION_INVALID", `the workflow \`w\` cannot be built: ${problem}`]);
  });

  it("may have anything for its name, and is refused with a code", () => {
    expect(catchRefusal(() => plain(Symbol("w")).step("a", work).definition).code).toBe("DEFINITION_INVALID");
  });

  it.each([["a"], [null], [[null]], [[undefined]]])(
    "that has an output and the dependencies %j is refused with a code",
    (dependsOn) => {
      const call = (): unknown => one().step("b", { dependsOn }, work).output(work);
      expect(catchRefusal(call).code).toBe("DEFINITION_INVALID");
    },
  );
});

describe("what a step of plain JavaScript is made of", () => {
  it.each([
    [undefined, "undefined"],
    [5, "5"],
    [null, "null"],
    [{}, "an object"],
    [{ definition: null }, "an object"],
    [{ definition: { name: "inner", steps: [] } }, "an object"],
    [{ name: "inner", steps: [] }, "an object; register a definition with the engine, and name it here"],
  ])("DEFINITION_INVALID %j is no child", (given, shown) => {
    const { code, message } = catchRefusal(() => plainChild(given));
    expect([code, message]).toEqual([
      "DEFINITION_INVALID",
      `a child must be the name of a workflow or the result of \`workflow(...)\`, not ${shown}`,
    ]);
  });

  it.each<readonly [name: string, call: () => unknown, message: string]>([
    ["a script", () => shell("true", null as never), "`options` is an object, not null"],
    ["a program", () => exec(["true"], "A=1" as never), '`options` is an object, not "A=1"'],
    ["a script", () => shell("true", { envs: {} } as never), "a command has no option `envs`; did you mean `env`?"],
    ["a program", () => exec(["true"], { env: "A=1" } as never), '`env` is an object, not "A=1"'],
    ["a signal", () => waitForSignal("go", 5 as never), "`options` is an object, not 5"],
  ])("OPTION_INVALID %s with options that are none is refused at once", (_, call, message) => {
    expect(catchRefusal(call)).toMatchObject({ code: "OPTION_INVALID", message });
  });
});

describe("DATA-2 a Standard Schema that is none", () => {
  const withSchema = (standard: unknown): Plain => plain("w", { input: { "~standard": standard } }).step("a", work);

  it.each([[null], [{}], [{ validate: 5 }]])("being %j, cannot be the input of a workflow", (standard) => {
    const { code, message } = catchRefusal(() => withSchema(standard).definition);
    expect(code).toBe("DEFINITION_INVALID");
    expect(message).toContain("input: expected a Standard Schema, which has a function `validate`");
  });

  it.each<readonly [unknown, string]>([
    [undefined, "undefined"],
    [true, "a boolean"],
    [{ issues: "bad" }, "an object"],
    [{ issues: null }, "an object"],
  ])("giving %j, is said to be at fault, and not the input", async (result, shown) => {
    await using engine = await Engine.open({ store: "none" });
    const started = engine.start(withSchema({ validate: () => result }) as never, {} as never);
    await expect(started).rejects.toMatchObject({
      code: "DEFINITION_INVALID",
      message:
        "the schema of the input of `w` cannot be used: its `validate` must return an object with `value`, " +
        `or with a list of \`issues\`, not ${shown}`,
    });
  });

  it.each<readonly [Json, string]>([
    [[null], "an issue without a message"],
    [[{ message: "no", path: null }], "no"],
    [[{ message: "no", path: [null, { key: "a" }, 0] }], "a[0]: no"],
  ])("having the issues %j, still refuses the input", async (issues, text) => {
    await using engine = await Engine.open({ store: "none" });
    const started = engine.start(withSchema({ validate: () => ({ issues }) }) as never, {} as never);
    const message = `the input of \`w\` does not fit its schema: ${text}`;
    await expect(started).rejects.toMatchObject({ code: "INPUT_INVALID", message });
  });
});
