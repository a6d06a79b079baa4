// The examples of steps that open into further steps run, and do what they promise: a workflow that calls another, which stands
// beside it or elsewhere, and steps that are made while it runs.

import { mkdir, rename } from "node:fs/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openExamples, stepEvents } from "./example-fixture.ts";
import type { CommandFixture } from "./command-fixture.ts";

let shop: CommandFixture;
beforeAll(async () => {
  shop = await openExamples();
});
afterAll(() => shop[Symbol.asyncDispose]());

const ORDER = ["run", "examples/parcels/order.yaml", "--input"];
const input = (customer: string): string => JSON.stringify({ customer, things: ["a kettle", "tea"] });

describe("order.yaml", () => {
  it("BEYOND-1 calls the workflow beside it with an input of its own, and reads what it gave", async () => {
    const { exitCode, stdout, stderr } = await shop.run([...ORDER, input("Ada"), "--id", "order"]);
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      letter: "Dear Ada, 2 parcels are on their way.",
      sent: ["a kettle in paper, on its way to Ada", "tea in paper, on its way to Ada"],
    });
    expect((await shop.run(["logs", "order", "parcels/1/wrap"])).stdout).toContain("tea in paper");
  });

  it("BEYOND-1 a failure inside comes up with its cause", async () => {
    const { exitCode, stdout } = await shop.run([...ORDER, input(""), "--jsonl", "--id", "nobody"]);
    expect([exitCode, stepEvents(stdout, "step.failed").at(-1)]).toEqual([1, "step.failed parcels"]);
    expect(await shop.json<unknown>("show", "nobody")).toMatchObject({
      failure: { code: "SCOPE_FAILED", cause: { code: "INPUT_INVALID", path: "to" } },
    });
  });
});

describe("parcel.yaml", () => {
  it("CONTRACT-1 is a workflow like any other, and runs alone", async () => {
    const words = ["run", "examples/parcels/parcel.yaml", "--input", '{"what":"a kettle","to":"Ada"}'];
    expect(JSON.parse((await shop.run(words)).stdout)).toEqual({ sent: "a kettle in paper, on its way to Ada" });
  });

  it("WORKFLOW_UNKNOWN is missed before anything starts when it lies elsewhere, unless somebody says where", async () => {
    await mkdir(shop.path("elsewhere"));
    await rename(shop.path("examples/parcels/parcel.yaml"), shop.path("elsewhere/parcel.yaml"));
    const missed = await shop.run([...ORDER, input("Ada"), "--id", "missed"]);
    expect(missed.stderr).toMatch(/WORKFLOW_UNKNOWN .*parcel@1/u);
    expect(await shop.run(["show", "missed"])).toMatchObject({ exitCode: 5 });
    const found = await shop.run([...ORDER, input("Ada"), "--with", "elsewhere/parcel.yaml"]);
    expect(found.exitCode, found.stderr).toBe(0);
  });
});

describe("tour.yaml", () => {
  const run = (stops: readonly string[]) =>
    shop.run(["run", "examples/dynamic/tour.yaml", "--jsonl", "--input", JSON.stringify({ stops })]);

  it("STATE-9 runs the steps that its agent returned, in their order, and goes on with what they gave", async () => {
    const { exitCode, stdout, stderr } = await run(["Lyon", "Turin"]);
    expect(exitCode, stderr).toBe(0);
    expect(stepEvents(stdout, "step.completed")).toEqual(
      ["travel/Lyon", "travel/Turin", "travel", "postcard"].map((step) => `step.completed ${step}`),
    );
    expect(stdout).toContain('"output":"arrived in Lyon, arrived in Turin"');
  });

  it("EXPANSION_INVALID fails the step that returned what cannot run", async () => {
    const { exitCode, stdout } = await run(["Lyon", "Lyon"]);
    expect([exitCode, stepEvents(stdout, "step.failed")]).toEqual([1, ["step.failed travel"]]);
    expect(stdout).toContain("the id `Lyon` is already used by step 1");
  });
});
