// Cancelling with `compensate`: which steps are undone, what a drain lets finish first, and the effect of a pause and
// of a second command.

import { describe, expect, it } from "vitest";
import { readEvents } from "../engine/sample-flow.ts";
import { contract, runWorkflow, statuses } from "./recording-agents.ts";

const undo = (id: string): string => `compensate: { agent: undo, input: "\${ steps.${id}.output }", retry: 1 }`;

const BUSY = (agent: string): string => `
name: busy
steps:
  - { id: a, agent: do, input: a, ${undo("a")} }
  - { id: b, agent: ${agent}, input: b, dependsOn: [a], ${undo("b")} }
  - { id: c, agent: do, input: c, dependsOn: [b], ${undo("c")} }
  - { id: clean, agent: do, dependsOn: [{ step: b, on: settled }] }
`;

describe("cancel({ compensate: true })", () => {
  it("FAIL-8 CANCEL-2 undoes what had succeeded, though the workflow says nothing of it, and ends cancelled", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(BUSY("until")));
    await test.untilIdle();
    expect(await handle.cancel({ compensate: true, reason: "no more" })).toEqual({ kind: "accepted" });
    await test.advance("1h");
    expect(recording.said).toEqual(["do a", "until b", "undo a"]);
    expect((await handle.status()).status).toBe("cancelled");
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_CANCELLED" });
  });

  it("CANCEL-2 without it undoes nothing, also where failures would be undone", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(`${BUSY("until")}onFailure: compensate\n`));
    await test.untilIdle();
    await handle.cancel();
    await test.advance("1h");
    expect([(await handle.status()).status, recording.by("undo")]).toEqual(["cancelled", []]);
  });

  it("CANCEL-2 FAIL-8 a step that gives a value within its grace has succeeded, and is undone first", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(BUSY("finishes")));
    await test.untilIdle();
    await handle.cancel({ compensate: true });
    await test.advance("1h");
    expect(recording.by("undo")).toEqual(["b", "a"]);
    expect(await statuses(handle)).toMatchObject({ b: "succeeded", c: "cancelled", clean: "cancelled" });
    expect((await handle.status()).status).toBe("cancelled");
  });

  it("CANCEL-2 a step that comes back after its grace has not succeeded, and is not undone", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(BUSY("gate")));
    await test.untilIdle();
    await handle.cancel({ compensate: true });
    await test.advance("4999ms");
    expect(recording.by("undo")).toEqual([]);
    await test.advance("2ms");
    recording.pass("b");
    await test.advance("1h");
    expect([recording.by("undo"), (await statuses(handle))["b"]]).toEqual([["a"], "cancelled"]);
  });

  it("CANCEL-3 a drain lets what runs end, and undoes it too", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(BUSY("gate")));
    await test.untilIdle();
    await handle.cancel({ compensate: true, mode: "drain" });
    await test.advance("1h");
    expect(recording.by("undo")).toEqual([]);
    recording.pass("b");
    await test.advance("1h");
    expect([recording.by("undo"), (await handle.status()).status]).toEqual([["b", "a"], "cancelled"]);
  });
});

describe("cancel({ compensate: true }), further", () => {
  it("FAIL-8 the end says what could not be undone", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    recording.refusals.set("a", 1);
    const handle = await test.start(contract(BUSY("finishes")));
    await test.untilIdle();
    await handle.cancel({ compensate: true });
    await test.advance("1h");
    expect(await readEvents(handle, "execution.cancelled")).toMatchObject([{ notUndone: [0] }]);
  });

  it("FAIL-8 with nothing to undo it ends at once", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract("name: none\nsteps: [{ id: a, wait: { for: 1h } }]"));
    await test.untilIdle();
    await handle.cancel({ compensate: true });
    await test.untilIdle();
    expect((await handle.status()).status).toBe("cancelled");
  });
});

describe("wishes while something is undone", () => {
  const HELD = contract(`
name: held
onFailure: compensate
steps:
  - { id: a, agent: do, input: a, ${undo("a")} }
  - { id: b, agent: do, input: b, dependsOn: [a], compensate: { agent: gate, input: b } }
  - { id: z, agent: fail, dependsOn: [b] }
`);

  it("STATE-1 FAIL-8 a cancel without compensate that comes while a failure is undone does not leave it half undone", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(HELD);
    await test.untilIdle();
    expect(recording.by("gate")).toEqual(["b/compensate"]);
    expect(await handle.cancel()).toEqual({ kind: "accepted" });
    recording.pass("b/compensate");
    await test.advance("1h");
    expect([recording.by("undo"), (await handle.status()).status]).toEqual([["a"], "cancelled"]);
  });

  it("FAIL-8 a cancel with compensate that comes while a failure is undone goes on undoing, each step once", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(HELD);
    await test.untilIdle();
    await handle.cancel({ compensate: true });
    await test.untilIdle();
    recording.pass("b/compensate");
    await test.advance("1h");
    expect([recording.by("undo"), recording.by("gate")]).toEqual([["a"], ["b/compensate"]]);
    expect((await handle.status()).status).toBe("cancelled");
  });

  it("CANCEL-7 a pause holds back the next undoing, and a resume goes on with it", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(HELD);
    await test.untilIdle();
    expect(await handle.pause()).toEqual({ kind: "accepted" });
    recording.pass("b/compensate");
    await test.advance("1h");
    expect(recording.by("undo")).toEqual([]);
    await test.crash();
    const again = await test.get(handle.id);
    await test.advance("1h");
    expect(recording.by("undo")).toEqual([]);
    await again.resume();
    await test.advance("1h");
    expect([recording.by("undo"), (await again.status()).status]).toEqual([["a"], "failed"]);
  });

  it("CANCEL-6 what was cancelled and undone answers a retry, a cancel and a pause with its state", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(BUSY("until")));
    await test.untilIdle();
    await handle.cancel({ compensate: true });
    await test.advance("1h");
    for (const command of [handle.retry(), handle.cancel({ compensate: true }), handle.pause()])
      expect(await command).toMatchObject({ kind: "ignored", status: "cancelled" });
    expect(recording.by("undo")).toEqual(["a"]);
  });
});
