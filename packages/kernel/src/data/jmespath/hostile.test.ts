import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Json } from "../../model/json.ts";
import { evaluate } from "./evaluate.ts";
import { EXPRESSION_LENGTH_MAX, parseExpression } from "./expression.ts";
import { createFuel } from "./fuel.ts";
import { listReferences } from "./references.ts";

function outcome(source: string, data: Json = {}): Json {
  const parsed = parseExpression(source);
  if (parsed.kind === "problem") return parsed.code;
  listReferences(parsed.expression);
  const result = evaluate(parsed.expression, data, createFuel());
  return result.kind === "value" ? result.value : result.code;
}

/** Repeats `part` between two ends, up to the maximum length of an expression. */
function fill(part: string, before = "", after = ""): string {
  const room = EXPRESSION_LENGTH_MAX - before.length - after.length;
  return before + part.repeat(Math.floor(room / part.length)) + after;
}

function nest(open: string, core: string, close: string): string {
  const times = Math.floor((EXPRESSION_LENGTH_MAX - core.length) / (open.length + close.length));
  return open.repeat(times) + core + close.repeat(times);
}

function total(tokens: readonly string[], data: Json): void {
  const source = tokens.join("");
  const parsed = parseExpression(source);
  if (parsed.kind === "problem") {
    expect(parsed.code).toMatch(/^EXPRESSION_/u);
    return;
  }
  expect(evaluate(parsed.expression, data, createFuel()).kind).toMatch(/value|error/u);
  expect(Array.isArray(listReferences(parsed.expression))).toBe(true);
}

it("DATA-6 an expression has at most 4096 characters", () => {
  expect(outcome("a".repeat(4096))).toBe(null);
  expect(outcome("a".repeat(4097))).toBe("EXPRESSION_TOO_LONG");
});

it("DATA-6 4096 characters of any one sign are refused with a code", () => {
  for (const sign of "([{!&-+*.,:;?|<>=@$'\"`\\/%#aZ0_ \t\n×÷−😀\u0000") {
    const result = outcome(fill(sign));
    if (result !== null) expect({ sign, result }).toEqual({ sign, result: expect.stringMatching(/^EXPRESSION_/u) });
  }
});

it("DATA-6 an expression that nests deeply is refused as too deep", () => {
  const deep = [
    nest("(", "a", ")"),
    nest("[", "a", "]"),
    nest("{a:", "a", "}"),
    nest("a[?", "a", "]"),
    nest("abs(", "a", ")"),
  ];
  const prefix = [fill("!", "", "a"), fill("- ", "", "a"), fill("+", "", "a"), fill("a * - ", "", "a")];
  const open = [
    fill("a ? b : ", "", "c"),
    fill("a ? ", "", "b"),
    fill("let $a = a in ", "", "$a"),
    nest("let $a = ", "a", " in a"),
  ];
  const tricky = [
    fill("let $a = a, $b = a in ", "", "$a"),
    fill("let $a = a, $b = let $a = a in ", "", "a"),
    nest("map(&", "a", ",b)"),
  ];
  const postfix = [
    fill("[*]", "a"),
    fill("[]", "a"),
    fill(".*", "a"),
    fill("[?a]", "a"),
    fill("[0]", "a"),
    fill("[:]", "a"),
    fill("*.", "", "a"),
    fill(".[a]", "a"),
  ];
  const literal = [nest("[", "1", "]"), nest('{"a":', "1", "}")].map((json) => `\`${json.slice(1, -1)}\``);
  for (const source of [...deep, ...prefix, ...open, ...tricky, ...postfix, ...literal]) {
    expect({ source: source.slice(0, 30), gives: outcome(source) }).toEqual({
      source: source.slice(0, 30),
      gives: "EXPRESSION_TOO_DEEP",
    });
  }
});

it("DATA-6 nesting up to the limit works", () => {
  expect(outcome(`${"(".repeat(64)}a${")".repeat(64)}`, { a: 1 })).toBe(1);
  expect(outcome(`${"!".repeat(64)}a`, { a: 1 })).toBe(true);
  expect(outcome(`a${"[*]".repeat(100)}`, { a: [] })).toEqual([]);
});

