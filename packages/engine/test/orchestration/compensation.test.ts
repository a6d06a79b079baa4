// Compensation: order, retries, timeouts, and reports of failures (FAIL-8).

import { describe, expect, it } from "vitest";
import { readEvents, readHistory } from "../engine/sample-flow.ts";
import { contract, stepDetail, runWorkflow, statuses } from "./recording-agents.ts";

/** Three steps with compensations, then one that fails. */
const TRIP = contract(`
name: trip
onFailure: compensate
steps:
  - { id: a, agent: do, input: a, compensate: { agent: undo, input: "\${ steps.a.output }", retry: 1 } }
  - { id: b, agent: do, input: b, dependsOn: [a], compensate: { agent: undo, input: "\${ steps.b.output }", retry: 1 } }
  - { id: c, agent: do, input: c, dependsOn: [b], compensate: { agent: undo, input: "\${ steps.c.output }", retry: 1 } }
  - { id: z, agent: fail, dependsOn: [c] }
`);

describe("the order of undoing", () => {
  it("FAIL-8 is newest first by the end of the steps, whatever their declaration", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: order
onFailure: compensate
steps:
  - { id: first, agent: gate, input: first, compensate: { agent: undo, input: first } }
  - { id: second, agent: gate, input: second, compensate: { agent: undo, input: second } }
  - { id: z, agent: fail, dependsOn: [first, second] }
`),
    );
    await test.untilIdle();
    recording.pass("second");
    await test.advance("1s");
    recording.pass("first");
    await test.advance("1h");
    expect([(await handle.status()).status, recording.by("undo")]).toEqual(["failed", ["first", "second"]]);
  });

  it("FAIL-8 begins one undoing only when the one before it has ended", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(TRIP);
    await test.advance("1h");
    const undoing = (await readHistory(handle)).filter(({ step }) => step?.includes("/compensate"));
    expect(undoing.map(({ kind, step }) => `${kind} ${step}`)).toEqual(
      ["c", "b", "a"].flatMap((id) => [`step.started ${id}/compensate`, `step.completed ${id}/compensate`]),
    );
  });

  it("FAIL-8 leaves out what failed, was skipped or has nothing to undo it", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    await test.start(
      contract(`
name: few
onFailure: compensate
steps:
  - { id: a, agent: do, when: "input.never", compensate: { agent: undo, input: a } }
  - { id: b, agent: do, dependsOn: [a] }
  - { id: c, agent: fail, onError: continue, dependsOn: [b], compensate: { agent: undo, input: c } }
  - { id: d, agent: do, dependsOn: [b, { step: c, on: settled }], compensate: { agent: undo, input: d } }
  - { id: z, agent: fail, dependsOn: [d], compensate: { agent: undo, input: z } }
`),
    );
    await test.advance("1h");
    expect(recording.by("undo")).toEqual(["d"]);
  });

  it("FAIL-8 STATE-6 undoes also what a clean-up step did while the execution failed, and does so after it", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    await test.start(
      contract(`
name: clean
onFailure: compensate
steps:
  - { id: a, agent: do, compensate: { agent: undo, input: a } }
  - { id: z, agent: fail, dependsOn: [a] }
  - { id: clean, agent: do, dependsOn: [{ step: z, on: settled }], compensate: { agent: undo, input: clean } }
`),
    );
    await test.advance("1h");
    expect(recording.said).toEqual(["do a", "fail z", "do clean", "undo clean", "undo a"]);
  });
});

describe("an undoing that fails", () => {
  it("FAIL-8 has its own retry: so many attempts, with its own delay", async () => {
    const { test } = await runWorkflow({
      agents: {
        stubborn: () => {
          throw new Error("not now");
        },
      },
    });
    await using _ = test;
    const handle = await test.start(
      contract(`
name: again
onFailure: compensate
steps:
  - { id: a, agent: do, retry: 1, compensate: { agent: stubborn, retry: { attempts: 4, base: 10s, factor: 1 } } }
  - { id: z, agent: fail, dependsOn: [a] }
`),
    );
    await test.advance("1h");
    const started = (await readHistory(handle)).filter(
      (each) => each.kind === "step.started" && each.step === "a/compensate",
    );
    expect(started.map(({ at }) => at - started[0]!.at)).toEqual([0, 10_000, 20_000, 30_000]);
    expect((await handle.status()).status).toBe("failed");
  });

  it("FAIL-8 has its own timeout, and those after it still run", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: slow
onFailure: compensate
steps:
  - { id: a, agent: do, compensate: { agent: undo, input: a } }
  - { id: b, agent: do, dependsOn: [a], compensate: { agent: hang, timeout: 1m, retry: 1 } }
  - { id: z, agent: fail, dependsOn: [b] }
`),
    );
    await test.advance("50s");
    expect(recording.by("undo")).toEqual([]);
    await test.advance("1h");
    expect([(await handle.status()).status, recording.by("undo")]).toEqual(["failed", ["a"]]);
    expect(await stepDetail(handle, "b/compensate")).toMatchObject({ failure: { class: "timeout" } });
  });

  it("FAIL-8 does not keep the others from being undone, and the end says what was not", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    recording.refusals.set("b", 1);
    const handle = await test.start(TRIP);
    await test.advance("1h");
    expect(recording.by("undo")).toEqual(["c", "b", "a"]);
    expect(await statuses(handle)).toMatchObject({ "a/compensate": "succeeded", "b/compensate": "failed" });
    expect(await readEvents(handle, "execution.failed")).toMatchObject([{ notUndone: [1] }]);
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED", failure: { message: "it fails" } });
  });
});

