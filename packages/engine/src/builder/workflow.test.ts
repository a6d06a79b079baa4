import { loadContract } from "@segno/contract";
import { compileDefinition, SegnoError, type Json } from "@segno/kernel";
import { describe, expect, expectTypeOf, it } from "vitest";
import { skip } from "../agents/skip.ts";
import { agent } from "./named-agent.ts";
import type { StandardSchema } from "./standard-schema.ts";
import { workflow, type InputTypes, type WorkflowBuilder } from "./workflow.ts";

interface Build {
  readonly path: string;
}

const build = async (): Promise<Build> => ({ path: "dist" });

function readMessage(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(SegnoError);
    expect((error as SegnoError).code).toBe("DEFINITION_INVALID");
    return (error as SegnoError).message;
  }
  throw new Error("expected it to throw");
}

const release = workflow("release", { onFailure: "compensate", timeout: "1h" })
  .step("build", build)
  .step("test", { dependsOn: ["build"], retry: 3, timeout: "5m" }, async ({ outputs }) => outputs.build.path.length)
  .step(
    "notes",
    { dependsOn: ["build"], input: { log: "${ steps.build.output.path }" }, limits: { rate: "30/1m" } },
    agent("summarise"),
  )
  .compensate("build", { retry: 2 }, async ({ output }) => output.path)
  .output(({ outputs: { test, notes } }) => ({ report: test, notes }));

describe("a built workflow", () => {
  it("CONTRACT-1 is the definition that a contract with the same keys gives", () => {
    const written = loadContract(`
      name: release
      onFailure: compensate
      timeout: 1h
      output: "\${ steps._output.output }"
      steps:
        - id: build
          agent: release.build
          compensate:
            agent: release.build.compensate
            input: { output: '\${ steps."build".output }', input: "\${ input }" }
            retry: 2
        - { id: test, agent: release.test, dependsOn: [build], retry: 3, timeout: 5m }
        - id: notes
          agent: summarise
          dependsOn: [build]
          input: { log: "\${ steps.build.output.path }" }
          limits: { rate: 30/1m }
        - { id: _output, agent: release._output, dependsOn: [build, test, notes] }
    `);
    const renamed = JSON.stringify(written).replaceAll(/release\.([\w.]+)/gu, (_, path: string) => {
      return `release/${path.replace(".", "/")}`;
    });
    expect(release.definition).toEqual(JSON.parse(renamed));
  });

  it("CONTRACT-1 is frozen all the way down, and compiles", () => {
    expect(Object.isFrozen(release.definition.steps[1]?.dependsOn?.[0])).toBe(true);
    expect(compileDefinition(release.definition).kind).toBe("program");
  });

  it("brings an agent for each function, and none for those that it only names", () => {
    expect([...release.agents.keys()]).toEqual([
      "release/build",
      "release/test",
      "release/build/compensate",
      "release/_output",
    ]);
  });

  it("leaves what it was given alone, and is not changed by it later", () => {
    const input = { type: "object", properties: {} };
    const built = workflow("copy", { input }).step("one", build);
    expect(built.definition.input).toEqual({ type: "object", properties: {} });
    expect(Object.isFrozen(input)).toBe(false);
  });

  it("needs no output: a builder is a built workflow", () => {
    const plain = workflow("plain").step("one", build);
    expect(plain.definition.output).toBeUndefined();
    expect(plain.definition).toBe(plain.definition);
  });

  it("registers an agent that comes with its function, under its own name", () => {
    const built = workflow("named").step(
      "one",
      agent("shout", (input) => String(input).toUpperCase()),
    );
    expect(built.definition.steps[0]?.action).toEqual({ kind: "agent", agent: "shout" });
    expect([...built.agents.keys()]).toEqual(["shout"]);
  });
});

describe("a builder", () => {
  it("is left as it was by every call", () => {
    const base = workflow("base").step("one", build);
    const left = base.step("left", { dependsOn: ["one"] }, build);
    const right = base.step("right", { dependsOn: ["one"] }, build);
    expect(base.definition.steps.map(({ id }) => id)).toEqual(["one"]);
    expect(left.definition.steps.map(({ id }) => id)).toEqual(["one", "left"]);
    expect(right.definition.steps.map(({ id }) => id)).toEqual(["one", "right"]);
  });

  it("takes ids that are made at run time, in a loop of 5,000", () => {
    let chain: WorkflowBuilder<InputTypes<Json, Json>, Record<string, Json>> = workflow("loop").step(
      "s0",
      () => 0,
    ) as never;
    for (let index = 1; index < 5000; index++)
      chain = chain.step(`s${index}`, { dependsOn: [`s${index - 1}`] }, () => index) as never;
    expect(chain.definition.steps).toHaveLength(5000);
  });
});

