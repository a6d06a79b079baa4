// The examples of approvals and signals run, and do what they promise; their contracts by the command, from two terminals.

import { cpSync } from "node:fs";
import { join, resolve } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Workshop } from "./workshop.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

let shop: Workshop;
beforeAll(async () => {
  shop = await Workshop.open();
  cpSync(join(ROOT, "examples"), shop.path("examples"), { recursive: true });
});
afterAll(() => shop[Symbol.asyncDispose]());

describe("approval.yaml", () => {
  const words = ["run", "examples/approval/approval.yaml", "--input", '{"tag":"v1"}', "--id"];

  it("BEYOND-2 publishes when two have agreed, from other terminals", async () => {
    const running = shop.start([...words, "agreed"]);
    await running.reports(/ask waits for approval/u);
    expect((await shop.run(["why", "agreed", "ask"])).stdout).toContain("0 of 2 so far");
    await shop.run(["approve", "agreed", "ask", "--by", "cleo"]);
    await shop.run(["reject", "agreed", "ask", "--by", "ann", "--changes", "--comment", "name the authors"]);
    for (const by of ["ann", "cleo"]) await shop.run(["approve", "agreed", "ask", "--by", by]);
    const { exitCode, stdout } = await running.ended;
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, "v1 is out, thanks to ann and cleo"]);
  });

  it("BEYOND-2 publishes nothing when one rejects it", async () => {
    const running = shop.start([...words, "rejected"]);
    await running.reports(/ask waits for approval/u);
    await shop.run(["reject", "rejected", "ask", "--by", "bob", "--comment", "not on a Friday"]);
    expect(await running.ended).toMatchObject({ exitCode: 1, stdout: "" });
    expect((await shop.run(["show", "rejected"])).stdout).toContain("bob rejected it: not on a Friday");
  });
});

describe("signal.yaml", () => {
  it("BEYOND-2 ships when the payment has come, which may be before anybody waits for it", async () => {
    const running = shop.start(["run", "examples/signal/signal.yaml", "--input", '{"order":"A1"}', "--id", "ordered"]);
    await running.reports(/paid waits for the signal/u);
    const unfit = await shop.run(["signal", "ordered", "paid", "--payload", '{"amount":0}']);
    expect(unfit).toMatchObject({ exitCode: 3 });
    const sent = await shop.run(["signal", "ordered", "paid", "--payload", '{"amount":30}', "--id", "payment-7"]);
    expect(sent).toMatchObject({ exitCode: 0, stdout: "ordered: signal paid was taken by paid\n" });
    const { exitCode, stdout } = await running.ended;
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, "A1 ships, 30 were paid"]);
  });
});
