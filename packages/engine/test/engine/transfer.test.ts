// Transfer of executions between stores: export, import and backup (JOURNAL-7).

import { createHash } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { Engine, type AgentFunction, type EngineOptions } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import {
  fail,
  hang,
  openTestEngine,
  script,
  succeed,
  type TestEngine,
  inspectEngine,
} from "../../src/testing/index.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { collect } from "./collect.ts";
import { afterWaiting, flow, readHistory, one, step } from "./sample-flow.ts";

const scratch = scratchFolder();
const open: Engine[] = [];

afterEach(async () => {
  for (const engine of open.splice(0).toReversed()) await engine.close();
});

async function openOn(options: EngineOptions, work: AgentFunction = async () => "done"): Promise<Engine> {
  const engine = await Engine.open({ agents: { work }, ...options });
  open.push(engine);
  return engine;
}

const LARGE = "x".repeat(100_000);

/** The lines of an execution with a large value and a failed attempt. */
async function exported(test: TestEngine, id = "mine"): Promise<string[]> {
  const handle = await test.start(
    flow([step("a"), step("b", { after: ["a"] })], { output: "${ steps.b.output }" }),
    7,
    {
      id,
      correlationId: "order-7",
      idempotencyKey: "key-7",
    },
  );
  await test.advance("5s");
  expect(await handle.result()).toBe(LARGE);
  return collect(test.engine.export(id));
}

/** Fails once, then returns a large value. */
function source(): Promise<TestEngine> {
  return openTestEngine({ agents: { work: script([fail("busy"), succeed(LARGE)]) } });
}

/** The same lines with a matching end line. */
function sealedAgain(lines: readonly string[]): string[] {
  const digest = createHash("sha256");
  const body = lines.slice(0, -1);
  for (const line of body) digest.update(`${line}\n`);
  return [...body, JSON.stringify({ kind: "end", sha256: digest.digest("hex") })];
}

describe("an export", () => {
  it("JOURNAL-7 taken in elsewhere is the same execution: its state, its events, its result, its place in a list", async () => {
    await using from = await source();
    const lines = await exported(from);
    await using to = await openTestEngine();
    expect(await to.engine.import(lines)).toBe("mine");
    const [here, there] = [await from.get("mine"), await to.get("mine")];
    expect(await there.status()).toEqual(await here.status());
    expect(await readHistory(there)).toEqual(await readHistory(here));
    expect(await there.result()).toBe(LARGE);
    expect(await to.engine.list({ idempotencyKey: "key-7" })).toEqual(await from.engine.list());
    expect(await to.engine.verify("mine")).toEqual(await from.engine.verify("mine"));
    expect(await collect(to.engine.export("mine"))).toEqual(lines);
    expect(inspectEngine(to.engine).liveCount).toBe(0);
  });

  it("JOURNAL-7 goes from a memory to a file and back", async () => {
    await using from = await source();
    const lines = await exported(from);
    const file = await openOn({ file: scratch.file() });
    await file.import(lines);
    const memory = await openOn({ store: new MemoryStore() });
    await memory.import(file.export("mine"));
    expect(await (await memory.get("mine")).result()).toBe(LARGE);
    expect(await memory.verify("mine")).toMatchObject({ ok: true });
  });

  it("JOURNAL-7 of what has not ended goes on where it was taken in: what ran is lost and made again", async () => {
    await using from = await openTestEngine({ agents: { work: script([hang()]) } });
    await from.start(flow([step("a")], { output: "${ steps.a.output }" }), { n: 1 }, { id: "mine" });
    await from.untilIdle();
    const lines = await collect(from.engine.export("mine"));
    const work = script([succeed("there")]);
    await using to = await openTestEngine({ agents: { work } });
    await to.engine.import(lines);
    await to.advance("10s");
    expect(await (await to.get("mine")).result()).toBe("there");
    expect(work.calls.map(({ input }) => input)).toEqual([{ n: 1 }]);
    expect((await readHistory(await to.get("mine"))).map(({ kind }) => kind)).toContain("step.lost");
    expect(await to.engine.verify("mine")).toMatchObject({ ok: true });
  });

  it("JOURNAL-7 of what waits goes on where it was taken in when it is due", async () => {
    await using from = await openTestEngine();
    await from.start(afterWaiting(60_000), null, { id: "mine" });
    await from.untilIdle();
    const lines = await collect(from.engine.export("mine"));
    const work = script([succeed("there")]);
    await using to = await openTestEngine({ agents: { work } });
    await to.engine.import(lines);
    await to.advance("59s");
    expect(work.calls).toHaveLength(0);
    await to.advance("2s");
    expect((await (await to.get("mine")).status()).status).toBe("completed");
  });

  it("JOURNAL-7 of what nobody knows is refused (EXECUTION_UNKNOWN)", async () => {
    await using test = await openTestEngine();
    await expect(collect(test.engine.export("nobody"))).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
  });
});

