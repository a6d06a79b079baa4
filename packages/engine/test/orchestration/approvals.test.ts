// Approvals: who may vote, which votes count, when they are decided, and what the journal records (BEYOND-2).

import { describe, expect, it } from "vitest";
import { Engine } from "../../src/index.ts";
import { readEvents, readHistory } from "../engine/sample-flow.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { contract, stepDetail, stepFailure, runWorkflow, statuses } from "./recording-agents.ts";

const scratch = scratchFolder();

const ask = (how: string): ReturnType<typeof contract> =>
  contract(`name: ask\nsteps: [{ id: ask, approve: ${how} }]\noutput: \${ steps.ask.output }`);

const TWO = ask("{ by: [ann, bob, cleo], quorum: 2, expires: 1h }");

describe("a vote", () => {
  it("BEYOND-2 of the same person twice counts once, and the quorum is of people", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(TWO);
    await test.untilIdle();
    await handle.approve("ask", { by: "ann" });
    await handle.approve("ask", { by: "ann", id: "again" });
    expect(await statuses(handle)).toEqual({ ask: "suspended" });
    await handle.approve("ask", { by: "bob" });
    expect(((await handle.result()) as { votes: readonly unknown[] }).votes).toHaveLength(2);
  });

  it("BEYOND-2 without a list anybody may vote, and still one person is one", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(ask("{ quorum: 2 }"));
    await test.untilIdle();
    await handle.approve("ask", { by: "x" });
    await handle.approve("ask", { by: "x" });
    expect(await statuses(handle)).toEqual({ ask: "suspended" });
    await handle.approve("ask", { by: "y" });
    await handle.result();
  });

  it("BEYOND-2 of somebody who is not asked counts for nothing, not even as a rejection", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(TWO);
    await test.untilIdle();
    const eve = { by: "eve", comment: "me too" };
    for (const vote of [handle.approve("ask", eve), handle.reject("ask", eve), handle.requestChanges("ask", eve)])
      expect(await vote).toMatchObject({ kind: "ignored", reason: "not-an-approver" });
    for (const by of ["Ann", "ann ", "constructor", "__proto__"])
      expect(await handle.approve("ask", { by })).toMatchObject({ reason: "not-an-approver" });
    expect(await readEvents(handle, "approval.voted")).toEqual([]);
  });

  it("BEYOND-2 says who, when and why in the journal, and survives a crash", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const { id } = await test.start(TWO);
    await test.advance("5m");
    await (await test.get(id)).approve("ask", { by: "ann", comment: "fine", id: "v1" });
    await test.crash();
    const handle = await test.get(id);
    expect(await handle.approve("ask", { by: "ann", id: "v1" })).toMatchObject({ reason: "duplicate" });
    await test.advance("5m");
    await handle.approve("ask", { by: "cleo", id: "v2" });
    await handle.result();
    const [start] = await readHistory(handle);
    const votes = (await readEvents(handle, "approval.voted")).map(({ at, by, verdict, comment }) => [
      at - start!.at,
      by,
      verdict,
      comment,
    ]);
    expect(votes).toEqual([
      [300_000, "ann", "approve", "fine"],
      [600_000, "cleo", "approve", undefined],
    ]);
  });
});

