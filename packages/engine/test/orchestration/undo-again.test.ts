// Failed compensations: they are reported, and can be retried by themselves (FAIL-8).

import { describe, expect, it } from "vitest";
import { loadContract } from "@segno/contract";
import { Engine, ExecutionError, notUndoneText, skip, type ExecutionHandle, type WatchEvent } from "../../src/index.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { runWorkflow, statuses, RecordingAgents } from "./recording-agents.ts";

const scratch = scratchFolder();

const trip = (onFailure: string, last: string): ReturnType<typeof loadContract> =>
  loadContract(`
name: trip
onFailure: ${onFailure}
steps:
  - { id: a, agent: do, input: a, compensate: { agent: undo, input: "\${ steps.a.output }" } }
  - { id: b, agent: do, input: b, dependsOn: [a], compensate: { agent: undo, input: "\${ steps.b.output }" } }
  - { id: c, agent: do, input: c, dependsOn: [b], compensate: { agent: undo, input: "\${ steps.c.output }" } }
  - { id: z, agent: ${last}, dependsOn: [c] }
`);

const TRIP = trip("compensate", "fail");

/** A failed trip whose given compensations fail the given number of times. */
async function stranded(
  refusals: Readonly<Record<string, number>>,
): Promise<Awaited<ReturnType<typeof runWorkflow>> & { readonly handle: ExecutionHandle<unknown> }> {
  const performing = await runWorkflow();
  const { test, recording } = performing;
  for (const [step, times] of Object.entries(refusals)) recording.refusals.set(step, times);
  const handle = await test.start(TRIP);
  await test.advance("1h");
  recording.said.length = 0;
  return { ...performing, handle };
}

const stays = (step: string): object => ({ step, failure: { class: "permanent", message: `${step} stays` } });

async function catchError(handle: ExecutionHandle<unknown>): Promise<ExecutionError> {
  const error: unknown = await handle.result().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ExecutionError);
  return error as ExecutionError;
}

async function readEnds(handle: ExecutionHandle<unknown>): Promise<readonly WatchEvent[]> {
  const ends: WatchEvent[] = [];
  for await (const event of handle.events())
    if (event.kind === "execution.failed" || event.kind === "execution.cancelled") ends.push(event);
  return ends;
}

describe("what could not be undone", () => {
  it("FAIL-8 is told by the status, by the error and by the last event, newest first and with the reason", async () => {
    const { test, handle } = await stranded({ a: 1, c: 1 });
    await using _ = test;
    expect((await handle.status()).notUndone).toMatchObject([stays("c"), stays("a")]);
    const error = await catchError(handle);
    expect(error.notUndone).toMatchObject([stays("c"), stays("a")]);
    expect(error.message).toBe(
      `the execution ${handle.id} failed in \`z\`: it fails; 2 of 3 could not be undone: \`c\` (c stays), \`a\` (a stays)`,
    );
    expect(await readEnds(handle)).toMatchObject([{ kind: "execution.failed", notUndone: ["c", "a"] }]);
  });

  it("FAIL-8 is nothing where everything was undone, or nothing was to be", async () => {
    const { test, handle } = await stranded({});
    await using _ = test;
    const plain = await test.start(trip("abort", "fail"));
    await test.advance("1h");
    for (const each of [handle, plain]) {
      expect(await each.status()).not.toHaveProperty("notUndone");
      expect(await catchError(each)).toMatchObject({
        notUndone: [],
        message: `the execution ${each.id} failed in \`z\`: it fails`,
      });
      expect((await readEnds(each))[0]).not.toHaveProperty("notUndone");
      expect(await each.retry({ undo: true })).toMatchObject({ kind: "ignored", reason: "nothing-to-undo" });
    }
  });

  it("FAIL-8 is not what an undoing says that there is nothing to undo of", async () => {
    const { test } = await runWorkflow({ agents: { shrug: () => skip("it is gone already") } });
    await using _ = test;
    const handle = await test.start(
      loadContract(`
name: shrugs
onFailure: compensate
steps:
  - { id: a, agent: do, compensate: { agent: shrug } }
  - { id: z, agent: fail, dependsOn: [a] }
`),
    );
    await test.advance("1h");
    expect(await handle.status()).not.toHaveProperty("notUndone");
    expect(await handle.retry({ undo: true })).toMatchObject({ kind: "ignored", reason: "nothing-to-undo" });
  });

  it("FAIL-8 is named up to five times in a message, and counted beyond", () => {
    const failure = { class: "permanent", code: "E", message: "no" } as const;
    const left = Array.from({ length: 7 }, (_, place) => ({ step: `m/${place}`, failure }));
    expect(notUndoneText(left, 9)).toMatch(/^7 of 9 could not be undone: `m\/0` \(no\), .*`m\/4` \(no\), and 2 more$/u);
  });
});

