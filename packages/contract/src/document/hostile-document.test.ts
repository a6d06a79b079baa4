// Hostile documents end in an error, never in a dead process. Each attack is made twice and more in one process, because
// the second deep document is the one that kills a parser without a guard.

import { describe, expect, it } from "vitest";

import { countedWork, measureGrowths } from "../../test/counted-work.ts";
import { ContractError, type LocatedProblem } from "../errors/contract-error.ts";
import { loadContract } from "../load/load-contract.ts";
import { DOCUMENT_LIMITS } from "./document-limits.ts";

function refused(content: string | Uint8Array): readonly LocatedProblem[] {
  try {
    loadContract(content, { file: "hostile.yaml" });
  } catch (error) {
    if (error instanceof ContractError) return error.problems;
    throw error;
  }
  throw new Error("it was accepted");
}

const codes = (content: string | Uint8Array): readonly string[] => [
  ...new Set(refused(content).map(({ code }) => code)),
];

const indented = (line: string, levels: number): string =>
  Array.from({ length: levels }, (_, level) => `${" ".repeat(level)}${line}`).join("\n");

const nested = (levels: number): string =>
  `name: w\nsteps: []\nvariables: { a: ${"[".repeat(levels)}${"]".repeat(levels)} }`;

const aliases = (count: number): string =>
  `name: w\nsteps: []\nvariables: { a: &a x, b: [${Array.from({ length: count }, () => "*a").join(", ")}] }`;

const DEEP: readonly (readonly [string, string])[] = [
  ["flow lists", "[".repeat(2000)],
  ["closed flow lists", `${"[".repeat(1000)}${"]".repeat(1000)}`],
  ["flow maps", "{a: ".repeat(1000)],
  ["JSON maps", `${'{"a":'.repeat(1000)}1${"}".repeat(1000)}`],
  ["block lists on one line", "- ".repeat(1000)],
  ["explicit keys", "? ".repeat(1000)],
  ["explicit keys and lists", "? - ".repeat(500)],
  ["block maps", indented("a:", 1000)],
  ["block lists", indented("-", 1000)],
  ["anchored lists", "&a [".repeat(700)],
  ["tagged lists", "!t [".repeat(700)],
  ["flow in block", `${indented("a:", 40)} ${"[".repeat(60)}`],
  ["a megabyte of brackets", "[".repeat(DOCUMENT_LIMITS.bytes)],
  ["a megabyte of dashes", "- ".repeat(DOCUMENT_LIMITS.bytes / 2)],
];

describe("nesting", () => {
  it.each(DEEP)("CONTRACT-9 %s are refused before they are composed, again and again", (_, text) => {
    for (let round = 0; round < 10; round++) expect(codes(text)).toEqual(["CONTRACT_TOO_DEEP"]);
  });

  it("CONTRACT-9 the limit is exact and named in the message", () => {
    // The document and `variables` are two levels themselves.
    expect(loadContract(nested(DOCUMENT_LIMITS.depth - 2)).name).toBe("w");
    expect(refused(nested(DOCUMENT_LIMITS.depth - 1))[0]!.message).toContain("at most 64");
  });

  it("CONTRACT-9 aliases inside aliases count as deep as what they stand for", () => {
    const anchors = Array.from(
      { length: 70 },
      (_, level) => `  v${level}: &v${level} [${level === 0 ? "" : `*v${level - 1}`}]`,
    );
    expect(codes(`name: w\nsteps: []\nvariables:\n${anchors.join("\n")}`)).toEqual(["CONTRACT_TOO_DEEP"]);
  });
});

