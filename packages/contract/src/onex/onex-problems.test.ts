// The problems of invalid ONEX contracts: all of them, each with its position.

import { describe, expect, it } from "vitest";

import { onexText, stepText, STEPS_LINE, uuid } from "../../test/onex-text.ts";
import { ContractError, type LocatedProblem } from "../errors/contract-error.ts";
import { loadOnexContract } from "./load-onex-contract.ts";
import { toOnexYaml } from "./to-onex-yaml.ts";

function refused(text: string): readonly LocatedProblem[] {
  try {
    loadOnexContract(text, { file: "flow.yaml" });
  } catch (error) {
    if (error instanceof ContractError) return error.problems;
    throw error;
  }
  throw new Error("it was accepted");
}

/** Each problem as its line, the text that stands at its place, and its code. */
function shown(text: string): readonly string[] {
  const lines = text.split("\n");
  return refused(text).map(({ line, column, code }) => {
    const word = /^[^\s,\]}]*/u.exec(lines[line - 1]!.slice(column - 1))![0];
    return `${line} ${word} ${code}`;
  });
}

/** The problem of a step with this written in it. */
const stepProblem = (written: string): LocatedProblem => {
  const problems = refused(onexText(stepText(1, [], written)));
  expect(problems).toHaveLength(1);
  return problems[0]!;
};

describe("places", () => {
  it("CONTRACT-3 a problem has file, line, column, path, what was expected and what was found", () => {
    expect(stepProblem("timeout_ms: soon")).toEqual({
      code: "WRONG_TYPE",
      file: "flow.yaml",
      line: STEPS_LINE + 1,
      column: expect.any(Number) as number,
      path: ["workflow_coordination", "steps", 0, "timeout_ms"],
      message: 'expected a whole number from 100 to 300,000, found the text "soon"',
    });
  });

  it("CONTRACT-3 all problems come at once, also those of the graph", () => {
    const text = onexText(
      stepText(1, [2]),
      stepText(2, [1], "priority: 0"),
      stepText(2, [8]),
      "step_name: '', step_type: computer",
    ).replace("workflow_name: w", "workflow_name: ''");
    expect(shown(text)).toEqual([
      "6 '' OUT_OF_RANGE",
      `${STEPS_LINE + 2} 0 OUT_OF_RANGE`,
      `${STEPS_LINE + 4} '' OUT_OF_RANGE`,
      `${STEPS_LINE + 4} computer WRONG_VALUE`,
      `${STEPS_LINE + 3} ${uuid(2)} DUPLICATE_STEP`,
      `${STEPS_LINE + 3} ${uuid(8)} UNKNOWN_DEPENDENCY`,
      `${STEPS_LINE + 1} ${uuid(2)} DEPENDENCY_CYCLE`,
    ]);
  });

  it("GRAPH-6 structural problems by declaration, then dependencies by declaration, cycles last", () => {
    const text = onexText(
      stepText(1, [2]),
      stepText(2, [1]),
      stepText(3, [9]),
      "step_name: c, step_type: conditional",
      stepText(3),
      stepText(4, [4]),
    ).replace("description: d", "description: d\n      execution_mode: streaming");
    expect(refused(text).map(({ code, path }) => `${code} ${path.slice(2, 4).join(".")}`)).toEqual([
      "VALIDATION_ERROR workflow_metadata.execution_mode",
      "VALIDATION_ERROR 3.step_type",
      "UNKNOWN_DEPENDENCY 2.depends_on",
      "DUPLICATE_STEP 4.step_id",
      "DEPENDENCY_CYCLE 0.depends_on",
      "DEPENDENCY_CYCLE 5.depends_on",
    ]);
  });

  it("CONTRACT-3 an unknown dependency is not reported while some id cannot be read", () => {
    const text = onexText("step_id: five, step_name: a, step_type: compute", stepText(2, [5]));
    expect(refused(text).map(({ code }) => code)).toEqual(["WRONG_VALUE"]);
  });
});

