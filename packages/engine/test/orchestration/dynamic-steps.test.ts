// Dynamic steps: which steps a step may return, their outputs, and how they end (STATE-9).

import { describe, expect, it } from "vitest";
import { expand, workflow } from "../../src/index.ts";
import { contract, stepDetail, stepFailure, runWorkflow, statuses } from "./recording-agents.ts";

const OPEN = contract(`
name: dynamic
steps: [{ id: e, agent: open, input: "\${ input }", retry: 1 }, { id: after, agent: do, dependsOn: [e], input: "\${ steps.e.output }" }]
output: \${ steps.after.output }
`);

describe("steps made at run time", () => {
  it("STATE-9 that are none settle at once with an empty object", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    expect(await (await test.start(OPEN, [])).result()).toEqual({});
  });

  it("STATE-9 give an object of their outputs by their ids, with null for those that were skipped", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const steps = [
      { id: "x", agent: "do", input: 1 },
      { id: "y", agent: "do", input: "${ steps.x.output }", dependsOn: ["x"] },
      { id: "n", agent: "do", when: "`false`" },
    ];
    expect(await (await test.start(OPEN, steps)).result()).toEqual({ x: 1, y: 1, n: null });
  });

  it("STATE-9 may wait, map, call workflows and open into further ones", async () => {
    const { test } = await runWorkflow({
      workflows: [
        contract(`name: kid\nsteps: [{ id: k, agent: do, input: "\${ input }" }]\noutput: \${ steps.k.output }`),
      ],
    });
    await using _ = test;
    const steps = [
      { id: "nap", wait: { for: "1m" } },
      { id: "sig", wait: { signal: "go" } },
      {
        id: "m",
        map: { over: "steps.sig.output", steps: [{ id: "w", agent: "do", input: "${ item }" }] },
        dependsOn: ["sig"],
      },
      { id: "call", workflow: "kid", input: "to the kid" },
      {
        id: "deep",
        agent: "open",
        input: [{ id: "x", agent: "open", input: [{ id: "y", agent: "do", input: "deep" }] }],
      },
    ];
    const handle = await test.start(OPEN, steps);
    await test.untilIdle();
    await handle.signal("go", [1, 2]);
    await test.advance("2m");
    expect(await handle.result()).toEqual({
      nap: null,
      sig: [1, 2],
      m: [1, 2],
      call: "to the kid",
      deep: { x: { y: "deep" } },
    });
    expect(await statuses(handle)).toMatchObject({
      "e/deep/x/y": "succeeded",
      "e/call/k": "succeeded",
      "e/m/1": "succeeded",
    });
  });
});

describe("steps made at run time, further", () => {
  it("STATE-9 see the input of the workflow", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const built = workflow<{ word: string }>("sees")
      .step("plan", () => expand([{ id: "x", agent: "do", input: "${ input.word }" }], { result: "x" }))
      .output(({ outputs }) => outputs.plan);
    expect(await (await test.start(built, { word: "hello" })).result()).toBe("hello");
  });

  it("JOURNAL-3 STATE-9 are made once: after a crash they go on, and their step is not asked again", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const { id } = await test.start(OPEN, [
      { id: "x", agent: "do" },
      { id: "y", agent: "gate", dependsOn: ["x"] },
    ]);
    await test.untilIdle();
    await test.crash();
    await test.untilIdle();
    recording.pass("e/y");
    await (await test.get(id)).result();
    expect(recording.said).toEqual(["open e", "do e/x", "gate e/y", "gate e/y", "do after"]);
  });
});

