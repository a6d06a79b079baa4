// An execution whose payloads were removed: the queries that still work, and those that are refused (DATA-11).

import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/index.ts";
import { contract, useFixture, pollUntil } from "./fixture.ts";

const fixture = useFixture();
const LARGE = "large ".repeat(20_000);
const CALLED = contract(`
name: called
steps:
  - { id: inner, agent: large, input: "\${ input }" }
output: "\${ steps.inner.output }"
`);
const FLOW = contract(`
name: flow
steps:
  - { id: first, agent: large, compensate: { agent: fails, retry: { attempts: 1 }, input: "\${ steps.first.output }" } }
  - { id: items, dependsOn: [first], map: { over: "input.list", label: "\${ item }", steps: [{ id: each, agent: small, input: "\${ item }" }] } }
  - { id: call, dependsOn: [items], workflow: called, input: "\${ steps.first.output }" }
  - { id: fails, dependsOn: [call], agent: fails, retry: { attempts: 1 } }
`);
const INPUT = { list: ["one", "two"] };
const AGENTS = {
  large: () => LARGE,
  small: () => "small",
  fails: () => {
    throw new Error("it failed");
  },
};

const open = (): Promise<Engine> => fixture.current.open({ agents: AGENTS, workflows: [CALLED] });

/** A failed execution whose payloads are removed. */
async function removePayloads(): Promise<Engine> {
  const engine = await open();
  const handle = await engine.start(FLOW, INPUT, { id: "mine" });
  await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED" });
  await engine.removePayloads("mine");
  return engine;
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function expectIntact(engine: Engine): Promise<void> {
  expect((await engine.list()).executions[0]).not.toHaveProperty("quarantined");
  expect(await engine.verify("mine")).toMatchObject({ ok: true, findings: [] });
}

describe("an execution whose payloads were removed", () => {
  it("DATA-11 PAYLOAD_REMOVED refuses a retry, and does not change", async () => {
    const engine = await removePayloads();
    const handle = await engine.get("mine");
    for (const options of [{}, { undo: true }])
      await expect(handle.retry(options)).rejects.toMatchObject({ code: "PAYLOAD_REMOVED" });
    expect((await handle.status()).status).toBe("failed");
    await expectIntact(engine);
    await fixture.current.closeEngines();
    const again = await open();
    await expect((await again.get("mine")).retry()).rejects.toMatchObject({ code: "PAYLOAD_REMOVED" });
    await expectIntact(again);
  });

  it("DATA-11 PAYLOAD_REMOVED refuses a retry that was posted before", async () => {
    const owner = await fixture.current.open({ agents: AGENTS, workflows: [CALLED], pollMs: 5 });
    await (await owner.start(FLOW, INPUT, { id: "mine" })).result().catch(() => undefined);
    const client = await fixture.current.open({ mode: "post" });
    const handle = await client.get("mine");
    await owner.close();
    await handle.retry();
    await fixture.current.closeEngines();
    // No engine has taken the start, so the payloads are removed first.
    const { openSqliteStore } = await import("../../src/store/sqlite/open-sqlite-store.ts");
    const store = await openSqliteStore(fixture.current.file);
    await store.removePayloads("mine" as never, (body) => body, 1 as never);
    await store.close();
    const engine = await open();
    await pollUntil(() => fixture.current.faults.length > 0, "it is refused");
    expect(fixture.current.faults.splice(0)).toMatchObject([{ code: "PAYLOAD_REMOVED" }]);
    expect((await (await engine.get("mine")).status()).status).toBe("failed");
    expect((await engine.list()).executions[0]).not.toHaveProperty("quarantined");
  });

  it("DATA-11 can be queried: its state, events, logs and why it does not continue", async () => {
    const engine = await removePayloads();
    const handle = await engine.get("mine");
    const { steps, status } = await handle.status();
    expect([status, steps.map(({ label }) => label).filter((label) => label !== undefined)]).toEqual(["failed", []]);
    expect((await all(handle.events())).at(-1)).toMatchObject({ kind: "execution.failed" });
    expect(await all(engine.logs("mine"))).toEqual([]);
    await expect(engine.why("mine")).resolves.toBeDefined();
    expect(await handle.cancel()).toMatchObject({ kind: "ignored", reason: "ended" });
    expect(await handle.signal("go")).toMatchObject({ kind: "ignored" });
    await engine.removePayloads("mine");
    await expectIntact(engine);
  });
});

describe("the export of an execution whose payloads were removed", () => {
  it("DATA-11 JOURNAL-7 can be imported, and refuses a retry there too", async () => {
    const engine = await removePayloads();
    const lines = await all(engine.export("mine"));
    await engine.remove("mine");
    await engine.import(lines);
    await expectIntact(engine);
    await expect((await engine.get("mine")).retry()).rejects.toMatchObject({ code: "PAYLOAD_REMOVED" });
  });

  it("EXPORT_INVALID is refused if a value that it names is missing, unless its payloads were removed", async () => {
    const engine = await removePayloads();
    await (await engine.start(FLOW, INPUT, { id: "whole" })).result().catch(() => undefined);
    const lines = await all(engine.export("whole"));
    const { createHash } = await import("node:crypto");
    const cut = lines.filter((line) => !line.startsWith('{"kind":"value"')).slice(0, -1);
    const sha256 = createHash("sha256")
      .update(cut.map((line) => `${line}\n`).join(""))
      .digest("hex");
    await engine.remove("whole");
    await expect(engine.import([...cut, JSON.stringify({ kind: "end", sha256 })])).rejects.toMatchObject({
      code: "EXPORT_INVALID",
      message: expect.stringContaining("a value that it names is missing"),
    });
  });
});
