import { readFileSync } from "node:fs";

import { definitionHash, loadContract } from "@segno/contract";
import { compileOrThrow, type Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { createPalette } from "../terminal/palette.ts";
import { displayWidth } from "../terminal/text-layout.ts";
import { toPlan } from "./to-plan.ts";
import { planText } from "./plan-text.ts";

function toText(contract: string, options: { input?: Json; columns?: number; colorful?: boolean } = {}): string {
  const { input, columns = 80, colorful = false } = options;
  const definition = loadContract(contract);
  const plan = toPlan(compileOrThrow(definition), {
    hash: definitionHash(definition),
    ...(input === undefined ? {} : { input }),
  });
  return planText(plan, { palette: createPalette(colorful), columns });
}

const loadExample = (name: string): string =>
  readFileSync(new URL(`../../../../examples/${name}/${name}.yaml`, import.meta.url), "utf8");

describe("the text of a plan", () => {
  it("shows disabled steps, fallbacks and settled dependencies", () => {
    expect(toText(loadExample("clean-up"), { columns: 120 })).toMatch(
      /◇ slow .*\n +only if fast fails\n[^]*after lease, fast \(settled\), profile \(settled\)\n[^]*In no wave\n {2}– profile .*\n +skipped: disabled\n[^]*6 steps in 3 waves, 1 skipped, 1 only on failure\n$/u,
    );
  });

  it("shows how a map runs its items, and the attempts of an item with one step", () => {
    const item = "{ id: item, run: x, retry: 5, timeout: 3s, fallback: instead }, { id: instead, run: y }";
    const text = toText(`name: maps
steps:
  - { id: one, map: { over: input, concurrency: 2, tolerance: 1, result: item, steps: [${item}] } }
  - { id: two, map: { over: input, concurrency: 1, tolerance: 10%, steps: [{ id: a, run: x, retry: 5 }, { id: b, run: y }] } }
  - { id: again, repeat: { max: 3, steps: [{ id: iteration, run: x, retry: 1 }] } }
`);
    expect(text).toContain("at most 2 items at once · 1 item may fail");
    expect(text).toContain("each item: 5 attempts, timeout 3s\n");
    expect(text).toContain("at most 1 item at once · 10% of the items may fail\n");
    expect(text).toContain("each iteration: 1 attempt\n");
  });

  it("says what is decided once the input is there", () => {
    const text = toText(loadExample("publish"), { input: { tag: "v1", channel: "next" } });
    expect(text).toContain(
      "– notes     agent  summarise\n                     skipped: condition is false · if input.channel != 'next'\n",
    );
    expect(text).toMatch(/5 steps in 4 waves, 1 skipped\n$/u);
  });

  it.each([40, 80, 120])("fits into %i columns", (columns) => {
    for (const name of ["release", "clean-up", "launch", "nightly", "trip"]) {
      const widths = toText(loadExample(name), { columns }).split("\n").map(displayWidth);
      expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
    }
  });

  it("gives a long id a line of its own", () => {
    const id = "a-name-that-is-much-longer-than-most-names-are";
    const lines = toText(`name: long\nsteps:\n  - { id: ${id}, run: make }\n`).split("\n");
    expect(lines.slice(3, 5)).toEqual([`  ● ${id}`, `${" ".repeat(30)}run  make`]);
  });

  it("keeps what a contract says from steering the terminal", () => {
    const text = toText(
      'name: bad\ndescription: "\\e]0;owned\\a"\nsteps:\n  - { id: a, name: "\\e[2J", run: "echo \\e[31m\\nred" }\n',
      { colorful: true },
    );
    // oxlint-disable-next-line no-control-regex
    expect(text.replaceAll(/\u001b\[\d+m/gu, "")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/u);
    expect(text).toContain("\\u001b]0;owned\\u0007");
  });

  it("says the same with and without colour", () => {
    const contract = loadExample("publish");
    // oxlint-disable-next-line no-control-regex
    expect(toText(contract, { colorful: true }).replaceAll(/\u001b\[\d+m/gu, "")).toBe(toText(contract));
  });
});
