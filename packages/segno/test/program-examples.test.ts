// The larger examples run, and do what they promise: an agent pipeline, an agent loop that is killed, an order with people and a
// payment, and a nightly job whose failed items are tried again. `examples/order/order.test.ts` is part of the examples.

import { writeFileSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openExamples, stepEvents } from "./example-fixture.ts";
import type { CommandFixture } from "./command-fixture.ts";
import { runExample } from "./run-example.ts";

let shop: CommandFixture;
beforeAll(async () => {
  shop = await openExamples();
});
afterAll(() => shop[Symbol.asyncDispose]());

interface Shown {
  readonly durationMs: number;
  readonly output: unknown;
  readonly steps: readonly { readonly name: string; readonly status: string; readonly attempts: number }[];
}

describe("summaries.ts", () => {
  it("FAIL-2 STATE-8 waits for 429 without using an attempt, asks again after a misfit, and has another model", async () => {
    const { code, stdout } = await runExample(shop.folder, ["examples/summaries/summaries.ts"]);
    expect(code).toBe(0);
    expect(stdout).toContain("{ calls: 28, tooMany: 2, misfits: 3, errors: 3 }");
    const { durationMs, output, steps } = await shop.json<Shown>("show", "@last");
    expect(output).toMatchObject({ summaries: 20, bySmallModel: ["Article 12, in short"] });
    const attempts = new Map(steps.map((step) => [step.name, step.attempts]));
    const [refused, misfit, broken] = [4, 5, 12].map((item) => attempts.get(`summaries/${item}/item`));
    expect({ refused, misfit, broken }).toEqual({ refused: 1, misfit: 2, broken: 3 });
    // 27 calls of the large model, at most five a second: the last ones begin after five seconds.
    expect(durationMs).toBeGreaterThanOrEqual(5000);
  });
});

describe("agent-loop.ts", () => {
  it("STATE-13 STATE-14 goes on after SIGKILL, and calls the model for no turn twice", async () => {
    const killed = await runExample(shop.folder, ["examples/agent-loop/agent-loop.ts", "--kill"]);
    const again = await runExample(shop.folder, ["examples/agent-loop/agent-loop.ts"]);
    expect([killed.code, again.code]).toEqual([null, 0]);
    const modelCalls = (stdout: string): readonly string[] => stdout.match(/model call \d/gu) ?? [];
    expect(modelCalls(killed.stdout)).toEqual(["model call 1", "model call 2", "model call 3"]);
    expect(modelCalls(again.stdout)).toEqual(["model call 4", "model call 5"]);
    // The call of the tool was interrupted, so it is not recorded.
    expect(again.stdout).toMatch(/^tool read page 2\n[^]*Take an umbrella/u);
  });
});

describe("order.ts", () => {
  const input = { order: "A1", article: "kettle", amount: 60, price: 30, city: "Oslo" };
  const start = (id: string, more: object = {}) =>
    shop.start(["run", "examples/order/order.ts", "--id", id, "--input", JSON.stringify({ ...input, ...more })]);

  it("BEYOND-2 ships when one has approved it and it is paid, from other terminals", async () => {
    const running = start("approved");
    await running.reports(/approval waits for approval/u);
    expect((await shop.run(["why", "approved", "approval"])).stdout).toContain("Sell 60 of kettle to Oslo?");
    await shop.run(["approve", "approved", "approval", "--by", "ann"]);
    await shop.run(["signal", "approved", "payment", "--payload", '{"amount":1800}']);
    const { exitCode, stdout } = await running.ended;
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { parcel: "parcel-A1-Oslo" }]);
  });

  it("FAIL-8 undoes the payment and the reservation when it cannot be shipped", async () => {
    const running = start("undone", { amount: 1, city: "Atlantis" });
    await running.reports(/payment waits for the signal/u);
    await shop.run(["signal", "undone", "payment", "--payload", '{"amount":30}']);
    expect(await running.ended).toMatchObject({ exitCode: 1 });
    const { steps } = await shop.json<Shown>("show", "undone");
    const undone = steps.filter(({ name, status }) => name.endsWith("/compensate") && status === "succeeded");
    expect(undone.map(({ name }) => name).toSorted()).toEqual(["book/compensate", "reserve/compensate"]);
  });
});

describe("etl.ts", () => {
  it("STATE-2 BEYOND-1 tolerates five of 1,000 items, and tries only these again", async () => {
    const first = await shop.run(["run", "examples/etl/etl.ts", "--id", "nightly", "--json", "--quiet"]);
    expect(JSON.parse(first.stdout)).toMatchObject({ output: { converted: 995, missing: 5, euros: 66_591 } });

    writeFileSync(shop.path("examples/etl/rates.json"), '{ "EUR": 1, "USD": 0.92, "NOK": 0.086, "CHF": 1.04 }');
    const again = await shop.run(["retry", "nightly", "--tolerated", "--jsonl"]);
    expect([again.exitCode, stepEvents(again.stdout, "step.started").toSorted()]).toEqual([
      0,
      [
        "step.started _output",
        ...[242, 42, 442, 642, 842].map((item) => `step.started convert/${item}`),
        "step.started report",
      ],
    ]);
    expect((await shop.json<Shown>("show", "nightly")).output).toEqual({ converted: 1000, missing: 0, euros: 67_111 });
  });
});
