// The shape of a contract: every key with a wrong type, every range, every rule between keys.

import { readFileSync } from "node:fs";

import { isJsonArray, isJsonObject, formatJsonPath, type Json, type JsonPath } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { ContractError, type LocatedProblem } from "../errors/contract-error.ts";
import { loadContract } from "../load/load-contract.ts";
import { valueAt } from "../json/value-at.ts";

const EVERYTHING = parse(readFileSync(new URL("../../test/everything.yaml", import.meta.url), "utf8")) as Json;

function findProblems(text: string): readonly LocatedProblem[] {
  try {
    loadContract(text);
    return [];
  } catch (error) {
    if (error instanceof ContractError) return error.problems;
    throw error;
  }
}

/** Keys with free content: templates, variables, schemas. */
const FREE =
  /^(?:input|output|variables|steps\[\d+\]\.(?:input|inputSchema|output\.schema|wait\.schema|approve\.schema|http\.body|compensate\.input))\b/u;
const FREE_ITSELF = new Set([
  "input",
  "variables",
  "steps[0].output.schema",
  "steps[1].inputSchema",
  "steps[5].wait.schema",
  "steps[2].approve.schema",
]);

function* pathsOf(value: Json, path: JsonPath = []): Generator<JsonPath> {
  const text = formatJsonPath(path);
  if (path.length > 0 && (!FREE.test(text) || FREE_ITSELF.has(text))) yield path;
  if (FREE.test(text)) return;
  const entries = isJsonArray(value) ? value.entries() : isJsonObject(value) ? Object.entries(value) : [];
  for (const [key, inner] of entries) yield* pathsOf(inner, [...path, key]);
}

function replaced(value: Json, [key, ...rest]: JsonPath, by: Json): Json {
  if (key === undefined) return by;
  if (isJsonArray(value)) return value.map((item, index) => (index === key ? replaced(item, rest, by) : item));
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([each, inner]) => [
      each,
      each === key ? replaced(inner, rest, by) : inner,
    ]),
  );
}

const withValue = (path: JsonPath, value: Json): string => JSON.stringify(replaced(EVERYTHING, path, value));
const PATHS = [...pathsOf(EVERYTHING)].map((path) => [formatJsonPath(path), path] as const);

describe("types", () => {
  it("CONTRACT-1 the document that uses every key loads", () => {
    expect(loadContract(JSON.stringify(EVERYTHING)).steps).toHaveLength(10);
  });

  it("CONTRACT-3 the document that uses every key has more than a hundred places to break", () => {
    expect(PATHS.length).toBeGreaterThan(100);
  });

  it.each(PATHS)("CONTRACT-3 %s refuses null", (text, path) => {
    const problems = findProblems(withValue(path, null));
    expect(problems.map((problem) => formatJsonPath(problem.path))).toContain(text);
    expect(problems.find((problem) => formatJsonPath(problem.path) === text)!.message).toMatch(
      /^expected .*, found nothing$/u,
    );
  });

  it.each(PATHS)("CONTRACT-3 %s refuses a list or a map where it is none", (text, path) => {
    const value = valueAt(EVERYTHING, path)!;
    const wrong = isJsonArray(value) ? { a: 1 } : [["wrong"]];
    expect(findProblems(withValue(path, wrong)).map((problem) => formatJsonPath(problem.path))).toContain(text);
  });

  it.each(PATHS.filter(([, path]) => isJsonObject(valueAt(EVERYTHING, path)) && !FREE.test(formatJsonPath(path))))(
    "CONTRACT-4 %s refuses a key that it does not know",
    (text, path) => {
      const isFreeMap = /(?:^agents|resources|env|headers|^variables)$/u.test(text);
      const value = { ...(valueAt(EVERYTHING, path) as Record<string, Json>), "not a key": 1 };
      const problems = findProblems(withValue(path, value));
      expect(problems[0]).toMatchObject({
        code: isFreeMap ? "KEY_INVALID" : "UNKNOWN_KEY",
        path: [...path, "not a key"],
      });
    },
  );

  it.each(["name", "steps"])("CONTRACT-3 a workflow needs `%s`", (key) => {
    const { [key]: _, ...rest } = EVERYTHING as Record<string, Json>;
    expect(findProblems(JSON.stringify(rest))).toEqual([expect.objectContaining({ code: "MISSING_KEY", path: [key] })]);
  });
});