describe("the output step", () => {
  const outputEdges = (built: { definition: { steps: readonly { dependsOn?: unknown }[] } }): unknown =>
    built.definition.steps.at(-1)?.dependsOn;

  it("STATE-7 needs what must succeed, and awaits what may fail and what that would take along", () => {
    const built = workflow("mixed")
      .step("must", build)
      .step("may", { onError: "continue" }, build)
      .step("after", { dependsOn: ["may"] }, build)
      .step("anyway", { dependsOn: [{ step: "may", on: "settled" }] }, build)
      .output(() => 1);
    expect(outputEdges(built)).toEqual([
      { step: "must", on: "succeeded" },
      { step: "may", on: "settled" },
      { step: "after", on: "settled" },
      { step: "anyway", on: "succeeded" },
    ]);
  });

  it("STATE-8 does not wait for a fallback, which stands behind its primary", () => {
    const built = workflow("fallback")
      .step("mirror", () => "mirror")
      .step("fetch", { fallback: "mirror" }, () => 1)
      .output(({ outputs }) => outputs.fetch);
    expect(outputEdges(built)).toEqual([{ step: "fetch", on: "succeeded" }]);
    expectTypeOf<NonNullable<typeof built.types>["output"]>().toEqualTypeOf<string | number>();
  });
});

const Release: StandardSchema<{ tag?: string }, { tag: string }> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: { tag: "v0", ...(value as object) } }) },
};

describe("types", () => {
  it("give a handler the outputs of its dependencies, and the input of its schema", () => {
    const built = workflow("typed", { input: Release })
      .step("build", async ({ outputs, input, attempt }) => {
        expectTypeOf(outputs).toEqualTypeOf<Readonly<Record<never, never>>>();
        expectTypeOf(input).toEqualTypeOf<{ tag: string }>();
        return { path: input.tag, attempt };
      })
      .step("size", { dependsOn: ["build"] }, ({ outputs }) => {
        expectTypeOf(outputs).toEqualTypeOf<{ readonly build: { path: string; attempt: number } }>();
        return outputs.build.path.length;
      })
      .step("own", { input: "${ input.tag }" }, ({ input }) => {
        expectTypeOf(input).toEqualTypeOf<Json>();
      })
      .output(({ outputs: { size, own } }) => ({ size, own }));
    expectTypeOf<NonNullable<typeof built.types>>().toEqualTypeOf<{
      readonly given: { tag?: string };
      readonly output: { size: number; own: null };
    }>();
  });

  it("STATE-5 STATE-6 have null where a dependant can see it", () => {
    const base = workflow("nulls")
      .step("when", { when: "input" }, () => 1)
      .step("off", { enabled: false }, () => 1)
      .step("may", { onError: "continue" }, () => 1)
      .step("itself", () => (Date.now() > 0 ? 1 : skip("nothing to do")))
      .step("nothing", () => undefined)
      .step("selected", { output: { select: "length(@)" } }, () => "text");
    base.step("reader", { dependsOn: ["when", "off", "may", "itself", "nothing", "selected"] }, ({ outputs }) => {
      expectTypeOf(outputs).toEqualTypeOf<{
        readonly when: number | null;
        readonly off: number | null;
        readonly may: number;
        readonly itself: 1 | null;
        readonly nothing: null;
        readonly selected: Json;
      }>();
    });
    base.step("reader", { dependsOn: [{ step: "may", on: "settled" }] }, ({ outputs }) => {
      expectTypeOf(outputs.may).toEqualTypeOf<number | null>();
    });
    base
      .step("after", { dependsOn: ["may"] }, () => 1)
      .output(({ outputs: { after, may } }) => {
        expectTypeOf(after).toEqualTypeOf<number | null>();
        expectTypeOf(may).toEqualTypeOf<number | null>();
      });
  });

  it("FAIL-8 give a compensation the output of its step", () => {
    workflow("undo", { input: Release })
      .step("publish", () => ({ id: 7 }))
      .compensate("publish", ({ output, input }) => {
        expectTypeOf(output).toEqualTypeOf<{ id: number }>();
        expectTypeOf(input).toEqualTypeOf<{ tag: string }>();
      });
  });
});

