// Conditions, edges, fallbacks, and how an execution fails (STATE-5 to STATE-8).

import { describe, expect, it } from "vitest";
import { contract, stepDetail, stepFailure, runWorkflow, statuses } from "./recording-agents.ts";

describe("a condition on other steps", () => {
  it("BEYOND-1 reads their status, also when they failed, were skipped or stood in", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: states
onFailure: finish
steps:
  - { id: good, agent: do, input: 1 }
  - { id: bad, agent: fail, onError: continue }
  - { id: out, agent: do, when: "input.never" }
  - { id: helped, agent: fail, fallback: helper }
  - { id: helper, agent: do, input: help }
  - id: say
    agent: do
    dependsOn: [good, { step: bad, on: settled }, { step: out, on: settled }, helped]
    input: ["\${ steps.good.status }", "\${ steps.bad.status }", "\${ steps.out.status }", "\${ steps.helped.status }", "\${ steps.helped.output }", "\${ steps.bad.error.message }"]
  - { id: ifbad, agent: do, dependsOn: [{ step: bad, on: settled }], when: "steps.bad.status == 'failed'", input: yes }
  - { id: ifgood, agent: do, dependsOn: [{ step: bad, on: settled }], when: "steps.bad.status == 'succeeded'", input: yes }
output: { say: "\${ steps.say.output }", ifbad: "\${ steps.ifbad.status }", ifgood: "\${ steps.ifgood.status }" }
`),
    );
    expect(await handle.result()).toEqual({
      say: ["succeeded", "failed", "skipped", "failed", "help", "it fails"],
      ifbad: "succeeded",
      ifgood: "skipped",
    });
  });

  it("STATE-5 a step skipped by its condition satisfies its dependants, which see null", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: nulls
steps:
  - { id: a, agent: do, when: "input.never", input: 1 }
  - { id: b, agent: do, dependsOn: [a], input: ["\${ previous }", "\${ steps.a.output }"] }
output: \${ steps.b.output }
`),
    );
    expect(await handle.result()).toEqual([null, null]);
  });

  it("STATE-4 a condition that cannot be evaluated fails its step, and says so", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`name: odd\nsteps: [{ id: a, agent: do, when: "length(input) > \`1\`" }]`),
      7,
    );
    await test.advance("1h");
    expect([await stepFailure(handle), recording.said]).toMatchObject([{ code: "EXPRESSION_TYPE" }, []]);
  });
});

describe("a settled edge", () => {
  const cleanUp = (onFailure: string): string => `
name: clean
onFailure: ${onFailure}
steps:
  - { id: a, agent: fail }
  - { id: clean, agent: do, dependsOn: [{ step: a, on: settled }], input: "\${ steps.a.status }" }
  - { id: after, agent: do, dependsOn: [clean] }
  - { id: lost, agent: do, dependsOn: [a] }
`;

  it.each(["abort", "finish", "compensate"])("STATE-6 is met while the execution fails with %s", async (onFailure) => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(cleanUp(onFailure)));
    await test.advance("1h");
    expect((await handle.status()).status).toBe("failed");
    expect(recording.by("do")).toContain("clean");
    expect((await statuses(handle))["clean"]).toBe("succeeded");
    expect((await statuses(handle))["lost"]).toBe("skipped");
    expect(await stepFailure(handle)).toMatchObject({ message: "it fails" });
  });

  it("STATE-6 is not met while the execution is being cancelled", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: stop
steps:
  - { id: a, agent: until }
  - { id: clean, agent: do, dependsOn: [{ step: a, on: settled }] }
`),
    );
    await test.untilIdle();
    await handle.cancel();
    await test.advance("1h");
    expect(await statuses(handle)).toEqual({ a: "cancelled", clean: "cancelled" });
    expect(recording.said).toEqual(["until a"]);
  });

  it("STATE-6 a clean-up waits until everything that it names has ended, when an abort stops it", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: wait-for-all
steps:
  - { id: a, agent: fail }
  - { id: b, agent: until }
  - { id: clean, agent: do, dependsOn: [{ step: a, on: settled }, { step: b, on: settled }], input: "\${ steps.b.status }" }
output: 1
`),
    );
    await test.advance("1h");
    expect(await statuses(handle)).toEqual({ a: "failed", b: "cancelled", clean: "succeeded" });
    expect(recording.said.at(-1)).toBe("do clean");
  });
});

describe("onFailure", () => {
  const flow = (onFailure: string): string => `
name: fails
onFailure: ${onFailure}
steps:
  - { id: done, agent: do, input: done, compensate: { agent: undo, input: "\${ steps.done.output }" } }
  - { id: bad, agent: fail, dependsOn: [done] }
  - { id: busy, agent: gate, dependsOn: [done], input: busy, compensate: { agent: undo, input: "\${ steps.busy.output }" } }
  - { id: next, agent: do, dependsOn: [busy] }
  - { id: never, agent: do, dependsOn: [bad] }
`;

  it("STATE-7 abort stops what runs and skips the rest, and undoes nothing", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(flow("abort")));
    await test.advance("1h");
    expect(await statuses(handle)).toMatchObject({
      bad: "failed",
      busy: "cancelled",
      next: "skipped",
      never: "skipped",
    });
    expect([(await handle.status()).status, recording.by("undo")]).toEqual(["failed", []]);
  });

  it("STATE-7 finish lets independent branches end, and then fails", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(flow("finish")));
    await test.advance("1h");
    expect((await handle.status()).status).toBe("failing");
    recording.pass("busy");
    await test.advance("1h");
    expect(await statuses(handle)).toMatchObject({ busy: "succeeded", next: "succeeded", never: "skipped" });
    expect([(await handle.status()).status, recording.by("undo")]).toEqual(["failed", []]);
    expect(await stepDetail(handle, "never")).toMatchObject({ reason: { kind: "dependency-failed" } });
  });

  it("STATE-7 compensate stops what runs, and undoes what had succeeded only then", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(flow("compensate")));
    await test.advance("1s");
    expect(recording.by("undo")).toEqual([]);
    await test.advance("1h");
    expect(recording.by("undo")).toEqual(["done"]);
    expect([(await handle.status()).status, await stepFailure(handle)]).toMatchObject([
      "failed",
      { message: "it fails" },
    ]);
  });
});
