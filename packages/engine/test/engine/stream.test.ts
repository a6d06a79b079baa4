// Text that attempts stream: part of the log of the step, and at once for subscribers (EVENT-5).

import { describe, expect, it } from "vitest";
import { Engine, map, workflow, type StreamChunk } from "../../src/index.ts";
import { eventually } from "../eventually.ts";
import { contract, useFixture } from "../running/fixture.ts";

const fixture = useFixture();

async function logOf(engine: Engine, id: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const { step, stream, text } of engine.logs(id)) lines.push(`${step} ${stream}: ${text}`);
  return lines;
}

describe("a streamed text", () => {
  it("EVENT-5 DATA-9 reaches subscribers in parts while the step runs, and the log in lines, masked", async () => {
    const engine = await fixture.current.open({ secrets: () => "hunter2-hunter2" });
    const gate = Promise.withResolvers<void>();
    const flow = workflow("ask", { secrets: ["token"] })
      .step("answer", { secrets: ["token"] }, async ({ stream, secrets }) => {
        for (const part of [
          "one ",
          "two",
          "\nthe key is ",
          secrets["token"]!.slice(0, 9),
          secrets["token"]!.slice(9),
          ".",
        ])
          stream(part);
        await gate.promise;
      })
      .output(() => null);
    const parts: StreamChunk[] = [];
    const stop = engine.onStream({}, (_, chunk) => void parts.push(chunk));
    const handle = await engine.start(flow, null);
    const text = (): string => parts.map((part) => part.text).join("");
    await eventually(() => expect(text()).toContain("one two\nthe key is "));
    expect(parts.length).toBeGreaterThan(2);
    gate.resolve();
    await handle.result();
    stop();
    expect(text()).toBe("one two\nthe key is ***.");
    expect(parts[0]).toMatchObject({ step: "answer", attempt: 1, stream: "stdout" });
    await using reader = await Engine.open({ file: fixture.current.file, mode: "readOnly" });
    await eventually(async () =>
      expect(await logOf(reader, handle.id)).toEqual(["answer stdout: one two", "answer stdout: the key is ***."]),
    );
  });

  it("EVENT-5 comes from agents, items of a map, threads and commands, and a subscriber may ask for one execution", async () => {
    fixture.current.write("speak.mjs", "export default (_, { stream }) => { stream('thr'); stream('ead'); };\n");
    const engine = await fixture.current.open({ agents: { speak: (_, { stream }) => stream("agent") } });
    const yaml = contract(`
name: spoken
agents: { threaded: { module: ./speak.mjs, thread: true } }
steps:
  - { id: a, agent: speak }
  - { id: t, agent: threaded }
  - { id: c, run: printf command }
`);
    const items = workflow("items")
      .step(
        "each",
        map(
          () => ["x", "y"],
          ({ item, stream }) => stream(item),
        ),
      )
      .output(() => null);
    const handle = await engine.start(yaml);
    const heard = new Map<string, string>();
    engine.onStream({ executionId: handle.id }, (_, { step, text }) => heard.set(step, (heard.get(step) ?? "") + text));
    const other = await engine.start(items, null);
    await Promise.all([handle.result(), other.result()]);
    expect(await logOf(engine, other.id)).toEqual(expect.arrayContaining(["each/0 stdout: x", "each/1 stdout: y"]));
    const lines = ["a stdout: agent", "c stdout: command", "t stdout: thread"];
    expect((await logOf(engine, handle.id)).toSorted()).toEqual(lines);
    expect([...heard.keys()].every((step) => ["a", "t", "c"].includes(step))).toBe(true);
  });
});

describe("a stream", () => {
  it.each([[7], [undefined], [{ text: "x" }], [new Uint8Array(2)]])(
    "STREAM_INVALID FAIL-2 takes only text: %o fails the step without a retry",
    async (given) => {
      const engine = await fixture.current.open();
      const flow = workflow("bad")
        .step("a", { retry: 3 }, ({ stream }) => stream(given as unknown as string))
        .output(() => null);
      const handle = await engine.start(flow, null);
      await expect(handle.result()).rejects.toMatchObject({ cause: { code: "STREAM_INVALID" } });
      expect((await handle.status()).steps[0]).toMatchObject({ attempts: 1 });
    },
  );

  it("LEASE-2 drops what comes after its attempt has ended", async () => {
    const engine = await fixture.current.open();
    let late: (text: string) => void = () => undefined;
    const flow = workflow("late")
      .step("a", ({ stream }) => void (late = stream))
      .output(() => null);
    const handle = await engine.start(flow, null);
    await handle.result();
    late("too late");
    expect(await logOf(engine, handle.id)).toEqual([]);
  });
});
