// Explanations of approvals and signals that wait for people (SCHED-7).

import { describe, expect, it } from "vitest";
import { openTestEngine } from "../../src/testing/index.ts";
import { contract, RELEASE } from "./questions.ts";

describe("why", () => {
  it("SCHED-7 says who is asked, how far it is, until when, and what the question is", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(RELEASE, { tag: "v1" });
    await test.untilIdle();
    const said = async (): Promise<string> => (await test.engine.why(handle.id, "ask"))[0]!.text;
    expect(await said()).toBe(
      `\`ask\` waits for approval by ann, bob or cleo, 0 of 2 so far, expires at ${new Date(test.now + 7_200_000).toISOString()}: ship v1?`,
    );
    await test.advance("90m");
    await handle.approve("ask", { by: "cleo" });
    expect(await said()).toBe(
      "`ask` waits for approval by ann, bob or cleo, 1 of 2 so far (cleo), expires in 30 min: ship v1?",
    );
    await handle.requestChanges("ask", { by: "ann", comment: "name it" });
    expect(await said()).toBe(
      "`ask` waits for approval by ann, bob or cleo, 0 of 2 so far, expires in 30 min: ship v1? (ann requested changes: name it)",
    );
    expect((await test.engine.why(handle.id, "ask"))[0]!.reason).toMatchObject({
      kind: "approval",
      approved: [],
      changes: { by: "ann", comment: "name it" },
      message: "ship v1?",
    });
  });

  it("SCHED-7 says what signal is waited for, and until when", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(contract("name: l\nsteps: [{ id: a, wait: { signal: go, timeout: 30s } }]\n"));
    await test.untilIdle();
    expect((await test.engine.why(handle.id)).map(({ text }) => text)).toEqual([
      "`a` waits for the signal `go`, which must arrive in 30 s",
    ]);
  });

  it("SCHED-7 says so of anybody, and of many", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(
      contract(
        "name: m\nsteps: [{ id: a, approve: {} }, { id: b, approve: { by: [u, v, w, x, y, z, q], quorum: 7 } }]\n",
      ),
    );
    await test.untilIdle();
    for (const by of ["u", "v", "w", "x", "y", "z"]) await handle.approve("b", { by });
    expect((await test.engine.why(handle.id)).map(({ text }) => text)).toEqual([
      "`a` waits for approval by anyone, 0 of 1 so far",
      "`b` waits for approval by u, v, w, x, y or 2 more, 6 of 7 so far (u, v, w, x, y and 1 more)",
    ]);
  });
});

describe("the status", () => {
  it("JOURNAL-2 has what is waited for, and the votes so far, also after a crash", async () => {
    await using test = await openTestEngine();
    const { id } = await test.start(RELEASE, { tag: "v1" });
    await test.untilIdle();
    await (await test.get(id)).approve("ask", { by: "ann", id: "a1", comment: "fine" });
    await test.crash();
    expect((await (await test.get(id)).status()).steps[0]).toMatchObject({
      name: "ask",
      status: "suspended",
      detail: {
        kind: "wait",
        wait: { kind: "approval", by: ["ann", "bob", "cleo"], quorum: 2, message: "ship v1?" },
        votes: [{ id: "a1", by: "ann", verdict: "approve", comment: "fine" }],
      },
    });
  });
});