describe("size", () => {
  it("CONTRACT-9 more than a mebibyte is refused and the limit is named", () => {
    const text = `name: w\n${"#".repeat(DOCUMENT_LIMITS.bytes)}`;
    expect(refused(text)[0]).toMatchObject({
      code: "CONTRACT_TOO_LARGE",
      line: 1,
      column: 1,
      message: expect.stringContaining("1,048,576 bytes") as string,
    });
    expect(codes(new TextEncoder().encode(text))).toEqual(["CONTRACT_TOO_LARGE"]);
  });

  it("CONTRACT-9 a hundred megabytes are refused without being parsed", () => {
    for (const content of [new Uint8Array(100_000_000), "[".repeat(100_000_000)]) {
      expect(codes(content)).toEqual(["CONTRACT_TOO_LARGE"]);
      expect(countedWork(() => codes(content))).toBeLessThan(1000);
    }
  });

  it("CONTRACT-9 the limit counts bytes, not characters", () => {
    expect(codes(`name: w\n#${"é".repeat(600_000)}`)).toEqual(["CONTRACT_TOO_LARGE"]);
  });

  it("CONTRACT-9 exactly a mebibyte is read", () => {
    const start = "name: w\nsteps: []\n#";
    expect(loadContract(start + "x".repeat(DOCUMENT_LIMITS.bytes - start.length)).name).toBe("w");
  });

  it.each([
    ["words", "[a,".repeat(1).padEnd(DOCUMENT_LIMITS.bytes - 1, "a,")],
    ["lines", "a: b\n".repeat(200_000)],
  ])("CONTRACT-9 a megabyte of %s ends in an error", (_, text) => {
    expect(codes(text).length).toBeGreaterThan(0);
  });
});

describe("aliases", () => {
  it("CONTRACT-9 a bomb of aliases is refused, twice", () => {
    const bomb = `name: w\nsteps: []\nvariables:\n  l0: &l0 [x, x, x, x, x, x, x, x, x]\n${Array.from({ length: 9 }, (_, level) => `  l${level + 1}: &l${level + 1} [${Array.from({ length: 9 }, () => `*l${level}`).join(", ")}]`).join("\n")}\n`;
    for (let round = 0; round < 3; round++) expect(codes(bomb)).toEqual(["CONTRACT_TOO_LARGE"]);
  });

  it("CONTRACT-9 more than a hundred aliases are refused", () => {
    expect(loadContract(aliases(100)).name).toBe("w");
    expect(codes(aliases(101))).toEqual(["CONTRACT_TOO_LARGE"]);
  });

  it("CONTRACT-9 an alias of nothing, and of the value that it stands in, are refused", () => {
    expect(codes("name: w\nsteps: []\nvariables: { a: *nothing }")).toEqual(["YAML_REFUSED"]);
    expect(codes("name: w\nsteps: []\nvariables: &a { b: *a }")).toEqual(["YAML_REFUSED"]);
  });
});

const BYTES: readonly (readonly [string, Uint8Array, string])[] = [
  ["bytes that are not UTF-8", new Uint8Array([0x6e, 0xff, 0xfe, 0x00]), "CONTRACT_ENCODING"],
  ["UTF-16", new Uint8Array([0xff, 0xfe, 0x6e, 0x00]), "CONTRACT_ENCODING"],
  ["a program", new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0x02, 0x01, 0x01, 0x00]), "CONTRACT_ENCODING"],
  ["nothing", new Uint8Array(0), "CONTRACT_EMPTY"],
];

