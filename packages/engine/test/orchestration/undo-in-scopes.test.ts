// Compensation inside maps, sub-workflows and dynamic steps (FAIL-8, STATE-9).

import { describe, expect, it } from "vitest";
import { expand } from "../../src/index.ts";
import { readEvents, readHistory } from "../engine/sample-flow.ts";
import { contract, runWorkflow, statuses } from "./recording-agents.ts";

const KID = contract(`
name: kid
steps:
  - { id: k, agent: do, input: "\${ input }", compensate: { agent: undo, input: "\${ steps.k.output } of \${ input }" } }
`);

describe("what is undone inside a scope", () => {
  it("FAIL-8 are the items of a map that succeeded, also of a map that failed, newest first", async () => {
    const { test, recording } = await runWorkflow({
      agents: {
        pick: (input) => {
          if (input === 3) throw new TypeError("not three");
          return input;
        },
      },
    });
    await using _ = test;
    const handle = await test.start(
      contract(`
name: some
onFailure: compensate
steps:
  - id: m
    map:
      over: input
      concurrency: 1
      steps: [{ id: w, agent: pick, input: "\${ item }", compensate: { agent: undo, input: "\${ item } at \${ index } gave \${ steps.w.output }" } }]
`),
      [1, 2, 3, 4],
    );
    await test.advance("1h");
    expect(recording.by("undo")).toEqual(["2 at 1 gave 2", "1 at 0 gave 1"]);
    expect(await statuses(handle)).toMatchObject({ m: "failed", "m/2": "failed", "m/3": "skipped" });
  });

  it("FAIL-8 are the items that succeeded of a map whose failures were tolerated, when something fails later", async () => {
    const { test, recording } = await runWorkflow({
      agents: {
        pick: (input) => {
          if (input === 2) throw new TypeError("not two");
          return input;
        },
      },
    });
    await using _ = test;
    await test.start(
      contract(`
name: tolerant
onFailure: compensate
steps:
  - id: m
    map:
      over: input
      concurrency: 1
      tolerance: 1
      steps: [{ id: w, agent: pick, input: "\${ item }", compensate: { agent: undo, input: "\${ item }" } }]
  - { id: z, agent: fail, dependsOn: [m] }
`),
      [1, 2, 3],
    );
    await test.advance("1h");
    expect(recording.by("undo")).toEqual(["3", "1"]);
  });
});

describe("what is undone inside a scope, further", () => {
  it("FAIL-8 are steps of a sub-workflow, with its own input and outputs, also when the parent is cancelled", async () => {
    const { test, recording } = await runWorkflow({ workflows: [KID] });
    await using _ = test;
    const handle = await test.start(
      contract(`
name: parent
steps:
  - { id: one, workflow: kid, input: one }
  - { id: two, workflow: kid, input: two, dependsOn: [one] }
  - { id: rest, wait: { for: 1h }, dependsOn: [two] }
`),
    );
    await test.advance("1m");
    await handle.cancel({ compensate: true });
    await test.advance("1h");
    expect(recording.by("undo")).toEqual(["two of two", "one of one"]);
    expect((await handle.status()).status).toBe("cancelled");
  });

  it("FAIL-8 are a scope's own undoing first, for it ended last, then those of its children", async () => {
    const { test, recording } = await runWorkflow({ workflows: [KID] });
    await using _ = test;
    await test.start(
      contract(`
name: both
onFailure: compensate
steps:
  - { id: sub, workflow: kid, input: x, compensate: { agent: undo, input: sub } }
  - { id: m, dependsOn: [sub], compensate: { agent: undo, input: "all of \${ length(steps.m.output) }" }, map: { over: input, steps: [{ id: w, agent: do, input: "\${ item }", compensate: { agent: undo, input: "\${ item }" } }] } }
  - { id: z, agent: fail, dependsOn: [m] }
`),
      ["p"],
    );
    await test.advance("1h");
    expect(recording.by("undo")).toEqual(["all of 1", "p", "sub", "x of x"]);
  });

  it("FAIL-8 are steps made at run time, also two levels down, and in maps of maps", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const inner = { id: "y", agent: "do", input: "y", compensate: { agent: "undo", input: "y" } };
    const handle = await test.start(
      contract(`
name: deep
onFailure: compensate
steps:
  - { id: e, agent: open, input: "\${ input.steps }" }
  - { id: m, dependsOn: [e], map: { over: input.rows, concurrency: 1, steps: [{ id: row, map: { over: item, concurrency: 1, steps: [{ id: w, agent: do, compensate: { agent: undo, input: "\${ item }" } }] } }] } }
  - { id: z, agent: fail, dependsOn: [m] }
`),
      { steps: [{ id: "x", agent: "open", input: [inner] }], rows: [["a", "b"], ["c"]] },
    );
    await test.advance("1h");
    expect([(await handle.status()).status, recording.by("undo")]).toEqual(["failed", ["c", "b", "a", "y"]]);
  });
});