/** A key, values that it takes, and values that are right in type but refused. */
const RANGES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["name: %", ["w", "a.b-c_d", "'9'"], ['""', "a b", "a@1", "é", "x".repeat(129)]],
  ["version: %", ['"1.0"', "v2+build"], ['""', '"1 0"']],
  ["concurrency: %", ["1", "10000"], ["0", "-1", "10001", "1.5"]],
  [
    "timeout: %",
    ["1", "1ms", "400d", "1h30m"],
    ["0", "0s", "-5", "1.5", '"5"', "5 s", "1m1h", "s", "-1s", "1.5h", "1w", "99999999999d", "9007199254740993ms"],
  ],
  ["grace: %", ["0", "0s", "5s"], ["-1", "x"]],
  ["onFailure: %", ["abort", "finish", "compensate"], ["Abort", "stop"]],
  [
    "readOnly: [%]",
    ["variables.a", "variables.a.b-c"],
    ["variables", "input.a", "variables.", "variables.9", "variables.a..b"],
  ],
  ["secrets: [%]", ["token", "npm-token"], ["a b", "9x", '""']],
  [
    "resources: { r: % }",
    ["1", "1000000", "1/1s", "{ rate: 1, per: 1 }"],
    ["0", "1.5", "0/1s", "1/0s", "1/x", "x", "{ rate: 0, per: 1 }", "{ rate: 1, per: 0 }"],
  ],
  ["agents: { a: { limits: { concurrency: % } } }", ["1"], ["0", "10001"]],
  ["agents: { a: { breaker: { failures: % } } }", ["1"], ["0"]],
  ["agents: { a: { breaker: { cooldown: % } } }", ["1s"], ["0"]],
];

const STEP_RANGES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["run: %", ["x"], ['""']],
  ["exec: %", ["[x]", "[x, '']"], ["[]", "['']", "[5]"]],
  ["agent: %", ["a", "a.b-c"], ['""', "a b", "9"]],
  ["workflow: %", ["v", "w@1.0"], ["w@", "'@1'", "a b", "a@b@c"]],
  ["http: %", ["https://x", "{ url: x }"], ['""', "{ url: '' }"]],
  ["http: { url: x, method: % }", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], ["get", "BREW"]],
  ["http: { url: x, headers: { %: a } }", ["X-A"], ["'X A'", "'A:'"]],
  ["wait: { signal: % }", ["go"], ["a b", '""']],
  ["wait: { signal: a, timeout: % }", ["1s"], ["0", "-1"]],
  ["wait: { for: % }", ["1", "3d"], ["0", "-1s"]],
  [
    "wait: { until: % }",
    ["2030-01-31T09:00:00Z", "2030-01-31T09:00+02:00", "2028-02-29Z", "'${ input.at }'"],
    ['""', "[]"],
  ],
  ["approve: { quorum: % }", ["1", "1000"], ["0", "1.5"]],
  ["approve: { by: [a, b], quorum: % }", ["1", "2"], ["0"]],
  ["approve: { by: % }", ["[a]"], ["['']"]],
  ["approve: { expires: % }", ["1s"], ["0"]],
  ["approve: { expires: 1s, onExpire: % }", ["reject", "approve"], ["ignore"]],
  ["barrier: %", ["true"], ["false", "{}", "[]", "1", "'true'", "yes", ""]],
  ["map: { over: input.x, steps: [{ id: i, run: x }], concurrency: % }", ["1"], ["0"]],
  [
    "map: { over: input.x, steps: [{ id: i, run: x }], tolerance: % }",
    ["0", "5", "0%", "2.5%", "100%"],
    ["-1", "1.5", "101%", "-1%", "5 %", "100.1%", "x"],
  ],
  ["map: { over: %, steps: [{ id: i, run: x }] }", ["input.x", "'`[]`'"], ['""', "'${ input.x }'"]],
  ["map: { over: input.x, steps: % }", ["[{ id: i, run: x }]"], ["[]"]],
  ["run: x\nretry: %", ["1", "1000", "{}", "{ attempts: 2 }"], ["0", "-1", "1001", "1.5"]],
  ["run: x\nretry: { base: % }", ["0", "5s"], ["-1"]],
  ["run: x\nretry: { base: 5s, max: % }", ["5s", "1m"], ["4s", "-1"]],
  ["run: x\nretry: { factor: % }", ["1", "1.5", "100"], ["0.5", "101"]],
  ["run: x\nretry: { jitter: % }", ["none", "full"], ["some"]],
  ["run: x\nretry: { on: % }", ["[transient]", "[timeout, transient]"], ["[]", "[permanent]"]],
  ["run: x\ntimeout: %", ["1"], ["0"]],
  ["run: x\nonError: %", ["fail", "continue"], ["fallback"]],
  ["run: x\npriority: %", ["-1000", "0", "1000"], ["-1001", "1001", "0.5"]],
  ["run: x\nresources: { r: % }", ["1"], ["0", "1.5"]],
  ["run: x\nlimits: { concurrency: % }", ["1"], ["0"]],
  ["run: x\nlimits: { rate: % }", ["1/1s", "{ rate: 1, per: 1s }"], ["1", "1/s", "{ rate: 1, per: 0 }"]],
  ["run: x\nenv: { %: a }", ["A", "_a1"], ["a-b", "9a", "'a b'", "''"]],
  ["run: x\nprivate: [%]", ["variables.a"], ["input.a"]],
  ["run: x\noutput: { to: % }", ["variables.a"], ["variables", "steps.a"]],
  ["run: x\noutput: { to: variables.a, merge: % }", ["replace", "merge", "append"], ["add"]],
  ["run: x\noutput: { select: % }", ["stdout"], ['""', "'${ a }'"]],
  ["run: x\nwhen: %", ["input.a"], ['""', "'${ input.a }'"]],
  ["run: x\ncompensate: { run: %, timeout: 1s }", ["x"], ['""']],
  ["run: x\ncompensate: { run: x, timeout: % }", ["1s"], ["0"]],
  ["run: x\ncompensate: { run: x, retry: % }", ["2", "{ base: 1s, max: 1s }"], ["0", "{ base: 2s, max: 1s }"]],
];

