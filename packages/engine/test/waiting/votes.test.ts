// Votes on approvals: which count, which are ignored and why, and what the journal records (BEYOND-2).

import { describe, expect, it } from "vitest";
import { Engine } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { readEvents } from "../engine/sample-flow.ts";
import { ANYBODY, commits, contract, RELEASE } from "./questions.ts";

describe("an approval", () => {
  it("BEYOND-2 is given when so many have approved, and says who and when", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(RELEASE, { tag: "v1" });
    await test.untilIdle();
    expect(await handle.approve("ask", { by: "ann", id: "a1" })).toEqual({ kind: "accepted" });
    await test.advance("1m");
    expect(await handle.approve("ask", { by: "cleo", id: "c1", comment: "at last" })).toEqual({ kind: "accepted" });
    await test.advance("1s");
    expect(await handle.result()).toEqual({
      approved: true,
      expired: false,
      votes: [
        { by: "ann", verdict: "approve", comment: null },
        { by: "cleo", verdict: "approve", comment: "at last" },
      ],
    });
    const [first, second] = await readEvents(handle, "approval.voted");
    expect([first, second]).toMatchObject([
      { by: "ann", id: "a1" },
      { by: "cleo", id: "c1", comment: "at last" },
    ]);
    expect(second!.at - first!.at).toBe(60_000);
  });

  it("BEYOND-2 closes in the same commit as its step", async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store });
    const handle = await engine.start(RELEASE, { tag: "v1" });
    await handle.approve("ask", { by: "ann" });
    await handle.approve("ask", { by: "bob" });
    await handle.result();
    const deciding = (await commits(store, handle.id)).filter((kinds) => kinds.includes("approval.voted"));
    expect(deciding.map((kinds) => kinds.slice(0, 2))).toEqual([
      ["approval.voted"],
      ["approval.voted", "step.completed"],
    ]);
  });

  it("BEYOND-2 fails with the comment when one rejects it, and asks again in a new round", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(RELEASE, { tag: "v1" });
    await test.untilIdle();
    await handle.approve("ask", { by: "ann" });
    expect(await handle.reject("ask", { by: "bob", comment: "not on a Friday" })).toEqual({ kind: "accepted" });
    await expect(handle.result()).rejects.toMatchObject({
      failure: { code: "APPROVAL_REJECTED", message: "bob rejected it: not on a Friday" },
    });
    await handle.retry();
    for (const by of ["ann", "bob"]) await handle.approve("ask", { by });
    await test.advance("1s");
    expect((await handle.status()).status).toBe("completed");
  });
});

describe("an approval that is not given", () => {
  it("BEYOND-2 asks everybody again when changes are requested", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(RELEASE, { tag: "v1" });
    await test.untilIdle();
    await handle.approve("ask", { by: "ann" });
    await handle.requestChanges("ask", { by: "bob", comment: "the notes are missing" });
    await handle.approve("ask", { by: "bob" });
    expect((await handle.status()).steps[0]!.status).toBe("suspended");
    await handle.approve("ask", { by: "ann" });
    expect((await handle.status()).steps[0]!.status).toBe("succeeded");
  });

  it("BEYOND-2 expires as its author said, and a vote that comes later is ignored", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(RELEASE, { tag: "v1" });
    await test.untilIdle();
    await handle.approve("ask", { by: "ann" });
    await test.advance("2h");
    expect((await handle.status()).failure).toMatchObject({ code: "APPROVAL_EXPIRED" });
    expect(await handle.approve("ask", { by: "bob" })).toEqual({ kind: "ignored", reason: "ended", status: "failed" });
  });
});

