// A map over a matrix: all combinations of several lists (BEYOND-1).

import { definitionHash, loadContract, toYaml } from "@segno/contract";
import type { Json } from "@segno/kernel";
import { describe, expect, expectTypeOf, it } from "vitest";
import { Engine, map, workflow, type ExecutionHandle } from "../../src/index.ts";
import { openTestEngine, type TestEngine } from "../../src/testing/index.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";

const scratch = scratchFolder();

const CONTRACT = `
name: ci
input: { type: object, properties: { node: { type: array, items: { type: integer } } } }
steps:
  - { id: systems, agent: systems }
  - id: test
    dependsOn: [systems]
    map:
      over: { os: steps.systems.output, node: input.node, mode: [fast, "slow-mode"] }
      steps: [{ id: one, agent: take, input: "\${ item }", when: item.os != 'mac' || item.node > \`20\` }]
output: "\${ steps.test.output }"
`;

const AGENTS = { systems: () => ["linux", "mac"], take: (input: Json) => input };

async function readLabels(handle: ExecutionHandle<unknown>): Promise<readonly (string | undefined)[]> {
  const { steps } = await handle.status();
  return steps.flatMap(({ name, label }) => (name.includes("/") ? [label] : []));
}

async function failure(test: TestEngine, yaml: string, input: Json = null): Promise<unknown> {
  const handle = await test.start(loadContract(yaml), input);
  return handle.result().catch((error: { failure: unknown }) => error.failure);
}

function problems(yaml: string): readonly string[] {
  try {
    loadContract(yaml);
    return [];
  } catch (error) {
    const found = (error as { problems: readonly { code: string; line: number; message: string }[] }).problems;
    return found.map(({ code, line, message }) => `${line} ${code} ${message}`);
  }
}

const bad = (over: string): readonly string[] =>
  problems(`name: bad\nsteps:\n  - id: m\n    map:\n      over: ${over}\n      steps: [{ id: one, run: "true" }]\n`);

describe("BEYOND-1 a matrix in a contract", () => {
  it("has an item for each combination, in the order of the lists, and the last list changes fastest", async () => {
    await using test = await openTestEngine({ agents: AGENTS });
    const handle = await test.start(loadContract(CONTRACT), { node: [20, 24] });
    expect(await handle.result()).toEqual([
      { os: "linux", node: 20, mode: "fast" },
      { os: "linux", node: 20, mode: "slow-mode" },
      { os: "linux", node: 24, mode: "fast" },
      { os: "linux", node: 24, mode: "slow-mode" },
      null,
      null,
      { os: "mac", node: 24, mode: "fast" },
      { os: "mac", node: 24, mode: "slow-mode" },
    ]);
  });

  it("labels its items with their values, unless the map has a label", async () => {
    await using test = await openTestEngine({ agents: AGENTS });
    const handle = await test.start(loadContract(CONTRACT), { node: [24] });
    await handle.result();
    expect(await readLabels(handle)).toEqual([
      "linux, 24, fast",
      "linux, 24, slow-mode",
      "mac, 24, fast",
      "mac, 24, slow-mode",
    ]);
    const own = CONTRACT.replace("    map:\n", '    map:\n      label: "${ item.os }!"\n');
    const labelled = await test.start(loadContract(own), { node: [24] });
    await labelled.result();
    expect(new Set(await readLabels(labelled))).toEqual(new Set(["linux!", "mac!"]));
  });

  it("with an empty list has no items", async () => {
    await using test = await openTestEngine({ agents: AGENTS });
    expect(await (await test.start(loadContract(CONTRACT), { node: [] })).result()).toEqual([]);
  });

  it("CONTRACT-1 is written as it was loaded, with the same hash", () => {
    const definition = loadContract(CONTRACT);
    expect(loadContract(toYaml(definition))).toEqual(definition);
  });
});

describe("BEYOND-1 the order of a matrix", () => {
  it("JOURNAL-2 keeps the order of its lists in the journal, for its items and for their labels", async () => {
    const file = scratch.file();
    const agents = { systems: () => ["linux", "mac"], take: (input: Json) => input };
    let id: string;
    {
      await using engine = await Engine.open({ file });
      ({ id } = await engine.start(loadContract(CONTRACT), { node: [22, 24] }));
    }
    await using engine = await Engine.open({ file, agents });
    const handle = await engine.get(id);
    expect(await handle.result()).toMatchObject([
      { os: "linux", node: 22, mode: "fast" },
      { os: "linux", node: 22, mode: "slow-mode" },
      { os: "linux", node: 24, mode: "fast" },
      ...Array.from({ length: 5 }, () => expect.anything()),
    ]);
    expect((await readLabels(handle)).slice(0, 3)).toEqual([
      "linux, 22, fast",
      "linux, 22, slow-mode",
      "linux, 24, fast",
    ]);
  });

  it("has another hash if its lists have another order", () => {
    const yaml = (over: string): string =>
      `name: ci\nsteps:\n  - { id: m, map: { over: ${over}, steps: [{ id: a, run: "true" }] } }\n`;
    const [one, other] = ["{ os: [linux], node: [24] }", "{ node: [24], os: [linux] }"].map((over) =>
      definitionHash(loadContract(yaml(over))),
    );
    expect(one).not.toBe(other);
  });
});

