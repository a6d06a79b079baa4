// Signals and timed waits: which signals are kept, counted or refused, and when waits end (BEYOND-2).

import { describe, expect, it } from "vitest";
import { readEvents, readHistory } from "../engine/sample-flow.ts";
import { contract, stepDetail, stepFailure, runWorkflow, statuses } from "./recording-agents.ts";

const LATER = contract(`
name: later
steps:
  - { id: nap, wait: { for: 1h } }
  - { id: one, wait: { signal: go, schema: { type: number } }, dependsOn: [nap] }
  - { id: two, wait: { signal: go }, dependsOn: [one] }
output: ["\${ steps.one.output }", "\${ steps.two.output }"]
`);

describe("a signal that comes early", () => {
  it("BEYOND-2 is kept, several of a name in the order in which they came, over a crash", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const { id } = await test.start(LATER);
    await test.untilIdle();
    await (await test.get(id)).signal("go", 1);
    await (await test.get(id)).signal("go", 2);
    await test.crash();
    await test.advance("2h");
    expect(await (await test.get(id)).result()).toEqual([1, 2]);
  });

  it("BEYOND-2 that does not fit is refused by the step that would take it, which takes the next one; it is still there for another step", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(LATER);
    await test.untilIdle();
    await handle.signal("go", "no number", { id: "bad" });
    await handle.signal("go", 7, { id: "good" });
    await test.advance("2h");
    // The other step accepts any payload.
    expect(await handle.result()).toEqual([7, "no number"]);
    expect(await readEvents(handle, "signal.refused")).toMatchObject([
      { id: "bad", failure: { code: "SIGNAL_INVALID" } },
    ]);
  });

  it("BEYOND-2 counts once by its id, also with another payload, after a crash, and after it was taken", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const { id } = await test.start(LATER);
    await test.untilIdle();
    expect(await (await test.get(id)).signal("go", 1, { id: "x" })).toEqual({ kind: "accepted" });
    await test.crash();
    expect(await (await test.get(id)).signal("go", 99, { id: "x" })).toMatchObject({ reason: "duplicate" });
    await test.advance("90m");
    const handle = await test.get(id);
    expect(await statuses(handle)).toEqual({ nap: "succeeded", one: "succeeded", two: "suspended" });
    expect(await handle.signal("go", 99, { id: "x" })).toMatchObject({ kind: "ignored", reason: "duplicate" });
    await handle.signal("go", 2, { id: "y" });
    expect(await handle.result()).toEqual([1, 2]);
  });
});

describe("a signal that is waited for", () => {
  it("BEYOND-2 goes to the step that has waited longest, and to one only", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: queue
steps:
  - { id: nap, wait: { for: 1m } }
  - { id: late, wait: { signal: go }, dependsOn: [nap] }
  - { id: early, wait: { signal: go } }
`),
    );
    await test.advance("2m");
    await handle.signal("go", 1);
    expect(await statuses(handle)).toMatchObject({ early: "succeeded", late: "suspended" });
    await handle.signal("go", 2);
    await handle.result();
  });

  it("BEYOND-2 that does not fit one step goes to another that it fits", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: typed
steps:
  - { id: number, wait: { signal: go, schema: { type: number } } }
  - { id: text, wait: { signal: go, schema: { type: string } } }
output: ["\${ steps.number.output }", "\${ steps.text.output }"]
`),
    );
    await test.untilIdle();
    await handle.signal("go", "word");
    await handle.signal("go", 5);
    expect(await handle.result()).toEqual([5, "word"]);
  });

  it("BEYOND-2 is seen by its step in the commit that takes it", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(`name: w\nsteps: [{ id: a, wait: { signal: go } }]`));
    await test.untilIdle();
    await handle.signal("go");
    const kinds = (await readHistory(handle)).map(({ kind }) => kind);
    expect(kinds.slice(-3)).toEqual(["signal.received", "step.completed", "execution.completed"]);
  });

  it("SIGNAL_TIMEOUT fails its step at exactly its time, and one millisecond before it is still in time", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const yaml = `name: w\nsteps: [{ id: a, wait: { signal: go, timeout: 1m } }]`;
    const inTime = await test.start(contract(yaml));
    const late = await test.start(contract(yaml));
    await test.advance("59999ms");
    await inTime.signal("go");
    expect((await inTime.status()).status).toBe("completed");
    await test.advance("1ms");
    expect(await stepFailure(late)).toMatchObject({ code: "SIGNAL_TIMEOUT" });
    expect(await late.signal("go")).toMatchObject({ kind: "ignored", reason: "ended", status: "failed" });
  });
});

describe("a signal that is waited for, further", () => {
  it("STATE-2 BEYOND-2 after its time was over a new round waits anew, with all of its time", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`name: w\nsteps: [{ id: a, wait: { signal: go, timeout: 1m } }]\noutput: \${ steps.a.output }`),
    );
    await test.advance("2m");
    await handle.retry();
    await test.advance("30s");
    expect(await statuses(handle)).toEqual({ a: "suspended" });
    await handle.signal("go", 3);
    expect(await handle.result()).toBe(3);
  });
});

