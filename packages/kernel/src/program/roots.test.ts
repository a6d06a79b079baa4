// Roots, secrets and templates: where each is allowed, and what is refused.

import { describe, expect, it } from "vitest";
import type { Template } from "../model/definition.ts";
import type { JsonObject } from "../model/json.ts";
import { stepId } from "../model/units.ts";
import { map, problemPaths, problems, step, workflow, type Rest } from "../../test/properties/written-steps.ts";
import { compileDefinition, compileOrThrow } from "./compile.ts";

const roots = (source: string, rest: Rest = {}): string[] =>
  problems([step("a", { input: `\${ ${source} }`, ...rest })]);

it("DATA-1 execution, input, variables and steps are always there", () => {
  for (const root of ["execution.id", "input", "input.x", "variables", "steps", "@", "'text'", "`1`"])
    expect(roots(root)).toEqual([]);
});

it("DATA-1 a root that does not exist is an error with the nearest, or with all of them", () => {
  expect(roots("inptu.tag")).toEqual([
    "UNKNOWN_ROOT steps[0].input: `inptu.tag` reads `inptu`, which does not exist => did you mean `input`?",
  ]);
  expect(roots("whatever.tag")).toEqual([
    "UNKNOWN_ROOT steps[0].input: `whatever.tag` reads `whatever`, which does not exist => the roots are execution, input, variables, steps",
  ]);
});

it("DATA-1 previous needs exactly one dependency", () => {
  const at = (after: readonly string[]): string[] =>
    problems([step("a"), step("b"), step("c", { after, input: "${ previous }" })]);
  expect(at(["a"])).toEqual([]);
  expect(at(["a", "~a"])).toEqual([]);
  for (const after of [[], ["a", "b"]])
    expect(at(after)).toEqual([
      "ROOT_NOT_HERE steps[2].input: `previous` reads `previous`, which is not available at this place => `previous` needs a step with exactly one dependency",
    ]);
  expect(problemPaths([step("p", { fallback: stepId("f") }), step("f", { input: "${ previous }" })])).toEqual([
    "ROOT_NOT_HERE steps[1].input",
  ]);
});

it("DATA-1 item and index are there inside a map, and params in code workflows only", () => {
  const reads = ["${ item }", "${ index }"];
  expect(
    problems([step("m", map([step("i", { input: reads }), step("n", map([step("k", { input: reads })]))]))]),
  ).toEqual([]);
  expect(problems([step("a", { input: [...reads, "${ params.x }"] })])).toEqual([
    "ROOT_NOT_HERE steps[0].input[0]: `item` reads `item`, which is not available at this place => `item` is available only inside a map",
    "ROOT_NOT_HERE steps[0].input[1]: `index` reads `index`, which is not available at this place => `index` is available only inside a map or a repetition",
    "ROOT_NOT_HERE steps[0].input[2]: `params.x` reads `params`, which is not available at this place => `params` is available only in templates of code workflows",
  ]);
  expect(problemPaths([step("m", { action: { kind: "map", over: "item", steps: [step("i")] } })])).toEqual([
    "ROOT_NOT_HERE steps[0].action.over",
  ]);
});

it("BEYOND-1 the label of an item reads only item, index and input, which never change", () => {
  const label = (source: string): string[] => problems([step("m", map([step("i")], { label: `\${ ${source} }` }))]);
  for (const source of ["item", "item.name", "index", "input.name", "'text'", "@"]) expect(label(source)).toEqual([]);
  const hint = "a label can read only `item`, `index` and `input`, which do not change while the map runs";
  for (const root of ["execution.id", "variables.x", "steps", "previous"])
    expect(label(root)).toEqual([
      `ROOT_NOT_HERE steps[0].action.label: \`${root}\` reads \`${root.split(".")[0]}\`, which is not available at this place => ${hint}`,
    ]);
  expect(label("itme.name")).toEqual([
    "UNKNOWN_ROOT steps[0].action.label: `itme.name` reads `itme`, which does not exist => did you mean `item`?",
  ]);
  expect(problemPaths([step("m", map([step("i")], { label: "${ secrets.t }" }))])).toEqual([
    "SECRET_MISPLACED steps[0].action.label",
  ]);
  expect(problemPaths([step("m", map([step("i")], { label: "${ item" }))])).toEqual([
    "TEMPLATE_UNCLOSED steps[0].action.label",
  ]);
});

const SECRET_HINT = "a secret must be a whole value of `input`, `env`, `stdin` or a header: `${ secrets.name }`";

it("DATA-1 a secret is a whole value of input, env and headers", () => {
  const secret = "${ secrets.token }";
  expect(
    problems([
      step("a", { input: { deep: [secret] }, env: { T: '${secrets."my token"}' } }),
      step("b", { action: { kind: "http", method: "GET", url: "x", headers: { authorization: secret } } }),
      step("c", { compensate: { action: { kind: "run", script: "" }, env: { T: secret } } }),
    ]),
  ).toEqual([]);
  const call = compileOrThrow(workflow([step("a", { input: { t: secret } })])).steps[0]!.call!;
  expect(JSON.stringify(call.template)).toContain('{"kind":"secret","name":"token"}');
});

