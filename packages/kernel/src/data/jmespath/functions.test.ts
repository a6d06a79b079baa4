import { expect, it } from "vitest";
import type { Json } from "../../model/json.ts";
import { evaluate } from "./evaluate.ts";
import { parseExpression } from "./expression.ts";
import { createFuel } from "./fuel.ts";
import { FUNCTIONS } from "./functions/function-table.ts";

const CONTEXT: Json = {
  people: [
    { name: "Bo", age: 30 },
    { name: "Al", age: 20 },
    { name: "Cy", age: 30 },
  ],
  falsy: [{ k: 2, v: "x" }, { k: 1 }],
  astral: "a😀b😀",
};

function outcome(source: string): Json {
  const parsed = parseExpression(source);
  if (parsed.kind === "problem") return `${parsed.code} ${parsed.message}`;
  const result = evaluate(parsed.expression, CONTEXT, createFuel());
  return result.kind === "value" ? result.value : result.code;
}

type Row = readonly [source: string, expected: Json];

/** By function, from the specification. Every function must have an entry. */
const CASES: Readonly<Record<string, readonly Row[]>> = {
  abs: [
    ["abs(`-1.5`)", 1.5],
    ["abs('1')", "EXPRESSION_TYPE"],
  ],
  avg: [
    ["avg(`[1, 2, 6]`)", 3],
    ["avg(`[]`)", null],
    ['avg(`[1, "a"]`)', "EXPRESSION_TYPE"],
    ["avg(`[1e308, 1e308]`)", "EXPRESSION_VALUE"],
  ],
  ceil: [
    ["ceil(`1.2`)", 2],
    ["ceil(`-0.5`)", 0],
    ["ceil(`null`)", "EXPRESSION_TYPE"],
  ],
  contains: [
    ["contains('foobar', 'oba')", true],
    ["contains('foobar', `1`)", false],
    ['contains(`[1, {"a": [2]}]`, `{"a": [2]}`)', true],
    ['contains(`["1"]`, `1`)', false],
    ["contains(`1`, `1`)", "EXPRESSION_TYPE"],
  ],
  ends_with: [
    ["ends_with('foobar', 'bar')", true],
    ["ends_with('bar', 'foobar')", false],
    ["ends_with('a', `1`)", "EXPRESSION_TYPE"],
  ],
  find_first: [
    ["find_first('banana', 'an')", 1],
    ["find_first('banana', 'an', `2`)", 3],
    ["find_first('banana', 'an', `2`, `4`)", null],
    ["find_first('banana', 'an', `-3`)", 3],
    ["find_first('banana', 'b', `0`, `0`)", null],
    ["find_first('banana', 'x')", null],
    ["find_first('banana', '')", null],
    ["find_first('', 'a')", null],
    ["find_first(astral, 'b')", 2],
    ["find_first('a', 'a', `0.5`)", "EXPRESSION_VALUE"],
    ["find_first('a', 'a', 'x')", "EXPRESSION_TYPE"],
  ],
  find_last: [
    ["find_last('banana', 'an')", 3],
    ["find_last('banana', 'an', `0`, `4`)", 1],
    ["find_last(astral, '😀')", 3],
    ["find_last(astral, '😀', `0`, `3`)", 1],
    ["find_last('banana', 'an', `0`, `-2`)", 1],
  ],
  floor: [
    ["floor(`1.8`)", 1],
    ["floor(`-1.2`)", -2],
    ["floor('1')", "EXPRESSION_TYPE"],
  ],
  from_items: [
    ['from_items(`[["a", 1], ["b", 2], ["a", 3]]`)', { a: 3, b: 2 }],
    ['from_items(`[["a"]]`)', "EXPRESSION_VALUE"],
    ["from_items(`[[1, 2]]`)", "EXPRESSION_VALUE"],
    ['from_items(`["a"]`)', "EXPRESSION_TYPE"],
    ['from_items(`[["__proto__", {"x": 1}]]`)', "EXPRESSION_VALUE"],
  ],
  from_json: [
    ['from_json(\'{"a": [1, "x", null]}\')', { a: [1, "x", null] }],
    ["from_json(' 1e2 ')", 100],
    ["from_json('-0')", 0],
    ["from_json('\"a\"')", "a"],
    ['from_json(\'{"a": {"b": 2}}\').a.b', 2],
    ["from_json('')", "EXPRESSION_VALUE"],
    ["from_json('{a: 1}')", "EXPRESSION_VALUE"],
    ["from_json('1e999')", "EXPRESSION_VALUE"],
    ["from_json('[{\"__proto__\": 1}]')", "EXPRESSION_VALUE"],
    ["from_json('\"\\ud800\"')", "EXPRESSION_VALUE"],
    ["from_json('{\"\\ud800\": 1}')", "EXPRESSION_VALUE"],
    ["from_json(`1`)", "EXPRESSION_TYPE"],
    ["from_json(missing)", "EXPRESSION_TYPE"],
  ],
  group_by: [
    ["group_by(people, &to_string(age)) | keys(@)", ["20", "30"]],
    ["group_by(people, &name).Bo", [{ name: "Bo", age: 30 }]],
    ["group_by(falsy, &v)", { x: [{ k: 2, v: "x" }] }],
    ["group_by(people, &age)", "EXPRESSION_TYPE"],
    ["group_by(people, &'constructor')", "EXPRESSION_VALUE"],
  ],
  items: [
    [
      "items(people[0])",
      [
        ["name", "Bo"],
        ["age", 30],
      ],
    ],
    ["items(`[]`)", "EXPRESSION_TYPE"],
  ],
  join: [
    ["join(', ', people[*].name)", "Bo, Al, Cy"],
    ["join('-', `[]`)", ""],
    ["join('-', `[1]`)", "EXPRESSION_TYPE"],
  ],
  keys: [
    ['keys(`{"b": 1, "a": 2}`)', ["b", "a"]],
    ["keys(`[]`)", "EXPRESSION_TYPE"],
  ],
  length: [
    ["length(astral)", 4],
    ["length(people)", 3],
    ["length(people[0])", 2],
    ["length(`1`)", "EXPRESSION_TYPE"],
  ],
  lower: [
    ["lower('ÀB')", "àb"],
    ["lower(`1`)", "EXPRESSION_TYPE"],
  ],
  map: [
    ["map(&age, people)", [30, 20, 30]],
    ["map(&missing, people)", [null, null, null]],
    ["map(&a, 'x')", "EXPRESSION_TYPE"],
  ],
  max: [
    ["max(`[2, 10, 9]`)", 10],
    ["max(['a', 'B', 'b'])", "b"],
    ["max(`[]`)", null],
    ['max(`[1, "a"]`)', "EXPRESSION_TYPE"],
  ],
  max_by: [
    ["max_by(people, &age).name", "Bo"],
    ["max_by(people, &name).name", "Cy"],
    ["max_by(`[]`, &a)", null],
    ["max_by(`[0, 1]`, &(`0` - @))", 0],
    ["max_by(falsy, &v)", "EXPRESSION_TYPE"],
    ['max_by(`[1, "a"]`, &@)', "EXPRESSION_TYPE"],
  ],
  merge: [
    ['merge(`{"a": 1, "b": 2}`, `{"b": 3}`)', { a: 1, b: 3 }],
    ["merge()", {}],
    ["merge(`{}`, 'ab')", "EXPRESSION_TYPE"],
  ],
  min: [
    ["min(`[10, 9]`)", 9],
    ["min(['b', 'B'])", "B"],
    ["min(`[]`)", null],
  ],
  min_by: [
    ["min_by(people, &age).name", "Al"],
    ["min_by(people, &name).name", "Al"],
    ['min_by(`[1, "a"]`, &@)', "EXPRESSION_TYPE"],
  ],
  not_null: [
    ["not_null(missing, `0`, 'x')", 0],
    ["not_null(missing)", null],
    ["not_null('x', abs('fails'))", "x"],
  ],
  pad_left: [
    ["pad_left('ab', `4`)", "  ab"],
    ["pad_left('😀', `3`, 'é')", "éé😀"],
    ["pad_left('', `2`, '-')", "--"],
    ["pad_left('abc', `2`)", "abc"],
    ["pad_left('a', `2`, '😀')", "😀a"],
    ["pad_left('a', `2`, '--')", "EXPRESSION_VALUE"],
    ["pad_left('a', `2`, '')", "EXPRESSION_VALUE"],
    ["pad_left('a', `-1`)", "EXPRESSION_VALUE"],
    ["pad_left('a', `1.5`)", "EXPRESSION_VALUE"],
  ],
  pad_right: [
    ["pad_right('ab', `4`, '.')", "ab.."],
    ["pad_right('ab', '4')", "EXPRESSION_TYPE"],
  ],
  replace: [
    ["replace('aXbXc', 'X', '-')", "a-b-c"],
    ["replace('aXbXc', 'X', '-', `1`)", "a-bXc"],
    ["replace('aXb', 'X', '-', `0`)", "aXb"],
    ["replace('aXb', 'X', '$&$1', `1`)", "a$&$1b"],
    ["replace('aaa', 'a', 'aa', `2`)", "aaaaa"],
    ["replace('abc', '', '-')", "a-b-c"],
    ["replace('', '', '-')", ""],
    ["replace('a', 'a', 'b', `-1`)", "EXPRESSION_VALUE"],
  ],
  reverse: [
    ["reverse(`[1, 2]`)", [2, 1]],
    ["reverse(astral)", "😀b😀a"],
    ["reverse(`{}`)", "EXPRESSION_TYPE"],
  ],
  sort: [
    ["sort(`[10, 9, -2, -1]`)", [-2, -1, 9, 10]],
    ["sort(['b', 'a', 'B'])", ["B", "a", "b"]],
    ["sort(['\uff5e', '😀'])", ["\uff5e", "😀"]],
    ['sort(`[1, "a"]`)', "EXPRESSION_TYPE"],
    ["sort(`[null]`)", "EXPRESSION_TYPE"],
  ],
  sort_by: [
    ["sort_by(people, &age)[*].name", ["Al", "Bo", "Cy"]],
    ["sort_by(people, &name)[*].name", ["Al", "Bo", "Cy"]],
    ["sort_by(falsy, &v)", "EXPRESSION_TYPE"],
    ['sort_by(`[1, "a"]`, &@)', "EXPRESSION_TYPE"],
  ],
  split: [
    ["split('a,b,c', ',')", ["a", "b", "c"]],
    ["split('a,b,c', ',', `1`)", ["a", "b,c"]],
    ["split('a,b', ',', `5`)", ["a", "b"]],
    ["split('a,b', ',', `0`)", ["a,b"]],
    ["split('😀b', '')", ["😀", "b"]],
    ["split('', '')", []],
    ["split('', ',')", [""]],
    ["split('a', ',', `-1`)", "EXPRESSION_VALUE"],
  ],
  starts_with: [
    ["starts_with('foobar', 'foo')", true],
    ["starts_with('f', 'foo')", false],
    ["starts_with(`1`, '1')", "EXPRESSION_TYPE"],
  ],
  sum: [
    ["sum(`[1, 2.5]`)", 3.5],
    ["sum(`[]`)", 0],
    ["sum(`[1e308, 1e308]`)", "EXPRESSION_VALUE"],
  ],
  to_array: [
    ["to_array(`[1]`)", [1]],
    ["to_array('a')", ["a"]],
    ["to_array(`null`)", [null]],
  ],
  to_json: [
    ["to_json('a')", '"a"'],
    ['to_json(`{"a": [1, "x"]}`)', '{"a":[1,"x"]}'],
    ["to_json(missing)", "null"],
    ["from_json(to_json(people)) == people", true],
  ],
  to_number: [
    ["to_number('1.5e2')", 150],
    ["to_number(`7`)", 7],
    ["to_number('-0')", 0],
    ["to_number('')", null],
    ["to_number(' 1')", null],
    ["to_number('0x10')", null],
    ["to_number('Infinity')", null],
    ["to_number('1e999')", null],
    ["to_number(`true`)", null],
  ],
  to_string: [
    ["to_string('a')", "a"],
    ['to_string(`{"a": [1, "x"]}`)', '{"a":[1,"x"]}'],
    ["to_string(`null`)", "null"],
  ],
  trim: [
    ["trim(' a\n b \t')", "a\n b"],
    ["trim('xyaxy', 'xy')", "a"],
    ["trim('--a.b--', '-')", "a.b"],
    ["trim('😀a😀', '😀')", "a"],
    ["trim(' a ', '')", "a"],
    ["trim('a\n\n')", "a"],
    ["trim('   ')", ""],
  ],
  trim_left: [
    ["trim_left('  a ')", "a "],
    ["trim_left(']a]', ']')", "a]"],
  ],
  trim_right: [
    ["trim_right(' a  ')", " a"],
    ["trim_right('a\nb^', '^')", "a\nb"],
  ],
  type: [
    ["type(`1`)", "number"],
    ["type(`[]`)", "array"],
    ["type(`{}`)", "object"],
    ["type(missing)", "null"],
    ['type(`{"expref": true}`)', "object"],
  ],
  upper: [
    ["upper('straße')", "STRASSE"],
    ["upper(`1`)", "EXPRESSION_TYPE"],
  ],
  values: [
    ["values(people[0])", ["Bo", 30]],
    ["values('a')", "EXPRESSION_TYPE"],
  ],
  zip: [
    [
      "zip(`[1, 2, 3]`, ['a', 'b'])",
      [
        [1, "a"],
        [2, "b"],
      ],
    ],
    ["zip(`[1]`)", [[1]]],
    ["zip(`[1]`, 'a')", "EXPRESSION_TYPE"],
  ],
};

