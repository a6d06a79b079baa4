// States that belong to the caller: a view folds the published events into them.

import { executionId, fold, FollowedState, toSnapshot, type State } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Engine, type ExecutionHandle } from "../../src/index.ts";
import { contract, useFixture } from "../running/fixture.ts";
import { flow, readHistory, step } from "./sample-flow.ts";

const stage = useFixture();

const INNER = contract("name: inner\nsteps: [{ id: one, wait: { for: 1ms } }]");
const OUTER = contract(`
name: outer
steps:
  - { id: sub, workflow: inner }
  - { id: each, map: { over: "\`[1, 2]\`", steps: [{ id: nap, wait: { for: 1ms } }] } }
  - { id: gate, dependsOn: [sub, each], wait: { signal: go } }
`);

async function untilWaiting(handle: ExecutionHandle): Promise<void> {
  for await (const { kind, step: name } of handle.events()) if (kind === "step.suspended" && name === "gate") break;
}

async function followAll(engine: Engine, handle: ExecutionHandle): Promise<State> {
  let followed: FollowedState | undefined;
  for (const { event } of await readHistory(handle)) {
    if (event.kind === "execution.created")
      followed = new FollowedState(await engine.extensions.states.initial(event.definition));
    followed!.apply(event);
  }
  return followed!.state;
}

describe("a state of the caller", () => {
  it("JOURNAL-2 folds the published events to the engine's own state, here and in a process that only reads", async () => {
    const engine = await stage.current.open({ workflows: [INNER] });
    const handle = await engine.start(OUTER);
    await untilWaiting(handle);
    const own = toSnapshot((await engine.extensions.states.read(executionId(handle.id)))!);
    expect(toSnapshot(await followAll(engine, handle))).toEqual(own);
    const reader = await stage.current.open({ mode: "readOnly" });
    expect(toSnapshot(await followAll(reader, await reader.get(handle.id)))).toEqual(own);
  });

  it("JOURNAL-2 is folded from the journal up to an event, and the engine does not use it", async () => {
    const engine = await stage.current.open({ workflows: [INNER] });
    const handle = await engine.start(OUTER);
    await untilWaiting(handle);
    const id = executionId(handle.id);
    const events = await readHistory(handle);
    const own = toSnapshot((await engine.extensions.states.read(id))!);
    expect(toSnapshot((await engine.extensions.states.fold(id))!)).toEqual(own);
    const early = (await engine.extensions.states.fold(id, 4))!;
    expect(early.seq).toBe(4);
    for (const { event } of events) if (event.seq > 4) fold(early, event);
    expect(toSnapshot(early)).toEqual(own);
    fold(early, { v: 1, seq: early.seq + 1, at: early.at, kind: "execution.paused" });
    expect((await handle.status()).status).toBe("running");
    expect(await engine.extensions.states.fold(executionId("unknown"))).toBeUndefined();
  });

  it("JOURNAL-2 is folded from memory where there is no store", async () => {
    await using engine = await Engine.open({ store: "none", agents: { work: async () => "done" } });
    const handle = await engine.start(flow([step("a")]));
    await handle.result();
    const state = await engine.extensions.states.fold(executionId(handle.id));
    expect(state).toMatchObject({ baseStatus: "completed" });
    expect((await engine.extensions.states.fold(executionId(handle.id), 3))?.baseStatus).toBe("running");
    expect(await engine.extensions.states.fold(executionId("unknown"))).toBeUndefined();
  });
});
