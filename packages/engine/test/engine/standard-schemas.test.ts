// Standard Schemas, here those of zod, for outputs, signals and agents.

import { loadContract } from "@segno/contract";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  agent,
  http,
  map,
  shell,
  waitForSignal,
  workflow,
  type BuiltWorkflow,
  type StandardSchema,
} from "../../src/index.ts";
import { openTestEngine, type TestEngine } from "../../src/testing/index.ts";

const Summary = z.object({
  title: z.string().min(3),
  points: z.array(z.string()).default([]),
  at: z.date().optional(),
});

async function run(built: BuiltWorkflow, input: object = {}): Promise<unknown> {
  await using test = await openTestEngine();
  const handle = await test.engine.start(built as BuiltWorkflow<object>, input);
  const ended = handle.result();
  ended.catch(() => undefined);
  await test.advance("1h");
  return ended;
}

/** A schema of a library that has no JSON Schema. */
const BARE: StandardSchema<string, string> = {
  "~standard": { version: 1, vendor: "bare", validate: (value) => ({ value: String(value) }) },
};

describe("the output of a function", () => {
  it("DATA-3 is checked and converted by its schema, and dependants see that type as JSON", async () => {
    const built = workflow("summary")
      .step("write", { output: { schema: Summary } }, () => ({ title: "News", at: new Date(0), more: 1 }))
      .step("read", { dependsOn: ["write"] }, ({ outputs }) => {
        expectTypeOf(outputs.write).toEqualTypeOf<{ title: string; points: string[]; at?: string }>();
        return outputs.write;
      })
      .output(({ outputs }) => outputs.read);
    expect(await run(built)).toEqual({ title: "News", points: [], at: "1970-01-01T00:00:00.000Z" });
  });

  it("OUTPUT_INVALID is a permanent failure that names the path", async () => {
    let attempts = 0;
    const built = workflow("short").step("write", { output: { schema: Summary }, retry: 3 }, () => {
      attempts++;
      return { title: "No" };
    });
    await expect(run(built)).rejects.toMatchObject({
      failure: {
        class: "permanent",
        code: "OUTPUT_INVALID",
        message: expect.stringContaining("the output does not fit its schema: title: "),
      },
    });
    expect(attempts).toBe(1);
  });

  it("FAIL-2 OUTPUT_INVALID is retried if the policy of the step says so", async () => {
    const built = workflow("again")
      .step(
        "write",
        { output: { schema: Summary }, retry: { attempts: 3, on: ["transient", "schema"] } },
        ({ attempt }) => ({
          title: "x".repeat(attempt),
        }),
      )
      .output(({ outputs }) => outputs.write.title);
    expect(await run(built)).toBe("xxx");
  });

  it("FAIL-2 a recorded call keeps an answer that does not fit; one that checks the answer itself is made again", async () => {
    const built = (check: (title: string) => { readonly title: string }) => {
      let calls = 0;
      return workflow("recorded")
        .step(
          "write",
          { output: { schema: Summary }, retry: { attempts: 3, on: ["transient", "schema"] } },
          (context) => context.run("model", () => check("x".repeat(++calls))),
        )
        .output(({ outputs }) => outputs.write.title);
    };
    await expect(run(built((title) => ({ title })))).rejects.toMatchObject({ failure: { code: "OUTPUT_INVALID" } });
    expect(await run(built((title) => ({ title: Summary.shape.title.parse(title) })))).toBe("xxx");
  });

  it("DATA-3 is checked for each item of a map", async () => {
    const built = workflow("items")
      .step(
        "double",
        map([1, 2], ({ item }) => ({ n: item * 2, extra: true }), { output: { schema: z.object({ n: z.number() }) } }),
      )
      .output(({ outputs }) => {
        expectTypeOf(outputs.double).toEqualTypeOf<readonly { n: number }[]>();
        return outputs.double;
      });
    expect(await run(built)).toEqual([{ n: 2 }, { n: 4 }]);
  });
});

describe("a schema of an output", () => {
  it("CALLBACK_TIMEOUT a schema that does not answer fails the attempt", async () => {
    const silent: StandardSchema<string, string> = {
      "~standard": { version: 1, vendor: "silent", validate: () => new Promise(() => undefined) },
    };
    const built = workflow("silent").step("ask", { output: { schema: silent }, retry: 1 }, () => "text");
    await expect(run(built)).rejects.toMatchObject({ failure: { code: "CALLBACK_TIMEOUT" } });
  });

  it("CALLBACK_FAILED a schema that throws fails the attempt", async () => {
    const broken: StandardSchema<string, string> = {
      "~standard": {
        version: 1,
        vendor: "broken",
        validate: () => {
          throw new Error("broken schema");
        },
      },
    };
    const built = workflow("broken").step("ask", { output: { schema: broken }, retry: 1 }, () => "text");
    await expect(run(built)).rejects.toMatchObject({ failure: { code: "CALLBACK_FAILED" } });
  });
});