describe("undoing that is tried again", () => {
  it("FAIL-8 undoes what was left and nothing else, and fails as it had failed", async () => {
    const { test, recording, handle } = await stranded({ a: 1, c: 1 });
    await using _ = test;
    expect(await handle.retry({ undo: true })).toEqual({ kind: "accepted" });
    await test.advance("1h");
    expect(recording.said).toEqual(["undo c", "undo a"]);
    const report = await handle.status();
    expect(report).toMatchObject({ status: "failed", round: 1, failure: { message: "it fails" } });
    expect(report).not.toHaveProperty("notUndone");
    expect((await catchError(handle)).message).toBe(`the execution ${handle.id} failed in \`z\`: it fails`);
    expect((await readEnds(handle)).map(({ notUndone }) => notUndone)).toEqual([["c", "a"], undefined]);
    expect(await handle.retry({ undo: true })).toMatchObject({ kind: "ignored", reason: "nothing-to-undo" });
  });

  it("FAIL-8 reports again what still cannot be undone, and can be asked for as often as one likes", async () => {
    const { test, recording, handle } = await stranded({ a: 1, b: 3 });
    await using _ = test;
    const left: unknown[] = [];
    for (let time = 0; time < 3; time++) {
      await handle.retry({ undo: true });
      await test.advance("1h");
      left.push((await handle.status()).notUndone?.map(({ step }) => step));
    }
    expect(left).toEqual([["b"], ["b"], undefined]);
    expect(recording.said).toEqual(["undo b", "undo a", "undo b", "undo b"]);
  });

  it("IDEM-4 FAIL-8 has the token of the undoing that failed", async () => {
    const { test, recording, handle } = await stranded({ b: 1 });
    await using _ = test;
    await handle.retry({ undo: true });
    await test.advance("1h");
    const [first, second, ...others] = recording.tokens.filter(([said]) => said === "undo b");
    expect([first![1] === second![1], others]).toEqual([true, []]);
    const tokens = recording.tokens.map(([, token]) => token);
    expect(new Set(tokens).size).toBe(tokens.length - 1);
  });

  it("FAIL-8 STATE-2 goes on for a cancelled execution, which reopens in no other way and is cancelled again", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    recording.refusals.set("b", 1);
    const handle = await test.start(trip("abort", "until"));
    await test.untilIdle();
    await handle.cancel({ compensate: true, reason: "enough" });
    await test.advance("1h");
    expect((await catchError(handle)).message).toBe(
      `the execution ${handle.id} was cancelled: enough; 1 of 3 could not be undone: \`b\` (b stays)`,
    );
    expect(await handle.retry()).toMatchObject({ kind: "ignored", reason: "ended" });
    recording.said.length = 0;
    expect(await handle.retry({ undo: true })).toEqual({ kind: "accepted" });
    await test.advance("1h");
    expect(recording.said).toEqual(["undo b"]);
    expect(await statuses(handle)).toMatchObject({ z: "cancelled", a: "succeeded", b: "succeeded" });
    expect((await readEnds(handle)).map(({ kind, event }) => [kind, "reason" in event && event.reason])).toEqual([
      ["execution.cancelled", "enough"],
      ["execution.cancelled", "enough"],
    ]);
  });

  it("FAIL-8 is refused while the execution goes on", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(trip("compensate", "until"));
    await test.untilIdle();
    expect(await handle.retry({ undo: true })).toEqual({ kind: "ignored", reason: "not-ended", status: "running" });
  });
});

describe("a round after undoing that was tried again", () => {
  it("FAIL-8 STATE-2 does again all that is undone by now, and keeps what is not", async () => {
    const { test, recording, handle } = await stranded({ a: 2, c: 1 });
    await using _ = test;
    await handle.retry({ undo: true });
    await test.advance("1h");
    expect(recording.said).toEqual(["undo c", "undo a"]);
    recording.said.length = 0;
    await handle.retry();
    await test.advance("1h");
    expect(recording.said).toEqual(["do b", "do c", "fail z", "undo c", "undo b", "undo a"]);
    expect(await handle.status()).toMatchObject({ status: "failed", round: 2 });
    expect(await handle.status()).not.toHaveProperty("notUndone");
  });
});

describe("a process that ends while undoing is tried again", () => {
  const HELD = loadContract(`
name: held
onFailure: compensate
steps:
  - { id: a, agent: do, input: a, compensate: { agent: undo, input: a } }
  - { id: b, agent: do, input: b, dependsOn: [a], compensate: { agent: stubborn, input: b } }
  - { id: z, agent: fail, dependsOn: [b] }
`);

  it("JOURNAL-3 FAIL-8 does not take it along: the next one goes on with it, with the same token", async () => {
    const recording = new RecordingAgents();
    let calls = 0;
    const stubborn: (typeof recording.agents)[string] = (input, context) => {
      if (calls++ > 0) return recording.agents["gate"]!(input, context);
      throw new TypeError("not yet");
    };
    const options = { file: scratch.file(), agents: { ...recording.agents, stubborn }, durability: "relaxed" } as const;
    const first = await Engine.open(options);
    const { id } = await first.start(HELD);
    await expect((await first.get(id)).result()).rejects.toMatchObject({ notUndone: [{ step: "b" }] });
    await (await first.get(id)).retry({ undo: true });
    while (recording.by("gate").length === 0) await new Promise((resolve) => setImmediate(resolve));
    await first.close();
    await using second = await Engine.open(options);
    while (recording.by("gate").length === 1) await new Promise((resolve) => setImmediate(resolve));
    recording.pass("b/compensate");
    const handle = await second.get(id);
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED", notUndone: [] });
    const [one, two] = recording.tokens.filter(([said]) => said === "gate b/compensate");
    expect(one).toEqual(two);
    expect(recording.by("undo")).toEqual(["a"]);
  });

  it("LEASE-5 FAIL-8 a wish that another process posts is taken by the one that owns the journal", async () => {
    const recording = new RecordingAgents();
    recording.refusals.set("a", 1);
    const options = { file: scratch.file(), durability: "relaxed" } as const;
    await using owner = await Engine.open({ ...options, agents: { ...recording.agents, stubborn: () => null } });
    const { id } = await owner.start(HELD);
    await expect((await owner.get(id)).result()).rejects.toMatchObject({ notUndone: [{ step: "a" }] });
    await using other = await Engine.open({ ...options, agents: {} });
    expect(await (await other.get(id)).retry({ undo: true })).toEqual({ kind: "posted" });
    while (recording.by("undo").length === 1) await new Promise((resolve) => setImmediate(resolve));
    await expect((await owner.get(id)).result()).rejects.toMatchObject({ notUndone: [] });
  });
});
