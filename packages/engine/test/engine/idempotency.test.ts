// IDEM: keys and tokens.

import { createHash } from "node:crypto";
import { canonicalJson } from "@segno/contract";
import type { Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { workflow, type AgentFunction } from "../../src/index.ts";
import { fail, hang, openTestEngine, script, succeed, type TestEngine } from "../../src/testing/index.ts";
import { flow, one, step } from "./sample-flow.ts";

const KEY = { idempotencyKey: "order-7" };

describe("a key", () => {
  it.each(["", "a b", "a_b", "a.b", "ü", "a\n", "x".repeat(256)])(
    "IDEM-1 of the form %j is refused, and nothing is created (IDEMPOTENCY_KEY_INVALID)",
    async (idempotencyKey) => {
      await using test = await openTestEngine({ agents: { work: async () => 1 } });
      await expect(test.start(one(), null, { idempotencyKey })).rejects.toMatchObject({
        code: "IDEMPOTENCY_KEY_INVALID",
      });
      expect((await test.engine.list()).executions).toEqual([]);
    },
  );

  it.each(["x", "A-z-0-9", "-", "x".repeat(255)])("IDEM-1 of the form %j is taken", async (idempotencyKey) => {
    await using test = await openTestEngine({ agents: { work: async () => 1 } });
    const first = await test.start(one(), null, { idempotencyKey });
    expect((await test.start(one(), null, { idempotencyKey })).id).toBe(first.id);
  });

  it("IDEM-1 is good for exactly 600,000 ms after success, and not a millisecond longer", async () => {
    const work = script([succeed(1, { after: "8s" })]);
    await using test = await openTestEngine({ agents: { work } });
    const first = await test.start(one(), null, KEY);
    await test.advance("8s");
    await test.advance(600_000);
    expect((await test.start(one(), null, KEY)).id).toBe(first.id);
    await test.advance(1);
    const second = await test.start(one(), null, KEY);
    expect(second.id).not.toBe(first.id);
    await test.untilIdle();
    expect(work.calls.length).toBe(2);
  });

  it("IDEM-1 joins what runs, however long it runs, also after a crash", async () => {
    const work = script([hang()]);
    await using test = await openTestEngine({ agents: { work } });
    const { id } = await test.start(one(), null, KEY);
    await test.advance("1d");
    expect((await test.start(one(), null, KEY)).id).toBe(id);
    await test.crash();
    expect((await test.start(one(), null, KEY)).id).toBe(id);
    expect((await test.engine.list()).executions).toHaveLength(1);
  });
});

describe("a key", () => {
  it("IDEM-1 joins a hundred starts of the same moment in one", async () => {
    const work = script([succeed("once")]);
    await using test = await openTestEngine({ agents: { work } });
    const handles = await Promise.all(Array.from({ length: 100 }, () => test.start(one(), { a: 1 }, KEY)));
    expect(new Set(handles.map(({ id }) => id)).size).toBe(1);
    expect(await Promise.all(handles.map((handle) => handle.result()))).toEqual(
      Array.from({ length: 100 }, () => "once"),
    );
    expect(work.calls.length).toBe(1);
  });

  it("IDEM-1 is free at once when its execution failed or was cancelled", async () => {
    await using test = await openTestEngine({
      agents: { work: script([fail("no", { permanent: true }), hang(), hang()]) },
    });
    const failed = await test.start(one(), null, KEY);
    await test.untilIdle();
    const cancelled = await test.start(one(), null, KEY);
    await test.untilIdle();
    await cancelled.cancel({ graceMs: 0 });
    await test.untilIdle();
    const third = await test.start(one(), null, KEY);
    expect(new Set([failed.id, cancelled.id, third.id]).size).toBe(3);
  });

  it("IDEM-3 is swept when it has expired, and its execution stays", async () => {
    await using test = await openTestEngine({ agents: { work: async () => "kept" } });
    const { id } = await test.start(one(), null, KEY);
    await test.advance(720_000);
    expect((await test.engine.list({ idempotencyKey: KEY.idempotencyKey })).executions).toEqual([]);
    expect(await (await test.get(id)).result()).toBe("kept");
  });
});

describe("a key with another payload", () => {
  it("IDEM-2 is refused while it is good: another input, another workflow (IDEMPOTENCY_CONFLICT)", async () => {
    await using test = await openTestEngine({ agents: { work: script([succeed(1), hang()]) } });
    const conflict = { code: "IDEMPOTENCY_CONFLICT" };
    await test.start(one(), { a: 1 }, KEY);
    for (let round = 0; round < 2; round++) {
      await expect(test.start(one(), { a: 2 }, KEY)).rejects.toMatchObject(conflict);
      await expect(test.start(one({}, { name: "other" }), { a: 1 }, KEY)).rejects.toMatchObject(conflict);
      await test.crash();
    }
    expect((await test.engine.list()).executions).toHaveLength(1);
  });

  it("IDEM-2 is not another one because its keys stand in another order", async () => {
    await using test = await openTestEngine({ agents: { work: async () => 1 } });
    const first = await test.start(one(), { a: 1, b: { c: [1, 2], d: null } }, KEY);
    expect((await test.start(one(), { b: { d: null, c: [1, 2] }, a: 1 }, KEY)).id).toBe(first.id);
    await expect(test.start(one(), { a: 1, b: { c: [2, 1], d: null } }, KEY)).rejects.toMatchObject({
      code: "IDEMPOTENCY_CONFLICT",
    });
  });
});

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

function readToken(executionId: string, stepId: string, input: Json): string {
  return sha256(canonicalJson({ executionId, inputHash: sha256(canonicalJson(input)), stepId, workflowId: "flow" }));
}

/** Records its tokens; fails, is lost with its process, then succeeds. */
async function noteTokens(test: TestEngine, tokens: string[], input: Json): Promise<string> {
  const { id } = await test.start(
    flow([step("a"), step("b", { after: ["a"], input: { own: "${ input.b }" } })]),
    input,
  );
  await test.advance("1s");
  await test.crash();
  await test.advance("1m");
  expect((await (await test.get(id)).status()).status).toBe("completed");
  expect(tokens).toHaveLength(4);
  return id;
}

describe("the token of an attempt", () => {
  // Already in canonical order; another test covers other orders.
  const input = { a: { y: [1.5, -0, true, null], z: "ä\u2028" }, b: 1e21 };

  it("IDEM-4 is the sha256 of the canonical JSON, the same over retries and restarts", async () => {
    const tokens: string[] = [];
    const work: AgentFunction = (_, { token }) => {
      tokens.push(token);
      if (tokens.length === 1) throw new Error("busy");
      return tokens.length === 2 ? new Promise(() => undefined) : 1;
    };
    await using test = await openTestEngine({ agents: { work } });
    const id = await noteTokens(test, tokens, input);
    const first = readToken(id, "a", input);
    expect(tokens).toEqual([first, first, first, readToken(id, "b", { own: 1e21 })]);
  });

  it("IDEM-4 is another one for another execution or step", async () => {
    const tokens: string[] = [];
    await using test = await openTestEngine({ agents: { work: (_, { token }) => void tokens.push(token) } });
    const both = flow([step("a"), step("b", { after: ["a"] })]);
    for (const id of ["one", "two"]) await test.start(both, { a: 1 }, { id });
    await test.untilIdle();
    const expected = [readToken("one", "a", { a: 1 }), readToken("one", "b", { a: 1 })];
    expect(tokens.toSorted()).toEqual(
      [...expected, readToken("two", "a", { a: 1 }), readToken("two", "b", { a: 1 })].toSorted(),
    );
    expect(new Set(tokens).size).toBe(4);
  });

  it("IDEM-4 is made of the canonical input, whatever the order of its keys", async () => {
    const tokens: string[] = [];
    await using test = await openTestEngine({ agents: { work: (_, { token }) => void tokens.push(token) } });
    await test.start(one(), { b: 2, a: 1 }, { id: "one" });
    await test.untilIdle();
    expect(tokens).toEqual([readToken("one", "a", { a: 1, b: 2 })]);
  });

  it("IDEM-4 is there for the functions of a built workflow", async () => {
    const tokens: string[] = [];
    const built = workflow<{ n: number }>("flow").step("a", ({ token }) => void tokens.push(token));
    await using test = await openTestEngine();
    const { id } = await test.start(built, { n: 1 });
    await test.untilIdle();
    expect(tokens).toEqual([readToken(id, "a", { n: 1 })]);
  });
});