describe("a vote, further", () => {
  it("BEYOND-2 on what is no approval, does not exist, does not wait yet or was decided is ignored with the reason", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: kinds
steps:
  - { id: nap, wait: { for: 1m } }
  - { id: early, approve: {}, dependsOn: [nap] }
  - { id: now, approve: {} }
  - { id: end, wait: { signal: end }, dependsOn: [early, now] }
`),
    );
    await test.untilIdle();
    expect(await handle.approve("nap", { by: "a" })).toMatchObject({ reason: "not-an-approval" });
    expect(await handle.approve("nobody", { by: "a" })).toMatchObject({ reason: "unknown-step" });
    expect(await handle.approve("early", { by: "a" })).toMatchObject({ reason: "not-waiting" });
    expect(await handle.approve("now", { by: "a" })).toEqual({ kind: "accepted" });
    expect(await handle.reject("now", { by: "b" })).toMatchObject({ reason: "not-waiting" });
    expect(await statuses(handle)).toMatchObject({ now: "succeeded", early: "waiting" });
    await test.advance("2m");
    await handle.approve("early", { by: "a" });
    await handle.signal("end");
    await handle.result();
    expect(await handle.approve("early", { by: "b" })).toEqual({
      kind: "ignored",
      reason: "ended",
      status: "completed",
    });
  });
});

describe("an approval that is not simply given", () => {
  it("BEYOND-2 asks everybody again after a request for changes, also who had made it", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(TWO);
    await test.untilIdle();
    await handle.approve("ask", { by: "ann" });
    await test.advance("30m");
    await handle.requestChanges("ask", { by: "bob", comment: "more tests" });
    await handle.approve("ask", { by: "cleo" });
    expect(await statuses(handle)).toEqual({ ask: "suspended" });
    await handle.approve("ask", { by: "bob" });
    expect(await handle.result()).toMatchObject({ approved: true, expired: false });
    const verdicts = (await readEvents(handle, "approval.voted")).map(({ by, verdict }) => `${by} ${verdict}`);
    expect(verdicts).toEqual(["ann approve", "bob changes", "cleo approve", "bob approve"]);
  });

  it("BEYOND-2 a request for changes without a comment is refused before anything is sent", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(TWO);
    await test.untilIdle();
    for (const comment of [undefined, "", 7])
      await expect(handle.requestChanges("ask", { by: "ann", comment } as never)).rejects.toMatchObject({
        code: "INPUT_INVALID",
      });
    expect(await readEvents(handle, "approval.voted")).toEqual([]);
  });

  it("APPROVAL_REJECTED one rejection decides, whoever had approved before, and nothing after it counts", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(TWO);
    await test.untilIdle();
    await handle.approve("ask", { by: "ann" });
    await handle.reject("ask", { by: "ann", comment: "I was wrong" });
    expect(await stepFailure(handle)).toMatchObject({
      code: "APPROVAL_REJECTED",
      class: "permanent",
      message: /I was wrong/u,
    });
    expect(await handle.approve("ask", { by: "bob" })).toMatchObject({ kind: "ignored", status: "failed" });
  });

  it("APPROVAL_EXPIRED is over at exactly its time, both ways", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const no = await test.start(TWO);
    const yes = await test.start(ask("{ by: [ann, bob], quorum: 2, expires: 1h, onExpire: approve }"));
    await test.untilIdle();
    await yes.approve("ask", { by: "ann" });
    await test.advance(3_599_999);
    expect([await statuses(no), await statuses(yes)]).toEqual([{ ask: "suspended" }, { ask: "suspended" }]);
    await test.advance(1);
    expect(await stepFailure(no)).toMatchObject({ code: "APPROVAL_EXPIRED" });
    expect(await yes.result()).toMatchObject({ approved: true, expired: true, votes: [{ by: "ann" }] });
  });
});

describe("an approval that is not simply given, further", () => {
  it("APPROVAL_REJECTED a rejection beats silence that would mean yes", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(ask("{ by: [ann, bob], quorum: 2, expires: 1h, onExpire: approve }"));
    await test.untilIdle();
    await handle.reject("ask", { by: "bob" });
    await test.advance("2h");
    expect(await stepFailure(handle)).toMatchObject({ code: "APPROVAL_REJECTED" });
  });

  it("BEYOND-2 in a new round its time begins anew", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(TWO);
    await test.advance("2h");
    await handle.retry();
    await test.advance("30m");
    expect(await statuses(handle)).toEqual({ ask: "suspended" });
    for (const by of ["ann", "bob"]) await handle.approve("ask", { by });
    await handle.result();
  });
});

describe("an approval in a hold and in scopes", () => {
  it("CANCEL-7 takes votes while the execution is paused, and nothing starts before the resume", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`name: w\nsteps: [{ id: ask, approve: {} }, { id: b, agent: do, dependsOn: [ask] }]`),
    );
    await test.untilIdle();
    await handle.pause();
    expect(await handle.approve("ask", { by: "ann" })).toEqual({ kind: "accepted" });
    await test.advance("1h");
    expect([await statuses(handle), recording.said]).toMatchObject([{ ask: "succeeded" }, []]);
    await handle.resume();
    await handle.result();
  });

  it("BEYOND-2 is voted on by its name in a map of maps, a sub-workflow and steps made at run time", async () => {
    const { test } = await runWorkflow({
      workflows: [
        contract(`name: kid\nsteps: [{ id: k, approve: { by: [ann] } }]\noutput: \${ steps.k.output.approved }`),
      ],
    });
    await using _ = test;
    const handle = await test.start(
      contract(`
name: scopes
steps:
  - { id: m, map: { over: input, steps: [{ id: row, map: { over: item, steps: [{ id: q, approve: { message: "\${ item }?" } }, { id: r, agent: do, dependsOn: [q], input: "\${ steps.q.output.approved }" }] } }] } }
  - { id: c, workflow: kid }
  - { id: e, agent: open, input: [{ id: x, approve: {} }] }
output: { m: "\${ steps.m.output }", c: "\${ steps.c.output }" }
`),
      [["a", "b"], ["c"]],
    );
    await test.untilIdle();
    const waiting = Object.entries(await statuses(handle)).flatMap(([name, status]) =>
      status === "suspended" ? [name] : [],
    );
    expect(waiting.toSorted()).toEqual(["c/k", "e/x", "m/0/0/q", "m/0/1/q", "m/1/0/q"]);
    expect(await handle.approve("c/k", { by: "bob" })).toMatchObject({ reason: "not-an-approver" });
    for (const name of waiting) expect(await handle.approve(name, { by: "ann" })).toEqual({ kind: "accepted" });
    expect(await handle.result()).toEqual({ m: [[true, true], [true]], c: true });
  });

  it("CANCEL-4 is cancelled with its execution, and a vote after that is ignored", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(TWO);
    await test.untilIdle();
    await handle.cancel({ reason: "off" });
    await test.untilIdle();
    expect(await stepDetail(handle, "ask")).toMatchObject({ reason: "off" });
    expect(await handle.approve("ask", { by: "ann" })).toEqual({
      kind: "ignored",
      reason: "ended",
      status: "cancelled",
    });
  });
});

describe("an approval in a hold and in scopes, further", () => {
  it("LEASE-5 two engines on one file vote, and each vote counts once", async () => {
    const file = scratch.file();
    await using owner = await Engine.open({ file, durability: "relaxed", pollMs: 5 });
    await using other = await Engine.open({ file, durability: "relaxed", pollMs: 5 });
    const handle = await owner.start(TWO);
    const same = await other.get(handle.id);
    expect(await same.approve("ask", { by: "ann", id: "one" })).toEqual({ kind: "posted" });
    while ((await readEvents(handle, "approval.voted")).length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    expect(await handle.approve("ask", { by: "ann", id: "one" })).toMatchObject({ reason: "duplicate" });
    await Promise.all([
      handle.approve("ask", { by: "bob", id: "two" }),
      same.approve("ask", { by: "cleo", id: "three" }),
    ]);
    expect(await same.result()).toMatchObject({ approved: true });
    expect(await handle.result()).toMatchObject({
      votes: [{ by: "ann" }, { by: expect.stringMatching(/bob|cleo/u) as string }],
    });
  });
});
