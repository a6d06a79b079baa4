// Hostile ONEX contracts end in an error with places, never in a dead process: the native loader's attacks, made on this one.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { measureGrowth } from "../../test/counted-work.ts";
import { onexText, stepText, uuid } from "../../test/onex-text.ts";
import { ContractError, type LocatedProblem } from "../errors/contract-error.ts";
import { DOCUMENT_LIMITS } from "../document/document-limits.ts";
import { readDocument } from "../document/read-document.ts";
import { definitionOfOnex } from "./definition-of-onex.ts";
import { loadOnexContract } from "./load-onex-contract.ts";

/** Its problems; none when it was accepted. Anything but the loader's own error gets out. */
function findProblems(
  content: string | Uint8Array,
  load: (content: string | Uint8Array) => unknown = loadOnexContract,
): readonly LocatedProblem[] {
  try {
    load(content);
  } catch (error) {
    if (error instanceof ContractError) return error.problems;
    throw error;
  }
  return [];
}

const codes = (content: string | Uint8Array): readonly string[] => [
  ...new Set(findProblems(content).map(({ code }) => code)),
];

/** A contract with this written where nothing is looked at: in a node of the graph. */
const withNode = (written: string): string =>
  onexText().replace("patch: 0 } }\n", `patch: 0 }, nodes: [{ node_id: n, node_type: t, ${written} }] }\n`);

const ATTACKS: readonly (readonly [string, string, string])[] = [
  ["flow lists", "[".repeat(2000), "CONTRACT_TOO_DEEP"],
  ["block lists", "- ".repeat(1000), "CONTRACT_TOO_DEEP"],
  ["lists in a node", withNode(`a: ${"[".repeat(100)}${"]".repeat(100)}`), "CONTRACT_TOO_DEEP"],
  ["more than a mebibyte", `${onexText()}#${"x".repeat(DOCUMENT_LIMITS.bytes)}`, "CONTRACT_TOO_LARGE"],
  ["more than a hundred aliases", withNode(`a: &a x, b: [${"*a, ".repeat(101)}]`), "CONTRACT_TOO_LARGE"],
  ["an alias of nothing", withNode("a: *nothing"), "YAML_REFUSED"],
  ["an alias of what it stands in", withNode("a: &a [*a]"), "YAML_REFUSED"],
  ["__proto__ in a node", withNode("__proto__: { polluted: 1 }"), "FORBIDDEN_KEY"],
  ["__proto__ in a step", onexText(stepText(1, [], "__proto__: { enabled: false }")), "FORBIDDEN_KEY"],
  ["constructor", withNode("a: { constructor: 1 }"), "FORBIDDEN_KEY"],
  ["prototype", `${onexText()}prototype: 1\n`, "FORBIDDEN_KEY"],
  ["__proto__ as an agent", `${onexText()}segno: { agents: { __proto__: { module: ./x.ts } } }\n`, "FORBIDDEN_KEY"],
  ["a merge key", withNode("<<: { a: 1 }"), "YAML_REFUSED"],
  ["a custom tag", onexText(stepText(1, [], "condition: !x y")), "YAML_REFUSED"],
  ["a duplicate key", onexText(stepText(1, [], "step_name: again")), "DUPLICATE_KEY"],
  ["a number that would be rounded", onexText(stepText(1, [], "order_index: 9007199254740993")), "VALUE_NOT_JSON"],
  ["infinity", withNode("a: .inf"), "VALUE_NOT_JSON"],
  ["half of a surrogate pair", onexText(stepText(1, [], 'condition: "\\uD800"')), "VALUE_NOT_JSON"],
  ["a control character", onexText(stepText(1, [], "condition: \u001B[2J")), "CONTRACT_ENCODING"],
  ["a second document", `${onexText()}---\na: 1\n`, "YAML_REFUSED"],
  ["nothing", "", "CONTRACT_EMPTY"],
];

