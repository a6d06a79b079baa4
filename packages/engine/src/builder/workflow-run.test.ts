import { loadContract } from "@segno/contract";
import { PermanentError, SegnoError, type Json } from "@segno/kernel";
import { describe, expect, expectTypeOf, it } from "vitest";
import { Engine } from "../api/engine.ts";
import { ExecutionError } from "../checks/execution-error.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";
import { agent } from "./named-agent.ts";
import type { StandardSchema } from "./standard-schema.ts";
import { workflow } from "./workflow.ts";

interface Release {
  readonly tag: string;
}

/** Requires a tag, and adds a `v` to it if it has none. */
const Release: StandardSchema<Release> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: async (value) => {
      const { tag } = (value ?? {}) as Partial<Release>;
      if (typeof tag !== "string") return { issues: [{ message: "expected text", path: ["tag"] }] };
      return { value: { tag: tag.startsWith("v") ? tag : `v${tag}` } };
    },
  },
};

async function open(): Promise<Engine> {
  return Engine.open({ store: new MemoryStore() });
}

const broken = (): never => {
  throw new PermanentError("broken");
};

describe("a built workflow on an engine", () => {
  const release = workflow("release", { input: Release })
    .step("build", async ({ input }) => ({ path: `dist/${input.tag}` }))
    .step(
      "test",
      { dependsOn: ["build"], retry: 3, timeout: "5m" },
      async ({ outputs }) => `${outputs.build.path} is fine`,
    )
    .step(
      "notes",
      { dependsOn: ["build"], input: { log: "${ steps.build.output.path }" } },
      agent("summarise", (input) => ({ about: (input as { log: string }).log })),
    )
    .output(({ outputs: { test, notes }, input }) => ({ tag: input.tag, report: test, notes }));

  it("DATA-10 gives each handler the outputs of its dependencies, and gives its output back", async () => {
    await using engine = await open();
    const execution = await engine.start(release, { tag: "1" });
    const result = await execution.result();
    expectTypeOf(result).toEqualTypeOf<{ tag: string; report: string; notes: { about: string } }>();
    expect(result).toEqual({ tag: "v1", report: "dist/v1 is fine", notes: { about: "dist/v1" } });
  });

  it("runs by its name once it is registered, with its input checked all the same", async () => {
    await using engine = await open();
    engine.register(release);
    expect(await (await engine.start("release", { tag: "2" })).result()).toMatchObject({ tag: "v2" });
    await expect(engine.start("release", {})).rejects.toMatchObject({ code: "INPUT_INVALID" });
  });

  it("INPUT_INVALID refuses an input that does not fit its schema before anything is created", async () => {
    await using engine = await open();
    const refused = await engine.start(release, { tag: 3 as never }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SegnoError);
    expect(refused).toMatchObject({
      code: "INPUT_INVALID",
      message: "the input of `release` does not fit its schema: tag: expected text",
    });
    expect((await engine.list()).executions).toEqual([]);
    // @ts-expect-error -- an input that is needed cannot be left out
    await expect(engine.start(release)).rejects.toMatchObject({ code: "INPUT_INVALID" });
  });

  it("IDEM-1 is joined under a key by an input that the schema makes the same", async () => {
    await using engine = await open();
    const first = await engine.start(release, { tag: "1" }, { idempotencyKey: "once" });
    const second = await engine.start(release, { tag: "v1" }, { idempotencyKey: "once" });
    expect(second.id).toBe(first.id);
  });
});

describe("the output of a workflow", () => {
  it("STATE-7 has null for a step that may fail, and for what that takes along", async () => {
    await using engine = await open();
    const built = workflow("optional")
      .step("must", () => "must")
      .step("may", { onError: "continue" }, broken)
      .step("after", { dependsOn: ["may"] }, () => "after")
      .step("anyway", { dependsOn: [{ step: "may", on: "settled" }] }, ({ outputs: { may } }) => ({ may }))
      .output(({ outputs }) => ({ ...outputs }));
    const result = await (await engine.start(built)).result();
    expect(result).toEqual({ must: "must", may: null, after: null, anyway: { may: null } });
  });

  it("STATE-7 is not made at all when a step fails that must not", async () => {
    await using engine = await open();
    let made = 0;
    const built = workflow("failing")
      .step("may", { onError: "continue" }, broken)
      .step("must", broken)
      .output(() => ++made);
    const failure = await (await engine.start(built)).result().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ExecutionError);
    expect(made).toBe(0);
  });

  it("STATE-5 has null for a step that its condition skipped", async () => {
    await using engine = await open();
    const built = workflow("condition")
      .step("never", { when: "input.missing" }, () => 1)
      .output(({ outputs }) => [outputs.never]);
    expect(await (await engine.start(built, {})).result()).toEqual([null]);
  });

  it("STATE-8 has the fallback's output under the id of the step that failed", async () => {
    await using engine = await open();
    const built = workflow("fallback")
      .step("mirror", () => "from the mirror")
      .step("fetch", { fallback: "mirror" }, broken)
      .step("use", { dependsOn: ["fetch"] }, ({ outputs }) => `used what came ${outputs.fetch}`)
      .output(({ outputs: { fetch, use } }) => ({ fetch, use }));
    expect(await (await engine.start(built)).result()).toEqual({
      fetch: "from the mirror",
      use: "used what came from the mirror",
    });
  });
});

it("FAIL-8 a compensation gets what its step gave and what the workflow was given", async () => {
  await using engine = await open();
  const undone: unknown[] = [];
  const built = workflow("undo", { input: Release, onFailure: "compensate" })
    .step("publish-it", () => ({ id: 7 }))
    .compensate("publish-it", ({ output, input, attempt }) => void undone.push([output.id, input.tag, attempt]))
    .step("announce", { dependsOn: ["publish-it"] }, broken);
  await expect((await engine.start(built, { tag: "v1" })).result()).rejects.toThrow("broken");
  expect(undone).toEqual([[7, "v1", 1]]);
});

it("CONTRACT-1 a contract and a built workflow share the agents of an engine", async () => {
  const contract = loadContract(`
    name: written
    steps:
      - { id: call, agent: shout, input: "\${ input.word }" }
    output: "\${ steps.call.output }"
  `);
  const built = workflow<{ word: string }>("built")
    .step("call", { input: "${ input.word }" }, agent<string>("shout"))
    .output(({ outputs }) => outputs.call);
  await using engine = await Engine.open({
    store: new MemoryStore(),
    agents: { shout: (input: Json) => String(input).toUpperCase() },
  });
  expect(await (await engine.start(contract, { word: "yaml" })).result()).toBe("YAML");
  expect(await (await engine.start(built, { word: "code" })).result()).toBe("CODE");
});
