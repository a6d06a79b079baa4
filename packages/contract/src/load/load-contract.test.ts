// Loading: from text to a definition, and from a broken text to all of its problems.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { KERNEL_CODES, SegnoError, type Definition, type StepDefinition } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { measureGrowth } from "../../test/counted-work.ts";
import { ContractError, type LocatedProblem } from "../errors/contract-error.ts";
import { definitionHash } from "../json/definition-hash.ts";
import { CONTRACT_CODES } from "../errors/error-codes.ts";
import { loadContract } from "./load-contract.ts";

function findProblems(text: string | Uint8Array): readonly LocatedProblem[] {
  try {
    loadContract(text, { file: "case.yaml" });
    return [];
  } catch (error) {
    if (error instanceof ContractError) return error.problems;
    throw error;
  }
}

/** `line:column CODE` for each problem. */
const positions = (text: string): readonly string[] =>
  findProblems(text).map(({ line, column, code }) => `${line}:${column} ${code}`);

/** The one step of a workflow, written as the keys below its id. */
const findStep = (keys: string): StepDefinition =>
  loadContract(`name: w\nsteps:\n  - id: a\n    ${keys.split("\n").join("\n    ")}\n`).steps[0]!;

const withStep = (keys: string): Definition =>
  loadContract(`name: w\nsteps:\n  - { id: b, run: y }\n  - id: a\n    ${keys.split("\n").join("\n    ")}\n`);
const loadBroken = (): Definition => loadContract("nme: x\nsteps: [{ id: a, run: 5 }]", { file: "w.yaml" });

describe("a contract that loads", () => {
  it("CONTRACT-1 gives one definition, frozen all the way down", () => {
    const definition = loadContract(
      "name: w\nvariables: { deep: { list: [{ x: 1 }] } }\nsteps: [{ id: a, run: x, env: { A: b } }]",
    );
    const open: unknown[] = [definition];
    for (let each = open.pop(); each !== undefined; each = open.pop()) {
      expect(Object.isFrozen(each)).toBe(true);
      if (typeof each === "object" && each !== null)
        for (const inner of Object.values(each)) if (inner !== null) open.push(inner);
    }
    expect(definition).toEqual({
      name: "w",
      variables: { deep: { list: [{ x: 1 }] } },
      steps: [{ id: "a", action: { kind: "run", script: "x" }, env: { A: "b" } }],
    });
  });

  it("CONTRACT-1 is the same from YAML, from JSON, from bytes and with a byte order mark", () => {
    const yaml = "name: w\nsteps:\n  - id: a\n    run: x\n    dependsOn: []\n";
    const json = JSON.stringify({ name: "w", steps: [{ id: "a", run: "x", dependsOn: [] }] }, null, 2);
    const hashes = [
      yaml,
      json,
      `\uFEFF${yaml}`,
      new TextEncoder().encode(yaml),
      new TextEncoder().encode(`\uFEFF${json}`),
    ].map((text) => definitionHash(loadContract(text)));
    expect(new Set(hashes).size).toBe(1);
  });

  it("CONTRACT-2 keeps every list in the order it was written", () => {
    const ids = ["z", "m", "a", "k", "b9", "b10"];
    const definition = loadContract(
      `name: w\nsecrets: [z, a, m]\nsteps:\n${ids.map((id) => `  - { id: ${id}, run: x }`).join("\n")}\n  - { id: last, exec: [c, b, a], dependsOn: [m, z, a, m], env: { Z: 1, A: 2 } }\n`,
    );
    expect(definition.steps.map(({ id }) => id)).toEqual([...ids, "last"]);
    expect(definition.secrets).toEqual(["z", "a", "m"]);
    expect(definition.steps.at(-1)!.dependsOn!.map(({ step }) => step)).toEqual(["m", "z", "a", "m"]);
    expect(definition.steps.at(-1)!.action).toEqual({ kind: "exec", argv: ["c", "b", "a"] });
    expect(Object.keys(definition.steps.at(-1)!.env!)).toEqual(["Z", "A"]);
  });

  it("CONTRACT-1 reads words such as `on`, `off`, `yes` and `no` as text", () => {
    expect(findStep("run: x\nenv: { A: on, B: no, C: yes }").env).toEqual({ A: "on", B: "no", C: "yes" });
  });

  it("CONTRACT-1 shares what aliases repeat without copying the text of it", () => {
    const definition = loadContract("name: w\nvariables: { a: &shared { x: [1, 2] }, b: *shared }\nsteps: []");
    expect(definition.variables).toEqual({ a: { x: [1, 2] }, b: { x: [1, 2] } });
  });
});