const damages: readonly (readonly [string, (lines: readonly string[]) => readonly string[]])[] = [
  ["nothing in it", () => []],
  ["no end", (lines) => lines.slice(0, -1)],
  ["no head", (lines) => lines.slice(1)],
  ["no head and an end that fits", (lines) => sealedAgain(lines.slice(1))],
  ["a line missing", (lines) => lines.toSpliced(2, 1)],
  ["a line twice", (lines) => lines.toSpliced(2, 0, lines[2]!)],
  ["two lines in the other order", (lines) => lines.toSpliced(1, 2, lines[2]!, lines[1]!)],
  ["a line cut", (lines) => lines.with(1, lines[1]!.slice(0, -10))],
  ["a character changed", (lines) => lines.with(1, lines[1]!.replace("busy", "bUsy").replace("order-7", "order-8"))],
  ["a line behind its end", (lines) => [...lines, lines[1]!]],
  ["another version", (lines) => sealedAgain(lines.with(0, lines[0]!.replace('"version":1', '"version":99')))],
  ["a number for a line", (lines) => sealedAgain(lines.with(0, "7"))],
  ["no blocks", (lines) => sealedAgain(lines.filter((line) => !line.startsWith('{"kind":"block"')))],
];

/** Changes the head line of an export, with a matching end line. */
function withHead(change: (head: Record<string, unknown>) => object): (lines: readonly string[]) => string[] {
  return (lines) => {
    const head = JSON.parse(lines[0]!) as Record<string, unknown>;
    return sealedAgain(lines.with(0, JSON.stringify({ ...head, ...change(head) })));
  };
}

const forgeries: readonly (readonly [string, (lines: readonly string[]) => string[]])[] = [
  ["a line that is null", (lines) => sealedAgain(lines.with(0, "null"))],
  ["an id that no store could keep", withHead(() => ({ id: "a\u0000b" }))],
  ["an id that is a number", withHead(() => ({ id: 7 }))],
  ["no projection", withHead(() => ({ projection: undefined }))],
  ["no definition", (lines) => sealedAgain(lines.filter((line) => !line.startsWith('{"kind":"definition"')))],
  ["an epoch that is none", withHead(() => ({ epoch: "many" }))],
  [
    "a state that its blocks do not have",
    withHead((head) => ({ projection: { ...(head["projection"] as object), status: "running" } })),
  ],
];

/** Changes the projection in the head line of an export. */
function withProjection(change: object): (lines: readonly string[]) => string[] {
  return withHead((head) => ({ projection: { ...(head["projection"] as object), ...change } }));
}

/** Changes the first line of the kind. */
function withLine(kind: string, change: object): (lines: readonly string[]) => string[] {
  return (lines) => {
    const index = lines.findIndex((line) => line.startsWith(`{"kind":"${kind}"`));
    return sealedAgain(lines.with(index, JSON.stringify({ ...(JSON.parse(lines[index]!) as object), ...change })));
  };
}

const OTHER_HASH = `sha256:${"0".repeat(64)}`;

