// Bad input: each kind has a stable code, and is refused before anything starts if possible.

import { durationMs, stepId, type Definition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import {
  approval,
  child,
  map,
  waitForSignal,
  sleep,
  sleepUntil,
  workflow,
  type BuiltWorkflow,
} from "../../src/index.ts";
import { contract, stepFailure, runWorkflow, RecordingAgents } from "./recording-agents.ts";

/** The codes of all problems of a contract. */
function problems(step: string, more = ""): readonly string[] {
  try {
    contract(`name: bad\n${more}\nsteps:\n  - { id: first, agent: do }\n  - ${step}\n`);
    return [];
  } catch (error) {
    return (error as { readonly problems: readonly { readonly code: string }[] }).problems.map(({ code }) => code);
  }
}

describe("a contract that cannot be", () => {
  it.each([
    ["an approval by nobody", `{ id: x, approve: { by: [] } }`],
    ["a quorum larger than its voters", `{ id: x, approve: { by: [a, b], quorum: 3 } }`],
    ["a quorum of none", `{ id: x, approve: { quorum: 0 } }`],
    ["half a person", `{ id: x, approve: { quorum: 1.5 } }`],
    ["a voter twice", `{ id: x, approve: { by: [a, a] } }`],
    ["a voter without a name", `{ id: x, approve: { by: [""] } }`],
    ["an expiry in the past", `{ id: x, approve: { expires: -1 } }`],
    ["an expiry that is no time", `{ id: x, approve: { expires: soon } }`],
    ["what silence means without an expiry", `{ id: x, approve: { onExpire: approve } }`],
    ["silence that means something else", `{ id: x, approve: { expires: 1h, onExpire: maybe } }`],
    ["a negative wait", `{ id: x, wait: { for: -1 } }`],
    ["a negative wait as text", `{ id: x, wait: { for: "-5s" } }`],
    ["a fraction of a wait", `{ id: x, wait: { for: 1.5h } }`],
    ["until something that is no time", `{ id: x, wait: { until: tomorrow } }`],
    ["two waits in one", `{ id: x, wait: { for: 1s, signal: go } }`],
    ["a wait for nothing", `{ id: x, wait: {} }`],
    ["a timeout of a wait that has none", `{ id: x, wait: { for: 1s, timeout: 1s } }`],
    ["a signal without a name", `{ id: x, wait: { signal: "" } }`],
    ["a signal that nobody could send", `{ id: x, wait: { signal: "a b" } }`],
    ["a signal's schema that is none", `{ id: x, wait: { signal: go, schema: { type: nothing } } }`],
    ["a negative timeout of a signal", `{ id: x, wait: { signal: go, timeout: -1 } }`],
    ["a map over nothing", `{ id: x, map: { steps: [{ id: a, agent: do }] } }`],
    [
      "a map whose result is none of its steps",
      `{ id: x, map: { over: input, result: b, steps: [{ id: a, agent: do }] } }`,
    ],
    ["a negative tolerance", `{ id: x, map: { over: input, tolerance: -1, steps: [{ id: a, agent: do }] } }`],
    [
      "a tolerance beyond everything",
      `{ id: x, map: { over: input, tolerance: 101%, steps: [{ id: a, agent: do }] } }`,
    ],
    ["no items at once", `{ id: x, map: { over: input, concurrency: 0, steps: [{ id: a, agent: do }] } }`],
    [
      "an item that depends on the outside",
      `{ id: x, map: { over: input, steps: [{ id: a, agent: do, dependsOn: [first] }] } }`,
    ],
    [
      "an item that writes variables",
      `{ id: x, map: { over: input, steps: [{ id: a, agent: do, output: { to: variables.v } }] } }`,
    ],
    ["a workflow without a name", `{ id: x, workflow: "" }`],
    ["a workflow without a version after the @", `{ id: x, workflow: "kid@" }`],
    ["a workflow that a template names", `{ id: x, workflow: "\${ input.name }" }`],
    ["a stand-in that does not exist", `{ id: x, agent: do, fallback: nobody }`],
    ["its own stand-in", `{ id: x, agent: do, fallback: x }`],
    ["a stand-in with dependencies", `{ id: x, agent: do, fallback: y }\n  - { id: y, agent: do, dependsOn: [first] }`],
    ["a failure that does something else", `{ id: x, agent: do, onError: ignore }`],
    ["an edge of another kind", `{ id: x, agent: do, dependsOn: [{ step: first, on: failed }] }`],
    ["a compensation that does nothing", `{ id: x, agent: do, compensate: { input: 1 } }`],
    ["a compensation that does two things", `{ id: x, agent: do, compensate: { agent: a, run: b } }`],
    [
      "a compensation that reads a stranger",
      `{ id: x, agent: do, compensate: { agent: a, input: "\${ steps.first.output }" } }`,
    ],
    [
      "a condition on a step that it does not depend on",
      `{ id: x, agent: do, when: "steps.first.status == 'failed'" }`,
    ],
    ["a condition that is none", `{ id: x, agent: do, when: "((" }`],
  ])("CONTRACT-3 %s is refused with a code before anything starts", (_name, step) => {
    const codes = problems(step);
    expect(codes.length).toBeGreaterThan(0);
    for (const code of codes) expect(code).toMatch(/^[A-Z][A-Z_]+$/u);
  });
});

describe("a contract that cannot be, further", () => {
  it.each([
    ["APPROVAL_INVALID", `{ id: x, approve: { by: [a, a] } }`],
    ["WAIT_TIME_INVALID", `{ id: x, wait: { until: "2030-02-30T00:00:00Z" } }`],
    ["OUT_OF_RANGE", `{ id: x, map: { over: input, steps: [] } }`],
    ["WORKFLOW_CYCLE", `{ id: x, workflow: bad }`],
    ["UNKNOWN_RESULT", `{ id: x, map: { over: input, result: b, steps: [{ id: a, agent: do }] } }`],
    ["CAPTURE_IN_SCOPE", `{ id: x, map: { over: input, steps: [{ id: a, agent: do, output: { to: variables.v } }] } }`],
    ["UNKNOWN_FALLBACK", `{ id: x, agent: do, fallback: nobody }`],
    ["READ_TOO_EARLY", `{ id: x, agent: do, compensate: { agent: a, input: "\${ steps.first.output }" } }`],
  ])("CONTRACT-3 %s is the code of %s", (code, step) => {
    expect(problems(step)).toContain(code);
  });
});

describe("a workflow built in TypeScript that cannot be", () => {
  it.each<[string, () => BuiltWorkflow]>([
    ["an approval by nobody", () => workflow("w").step("x", approval({ by: [] }))],
    ["a quorum larger than its voters", () => workflow("w").step("x", approval({ by: ["a"], quorum: 2 }))],
    ["a negative wait", () => workflow("w").step("x", sleep(-1))],
    ["a wait that is no number", () => workflow("w").step("x", sleep(Number.NaN))],
    ["until something that is no time", () => workflow("w").step("x", sleepUntil("tomorrow"))],
    ["a signal without a name", () => workflow("w").step("x", waitForSignal(""))],
    [
      "a map without an expression",
      () =>
        workflow("w").step(
          "x",
          map("((", ({ item }: { item: number }) => item),
        ),
    ],
    ["a workflow without a name", () => workflow("w").step("x", child(""))],
  ])("BEYOND-1 BEYOND-2 %s is refused before anything starts", async (_name, make) => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const start = async (): Promise<unknown> => test.start(make() as never);
    await expect(start()).rejects.toMatchObject({ code: /^[A-Z][A-Z_]+$/u });
    expect([recording.said, (await test.engine.list()).executions]).toEqual([[], []]);
  });
});

