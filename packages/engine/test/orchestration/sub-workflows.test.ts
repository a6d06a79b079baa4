// Sub-workflows: their input and output, their version, and their depth (BEYOND-1, STATE-9).

import { describe, expect, it } from "vitest";
import { child, workflow } from "../../src/index.ts";
import { readHistory } from "../engine/sample-flow.ts";
import { contract, stepDetail, stepFailure, runWorkflow, statuses } from "./recording-agents.ts";

describe("what a sub-workflow gets and gives", () => {
  it("BEYOND-1 is a mapped input and a mapped output, with variables of its own", async () => {
    const { test } = await runWorkflow({
      workflows: [
        contract(`
name: add
input: { type: object, required: [a, b], properties: { a: { type: number }, b: { type: number } } }
variables: { note: inner }
steps:
  - { id: sum, agent: do, input: { sum: "\${ input.a }", note: "\${ variables.note }", of: "\${ execution.workflow }" }, output: { to: variables.note } }
output: { total: "\${ steps.sum.output.sum }", note: "\${ steps.sum.output.note }" }
`),
      ],
    });
    await using _ = test;
    const handle = await test.start(
      contract(`
name: outer
variables: { note: outer }
steps:
  - { id: call, workflow: add, input: { a: "\${ input.n }", b: 2 }, output: { select: "total", to: variables.total } }
  - { id: say, agent: do, dependsOn: [call], input: ["\${ steps.call.output }", "\${ variables.total }", "\${ variables.note }"] }
output: \${ steps.say.output }
`),
      { n: 40 },
    );
    expect(await handle.result()).toEqual([40, 40, "outer"]);
    expect(await statuses(handle)).toEqual({ call: "succeeded", say: "succeeded", "call/sum": "succeeded" });
  });

  it("BEYOND-1 an input that does not fit the schema of the called one fails the call before anything of it starts", async () => {
    const { test, recording } = await runWorkflow({
      workflows: [contract(`name: strict\ninput: { type: string }\nsteps: [{ id: a, agent: do }]`)],
    });
    await using _ = test;
    const handle = await test.start(contract(`name: p\nsteps: [{ id: call, workflow: strict, input: 7 }]`));
    await test.advance("1h");
    expect([await stepFailure(handle), recording.said]).toMatchObject([{ code: "INPUT_INVALID" }, []]);
  });

  it("BEYOND-1 in each item of a map, with the item as its input", async () => {
    const { test } = await runWorkflow({
      workflows: [
        contract(
          `name: twice\nsteps: [{ id: a, agent: do, input: "\${ input }\${ input }" }]\noutput: \${ steps.a.output }`,
        ),
      ],
    });
    await using _ = test;
    const handle = await test.start(
      contract(
        `name: p\nsteps: [{ id: m, map: { over: input, steps: [{ id: call, workflow: twice, input: "\${ item }" }] } }]\noutput: \${ steps.m.output }`,
      ),
      ["a", "b"],
    );
    expect(await handle.result()).toEqual(["aa", "bb"]);
  });
});

describe("which workflow is meant", () => {
  const version = (v: string): string => `
name: kid
version: "${v}"
steps: [{ id: a, agent: do, input: "${v}" }]
output: \${ steps.a.output }
`;

  it("BEYOND-1 name@version is that version, whatever was registered after it", async () => {
    const { test } = await runWorkflow({ workflows: ["1.0", "2.0", "1.5"].map((each) => contract(version(each))) });
    await using _ = test;
    const handle = await test.start(
      contract(`
name: p
steps:
  - { id: one, workflow: kid@1.0 }
  - { id: two, workflow: kid@2.0 }
output: ["\${ steps.one.output }", "\${ steps.two.output }"]
`),
    );
    expect(await handle.result()).toEqual(["1.0", "2.0"]);
  });

  it("WORKFLOW_UNKNOWN a version that nobody registered fails the call, though there is another version", async () => {
    const { test } = await runWorkflow({ workflows: [contract(version("1.0"))] });
    await using _ = test;
    const handle = await test.start(contract(`name: p\nsteps: [{ id: one, workflow: kid@9 }]`));
    await test.advance("1h");
    expect(await stepFailure(handle)).toMatchObject({ code: "WORKFLOW_UNKNOWN", message: /kid@9/u });
  });

  it("BEYOND-1 two versions that were built with functions keep each their own", async () => {
    const kid = (v: string) =>
      workflow("kid", { version: v })
        .step("a", () => v)
        .output(({ outputs }) => outputs.a);
    const { test } = await runWorkflow();
    await using _ = test;
    const built = workflow("p")
      .step("one", child(kid("1")))
      .step("two", child(kid("2")))
      .output(({ outputs: { one, two } }) => [one, two]);
    expect(await (await test.start(built)).result()).toEqual(["1", "2"]);
  });

  it("CONTRACT-8 an execution that runs keeps the workflow that its call opened into, over a restart", async () => {
    const { test } = await runWorkflow({
      workflows: [
        contract(
          `name: kid\nsteps: [{ id: w, wait: { for: 1h } }, { id: a, agent: do, input: old, dependsOn: [w] }]\noutput: \${ steps.a.output }`,
        ),
      ],
    });
    await using _ = test;
    const { id } = await test.start(
      contract(`name: p\nsteps: [{ id: call, workflow: kid }]\noutput: \${ steps.call.output }`),
    );
    await test.untilIdle();
    await test.crash();
    test.engine.register(
      contract(`name: kid\nsteps: [{ id: a, agent: do, input: new }]\noutput: \${ steps.a.output }`),
    );
    await test.advance("2h");
    expect(await (await test.get(id)).result()).toBe("old");
  });
});

