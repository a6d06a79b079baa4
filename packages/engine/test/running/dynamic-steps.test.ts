// Steps returned by a step come from a program: they are checked like an output, and may use only what their workflow
// declares.

import type { Failure, Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { expand, workflow, type AgentFunction, type EngineOptions } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { contract, ending, useFixture } from "./fixture.ts";

const TOKEN = "a-secret-of-the-shop";

/** `open` returns the steps that it was given; `peek` returns the secrets that it got. */
const AGENTS: Readonly<Record<string, AgentFunction>> = {
  open: (input) => expand(input as never),
  peek: (input, { secrets }) => ({ input, names: Object.keys(secrets) }),
  fail: () => {
    throw new TypeError("it fails");
  },
};

const OPTIONS: EngineOptions = { secrets: () => TOKEN };

/** A scope fails with the failure of its step. */
function rootFailure(failure: Failure | undefined): Failure | undefined {
  return failure?.cause === undefined ? failure : rootFailure(failure.cause);
}

async function openEngine(yaml: string, steps: Json): Promise<{ failure: Failure | undefined; statuses: object }> {
  await using test = await openTestEngine({ ...OPTIONS, agents: AGENTS });
  const handle = await test.start(contract(yaml), steps);
  await test.advance("1h");
  const report = await handle.status();
  return {
    failure: rootFailure(report.failure),
    statuses: Object.fromEntries(report.steps.map(({ name, status }) => [name, status])),
  };
}

describe("returned steps that are not JSON, or too large", () => {
  const returning = async (steps: unknown, options: unknown = {}): Promise<unknown> => {
    await using test = await openTestEngine({ agents: AGENTS });
    const built = workflow("odd").step("plan", () => expand(steps as never, options as never));
    const { id } = await test.start(built);
    await test.advance("1h");
    // As another process reads it.
    await test.crash();
    return (await (await test.get(id)).status()).failure;
  };

  it.each<[string, unknown, string]>([
    ["a bigint", { deep: 1n }, "steps[0].input.deep"],
    ["a function", [() => 1], "steps[0].input[0]"],
    ["text with a lone surrogate", "\ud800", "steps[0].input"],
    ["an instance of Map", new Map(), "steps[0].input"],
  ])("DATA-8 that hold %s fail the step for good, which names the place", async (found, input, path) => {
    expect(await returning([{ id: "x", agent: "peek", input }])).toMatchObject({
      class: "permanent",
      code: "OUTPUT_NOT_JSON",
      message: `the list of steps that it returned holds ${found} at \`${path}\`, which is not JSON`,
      path,
    });
  });

  it("DATA-8 with dates or undefined values are converted as `JSON.stringify` does (ruling 59)", async () => {
    await using test = await openTestEngine({ agents: AGENTS });
    const input = { when: new Date(0), left: undefined };
    const built = workflow("odd").step("plan", () => expand([{ id: "x", agent: "peek", input }] as never));
    const handle = await test.start(built);
    await test.untilIdle();
    expect(await handle.output("plan")).toEqual({ x: { input: { when: "1970-01-01T00:00:00.000Z" }, names: [] } });
  });

  it("DATA-8 with a result that is not JSON fail the step as well", async () => {
    expect(await returning([{ id: "x", agent: "peek" }], { result: 1n })).toMatchObject({
      code: "OUTPUT_NOT_JSON",
      path: "result",
    });
  });

  it("JOURNAL-4 of more than 10 MB fail the step permanently (VALUE_TOO_LARGE)", async () => {
    const steps = [{ id: "x", agent: "peek", input: "x".repeat(10_500_000) }];
    expect(await returning(steps)).toMatchObject({ class: "permanent", code: "VALUE_TOO_LARGE" });
  });
});

describe("dynamic steps", () => {
  const OPENS = 'steps: [{ id: a, agent: open, input: "${ input }" }]\n';
  const UNDOES = `onFailure: compensate
steps:
  - { id: a, agent: peek, compensate: { agent: open, input: "\${ input }" } }
  - { id: z, agent: fail, dependsOn: [a] }
`;
  const MAPS = 'steps: [{ id: m, map: { over: "[input]", steps: [{ id: a, agent: open, input: "${ item }" }] } }]\n';
  const nested = (step: Json): Json => ({ id: "x", agent: "open", input: [step] });
  const asking: readonly (readonly [string, Json])[] = [
    ["by its name", { id: "x", agent: "peek", secrets: ["TOKEN"] }],
    ["in its input", { id: "x", agent: "peek", input: "${ secrets.TOKEN }" }],
    ["in the undoing of a step", { id: "x", agent: "peek", compensate: { agent: "peek", secrets: ["TOKEN"] } }],
    ["in a map", { id: "x", map: { over: "[`1`]", steps: [{ id: "y", agent: "peek", secrets: ["TOKEN"] }] } }],
    ["in steps that one of them made", nested({ id: "y", agent: "peek", secrets: ["TOKEN"] })],
  ];

  it.each(asking)("DATA-9 cannot use a secret that the workflow does not declare: %s", async (_, step) => {
    for (const declared of ["", "secrets: [OTHER]\n"])
      for (const flow of [OPENS, MAPS]) {
        const { failure } = await openEngine(`name: w\n${declared}${flow}`, [step]);
        expect(failure).toMatchObject({ code: "EXPANSION_INVALID", message: expect.stringContaining("`TOKEN`") });
      }
  });

  it.each(asking)("DATA-9 can use the secrets that it declares: %s", async (_, step) => {
    for (const flow of [OPENS, MAPS])
      expect(await openEngine(`name: w\nsecrets: [TOKEN]\n${flow}`, [step])).toMatchObject({ failure: undefined });
  });

  it.each(asking)(
    "DATA-9 that compensate use the secrets of the workflow that they compensate: %s",
    async (_, step) => {
      const good = await openEngine(`name: w\nsecrets: [TOKEN]\n${UNDOES}`, [step]);
      expect(good.statuses).toMatchObject({ "a/compensate": "succeeded" });
      const bad = await openEngine(`name: w\n${UNDOES}`, [step]);
      expect(bad.statuses).toMatchObject({ "a/compensate": "failed" });
    },
  );

  it("SCHED-4 cannot hold a resource that the workflow does not declare", async () => {
    const step = { id: "x", agent: "peek", resources: { gpu: 2 } };
    for (const declared of ["", "resources: { cpu: 1 }\n", "resources: { gpu: 1 }\n"])
      expect((await openEngine(`name: w\n${declared}${OPENS}`, [step])).failure).toMatchObject({
        code: "EXPANSION_INVALID",
        message: expect.stringContaining("`gpu`"),
      });
    expect(await openEngine(`name: w\nresources: { gpu: 2 }\n${OPENS}`, [step])).toMatchObject({ failure: undefined });
  });
});

describe("steps returned by threads", () => {
  const fixture = useFixture();
  const EXPAND = new URL("../../src/agents/expansion.ts", import.meta.url).href;
  const module = (steps: string, name: string = "plan.mjs"): string =>
    fixture.current.write(
      name,
      `import { expand } from ${JSON.stringify(EXPAND)};\nexport default () => expand(${steps});\n`,
    );
  const threaded = (name: string): string => `name: t
agents: { plan: { module: ./${name}, thread: true } }
steps: [{ id: a, agent: plan, retry: 1 }]
output: \${ steps.a.output }
`;

  it("STATE-9 run like those of a function, and their result counts", async () => {
    module('[{ id: "x", exec: ["echo", "from a thread"] }], { result: "x" }');
    const handle = await fixture.current.start(threaded("plan.mjs"));
    expect(await handle.result()).toMatchObject({ stdout: "from a thread" });
    expect((await handle.status()).steps.map(({ name }) => name)).toEqual(["a", "a/x"]);
  });

  it("DATA-8 are checked for a thread too", async () => {
    const engine = await fixture.current.open();
    const wrong = [
      ["OUTPUT_NOT_JSON", '[{ id: "x", agent: "do", input: 1n }]'],
      ["VALUE_TOO_LARGE", '[{ id: "x", agent: "do", input: "x".repeat(11_000_000) }]'],
      ["EXPANSION_INVALID", '[{ id: "x" }]'],
      ["EXPANSION_INVALID", '[{ id: "x", exec: ["echo"], secrets: ["PATH"] }]'],
    ] as const;
    for (const [index, [code, steps]] of wrong.entries()) {
      module(steps, `wrong-${index}.mjs`);
      const handle = await engine.start(contract(threaded(`wrong-${index}.mjs`)));
      expect(await ending(handle)).toBe("failed");
      expect((await handle.status()).failure).toMatchObject({ code, class: "permanent" });
    }
  });
});
