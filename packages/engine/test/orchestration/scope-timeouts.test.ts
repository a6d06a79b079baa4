// Deadlines of scopes: of a call, of a map, of a sub-workflow, and what they end (FAIL-4, BEYOND-1).

import { describe, expect, it } from "vitest";
import { contract, stepDetail, stepFailure, runWorkflow, statuses } from "./recording-agents.ts";

describe("a deadline that flows down", () => {
  const SLOW = contract(`name: slow\nsteps: [{ id: a, agent: until }, { id: b, wait: { for: 10h } }]`);

  it("FAIL-4 the timeout of the calling step ends its steps, and fails the call as a timeout", async () => {
    const { test } = await runWorkflow({ workflows: [SLOW] });
    await using _ = test;
    const handle = await test.start(contract(`name: p\nsteps: [{ id: call, workflow: slow, timeout: 1h }]`));
    await test.advance("61m");
    expect((await handle.status()).status).toBe("failed");
    expect(await stepFailure(handle)).toMatchObject({ class: "timeout" });
    expect((await statuses(handle))["call/a"]).toBe("cancelled");
  });

  it("FAIL-4 the timeout that the called workflow gives itself bounds it, and only it", async () => {
    const { test } = await runWorkflow({
      workflows: [contract(`name: bounded\ntimeout: 1h\nsteps: [{ id: a, agent: until }]`)],
    });
    await using _ = test;
    const handle = await test.start(
      contract(
        `name: p\nsteps: [{ id: call, workflow: bounded, onError: continue }, { id: other, wait: { for: 3h } }]\noutput: \${ steps.call.error.code }`,
      ),
    );
    await test.advance("2h");
    expect((await statuses(handle))["call"]).toBe("failed");
    await test.advance("2h");
    expect(await handle.result()).toBe("EXECUTION_TIMEOUT");
  });

  it("FAIL-4 the timeout of a map ends its items", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`name: p\nsteps: [{ id: m, timeout: 1m, map: { over: input, steps: [{ id: w, agent: until }] } }]`),
      [1],
    );
    await test.advance("1h");
    expect((await handle.status()).status).toBe("failed");
  });
});

const KID = contract(`
name: kid
steps:
  - { id: a, agent: do, input: a, compensate: { agent: undo, input: a } }
  - { id: b, agent: until, dependsOn: [a] }
  - { id: c, agent: do, dependsOn: [b] }
  - { id: clean, agent: do, dependsOn: [{ step: b, on: settled }], input: "\${ steps.b.status }" }
`);

describe("what a deadline of a scope ends", () => {
  it("FAIL-4 STATE-6 are its steps, as a failure does: what runs is stopped, the rest is skipped, clean-up runs", async () => {
    const { test } = await runWorkflow({ workflows: [KID] });
    await using _ = test;
    const handle = await test.start(
      contract(`name: p\nsteps: [{ id: call, workflow: kid, timeout: 1m, onError: continue }]`),
    );
    await test.advance("1h");
    expect(await statuses(handle)).toEqual({
      call: "failed",
      "call/a": "succeeded",
      "call/b": "cancelled",
      "call/c": "skipped",
      "call/clean": "succeeded",
    });
    expect((await handle.status()).status).toBe("completed");
  });

  it("FAIL-8 is undone where the workflow says so", async () => {
    const { test, recording } = await runWorkflow({ workflows: [KID] });
    await using _ = test;
    const handle = await test.start(
      contract(`name: p\nonFailure: compensate\nsteps: [{ id: call, workflow: kid, timeout: 1m }]`),
    );
    await test.advance("1h");
    expect([(await handle.status()).status, recording.by("undo")]).toEqual(["failed", ["a"]]);
    expect(await stepFailure(handle)).toMatchObject({ class: "timeout" });
  });

  it("STATE-8 lets a stand-in run in its place", async () => {
    const { test } = await runWorkflow({ workflows: [KID] });
    await using _ = test;
    const handle = await test.start(
      contract(`
name: p
steps:
  - { id: call, workflow: kid, timeout: 1m, fallback: other }
  - { id: other, agent: do, input: instead }
  - { id: say, agent: do, dependsOn: [call], input: "\${ steps.call.output }" }
output: \${ steps.say.output }
`),
    );
    await test.advance("1h");
    expect(await handle.result()).toBe("instead");
  });

  it("FAIL-4 the shorter of two deadlines counts, whichever scope it belongs to", async () => {
    const { test } = await runWorkflow({
      workflows: [
        contract(`name: outer\nsteps: [{ id: in, workflow: inner, timeout: 1h }]`),
        contract(`name: inner\ntimeout: 2h\nsteps: [{ id: a, agent: until }]`),
      ],
    });
    await using _ = test;
    const short = await test.start(contract(`name: p\nsteps: [{ id: call, workflow: outer, timeout: 1m }]`));
    const long = await test.start(contract(`name: q\nsteps: [{ id: call, workflow: outer, timeout: 3h }]`));
    await test.advance("2m");
    expect([(await short.status()).status, (await long.status()).status]).toEqual(["failed", "running"]);
    await test.advance("1h");
    expect((await long.status()).status).toBe("failed");
    expect(await stepDetail(long, "call/in")).toMatchObject({ failure: { class: "timeout" } });
  });
});