describe("an undoing that fails, further", () => {
  it("FAIL-8 fails where its input cannot be made, and the others still run", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: no-input
onFailure: compensate
steps:
  - { id: a, agent: do, compensate: { agent: undo, input: a } }
  - { id: b, agent: do, dependsOn: [a], input: 7, compensate: { agent: undo, input: "\${ length(steps.b.output) }" } }
  - { id: z, agent: fail, dependsOn: [b] }
`),
    );
    await test.advance("1h");
    expect([(await handle.status()).status, recording.by("undo")]).toEqual(["failed", ["a"]]);
    expect(await readEvents(handle, "execution.failed")).toMatchObject([{ notUndone: [1] }]);
  });
});

describe("a new round after undoing", () => {
  it("FAIL-8 STATE-2 does again what was undone, and keeps what was not", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    recording.refusals.set("b", 1);
    const handle = await test.start(TRIP);
    await test.advance("1h");
    recording.said.length = 0;
    expect(await handle.retry()).toEqual({ kind: "accepted" });
    await test.advance("1h");
    expect(recording.by("do")).toEqual(["a", "c"]);
  });

  it("FAIL-8 undoes each step once for each time that it was done, also what could not be undone before", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    recording.refusals.set("b", 1);
    const handle = await test.start(TRIP);
    await test.advance("1h");
    recording.said.length = 0;
    await handle.retry();
    await test.advance("1h");
    expect(recording.by("undo").toSorted()).toEqual(["a", "b", "c"]);
    const ends = await readEvents(handle, "execution.failed");
    expect(ends.map(({ notUndone }) => notUndone)).toEqual([[1], undefined]);
    recording.said.length = 0;
    await handle.retry();
    await test.advance("1h");
    expect(recording.said).toEqual(["do a", "do b", "do c", "fail z", "undo c", "undo b", "undo a"]);
  });

  it("FAIL-8 a new round that completes undoes nothing", async () => {
    let broken = true;
    const { test, recording } = await runWorkflow({
      agents: {
        moody: () => {
          if (!broken) return "well";
          throw new TypeError("broken");
        },
      },
    });
    await using _ = test;
    const handle = await test.start(
      contract(`
name: mends
onFailure: compensate
steps:
  - { id: a, agent: do, compensate: { agent: undo, input: a } }
  - { id: z, agent: moody, dependsOn: [a] }
output: \${ steps.z.output }
`),
    );
    await test.advance("1h");
    broken = false;
    await handle.retry();
    expect(await handle.result()).toBe("well");
    expect(recording.said).toEqual(["do a", "undo a", "do a"]);
  });
});
