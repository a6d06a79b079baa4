import { expect, it } from "vitest";
import type { Json } from "../../model/json.ts";
import { evaluate } from "./evaluate.ts";
import { parseExpression } from "./expression.ts";
import { createFuel } from "./fuel.ts";

const CONTEXT: Json = {
  input: { name: "Ada", tags: ["x", "y", "z"], zero: 0, empty: "", list: [], none: {}, no: false },
  people: [
    { name: "Bo", age: 30, pets: [{ kind: "cat" }, { kind: "dog" }] },
    { name: "Cy", age: 20, pets: [] },
    { name: "Di", pets: [{ kind: "owl" }] },
  ],
  nested: [[1, 2], [3, [4]], 5, []],
  groups: { a: { n: 1 }, b: { n: 2 }, c: { m: 3 } },
  "build-a": { ok: true },
};

/** The value of an expression over CONTEXT, or the code it ends with. */
function outcome(source: string): Json {
  const parsed = parseExpression(source);
  if (parsed.kind === "problem") return parsed.code;
  const result = evaluate(parsed.expression, CONTEXT, createFuel());
  return result.kind === "value" ? result.value : result.code;
}

type Row = readonly [source: string, expected: Json];

const SYNTAX: Readonly<Record<string, readonly Row[]>> = {
  "a field is read, and what is not there is null": [
    ["input.name", "Ada"],
    ['"build-a".ok', true],
    ["input.missing", null],
    ["input.missing.deeper", null],
    ["input.tags.name", null],
    ["input.name.length", null],
    ['"\\u0069nput".name', "Ada"],
  ],
  "an index counts from either end": [
    ["input.tags[0]", "x"],
    ["input.tags[-1]", "z"],
    ["input.tags[3]", null],
    ["input.tags[-4]", null],
    ["input[0]", null],
    ["nested[1][1][0]", 4],
  ],
  "a slice follows Python's rules": [
    ["input.tags[1:]", ["y", "z"]],
    ["input.tags[:-1]", ["x", "y"]],
    ["input.tags[::-1]", ["z", "y", "x"]],
    ["input.tags[-100:100:2]", ["x", "z"]],
    ["input.tags[100:-100:-2]", ["z", "x"]],
    ["input.tags[2:1]", []],
    ["input[0:1]", null],
    ["input.tags[::0]", "EXPRESSION_VALUE"],
  ],
  "a slice of a string counts code points and does not project": [
    ["input.name[1:]", "da"],
    ["input.name[::-1]", "adA"],
    ["'a😀b'[1:2]", "😀"],
    ["'a😀b'[::-1]", "b😀a"],
    ["'a😀b'[::2]", "ab"],
    ["'abc'[1:].length(@)", 2],
  ],
  "projections leave nulls out": [
    ["people[*].age", [30, 20]],
    ["people[*].pets[*].kind", [["cat", "dog"], [], ["owl"]]],
    ["people[].pets[].kind", ["cat", "dog", "owl"]],
    ["groups.*.n", [1, 2]],
    ["input.name[*]", null],
    ["people.*", null],
    ["people[:2].name", ["Bo", "Cy"]],
  ],
  "flatten takes one level away": [
    ["nested[]", [1, 2, 3, [4], 5]],
    ["nested[][]", [1, 2, 3, 4, 5]],
    ["input[]", null],
  ],
  "a filter keeps what its condition holds for": [
    ["people[?age > `25`].name", ["Bo"]],
    ["people[?age].name", ["Bo", "Cy"]],
    ["people[?!age].name", ["Di"]],
    ["people[?pets[?kind == 'owl']].name", ["Di"]],
    ["people[?name == $.input.name]", []],
    ["input[?a]", null],
  ],
  "a pipe ends a projection and goes on with null": [
    ["people[*].name | [0]", "Bo"],
    ["missing | [@]", [null]],
    ["missing.[@]", null],
    ["`null` | type(@)", "null"],
  ],
  "multi-selects make lists and objects": [
    ["input.[name, zero]", ["Ada", 0]],
    ['input.{n: name, "t-0": tags[0]}', { n: "Ada", "t-0": "x" }],
    ["[input.name, missing]", ["Ada", null]],
  ],
  "zero is true; null, false and what is empty are false": [
    ["input.zero || 'no'", 0],
    ["input.empty || 'no'", "no"],
    ["input.list || 'no'", "no"],
    ["input.none || 'no'", "no"],
    ["input.no || 'no'", "no"],
    ["missing || input.empty", ""],
    ["input.zero && 'yes'", "yes"],
    ["input.list && 'yes'", []],
    ["!input.missing", "EXPRESSION_SYNTAX"],
    ["!(input.missing)", true],
    ["!@", false],
  ],
  "equality is deep and order is for numbers only": [
    ['`[1, {"a": [2]}]` == `[1, {"a": [2]}]`', true],
    ['`{"a": 1, "b": 2}` == `{"b": 2, "a": 1}`', true],
    ['`{"a": null}` == `{"b": null}`', false],
    ["`1` == '1'", false],
    ["`[]` == `{}`", false],
    ["`1` < `2`", true],
    ["'a' < 'b'", null],
    ["`2` >= `2` == `true`", true],
    ["`1` != `1`", false],
    ["`3` <= `2`", false],
  ],
  "arithmetic has the usual precedence, from left to right": [
    ["`1` + `2` * `3`", 7],
    ["`8` / `2` * `2`", 8],
    ["`8` - `2` - `1`", 5],
    ["(`1` + `2`) × `3`", 9],
    ["`-7` // `2`", -4],
    ["`-7` % `2`", -1],
    ["`7` ÷ `2`", 3.5],
    ["`3` − `1`", 2],
    ["-`3` + +`1`", -2],
    ["people[0].age * `2`", 60],
    ["people[*].age | [0] - `1`", 29],
    ["`1` + 'a'", "EXPRESSION_TYPE"],
    ["-'a'", "EXPRESSION_TYPE"],
    ["`1` / `0`", "EXPRESSION_VALUE"],
    ["`1` // `0`", "EXPRESSION_VALUE"],
    ["`1` % `0`", "EXPRESSION_VALUE"],
    ["`1e308` * `10`", "EXPRESSION_VALUE"],
    ["`1e999`", "EXPRESSION_VALUE"],
  ],
  "a ternary binds weaker than || and stronger than |": [
    ["input.zero ? 'yes' : 'no'", "yes"],
    ["missing ? 'yes' : 'no'", "no"],
    ["missing || input.name ? 'yes' : 'no'", "yes"],
    ["input.name ? people : missing | [0].name", "Bo"],
    ["missing ? 'a' : input.list ? 'b' : 'c'", "c"],
    ["input.name ? people[*].name | [0] : 'none'", "Bo"],
    ["input.name ? input.tags[*] : 'none'", ["x", "y", "z"]],
    ["input.name ? nested[] : 'none'", [1, 2, 3, [4], 5]],
    ["input.name ? missing ? 'a' : input | name : 'none'", "Ada"],
    ["map(&age ? name : 'young' | upper(@), people)", ["BO", "CY", "YOUNG"]],
  ],
  "let binds lexically, and bindings do not see each other": [
    ["let $n = input.name in people[?name != $n].[name, $n] | [0]", ["Bo", "Ada"]],
    ["let $a = `1`, $b = `2` in [$a, $b]", [1, 2]],
    ["let $a = 'out' in let $a = 'in', $b = $a in [$a, $b]", ["in", "out"]],
    ["let $a = `0` in let $b = `1` in $a", 0],
    ["let $a = missing in let $b = `1` in $a", null],
    ["let $t = `25` in people[?age > $t].name", ["Bo"]],
    ["let $t = `1` in map(&(@ + $t), `[1, 2]`)", [2, 3]],
    ["let $a = (let $b = `1` in $b + `1`) in let $c = `5` in [$a, $c]", [2, 5]],
    ["[let $a = `1` in $a, $a]", "EXPRESSION_UNDEFINED_VARIABLE"],
    ["$nobody", "EXPRESSION_UNDEFINED_VARIABLE"],
    ["missing && $nobody", null],
    ["let $in = `1` in $in", 1],
    ["input.let || let $x = `2` in $x", 2],
    ["let $x = in in in", null],
  ],
  "$ is the root wherever it stands": [
    ["people[0] | $.input.name", "Ada"],
    ["people[*].[name, $.input.name] | [0]", ["Bo", "Ada"]],
  ],
  "literals are JSON in backticks or raw strings": [
    ['`{"a": [1, null, true]}`', { a: [1, null, true] }],
    ['`"\\`one\\` and \\`two\\`"`', "`one` and `two`"],
    ["'it\\'s'", "it's"],
    ["'\\\\'", "\\"],
    ["'${x} {{y}}'", "${x} {{y}}"],
    ["`foo`", "EXPRESSION_SYNTAX"],
  ],
};