for (const [name, rows] of Object.entries(CASES)) {
  it(`DATA-6 ${name}() does what the specification says`, () => {
    for (const [source, expected] of rows)
      expect({ source, gives: outcome(source) }).toEqual({ source, gives: expected });
  });
}

it("DATA-6 no function is without a test", () => {
  expect(Object.keys(CASES).toSorted()).toEqual([...FUNCTIONS.keys()].toSorted());
});

it("DATA-6 the refusal of text that is not JSON shows how the text begins", () => {
  const refusal = (text: string): string => {
    const parsed = parseExpression("from_json(@)");
    if (parsed.kind === "problem") throw new Error(parsed.message);
    const result = evaluate(parsed.expression, text, createFuel());
    return result.kind === "error" ? result.message : "";
  };
  expect(refusal("done")).toBe('from_json() expects JSON text, got "done"');
  expect(refusal(" \n")).toBe("from_json() expects JSON text, got empty text");
  expect(refusal(`<html>${"x".repeat(100)}`)).toBe(
    `from_json() expects JSON text, got text of 106 characters that begins with "<html>${"x".repeat(34)}"`,
  );
});

it("DATA-6 an argument of the wrong type is named, with its type", () => {
  const parsed = parseExpression("join(',', people)");
  if (parsed.kind === "problem") throw new Error(parsed.message);
  expect(evaluate(parsed.expression, CONTEXT, createFuel())).toEqual({
    kind: "error",
    code: "EXPRESSION_TYPE",
    message: "join() expects argument 2 to be an array of strings, got array",
  });
});