describe("steps made at run time that cannot be", () => {
  it.each<[string, unknown]>([
    ["no list", { id: "x", agent: "do" }],
    ["nothing to do", [{ id: "x" }]],
    ["two things to do", [{ id: "x", agent: "do", wait: { for: 1 } }]],
    [
      "an id twice",
      [
        { id: "x", agent: "do" },
        { id: "x", agent: "do" },
      ],
    ],
    ["an id that is none", [{ id: "x/y", agent: "do" }]],
    ["a dependency outside", [{ id: "x", agent: "do", dependsOn: ["e"] }]],
    [
      "a cycle",
      [
        { id: "x", agent: "do", dependsOn: ["y"] },
        { id: "y", agent: "do", dependsOn: ["x"] },
      ],
    ],
    ["a key that nobody knows", [{ id: "x", agent: "do", inputs: 1 }]],
    ["a negative wait", [{ id: "x", wait: { for: -1 } }]],
    ["an approval by nobody", [{ id: "x", approve: { by: [] } }]],
    ["a quorum larger than its voters", [{ id: "x", approve: { by: ["a"], quorum: 2 } }]],
    ["an expression that is none", [{ id: "x", agent: "do", input: "${ ( }" }]],
    ["a step that is null", [null]],
    ["a step that is text", ["x"]],
    ["a prototype", [JSON.parse('{"id":"x","agent":"do","input":{"__proto__":1}}')]],
    ["null", null],
    ["a number", 7],
  ])("EXPANSION_INVALID %s fails the step for good, and runs none of them", async (_name, steps) => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(OPEN, steps as never);
    await test.advance("1h");
    expect(await stepFailure(handle)).toMatchObject({ code: "EXPANSION_INVALID", class: "permanent" });
    expect(recording.said).toEqual(["open e"]);
  });

  it("EXPANSION_INVALID a result that is not one of them fails the step", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const built = workflow("r").step("plan", () => expand([{ id: "x", agent: "do" }], { result: "y" }));
    const handle = await test.start(built);
    await test.advance("1h");
    expect(await stepFailure(handle)).toMatchObject({ code: "EXPANSION_INVALID", message: /y/u });
  });

  it("FAIL-9 with an agent that nobody registered parks the execution, and goes on when it is registered", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(OPEN, [{ id: "x", agent: "stranger" }]);
    await test.untilIdle();
    expect((await handle.status()).status).toBe("parked");
    expect((await test.engine.why(handle.id)).map(({ text }) => text).join(" ")).toContain("stranger");
    test.engine.agent("stranger", () => "hi");
    await handle.resume();
    expect(await handle.result()).toEqual({ x: "hi" });
  });

  it("SCOPE_TOO_DEEP that open for ever end with an error", async () => {
    const { test } = await runWorkflow({ agents: { again: () => expand([{ id: "x", agent: "again", retry: 1 }]) } });
    await using _ = test;
    const handle = await test.start(contract(`name: ever\nsteps: [{ id: x, agent: again, retry: 1 }]`));
    await test.advance("1h");
    expect(JSON.stringify(await stepFailure(handle))).toContain("SCOPE_TOO_DEEP");
  });
});

describe("steps that are returned late", () => {
  it("CANCEL-2 after a cancel, within the grace, do not run: nothing new starts", async () => {
    const { test, recording } = await runWorkflow({
      agents: {
        late: (_, { signal }) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve(expand([{ id: "x", agent: "do" }])))),
      },
    });
    await using _ = test;
    const handle = await test.start(contract(`name: late\nsteps: [{ id: e, agent: late }]`));
    await test.untilIdle();
    await handle.cancel();
    await test.advance("1h");
    expect([recording.said, await statuses(handle)]).toEqual([[], { e: "cancelled" }]);
    expect((await handle.status()).status).toBe("cancelled");
  });

  it("CANCEL-3 while it is drained do not run", async () => {
    const release: (() => void)[] = [];
    const { test, recording } = await runWorkflow({
      agents: { slow: () => new Promise((resolve) => release.push(() => resolve(expand([{ id: "x", agent: "do" }])))) },
    });
    await using _ = test;
    const handle = await test.start(contract(`name: late\nsteps: [{ id: e, agent: slow }]`));
    await test.untilIdle();
    await handle.cancel({ mode: "drain" });
    release[0]!();
    await test.advance("1h");
    expect([recording.said, (await handle.status()).status]).toEqual([[], "cancelled"]);
  });

  it("CANCEL-7 while it is paused open, and run after the resume", async () => {
    const release: (() => void)[] = [];
    const { test, recording } = await runWorkflow({
      agents: { slow: () => new Promise((resolve) => release.push(() => resolve(expand([{ id: "x", agent: "do" }])))) },
    });
    await using _ = test;
    const handle = await test.start(contract(`name: late\nsteps: [{ id: e, agent: slow }]`));
    await test.untilIdle();
    await handle.pause();
    release[0]!();
    await test.advance("1h");
    expect(recording.said).toEqual([]);
    await handle.resume();
    await handle.result();
    expect(recording.said).toEqual(["do e/x"]);
  });

  it("STATE-7 after another step failed the execution do not run, and the step says why", async () => {
    const release: (() => void)[] = [];
    const { test, recording } = await runWorkflow({
      agents: { slow: () => new Promise((resolve) => release.push(() => resolve(expand([{ id: "x", agent: "do" }])))) },
    });
    await using _ = test;
    const handle = await test.start(contract(`name: late\nsteps: [{ id: e, agent: slow }, { id: z, agent: fail }]`));
    await test.untilIdle();
    release[0]!();
    await test.advance("1h");
    expect([recording.by("do"), (await handle.status()).status]).toEqual([[], "failed"]);
    expect(await stepDetail(handle, "e")).toMatchObject({ kind: "stopped" });
  });
});