const SHORT: readonly (readonly [string, string, string])[] = [
  ["dependsOn", "run: x\ndependsOn: [b]", "run: x\ndependsOn: [{ step: b, on: succeeded }]"],
  ["a dependency without `on`", "run: x\ndependsOn: [{ step: b }]", "run: x\ndependsOn: [b]"],
  ["retry", "run: x\nretry: 3", "run: x\nretry: { attempts: 3 }"],
  ["http", "http: https://example.com", "http: { method: GET, url: https://example.com }"],
  ["http without a method", "http: { url: https://example.com }", "http: https://example.com"],
  ["a rate", "run: x\nlimits: { rate: 30/1m }", "run: x\nlimits: { rate: { rate: 30, per: 60000 } }"],
  ["a duration", "run: x\ntimeout: 1h30m", "run: x\ntimeout: 5400000"],
];

const ACTIONS: readonly (readonly [string, unknown])[] = [
  ["run: echo hi", { kind: "run", script: "echo hi" }],
  ["exec: [ls, -l, 5, true]", { kind: "exec", argv: ["ls", "-l", 5, true] }],
  ["agent: writer", { kind: "agent", agent: "writer" }],
  [
    "http: { method: POST, url: u, headers: { X: 1 }, body: [1] }",
    { kind: "http", method: "POST", url: "u", headers: { X: 1 }, body: [1] },
  ],
  ["workflow: other@2", { kind: "workflow", workflow: "other@2" }],
  [
    "map: { over: input.x, steps: [{ id: i, run: y, timeout: 1s }], result: i, concurrency: 2, label: l, tolerance: 5% }",
    {
      kind: "map",
      over: "input.x",
      steps: [{ id: "i", action: { kind: "run", script: "y" }, timeout: 1000 }],
      result: "i",
      concurrency: 2,
      label: "l",
      tolerance: "5%",
    },
  ],
  [
    "wait: { signal: go, schema: { type: object }, timeout: 1d }",
    { kind: "wait", on: "signal", signal: "go", schema: { type: "object" }, timeout: 86_400_000 },
  ],
  ["wait: { for: 250ms }", { kind: "wait", on: "duration", for: 250 }],
  ["wait: { until: 2030-01-31T09:00:00Z }", { kind: "wait", on: "time", until: "2030-01-31T09:00:00Z" }],
  [
    "approve: { by: [ada], quorum: 1, expires: 2d, onExpire: approve, message: m }",
    { kind: "approve", by: ["ada"], quorum: 1, expires: 172_800_000, onExpire: "approve", message: "m" },
  ],
  ["approve: {}", { kind: "approve" }],
  ["barrier: true", { kind: "barrier" }],
];

describe("shorthands", () => {
  it.each(SHORT)("CONTRACT-8 %s gives the same hash as its long form", (_, short, long) => {
    expect(definitionHash(withStep(short))).toBe(definitionHash(withStep(long)));
  });

  it.each(ACTIONS)("CONTRACT-1 `%s` is an action", (keys, action) => {
    expect(findStep(keys).action).toEqual(action);
  });

  it("CONTRACT-1 a compensation is a call with its own keys", () => {
    expect(
      findStep("run: x\ncompensate: { http: u, retry: 2, timeout: 1s, env: { A: b }, secrets: [s], input: 1 }")
        .compensate,
    ).toEqual({
      action: { kind: "http", method: "GET", url: "u" },
      retry: { attempts: 2 },
      timeout: 1000,
      env: { A: "b" },
      secrets: ["s"],
      input: 1,
    });
  });

  it("CONTRACT-1 resources are capacities or quotas, and agents have limits and a breaker", () => {
    const definition = loadContract(
      "name: w\nresources: { a: 2, b: 5/1s, c: { rate: 1, per: 1d } }\nagents: { x: { module: m, breaker: { cooldown: 1s }, limits: { rate: 1/1s } } }\nsteps: []",
    );
    expect(definition.resources).toEqual({
      a: { kind: "capacity", capacity: 2 },
      b: { kind: "quota", rate: 5, per: 1000 },
      c: { kind: "quota", rate: 1, per: 86_400_000 },
    });
    expect(definition.agents).toEqual({
      x: { module: "m", breaker: { cooldown: 1000 }, limits: { rate: { rate: 1, per: 1000 } } },
    });
  });
});

