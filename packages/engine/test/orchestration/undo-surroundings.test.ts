// The environment of a compensation: its step's workflow, agents, input and variables (FAIL-8, DATA-1).

import { describe, expect, it } from "vitest";
import { Engine, expand } from "../../src/index.ts";
import { useFixture } from "../running/fixture.ts";
import { contract } from "./recording-agents.ts";

const FAILS = "run: exit 1";

describe("an undoing", () => {
  const fixture = useFixture();

  it("FAIL-8 SCHED-1 heeds the limits that the workflow gives its agent", async () => {
    let now = 0;
    let most = 0;
    const refund = async (): Promise<void> => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now--;
    };
    await using engine = await Engine.open({ store: "none", limits: { slots: 20 }, agents: { pay: () => 1, refund } });
    const limited = contract(`
name: limited
onFailure: compensate
agents: { refund: { limits: { concurrency: 1 } } }
steps:
  - { id: a, agent: pay, compensate: { agent: refund } }
  - { id: b, dependsOn: [a], ${FAILS} }
`);
    const handles = await Promise.all([1, 2, 3, 4].map(() => engine.start(limited)));
    await Promise.allSettled(handles.map((handle) => handle.result()));
    expect(most).toBe(1);
  });

  it("FAIL-8 CONTRACT-9 is run by the module that the workflow names for its agent", async () => {
    fixture.current.write("bank.mjs", 'export const refund = () => "refunded";');
    const handle = await fixture.current.start(`
name: modules
onFailure: compensate
agents: { refund: { module: ./bank.mjs, export: refund } }
steps:
  - { id: a, run: "true", compensate: { agent: refund } }
  - { id: b, dependsOn: [a], ${FAILS} }
`);
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED" });
    expect((await handle.status()).steps.find(({ name }) => name === "a/compensate")?.status).toBe("succeeded");
  });

  it("FAIL-8 DATA-1 inside a sub-workflow gets the input of that workflow", async () => {
    const seen: unknown[] = [];
    await using engine = await Engine.open({
      store: "none",
      agents: { undo: (input) => void seen.push(input) },
      workflows: [contract('{ name: inner, steps: [{ id: a, run: "true", compensate: { agent: undo } }] }')],
    });
    const outer = contract(`
name: outer
onFailure: compensate
steps:
  - { id: s, workflow: inner, input: { who: inner } }
  - { id: t, dependsOn: [s], ${FAILS} }
`);
    await expect((await engine.start(outer, { who: "outer" })).result()).rejects.toThrow();
    expect(seen).toEqual([{ who: "inner" }]);
  });
});

describe("steps that an undoing opens into", () => {
  it("FAIL-8 DATA-1 BEYOND-2 see what the step that is undone sees, and that step itself", async () => {
    const seen: unknown[] = [];
    const see = { input: "${ input }", given: "${ variables.v }", written: "${ variables.list }" };
    await using engine = await Engine.open({
      store: "none",
      agents: {
        give: (input) => input,
        open: () => expand([{ id: "x", agent: "see", input: see }]),
        see: (input) => void seen.push(input),
      },
    });
    const outer = contract(`
name: outer
onFailure: compensate
variables: { v: 42, list: [] }
steps:
  - { id: first, agent: give, input: 1, output: { to: variables.list, merge: append } }
  - { id: s, agent: give, input: 2, dependsOn: [first], output: { to: variables.list, merge: append }, compensate: { agent: open } }
  - { id: late, agent: give, input: 3, dependsOn: [s], output: { to: variables.list, merge: append } }
  - { id: t, dependsOn: [late], ${FAILS} }
`);
    await expect((await engine.start(outer, "given")).result()).rejects.toThrow();
    expect(seen).toEqual([{ input: "given", given: 42, written: [1, 2] }]);
  });
});