describe("the compiler", () => {
  it("refuses what is unknown, taken or misspelt", () => {
    const base = workflow("wrong").step("build", build).step("other", build);
    // @ts-expect-error -- there is no step `biuld`
    base.step("test", { dependsOn: ["biuld"] }, build);
    // @ts-expect-error -- nor here
    base.step("test", { dependsOn: [{ step: "biuld", on: "settled" }] }, build);
    // @ts-expect-error -- nor as a fallback
    base.step("test", { fallback: "biuld" }, build);
    // @ts-expect-error -- a step does not depend on itself
    base.step("test", { dependsOn: ["test"] }, build);
    // @ts-expect-error -- the id is taken
    base.step("build", build);
    // @ts-expect-error -- and this one is reserved
    base.step("_output", build);
    // @ts-expect-error -- there is no such option
    base.step("test", { dependson: ["build"] }, build);
    // @ts-expect-error -- `other` is not among the dependencies
    base.step("test", { dependsOn: ["build"] }, ({ outputs }) => outputs.other);
    // @ts-expect-error -- nothing to compensate
    base.compensate("biuld", build);
    // @ts-expect-error -- a fallback has no dependants
    base.step("main", { fallback: "other" }, build).step("test", { dependsOn: ["other"] }, build);
    expect(base.definition.steps).toHaveLength(2);
  });
});

describe("what the compiler cannot see is told when the workflow is built", () => {
  const base = workflow("told").step("build", build);
  const untyped = base as unknown as WorkflowBuilder<InputTypes<Json, Json>, Record<string, Json>>;

  it("GRAPH-7 an id that is taken", () => {
    expect(readMessage(() => untyped.step("build", build).definition)).toContain(
      "the id `build` is already used by step 1",
    );
  });

  it("GRAPH-6 an unknown dependency, with the id that was probably meant", () => {
    expect(readMessage(() => untyped.step("test", { dependsOn: ["biuld"] }, build).output(() => 1))).toContain(
      "step `test`, dependsOn[0]: `test` depends on `biuld`, which is not a step of this workflow (did you mean `build`?)",
    );
  });

  it("CONTRACT-7 a text that is no duration, and everything else that is wrong", () => {
    const message = readMessage(
      () => base.step("slow", { timeout: "soon", retry: 0, when: "input ==" }, build).definition,
    );
    expect(message).toContain("step `slow`, timeout: expected a duration");
    expect(message).toContain("step `slow`, retry: expected a whole number from 1 to 1,000");
  });

  it("an option that is not JSON", () => {
    expect(readMessage(() => base.step("odd", { input: new Map() as never }, build).definition)).toContain(
      "steps[1].input is an instance of Map",
    );
  });

  it("an agent's name that stands for two functions", () => {
    const twice = base
      .step(
        "a",
        agent("same", () => 1),
      )
      .step(
        "b",
        agent("same", () => 2),
      );
    expect(readMessage(() => twice.definition)).toContain("the agent `same` is defined with two functions");
  });

  it("two compensations of one step, or one of none", () => {
    expect(readMessage(() => base.compensate("build", build).compensate("build", build).definition)).toContain(
      "has two compensations",
    );
    expect(readMessage(() => untyped.compensate("gone", build).definition)).toContain("no step `gone` to compensate");
  });

  it("an option that is `undefined` was not given", () => {
    expect(base.step("test", { timeout: undefined as never }, build).definition.steps[1]).not.toHaveProperty("timeout");
  });
});

describe("expressions of a built workflow", () => {
  const input = { type: "object", properties: { channel: { enum: ["stable", "next"] } } } as const;

  it("CONTRACT-11 a condition that misspells a name of the JSON Schema is refused when the workflow is built", () => {
    const built = (when: string): unknown =>
      workflow("ship", { input })
        .step("build", { when }, build)
        .output(() => null);
    expect(readMessage(() => built("input.chanel == 'next'"))).toContain("did you mean `input.channel`?");
    expect(readMessage(() => built("input.channel == 'nxt'"))).toContain("did you mean 'next'?");
    expect(() => built("input.channel == 'next'")).not.toThrow();
  });
});
