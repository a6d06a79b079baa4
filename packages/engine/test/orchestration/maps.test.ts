// Maps: items as steps, the order of their outputs, their failures, and the items that a new round runs again
// (BEYOND-1).

import { describe, expect, it } from "vitest";
import { map, workflow } from "../../src/index.ts";
import { readHistory } from "../engine/sample-flow.ts";
import { contract, stepFailure, runWorkflow, statuses } from "./recording-agents.ts";

const each = (steps: string, more = ""): ReturnType<typeof contract> =>
  contract(`name: m\nsteps: [{ id: m, map: { over: input${more}, steps: [${steps}] } }]\noutput: \${ steps.m.output }`);

/** Fails for the items that the test names. */
function picky(): {
  readonly bad: Set<unknown>;
  readonly agents: Record<string, (input: unknown) => unknown>;
  readonly asked: unknown[];
} {
  const bad = new Set<unknown>();
  const asked: unknown[] = [];
  const pick = (input: unknown): unknown => {
    asked.push(input);
    if (bad.has(input)) throw new TypeError(`not ${String(input)}`);
    return input;
  };
  return { bad, asked, agents: { pick } };
}

describe("what a map gives", () => {
  it("BEYOND-1 are the results in the order of the items, whichever ended first", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(each(`{ id: w, agent: gate, input: "\${ item }" }`), ["a", "b", "c"]);
    await test.untilIdle();
    for (const name of ["m/2", "m/0", "m/1"]) recording.pass(name);
    expect(await handle.result()).toEqual(["a", "b", "c"]);
  });

  it("BEYOND-1 of no items is no results, and of null results is nulls", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    expect(await (await test.start(each(`{ id: w, agent: do, input: 1 }`), [])).result()).toEqual([]);
    expect(
      await (
        await test.start(each(`{ id: w, agent: do, when: "item > \`1\`", input: "\${ item }" }`), [1, 2])
      ).result(),
    ).toEqual([null, 2]);
  });

  it("BEYOND-1 of maps of maps is a list of lists, also where the inner ones are empty", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      each(`{ id: row, map: { over: item, steps: [{ id: w, agent: do, input: ["\${ item }", "\${ index }"] }] } }`),
      [["a", "b"], [], ["c"]],
    );
    expect(await handle.result()).toEqual([
      [
        ["a", 0],
        ["b", 1],
      ],
      [],
      [["c", 0]],
    ]);
  });

  it("BEYOND-1 are the outputs of the step that `result` names, and the last one otherwise", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const steps = `{ id: a, agent: do, input: "a\${ item }" }, { id: b, agent: do, dependsOn: [a], input: "b\${ steps.a.output }" }`;
    expect(await (await test.start(each(steps), [1])).result()).toEqual(["ba1"]);
    expect(await (await test.start(each(steps, ", result: a"), [1])).result()).toEqual(["a1"]);
  });

  it("DATA-10 BEYOND-1 a step in a map sees what the map's ancestors wrote, and its own item", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: context
variables: { word: none }
steps:
  - { id: before, agent: do, input: hello, output: { to: variables.word } }
  - id: m
    dependsOn: [before]
    map:
      over: input
      steps:
        - { id: a, agent: do, input: "\${ variables.word } \${ item } \${ input[0] } \${ steps.before.output }" }
        - { id: b, agent: do, dependsOn: [a], input: "\${ previous }" }
output: \${ steps.m.output }
`),
      ["x", "y"],
    );
    expect(await handle.result()).toEqual(["hello x x hello", "hello y x hello"]);
  });
});

describe("a map whose items fail", () => {
  it("SCOPE_FAILED fails with the item that failed as its cause, and stops the others", async () => {
    const { bad, agents } = picky();
    bad.add(2);
    const { test } = await runWorkflow({ agents });
    await using _ = test;
    const handle = await test.start(each(`{ id: w, agent: pick, input: "\${ item }" }`, ", concurrency: 1"), [1, 2, 3]);
    await test.advance("1h");
    expect(await stepFailure(handle)).toMatchObject({
      code: "SCOPE_FAILED",
      message: /m\/1/u,
      cause: { message: "not 2" },
    });
    expect(await statuses(handle)).toEqual({ m: "failed", "m/0": "succeeded", "m/1": "failed", "m/2": "skipped" });
  });

  it.each([
    ["2", 2, "completed"],
    ["1", 2, "failed"],
    ["50%", 2, "completed"],
    ["49%", 2, "failed"],
    ["100%", 4, "completed"],
    ["0%", 1, "failed"],
    ["25%", 1, "completed"],
  ])("BEYOND-1 with a tolerance of %s, %i failures of four leave it %s", async (tolerance, failures, status) => {
    const { bad, agents } = picky();
    for (let item = 0; item < failures; item++) bad.add(item);
    const { test } = await runWorkflow({ agents });
    await using _ = test;
    const handle = await test.start(
      each(`{ id: w, agent: pick, input: "\${ item }" }`, `, tolerance: ${tolerance}`),
      [0, 1, 2, 3],
    );
    await test.advance("1h");
    expect((await handle.status()).status).toBe(status);
    if (status === "completed")
      expect(await handle.result()).toEqual([0, 1, 2, 3].map((item) => (item < failures ? null : item)));
  });

  it("STATE-2 BEYOND-1 a new round runs only the items that failed or were stopped, also of inner maps", async () => {
    const { bad, agents, asked } = picky();
    bad.add("b");
    const { test } = await runWorkflow({ agents });
    await using _ = test;
    const handle = await test.start(
      each(
        `{ id: row, map: { over: item, concurrency: 1, steps: [{ id: w, agent: pick, input: "\${ item }" }] } }`,
        ", concurrency: 1",
      ),
      [["x"], ["a", "b", "c"], ["y"]],
    );
    await test.advance("1h");
    expect(asked).toEqual(["x", "a", "b"]);
    bad.clear();
    asked.length = 0;
    await handle.retry();
    expect(await handle.result()).toEqual([["x"], ["a", "b", "c"], ["y"]]);
    expect(asked).toEqual(["b", "c", "y"]);
  });
});

describe("a map whose items fail, further", () => {
  it("STATE-2 a new round leaves tolerated failures of a map that succeeded as they are", async () => {
    const { bad, agents, asked } = picky();
    bad.add(1).add("z");
    const { test } = await runWorkflow({ agents });
    await using _ = test;
    const handle = await test.start(
      contract(`
name: m
steps:
  - { id: m, map: { over: input, tolerance: 1, steps: [{ id: w, agent: pick, input: "\${ item }" }] } }
  - { id: z, agent: pick, input: z, dependsOn: [m] }
output: \${ steps.m.output }
`),
      [1, 2],
    );
    await test.advance("1h");
    bad.clear();
    asked.length = 0;
    await handle.retry();
    expect([await handle.result(), asked]).toEqual([[null, 2], ["z"]]);
  });

  it("BEYOND-1 a step in an item that may fail, or has a stand-in, does not fail the item", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      each(
        `{ id: a, agent: fail, onError: continue }, { id: b, agent: fail, fallback: c }, { id: c, agent: do, input: "c\${ item }" }, { id: d, agent: do, dependsOn: [b], input: "\${ steps.b.output }" }`,
      ),
      [1, 2],
    );
    expect(await handle.result()).toEqual(["c1", "c2"]);
  });
});

describe("a map in a hold", () => {
  it("CANCEL-7 a pause starts no further item, also after a crash, and a resume goes on in order", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const { id } = await test.start(each(`{ id: w, agent: gate, input: "\${ item }" }`, ", concurrency: 1"), [1, 2, 3]);
    await test.untilIdle();
    await (await test.get(id)).pause();
    recording.pass("m/0");
    await test.untilIdle();
    await test.crash();
    await test.advance("1h");
    expect(recording.said).toEqual(["gate m/0"]);
    await (await test.get(id)).resume();
    await test.untilIdle();
    recording.pass("m/1");
    await test.untilIdle();
    recording.pass("m/2");
    expect(await (await test.get(id)).result()).toEqual([1, 2, 3]);
  });

  it("CANCEL-3 a drain lets items that run end, and cancels the rest", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      each(`{ id: a, agent: gate }, { id: b, agent: do, dependsOn: [a] }`, ", concurrency: 1"),
      [1, 2],
    );
    await test.untilIdle();
    await handle.cancel({ mode: "drain" });
    recording.pass("m/0/a");
    await test.advance("1h");
    expect(await statuses(handle)).toEqual({
      m: "cancelled",
      "m/0/a": "succeeded",
      "m/0/b": "cancelled",
      "m/1/a": "cancelled",
      "m/1/b": "cancelled",
    });
  });

  it("JOURNAL-3 a crash runs again only the items that ran", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const { id } = await test.start(each(`{ id: w, agent: gate, input: "\${ item }" }`), [1, 2]);
    await test.untilIdle();
    recording.pass("m/0");
    await test.untilIdle();
    await test.crash();
    await test.untilIdle();
    expect(recording.by("gate")).toEqual(["m/0", "m/1", "m/1"]);
    recording.pass("m/1");
    expect(await (await test.get(id)).result()).toEqual([1, 2]);
    const done = (await readHistory(await test.get(id))).filter(({ kind }) => kind === "step.completed");
    expect(done.map(({ step }) => step)).toEqual(["m/0", "m/1", "m"]);
  });

  it("BEYOND-1 the items of the builder's map have the same life", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const built = workflow<readonly number[]>("b")
      .step(
        "m",
        map("input", ({ item }: { item: number }) => item * 2, { concurrency: 2, tolerance: "50%" }),
      )
      .output(({ outputs }) => outputs.m);
    expect(await (await test.start(built, [1, 2, 3])).result()).toEqual([2, 4, 6]);
  });
});
