// Progress that attempts report: the latest value, beside the journal (EVENT-7).

import { describe, expect, it } from "vitest";
import { Engine, workflow, type ProgressInput, type StepProgress } from "../../src/index.ts";
import { ProgressLines } from "../../src/runners/process/progress-lines.ts";
import { eventually } from "../eventually.ts";
import { contract, useFixture } from "../running/fixture.ts";

const fixture = useFixture();

/** A workflow whose step reports progress and ends when the test says so. */
function reporting(...given: readonly ProgressInput[]) {
  const gate = Promise.withResolvers<void>();
  const flow = workflow("flow", { secrets: ["token"] })
    .step("work", { secrets: ["token"] }, async ({ progress, secrets }) => {
      for (const each of given)
        progress(
          typeof each === "number" ? each : { ...each, message: each.message?.replace("SECRET", secrets["token"]!) },
        );
      await gate.promise;
    })
    .output(() => null);
  return { flow, open: () => gate.resolve() };
}

const SECRETS = { secrets: () => "hunter2-hunter2" };

describe("the progress of a step", () => {
  it("EVENT-7 is its latest value, in the status, while its attempt runs", async () => {
    const engine = await fixture.current.open(SECRETS);
    const { flow, open } = reporting(0.1, { done: 3, total: 10, message: "copying" });
    const handle = await engine.start(flow, null);
    await eventually(async () => expect((await handle.status()).progress).toHaveProperty("work"));
    const { work } = (await handle.status()).progress;
    expect(work).toMatchObject({ step: "work", attempt: 1, fraction: 0.3, done: 3, total: 10, message: "copying" });
    open();
    await handle.result();
    expect((await handle.status()).progress).toEqual({});
    for await (const { kind } of handle.events()) expect(kind).not.toContain("progress");
  });

  it("EVENT-7 DATA-9 reaches another process through the store, masked and cut", async () => {
    const engine = await fixture.current.open(SECRETS);
    const { flow, open } = reporting({ done: 1, total: 0.5 + 0.5, message: `SECRET ${"x".repeat(300)}` });
    const { id } = await engine.start(flow, null);
    await using reader = await Engine.open({ file: fixture.current.file, mode: "readOnly" });
    await eventually(async () => expect((await (await reader.get(id)).status()).progress).toHaveProperty("work"));
    const { message = "" } = (await (await reader.get(id)).status()).progress["work"]!;
    expect(message).toBe(`*** ${"x".repeat(196)}`);
    open();
    await (await engine.get(id)).result();
    expect((await (await reader.get(id)).status()).progress).toEqual({});
  });

  it("EVENT-7 reaches subscribers of this process, the first value at once and then the latest", async () => {
    const engine = await fixture.current.open(SECRETS);
    const seen: StepProgress[] = [];
    const stop = engine.onProgress({}, (_, progress) => void seen.push(progress));
    const { flow, open } = reporting(0, ...Array.from({ length: 1000 }, (_, index) => (index + 1) / 1000));
    const handle = await engine.start(flow, null);
    await eventually(() => expect(seen.at(-1)?.fraction).toBe(1));
    expect(seen.map(({ fraction }) => fraction)).toEqual([0, 1]);
    stop();
    open();
    await handle.result();
  });

  it.each([
    [-0.1],
    [1.5],
    [Number.NaN],
    ["half"],
    [null],
    [{ done: 2, total: 1 }],
    [{ done: 1 }],
    [{ done: 1, total: 2, of: 3 }],
    [{ done: 1, total: 2, message: 5 }],
  ])("PROGRESS_INVALID fails the step that reports %j", async (given) => {
    const engine = await fixture.current.open();
    const flow = workflow("flow")
      .step("work", ({ progress }) => progress(given as never))
      .output(() => null);
    const handle = await engine.start(flow, null);
    await expect(handle.result()).rejects.toMatchObject({ failure: { class: "permanent", code: "PROGRESS_INVALID" } });
  });
});

describe("the progress of agents and commands", () => {
  it("EVENT-7 comes from a worker thread, too, also if it reports without pause", async () => {
    fixture.current.write(
      "work.mjs",
      `export default async (_, { progress, signal }) => {
        for (let done = 0; done <= 10_000; done++) progress({ done, total: 10_000 });
        await new Promise((resolve) => setTimeout(resolve, 60_000).unref() && signal.addEventListener("abort", resolve));
      };`,
    );
    const yaml =
      "name: f\nagents: { work: { module: ./work.mjs, thread: true } }\nsteps: [{ id: work, agent: work }]\n";
    const handle = await fixture.current.start(yaml);
    await eventually(async () => expect((await handle.status()).progress["work"]?.fraction).toBe(1));
    await handle.cancel();
    await handle.result().catch(() => undefined);
  });

  it("EVENT-7 of a command is a line of its stdout, which is not part of its output", async () => {
    const engine = await fixture.current.open();
    const seen: StepProgress[] = [];
    engine.onProgress({}, (_, progress) => void seen.push(progress));
    const line = '{"segno":1,"type":"progress","done":1,"total":4,"text":"one"}';
    const wrong = '{"segno":1,"type":"progress","done":5,"total":4}';
    const yaml = `name: f\nsteps: [{ id: a, run: 'echo before; echo ''${line}''; echo ''${wrong}''; echo after' }]\noutput: \${ steps.a.output.stdout }\n`;
    expect(await (await engine.start(contract(yaml), null)).result()).toBe(`before\n${wrong}\nafter`);
    expect(seen).toMatchObject([{ step: "a", fraction: 0.25, done: 1, total: 4, message: "one" }]);
  });
});

describe("the lines of a command", () => {
  const TEXT = [
    "one",
    '{"segno":1,"type":"progress","fraction":0.5}',
    '{"segno":1,"type":"progress","fraction":7}',
    'x{"segno":1,"type":"progress","fraction":0.5}',
    '{"segno":2}',
    '{"segno":1,"type":"progress","fraction":1,"text":"end"}',
  ].join("\n");

  it("EVENT-7 are the same however the bytes are split", () => {
    for (let size = 1; size <= TEXT.length; size++) {
      const seen: object[] = [];
      const lines = new ProgressLines((progress) => seen.push(progress));
      const kept: Uint8Array[] = [];
      for (let from = 0; from < TEXT.length; from += size)
        kept.push(lines.filter(Buffer.from(TEXT.slice(from, from + size)), false));
      kept.push(lines.filter(Buffer.alloc(0), true));
      expect(Buffer.concat(kept).toString()).toBe(
        'one\n{"segno":1,"type":"progress","fraction":7}\nx{"segno":1,"type":"progress","fraction":0.5}\n{"segno":2}\n',
      );
      expect(seen).toEqual([{ fraction: 0.5 }, { fraction: 1, message: "end" }]);
    }
  });
});