for (const [claim, rows] of Object.entries(SYNTAX)) {
  it(`DATA-6 ${claim}`, () => {
    for (const [source, expected] of rows)
      expect({ source, gives: outcome(source) }).toEqual({ source, gives: expected });
  });
}

it("DATA-6 a text that is not an expression is a problem, never an exception", () => {
  const texts = [
    "",
    " ",
    "a.",
    ".a",
    "a[",
    "a]",
    "a b",
    "f(",
    "(a",
    "a)",
    "[a b]",
    "[a,]",
    "[ ]",
    "{a: b c: d}",
    "{}",
    "a[1-2]",
  ];
  const more = [
    "'open",
    '"open',
    "`1",
    "a = b",
    "$a = b",
    "let $a in b",
    "let $a = b",
    "length(a b)",
    "length(a,)",
    "a--b",
  ];
  const last = [
    "a[?]",
    "a[1:2:3:4]",
    "(a)(b)",
    '"length"(a)',
    "&a",
    "[&a]",
    "a.&b",
    "#",
    "a ? b",
    "a : b",
    "a-1",
    "!a[?b]",
    "@ =",
  ];
  for (const source of [...texts, ...more, ...last]) {
    expect({ source, gives: outcome(source) }).toEqual({ source, gives: "EXPRESSION_SYNTAX" });
  }
});

