// The relations between steps in `status()`: the tree that people see, and history.

import { describe, expect, it } from "vitest";
import type { ExecutionHandle, StepReport } from "../../src/index.ts";
import { contract, runWorkflow } from "./recording-agents.ts";

async function listSteps(handle: ExecutionHandle): Promise<Readonly<Record<string, StepReport>>> {
  return Object.fromEntries((await handle.status()).steps.map((step) => [step.name, step]));
}

const SAGA = contract(`
name: saga
onFailure: compensate
steps:
  - { id: a, agent: do, compensate: { agent: undo, input: a } }
  - id: each
    dependsOn: [a]
    map: { over: "['x', 'y']", steps: [{ id: i, agent: do, retry: 2 }] }
    compensate: { agent: undo, input: each }
  - { id: z, agent: fail, dependsOn: [each] }
`);

describe("what stands below what", () => {
  it("STATE-9 an item has its map, a step of a called workflow its call, and the call says which workflow", async () => {
    const { test } = await runWorkflow({
      workflows: [contract(`name: inner\nversion: "1"\nsteps: [{ id: say, agent: do, retry: 5 }]`)],
    });
    await using _ = test;
    const handle = await test.start(
      contract(`
name: outer
steps:
  - { id: call, workflow: inner@1 }
  - { id: each, map: { over: "['x']", steps: [{ id: i, agent: do }, { id: j, wait: { signal: go } }] } }
  - { id: later, workflow: inner@1, dependsOn: [each] }
`),
    );
    await test.untilIdle();
    const steps = await listSteps(handle);
    expect(steps["call"]).toMatchObject({ place: 0, workflow: "inner@1" });
    expect(steps["call"]).not.toHaveProperty("attemptsMax");
    expect(steps["call/say"]).toMatchObject({ parent: 0, attemptsMax: 5 });
    expect(steps["each/0/i"]).toMatchObject({ parent: 1, attemptsMax: 3 });
    expect(steps["each/0/j"]).not.toHaveProperty("attemptsMax");
    expect(steps["later"]).toMatchObject({ workflow: "inner@1", status: "waiting" });
    expect(steps["later"]).not.toHaveProperty("parent");
  });

  it("FAIL-8 an undoing has the step that it undoes, and that one is undone", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    recording.refusals.set("each", 1);
    const handle = await test.start(SAGA);
    await test.advance("1h");
    const steps = await listSteps(handle);
    expect(steps["a"]).toMatchObject({ status: "succeeded", undone: true });
    expect(steps["each"]).not.toHaveProperty("undone");
    expect(steps["a/compensate"]).toMatchObject({ undoes: 0, status: "succeeded" });
    expect(steps["each/compensate"]).toMatchObject({ undoes: 1, status: "failed" });
  });
});

describe("what is only history", () => {
  it("STATE-9 a scope that was undone and opened again is there once, with what it opened into last", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(SAGA);
    await test.advance("1h");
    const before = await listSteps(handle);
    await handle.retry();
    await test.advance("1h");
    const after = await handle.status();
    const names = after.steps.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(names).toEqual(["a", "each", "z", "each/0", "each/1", "each/compensate", "a/compensate"]);
    expect(after.steps.find(({ name }) => name === "each/0")!.place).toBeGreaterThan(before["each/0"]!.place);
  });

  it("STATE-2 what an earlier round undid, and what was inside of it, is not there while it is done again", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: again
onFailure: compensate
steps:
  - id: each
    map: { over: "['x']", steps: [{ id: i, agent: do }] }
    compensate: { agent: undo, input: each }
  - { id: gate, agent: gate, dependsOn: [each] }
  - { id: z, agent: fail, dependsOn: [gate] }
`),
    );
    await test.untilIdle();
    recording.pass("gate");
    await test.untilIdle();
    expect((await handle.status()).steps.map(({ name }) => name)).toContain("each/compensate");
    await handle.retry();
    await test.untilIdle();
    const steps = await listSteps(handle);
    expect(steps).not.toHaveProperty(["each/compensate"]);
    expect(steps["each"]).not.toHaveProperty("undone");
  });

  it("FAIL-8 of two undoings of one step in a round, the last one counts", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    recording.refusals.set("a", 1);
    const handle = await test.start(SAGA);
    await test.advance("1h");
    expect((await listSteps(handle))["a/compensate"]).toMatchObject({ status: "failed" });
    await handle.retry({ undo: true });
    await test.advance("1h");
    const steps = (await handle.status()).steps.filter(({ name }) => name === "a/compensate");
    expect(steps).toMatchObject([{ status: "succeeded", undoes: 0 }]);
  });
});