describe("a definition that nobody checked", () => {
  const bare = (action: unknown): Definition => ({
    name: "bare",
    steps: [{ id: stepId("x"), action: action as Definition["steps"][number]["action"] }],
  });

  it.each<[string, unknown]>([
    ["a negative wait", { kind: "wait", on: "duration", for: durationMs(0) - 1 }],
    ["a wait that is no number", { kind: "wait", on: "duration", for: Number.NaN }],
    ["an approval by nobody", { kind: "approve", by: [] }],
    ["a quorum larger than its voters", { kind: "approve", by: ["a"], quorum: 2 }],
    ["a signal without a name", { kind: "wait", on: "signal", signal: "" }],
  ])("BEYOND-2 %s is refused before anything starts", async (_name, action) => {
    const { test } = await runWorkflow();
    await using _ = test;
    await expect(test.start(bare(action))).rejects.toMatchObject({ code: "DEFINITION_INVALID" });
    expect((await test.engine.list()).executions).toEqual([]);
  });
});

describe("bad input that only a run can know", () => {
  it.each<[unknown]>([[null], [7], ["text"], [{ a: 1 }], [true]])(
    "MAP_NOT_A_LIST a map over %j fails its step, and runs nothing",
    async (input) => {
      const recording = new RecordingAgents();
      const { test } = await runWorkflow({ agents: recording.agents });
      await using _ = test;
      const handle = await test.start(
        contract(`name: m\nsteps: [{ id: m, map: { over: input, steps: [{ id: w, agent: do }] } }]`),
        input as never,
      );
      await test.advance("1h");
      expect([await stepFailure(handle), recording.said]).toMatchObject([
        { code: "MAP_NOT_A_LIST", class: "permanent" },
        [],
      ]);
    },
  );

  it("INPUT_INVALID a list with what is no JSON is refused before anything starts", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const flow = contract(`name: m\nsteps: [{ id: m, map: { over: input, steps: [{ id: w, agent: do }] } }]`);
    for (const odd of [1n, Number.NaN, () => 1, undefined, new Map()])
      await expect(test.start(flow, [1, odd] as never)).rejects.toMatchObject({ code: "INPUT_INVALID" });
    expect([recording.said, (await test.engine.list()).executions]).toEqual([[], []]);
  });

  it("OUTPUT_NOT_JSON a list of items that is no JSON fails the step that gave it, and the map does not run", async () => {
    const { test, recording } = await runWorkflow({ agents: { list: () => [1, 2n] } });
    await using _ = test;
    const handle = await test.start(
      contract(
        `name: m\nsteps: [{ id: l, agent: list, retry: 1 }, { id: m, dependsOn: [l], map: { over: steps.l.output, steps: [{ id: w, agent: do }] } }]`,
      ),
    );
    await test.advance("1h");
    expect([await stepFailure(handle), recording.said]).toMatchObject([{ code: "OUTPUT_NOT_JSON", path: "[1]" }, []]);
  });
});