describe("a signal in a hold", () => {
  it("CANCEL-7 BEYOND-2 that comes while the execution is paused is kept or taken, and nothing new starts", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`name: w\nsteps: [{ id: a, wait: { signal: go } }, { id: b, agent: do, dependsOn: [a] }]`),
    );
    await test.untilIdle();
    await handle.pause();
    expect(await handle.signal("go", 1)).toEqual({ kind: "accepted" });
    await test.advance("1h");
    expect(recording.said).toEqual([]);
    await handle.resume();
    await handle.result();
    expect(recording.said).toEqual(["do b"]);
  });

  it("BEYOND-2 to an execution that is being cancelled or has ended is answered with its state", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`name: w\nsteps: [{ id: a, agent: hang }, { id: b, wait: { signal: go } }]`),
    );
    await test.untilIdle();
    await handle.cancel();
    await test.advance("1s");
    expect((await handle.status()).status).toBe("cancelling");
    await handle.signal("go", 1, { id: "s" });
    await test.advance("1h");
    expect(await handle.signal("go")).toEqual({ kind: "ignored", reason: "ended", status: "cancelled" });
    expect(await statuses(handle)).toEqual({ a: "cancelled", b: "cancelled" });
  });

  it("BEYOND-2 items of a map and a sub-workflow wait for signals, each gets one", async () => {
    const { test } = await runWorkflow({
      workflows: [contract(`name: kid\nsteps: [{ id: k, wait: { signal: go } }]\noutput: \${ steps.k.output }`)],
    });
    await using _ = test;
    const handle = await test.start(
      contract(`
name: m
steps:
  - { id: m, map: { over: input, concurrency: 1, steps: [{ id: w, wait: { signal: go } }] } }
  - { id: c, workflow: kid, dependsOn: [m] }
output: ["\${ steps.m.output }", "\${ steps.c.output }"]
`),
      [1, 2],
    );
    await test.untilIdle();
    expect(await statuses(handle)).toMatchObject({ "m/0": "suspended", "m/1": "waiting" });
    for (const payload of ["a", "b", "c"]) await handle.signal("go", payload);
    expect(await handle.result()).toEqual([["a", "b"], "c"]);
  });
});

describe("a wait for a time", () => {
  it("BEYOND-2 in the past is over at once", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    for (const until of ["2001-01-01T00:00:00Z", "2001-01-01T00:00:00+14:00"])
      await (await test.start(contract(`name: w\nsteps: [{ id: a, wait: { until: "${until}" } }]`))).result();
  });

  it("BEYOND-2 far beyond what a timer of the host can count is kept, over a crash, to the millisecond", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const far = 26 * 86_400_000;
    const { id } = await test.start(
      contract(`name: w\nsteps: [{ id: a, wait: { for: 26d } }, { id: b, wait: { until: "\${ input }" } }]`),
      new Date(test.now + far).toISOString(),
    );
    await test.advance("20d");
    await test.crash();
    await test.advance(far - 20 * 86_400_000 - 1);
    expect(await statuses(await test.get(id))).toEqual({ a: "suspended", b: "suspended" });
    await test.advance(1);
    expect((await (await test.get(id)).status()).status).toBe("completed");
  });

  it("WAIT_TIME_INVALID until something that is no time fails its step", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const flow = contract(`name: w\nsteps: [{ id: a, wait: { until: "\${ input }" } }]`);
    for (const odd of [
      "tomorrow",
      "",
      "2030-13-01T00:00:00Z",
      "2030-02-30T00:00:00Z",
      "2030-01-01",
      "2030-01-01T00:00:00",
      null,
      true,
      [],
      {},
      1e300,
    ]) {
      const handle = await test.start(flow, odd);
      await test.advance("1s");
      expect([odd, await stepFailure(handle)]).toMatchObject([odd, { code: "WAIT_TIME_INVALID" }]);
    }
  });

  it("CANCEL-7 goes on while the execution is paused, and its dependants start with the resume", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`name: w\nsteps: [{ id: a, wait: { for: 1m } }, { id: b, agent: do, dependsOn: [a] }]`),
    );
    await test.untilIdle();
    await handle.pause();
    await test.advance("1h");
    expect(recording.said).toEqual([]);
    await handle.resume();
    await test.untilIdle();
    expect([recording.said, (await handle.status()).status]).toEqual([["do b"], "completed"]);
  });
});

describe("a wait for a time, further", () => {
  it("CANCEL-4 is cancelled at once, and says so", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(`name: w\nsteps: [{ id: a, wait: { for: 100d } }]`));
    await test.untilIdle();
    await handle.cancel({ reason: "enough" });
    await test.untilIdle();
    expect((await handle.status()).status).toBe("cancelled");
    expect(await stepDetail(handle, "a")).toEqual({ kind: "stopped", ended: "unbegun", reason: "enough" });
  });
});
