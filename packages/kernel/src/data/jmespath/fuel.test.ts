import { expect, it } from "vitest";
import type { Json } from "../../model/json.ts";
import { evaluate, type Evaluation } from "./evaluate.ts";
import { parseExpression } from "./expression.ts";
import { createFuel, FUEL_DEFAULT, type Fuel } from "./fuel.ts";

interface Run {
  readonly result: Evaluation;
  readonly fuel: Fuel;
}

function run(source: string, data: Json, fuel: Fuel = createFuel()): Run {
  const parsed = parseExpression(source);
  if (parsed.kind === "problem") throw new Error(parsed.message);
  return { result: evaluate(parsed.expression, data, fuel), fuel };
}

function code(source: string, data: Json): string {
  const { result } = run(source, data);
  return result.kind === "error" ? result.code : "a value";
}

const MEGABYTE = 1_000_000;
const numbers = (count: number): Json => Array.from({ length: count }, (_, index) => (index * 7919) % count);
const texts = (count: number, length: number): Json =>
  Array.from({ length: count }, (_, index) => `${"x".repeat(length)}${index}`);

it("DATA-6 the default is 100,000 nodes and one MiB", () => {
  expect(FUEL_DEFAULT).toEqual({ nodes: 100_000, bytes: 1_048_576 });
  expect(createFuel().limits).toBe(FUEL_DEFAULT);
});

it("DATA-6 padding to a hundred million is refused before a character is made", () => {
  for (const name of ["pad_left", "pad_right"]) {
    const { result, fuel } = run(`${name}('x', \`100000000\`)`, null);
    expect(result).toMatchObject({ kind: "error", code: "EXPRESSION_FUEL" });
    expect(fuel.nodesUsed).toBeLessThan(10);
  }
  expect(code("pad_left('x', `1e300`)", null)).toBe("EXPRESSION_FUEL");
});

it("DATA-6 doubling with every pipe is refused after a few steps for each pipe", () => {
  for (const part of [
    "|[@,@]",
    "|{a:@,b:@}",
    "|[@,@,@,@]",
    "|to_array([@,@])",
    "|zip([@],[@])",
    "|items({a:@,b:@})",
    "|merge({a:@},{b:@})",
  ]) {
    const { result, fuel } = run(`@${part.repeat(60)}`, "seed");
    expect({ part, result }).toMatchObject({ part, result: { kind: "error", code: "EXPRESSION_FUEL" } });
    expect(fuel.nodesUsed).toBeLessThan(60 * 20);
  }
});

it("DATA-6 doubling with a small result costs only the work that was done", () => {
  const { result, fuel } = run(`@${"|[@,@]".repeat(500)} | length(@)`, "seed");
  expect(result).toEqual({ kind: "value", value: 2 });
  expect(fuel.nodesUsed).toBeLessThan(3000);
});

it("DATA-6 doubled structures cannot be walked for free", () => {
  const doubled = `let $d = @${"|[@,@]".repeat(40)} in`;
  for (const use of [
    "to_string($d)",
    `$d == (@${"|[@,@]".repeat(40)})`,
    `contains([@${"|[@,@]".repeat(40)}], $d)`,
    `$d${"[]".repeat(40)}`,
  ]) {
    const { result, fuel } = run(`${doubled} ${use}`, "seed");
    expect({ use, result }).toMatchObject({ use, result: { code: "EXPRESSION_FUEL" } });
    expect(fuel.nodesUsed).toBeLessThanOrEqual(FUEL_DEFAULT.nodes + 100_000);
  }
});

it("DATA-6 comparing two structures without shared parts costs fuel for each part", () => {
  const one = numbers(50_000);
  const data: Json = { one, other: [...(one as readonly Json[])] };
  const { fuel } = run("one == other", data);
  expect(fuel.nodesUsed).toBeGreaterThan(50_000);
  expect(code("one == other && one == other && one == other", data)).toBe("EXPRESSION_FUEL");
});

it("DATA-6 reading a field of large data costs the length of the path", () => {
  const data: Json = { steps: { build: { output: { stdout: "x".repeat(10 * MEGABYTE), rows: numbers(500_000) } } } };
  for (const source of [
    "steps.build.output.stdout",
    "steps.build.output.rows",
    "steps.build",
    "steps.build.output.rows[-1]",
    "@",
  ]) {
    const { result, fuel } = run(source, data);
    expect(result.kind).toBe("value");
    expect(fuel.nodesUsed).toBeLessThan(10);
    expect(fuel.bytesUsed).toBe(0);
  }
});

it("DATA-6 a large part of the input may be selected, but not built around", () => {
  const data: Json = { rows: [{ id: 1, body: "x".repeat(2 * MEGABYTE) }, { id: 2 }] };
  expect(run("rows[?id == `1`] | [0]", data).result).toMatchObject({ kind: "value" });
  expect(run("[rows] | [0]", data).result).toMatchObject({ kind: "value" });
  expect(run("max_by(rows, &length(keys(@))) | body", data).result).toMatchObject({ kind: "value" });
  expect(run("{n: length(rows), all: rows} | n", data).result).toEqual({ kind: "value", value: 2 });
  for (const source of [
    "rows[?id == `1`]",
    "[rows]",
    "{a: rows}",
    "rows[*]",
    "rows[].body",
    "values(@)",
    "items(@)[0]",
    "to_string(rows)",
  ]) {
    expect({ source, gives: code(source, data) }).toEqual({ source, gives: "EXPRESSION_FUEL" });
  }
});

