// `signal`, `approve` and `reject`, from a second terminal and where nobody works.

import { writeFile } from "node:fs/promises";
import { userInfo } from "node:os";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { RunningSegno } from "./run-segno.ts";
import { CommandFixture } from "./command-fixture.ts";

const ASKS = `
name: asks
steps:
  - { id: ask, approve: { by: [ann, bob], quorum: 2, expires: 1h, message: "ship it?" } }
  - { id: ship, wait: { for: 10ms }, dependsOn: [ask] }
`;
const ANYBODY = "name: anybody\nsteps: [{ id: ask, approve: {} }]\n";
const COUNTS = `
name: counts
steps: [{ id: ask, approve: { schema: { type: object, required: [count] } } }]
output: \${ steps.ask.output.answer }
`;
const LISTENS = `
name: listens
steps:
  - { id: paid, wait: { signal: paid, schema: { type: object, required: [amount] } } }
  - { id: sent, wait: { signal: sent }, dependsOn: [paid] }
output: { paid: "\${ steps.paid.output }", sent: "\${ steps.sent.output }" }
`;

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  await writeFile(shop.path("asks.yaml"), ASKS);
  await writeFile(shop.path("anybody.yaml"), ANYBODY);
  await writeFile(shop.path("counts.yaml"), COUNTS);
  await writeFile(shop.path("listens.yaml"), LISTENS);
});
afterAll(() => shop[Symbol.asyncDispose]());

async function started(file: string, id: string): Promise<RunningSegno> {
  const running = shop.start(["run", file, "--id", id]);
  await running.reports(/waits for/u);
  return running;
}

/** Waits for somebody, and nobody works on it. */
async function left(file: string, id: string): Promise<void> {
  const running = await started(file, id);
  running.send("SIGHUP");
  await running.ended;
}

const NOBODY_WORKS = "; no process runs it; to resume it: segno work\n";

describe("votes from a second terminal", () => {
  it("LEASE-5 BEYOND-2 reach the process that runs it, which tells of them and goes on", async () => {
    const running = await started("asks.yaml", "watched");
    expect(await shop.run(["why", "watched", "ask"])).toMatchObject({
      stdout: expect.stringContaining("waits for approval by ann or bob, 0 of 2 so far") as string,
    });
    expect(await shop.run(["approve", "watched", "ask", "--by", "ann", "--comment", "fine"])).toMatchObject({
      exitCode: 0,
      stdout: "watched: ann approved ask: 1 of 2 so far\n",
    });
    const shown = await shop.json<{ steps: readonly object[] }>("show", "watched");
    expect(shown.steps[0]).toMatchObject({ name: "ask", votes: [{ by: "ann", verdict: "approve", comment: "fine" }] });
    expect(
      await shop.run(["reject", "watched", "ask", "--by", "bob", "--changes", "--comment", "notes"]),
    ).toMatchObject({ exitCode: 0, stdout: "watched: bob requested changes to ask: 0 of 2 so far\n" });
    await shop.run(["approve", "watched", "ask", "--by", "ann"]);
    const last = await shop.run(["approve", "watched", "ask", "--by", "bob"]);
    expect(last).toMatchObject({ exitCode: 0, stdout: "watched: bob approved ask, which is approved\n" });
    const run = await running.ended;
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stderr).toContain("→ ask ann approved it: fine\n");
    expect(run.stderr).toContain("→ ask bob requests changes: notes\n");
  });

  it("BEYOND-2 a rejection fails it, and exits well: what was asked for is done", async () => {
    const running = await started("asks.yaml", "unwanted");
    expect(await shop.run(["reject", "unwanted", "ask", "--by", "bob", "--comment", "no"])).toMatchObject({
      exitCode: 0,
      stdout: "unwanted: bob rejected ask, which has failed\n",
    });
    expect(await running.ended).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("bob rejected it: no") as string,
    });
  });
});

describe("an approval that asks for an answer", () => {
  it("BEYOND-2 refuses a vote without a valid one, waits on, and returns the answer", async () => {
    const running = await started("counts.yaml", "counted");
    expect((await shop.run(["why", "counted", "ask"])).stdout).toContain("waits for approval with an answer by anyone");
    const empty = await shop.run(["approve", "counted", "ask", "--by", "ann", "--answer", "{}"]);
    expect([empty.exitCode, empty.stderr]).toEqual([
      3,
      "segno: counted: the vote of ann does not count: the answer: `count` is missing\n",
    ]);
    await writeFile(shop.path("answer.json"), '{"count":3}');
    expect(await shop.run(["approve", "counted", "ask", "--by", "ann", "--answer", "@answer.json"])).toMatchObject({
      exitCode: 0,
      stdout: "counted: ann approved ask, which is approved\n",
    });
    const { exitCode, stdout, stderr } = await running.ended;
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { count: 3 }]);
    expect(stderr).toContain("! ask refused the vote of ann: the answer: `count` is missing\n");
  });

  it("BEYOND-2 does so where nobody works", async () => {
    await left("counts.yaml", "uncounted");
    expect(await shop.run(["approve", "uncounted", "ask", "--by", "ann"])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("`ask` asks for an answer, and the vote has none") as string,
    });
    const { steps } = await shop.json<{ steps: readonly object[] }>("show", "uncounted");
    expect(steps[0]).toMatchObject({ name: "ask", status: "suspended" });
    expect(await shop.json("approve", "uncounted", "ask", "--by", "ann", "--answer", "1")).toMatchObject({
      failure: { code: "ANSWER_INVALID", message: "the answer: must be object" },
    });
    await shop.run(["cancel", "uncounted"]);
  });
});