const inStep = (keys: string): string => `name: w\nsteps:\n  - id: a\n    ${keys.split("\n").join("\n    ")}\n`;
const inWorkflow = (keys: string): string => `${keys.startsWith("name:") ? "" : "name: w\n"}steps: []\n${keys}\n`;

function* cases(): Generator<readonly [string, string, boolean]> {
  for (const [pattern, good, bad] of RANGES) {
    for (const value of good) yield [pattern.replace("%", value), inWorkflow(pattern.replace("%", value)), true];
    for (const value of bad) yield [pattern.replace("%", value), inWorkflow(pattern.replace("%", value)), false];
  }
  for (const [pattern, good, bad] of STEP_RANGES) {
    for (const value of good) yield [pattern.replace("%", value), inStep(pattern.replace("%", value)), true];
    for (const value of bad) yield [pattern.replace("%", value), inStep(pattern.replace("%", value)), false];
  }
}

describe("ranges", () => {
  it.each([...cases()].filter(([, , isGood]) => isGood))("CONTRACT-3 %s is taken", (_, text) => {
    expect(findProblems(text)).toEqual([]);
  });

  it.each([...cases()].filter(([, , isGood]) => !isGood))("CONTRACT-3 %s is refused at its place", (_, text) => {
    const problems = findProblems(text);
    expect(problems.map(({ code }) => code)).toEqual([
      expect.stringMatching(/^(?:OUT_OF_RANGE|WRONG_VALUE|WRONG_TYPE|KEY_INVALID)$/u),
    ]);
    expect(problems[0]!.line).toBeGreaterThan(1 - Number(text.startsWith("steps")));
    expect(problems[0]!.message).toMatch(/^expected .*found/su);
  });

  it.each(["build", "_x", "build-a", "A9_", "a"])("CONTRACT-1 `%s` is an id", (id) => {
    expect(findProblems(`name: w\nsteps: [{ id: ${id}, run: x }]`)).toEqual([]);
  });

  it.each(["9a", "-a", "a b", "a.b", "é", '""', "x".repeat(129)])("CONTRACT-3 `%s` is no id", (id) => {
    expect(findProblems(`name: w\nsteps: [{ id: ${id}, run: x }]`).map(({ path }) => path)).toEqual([
      ["steps", 0, "id"],
    ]);
  });
});

describe("what the kernel refuses too", () => {
  const REFUSED: readonly (readonly [string, string, JsonPath])[] = [
    ["APPROVAL_INVALID", "approve: { by: [] }", ["approve", "by"]],
    ["APPROVAL_INVALID", "approve: { by: [a, b], quorum: 3 }", ["approve", "quorum"]],
    ["APPROVAL_INVALID", "approve: { by: [a, a], quorum: 1 }", ["approve", "by", 1]],
    ["WAIT_TIME_INVALID", "wait: { until: tomorrow }", ["wait", "until"]],
    ["WAIT_TIME_INVALID", "wait: { until: 2030-01-31 }", ["wait", "until"]],
    ["WAIT_TIME_INVALID", "wait: { until: '2030-02-30T00:00:00Z' }", ["wait", "until"]],
    ["WAIT_TIME_INVALID", "wait: { until: '2030-01-31T09:00:00' }", ["wait", "until"]],
    ["MAP_NOT_A_LIST", "map: { over: '`5`', steps: [{ id: i, run: x }] }", ["map", "over"]],
    ["STEP_ID_INVALID", "map: { over: input, steps: [{ id: compensate, run: x }] }", ["map", "steps", 0, "id"]],
    ["WORKFLOW_CYCLE", "workflow: w", ["workflow"]],
  ];

  it.each(REFUSED)("CONTRACT-3 %s is what a contract says of `%s`", (code, keys, path) => {
    expect(findProblems(inStep(keys))).toMatchObject([{ code, path: ["steps", 0, ...path] }]);
  });

  it("CONTRACT-3 it is said beside other problems of the same step", () => {
    for (const [code, keys] of REFUSED.slice(0, 5).filter(([, , path]) => path.length === 2))
      expect(findProblems(inStep(`${keys}\npriority: 1.5`)).map((each) => each.code)).toContain(code);
  });
});

