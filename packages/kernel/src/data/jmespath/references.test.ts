import { expect, it } from "vitest";
import { parseExpression } from "./expression.ts";
import { listReferences } from "./references.ts";

/** References as dotted text; `*everything*` is the whole context. */
function references(source: string): readonly string[] {
  const parsed = parseExpression(source);
  if (parsed.kind === "problem") throw new Error(parsed.message);
  return listReferences(parsed.expression).map(({ path }) => (path.length === 0 ? "*everything*" : path.join(".")));
}

const ROWS: readonly (readonly [source: string, ...expected: string[]])[] = [
  ["steps.build.output.a[0]", "steps.build.output.a"],
  ['steps."build-a".status', "steps.build-a.status"],
  ["steps | build.output", "steps.build.output"],
  ["steps | build | output.x", "steps.build.output.x"],
  ["keys(steps)", "steps"],
  ["@", "*everything*"],
  ["to_string(@)", "*everything*"],
  ["$", "*everything*"],
  ["let $s = steps in $s.build.output", "steps.build.output"],
  ["let $s = steps.a, $t = input in [$s.x, $t.y]", "steps.a.x", "input.y"],
  ["let $s = @ in a[*].[b, $s.c]", "a", "c"],
  ["items[?x == $.input.y]", "items", "input.y"],
  ["[a.b, c]", "a.b", "c"],
  ["{x: a.b, y: c}", "a.b", "c"],
  ["a.b ? c.d : e", "a.b", "c.d", "e"],
  ["a || b && !c", "a", "b", "c"],
  ["sort_by(a, &b)", "a"],
  ["map(&$.z.y, a)", "a", "z.y"],
  ["steps.*.output", "steps"],
  ["steps.a[*].b.c", "steps.a"],
  ["steps.a[].b", "steps.a"],
  ["steps.a[1:].b", "steps.a"],
  ["steps.a.b.[c, d.e]", "steps.a.b", "steps.a.b.c", "steps.a.b.d.e"],
  ["steps | [a, b.c]", "steps.a", "steps.b.c"],
  ["(a || b).c", "a", "b"],
  ["a.b.length(@)", "a.b"],
  ["not_null(a.b, c)", "a.b", "c"],
  ["-a + b.c == d", "a", "b.c", "d"],
  ["a.b == a.b", "a.b"],
  ["`1` == 'x'"],
  ["steps.build - a.output", "steps.build", "a.output"],
];

for (const [source, ...expected] of ROWS) {
  it(`DATA-6 ${source} reads ${expected.join(", ") || "nothing"}`, () => {
    expect(references(source)).toEqual(expected);
  });
}
