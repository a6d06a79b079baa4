// The limits of compensation: what it covers, its result, and what stops it.

import { describe, expect, it } from "vitest";
import { skip } from "../../src/index.ts";
import { readEvents } from "../engine/sample-flow.ts";
import { contract, runWorkflow } from "./recording-agents.ts";

const SAGA = contract(`
name: saga
onFailure: compensate
steps:
  - { id: k, agent: do, input: k, compensate: { agent: undo, input: k } }
  - { id: z, agent: fail, dependsOn: [k] }
`);

describe("a workflow that would undo itself, and is called", () => {
  it("STATE-7 FAIL-8 leaves undoing to the execution: its caller went on, so nothing is undone", async () => {
    const { test, recording } = await runWorkflow({ workflows: [SAGA] });
    await using _ = test;
    await (await test.start(contract(`name: p\nsteps: [{ id: call, workflow: saga, onError: continue }]`))).result();
    expect(recording.said).toEqual(["do call/k", "fail call/z"]);
  });

  it("STATE-7 FAIL-8 is undone with the execution where that says so", async () => {
    const { test, recording } = await runWorkflow({ workflows: [SAGA] });
    await using _ = test;
    const caller = contract(`name: p\nonFailure: compensate\nsteps: [{ id: call, workflow: saga }]`);
    await (await test.start(caller)).result().catch(() => undefined);
    expect(recording.said).toEqual(["do call/k", "fail call/z", "undo k"]);
  });
});

describe("an undoing that never ends", () => {
  it("CANCEL-2 CANCEL-6 goes on after a second cancel; one without grace ends it, and says that it was not undone", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: endless
onFailure: compensate
steps:
  - { id: a, agent: do, compensate: { agent: until } }
  - { id: z, agent: fail, dependsOn: [a] }
`),
    );
    await test.untilIdle();
    await handle.cancel();
    await test.advance("1m");
    expect(await handle.cancel()).toMatchObject({ kind: "ignored" });
    await handle.cancel({ graceMs: 0 });
    await test.untilIdle();
    expect((await handle.status()).status).toBe("cancelled");
    expect(await readEvents(handle, "execution.cancelled")).toMatchObject([{ notUndone: [0] }]);
  });
});

describe("what undoing comes to", () => {
  const saga = (compensate: string): ReturnType<typeof contract> =>
    contract(`
name: saga
onFailure: compensate
steps:
  - { id: a, agent: do, compensate: ${compensate} }
  - { id: z, agent: fail, dependsOn: [a] }
`);

  it("FAIL-8 an undoing that says that there is nothing to do has undone it", async () => {
    const { test } = await runWorkflow({ agents: { nothing: () => skip("it is gone already") } });
    await using _ = test;
    const handle = await test.start(saga("{ agent: nothing }"));
    await test.advance("1h");
    expect((await readEvents(handle, "execution.failed"))[0]).not.toHaveProperty("notUndone");
  });

  it("STATE-9 names are unique, also after a new round that undid again", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(saga("{ agent: undo, input: a }"));
    await test.advance("1h");
    await handle.retry();
    await test.advance("1h");
    const names = (await handle.status()).steps.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});
