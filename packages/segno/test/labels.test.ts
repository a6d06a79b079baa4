// Labels of a map's items, as the command shows them.

import { writeFile } from "node:fs/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { HOSTILE_LABELS } from "./hostile-labels.ts";
import { safeText } from "../src/terminal/safe-text.ts";
import { CommandFixture } from "./command-fixture.ts";

const contract = (wait: string): string => `
name: pictures
steps:
  - id: each
    map:
      over: input.images
      label: "\${ item.name }"
      steps:
        - { id: fetch, run: 'echo "fetching"' }
        - { id: store, wait: ${wait}, dependsOn: [fetch] }
`;

interface Shown {
  readonly id: string;
  readonly steps: readonly { readonly name: string; readonly label?: string }[];
}

let shop: CommandFixture;

beforeAll(async () => {
  shop = await CommandFixture.open();
  await writeFile(shop.path("waiting.yaml"), contract("{ signal: stored }"));
  await writeFile(shop.path("ending.yaml"), contract("{ for: 1ms }"));
});
afterAll(() => shop[Symbol.asyncDispose]());

function input(...names: readonly unknown[]): string {
  return JSON.stringify({ images: names.map((name) => ({ name })) });
}

const labels = ({ steps }: Shown): object => Object.fromEntries(steps.map(({ name, label }) => [name, label]));

const EXPECTED = {
  each: undefined,
  "each/0/fetch": "cat.jpg",
  "each/0/store": "cat.jpg",
  "each/1/fetch": undefined,
  "each/1/store": undefined,
};

describe("labels of items", () => {
  it("BEYOND-1 stand beside the names in `run`, `show` and `logs`", async () => {
    const run = await shop.run(["run", "ending.yaml", "--input", input("cat.jpg", null)]);
    expect(run.exitCode).toBe(0);
    for (const line of ["▶ each/0/fetch (cat.jpg)\n", "each/0/fetch (cat.jpg) │ fetching\n", "▶ each/1/fetch\n"])
      expect(run.stderr).toContain(line);
    expect(run.stderr).toMatch(/^✓ each\/0\/store \(cat\.jpg\) \S+$/mu);
    const show = await shop.run(["show", "@last"]);
    expect(show.stdout).toMatch(/^✓ ├ 0\/fetch \(cat\.jpg\) +succeeded/mu);
    expect(show.stdout).toMatch(/^✓ ├ 1\/fetch +succeeded/mu);
    const logs = await shop.run(["logs", "@last"]);
    expect(logs.stdout.split("\n").toSorted()).toEqual([
      "",
      "each/0/fetch (cat.jpg) │ fetching",
      "each/1/fetch │ fetching",
    ]);
  });

  it("BEYOND-1 have a field of their own in JSON, and names stay what commands take", async () => {
    const run = await shop.json<Shown>("run", "ending.yaml", "--input", input("cat.jpg", null));
    expect(labels(run)).toEqual(EXPECTED);
    expect(labels(await shop.json<Shown>("show", "@last"))).toEqual(EXPECTED);
    const { lines } = await shop.json<{ lines: readonly object[] }>("logs", "@last", "each/0/fetch");
    expect(lines).toMatchObject([{ step: "each/0/fetch", label: "cat.jpg", text: "fetching" }]);
  });

  it("BEYOND-1 EVENT-1 have a field of their own in every line about their steps", async () => {
    const { stdout } = await shop.run(["run", "ending.yaml", "--jsonl", "--input", input("cat.jpg", null)]);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly kind: string; readonly step?: string; readonly label?: string });
    expect(new Set(lines.map(({ kind, step }) => (step?.startsWith("each/0/") === true ? kind : "")))).toEqual(
      new Set(["", "step.started", "step.wrote", "step.completed", "step.suspended"]),
    );
    for (const { step, label } of lines)
      expect(label).toBe(step?.startsWith("each/0/") === true ? "cat.jpg" : undefined);
  });

  it("BEYOND-1 SCHED-7 stand in what `why` and `signal` say, from another process", async () => {
    const running = shop.start(["run", "waiting.yaml", "--input", input("cat.jpg")]);
    await running.reports(/◷ each\/0\/store \(cat\.jpg\)/u);
    const why = await shop.run(["why", "@last", "each/0/store"]);
    const { waiting } = await shop.json<{ waiting: readonly object[] }>("why", "@last", "each/0/store");
    const signal = await shop.run(["signal", "@last", "stored"]);
    expect((await running.ended).exitCode).toBe(0);
    expect(signal.stdout).toContain("signal stored was consumed by each/0/store (cat.jpg)");
    expect(why.stdout).toContain("  each/0/store  `each/0/store` (cat.jpg) waits for the signal `stored`");
    expect(waiting).toMatchObject([{ step: "each/0/store", label: "cat.jpg" }]);
  });
});

describe("hostile labels", () => {
  const long = "x".repeat(1_048_576);
  const NAPS = `
name: naps
steps:
  - { id: each, map: { over: input.images, label: "\${ item.name }", steps: [{ id: nap, wait: { for: 1ms } }] } }
`;

  it("BEYOND-1 steer nothing, break no line and are cut", async () => {
    await writeFile(shop.path("naps.yaml"), NAPS);
    // Malformed UTF-16 is refused.
    const hostile = HOSTILE_LABELS.filter((label) => label.isWellFormed());
    await writeFile(shop.path("hostile.json"), input(...hostile, long));
    const run = await shop.run(["run", "naps.yaml", "--input", "@hostile.json"]);
    const show = await shop.run(["show", "@last"]);
    expect([run.exitCode, show.exitCode]).toEqual([0, 0]);
    for (const line of `${run.stderr}${show.stdout}`.split("\n")) expect(line).toBe(safeText(line));
    for (const line of show.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    const shown = await shop.json<Shown>("show", "@last");
    const last = shown.steps.at(-1)!;
    expect([last.name, last.label]).toEqual([`each/${hostile.length}`, `${"x".repeat(79)}…`]);
  });
});