describe("what flows down into a sub-workflow", () => {
  const SLOW = contract(
    `name: slow\nsteps: [{ id: a, agent: until }, { id: b, wait: { for: 10h } }, { id: c, agent: do, dependsOn: [a, b] }]`,
  );

  it("CANCEL-2 a cancellation ends its steps", async () => {
    const { test, recording } = await runWorkflow({ workflows: [SLOW] });
    await using _ = test;
    const handle = await test.start(
      contract(`name: p\nsteps: [{ id: call, workflow: slow }, { id: after, agent: do, dependsOn: [call] }]`),
    );
    await test.untilIdle();
    await handle.cancel();
    await test.advance("1m");
    expect(await statuses(handle)).toEqual({
      call: "cancelled",
      after: "cancelled",
      "call/a": "cancelled",
      "call/b": "cancelled",
      "call/c": "cancelled",
    });
    expect(recording.said).toEqual(["until call/a"]);
  });

  it("FAIL-4 the deadline of the execution ends its steps, and says why", async () => {
    const { test } = await runWorkflow({ workflows: [SLOW] });
    await using _ = test;
    const handle = await test.start(contract(`name: p\ntimeout: 1h\nsteps: [{ id: call, workflow: slow }]`));
    await test.advance("59m");
    expect((await handle.status()).status).toBe("running");
    await test.advance("2m");
    expect((await handle.status()).status).toBe("failed");
    expect(await stepFailure(handle)).toMatchObject({ code: "EXECUTION_TIMEOUT" });
    expect((await statuses(handle))["call/a"]).toBe("cancelled");
  });

  it("CANCEL-7 a pause holds it, and a resume lets it go on", async () => {
    const { test, recording } = await runWorkflow({
      workflows: [contract(`name: two\nsteps: [{ id: a, agent: gate }, { id: b, agent: do, dependsOn: [a] }]`)],
    });
    await using _ = test;
    const handle = await test.start(contract(`name: p\nsteps: [{ id: call, workflow: two }]`));
    await test.untilIdle();
    await handle.pause();
    recording.pass("call/a");
    await test.advance("1h");
    expect(recording.by("do")).toEqual([]);
    await handle.resume();
    await handle.result();
    expect(recording.by("do")).toEqual(["call/b"]);
  });
});

describe("what flows up from a sub-workflow", () => {
  const nest = (name: string, calls: string): string => `name: ${name}\nsteps: [{ id: in, workflow: ${calls} }]`;

  it("BEYOND-1 is its failure with its cause, level by level, and the step where it began", async () => {
    const { test } = await runWorkflow({
      workflows: [contract(nest("mid", "leaf")), contract(`name: leaf\nsteps: [{ id: bad, agent: fail, retry: 1 }]`)],
    });
    await using _ = test;
    const handle = await test.start(contract(nest("top", "mid")));
    await test.advance("1h");
    expect(await statuses(handle)).toEqual({ in: "failed", "in/in": "failed", "in/in/bad": "failed" });
    expect(await stepDetail(handle, "in/in/bad")).toMatchObject({ failure: { message: "it fails" } });
    const failure = await stepFailure(handle);
    expect(failure).toMatchObject({
      code: "SCOPE_FAILED",
      cause: { code: "SCOPE_FAILED", cause: { message: "it fails" } },
    });
    expect((await readHistory(handle)).find(({ kind }) => kind === "execution.failing")).toMatchObject({ step: "in" });
  });

  it("STATE-7 onError and settled edges of the caller apply to it", async () => {
    const { test } = await runWorkflow({ workflows: [contract(`name: leaf\nsteps: [{ id: bad, agent: fail }]`)] });
    await using _ = test;
    const handle = await test.start(
      contract(`
name: p
steps:
  - { id: call, workflow: leaf, onError: continue }
  - { id: clean, agent: do, dependsOn: [{ step: call, on: settled }], input: "\${ steps.call.status }" }
output: \${ steps.clean.output }
`),
    );
    expect(await handle.result()).toBe("failed");
  });
});

