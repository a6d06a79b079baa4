// A row of the journal has at most 1 MB, whatever a turn contains (JOURNAL-4).

import { executionId, stepId, type Definition, type Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Engine, type AgentFunction, type ExecutionHandle } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { EngineStore } from "../../src/store/engine-store.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { flow, eventKinds, step } from "./sample-flow.ts";

const scratch = scratchFolder();
const ROW_BYTES_MAX = 1_000_000;
const COUNT = 600;
const limits = { slots: 1000, perAgent: 1000 };

/** Many steps side by side; when they have ended and a signal has come, `reads` gets the outputs of three of them. */
const WIDE: Definition = flow(
  [
    ...Array.from({ length: COUNT }, (_, index) => step(`s${index}`)),
    {
      id: stepId("wait"),
      action: { kind: "wait", on: "signal", signal: "go" },
      dependsOn: Array.from({ length: COUNT }, (_, index) => ({ step: stepId(`s${index}`), on: "succeeded" as const })),
    },
    step("reads", {
      agent: "reads",
      after: ["wait"],
      input: ["${ steps.s0.output }", "${ steps.s300.output }", "${ steps.s599.output }"],
    }),
  ],
  { output: "${ steps.reads.output }" },
);

/** All calls end at the same moment, each with the result of `make`. */
function together(make: (stepName: string) => unknown): AgentFunction {
  const gate = Promise.withResolvers<void>();
  let running = 0;
  return async (_, context) => {
    if (++running === COUNT) gate.resolve();
    await gate.promise;
    return make(context.step.id);
  };
}

function lent(store: EngineStore): EngineStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "close") return async () => undefined;
      const member: unknown = (target as never)[name];
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

async function readRows(store: EngineStore, id: string): Promise<readonly number[]> {
  const loaded = await store.load(executionId(id));
  return loaded?.kind === "execution" ? loaded.blocks.map(({ body }) => Buffer.byteLength(body)) : [];
}

async function untilWaiting(handle: ExecutionHandle): Promise<void> {
  for await (const { kind } of handle.events()) if (kind === "step.suspended") return;
}

const SIZE = 60_000;
const letters = "abcdefghijklmnopqrstuvwxyz";
const big = (name: string): string => `${name}:${letters[Number(name.slice(1)) % 26]!.repeat(SIZE)}`;
const values: readonly (readonly [string, (name: string) => Json])[] = [
  ["60 KB of text", big],
  ["60 KB of three-byte characters", (name) => `${name}:${"€".repeat(20_000)}`],
  ["60 KB of text that JSON escapes", (name) => `${name}:${"\u0001".repeat(10_000)}`],
  ["1 KB of text", (name) => `${name}:${"x".repeat(1000)}`],
  ["many small things", (name) => ({ name, list: Array.from({ length: 300 }, () => 1) })],
];

describe("600 steps that end together", () => {
  it.each(values)(
    "JOURNAL-4 with %s each make no row above 1 MB, and a restart finds their outputs",
    async (_, make) => {
      const store = new MemoryStore();
      const agents = { work: together(make), reads: async (input: Json) => input };
      const first = await Engine.open({ store: lent(store), agents, limits });
      const handle = await first.start(WIDE);
      await untilWaiting(handle);
      expect(Math.max(...(await readRows(store, handle.id)))).toBeLessThanOrEqual(ROW_BYTES_MAX);
      expect(await first.verify(handle.id)).toMatchObject({ ok: true });
      await first.close();
      await using second = await Engine.open({ store: lent(store), agents, limits });
      const again = await second.get(handle.id);
      await again.signal("go");
      expect(await again.result()).toEqual([make("s0"), make("s300"), make("s599")]);
      expect(await second.verify(handle.id)).toMatchObject({ ok: true });
      expect(Math.max(...(await readRows(store, handle.id)))).toBeLessThanOrEqual(ROW_BYTES_MAX);
      expect((await eventKinds(again)).filter((kind) => kind === "step.completed")).toHaveLength(COUNT + 2);
    },
  );

  it("JOURNAL-4 make none in a file either", async () => {
    const file = scratch.file();
    const agents = { work: together(big), reads: async (input: Json) => input };
    const first = await Engine.open({ file, agents, limits });
    const handle = await first.start(WIDE);
    await untilWaiting(handle);
    await first.close();
    const store = scratch.closing(await openSqliteStore(file));
    expect(Math.max(...(await readRows(store, handle.id)))).toBeLessThanOrEqual(ROW_BYTES_MAX);
    await using second = await Engine.open({ file, agents, limits });
    const again = await second.get(handle.id);
    expect(await second.verify(handle.id)).toMatchObject({ ok: true });
    await again.signal("go");
    expect(await again.result()).toEqual([big("s0"), big("s300"), big("s599")]);
  });

  it("JOURNAL-4 by failing with a long message each make no row above 1 MB", async () => {
    const store = new MemoryStore();
    const work = together((name) => {
      throw new Error(`${name}: ${"x".repeat(SIZE)}`);
    });
    await using engine = await Engine.open({ store, agents: { work }, limits });
    const steps = WIDE.steps
      .slice(0, COUNT)
      .map((each) => ({ ...each, retry: { attempts: 1 }, onError: "continue" as const }));
    const handle = await engine.start(flow(steps));
    await handle.result();
    expect(Math.max(...(await readRows(store, handle.id)))).toBeLessThanOrEqual(ROW_BYTES_MAX);
  });
});

const LONG = "x".repeat(2_000_000);

/** The largest row of an execution after a command. */
async function rowAfter(ask: (handle: ExecutionHandle) => Promise<unknown>): Promise<number> {
  const store = new MemoryStore();
  await using engine = await Engine.open({ store, agents: { work: async () => 1 } });
  const handle = await engine.start(flow([{ id: stepId("w"), action: { kind: "wait", on: "signal", signal: "go" } }]));
  await (async () => ask(handle))().catch(() => undefined);
  return Math.max(...(await readRows(store, handle.id)));
}

describe("one event", () => {
  it("JOURNAL-4 that is a signal with a large payload makes no row above 1 MB", async () => {
    expect(await rowAfter((handle) => handle.signal("go", LONG))).toBeLessThanOrEqual(ROW_BYTES_MAX);
  });

  it.each<readonly [string, (handle: ExecutionHandle) => Promise<unknown>]>([
    ["a signal with a long name", (handle) => handle.signal(LONG)],
    ["a signal with a long id", (handle) => handle.signal("go", null, { id: LONG })],
    ["a cancel with a long reason", (handle) => handle.cancel({ reason: LONG })],
  ])("JOURNAL-4 that is %s makes no row above 1 MB; it is shortened, or refused", async (_, ask) => {
    expect(await rowAfter(ask)).toBeLessThanOrEqual(ROW_BYTES_MAX);
  });

  it("JOURNAL-4 that is a start with a long correlation id makes no row above 1 MB", async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store, agents: { work: async () => 1 } });
    const id = await engine.start(flow([step("a")]), null, { correlationId: LONG }).then(
      (handle) => handle.id,
      () => "none",
    );
    expect(Math.max(0, ...(await readRows(store, id)))).toBeLessThanOrEqual(ROW_BYTES_MAX);
  });
});