describe("what a deadline of a scope ends, further", () => {
  it("FAIL-4 waits, questions and items that have not begun end with it too", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: p
onFailure: finish
steps:
  - { id: m, timeout: 1m, map: { over: input, concurrency: 1, steps: [{ id: w, wait: { for: 50s } }] } }
  - { id: n, timeout: 1m, map: { over: input, steps: [{ id: q, approve: {} }] } }
`),
      [1, 2, 3],
    );
    await test.advance("2m");
    expect((await handle.status()).status).toBe("failed");
    expect(await statuses(handle)).toMatchObject({ m: "failed", "m/0": "succeeded", n: "failed" });
    expect(Object.values(await statuses(handle))).not.toContain("suspended");
  });
});

const CALL = contract(`name: p\nsteps: [{ id: call, workflow: kid, timeout: 10m }]\noutput: \${ steps.call.output }`);

const WAITING = contract(`name: kid\nsteps: [{ id: s, wait: { signal: go } }]\noutput: \${ steps.s.output }`);

describe("the time of a scope", () => {
  it("JOURNAL-3 is counted from its opening, over crashes", async () => {
    const { test } = await runWorkflow({ workflows: [WAITING] });
    await using _ = test;
    const { id } = await test.start(CALL);
    await test.advance("6m");
    await test.crash();
    await test.advance("3m");
    expect((await (await test.get(id)).status()).status).toBe("running");
    await test.crash({ stayDead: true });
    await test.reopen();
    await test.advance("61s");
    expect((await (await test.get(id)).status()).status).toBe("failed");
  });

  it("STATE-2 begins anew in a new round", async () => {
    const { test } = await runWorkflow({ workflows: [WAITING] });
    await using _ = test;
    const handle = await test.start(CALL);
    await test.advance("11m");
    expect((await handle.status()).status).toBe("failed");
    await handle.retry();
    await test.advance("9m");
    expect(await statuses(handle)).toEqual({ call: "open", "call/s": "suspended" });
    await handle.signal("go", 5);
    expect(await handle.result()).toBe(5);
  });

  it("FAIL-4 is over for nobody once it has ended: a late deadline changes nothing", async () => {
    const { test } = await runWorkflow({ workflows: [WAITING] });
    await using _ = test;
    const handle = await test.start(
      contract(
        `name: p\nsteps: [{ id: call, workflow: kid, timeout: 1m }, { id: rest, wait: { for: 1h }, dependsOn: [call] }]`,
      ),
    );
    await test.untilIdle();
    await handle.signal("go", 5);
    await test.advance("2h");
    expect((await handle.status()).status).toBe("completed");
  });

  it("CANCEL-2 a step that gives a value within its grace after the deadline has succeeded, its scope has not", async () => {
    const { test } = await runWorkflow({
      workflows: [contract(`name: kid\nsteps: [{ id: a, agent: finishes, input: 1 }]`)],
    });
    await using _ = test;
    const handle = await test.start(contract(`name: p\nsteps: [{ id: call, workflow: kid, timeout: 1m }]`));
    await test.advance("1h");
    expect(await statuses(handle)).toEqual({ call: "failed", "call/a": "succeeded" });
    expect((await handle.status()).status).toBe("failed");
  });
});

describe("the time of a scope, further", () => {
  it("CANCEL-2 a cancel after the deadline, while its steps have their grace, ends the execution as cancelled", async () => {
    const { test } = await runWorkflow({ workflows: [contract(`name: kid\nsteps: [{ id: a, agent: hang }]`)] });
    await using _ = test;
    const handle = await test.start(contract(`name: p\nsteps: [{ id: call, workflow: kid, timeout: 1m }]`));
    await test.advance("62s");
    expect(await statuses(handle)).toMatchObject({ "call/a": "cancelling" });
    await handle.cancel();
    await test.advance("1h");
    expect((await handle.status()).status).toBe("cancelled");
  });

  it("CANCEL-7 goes on while the execution is paused, as the execution's own does", async () => {
    const { test } = await runWorkflow({ workflows: [WAITING] });
    await using _ = test;
    const handle = await test.start(CALL);
    await test.untilIdle();
    await handle.pause();
    await test.advance("11m");
    expect((await statuses(handle))["call"]).toBe("failed");
  });
});