/** The third part is the reason in the message; the line is part of it. */
const malformed: readonly (readonly [string, (lines: readonly string[]) => string[], string])[] = [
  ["a key that is text", withHead(() => ({ idempotency: "x" })), "line 1: its `idempotency`"],
  ["a key that is null", withHead(() => ({ idempotency: null })), "line 1: its `idempotency`"],
  ["a key that is an object", withHead(() => ({ idempotency: { key: {}, payload: [] } })), "line 1: its `idempotency`"],
  [
    "a payload of a key that is not a hash",
    withHead(() => ({ idempotency: { key: "key-7", payload: "p" } })),
    "line 1: the `payload` of its `idempotency`",
  ],
  [
    "a key that no start could have",
    withHead(() => ({ idempotency: { key: "a b", payload: OTHER_HASH } })),
    "line 1: the `key` of its `idempotency`",
  ],
  [
    "the key of another execution",
    withHead(() => ({ idempotency: { key: "other", payload: OTHER_HASH } })),
    "line 1: `idempotencyKey` is",
  ],
  [
    "the payload of another execution",
    withHead(() => ({ idempotency: { key: "key-7", payload: OTHER_HASH } })),
    "line 1: `idempotencyPayload` is",
  ],
  ["an epoch that is huge", withHead(() => ({ epoch: 1e300 })), "line 1: its `epoch`"],
  ["the largest epoch", withHead(() => ({ epoch: Number.MAX_SAFE_INTEGER })), "line 1: its `epoch`"],
  ["an epoch of 0", withHead(() => ({ epoch: 0 })), "line 1: its `epoch`"],
  ["a fraction of a time", withProjection({ createdAt: -1.5 }), "line 1: its `createdAt`"],
  ["a time of another type", withProjection({ updatedAt: "now" }), "line 1: its `updatedAt`"],
  ["a time to wake that is text", withProjection({ wakeAt: "x" }), "line 1: its `wakeAt`"],
  ["a false time to wake", withProjection({ wakeAt: 5 }), "line 1: `wakeAt` is 5; its journal gives null"],
  ["a false priority", withProjection({ priority: 1e308 }), "line 1: `priority` is 1e+308; its journal gives 0"],
  ["a false time", withProjection({ createdAt: 5 }), "line 1: `createdAt` is 5"],
  ["a false count", withProjection({ stepsTotal: 99 }), "line 1: `stepsTotal` is 99"],
  ["a false correlation id", withProjection({ correlationId: "x" }), "line 1: `correlationId` is"],
  ["a false removal of payloads", withHead(() => ({ payloadsRemovedAt: 7 })), "line 1: `payloadsRemovedAt` is true"],
  ["payloads removed at a bad time", withHead(() => ({ payloadsRemovedAt: {} })), "line 1: its `payloadsRemovedAt`"],
  ["the id of another execution", withHead(() => ({ id: "other" })), "line 1: `id` is"],
  ["a block that is text", withLine("block", { body: 7 }), "line 2: its `body`"],
  ["a block that counts in fractions", withLine("block", { count: 0.5 }), "line 2: its `firstSeq` or its `count`"],
  ["a block of other events", withLine("block", { body: "{}" }), "line 2: event 1:"],
  ["a value of another hash", withLine("value", { body: "7" }), "the value does not match its hash"],
  ["a definition of another hash", withLine("definition", { body: "7" }), "the definition does not match its hash"],
  ["a second head", (lines) => sealedAgain(lines.toSpliced(1, 0, lines[0]!)), "line 2: it is a second head"],
  ["a line of an unknown kind", (lines) => sealedAgain(lines.toSpliced(1, 0, '{"kind":"x"}')), "line 2: its `kind`"],
  ["a line that is not JSON", (lines) => sealedAgain(lines.with(1, "{")), "line 2: it is not JSON"],
];

describe("an import", () => {
  it.each(malformed)("JOURNAL-7 of %s is refused and names the line (EXPORT_INVALID)", async (_, forge, reason) => {
    await using from = await source();
    const forged = forge(await exported(from));
    await using to = await openTestEngine({ onFault: () => undefined });
    await expect(to.engine.import(forged)).rejects.toMatchObject({
      code: "EXPORT_INVALID",
      message: expect.stringContaining(reason),
    });
    expect((await to.engine.list()).executions).toEqual([]);
  });
});