describe("steps in the wrong place", () => {
  const list = `[{ ${stepText(1)} }]`;
  it.each([
    ["at the top", `${onexText()}steps: ${list}\n`, "steps"],
    [
      "in the definition",
      onexText().replace("    version", `    steps: ${list}\n    version`),
      "workflow_definition.steps",
    ],
    [
      "in the metadata",
      onexText().replace("      version", `      steps: ${list}\n      version`),
      "workflow_metadata.steps",
    ],
    ["in the graph", onexText().replace("_graph: {", `_graph: { steps: ${list},`), "execution_graph.steps"],
  ])("CONTRACT-4 %s are an error that names the right one", (_, text, path) => {
    const [problem, ...others] = refused(text);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      code: "UNKNOWN_KEY",
      message: "expected the steps at `workflow_coordination.steps`, found a list of them here",
      hint: "move it to `workflow_coordination.steps`",
    });
    expect(problem!.path.join(".")).toMatch(new RegExp(`${path}$`, "u"));
  });

  it.each([
    ["a saga", `${onexText()}  saga: { steps: ${list} }\n`],
    ["a part that nobody knows", `${onexText()}  stages: [{ steps: ${list} }]\n`],
    ["a step", onexText(stepText(1, [], `steps: ${list}`))],
    ["a reserved field", onexText(stepText(1, [], `compensation_action: { steps: ${list} }`))],
    ["a compensation", onexText(stepText(1, [], `compensation: { steps: ${list} }`))],
    ["another part at the top", `${onexText()}other: { steps: ${list} }\n`],
  ])("CONTRACT-5 inside %s are somebody else's", (_, text) => {
    expect(() => loadOnexContract(text)).not.toThrow();
  });

  it.each(["step", "stpes", "Steps"])("CONTRACT-4 under the misspelt key `%s` are an error with a hint", (key) => {
    for (const beside of ["", "  steps: []\n"])
      expect(refused(`${onexText()}${beside}  ${key}: ${list}\n`)).toMatchObject([
        { code: "UNKNOWN_KEY", path: ["workflow_coordination", key], hint: "did you mean `steps`?" },
      ]);
    expect(() => loadOnexContract(`${onexText(stepText(2))}  ${key}: ${list}\n`)).not.toThrow();
    expect(() => loadOnexContract(`${onexText()}  ${key}: []\n`)).not.toThrow();
  });

  it("CONTRACT-4 the place that is shown is the key", () => {
    expect(shown(`${onexText()}steps: []\n`)).toEqual([`${STEPS_LINE} steps: UNKNOWN_KEY`]);
  });
});

/** Ranges of the source: the key, and what just fits, and what does not. */
const RANGES: readonly (readonly [string, readonly (number | string)[], readonly (number | string)[]])[] = [
  ["timeout_ms", [100, 300_000], [99, 300_001, 0, -1]],
  ["retry_count", [0, 10], [-1, 11]],
  ["max_memory_mb", [1, 32_768, "null"], [0, 32_769]],
  ["max_cpu_percent", [1, 100, "null"], [0, 101]],
  ["priority", [1, 1000], [0, 1001]],
  ["order_index", [0, 1_000_000], [-1]],
  ["max_parallel_instances", [1, 100], [0, 101]],
  ["parallel_group", ["null", "''", "𝄋".repeat(100)], ["x".repeat(101)]],
];

describe("ranges", () => {
  it.each(RANGES)("ruling 12 %s takes what the source takes and nothing beside it", (key, fitting, others) => {
    for (const value of fitting)
      expect(loadOnexContract(onexText(stepText(1, [], `${key}: ${value}`))).steps).toHaveLength(1);
    for (const value of others) expect(stepProblem(`${key}: ${value}`).code).toBe("OUT_OF_RANGE");
  });

  it("ruling 12 a name has 1 to 200 characters, and a workflow at least a second", () => {
    const named = (name: string): string => onexText(`step_name: "${name}", step_type: compute`);
    expect(loadOnexContract(named("𝄋".repeat(200))).steps).toHaveLength(1);
    expect([named(""), named("x".repeat(201))].map(shown)).toEqual([
      [`${STEPS_LINE + 1} "" OUT_OF_RANGE`],
      [`${STEPS_LINE + 1} "${"x".repeat(201)}" OUT_OF_RANGE`],
    ]);
    const timed = (ms: number): string =>
      onexText().replace("description: d", `description: d\n      timeout_ms: ${ms}`);
    expect(loadOnexContract(timed(1000)).definition.workflowMetadata.timeoutMs).toBe(1000);
    expect(shown(timed(999))).toEqual(["9 999 OUT_OF_RANGE"]);
  });
});

/** Wrong types; nothing is coerced. */
const TYPES: readonly (readonly [string, string])[] = [
  ["step_name", "5"],
  ["step_type", "true"],
  ["step_id", "1"],
  ["correlation_id", "[]"],
  ["timeout_ms", '"100"'],
  ["retry_count", "1.5"],
  ["enabled", "1"],
  ["skip_on_failure", "yes"],
  ["continue_on_error", "null"],
  ["error_action", "null"],
  ["priority", "{}"],
  ["order_index", "null"],
  ["depends_on", uuid(1)],
  ["parallel_group", "5"],
];