describe("the output of other work", () => {
  it("DATA-3 is checked by the JSON Schema of the schema, which is in the definition", () => {
    const built = workflow("calls")
      .step("ask", { output: { schema: z.object({ stdout: z.string() }).loose() } }, shell("echo hi"))
      .step("get", { output: { select: "body.n", schema: z.number() } }, http("https://example.com"))
      .step("part", { output: { select: "n", schema: z.number() } }, () => ({ n: 1 }))
      .step("read", { dependsOn: ["get", "part", "ask"] }, ({ outputs }) => {
        expectTypeOf(outputs.get).toEqualTypeOf<number>();
        expectTypeOf(outputs.part).toEqualTypeOf<number>();
        return outputs.ask.stdout;
      });
    const schemas = built.definition.steps.map(({ output }) => output?.schema);
    expect(schemas).toMatchObject([
      { type: "object", properties: { stdout: { type: "string" } } },
      { type: "number" },
      { type: "number" },
      undefined,
    ]);
  });

  it("DEFINITION_INVALID refuses a schema that has no JSON Schema", () => {
    const refused = (schema: StandardSchema): unknown =>
      workflow("bare").step("ask", { output: { schema } }, shell("true")).definition;
    expect(() => refused(BARE)).toThrow('step `ask`, output.schema: the library "bare" has no JSON Schema for it');
    expect(() => refused(z.date())).toThrow("step `ask`, output.schema: it cannot be written as a JSON Schema");
    expect(() => waitForSignal("paid", { schema: BARE })).toThrow("the schema of the signal `paid` cannot be used");
  });
});

describe("a signal", () => {
  const paid = workflow("order")
    .step("paid", waitForSignal("paid", { schema: z.object({ amount: z.number() }) }))
    .output(({ outputs }) => {
      expectTypeOf(outputs.paid).toEqualTypeOf<{ amount: number }>();
      return outputs.paid.amount;
    });

  it("STATE-12 SIGNAL_INVALID is checked when it is sent, and its payload is typed", async () => {
    await using test: TestEngine = await openTestEngine();
    const handle = await test.start(paid, null);
    await test.untilIdle();
    await expect(handle.signal("paid", { amount: "much" })).rejects.toMatchObject({ code: "SIGNAL_INVALID" });
    await handle.signal("paid", { amount: 7 });
    expect(await handle.result()).toBe(7);
  });
});

describe("an agent with schemas", () => {
  const summarise = agent("summarise", {
    input: z.object({ text: z.string(), words: z.coerce.number().default(2) }),
    output: z.object({ short: z.string().min(1) }),
    execute: ({ text, words }, { attempt }) => {
      expectTypeOf(words).toEqualTypeOf<number>();
      return { short: attempt < 2 ? "" : text.split(" ").slice(0, words).join(" ") };
    },
  });

  it("DATA-3 gets its input converted, and its output is checked", async () => {
    const built = workflow<{ text: string }>("short")
      .step("sum", { retry: { attempts: 2, on: ["schema"] } }, summarise)
      .output(({ outputs }) => {
        expectTypeOf(outputs.sum).toEqualTypeOf<{ short: string }>();
        return outputs.sum.short;
      });
    expect(await run(built, { text: "a b c" })).toBe("a b");
    await expect(run(built, { text: 3 })).rejects.toMatchObject({
      failure: {
        class: "permanent",
        code: "INPUT_INVALID",
        message: expect.stringContaining("the input does not fit its schema: text: "),
      },
    });
  });

  it("DATA-3 may have a schema of its output only", () => {
    const ask = agent("ask", { output: z.string(), execute: (input) => JSON.stringify(input) });
    expectTypeOf(ask.result).toEqualTypeOf<string | undefined>();
  });

  it("DEFINITION_INVALID refuses what is not a schema", () => {
    // @ts-expect-error -- a JSON Schema is no Standard Schema
    expect(() => agent("odd", { input: { type: "object" }, execute: () => 1 })).toThrow("must be a Standard Schema");
  });
});

describe("a contract", () => {
  it("FAIL-2 retries an output that does not fit its schema with `on: [schema]`, and not without", async () => {
    const text = (on: string): string => `
name: model
steps:
  - id: ask
    agent: ask
    retry: { attempts: 3, on: [${on}] }
    output: { schema: { type: integer } }
output: "\${ steps.ask.output }"
`;
    await using test = await openTestEngine({
      agents: { ask: (_, { attempt }) => (attempt === 3 ? 42 : "forty-two") },
    });
    const result = async (on: string): Promise<unknown> => {
      const handle = await test.engine.start(loadContract(text(on)));
      const ended = handle.result();
      ended.catch(() => undefined);
      await test.advance("1h");
      return ended;
    };
    expect(await result("transient, schema")).toBe(42);
    await expect(result("transient")).rejects.toMatchObject({ failure: { code: "OUTPUT_INVALID" } });
    expect(() => loadContract(text("misfit"))).toThrow("expected `transient`, `timeout` or `schema`");
  });
});