const SUGGESTIONS: readonly (readonly [string, string])[] = [
  ["nmae: w\nsteps: []", "name"],
  ["name: w\nsetps: []", "steps"],
  ["name: w\nsteps: [{ id: a, rnu: x }]", "run"],
  ["name: w\nsteps: [{ id: a, run: x, dependson: [] }]", "dependsOn"],
  ["name: w\nsteps: [{ id: a, run: x, depends_on: [] }]", "dependsOn"],
  ["name: w\nsteps: [{ id: a, run: x, needs: [] }]", "dependsOn"],
  ["name: w\nsteps: [{ id: a, run: x, if: y }]", "when"],
  ["name: w\nsteps: [{ id: a, script: x }]", "run"],
  ["name: w\nsteps: [{ id: a, http: { uri: x } }]", "url"],
  ["name: w\nsteps: [{ id: a, barier: true }]", "barrier"],
  ["name: w\nsteps: [{ id: a, run: x, retry: { maxAttempts: 3 } }]", "attempts"],
];

const FOLLOW_UPS: readonly (readonly [string, string])[] = [
  [
    "a dependency on a broken step with a readable id",
    "name: w\nsteps:\n  - { id: a, run: 5 }\n  - { id: b, run: x, dependsOn: [a], input: '${ steps.a.output }' }",
  ],
  [
    "a dependency on a step whose id has a wrong form",
    "name: w\nsteps:\n  - { id: 9a, run: x }\n  - { id: b, run: x, dependsOn: [9a] }",
  ],
  [
    "a dependency while some step has no id",
    "name: w\nsteps:\n  - { run: x }\n  - { id: b, run: x, dependsOn: [a], input: '${ steps.a.output }' }",
  ],
  [
    "a read over a step whose dependencies are broken",
    "name: w\nsteps:\n  - { id: a, run: x }\n  - { id: b, run: x, dependsOn: a }\n  - { id: c, run: x, dependsOn: [b], input: '${ steps.a.output }' }",
  ],
  [
    "a resource of a broken map of resources",
    "name: w\nresources: { a: 0 }\nsteps:\n  - { id: a, run: x, resources: { a: 3 } }",
  ],
  ["a key under a refused merge key", "name: w\nsteps:\n  - { id: a, <<: { run: x } }"],
  ["a value under a refused tag", "name: w\nsteps:\n  - { id: a, run: x, retry: !lots many }"],
];

describe("a contract that does not load", () => {
  it("CONTRACT-3 throws one error with a code, all problems and a short message", () => {
    expect(loadBroken).toThrow(ContractError);
    expect(loadBroken).toThrow(SegnoError);
    expect(loadBroken).toThrow(
      expect.objectContaining({
        code: "CONTRACT_INVALID",
        message: 'w.yaml:1:1: expected no key "nme" here (and 1 more)',
      }) as Error,
    );
  });

  it("CONTRACT-3 every problem has a file, a line, a column, a path, and what was expected and found", () => {
    expect(findProblems("name: w\nsteps:\n  - id: a\n    run: x\n    retry: lots\n")).toEqual([
      {
        code: "WRONG_TYPE",
        file: "case.yaml",
        line: 5,
        column: 12,
        path: ["steps", 0, "retry"],
        message:
          'expected a number of attempts from 1 to 1,000, or a map of `attempts`, `base`, `factor`, `max`, `jitter`, `on` and `exitCodes`, found the text "lots"',
      },
    ]);
  });

  it("CONTRACT-3 counts columns in UTF-16 units and lines past carriage returns", () => {
    expect(positions('name: w\r\ndescription: "𝄋é"\r\nsteps: [{ id: "é", run: x }]\r\n')).toEqual(["3:15 WRONG_VALUE"]);
    expect(positions('name: w\nsteps: [{ id: a, env: { A: "𝄋" }, run: 5 }]')).toEqual(["2:41 WRONG_TYPE"]);
  });

  it.each(SUGGESTIONS)(
    "CONTRACT-4 an unknown key is an error, and a misspelt one says which was meant: %j",
    (text, meant) => {
      expect(findProblems(text)).toEqual([
        expect.objectContaining({ code: "UNKNOWN_KEY", hint: `did you mean \`${meant}\`?` }),
      ]);
    },
  );

  it("CONTRACT-4 a key that resembles none lists those that there are", () => {
    expect(findProblems("name: w\nsteps: []\nzzzzzzzzz: 1")[0]!.message).toMatch(
      /the keys are name, version, .*, steps$/u,
    );
  });
});