describe("an undoing that opens into steps", () => {
  const OPENS = contract(`
name: opens
onFailure: compensate
steps:
  - { id: a, agent: do, compensate: { agent: unfold, retry: 1 } }
  - { id: z, agent: fail, dependsOn: [a] }
`);
  const unfold = () => expand([{ id: "x", agent: "do", compensate: { agent: "undo", input: "the undoing" } }]);

  it("FAIL-8 STATE-9 has ended when they have", async () => {
    const { test, recording } = await runWorkflow({ agents: { unfold } });
    await using _ = test;
    const handle = await test.start(OPENS);
    await test.advance("1h");
    expect(recording.said).toEqual(["do a", "fail z", "do a/compensate/x"]);
    expect([(await handle.status()).status, (await statuses(handle))["a/compensate"]]).toEqual(["failed", "succeeded"]);
  });

  it("FAIL-8 is not undone when a cancel with compensate comes while or after it runs", async () => {
    const { test, recording } = await runWorkflow({
      agents: {
        unfold: () =>
          expand([
            { id: "x", agent: "do", compensate: { agent: "undo", input: "the undoing" } },
            { id: "y", agent: "gate", dependsOn: ["x"] },
          ]),
      },
    });
    await using _ = test;
    const handle = await test.start(OPENS);
    await test.advance("1s");
    await handle.cancel({ compensate: true });
    await test.advance("1s");
    recording.pass("a/compensate/y");
    await test.advance("1h");
    expect([recording.by("undo"), (await handle.status()).status]).toEqual([[], "cancelled"]);
  });
});

describe("an undoing that opened into steps", () => {
  const OPENS = contract(`
name: opens
onFailure: compensate
steps:
  - { id: a, agent: do, compensate: { agent: unfold, retry: 1 } }
  - { id: z, agent: fail, dependsOn: [a] }
`);
  const unfold = () => expand([{ id: "x", agent: "do", compensate: { agent: "undo", input: "the undoing" } }]);

  it("FAIL-8 is not undone itself, in its own round or in any later one", async () => {
    const { test, recording } = await runWorkflow({ agents: { unfold } });
    await using _ = test;
    const handle = await test.start(OPENS);
    await test.advance("1h");
    for (let round = 2; round <= 4; round++) {
      await handle.retry();
      await test.advance("1h");
    }
    expect(recording.by("undo")).toEqual([]);
    expect(recording.said.filter((each) => each.startsWith("do a/compensate"))).toHaveLength(4);
    const undone = (await readEvents(handle, "execution.compensating")).map(({ steps }) => steps);
    expect(undone).toEqual([[0], [0], [0], [0]]);
  });

  it("FAIL-8 that fails half way leaves what it did, is reported, and is done again as a whole in the next round", async () => {
    let broken = true;
    const { test, recording } = await runWorkflow({
      agents: {
        unfold: () =>
          expand([
            { id: "x", agent: "do", compensate: { agent: "undo", input: "the undoing" } },
            { id: "y", agent: broken ? "fail" : "do", dependsOn: ["x"] },
          ]),
      },
    });
    await using _ = test;
    const handle = await test.start(OPENS);
    await test.advance("1h");
    expect(await readEvents(handle, "execution.failed")).toMatchObject([{ notUndone: [0] }]);
    broken = false;
    await handle.retry();
    await test.advance("1h");
    expect(recording.by("undo")).toEqual([]);
    const [, last] = await readEvents(handle, "execution.failed");
    expect(last).not.toHaveProperty("notUndone");
    const names = (await readHistory(handle)).flatMap(({ kind, step }) => (kind === "step.started" ? [step] : []));
    expect(names.filter((name) => name === "a")).toHaveLength(1);
  });
});

describe("a child that is called like an undoing", () => {
  it("IDEM-4 a child called `compensate` is not taken for the undoing of its scope", async () => {
    const tokens: string[] = [];
    const { test } = await runWorkflow({
      agents: { token: (_, context) => void tokens.push(`${context.step.id} ${context.token}`) },
    });
    await using _ = test;
    const handle = await test.start(
      contract(`
name: p
onFailure: compensate
steps:
  - { id: a, agent: open, input: "\${ input }", compensate: { agent: token, input: same } }
  - { id: z, agent: fail, dependsOn: [a] }
`),
      [{ id: "compensate", agent: "token", input: "same" }],
    );
    await test.advance("1h");
    const { steps } = await handle.status();
    expect([new Set(steps.map(({ name }) => name)).size, new Set(tokens).size]).toEqual([steps.length, tokens.length]);
  });
});