it("DATA-1 a secret is nowhere else: not in text, a condition, a function, argv, a url, a body or an output", () => {
  const used = (name: string): string => `the secret \`${name}\` is used where its value would be stored`;
  expect(problems([step("a", { input: "Bearer ${ secrets.t }" })])).toEqual([
    `SECRET_MISPLACED steps[0].input: \`secrets.t\` uses a secret inside a longer expression => ${SECRET_HINT}`,
  ]);
  expect(problemPaths([step("a", { when: "secrets.t" })])).toEqual(["SECRET_MISPLACED steps[0].when"]);
  expect(problemPaths([step("a", { input: "${ length(secrets.t) }" })])).toEqual(["SECRET_MISPLACED steps[0].input"]);
  expect(problems([step("a", { action: { kind: "exec", argv: ["x", "${ secrets.t }"] } })])).toEqual([
    `SECRET_MISPLACED steps[0].action.argv[1]: ${used("t")} => ${SECRET_HINT}`,
  ]);
  expect(
    problemPaths([
      step("a", {
        action: { kind: "http", method: "GET", url: "${ secrets.t }", body: { t: "${ secrets.t }" } },
      }),
    ]),
  ).toEqual(["SECRET_MISPLACED steps[0].action.url", "SECRET_MISPLACED steps[0].action.body.t"]);
  expect(problemPaths([step("a")], { output: "${ secrets.t }" })).toEqual(["SECRET_MISPLACED output"]);
});

describe("templates", () => {
  const at = (input: Template): string[] => problems([step("a", { input })]);

  it("DATA-5 an expression is closed", () => {
    expect(at("x ${ input.a")).toEqual([
      'TEMPLATE_UNCLOSED steps[0].input: `${` is not closed by `}` in "x ${ input.a"',
    ]);
    expect(problemPaths([step("a", { input: "${ 'it }" })])).toEqual(["TEMPLATE_UNCLOSED steps[0].input"]);
    expect(at("$${ input.a")).toEqual([]);
  });

  it("DATA-5 an expression is JMESPath, within its limits", () => {
    const code = (source: string): string[] => problemPaths([step("a", { input: { deep: `\${ ${source} }` } })]);
    expect(code("input.")).toEqual(["EXPRESSION_SYNTAX steps[0].input.deep"]);
    expect(code("nosuch(input)")).toEqual(["EXPRESSION_UNKNOWN_FUNCTION steps[0].input.deep"]);
    expect(code("abs()")).toEqual(["EXPRESSION_ARITY steps[0].input.deep"]);
    expect(code(`input.${"a".repeat(5000)}`)).toEqual(["EXPRESSION_TOO_LONG steps[0].input.deep"]);
    expect(code(`${"[".repeat(200)}input${"]".repeat(200)}`)).toEqual(["EXPRESSION_TOO_DEEP steps[0].input.deep"]);
    expect(at("${ input. }")[0]).toMatch(/ in `input\.`$/u);
  });

  it("DATA-5 values nest to 64 levels, and no key can reach a prototype", () => {
    let deep: Template = "${ input }";
    for (let level = 0; level < 64; level++) deep = [deep];
    expect(at(deep)).toEqual([]);
    expect(at([[deep]]).map((line) => line.split(" ")[0])).toEqual(["TEMPLATE_TOO_DEEP"]);
    expect(at(JSON.parse('{"__proto__": 1, "constructor": 2, "prototype": 3}') as JsonObject)).toEqual([
      "FORBIDDEN_KEY steps[0].input.__proto__: the key `__proto__` is not allowed",
      "FORBIDDEN_KEY steps[0].input.constructor: the key `constructor` is not allowed",
      "FORBIDDEN_KEY steps[0].input.prototype: the key `prototype` is not allowed",
    ]);
  });

  it("DATA-7 in a script `${…}` belongs to the shell; a template there is an error with a hint", () => {
    const script = (text: string): string[] => problems([step("a", { action: { kind: "run", script: text } })]);
    for (const fine of [
      "echo ${HOME}",
      "echo ${input}",
      "echo ${steps}",
      "echo ${x:-${input}}",
      "echo $input.tag",
      "${index}",
    ])
      expect(script(fine)).toEqual([]);
    expect(script("echo ${ input.tag }")).toEqual([
      'SCRIPT_TEMPLATE steps[0].action.script: `${ input.tag }` is inside a script => in a script ${…} belongs to the shell; pass the value as `env: { VALUE: "${ input.tag }" }` and write "$VALUE", or use `exec`',
    ]);
    for (const root of ["execution", "input", "variables", "steps", "previous", "item", "index", "params", "secrets"]) {
      expect(script(`echo \${ ${root}.x }`)).toHaveLength(1);
      expect(script(`echo \${${root}.x}`)).toHaveLength(1);
    }
    expect(
      problemPaths([step("a", { compensate: { action: { kind: "run", script: "undo ${ steps.a.output }" } } })]),
    ).toEqual(["SCRIPT_TEMPLATE steps[0].compensate.action.script"]);
    expect(problems([step("a", { action: { kind: "exec", argv: ["echo", "${ input.tag }"] } })])).toEqual([]);
  });
});

it("DATA-1 a secret that the workflow does not declare is refused where it is used", () => {
  const definition = (name: string) => ({
    ...workflow([step("a", { env: { TOKEN: `\${ secrets.${name} }` } })]),
    secrets: ["token"],
  });
  expect(compileDefinition(definition("token")).kind).toBe("program");
  const result = compileDefinition(definition("tokne"));
  expect(result.kind === "problems" && result.problems.map(({ code, hint }) => [code, hint])).toEqual([
    ["UNKNOWN_SECRET", "did you mean `token`?"],
  ]);
});