describe("an import", () => {
  it.each(damages)(
    "JOURNAL-7 of an export with %s is refused and leaves nothing (EXPORT_INVALID)",
    async (_, damage) => {
      await using from = await source();
      const lines = await exported(from);
      const damaged = damage(lines);
      expect(damaged).not.toEqual(lines);
      await using to = await openTestEngine();
      await expect(to.engine.import(damaged)).rejects.toMatchObject({ code: "EXPORT_INVALID" });
      expect((await to.engine.list()).executions).toEqual([]);
    },
  );

  it.each(forgeries)("JOURNAL-7 of %s is refused and leaves nothing, although its end fits", async (_, forge) => {
    await using from = await source();
    const forged = forge(await exported(from));
    await using to = await openTestEngine({ onFault: () => undefined });
    const code: unknown = await to.engine.import(forged).then(
      () => "imported",
      (error: { readonly code?: unknown }) => error.code,
    );
    expect(code).toMatch(/^(EXPORT|NAME)_INVALID$/u);
    expect((await to.engine.list()).executions).toEqual([]);
  });

  it("JOURNAL-4 of blocks that were forged, with an end that fits, does not pass for what it says", async () => {
    await using from = await source();
    const lines = await exported(from);
    const forged = sealedAgain(lines.map((line) => line.replaceAll("busy", "bUsy")));
    expect(forged).not.toEqual(lines);
    await using to = await openTestEngine({ onFault: () => undefined });
    await to.engine.import(forged).catch(() => undefined);
    const verified = await to.engine.verify("mine").catch(() => ({ ok: false }));
    expect(verified.ok).toBe(false);
  });

  it("JOURNAL-7 of what already exists is refused, and changes nothing (STORE_EXISTS)", async () => {
    await using from = await source();
    const lines = await exported(from);
    await expect(from.engine.import(lines)).rejects.toMatchObject({ code: "STORE_EXISTS" });
    await using to = await openTestEngine();
    await to.engine.import(lines);
    await expect(to.engine.import(lines)).rejects.toMatchObject({ code: "STORE_EXISTS" });
    expect((await to.engine.list()).executions).toHaveLength(1);
    await to.engine.remove("mine");
    expect(await to.engine.import(lines)).toBe("mine");
  });

  it("JOURNAL-7 twice at the same moment happens once", async () => {
    await using from = await source();
    const lines = await exported(from);
    await using to = await openTestEngine();
    const all = await Promise.allSettled([to.engine.import(lines), to.engine.import(lines)]);
    expect(all.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await to.engine.verify("mine")).toMatchObject({ ok: true });
  });
});

describe("a backup", () => {
  it("JOURNAL-7 is a file that another engine opens, with everything that had happened by then", async () => {
    const [file, copy] = [scratch.file(), scratch.file()];
    const engine = await openOn({ file }, async (input) => input);
    const first = await engine.start(one(), LARGE, { id: "first" });
    await first.result();
    await engine.backup(copy);
    await (await engine.start(one(), null, { id: "second" })).result();
    const other = await openOn({ file: copy });
    expect(other.isOwner).toBe(true);
    expect((await other.list()).executions.map(({ id }) => id)).toEqual(["first"]);
    expect(await (await other.get("first")).status()).toEqual(await first.status());
    expect(await (await other.get("first")).result()).toBe(LARGE);
    expect(await other.verify("first")).toMatchObject({ ok: true });
  });

  it("JOURNAL-7 of what has not ended goes on where it is opened", async () => {
    const [file, copy] = [scratch.file(), scratch.file()];
    const engine = await openOn({ file }, () => new Promise(() => undefined));
    await engine.start(one(), null, { id: "mine" });
    await engine.backup(copy);
    const other = await openOn({ file: copy });
    expect(await (await other.get("mine")).result()).toBe("done");
    expect((await (await engine.get("mine")).status()).status).toBe("running");
  });

  it("JOURNAL-7 never overwrites a file", async () => {
    const [file, copy] = [scratch.file(), scratch.file()];
    const engine = await openOn({ file });
    await engine.backup(copy);
    await expect(engine.backup(copy)).rejects.toThrow();
    await expect(engine.backup(file)).rejects.toThrow();
    expect(await (await engine.start(one())).result()).toBe("done");
  });

  it("JOURNAL-7 of a store that is not a file is refused (STORE_UNSUPPORTED)", async () => {
    for (const store of [new MemoryStore(), "none" as const])
      await expect((await openOn({ store })).backup(scratch.file())).rejects.toMatchObject({
        code: "STORE_UNSUPPORTED",
      });
  });
});

describe("an engine that does not own the file", () => {
  it("LEASE-1 neither removes nor imports (ENGINE_NOT_OWNER), and may export, verify and back up", async () => {
    const file = scratch.file();
    const owner = await openOn({ file });
    await (await owner.start(one(), null, { id: "mine" })).result();
    const follower = await openOn({ file });
    const lines = await collect(follower.export("mine"));
    expect(lines).toEqual(await collect(owner.export("mine")));
    const refused = { code: "ENGINE_NOT_OWNER" };
    await expect(follower.remove("mine")).rejects.toMatchObject(refused);
    await expect(follower.import(lines)).rejects.toMatchObject(refused);
    expect(await follower.verify("mine")).toMatchObject({ ok: true });
    const copy = scratch.file();
    await follower.backup(copy);
    expect((await (await openOn({ file: copy })).list()).executions).toHaveLength(1);
    expect((await owner.list()).executions).toHaveLength(1);
  });
});
