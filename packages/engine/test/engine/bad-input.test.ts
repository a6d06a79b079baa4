// Refused inputs: nothing is created, and the code states the reason.

import { stepId, type Definition, type Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Engine, workflow, type StandardSchema } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openTestEngine, type TestEngine, inspectEngine } from "../../src/testing/index.ts";
import { flow, one } from "./sample-flow.ts";

const SCHEMA = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] };

async function nothingIn(test: TestEngine): Promise<void> {
  expect((await test.engine.list()).executions).toEqual([]);
  expect(inspectEngine(test.engine).liveCount).toBe(0);
}

/** A schema with the given `validate`. */
function schema(validate: StandardSchema<unknown, unknown>["~standard"]["validate"]): StandardSchema<unknown, unknown> {
  return { "~standard": { version: 1, vendor: "test", validate } };
}

describe("an input that does not fit", () => {
  it.each<readonly [string, Json]>([
    ["missing", null],
    ["of the wrong type", { n: "one" }],
    ["out of range", { n: 0 }],
  ])("DATA-2 its JSON Schema, being %s, is refused before anything is created (INPUT_INVALID)", async (_, input) => {
    await using test = await openTestEngine({ agents: { work: async () => 1 } });
    await expect(test.start(one({}, { input: SCHEMA }), input)).rejects.toMatchObject({ code: "INPUT_INVALID" });
    await nothingIn(test);
  });

  it("DATA-2 its JSON Schema fails, if it is let in at all, before any step starts (INPUT_INVALID)", async () => {
    let calls = 0;
    await using test = await openTestEngine({ agents: { work: () => ++calls } });
    const failure = await test.start(one({}, { input: SCHEMA }), { n: 0 }).then(
      (handle) => handle.result().catch((error: { failure: unknown }) => error.failure),
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: "INPUT_INVALID" });
    expect(calls).toBe(0);
  });

  it.each([
    ["says no", schema(() => ({ issues: [{ message: "expected a tag", path: ["tag"] }] })), "tag: expected a tag"],
    ["says no later", schema(async () => ({ issues: [{ message: "no" }] })), "no"],
    ["makes a Map of it", schema(() => ({ value: { when: new Map() } })), "when"],
  ])(
    "DATA-2 a Standard Schema that %s is refused before anything is created (INPUT_INVALID)",
    async (_, input, text) => {
      await using test = await openTestEngine();
      const built = workflow("schema", { input }).step("a", () => 1);
      const refused = await test.start(built, {}).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: "INPUT_INVALID", message: expect.stringContaining(text) as string });
      await nothingIn(test);
    },
  );

  it.each<readonly [string, unknown]>([
    ["a BigInt", 10n],
    ["a Map", { when: new Map() }],
    ["a function", { call: () => 1 }],
    ["NaN", [Number.NaN]],
  ])("DATA-8 JSON, being %s, is refused before anything is created (INPUT_INVALID)", async (_, input) => {
    await using test = await openTestEngine({ agents: { work: async () => 1 }, onFault: () => undefined });
    const started = test.start(one(), input as Json).then(
      () => "started",
      (error: { code: unknown }) => error.code,
    );
    await test.advance("1s");
    expect(await Promise.race([started, test.advance("1s").then(() => "hangs")])).toBe("INPUT_INVALID");
    await nothingIn(test);
  });

  it("JOURNAL-4 in 10 MB is refused before anything is created (VALUE_TOO_LARGE)", async () => {
    await using test = await openTestEngine({ agents: { work: async () => 1 } });
    await expect(test.start(one(), "x".repeat(11_000_000))).rejects.toMatchObject({ code: "VALUE_TOO_LARGE" });
    await nothingIn(test);
  });
});

describe("a start", () => {
  it("CONTRACT-1 of a workflow that cannot run is refused with what is wrong (DEFINITION_INVALID)", async () => {
    await using test = await openTestEngine();
    const cycle: Definition = flow([
      {
        id: stepId("a"),
        action: { kind: "agent", agent: "work" },
        dependsOn: [{ step: stepId("a"), on: "succeeded" }],
      },
    ]);
    await expect(test.start(cycle)).rejects.toMatchObject({ code: "DEFINITION_INVALID" });
    await nothingIn(test);
  });

  it("LEASE-1 with an id that exists is refused, also when both come at once or the other has ended (EXECUTION_EXISTS)", async () => {
    await using test = await openTestEngine({ agents: { work: async () => 1 } });
    const starts = await Promise.allSettled([1, 2, 3].map((n) => test.start(one(), n, { id: "mine" })));
    expect(starts.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(starts[1]).toMatchObject({ reason: { code: "EXECUTION_EXISTS" } });
    await test.untilIdle();
    await test.crash();
    await expect(test.start(one(), null, { id: "mine" })).rejects.toMatchObject({ code: "EXECUTION_EXISTS" });
    expect((await test.engine.list()).executions).toHaveLength(1);
  });

  it("WORKFLOW_UNKNOWN by a name that nobody has registered is refused, also by names that objects have", async () => {
    await using test = await openTestEngine();
    for (const name of ["nobody", "constructor", "__proto__", ""])
      await expect(test.start(name)).rejects.toMatchObject({ code: "WORKFLOW_UNKNOWN" });
  });
});

describe("an id that nobody has", () => {
  it("LEASE-5 gives no handle, whoever asks (EXECUTION_UNKNOWN)", async () => {
    const store = new MemoryStore();
    const poster = await Engine.open({ store, mode: "post" });
    const owner = await Engine.open({ store });
    for (const engine of [owner, poster]) {
      for (const id of ["nobody", "", "constructor", "__proto__", "a".repeat(1000)])
        await expect(engine.get(id)).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
      await expect(engine.verify("nobody")).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
    }
    await owner.close();
    await poster.close();
  });

  it.each(["cancel", "pause", "resume", "retry", "signal", "status", "result"] as const)(
    "LEASE-5 makes a %s say so, where its execution was removed under the handle (EXECUTION_UNKNOWN)",
    async (command) => {
      const store = new MemoryStore();
      await using engine = await Engine.open({ store, agents: { work: async () => 1 } });
      const handle = await engine.start(one());
      await handle.result();
      await store.remove(handle.id as never);
      const asked = command === "signal" ? handle.signal("go") : handle[command]();
      await expect(asked).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
    },
  );

  it("LEASE-5 takes a message for it away, and what is no wish as well, and the others arrive", async () => {
    const store = new MemoryStore();
    const postedAt = 0 as never;
    await store.post({ execution: "nobody" as never, body: JSON.stringify({ kind: "pause" }), postedAt });
    await store.post({ execution: "mine" as never, body: "{ not JSON", postedAt });
    await store.post({ execution: "mine" as never, body: JSON.stringify({ kind: "explode" }), postedAt });
    const poster = await Engine.open({ store, mode: "post" });
    await poster.start(one(), null, { id: "mine" });
    await using owner = await Engine.open({ store, agents: { work: async () => "done" } });
    expect(await (await owner.get("mine")).result()).toBe("done");
    await inspectEngine(owner).untilCommitted();
    expect((await store.poll()).messages).toEqual([]);
  });
});