describe("hostile text", () => {
  it.each(ATTACKS)("CONTRACT-9 %s: refused, again and again", (_, text, code) => {
    for (let round = 0; round < 3; round++) expect(codes(text)).toEqual([code]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("CONTRACT-9 a bomb of aliases is refused, twice", () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(9)}]`,
    );
    for (let round = 0; round < 2; round++)
      expect(codes(withNode(`l0: &l0 [${"x, ".repeat(9)}], ${levels.join(", ")}`))).toEqual(["CONTRACT_TOO_LARGE"]);
  });

  it("CONTRACT-9 texts of a megabyte are kept or refused, wherever they stand", () => {
    const long = "x".repeat(1_000_000);
    const { nodes } = loadOnexContract(withNode(`a: ${long}`)).definition.executionGraph;
    expect((nodes as readonly { readonly reserved: object }[])[0]!.reserved).toEqual({ a: long });
    for (const key of ["step_id", "step_type", "parallel_group", "error_action"])
      expect(
        findProblems(onexText(`step_name: a, ${key === "step_type" ? "" : "step_type: custom,"} ${key}: ${long}`)),
      ).toHaveLength(1);
    expect(codes(onexText(`step_type: custom, step_name: ${long}`))).toEqual(["OUT_OF_RANGE"]);
  });

  it("CONTRACT-9 twice as many steps that are all wrong, or all wait for each other, are twice the work", () => {
    const wrong = (length: number): string =>
      onexText(...Array.from({ length }, (_, index) => `step_nam: s${index}, depends_on: [s1]`));
    const ring = (length: number): string =>
      onexText(...Array.from({ length }, (_, index) => stepText(index, [(index + 1) % length])));
    expect(findProblems(wrong(1000)).length).toBe(1001);
    expect(codes(ring(1000))).toEqual(["DEPENDENCY_CYCLE"]);
    for (const text of [wrong, ring])
      expect(measureGrowth(400, (length) => findProblems(text(length)))).toBeLessThan(2.2);
  });
});

const base = parse(
  onexText(stepText(1), stepText(2, [1], "error_action: retry, parallel_group: g"), stepText(3, [1, 2])),
) as object;
const oddValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    null,
    true,
    "",
    0,
    -1,
    1.5,
    1e300,
    [],
    {},
    [null],
    [[]],
    { steps: [] },
    uuid(1),
    [uuid(1)],
    [uuid(9)],
    "conditional",
    "streaming",
    "stop",
  ),
);

/** A place that the document has, or one that it does not. */
const somePath = fc.array(
  fc.oneof(
    fc.constantFrom(
      "workflow_coordination",
      "workflow_definition",
      "workflow_metadata",
      "execution_graph",
      "coordination_rules",
      "steps",
      "segno",
      "agents",
      "version",
      "nodes",
    ),
    fc.constantFrom(
      "step_id",
      "step_name",
      "step_type",
      "depends_on",
      "enabled",
      "timeout_ms",
      "workflow_name",
      "execution_mode",
      "major",
      "description",
      "node_id",
      "saga_pattern",
    ),
    fc.constantFrom(0, 1, 2),
  ),
  { minLength: 1, maxLength: 5 },
);

function changed(document: unknown, [part, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (part === undefined) return value;
  if (Array.isArray(document))
    return document.map((item, index) => (index === part ? changed(item, rest, value) : (item as unknown)));
  const map = (typeof document === "object" && document !== null ? document : {}) as Record<string, unknown>;
  return { ...map, [part]: changed(map[part], rest, value) };
}

describe("wrong documents", () => {
  it.each([
    ["loadOnexContract", loadOnexContract],
    ["what runs", (content: string | Uint8Array) => definitionOfOnex(readDocument(content, "contract"))],
  ])("CONTRACT-9 whatever stands where, %s gives a contract or its own error with places", (_, load) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(somePath, oddValue), { minLength: 1, maxLength: 4 }), (changes) => {
        const document = changes.reduce<unknown>((each, [path, value]) => changed(each, path, value), base);
        const text = JSON.stringify(document, null, 1);
        const lines = text.split("\n");
        for (const { line, column, message } of findProblems(text, load)) {
          expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
          expect(message).not.toBe("");
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("CONTRACT-9 a document of any JSON is refused, unless it is a contract", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(findProblems(JSON.stringify(value) || "x").length).toBeGreaterThan(0);
      }),
    );
  });
});
