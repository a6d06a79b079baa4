// From a definition to a contract and back, for definitions of every kind.

import { stepId, type Definition, type Json, type MatrixList } from "@segno/kernel";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { AWKWARD_TEXT } from "../../test/awkward-text.ts";
import { definitionHash } from "../json/definition-hash.ts";
import { loadContract } from "../load/load-contract.ts";
import { toYaml } from "./to-yaml.ts";

const WORDS = ["a", "b-c", "_d", "E9", "on", "null", "true", "yes", "n", "constructor_", "x1"];
const word = fc.constantFrom(...WORDS);
const text = fc.oneof(
  fc.constantFrom(...AWKWARD_TEXT, "<<", "${ input.a }", "x ${ input.b.c } y", "$${ x }"),
  fc
    .string({ minLength: 1, maxLength: 20, unit: "grapheme" })
    .filter((each) => !each.includes("${") && each.isWellFormed()),
);
const url = fc.constantFrom(
  "https://example.com",
  "https://example.com/${ input.a }?b=${ input.b.c }",
  "https://example.com/$${ x }/'\"#<<",
);
const key = fc.oneof(word, text).filter((each) => !["__proto__", "constructor", "prototype", "<<"].includes(each));
const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => (each === 0 ? 0 : each)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const schema = fc.constantFrom<Json>(
  true,
  {},
  { type: "object", properties: { a: { pattern: "^x" } }, additionalProperties: true },
  { enum: ["on", 1, null, {}] },
);
const duration = fc.oneof(
  fc.integer({ min: 1, max: 100_000 }),
  fc.integer({ min: 1, max: 100 }).map((each) => each * 60_000),
  fc.integer({ min: 1, max: 30 }).map((each) => each * 86_400_000),
);
const name = fc.constantFrom("alpha", "beta.x", "_g-1");
const scalar = fc.oneof(text, fc.integer(), fc.boolean());
const env = fc.dictionary(fc.constantFrom("A", "B_1", "_c"), scalar, { maxKeys: 3 });
const rate = fc.record({ rate: fc.integer({ min: 1, max: 100 }), per: duration });

function some<Fields>(fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> }): fc.Arbitrary<Partial<Fields>> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<Fields>>;
}

const limits = some({ concurrency: fc.integer({ min: 1, max: 9 }), rate });
const retry = some({
  attempts: fc.integer({ min: 1, max: 9 }),
  base: fc.integer({ min: 0, max: 999 }),
  factor: fc.constantFrom(1, 1.5, 10),
  max: fc.constantFrom(1000, 60_000),
  jitter: fc.constantFrom("none", "full"),
  on: fc.constantFrom(["transient"], ["timeout", "transient"]),
});
const call = fc.oneof(
  fc.record({
    kind: fc.constant("run"),
    script: fc.constantFrom("x", "echo hi\n", "set -e\n\n  cd a\nls\n", "  indented\nscript", "a # b"),
  }),
  fc.record({
    kind: fc.constant("exec"),
    argv: fc.array(scalar, { maxLength: 4 }).map((rest) => ["program"].concat(rest as string[])),
  }),
  fc.record({ kind: fc.constant("agent"), agent: name }),
  fc.record(
    {
      kind: fc.constant("http"),
      method: fc.constantFrom("GET", "POST"),
      url,
      headers: fc.dictionary(fc.constantFrom("X-A", "b"), scalar, { maxKeys: 2 }),
      body: json,
    },
    { requiredKeys: ["kind", "method", "url"] },
  ),
);
const compensation = fc.record(
  { action: call, input: json, env, secrets: fc.constant(["token"]), retry, timeout: duration },
  { requiredKeys: ["action"] },
);

const waits = fc.oneof(
  fc.record(
    { kind: fc.constant("wait"), on: fc.constant("signal"), signal: name, schema, timeout: duration },
    { requiredKeys: ["kind", "on", "signal"] },
  ),
  fc.record({ kind: fc.constant("wait"), on: fc.constant("duration"), for: duration }),
  fc.record({
    kind: fc.constant("wait"),
    on: fc.constant("time"),
    until: fc.constantFrom("2030-01-31T09:00:00Z", "${ input.at }"),
  }),
);
const approve = fc.record(
  {
    kind: fc.constant("approve"),
    by: fc.constantFrom(["ada", "on"], ["x", "y", "z"]),
    quorum: fc.integer({ min: 1, max: 2 }),
    expires: duration,
    message: text,
  },
  { requiredKeys: ["kind"] },
);
const map = fc.record(
  {
    kind: fc.constant("map"),
    over: fc.constantFrom<string | readonly MatrixList[]>("input.items", "input.a[?b > `1`]", [
      { name: "os", list: ["linux", "mac"] },
      { name: "node", list: "input.items" },
    ]),
    steps: fc
      .array(call, { minLength: 1, maxLength: 3 })
      .map((actions) => actions.map((action, index) => ({ id: `i${index}`, action }))),
    result: fc.constant("i0"),
    concurrency: fc.integer({ min: 1, max: 9 }),
    label: text,
    tolerance: fc.constantFrom<number | string>(0, 3, "0%", "12.5%"),
  },
  { requiredKeys: ["kind", "over", "steps"] },
);
const action = fc.oneof(
  call,
  waits,
  approve,
  map,
  fc.record({ kind: fc.constant("barrier") }),
  fc.record({ kind: fc.constant("workflow"), workflow: fc.constantFrom("other", "other@1.0") }),
);