const TEXTS: readonly (readonly [string, string, string])[] = [
  ["a NUL", "name: w\0\nsteps: []", "1:8 CONTRACT_ENCODING"],
  ["an escape character", "name: w\nsteps: [] # \u001B[2J", "2:13 CONTRACT_ENCODING"],
  ["an empty text", "", "1:1 CONTRACT_EMPTY"],
  ["only blanks", " \n\t\n", "1:1 CONTRACT_EMPTY"],
  ["only a comment", "# nothing\n", "1:1 CONTRACT_EMPTY"],
  ["only a document mark", "---\n", "1:1 CONTRACT_EMPTY"],
  ["a second document", "name: w\nsteps: []\n---\nname: x\n", "3:1 YAML_REFUSED"],
  ["thousands of documents", "---\n".repeat(10_000), "2:1 YAML_REFUSED"],
  ["a directive", "%YAML 1.1\n---\nname: w\nsteps: []", "1:1 YAML_REFUSED"],
  ["a custom tag", "name: !x w\nsteps: []", "1:10 YAML_REFUSED"],
  ["a tag of YAML 1.1", "name: w\nsteps: []\ndescription: !!binary aGk=", "3:23 YAML_REFUSED"],
  ["a merge key", "name: w\nsteps: []\nvariables: { <<: { a: 1 } }", "3:14 YAML_REFUSED"],
  ["a duplicate key", "name: w\nsteps: []\nname: x", "3:1 DUPLICATE_KEY"],
  ["a duplicate key in JSON", '{"name": "w", "steps": [], "name": "x"}', "1:28 DUPLICATE_KEY"],
  ["a number as a key", "name: w\nsteps: []\nvariables: { 5: x }", "3:14 KEY_INVALID"],
  ["null as a key", "name: w\nsteps: []\nvariables: { null: x }", "3:14 KEY_INVALID"],
  ["a list as a key", "name: w\nsteps: []\nvariables: { ? [a] : x }", "3:16 KEY_INVALID"],
  ["__proto__", "name: w\nsteps: []\nvariables: { __proto__: { a: 1 } }", "3:14 FORBIDDEN_KEY"],
  ["constructor", "name: w\nsteps: []\nvariables: { a: [{ constructor: 1 }] }", "3:20 FORBIDDEN_KEY"],
  ["prototype", 'name: w\nsteps: []\nvariables: { "prototype": 1 }', "3:14 FORBIDDEN_KEY"],
  ["infinity", "name: w\nsteps: []\nvariables: { a: .inf }", "3:17 VALUE_NOT_JSON"],
  ["not a number", "name: w\nsteps: []\nvariables: { a: .nan }", "3:17 VALUE_NOT_JSON"],
  ["a number that overflows", "name: w\nsteps: []\nvariables: { a: 1e999 }", "3:17 VALUE_NOT_JSON"],
  ["a number that would be rounded", "name: w\nsteps: []\nvariables: { a: 9007199254740993 }", "3:17 VALUE_NOT_JSON"],
  [
    "a large number that would be rounded",
    "name: w\nsteps: []\nvariables: { a: -12345678901234567890 }",
    "3:17 VALUE_NOT_JSON",
  ],
  ["half of a surrogate pair", 'name: w\nsteps: []\nvariables: { a: "\\uD800" }', "3:17 VALUE_NOT_JSON"],
  ["an open quote", 'name: "w\nsteps: []', "2:10 CONTRACT_SYNTAX"],
  ["broken JSON", '{"name": "w", "steps": [}', "1:25 CONTRACT_SYNTAX"],
  ["a tab as indentation", "name: w\nsteps:\n\t- id: a", "3:1 CONTRACT_SYNTAX"],
  ["a list", "- a\n- b", "1:1 WRONG_TYPE"],
  ["a word", "hello", "1:1 WRONG_TYPE"],
  ["null", "~", "1:1 WRONG_TYPE"],
];

describe("text", () => {
  it.each(BYTES)("CONTRACT-9 %s is refused", (_, bytes, code) => {
    expect(codes(bytes)).toEqual([code]);
  });

  it.each(TEXTS)("CONTRACT-9 %s is refused with its place", (_, text, expected) => {
    for (let round = 0; round < 2; round++) {
      const [first] = refused(text);
      expect(`${first!.line}:${first!.column} ${first!.code}`).toBe(expected);
    }
  });

  it("CONTRACT-9 nothing of a refused key reaches a prototype", () => {
    refused(
      "name: w\nsteps: []\nvariables: { __proto__: { polluted: 1 }, constructor: { prototype: { polluted: 1 } } }",
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("CONTRACT-3 problems beside a refused key are reported with it", () => {
    expect(refused("name: w\nname: x\nsteps: [{ id: a, run: 5 }]").map(({ code }) => code)).toEqual([
      "DUPLICATE_KEY",
      "WRONG_TYPE",
    ]);
  });
});

const UNITS = [
  "[",
  "{",
  "a: ",
  "- ",
  "? ",
  '"',
  "'",
  "#",
  "&a ",
  "*a ",
  "!x ",
  "|\n",
  ">\n",
  "\n",
  "a\n",
  "a,",
  "[],",
  ": a\n",
  "'a'\n",
  "\t",
  "%",
  "---\n",
];

describe("work", () => {
  it.each(UNITS)("CONTRACT-9 twice as many %j, alone or inside a list, a map or a text, are twice the work", (unit) => {
    const loads = ["", "[", "{", '"', "a:\n  ", "- "].map(
      (prefix) =>
        (bytes: number): readonly string[] =>
          codes(prefix + unit.repeat(bytes / unit.length)),
    );
    for (const load of loads) expect(load(30_000).length).toBeGreaterThan(0);
    for (const growth of measureGrowths(3000, loads)) expect(growth).toBeLessThan(2.2);
  });
});
