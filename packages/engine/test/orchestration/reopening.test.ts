// One long scenario on a file: the engine is closed and reopened after every action, and nothing is lost or done twice
// (JOURNAL-3, CANCEL-7).

import { afterEach, describe, expect, it } from "vitest";
import { Engine, type ExecutionHandle } from "../../src/index.ts";
import { readHistory } from "../engine/sample-flow.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { contract, statuses, RecordingAgents } from "./recording-agents.ts";

const scratch = scratchFolder();
const open: Engine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

const KID = contract(`
name: kid
steps:
  - { id: ask, approve: { by: [ann, bob], quorum: 2 } }
  - { id: k, agent: do, input: "\${ input }", dependsOn: [ask], compensate: { agent: undo, input: "\${ steps.k.output }" } }
output: \${ steps.k.output }
`);

const STORY = contract(`
name: story
onFailure: compensate
steps:
  - { id: m, map: { over: input, concurrency: 1, steps: [{ id: s, wait: { signal: go } }, { id: w, agent: do, dependsOn: [s], input: "\${ item } \${ steps.s.output }", compensate: { agent: undo, input: "\${ steps.w.output }" } }] } }
  - { id: c, workflow: kid, input: kid, dependsOn: [m] }
  - { id: e, agent: open, dependsOn: [c], input: [{ id: x, wait: { signal: end } }] }
  - { id: z, agent: fail, dependsOn: [e], when: "steps.e.output.x == 'badly'" }
output: { m: "\${ steps.m.output }", c: "\${ steps.c.output }" }
`);

/** A file and recording agents; `next` closes the engine and opens another one. */
async function fixture(): Promise<{ recording: RecordingAgents; next: (id?: string) => Promise<ExecutionHandle> }> {
  const file = scratch.file();
  const recording = new RecordingAgents();
  const next = async (id?: string): Promise<ExecutionHandle> => {
    for (const engine of open.splice(0)) await engine.close();
    const engine = await Engine.open({
      file,
      durability: "relaxed",
      workflows: [KID, STORY],
      agents: recording.agents,
    });
    open.push(engine);
    return id === undefined ? engine.start("story", ["a", "b"]) : engine.get(id);
  };
  return { recording, next };
}

/** Resolves when the step waits. */
async function waits(handle: ExecutionHandle, step: string): Promise<void> {
  while ((await statuses(handle))[step] !== "suspended") await new Promise((resolve) => setImmediate(resolve));
}

/** Runs the scenario up to its last signal. */
async function driveToEnd(next: (id?: string) => Promise<ExecutionHandle>): Promise<ExecutionHandle> {
  let handle = await next();
  const { id } = handle;
  await waits(handle, "m/0/s");
  await (handle = await next(id)).signal("go", 1, { id: "one" });
  await waits(handle, "m/1/s");
  await (handle = await next(id)).pause();
  expect(await (handle = await next(id)).signal("go", 9, { id: "one" })).toMatchObject({ reason: "duplicate" });
  await handle.signal("go", 2, { id: "two" });
  await (handle = await next(id)).resume();
  await waits(handle, "c/ask");
  await (handle = await next(id)).approve("c/ask", { by: "ann" });
  await (handle = await next(id)).approve("c/ask", { by: "bob" });
  await waits(handle, "e/x");
  return next(id);
}

describe("a scenario with a restart after every command", () => {
  it("JOURNAL-3 BEYOND-1 BEYOND-2 ends well, and everything was done once", async () => {
    const { recording, next } = await fixture();
    const handle = await driveToEnd(next);
    await handle.signal("end", "well");
    expect(await handle.result()).toEqual({ m: ["a 1", "b 2"], c: "kid" });
    expect(recording.said).toEqual(["do m/0/w", "do m/1/w", "do c/k", "open e"]);
    const again = await next(handle.id);
    expect(await again.result()).toEqual({ m: ["a 1", "b 2"], c: "kid" });
    expect((await readHistory(again)).filter(({ kind }) => kind === "step.lost")).toEqual([]);
  });

  it("JOURNAL-3 FAIL-8 ends badly, and everything was undone once, newest first", async () => {
    const { recording, next } = await fixture();
    const handle = await driveToEnd(next);
    await handle.signal("end", "badly");
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED" });
    expect(recording.by("undo")).toEqual(["kid", "b 2", "a 1"]);
  });

  it("FAIL-8 CANCEL-2 is cancelled, and everything was undone once", async () => {
    const { recording, next } = await fixture();
    const handle = await driveToEnd(next);
    await handle.cancel({ compensate: true });
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_CANCELLED" });
    expect(recording.by("undo")).toEqual(["kid", "b 2", "a 1"]);
    expect(await (await next(handle.id)).signal("end")).toEqual({
      kind: "ignored",
      reason: "ended",
      status: "cancelled",
    });
  });
});