it("DATA-6 long chains that do not nest work", () => {
  expect(outcome(fill(".a", "a"))).toBe(null);
  expect(outcome(fill("|@", "a"), { a: 1 })).toBe(1);
  expect(outcome(fill("||a", "a"), { a: 0 })).toBe(0);
  expect(outcome(fill("&&a", "a"), { a: 0 })).toBe(0);
  expect(outcome(fill("+a", "a"), { a: 1 })).toBe(2048);
  expect(outcome(fill("*a", "a"), { a: 1 })).toBe(1);
  expect(outcome(fill("==a", "a"), { a: true })).toBe(true);
  expect(outcome(fill(",a", "[a", "]"), { a: 1 })).toHaveLength(2047);
  expect(outcome(fill("||!a", "a"), { a: 1 })).toBe(1);
  expect(outcome(fill("+a[0]", "a[0]"), { a: [1] })).toBe(819);
});

it("DATA-6 prototypes are out of reach", () => {
  const keys = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];
  for (const key of keys) {
    for (const source of [key, `"${key}"`, `a.${key}`, `a.${key}.${key}`, `a[0].${key}`, `@ | ${key}`]) {
      expect(outcome(source, { a: {} })).toBe(null);
    }
  }
  expect(outcome("length", [] as Json)).toBe(null);
  expect(outcome("a.length", { a: [1] })).toBe(null);
});

it("DATA-6 no expression makes an object with a key that reaches a prototype", () => {
  const own = JSON.parse('{"o": {"__proto__": {"polluted": 1}}, "p": [["__proto__", {"polluted": 1}]]}') as Json;
  for (const key of ["__proto__", "constructor", "prototype"]) {
    expect(outcome(`{"${key}": @}`)).toBe("EXPRESSION_VALUE");
    expect(outcome(`\`{"a": {"${key}": 1}}\``)).toBe("EXPRESSION_VALUE");
    expect(outcome(`from_items([['${key}', @]])`)).toBe("EXPRESSION_VALUE");
    expect(outcome(`group_by([@], &'${key}')`)).toBe("EXPRESSION_VALUE");
  }
  expect(outcome("merge(o)", own)).toBe("EXPRESSION_VALUE");
  expect(outcome("from_items(p)", own)).toBe("EXPRESSION_VALUE");
  expect(outcome('o."__proto__".polluted', own)).toBe(1);
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

it("DATA-6 very deeply nested data is an error only if an expression traverses it", () => {
  let deep: Json = 1;
  for (let level = 0; level < 100_000; level += 1) deep = level % 2 === 0 ? [deep] : { a: deep };
  let other: Json = 1;
  for (let level = 0; level < 100_000; level += 1) other = level % 2 === 0 ? [other] : { a: other };
  const data: Json = { deep, other };
  expect(outcome("deep == other", data)).toBe("EXPRESSION_TOO_DEEP");
  expect(outcome("to_string(deep)", data)).toBe("EXPRESSION_TOO_DEEP");
  expect(outcome("[deep]", data)).toBe("EXPRESSION_TOO_DEEP");
  expect(outcome("contains([other], deep)", data)).toBe("EXPRESSION_TOO_DEEP");
  expect(outcome("deep", data)).toBe(deep);
});

it("DATA-6 JSON text that nests more than 64 levels is refused as too deep", () => {
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  expect(outcome("from_json(@) | type(@)", nested(64))).toBe("array");
  expect(outcome("from_json(@)", nested(65))).toBe("EXPRESSION_TOO_DEEP");
  expect(outcome("from_json(@)", nested(400_000))).toBe("EXPRESSION_TOO_DEEP");
});

it("DATA-6 an object with a member named expref is data", () => {
  expect(outcome("length(@)", { expref: true, type: "Field", name: "x" })).toBe(3);
});

it("DATA-6 input is never changed", () => {
  const data: Json = { a: [3, 1, 2], o: { x: 1 }, g: [{ k: "a" }, { k: "b" }] };
  const before = JSON.stringify(data);
  const freeze = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  };
  freeze(data);
  for (const source of [
    "sort(a)",
    "reverse(a)",
    "merge(o, o)",
    "group_by(g, &k)",
    "sort_by(g, &k)",
    "a[]",
    "zip(a, a)",
  ]) {
    expect(outcome(source, data)).not.toBe(null);
  }
  expect(JSON.stringify(data)).toBe(before);
});

it("DATA-6 no text makes parsing throw, and no parsed text makes evaluation throw", () => {
  const signs = "()[]{}.,:*@$&|!<>=+-/%?'\"` \n".split("");
  const token = fc.constantFrom(...signs, "[?", "a", "let ", " in ", "$a", "`1`", "'s'", "length(", "-1", "__proto__");
  const data = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
  fc.assert(fc.property(fc.array(token, { maxLength: 14 }), data, total), { numRuns: 10_000, seed: 6 });
});