describe("problems together", () => {
  it("GRAPH-6 problems of one place come first by place, then those between steps, cycles last", () => {
    const text = [
      "name: w",
      "steps:",
      "  - { id: a, run: x, dependsOn: [b] }",
      "  - { id: b, run: x, dependsOn: [a, nowhere] }",
      "  - { id: b, run: x }",
      "  - { id: c, run: x, priority: high }",
      "  - { id: d, run: x, retry: 0 }",
      "timeout: soon",
    ].join("\n");
    expect(positions(text)).toEqual([
      "6:32 WRONG_TYPE",
      "7:29 OUT_OF_RANGE",
      "8:10 WRONG_VALUE",
      "4:37 UNKNOWN_DEPENDENCY",
      "5:11 DUPLICATE_STEP",
      "3:34 DEPENDENCY_CYCLE",
    ]);
  });

  it("CONTRACT-3 one slip does not hide what the kernel finds elsewhere", () => {
    const text =
      "name: w\nsteps:\n  - { id: a, run: x, timeout: never }\n  - { id: b, run: x, when: 'a..b' }\n  - { id: c, run: x, dependsOn: [d] }\n";
    expect(positions(text)).toEqual(["3:31 WRONG_VALUE", "4:28 EXPRESSION_SYNTAX", "5:34 UNKNOWN_DEPENDENCY"]);
  });

  it.each(FOLLOW_UPS)("CONTRACT-3 does not report what only follows from another problem: %s", (_, text) => {
    expect(findProblems(text)).toHaveLength(1);
  });

  it("CONTRACT-3 every code it gives is in the catalogue", () => {
    for (const { code } of findProblems("nmae: w\nsteps: [5, { id: a }]"))
      expect({ ...KERNEL_CODES, ...CONTRACT_CODES }).toHaveProperty(code);
  });
});

const PLACES: readonly (readonly [string, string, string])[] = [
  ["a script", "run: echo ${ input.x }", "1:6 SCRIPT_TEMPLATE"],
  ["an argument", 'exec: [x, "${ a( }"]', "1:11 EXPRESSION_SYNTAX"],
  ["a bare URL", "http: ${ a( }", "1:7 EXPRESSION_SYNTAX"],
  ["a header", 'http: { url: x, headers: { A: "${ a( }" } }', "1:31 EXPRESSION_SYNTAX"],
  ["a map's list", "map: { over: 'a(', steps: [{ id: i, run: x }] }", "1:14 EXPRESSION_SYNTAX"],
  ["a step inside a map", "map: { over: input.x, steps: [{ id: i, run: x, when: 'a(' }] }", "1:54 EXPRESSION_SYNTAX"],
  ["a script inside a map", 'map: { over: input.x, steps: [{ id: i, run: "${ item.x }" }] }', "1:45 SCRIPT_TEMPLATE"],
  ["a map's result", "map: { over: input.x, steps: [{ id: i, run: x }], result: j }", "1:59 UNKNOWN_RESULT"],
  ["a time", "wait: { until: '${ a( }' }", "1:16 EXPRESSION_SYNTAX"],
  ["a message", "approve: { message: '${ a( }' }", "1:21 EXPRESSION_SYNTAX"],
  ["a compensation's argument", 'run: x\ncompensate: { exec: [y, "${ a( }"] }', "2:25 EXPRESSION_SYNTAX"],
  ["a compensation's script", 'run: x\ncompensate: { run: "${ steps.a.output }" }', "2:20 SCRIPT_TEMPLATE"],
  ["a template", 'run: x\nenv: { A: "${ nowhere.x }" }', "2:11 UNKNOWN_ROOT"],
  ["a condition", "run: x\nwhen: a(", "2:7 EXPRESSION_SYNTAX"],
  ["a condition that reads a field that no step has", "run: x\nwhen: execution.nme", "2:7 UNKNOWN_FIELD"],
  ["a variable that nobody writes", 'run: x\ninput: { a: "${ variables.no }" }', "2:13 UNKNOWN_VARIABLE"],
  ["a comparison that is never true", "run: x\nwhen: execution.id == `3`", "2:7 FIXED_COMPARISON"],
  ["a selection", "run: x\noutput: { select: 'a(' }", "2:19 EXPRESSION_SYNTAX"],
];