describe("BEYOND-1 a matrix that cannot be used", () => {
  it("MAP_NOT_A_LIST fails the step and names the list", async () => {
    await using test = await openTestEngine({ agents: AGENTS });
    const yaml = CONTRACT.replace("items: { type: integer }", "").replace("type: array,", "");
    expect(await failure(test, yaml, { node: 24 })).toMatchObject({
      code: "MAP_NOT_A_LIST",
      message: expect.stringContaining("`node` of the matrix, `input.node`, evaluated to a number, not a list"),
    });
  });

  it("MATRIX_TOO_LARGE fails the step and says how many items there would be", async () => {
    await using test = await openTestEngine({ agents: AGENTS });
    const node = Array.from({ length: 2600 }, (_, index) => index);
    expect(await failure(test, CONTRACT, { node })).toMatchObject({
      code: "MATRIX_TOO_LARGE",
      message: expect.stringContaining("10400 items (2 of `os` × 2600 of `node` × 2 of `mode`); at most 10000"),
    });
  });

  it("CONTRACT-3 is refused when the contract is loaded, at its place", () => {
    expect(bad("{}")).toEqual([expect.stringContaining("5 OUT_OF_RANGE a matrix has at least one list")]);
    expect(bad("{ os: 3 }")).toEqual([expect.stringContaining("5 WRONG_TYPE expected a list, or an expression")]);
    expect(bad("{ 'a b': [1] }")).toEqual([expect.stringContaining("the name of a list")]);
    expect(bad("{ os: '${ input.os }' }")).toEqual([expect.stringContaining("WRONG_VALUE expected a bare expression")]);
    expect(bad("{ os: ['${ input.os }'] }")).toEqual([expect.stringContaining("found a template")]);
    expect(bad("{ os: \"'linux'\" }")).toEqual([expect.stringContaining("5 MAP_NOT_A_LIST")]);
    expect(bad("{ os: steps.x.output }")).toEqual([expect.stringContaining("5 UNKNOWN_STEP")]);
  });

  it("CONTRACT-11 its items are known to the checks of expressions", () => {
    const yaml = (read: string): string =>
      `name: ci\nsteps:\n  - id: m\n    map:\n      over: { os: [linux], node: [24] }\n      steps: [{ id: a, run: "true", when: ${read} }]\n`;
    expect(problems(yaml("item.os == 'linux'"))).toEqual([]);
    expect(problems(yaml("item.arch == 'arm'"))).toEqual([expect.stringContaining("UNKNOWN_FIELD")]);
  });
});

describe("BEYOND-1 a matrix in TypeScript", () => {
  it("types its items, and takes lists and expressions", async () => {
    await using test = await openTestEngine();
    const built = workflow("ci")
      .step("nodes", () => [22, 24])
      .step(
        "test",
        { dependsOn: ["nodes"] },
        map({ os: ["linux", "mac"], node: "steps.nodes.output", at: [new Date(0)] }, ({ item }) => {
          expectTypeOf(item.os).toEqualTypeOf<"linux" | "mac">();
          expectTypeOf(item.node).toEqualTypeOf<Json>();
          expectTypeOf(item.at).toEqualTypeOf<string>();
          return `${item.os} ${String(item.node)} ${item.at.slice(0, 4)}`;
        }),
      )
      .output(({ outputs }) => outputs.test);
    expect(await (await test.start(built)).result()).toEqual([
      "linux 22 1970",
      "linux 24 1970",
      "mac 22 1970",
      "mac 24 1970",
    ]);
  });

  it("DEFINITION_INVALID refuses lists that are none", () => {
    const over = { os: 3 } as unknown as { readonly os: readonly string[] };
    const build = (lists: typeof over) =>
      workflow("ci").step(
        "test",
        map(lists, () => 1),
      ).definition;
    expect(() => build(over)).toThrow(/step `test`, map\.over/u);
    expect(() => build(new Set([1]) as never)).toThrow(/lists by name/u);
  });
});
