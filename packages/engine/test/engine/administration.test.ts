// Administration of executions: listing, removing, verifying, and refused names (JOURNAL-4, JOURNAL-7).

import { describe, expect, it } from "vitest";
import { Engine, type ListFilter, type ListedExecution } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { fail, hang, openTestEngine, script, type TestEngine } from "../../src/testing/index.ts";
import { collect } from "./collect.ts";
import { one } from "./sample-flow.ts";

const agents = {
  work: async () => 1,
  fails: script([fail("no", { permanent: true })]),
  hangs: script([hang()]),
};

async function allPages(engine: Engine, filter: ListFilter): Promise<readonly (readonly ListedExecution[])[]> {
  const pages: (readonly ListedExecution[])[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.list(filter, cursor);
    pages.push(page.executions);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return pages;
}

/** One of each kind: completed, failed, running; the last is of another workflow. */
async function populated(): Promise<TestEngine> {
  const test = await openTestEngine({ agents });
  await test.start(one(), null, { id: "done", correlationId: "order-1", idempotencyKey: "key-1" });
  await test.start(one({ agent: "fails" }), null, { id: "failed", correlationId: "order-1" });
  await test.start(one({ agent: "hangs" }), null, { id: "running", idempotencyKey: "key-2", priority: 3 });
  await test.start(one({}, { name: "other" }), null, { id: "elsewhere" });
  await test.untilIdle();
  return test;
}

describe("a list", () => {
  it("JOURNAL-7 says of each execution what a list shows, the oldest first", async () => {
    await using test = await populated();
    const { executions, cursor } = await test.engine.list();
    expect(cursor).toBeUndefined();
    expect(executions.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "done completed",
      "failed failed",
      "running running",
      "elsewhere completed",
    ]);
    expect(executions[2]).toEqual({
      id: "running",
      workflow: "flow",
      status: "running",
      seq: executions[2]!.seq,
      createdAt: test.now,
      updatedAt: test.now,
      priority: 3,
      correlationId: "running",
      steps: { total: 1, ended: 0 },
      idempotencyKey: "key-2",
      labels: {},
      toleratedFailures: 0,
    });
  });

  it.each<readonly [string, ListFilter, readonly string[]]>([
    ["status", { status: ["completed"] }, ["done", "elsewhere"]],
    ["several states", { status: ["failed", "running"] }, ["failed", "running"]],
    ["no state at all", { status: [] }, []],
    ["workflow", { workflow: "other" }, ["elsewhere"]],
    ["correlation id", { correlationId: "order-1" }, ["done", "failed"]],
    ["key", { idempotencyKey: "key-2" }, ["running"]],
    ["a key that nobody has", { idempotencyKey: "key-3" }, []],
    ["workflow and status", { workflow: "flow", status: ["completed"] }, ["done"]],
    ["key and status", { idempotencyKey: "key-2", status: ["completed"] }, []],
  ])("JOURNAL-7 filters by %s", async (_, filter, expected) => {
    await using test = await populated();
    expect((await test.engine.list(filter)).executions.map(({ id }) => id)).toEqual(expected);
  });

  it.each([1, 3, 7, 10, 11])("JOURNAL-7 in pages of %i has neither gaps nor repeats", async (limit) => {
    await using test = await openTestEngine({ agents });
    const ids = Array.from({ length: 20 }, (_, index) => `e${index}`);
    for (const [index, id] of ids.entries())
      await test.start(one({}, { name: index % 2 === 0 ? "even" : "odd" }), null, { id });
    await test.untilIdle();
    const even = ids.filter((_, index) => index % 2 === 0);
    for (const [filter, expected] of [[{}, ids] as const, [{ workflow: "even" }, even] as const]) {
      const pages = await allPages(test.engine, { ...filter, limit });
      expect(pages.flat().map(({ id }) => id)).toEqual(expected);
      expect(pages.every((page) => page.length > 0 && page.length <= limit)).toBe(true);
    }
  });

  it("JOURNAL-7 misses nothing when something is removed or added between two pages", async () => {
    await using test = await openTestEngine({ agents });
    for (const id of ["a", "b", "c", "d"]) await test.start(one(), null, { id });
    await test.untilIdle();
    const first = await test.engine.list({ limit: 2 });
    await test.engine.remove("b");
    await test.start(one(), null, { id: "e" });
    const second = await test.engine.list({ limit: 10 }, first.cursor);
    expect(second.executions.map(({ id }) => id)).toEqual(["c", "d", "e"]);
  });
});

