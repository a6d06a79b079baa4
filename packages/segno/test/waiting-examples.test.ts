// The examples of waiting run, and do what they promise: for people and for signals from two terminals, for each other, and for
// a time.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openExamples, stepEvents } from "./example-fixture.ts";
import type { CommandFixture } from "./command-fixture.ts";

let shop: CommandFixture;
beforeAll(async () => {
  shop = await openExamples();
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
    expect(sent).toMatchObject({ exitCode: 0, stdout: "ordered: signal paid was consumed by paid\n" });
    const { exitCode, stdout } = await running.ended;
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, "A1 ships, 30 were paid"]);
  });
});

describe("sleep.yaml", () => {
  const words = ["run", "examples/sleep/sleep.yaml", "--jsonl", "--id"];

  it("BEYOND-2 goes on when it has slept, and a time that is past is no wait", async () => {
    const { exitCode, stdout } = await shop.run([...words, "past", "--input", '{"opens":"2026-01-01T09:00:00Z"}']);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('"output":"fresh bread"')]);
    expect(stepEvents(stdout, "step.suspended", "step.started")).toEqual([
      "step.suspended dough",
      "step.suspended opening",
      "step.started bread",
    ]);
  });

  it("SCHED-7 JOURNAL-3 sleeps in the journal, also when nobody is there any more", async () => {
    const running = shop.start([...words.slice(0, 2), "--id", "far", "--input", '{"opens":"2999-01-01T09:00:00Z"}']);
    await running.reports(/dough \d/u);
    running.send("SIGKILL");
    await running.ended;
    expect((await shop.run(["why", "far", "opening"])).stdout).toContain("it continues at 2999-01-01T09:00:00.000Z");
  });
});

describe("barrier.yaml", () => {
  it("BEYOND-1 lets nobody go on before all are there, also who failed", async () => {
    const { exitCode, stdout, stderr } = await shop.run(["run", "examples/barrier/barrier.yaml", "--jsonl"]);
    expect(exitCode, stderr).toBe(0);
    const ends = stepEvents(stdout, "step.completed", "step.failed");
    expect(ends.indexOf("step.completed dinner-time")).toBe(3);
    expect(ends.slice(4).toSorted()).toEqual(["step.completed eat", "step.completed talk"]);
  });
});