describe("a step in a scope", () => {
  const SCOPES = contract(`
name: scopes
steps:
  - id: deploy
    map: { over: input, steps: [{ id: ask, approve: { message: "\${ item }?" } }, { id: go, wait: { for: 1ms }, dependsOn: [ask] }] }
  - id: only
    map: { over: input, steps: [{ id: ask, approve: {} }] }
`);

  it("STATE-9 is voted on by the name that people see", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(SCOPES, ["eu", "us"]);
    await test.untilIdle();
    expect(await handle.approve("deploy/1/ask", { by: "ann" })).toEqual({ kind: "accepted" });
    expect(await handle.approve("only/0", { by: "ann" })).toEqual({ kind: "accepted" });
    const { steps } = await handle.status();
    const done = steps.filter(({ status }) => status === "succeeded").map(({ name }) => name);
    expect(done).toEqual(["deploy/1/ask", "only/0"]);
    for (const name of ["deploy/2/ask", "deploy/ask", "deploy/01/ask", "only/0/ask", "deploy/1", ""])
      expect(await handle.approve(name, { by: "ann" })).toMatchObject({ kind: "ignored", reason: "unknown-step" });
  });

  it("STATE-9 is voted on in a sub-workflow", async () => {
    await using test = await openTestEngine({ workflows: [ANYBODY] });
    const handle = await test.start(contract("name: outer\nsteps: [{ id: inner, workflow: anybody }]\n"));
    await test.untilIdle();
    expect(await handle.approve("inner/ask", { by: "ann" })).toEqual({ kind: "accepted" });
    expect(await handle.approve("inner/other", { by: "ann" })).toMatchObject({ reason: "not-an-approval" });
  });
});

describe("a vote that does not count", () => {
  it("BEYOND-2 is answered with the reason, and leaves nothing in the journal", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(RELEASE, { tag: "v1" });
    await test.untilIdle();
    await handle.approve("ask", { by: "ann", id: "once" });
    const reasons = [
      await handle.approve("ask", { by: "eve" }),
      await handle.approve("ask", { by: "ann", id: "once" }),
      await handle.reject("ask", { by: "bob", id: "once" }),
      await handle.approve("ship", { by: "ann" }),
      await handle.approve("aks", { by: "ann" }),
      await handle.approve("__proto__", { by: "ann" }),
    ].map((reception) => (reception.kind === "ignored" ? reception.reason : reception.kind));
    expect(reasons).toEqual([
      "not-an-approver",
      "duplicate",
      "duplicate",
      "not-an-approval",
      "unknown-step",
      "unknown-step",
    ]);
    expect(await readEvents(handle, "approval.voted")).toHaveLength(1);
  });

  it("BEYOND-2 is ignored before its step waits, and after it was decided on; sent again it is a duplicate", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(
      contract("name: two\nsteps: [{ id: a, approve: {} }, { id: b, approve: {}, dependsOn: [a] }]\n"),
    );
    await test.untilIdle();
    expect(await handle.approve("b", { by: "ann" })).toMatchObject({ reason: "not-waiting", status: "running" });
    await handle.approve("a", { by: "ann", id: "v1" });
    expect(await handle.reject("a", { by: "bob" })).toMatchObject({ reason: "not-waiting" });
    expect(await handle.approve("a", { by: "ann", id: "v1" })).toMatchObject({ reason: "duplicate" });
  });

  it.each([
    ["nobody", { by: "" }],
    ["a blank", { by: " \t" }],
    ["half a character", { by: "\uD800" }],
    ["a name without end", { by: "x".repeat(2000) }],
    ["no id", { by: "ann", id: "" }],
  ])("NAME_INVALID by %s is refused before anything is written", async (_, vote) => {
    await using test = await openTestEngine();
    const handle = await test.start(ANYBODY);
    await test.untilIdle();
    const before = (await handle.status()).seq;
    for (const verdict of ["approve", "reject", "requestChanges"] as const)
      await expect(handle[verdict]("ask", { comment: "why", ...vote })).rejects.toMatchObject({ code: "NAME_INVALID" });
    expect((await handle.status()).seq).toBe(before);
  });

  it("INPUT_INVALID a request for changes that does not say which is refused, and a comment that is no text", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(ANYBODY);
    await expect(handle.requestChanges("ask", { by: "ann", comment: " " })).rejects.toMatchObject({
      code: "INPUT_INVALID",
    });
    await expect(handle.approve("ask", { by: "ann", comment: 7 as never })).rejects.toMatchObject({
      code: "INPUT_INVALID",
    });
  });
});