describe("places of what the kernel finds", () => {
  it.each(PLACES)("CONTRACT-3 %s", (_, keys, expected) => {
    const [place, code] = expected.split(" ");
    const [line, column] = place!.split(":").map(Number);
    const text = `name: w\nsteps:\n  - id: a\n    ${keys.split("\n").join("\n    ")}\n`;
    expect(positions(text)).toEqual([`${line! + 3}:${column! + 4} ${code}`]);
  });

  it("CONTRACT-11 a read of a step that may not have ended is refused with the line to add", () => {
    const [problem] = findProblems(
      "name: w\nsteps:\n  - { id: a, run: x }\n  - { id: b, run: x }\n  - { id: c, run: x, dependsOn: [b], input: '${ steps.a.output }' }",
    );
    expect(problem).toMatchObject({
      code: "READ_TOO_EARLY",
      line: 5,
      column: 45,
      hint: expect.stringContaining("dependsOn: [b, a]") as string,
    });
  });

  it("CONTRACT-11 an id with a hyphen that is not quoted is suggested in quotes", () => {
    const problems = findProblems(
      "name: w\nsteps:\n  - { id: build-a, run: x }\n  - { id: c, run: x, dependsOn: [build-a], input: '${ steps.build-a.output }' }",
    );
    expect(problems.map(({ hint }) => hint).join("\n")).toContain('steps."build-a"');
  });

  it("DATA-4 a write to a read-only variable is refused at its place", () => {
    expect(
      positions(
        "name: w\nvariables: { a: 1 }\nreadOnly: [variables.a]\nsteps:\n  - { id: a, run: x, output: { to: variables.a } }",
      ),
    ).toEqual(["5:36 VARIABLE_READ_ONLY"]);
  });
});

describe("loading", () => {
  it("CONTRACT-10 runs and imports nothing that the contract names", async () => {
    const folder = mkdtempSync(join(tmpdir(), "segno-contract-"));
    try {
      const marker = join(folder, "marker");
      const module = join(folder, "agent.mjs");
      const write = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, "ran");`;
      writeFileSync(module, write);
      const text = `name: w\nagents: { x: { module: ${JSON.stringify(module)}, thread: true } }\nsteps:\n  - { id: a, agent: x }\n  - { id: b, run: ${JSON.stringify(`touch ${marker}`)} }\n  - { id: c, exec: [touch, ${JSON.stringify(marker)}] }\n`;
      loadContract(text);
      await new Promise((resolve) => setImmediate(resolve));
      expect(existsSync(marker)).toBe(false);
      await import(pathToFileURL(module).href);
      expect(existsSync(marker)).toBe(true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("CONTRACT-9 a contract of 5,000 steps and nearly a megabyte loads, and is twice the work of its half", () => {
    const text = (length: number): string =>
      `name: w\nsteps:\n${Array.from({ length }, (_, index) => bigStep(index)).join("")}`;
    expect(text(5000).length).toBeGreaterThan(900_000);
    expect(loadContract(text(5000)).steps).toHaveLength(5000);
    expect(measureGrowth(2500, (length) => loadContract(text(length)))).toBeLessThan(2.2);
  });
});

function bigStep(index: number): string {
  const before = index === 0 ? [] : [`step-${index - 1}`];
  return `  - id: step-${index}\n    exec: [program, --number, "${index}", --input, "\${ input.files }"]\n    dependsOn: [${before.join(", ")}]\n    env: { LEVEL: "\${ input.level }" }\n    retry: { attempts: 3, base: 1s }\n    timeout: 5m\n`;
}

it.each([
  ["when: true", "remove it: a step without `when` always runs"],
  ["when: false", "write `enabled: false` instead"],
  ["when: 5", "write an expression in quotes; write a constant in backticks"],
])("CONTRACT-3 WRONG_TYPE `%s` gets a hint that helps", (line, hint) => {
  const result = findProblems(`name: w\nsteps: [{ id: a, run: x, ${line} }]`);
  expect(result.map((each) => [each.code, each.hint])).toEqual([["WRONG_TYPE", hint]]);
});