describe("a list that cannot be", () => {
  it.each([0, -1, 1.5, 1001, Number.NaN, Number.POSITIVE_INFINITY, "10"])(
    "JOURNAL-7 with the limit %s is refused (OPTION_INVALID)",
    async (limit) => {
      await using test = await openTestEngine();
      await expect(test.engine.list({ limit: limit as number })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    },
  );

  it("JOURNAL-7 has 1 to 1000 executions a page", async () => {
    await using test = await openTestEngine();
    for (const limit of [1, 1000]) expect((await test.engine.list({ limit })).executions).toEqual([]);
  });

  it.each(["", "x", "-1", "1.5", "1e3", " 1", "9".repeat(30), "1; drop table executions", "\u0000"])(
    "JOURNAL-7 from the cursor %j is refused (CURSOR_INVALID)",
    async (cursor) => {
      await using test = await openTestEngine();
      await expect(test.engine.list({}, cursor)).rejects.toMatchObject({ code: "CURSOR_INVALID" });
    },
  );

  it("ENGINE_CLOSED is asked of an engine that was closed", async () => {
    const test = await openTestEngine();
    const { engine } = test;
    await engine.close();
    await expect(engine.list()).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
  });
});

describe("removing", () => {
  it("JOURNAL-7 what has not ended is refused, and it goes on (EXECUTION_UNFINISHED)", async () => {
    await using test = await populated();
    await expect(test.engine.remove("running")).rejects.toMatchObject({ code: "EXECUTION_UNFINISHED" });
    expect((await (await test.get("running")).status()).status).toBe("running");
  });

  it("JOURNAL-7 what nobody knows is refused (EXECUTION_UNKNOWN)", async () => {
    await using test = await populated();
    for (const id of ["nobody", "", "__proto__"])
      await expect(test.engine.remove(id)).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
  });

  it.each(["done", "failed"])("JOURNAL-7 what has ended (%s) leaves nothing, also after a crash", async (id) => {
    await using test = await populated();
    const handle = await test.get(id);
    await test.engine.remove(id);
    for (const again of [false, true]) {
      if (again) await test.crash();
      await expect(test.get(id)).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
      await expect(test.engine.verify(id)).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
      await expect(test.engine.remove(id)).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
      expect((await test.engine.list()).executions.map((each) => each.id)).not.toContain(id);
      expect((await test.engine.list({ idempotencyKey: "key-1" })).executions.map((each) => each.id)).toEqual(
        id === "done" ? [] : ["done"],
      );
      if (!again) await expect(handle.status()).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
    }
  });

  it("JOURNAL-6 what was set aside is possible, whatever it was doing", async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store, agents: { work: async () => 1 } });
    await (await engine.start(one(), null, { id: "mine" })).result();
    await store.quarantine("mine" as never, "a row is missing");
    expect((await engine.list()).executions).toMatchObject([{ id: "mine", quarantined: "a row is missing" }]);
    expect(await engine.verify("mine")).toMatchObject({
      ok: false,
      quarantined: "a row is missing",
      reason: "quarantined: a row is missing",
    });
    await engine.remove("mine");
    expect((await engine.list()).executions).toEqual([]);
  });

  it("IDEM-1 frees the key and the id", async () => {
    await using test = await populated();
    await test.engine.remove("done");
    const again = await test.start(one(), { other: true }, { id: "done", idempotencyKey: "key-1" });
    expect(again.id).toBe("done");
    expect(await again.result()).toBe(1);
  });
});

describe("verifying", () => {
  it("JOURNAL-4 counts the events of what is in order, ended or not", async () => {
    await using test = await populated();
    for (const id of ["done", "failed", "running"]) {
      const { seq } = await (await test.get(id)).status();
      expect(await test.engine.verify(id)).toEqual({ ok: true, events: seq, findings: [] });
    }
  });

  it("JOURNAL-4 what nobody knows is refused (EXECUTION_UNKNOWN)", async () => {
    await using test = await openTestEngine();
    await expect(test.engine.verify("nobody")).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
  });
});

describe("a name that no store could keep", () => {
  it.each(["a\u0000b", "\u0000", "\uD800", "x\uDFFF", "\uDC00\uD800"])(
    "CONTRACT-9 such as %j is refused wherever an id is given (NAME_INVALID)",
    async (name) => {
      await using test = await openTestEngine({ agents });
      const { engine } = test;
      const handle = await test.start(one({ agent: "hangs" }));
      const refused = { code: "NAME_INVALID" };
      await expect(engine.get(name)).rejects.toMatchObject(refused);
      await expect(engine.verify(name)).rejects.toMatchObject(refused);
      await expect(engine.remove(name)).rejects.toMatchObject(refused);
      await expect(collect(engine.export(name))).rejects.toMatchObject(refused);
      await expect(engine.start(one(), null, { id: name })).rejects.toMatchObject(refused);
      await expect(engine.start(one(), null, { correlationId: name })).rejects.toMatchObject(refused);
      await expect(engine.list({ workflow: name })).rejects.toMatchObject(refused);
      await expect(engine.list({ correlationId: name })).rejects.toMatchObject(refused);
      await expect(handle.signal(name)).rejects.toMatchObject(refused);
      await expect(handle.signal("go", null, { id: name })).rejects.toMatchObject(refused);
      expect((await engine.list()).executions).toHaveLength(1);
    },
  );

  it("BEYOND-2 and a payload that is no JSON make a signal reject; it throws nothing at its caller", async () => {
    await using test = await openTestEngine({ agents });
    const handle = await test.start(one({ agent: "hangs" }));
    await expect(handle.signal("\u0000").catch(() => "rejected")).resolves.toBe("rejected");
    await expect(handle.signal("go", 1n as never).catch(() => "rejected")).resolves.toBe("rejected");
  });

  it("CONTRACT-9 may be anything else: other planes, spaces, quotes, what SQL and paths mean", async () => {
    await using test = await openTestEngine({ agents });
    const names = ["🎼", "a b", "'; --", "../x", "é", "e\u0301", "%_", "x".repeat(1000)];
    for (const id of names) await (await test.start(one(), null, { id, correlationId: id })).result();
    for (const id of names) expect((await test.engine.list({ correlationId: id })).executions).toMatchObject([{ id }]);
  });
});