const stepKeys = fc.record(
  {
    action,
    name: text,
    when: fc.constantFrom("input.a", "input.a == 'on'", "!(input.b)"),
    input: json,
    inputSchema: schema,
    output: some({ select: fc.constantFrom("@", "to_string(@)"), schema }),
    env,
    secrets: fc.constant(["token"]),
    retry,
    timeout: duration,
    onError: fc.constantFrom("fail", "continue"),
    compensate: compensation,
    priority: fc.integer({ min: -5, max: 5 }),
    resources: fc.constant({ staging: 1 }),
    limits,
    enabled: fc.boolean(),
    private: fc.constant(["variables.draft"]),
  },
  { requiredKeys: ["action"] },
);

type StepKeys = typeof stepKeys extends fc.Arbitrary<infer Keys> ? Keys : never;

/** Drops keys that the contract refuses: only attempts retry and hold resources, and only steps that take time have a timeout. */
function withoutIdleKeys({ retry: again, timeout, resources, limits: bounds, ...keys }: StepKeys): StepKeys {
  const { kind } = keys.action;
  const isCall = ["run", "exec", "agent", "http"].includes(kind);
  return {
    ...keys,
    ...(isCall && again !== undefined ? { retry: again } : {}),
    ...((isCall || kind === "map") && resources !== undefined ? { resources } : {}),
    ...((isCall || kind === "map") && bounds !== undefined ? { limits: bounds } : {}),
    ...((isCall || kind === "map" || kind === "workflow") && timeout !== undefined ? { timeout } : {}),
  };
}

const steps = fc
  .array(fc.tuple(stepKeys, fc.array(fc.nat(9), { maxLength: 3 }), fc.boolean()), { maxLength: 5 })
  .map((rows) =>
    rows.map(([keys, before, isSettled], index) => {
      const dependsOn = before
        .filter((each) => each < index)
        .map((each) => ({ step: stepId(`s-${each}`), on: isSettled ? ("settled" as const) : ("succeeded" as const) }));
      const { output, ...rest } = withoutIdleKeys(keys);
      return {
        id: stepId(`s-${index}`),
        ...rest,
        ...(dependsOn.length > 0 ? { dependsOn } : {}),
        ...(output === undefined ? {} : { output: { ...output, to: `variables.v${index}`, merge: "append" } }),
      };
    }),
  );

const definitions = fc.record(
  {
    name: fc.constantFrom("w", "a.b-c"),
    version: fc.constantFrom("1.0", "2", "v1+x", "1e3"),
    description: text,
    input: schema,
    output: json,
    variables: fc.dictionary(key, json, { maxKeys: 3 }),
    readOnly: fc.constant(["variables.fixed"]),
    strict: fc.boolean(),
    concurrency: fc.integer({ min: 1, max: 9 }),
    timeout: duration,
    grace: fc.integer({ min: 0, max: 9000 }),
    onFailure: fc.constantFrom("abort", "finish", "compensate"),
    resources: fc.constantFrom(
      { staging: { kind: "capacity", capacity: 2 } },
      { staging: { kind: "capacity", capacity: 1 }, other: { kind: "quota", rate: 3, per: 60_000 } },
    ),
    agents: fc.dictionary(
      name,
      some({
        module: fc.constant("./m.ts"),
        limits,
        breaker: some({ failures: fc.integer({ min: 1, max: 9 }), cooldown: duration }),
      }),
      { maxKeys: 2 },
    ),
    secrets: fc.constant(["token", "other"]),
    steps,
  },
  { requiredKeys: ["name", "steps"] },
) as unknown as fc.Arbitrary<Definition>;

describe("writing a definition as a contract", () => {
  it("CONTRACT-8 a definition of any kind loads again to the same hash", () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        const written = toYaml(definition);
        const again = loadContract(written);
        expect(again).toEqual(definition);
        expect(definitionHash(again)).toBe(definitionHash(definition));
      }),
      { numRuns: 500 },
    );
  });

  it("CONTRACT-8 what was loaded and written is written the same way again", () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        expect(toYaml(loadContract(toYaml(definition)))).toBe(toYaml(definition));
      }),
      { numRuns: 100 },
    );
  });

  it("CONTRACT-1 uses shorthands, blocks for scripts and one line for short lists", () => {
    const definition = loadContract(
      JSON.stringify({
        steps: [
          { retry: { attempts: 3 }, run: "set -e\nmake\n", timeout: 90_000, id: "a" },
          { id: "b", dependsOn: [{ step: "a", on: "succeeded" }], http: { method: "GET", url: "https://example.com" } },
        ],
        resources: { github: "30/60s" },
        name: "w",
      }),
    );
    expect(toYaml(definition)).toBe(
      [
        "name: w",
        "resources:",
        "  github:",
        "    rate: 30",
        "    per: 1m",
        "steps:",
        "  - id: a",
        "    run: |",
        "      set -e",
        "      make",
        "    retry: 3",
        "    timeout: 90s",
        "  - id: b",
        "    http: https://example.com",
        "    dependsOn: [a]",
        "",
      ].join("\n"),
    );
  });

  it("CONTRACT-1 writes shared values twice instead of as anchors", () => {
    expect(toYaml(loadContract("name: w\nvariables: { a: &x { k: 1 }, b: *x }\nsteps: []"))).not.toMatch(/[&*]/u);
  });
});
