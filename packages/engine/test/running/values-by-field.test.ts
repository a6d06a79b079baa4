// Values of events are known by their field, and never by their shape: data of users may have any shape (JOURNAL-4, DATA-11).

import { describe, expect, it } from "vitest";
import type { Json } from "@segno/kernel";
import { approval, Engine, waitForSignal, workflow } from "../../src/index.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";

const scratch = scratchFolder();
const ECHO = workflow("echo")
  .step("same", ({ input }) => input)
  .output(({ outputs }) => outputs.same);
const ASKS = workflow("asks").step("ask", approval({ schema: {} }));

/** Data with the shape of a value, of the record of children, and of a reference. */
const SHAPES: readonly (readonly [string, Json])[] = [
  ["an inline value", { kind: "inline", json: 1 }],
  ["the items of a map", { kind: "items", items: { kind: "inline", json: [1] } }],
  ["a called workflow", { kind: "workflow", input: { kind: "inline", json: 1 } }],
  ["a stored value", { kind: "stored", hash: `sha256:${"0".repeat(64)}`, bytes: 1 }],
  ["a list of stored values", [{ kind: "stored", hash: `sha256:${"0".repeat(64)}` }]],
  ["70 KB of text", "x".repeat(70_000)],
];

/** Opens the store again, and expects that nothing is wrong with any execution in it. */
async function expectSound(file: string): Promise<void> {
  await using engine = await Engine.open({ file });
  const { executions } = await engine.list();
  for (const { id } of executions) {
    expect(await engine.verify(id), id).toMatchObject({ ok: true });
    const lines: string[] = [];
    for await (const line of engine.export(id)) lines.push(line);
    expect(lines.length).toBeGreaterThan(0);
  }
}

describe("an execution with labels", () => {
  it.each(["x", "x".repeat(70_000), { deep: { a: {} } }, "x".repeat(300_000)])(
    "JOURNAL-4 is read after a restart, whatever the size of its input is (%#)",
    async (input) => {
      const file = scratch.file();
      const first = await Engine.open({ file });
      const handle = await first.start(ECHO, input, { labels: { team: "x", kind: "inline" } });
      await handle.result();
      await first.close();
      await expectSound(file);
    },
  );

  it("DATA-11 keeps its labels and its chain when its payloads are removed", async () => {
    const file = scratch.file();
    const engine = await Engine.open({ file });
    const handle = await engine.start(ECHO, { name: "PRIVATE" }, { labels: { kind: "inline", json: "x" } });
    await handle.result();
    await engine.removePayloads(handle.id);
    expect((await engine.list()).executions[0]!.labels).toEqual({ kind: "inline", json: "x" });
    expect(await engine.verify(handle.id)).toMatchObject({ ok: true });
    await engine.close();
  });
});

describe("data with the shape of a value", () => {
  it.each(SHAPES)("JOURNAL-4 %s is kept as input, output, payload and answer", async (_, data) => {
    const file = scratch.file();
    const listens = workflow("listens").step("wait", waitForSignal("go"));
    const first = await Engine.open({ file });
    const [echo, asks, waits] = [await first.start(ECHO, data), await first.start(ASKS), await first.start(listens)];
    expect(await echo.result()).toEqual(data);
    const isShort = JSON.stringify(data).length < 65_536;
    await asks.approve("ask", { by: "ann", answer: isShort ? data : null });
    await waits.signal("go", data);
    await Promise.all([asks.result(), waits.result()]);
    await first.close();
    await expectSound(file);
    const second = await Engine.open({ file });
    expect(await (await second.get(echo.id)).output("same")).toEqual(data);
    for (const { id } of [echo, asks, waits]) await second.removePayloads(id);
    await second.close();
    await using third = await Engine.open({ file });
    for (const { id } of [echo, asks, waits]) expect(await third.verify(id), id).toMatchObject({ ok: true });
  });

  it("DATA-11 the answer of a vote is removed with the payloads", async () => {
    const file = scratch.file();
    await using engine = await Engine.open({ file });
    const handle = await engine.start(ASKS);
    await handle.approve("ask", { by: "ann", answer: "PRIVATE-ANSWER" });
    await handle.result();
    await engine.removePayloads(handle.id);
    const lines: string[] = [];
    for await (const line of engine.export(handle.id)) lines.push(line);
    expect(lines.join("\n")).not.toContain("PRIVATE-ANSWER");
  });
});