const RESERVED_VALUES = ["true", "0", "1.5", "null", "text", "[]", "[{ a: 1 }]", "{}", "{ steps: [{ a: b }] }"];

describe("types", () => {
  it.each(TYPES)("CONTRACT-5 %s is not %s", (key, value) => {
    const step = { step_name: "a", step_type: "custom", [key]: value };
    const text = onexText(
      Object.entries(step)
        .map(([each, written]) => `${each}: ${written}`)
        .join(", "),
    );
    const [problem, ...others] = refused(text);
    expect(others).toEqual([]);
    expect(problem!.path.at(-1)).toBe(key);
    expect(problem!.message).toMatch(/^expected .+, found .+/u);
  });

  it.each(["condition", "compensation_action", "checkpoint_required", "idempotency_key"])(
    "CONTRACT-5 PLAN-16 the reserved %s of a step is kept whatever its type",
    (key) => {
      for (const value of RESERVED_VALUES) {
        const models = loadOnexContract(onexText(stepText(1, [], `${key}: ${value}`)));
        expect(loadOnexContract(toOnexYaml(models))).toEqual(models);
        expect(toOnexYaml(models)).toContain(`${key}:`);
      }
    },
  );

  it.each(["compensation_enabled", "saga_pattern", "checkpoint_enabled"])(
    "CONTRACT-5 PLAN-16 the reserved %s of a definition is kept whatever its type",
    (key) => {
      for (const value of RESERVED_VALUES) {
        const models = loadOnexContract(onexText().replace("    version", `    ${key}: ${value}\n    version`));
        expect(loadOnexContract(toOnexYaml(models))).toEqual(models);
      }
    },
  );

  it("CONTRACT-5 PLAN-16 nodes without `node_id`, and nodes that are no maps, are kept", () => {
    for (const nodes of ["[{ node_type: t }]", "[{}, a, null, [1]]", "{ a: 1 }", "null", "text", "[{ node_id: 5 }]"]) {
      const models = loadOnexContract(onexText().replace("_graph: {", `_graph: { nodes: ${nodes},`));
      expect(loadOnexContract(toOnexYaml(models))).toEqual(models);
    }
  });

  it.each([
    ["workflow_definition", "workflow_coordination: {}"],
    ["workflow_coordination", "name: w"],
    ["version", onexText().replace("    version: { major: 1, minor: 0, patch: 0 }\n", "")],
    ["minor", onexText().replace("minor: 2, ", "")],
    ["description", onexText().replace("      description: d\n", "")],
    ["execution_graph", onexText().replace(/ {4}execution_graph.*\n/u, "")],
    ["step_name", onexText("step_type: compute")],
    ["step_type", onexText("step_name: a")],
  ])("CONTRACT-3 a contract without %s says what is missing", (key, text) => {
    const problem = refused(text).find(({ path }) => path.at(-1) === key);
    expect(problem).toMatchObject({
      code: "MISSING_KEY",
      message: expect.stringContaining(`\`${key}\` is missing: expected`) as string,
    });
  });
});

describe("suggestions", () => {
  it.each([
    [
      "a key that is misspelt",
      onexText("step_nmae: a, step_type: compute"),
      "`step_nmae` is ignored; did you mean this key?",
    ],
    ["a word that is misspelt", onexText(stepText(1, [], "error_action: continu")), "did you mean `continue`?"],
    [
      "a dependency by name",
      onexText(stepText(1), stepText(2).concat(", depends_on: [S1]")),
      `write the step's \`step_id\`: ${uuid(1)}`,
    ],
    [
      "an agent's key that is misspelt",
      `${onexText()}segno: { agents: { NodeEffect: { modul: ./x.ts } } }\n`,
      "did you mean `module`?",
    ],
  ])("CONTRACT-3 %s", (_, text, hint) => {
    expect(refused(text).map((problem) => problem.hint)).toEqual([hint]);
  });

  it("CONTRACT-3 keys that are known somewhere are not taken for misspelt ones", () => {
    expect(refused(onexText("step_type: compute"))[0]).not.toHaveProperty("hint");
  });

  it("CONTRACT-3 an agent's export needs a module, as in a native contract", () => {
    expect(shown(`${onexText()}segno: { agents: { NodeEffect: { export: x } } }\n`)).toEqual([
      `${STEPS_LINE} export: KEYS_CONFLICT`,
    ]);
  });
});
