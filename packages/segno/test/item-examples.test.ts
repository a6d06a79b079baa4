// The examples of maps run, and do what they promise: results in the order of the items, and only what failed tried again.

import { appendFileSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openExamples, stepEvents } from "./example-fixture.ts";
import type { CommandFixture } from "./command-fixture.ts";

let shop: CommandFixture;
beforeAll(async () => {
  shop = await openExamples();
});
afterAll(() => shop[Symbol.asyncDispose]());

describe("map.yaml", () => {
  const run = (cities: unknown, id: string) =>
    shop.run(["run", "examples/map/map.yaml", "--jsonl", "--id", id, "--input", JSON.stringify({ cities })]);

  it("BEYOND-1 gives results in the order of the items, tries each again, and tolerates a quarter", async () => {
    const { exitCode, stdout } = await run(["Oslo", "Rome", "Atlantis", "Lima"], "tolerated");
    const { output } = JSON.parse(stdout.trimEnd().split("\n").at(-1)!) as { output: unknown };
    const forecasts = ["Oslo: sunny", "Rome: sunny", null, "Lima: sunny"];
    expect([exitCode, output]).toEqual([0, { forecasts, letters: forecasts.join("").length }]);
    expect(stepEvents(stdout, "step.retried").toSorted()).toEqual(
      [0, 1, 3].map((item) => `step.retried forecasts/${item}/look-up`),
    );
  });

  it("BEYOND-1 runs two items at once and no more", async () => {
    const { stdout } = await run(["Oslo", "Rome", "Lima"], "narrow");
    const events = stepEvents(stdout, "step.started", "step.completed");
    const third = events.indexOf("step.started forecasts/2/look-up");
    expect(events.slice(0, third)).toContainEqual(expect.stringMatching(/^step.completed forecasts\/[01]\/line$/u));
  });

  it("BEYOND-1 fails with more failures than it tolerates, and says which", async () => {
    const { exitCode, stdout } = await run(["Atlantis", "Oslo", "Atlantis"], "too-many");
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining("is on no map")]);
    expect(stepEvents(stdout, "step.started")).not.toContain("step.started letters/0");
  });

  it("INPUT_INVALID refuses what is no list before anything starts", async () => {
    expect(await run("Oslo", "no-list")).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/INPUT_INVALID[^]*input\.cities must be array/u),
    });
  });
});

describe("letters.yaml", () => {
  it("STATE-2 BEYOND-1 tries only the items again that failed", async () => {
    const to = ["Ada", "Grace", "Alan", "Barbara"];
    const words = ["run", "examples/letters/letters.yaml", "--jsonl", "--id", "letters", "--input"];
    const first = await shop.run([...words, JSON.stringify({ to })]);
    expect([first.exitCode, stepEvents(first.stdout, "step.failed")]).toEqual([
      1,
      ["step.failed letters/1", "step.failed letters/3", "step.failed letters"],
    ]);

    appendFileSync(shop.path("examples/letters/addresses.txt"), "Grace, New York\nBarbara, Boston\n");
    const again = await shop.run(["retry", "letters", "--jsonl"]);
    expect(stepEvents(again.stdout, "step.started")).toEqual(["step.started letters/1", "step.started letters/3"]);
    expect((await shop.json<{ output: unknown }>("show", "letters")).output).toEqual(
      ["Ada, London", "Grace, New York", "Alan, Wilmslow", "Barbara, Boston"].map(
        (address) => `a letter to ${address}`,
      ),
    );
  });
});