describe("how deep sub-workflows go", () => {
  const ladder = (depth: number) =>
    Array.from({ length: depth }, (_, index) =>
      contract(
        index === depth - 1
          ? `name: w${index}\nsteps: [{ id: s, agent: do, input: bottom }]\noutput: \${ steps.s.output }`
          : `name: w${index}\nsteps: [{ id: s, workflow: w${index + 1} }]\noutput: \${ steps.s.output }`,
      ),
    );

  it("SCOPE_TOO_DEEP eight levels are allowed", async () => {
    const { test } = await runWorkflow({ workflows: ladder(9) });
    await using _ = test;
    expect(await (await test.start("w0")).result()).toBe("bottom");
  });

  it("SCOPE_TOO_DEEP a ninth fails its step, and nothing of it runs", async () => {
    const { test, recording } = await runWorkflow({ workflows: ladder(10) });
    await using _ = test;
    const handle = await test.start("w0");
    await test.advance("1h");
    let failure = (await stepFailure(handle)) as { code: string; cause?: never };
    while (failure.cause !== undefined) failure = failure.cause;
    expect([failure.code, recording.said]).toEqual(["SCOPE_TOO_DEEP", []]);
  });

  it("WORKFLOW_CYCLE workflows that call each other for ever are refused before anything starts", async () => {
    const { test, recording } = await runWorkflow({
      workflows: [
        contract(`name: ping\nsteps: [{ id: first, agent: do }, { id: s, workflow: pong@1, dependsOn: [first] }]`),
        contract(`name: pong\nversion: "1"\nsteps: [{ id: s, workflow: ping }]`),
      ],
    });
    await using _ = test;
    for (const name of ["ping", "pong", "pong@1"])
      await expect(test.start(name)).rejects.toMatchObject({ code: "WORKFLOW_CYCLE" });
    expect([recording.said, (await test.engine.list()).executions]).toEqual([[], []]);
  });

  it("WORKFLOW_CYCLE SCOPE_TOO_DEEP one that can end by a condition or an empty list may run, and ends when it is too deep", async () => {
    const { test } = await runWorkflow({
      workflows: [
        contract(
          `name: down\nsteps: [{ id: s, workflow: down, when: "input > \`0\`", input: "\${ input - \`1\` }" }, { id: t, agent: do, dependsOn: [s], input: "\${ input }" }]\noutput: \${ steps.t.output }`,
        ),
        contract(
          `name: wide\nsteps: [{ id: s, map: { over: input, steps: [{ id: t, workflow: wide, input: [1] }] } }]`,
        ),
      ],
    });
    await using _ = test;
    expect(await (await test.start("down", 3)).result()).toBe(3);
    const wide = await test.start("wide", [1]);
    await test.advance("1h");
    expect(JSON.stringify(await stepFailure(wide))).toContain("SCOPE_TOO_DEEP");
  });
});

describe("the input of a called workflow", () => {
  it.each([
    ['{ to: "" }', "the input of `parcel@1`: `to` must NOT have fewer than 1 characters", "to"],
    ["{}", "the input of `parcel@1`: `to` is missing", "to"],
    ["7", "the input of `parcel@1`: must be object", ""],
  ])("STATE-10 INPUT_INVALID of %s names the workflow and the field", async (input, message, path) => {
    const parcel = `name: parcel
version: "1"
input: { type: object, required: [to], properties: { to: { type: string, minLength: 1 } } }
steps: [{ id: a, agent: do }]`;
    const { test } = await runWorkflow({ workflows: [contract(parcel)] });
    await using _ = test;
    const handle = await test.start(contract(`name: p\nsteps: [{ id: call, workflow: parcel@1, input: ${input} }]`));
    await test.advance("1h");
    const { steps } = await handle.status();
    expect(steps[0]!.detail).toMatchObject({ failure: { code: "INPUT_INVALID", message, path } });
  });
});
