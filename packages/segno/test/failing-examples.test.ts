// The examples of conditions, failure and undoing run, and do what they promise.

import { rmSync, writeFileSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openExamples, stepEvents } from "./example-fixture.ts";
import { runExample } from "./run-example.ts";
import type { CommandFixture } from "./command-fixture.ts";

let shop: CommandFixture;
beforeAll(async () => {
  shop = await openExamples();
});
afterAll(() => shop[Symbol.asyncDispose]());

interface Shown {
  readonly steps: readonly { readonly name: string; readonly status: string }[];
}

async function statuses(id: string): Promise<Readonly<Record<string, string>>> {
  const { steps } = await shop.json<Shown>("show", id);
  return Object.fromEntries(steps.map(({ name, status }) => [name, status]));
}

describe("conditions.yaml", () => {
  const run = async (stock: number): Promise<unknown> => {
    const words = ["run", "examples/conditions/conditions.yaml", "--id", `stock-${stock}`, "--input"];
    const { exitCode, stdout, stderr } = await shop.run([...words, JSON.stringify({ stock })]);
    expect(exitCode, stderr).toBe(0);
    return JSON.parse(stdout) as unknown;
  };
  const postpone = "no inspection today. the command ended with exit code 1: the inspector is ill";

  it("STATE-7 looks at data and at how another step ended, and completes without it", async () => {
    const sell = "open for business, and ten more are on their way";
    expect(await run(0)).toEqual({ sell, order: "succeeded", postpone });
    expect(await statuses("stock-0")).toMatchObject({ order: "succeeded", inspect: "failed", postpone: "succeeded" });
  });

  it("STATE-5 a step that its condition skips holds nobody up", async () => {
    expect(await run(9)).toEqual({ sell: "open for business", order: "skipped", postpone });
  });

  it("CONTRACT-10 says before it runs what would be skipped", async () => {
    const { stdout } = await shop.run(["plan", "examples/conditions/conditions.yaml", "--input", '{"stock":9}']);
    expect(stdout).toMatch(/– order .*\n +skipped: condition is false/u);
  });
});

describe("clean-up.yaml", () => {
  const words = ["run", "examples/clean-up/clean-up.yaml", "--id"];

  it("STATE-8 leaves the stand-in alone where it is not needed", async () => {
    const { stdout } = await shop.run([...words, "fine"]);
    expect(JSON.parse(stdout)).toEqual(["3 ms on m-17", "m-17 is given back"]);
    expect(await statuses("fine")).toMatchObject({ slow: "skipped", lint: "failed" });
  });

  it("STATE-6 STATE-8 has a stand-in and gives back what it leased when a step fails", async () => {
    const { exitCode, stdout } = await shop.run([...words, "unwell", "--input", '{"machine":"broken"}']);
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, ["9 ms right here", "broken is given back"]]);
    expect(await statuses("unwell")).toMatchObject({ fast: "failed", slow: "succeeded", profile: "skipped" });
  });
});

describe("saga.yaml", () => {
  const ENDS = ["step.completed", "step.failed", "step.retried"];

  it("FAIL-8 undoes the newest first, says what it could not undo, and tries only that again", async () => {
    writeFileSync(shop.path("database.lock"), "");
    const first = await shop.run(["run", "examples/saga/saga.yaml", "--jsonl", "--id", "saga"]);
    expect([first.exitCode, ...stepEvents(first.stdout, ...ENDS)]).toEqual([
      1,
      "step.completed database",
      "step.completed address",
      "step.failed server",
      "step.retried address/compensate",
      "step.completed address/compensate",
      "step.failed database/compensate",
    ]);
    expect((await shop.run(["show", "saga"])).stdout).toMatch(/1 of 2 could not be undone: `database`/u);

    rmSync(shop.path("database.lock"));
    const again = await shop.run(["retry", "saga", "--undo", "--jsonl"]);
    expect([again.exitCode, ...stepEvents(again.stdout, ...ENDS)]).toEqual([0, "step.completed database/compensate"]);
    expect((await shop.run(["show", "saga"])).stdout).not.toContain("could not be undone");
  });
});

describe("booking.yaml", () => {
  it("CANCEL-1 FAIL-8 undoes the newest first when somebody cancels it from another terminal", async () => {
    const running = shop.start(["run", "examples/saga/booking.yaml", "--id", "booking"]);
    await running.reports(/party waits for the signal/u);
    const cancelled = await shop.run(["cancel", "booking", "--compensate", "--reason", "the party is off"]);
    expect(cancelled).toMatchObject({ exitCode: 0, stdout: "booking is cancelled\n" });
    expect(await running.ended).toMatchObject({ exitCode: 1 });
    expect((await shop.run(["logs", "booking"])).stdout).toMatch(/the band may go home\n.*the hall is free again\n$/u);
    expect((await shop.run(["show", "booking"])).stdout).toContain("cancelled: the party is off");
  });
});

describe("saga.ts", () => {
  it("FAIL-8 undoes when somebody cancels, and later what could not be undone then", async () => {
    const said = [
      "tea.example.com is free again, at attempt 2",
      "database stays: somebody uses it",
      "tea-db is dropped",
    ];
    expect(await runExample(shop.folder, ["examples/saga/saga.ts"])).toEqual({
      code: 0,
      stdout: [...said, "cancelled", ""].join("\n"),
    });
  });
});