describe("votes where nobody works", () => {
  it("BEYOND-2 are counted all the same, by the user of this system where nobody is named, and once by their id", async () => {
    await left("anybody.yaml", "alone");
    const user = userInfo().username;
    const vote = await shop.run(["approve", "alone", "ask", "--id", "v1"]);
    expect(vote).toMatchObject({ exitCode: 0, stdout: `alone: ${user} approved ask, which is approved\n` });
    expect(await shop.run(["approve", "alone", "ask", "--id", "v1"])).toMatchObject({
      exitCode: 0,
      stdout: "alone: this vote was received before and counts once\n",
    });
  });

  it("BEYOND-2 say that nobody works where something is left to do, and are found by @last and as JSON", async () => {
    await left("asks.yaml", "lonely");
    expect(await shop.run(["approve", "@last", "ask", "--by", "ann"])).toMatchObject({
      stdout: `lonely: ann approved ask: 1 of 2 so far${NOBODY_WORKS}`,
    });
    expect(await shop.json("approve", "lone", "ask", "--by", "eve")).toMatchObject({
      id: "lonely",
      status: "running",
      result: "refused",
      reason: "not-an-approver",
      step: "ask",
      by: "eve",
      verdict: "approve",
    });
    await shop.run(["cancel", "lonely"]);
  });
});

describe("a vote that cannot count", () => {
  it("BEYOND-2 is refused with the reason, and 6; an unknown step and execution with 5; bad words with 2", async () => {
    await left("asks.yaml", "picky");
    const refused = async (...words: readonly string[]): Promise<readonly [number | null, string]> => {
      const { exitCode, stderr } = await shop.run(words);
      return [exitCode, stderr.split("\n")[0]!];
    };
    expect(await refused("approve", "picky", "ask", "--by", "eve")).toEqual([
      6,
      "segno: picky: eve may not vote on ask; the voters are ann, bob",
    ]);
    expect(await refused("approve", "picky", "ship", "--by", "ann")).toEqual([
      6,
      "segno: picky: ship does not wait for approval; it is waiting",
    ]);
    expect(await refused("approve", "picky", "aks", "--by", "ann")).toEqual([
      5,
      expect.stringContaining("STEP_UNKNOWN the execution picky has no step `aks`"),
    ]);
    expect(await refused("approve", "nobody", "ask")).toEqual([5, expect.stringContaining("EXECUTION_UNKNOWN")]);
    expect(await refused("approve", "picky", "ask", "--by", " ")).toEqual([2, "segno: --by must not be empty"]);
    expect(await refused("reject", "picky", "ask", "--by", "ann", "--changes")).toEqual([
      2,
      "segno: --changes needs --comment with the changes to make",
    ]);
    expect(await refused("approve", "picky")).toEqual([2, expect.stringContaining("missing required argument")]);
    await shop.run(["cancel", "picky"]);
    expect(await refused("approve", "picky", "ask", "--by", "ann")).toEqual([
      6,
      "segno: picky has ended: cancelled; there is nothing to approve",
    ]);
  });
});

describe("signals", () => {
  it("LEASE-5 BEYOND-2 reach the process that runs it; early ones are kept, and what does not fit is said", async () => {
    const running = await started("listens.yaml", "heard");
    expect(await shop.run(["signal", "heard", "sent", "--payload", "1"])).toMatchObject({
      exitCode: 0,
      stdout: "heard: signal sent is kept until a step waits for it\n",
    });
    expect(await shop.run(["signal", "heard", "paid", "--payload", '"much"'])).toMatchObject({
      exitCode: 3,
      stdout: "",
      stderr: expect.stringMatching(/^segno: heard: signal paid does not fit paid: /u) as string,
    });
    await writeFile(shop.path("payment.json"), '{ "amount": 7 }');
    expect(await shop.run(["signal", "heard", "paid", "--payload", "@payment.json", "--id", "p1"])).toMatchObject({
      exitCode: 0,
      stdout: "heard: signal paid was consumed by paid\n",
    });
    const { exitCode, stdout } = await running.ended;
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { paid: { amount: 7 }, sent: 1 }]);
  });

  it("BEYOND-2 to what has ended are answered with its state, and 6; bad words with 2", async () => {
    await left("listens.yaml", "deaf");
    expect(await shop.json("signal", "deaf", "sent", "--id", "s1")).toEqual({
      schemaVersion: 1,
      id: "deaf",
      status: "running",
      result: "done",
      signal: "sent",
      signalId: "s1",
    });
    expect(await shop.json("signal", "deaf", "sent", "--id", "s1")).toMatchObject({ result: "already" });
    expect(await shop.run(["signal", "deaf", "a b"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("NAME_INVALID") as string,
    });
    expect(await shop.run(["signal", "deaf", "sent", "--payload", "{"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("expected JSON in --payload") as string,
    });
    await shop.run(["cancel", "deaf"]);
    expect(await shop.run(["signal", "deaf", "sent"])).toMatchObject({
      exitCode: 6,
      stderr: "segno: deaf has ended: cancelled; there is nothing to signal\n",
    });
  });
});
