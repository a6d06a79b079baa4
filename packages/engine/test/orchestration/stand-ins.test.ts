// Tolerated failures: `onError: continue`, and fallbacks (STATE-7, STATE-8).

import { describe, expect, it } from "vitest";
import { contract, stepDetail, stepFailure, runWorkflow, statuses } from "./recording-agents.ts";

describe("onError: continue", () => {
  it("STATE-7 never fails the execution, and skips only who depends on it", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: goes-on
steps:
  - { id: a, agent: fail, onError: continue }
  - { id: b, agent: do, dependsOn: [a] }
  - { id: c, agent: do, dependsOn: [b] }
  - { id: d, agent: do, dependsOn: [{ step: b, on: settled }], input: "\${ steps.b.status }" }
  - { id: e, agent: do, input: 5 }
output: ["\${ steps.a.output }", "\${ steps.a.status }", "\${ steps.d.output }", "\${ steps.e.output }"]
`),
    );
    expect(await handle.result()).toEqual([null, "failed", "skipped", 5]);
    expect(await stepDetail(handle, "c")).toMatchObject({ reason: { kind: "dependency-failed" } });
  });

  it("STATE-7 and with onFailure: compensate it undoes nothing", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: goes-on
onFailure: compensate
steps:
  - { id: a, agent: do, input: a, compensate: { agent: undo, input: a } }
  - { id: b, agent: fail, onError: continue, dependsOn: [a] }
`),
    );
    await handle.result();
    expect(recording.said).toEqual(["do a", "fail b"]);
  });
});

const pair = (helper: string, more = ""): string => `
name: pair
onFailure: compensate
steps:
  - { id: first, agent: do, input: first, compensate: { agent: undo, input: first } }
  - { id: a, agent: fail, fallback: b, dependsOn: [first]${more} }
  - { id: b, agent: ${helper}, input: b, compensate: { agent: undo, input: "\${ steps.b.output }" } }
  - { id: c, agent: do, dependsOn: [a], input: "\${ steps.a.output }" }
output: \${ steps.c.output }
`;

describe("a fallback", () => {
  it("STATE-8 runs in place of its primary, which stays failed, and the execution completes", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(pair("do")));
    expect(await handle.result()).toBe("b");
    expect(await statuses(handle)).toEqual({ first: "succeeded", a: "failed", b: "succeeded", c: "succeeded" });
  });

  it("STATE-8 that fails fails its primary for good, which is what dependants and the execution are told", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(pair("fail")));
    await test.advance("1h");
    expect(await statuses(handle)).toMatchObject({ a: "failed", b: "failed", c: "skipped" });
    expect([(await handle.status()).status, recording.by("undo")]).toEqual(["failed", ["first"]]);
  });

  it("STATE-7 STATE-8 with onError: continue on its primary a failed fallback does not fail the execution", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(pair("fail", ", onError: continue")));
    expect(await handle.result()).toBeNull();
    expect(await statuses(handle)).toMatchObject({ a: "failed", b: "failed", c: "skipped" });
  });

  it("STATE-8 that is not needed is skipped, and says why", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: unused
steps:
  - { id: a, agent: do, fallback: b }
  - { id: b, agent: do }
`),
    );
    await handle.result();
    expect(recording.said).toEqual(["do a"]);
    expect(await stepDetail(handle, "b")).toMatchObject({ reason: { kind: "fallback-unused" } });
  });

  it("FAIL-8 STATE-8 that succeeded is undone when something fails later, and its failed primary is not", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: undo-stand-in
onFailure: compensate
steps:
  - { id: a, agent: fail, fallback: b, compensate: { agent: undo, input: a } }
  - { id: b, agent: do, input: b, compensate: { agent: undo, input: "\${ steps.b.output }" } }
  - { id: c, agent: fail, dependsOn: [a] }
`),
    );
    await test.advance("1h");
    expect([(await handle.status()).status, recording.by("undo")]).toEqual(["failed", ["b"]]);
  });
});

describe("a fallback, further", () => {
  it("STATE-8 stands in for an approval that expired, a signal that did not come, a map and a sub-workflow", async () => {
    const { test } = await runWorkflow({ workflows: [contract("name: kid\nsteps: [{ id: k, agent: fail }]")] });
    await using _ = test;
    const handle = await test.start(
      contract(`
name: all-kinds
steps:
  - { id: ask, approve: { expires: 1m }, fallback: ask2 }
  - { id: ask2, agent: do, input: 1 }
  - { id: sig, wait: { signal: s, timeout: 1m }, fallback: sig2 }
  - { id: sig2, agent: do, input: 2 }
  - { id: each, map: { over: input, steps: [{ id: w, agent: fail }] }, fallback: each2 }
  - { id: each2, agent: do, input: 3 }
  - { id: sub, workflow: kid, fallback: sub2 }
  - { id: sub2, agent: do, input: 4 }
  - { id: sum, agent: do, dependsOn: [ask, sig, each, sub], input: ["\${ steps.ask.output }", "\${ steps.sig.output }", "\${ steps.each.output }", "\${ steps.sub.output }"] }
output: \${ steps.sum.output }
`),
      [1],
    );
    await test.advance("1h");
    expect(await stepFailure(handle)).toBeUndefined();
    expect(await handle.result()).toEqual([1, 2, 3, 4]);
  });

  it("STATE-8 CANCEL-2 does not run when the execution was cancelled before its primary failed", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`name: late\nsteps: [{ id: a, agent: until, fallback: b }, { id: b, agent: do }]`),
    );
    await test.untilIdle();
    await handle.cancel();
    await test.advance("1h");
    expect([await statuses(handle), recording.said]).toEqual([{ a: "cancelled", b: "cancelled" }, ["until a"]]);
  });

  it("STATE-8 may have a fallback itself: dependants of the first primary read what the last one gave", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: chain
steps:
  - { id: a, agent: fail, fallback: b }
  - { id: b, agent: fail, fallback: c }
  - { id: c, agent: do, input: third }
  - { id: d, agent: do, dependsOn: [a], input: "\${ steps.a.output }" }
output: \${ steps.d.output }
`),
    );
    expect(await handle.result()).toBe("third");
    expect(recording.said).toEqual(["fail a", "fail b", "do c", "do d"]);
  });
});