it("DATA-6 a problem has its position, if that is known", () => {
  expect(parseExpression("[a, b c]")).toEqual({
    kind: "problem",
    code: "EXPRESSION_SYNTAX",
    message: "Expected an operator or a comma before c",
    at: 6,
  });
});

it("DATA-6 an unknown function is a problem before anything runs, with the nearest name", () => {
  const parsed = parseExpression("missing && lenght(people)");
  expect(parsed).toMatchObject({ code: "EXPRESSION_UNKNOWN_FUNCTION", message: expect.stringContaining("length()") });
  expect(outcome("constructor(@)")).toBe("EXPRESSION_UNKNOWN_FUNCTION");
  expect(outcome("__proto__(@)")).toBe("EXPRESSION_UNKNOWN_FUNCTION");
});

it("DATA-6 a wrong number of arguments, and a value where `&` belongs, are problems before anything runs", () => {
  expect(outcome("missing && length()")).toBe("EXPRESSION_ARITY");
  expect(parseExpression("pad_left(a)")).toMatchObject({ message: "pad_left() takes 2 to 3 arguments, got 1" });
  expect(parseExpression("zip()")).toMatchObject({ message: "zip() takes at least 1 argument, got 0" });
  expect(outcome("missing && sort_by(people, age)")).toBe("EXPRESSION_TYPE");
  expect(outcome("missing && length(&a)")).toBe("EXPRESSION_TYPE");
});

it("DATA-6 the result of parsing is deeply frozen", () => {
  const parsed = parseExpression('let $a = b.c[0] in [$a, {x: `{"k": [1]}`}, f[?g].h, max_by(i, &j)]');
  const seen: unknown[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null || "run" in value) return;
    seen.push(value);
    expect(Object.isFrozen(value)).toBe(true);
    Object.values(value).forEach(walk);
  };
  if (parsed.kind === "expression") walk(parsed.expression);
  expect(seen.length).toBeGreaterThan(20);
});