describe("rules between keys", () => {
  const RULES: readonly (readonly [string, string, readonly string[]])[] = [
    ["a step does something", "name: n", ["ACTION_MISSING"]],
    ["a step does one thing", "run: x\nexec: [y]\nagent: z", ["ACTION_AMBIGUOUS", "ACTION_AMBIGUOUS"]],
    ["a barrier does nothing else", "barrier: true\nrun: x", ["ACTION_AMBIGUOUS"]],
    ["a barrier is there or is not", "barrier: false\nrun: x", ["ACTION_AMBIGUOUS", "WRONG_VALUE"]],
    ["a compensation does something", "run: x\ncompensate: { timeout: 1s }", ["ACTION_MISSING"]],
    ["a compensation does one thing", "run: x\ncompensate: { run: x, agent: a }", ["ACTION_AMBIGUOUS"]],
    ["a compensation is a call", "run: x\ncompensate: { wait: { for: 1s } }", ["ACTION_MISSING", "UNKNOWN_KEY"]],
    ["a compensation is no barrier", "run: x\ncompensate: { barrier: true }", ["ACTION_MISSING", "UNKNOWN_KEY"]],
    ["a wait is for something", "wait: {}", ["ACTION_MISSING"]],
    ["a wait is for one thing", "wait: { for: 1s, signal: a }", ["ACTION_AMBIGUOUS"]],
    ["a schema is a signal's", "wait: { for: 1s, schema: {} }", ["KEYS_CONFLICT"]],
    ["a timeout is a signal's", "wait: { for: 1s, timeout: 1s }", ["KEYS_CONFLICT"]],
    ["a voter has one vote", "approve: { by: [a, b, a] }", ["APPROVAL_INVALID"]],
    ["a voter has a name", "approve: { by: [' '] }", ["APPROVAL_INVALID"]],
    ["silence needs an end", "approve: { onExpire: approve }", ["KEYS_CONFLICT"]],
    ["a wait is no attempt", "wait: { for: 1s }\nretry: 2\ntimeout: 1s", ["KEYS_CONFLICT", "KEYS_CONFLICT"]],
    ["an approval is no attempt", "approve: {}\nretry: 2\ntimeout: 1s", ["KEYS_CONFLICT", "KEYS_CONFLICT"]],
    ["a barrier is no attempt", "barrier: true\nretry: 2\ntimeout: 1s", ["KEYS_CONFLICT", "KEYS_CONFLICT"]],
    [
      "items are tried again, not their map",
      "map: { over: input, steps: [{ id: i, run: x }] }\nretry: 2",
      ["KEYS_CONFLICT"],
    ],
    ["steps are tried again, not their workflow", "workflow: v\nretry: 2", ["KEYS_CONFLICT"]],
    ["merging needs a target", "run: x\noutput: { merge: append }", ["KEYS_CONFLICT"]],
  ];

  it.each(RULES)("CONTRACT-3 %s", (_, keys, codes) => {
    expect(findProblems(inStep(keys)).map(({ code }) => code)).toEqual(codes);
  });

  it("CONTRACT-3 the rules hold for the steps of a map too", () => {
    expect(
      findProblems(inStep("map: { over: input.x, steps: [{ id: i }, { id: j, run: x, exec: [y] }] }")).map(
        ({ code }) => code,
      ),
    ).toEqual(["ACTION_MISSING", "ACTION_AMBIGUOUS"]);
  });

  it.each(["export: e", "thread: true"])("CONTRACT-3 an agent with `%s` needs a module", (key) => {
    expect(findProblems(inWorkflow(`agents: { a: { ${key} } }`)).map(({ code }) => code)).toEqual(["KEYS_CONFLICT"]);
  });
});