it("DATA-6 work on large data is refused in proportion to the work", () => {
  const big = "ab".repeat(2 * MEGABYTE);
  const data: Json = {
    big,
    needle: `b${"ab".repeat(MEGABYTE / 2)}a`,
    numbers: numbers(200_000),
    texts: texts(200_000, 1),
    long: texts(5000, 10_000),
    objects: Array.from({ length: 100_000 }, (_, id) => ({ id, k: `k${id}` })),
    wide: Object.fromEntries(Array.from({ length: 200_000 }, (_, id) => [`k${id}`, id])),
  };
  const attacks = [
    "split(big, '')",
    "split(big, 'a')",
    "replace(big, 'a', 'bbbb')",
    "replace(big, '', '-')",
    "join('-', texts)",
    "join('x', long)",
    "reverse(big)",
    "upper(big)",
    "trim(big)",
    "big[::-1]",
    "big[1:]",
    "contains(big, needle)",
    "find_first(big, needle)",
    "find_last(big, needle)",
    "split(big, needle)",
    "sort(numbers)",
    "sort(texts)",
    "sort(long)",
    "sort_by(objects, &id)",
    "sort_by(objects, &k)",
    "max_by(objects, &id)",
    "group_by(objects, &k)",
    "zip(numbers, numbers, numbers)",
    "reverse(numbers)",
    "numbers[]",
    "numbers[:]",
    "[numbers, numbers, numbers][]",
    "map(&map(&@, $.numbers), numbers)",
    "numbers[*].[@]",
    "numbers[?@ == $.numbers]",
    "objects[?contains($.objects, @)]",
    "objects[?$.wide]",
    "numbers[?length($.wide) > `0`]",
    "items(wide)",
    "from_items(items(wide))",
    "keys(wide)",
    "merge(wide, wide)",
    "wide.*",
    "to_string(objects)",
    "numbers[*].to_string($.objects[0])",
    "map(&length($.big), numbers)",
    "numbers[?$.big == 'x' || starts_with($.big, $.needle) || ends_with($.big, $.big)]",
    "let $a = numbers in map(&$a[?@ == `-1`], numbers)",
    "numbers[*].max($.numbers)",
    "numbers[*].sum($.numbers)",
  ];
  for (const source of attacks)
    expect({ source, gives: code(source, data) }).toEqual({ source, gives: "EXPRESSION_FUEL" });
});

it("DATA-6 JSON text is charged before it is parsed, and its value with all its digits", () => {
  const many = (part: string, count: number): string => `[${Array.from({ length: count }, () => part).join(",")}]`;
  expect(run("from_json(@)", JSON.stringify("x".repeat(MEGABYTE))).result).toMatchObject({ kind: "value" });
  expect(run("from_json(@)", many("1", 100_000)).result).toMatchObject({ kind: "value" });
  expect(code("from_json(@)", "x".repeat(2 * MEGABYTE))).toBe("EXPRESSION_FUEL");
  expect(code("from_json(@)", many("[]", 200_000))).toBe("EXPRESSION_FUEL");
  expect(code("from_json(@)", many("1e20", 60_000))).toBe("EXPRESSION_FUEL");
  expect(code("to_json(@)", "x".repeat(2 * MEGABYTE))).toBe("EXPRESSION_FUEL");
});

it("DATA-6 ordinary work on ordinary data fits", () => {
  const objects = Array.from({ length: 5000 }, (_, id) => ({
    id: (id * 7919) % 5000,
    name: `name ${id % 10}`,
    tags: ["a", "b"],
  }));
  const data: Json = { objects, log: "line of a log\n".repeat(20_000) };
  for (const source of [
    "objects[?id > `100` && name == 'name 3'].id | sort(@)",
    "sort_by(objects, &id)[*].name",
    "group_by(objects, &name) | keys(@)",
    "objects[].tags[] | length(@)",
    "sum(objects[*].id)",
    "contains(log, 'error')",
    "split(log, '\n') | length(@)",
  ]) {
    expect({ source, gives: code(source, data) }).toEqual({ source, gives: "a value" });
  }
});

it("DATA-6 the same expression over the same data always spends the same", () => {
  const data: Json = { a: numbers(100) };
  const spent = (): readonly number[] => {
    const { fuel } = run("sort(a) | [?@ > `5`] | {n: length(@), all: to_string(@)}", data);
    return [fuel.nodesUsed, fuel.bytesUsed];
  };
  expect(spent()).toEqual(spent());
});

it("DATA-6 several evaluations can share one meter, and spent fuel stays spent", () => {
  const fuel = createFuel({ nodes: 10, bytes: 1000 });
  expect(run("a.b.c.d", {}, fuel).result.kind).toBe("value");
  expect(run("a.b.c.d", {}, fuel).result.kind).toBe("value");
  expect(run("a.b.c.d", {}, fuel).result).toMatchObject({ code: "EXPRESSION_FUEL" });
});

it("DATA-6 bytes are counted as in JSON, escapes included", () => {
  const { fuel } = run("join('', [a, b, c])", { a: '"', b: "\u0001", c: "é😀" });
  expect(fuel.bytesUsed).toBeGreaterThanOrEqual(2 + 2 + 6 + 2 + 4);
  const tight = createFuel({ nodes: 1000, bytes: 200 });
  expect(run("join('', [a, a])", { a: "\u0001".repeat(30) }, tight).result).toMatchObject({
    code: "EXPRESSION_FUEL",
  });
});