describe("steps made at run time that hold what is no JSON", () => {
  it.each<[string, unknown]>([
    ["a function", () => 1],
    ["a bigint", 1n],
    ["a symbol", Symbol("x")],
    ["NaN", Number.NaN],
    ["an infinite number", Number.POSITIVE_INFINITY],
    ["a map", new Map()],
    ["undefined in a list", [undefined]],
    ["half a surrogate pair", "\ud800"],
  ])("DATA-8 %s fails the step for good with a stable code", async (_name, odd) => {
    const { test } = await runWorkflow();
    await using _ = test;
    const built = workflow("odd").step("plan", { retry: 1 }, () =>
      expand([{ id: "x", agent: "do", input: { deep: odd as never } }]),
    );
    const handle = await test.start(built);
    await test.advance("1h");
    expect(await stepFailure(handle)).toMatchObject({
      code: /^(EXPANSION_INVALID|OUTPUT_NOT_JSON|VALUE_NOT_JSON)$/u,
      class: "permanent",
    });
  });
});

describe("steps made at run time that ask for too much", () => {
  const opening = (more: string): ReturnType<typeof contract> =>
    contract(`name: p\n${more}\nsteps: [{ id: a, agent: open, retry: 1, input: "\${ input }" }]`);

  it("JOURNAL-4 more than 10 MB of steps fail the step that returned them", async () => {
    const { test } = await runWorkflow({ agents: { nil: () => null } });
    await using _ = test;
    const built = workflow("big").step("plan", { retry: 1 }, () =>
      expand([{ id: "x", agent: "nil", input: "x".repeat(11_000_000) }]),
    );
    const handle = await test.start(built);
    await test.advance("1h");
    expect(await stepFailure(handle)).toMatchObject({ code: /^(VALUE_TOO_LARGE|EXPANSION_INVALID)$/u });
  });

  it.each([
    { id: "x", agent: "do", secrets: ["PATH"] },
    { id: "x", agent: "do", input: "${ secrets.PATH }" },
  ])("DATA-9 a secret that the workflow does not declare is refused: %o", async (step) => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(opening(""), [step]);
    await test.advance("1h");
    expect(await stepFailure(handle)).toMatchObject({ code: "EXPANSION_INVALID", message: /PATH/u });
  });

  it.each(["", "resources: { cpu: 1 }"])(
    "SCHED-4 a resource that the workflow does not declare is refused (%s)",
    async (more) => {
      const { test } = await runWorkflow();
      await using _ = test;
      const handle = await test.start(opening(more), [{ id: "x", agent: "do", resources: { gpu: 5 } }]);
      await test.advance("1h");
      expect(await stepFailure(handle)).toMatchObject({ code: "EXPANSION_INVALID", message: /gpu/u });
    },
  );
});
