// Templates: how a string is split into text and expressions, and how it is rendered.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../model/json.ts";
import type { KernelErrorCode } from "../errors/catalogue.ts";
import { render, type Rendered } from "./render.ts";
import { compileTemplate, templateReferences, type CompiledTemplate } from "./template.ts";

const CONTEXT: JsonObject = {
  input: { tag: "v1", count: 2, list: [1, 2], none: null, off: false, nested: { a: { b: 1 } }, "odd key": "}" },
};

function compiled(template: Json): { readonly template: CompiledTemplate; readonly codes: readonly KernelErrorCode[] } {
  const codes: KernelErrorCode[] = [];
  const made = compileTemplate(template, [], {
    problem: (code) => codes.push(code),
    expression: () => undefined,
    secret: () => undefined,
  });
  return { template: made, codes };
}

function rendered(template: Json, strict = false, context: JsonObject = CONTEXT): Rendered {
  const { template: made, codes } = compiled(template);
  expect(codes).toEqual([]);
  return render(made, context, strict);
}

function value(template: Json): Json {
  const made = rendered(template);
  if (made.kind === "failure") throw new Error(made.failure.message);
  return made.value;
}

describe("a string", () => {
  it("DATA-5 that is one expression keeps the value's type", () => {
    expect(value("${ input.count }")).toBe(2);
    expect(value("${input.list}")).toEqual([1, 2]);
    expect(value("${\n input.off \t}")).toBe(false);
    expect(value("${ input.none }")).toBe(null);
    expect(value("${ input.nested }")).toEqual({ a: { b: 1 } });
  });

  it("DATA-5 with text around an expression becomes text", () => {
    expect(value("${ input.count } of ${ input.list }")).toBe("2 of [1,2]");
    expect(value(" ${ input.count }")).toBe(" 2");
    expect(value("${ input.tag }${ input.tag }")).toBe("v1v1");
    expect(value("<${ input.nested }|${ input.off }|${ input.none }>")).toBe('<{"a":{"b":1}}|false|null>');
  });

  it("DATA-5 may hold a literal `${`, written `$${`", () => {
    expect(value("$${ input.count }")).toBe("${ input.count }");
    expect(value("$${")).toBe("${");
    expect(value("a$${b}${ input.count }$${c")).toBe("a${b}2${c");
    expect(value("${ input.count }$${ x }")).toBe("2${ x }");
    expect(value("$${${ input.count }}")).toBe("${2}");
    expect(value({ list: ["$${ a }", { deep: "$${ b }" }] })).toEqual({ list: ["${ a }", { deep: "${ b }" }] });
    expect(value("$ {x} $x {y} $")).toBe("$ {x} $x {y} $");
  });

  it("DATA-5 ends an expression at its own brace, not at one in quotes or in a hash", () => {
    expect(value("${ {a: input.count, b: {c: input.tag}} }")).toEqual({ a: 2, b: { c: "v1" } });
    expect(value("${ '}' }!")).toBe("}!");
    expect(value('${ input."odd key" }')).toBe("}");
    expect(value('${ `{"x": "}"}` }')).toEqual({ x: "}" });
    expect(value("${ 'it\\'s }' }")).toBe("it's }");
    expect(value("[${ '{' }]")).toBe("[{]");
  });

  it("DATA-5 that is not closed is a problem", () => {
    for (const text of ["${", "${ input", "a ${ 'x }", "${ {a: input }", "${ a }${", '${ "a }'])
      expect(compiled(text).codes).toEqual(["TEMPLATE_UNCLOSED"]);
  });

  it("DATA-5 without an expression is itself, whatever is in it", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes("${"));
        expect(value(text)).toBe(text);
      }),
    );
  });

  it("DATA-5 any text survives when each `${` in it is doubled", () => {
    const pieces = fc.array(fc.constantFrom("${", "$", "{", "}", "a", " ", "'", '"', "`", "\\"), { maxLength: 12 });
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join("");
        // A dollar before `${` would make it a literal by itself, so such texts have no doubled form.
        fc.pre(!text.includes("$${"));
        expect(value(text.replaceAll("${", () => "$${"))).toBe(text);
      }),
    );
  });
});

describe("a value", () => {
  it("DATA-2 is rendered at any depth, and is unchanged if it contains no template", () => {
    expect(value({ a: ["${ input.count }", { b: "x${ input.tag }" }], c: 1, d: null })).toEqual({
      a: [2, { b: "xv1" }],
      c: 1,
      d: null,
    });
    const literal = { a: [1, { b: "text" }] };
    expect(compiled(literal).template).toEqual({ kind: "literal", json: literal });
  });

  it("DATA-1 keeps a secret as a reference, with its path", () => {
    const made = rendered({ headers: ["${ secrets.token }"], x: "${ secrets.my-key }", y: '${ secrets."a b" }' });
    expect(made).toEqual({
      kind: "value",
      value: { headers: [null], x: null, y: null },
      secrets: [
        { path: ["headers", 0], secret: "token" },
        { path: ["x"], secret: "my-key" },
        { path: ["y"], secret: "a b" },
      ],
    });
  });

  it("CONTRACT-11 lists the references that it may read", () => {
    const { template } = compiled({
      a: "${ input.tag }",
      b: ["x ${ steps.y.output } ${ variables }"],
      c: "${ secrets.s }",
    });
    expect(templateReferences(template).map(({ path }) => path.join("."))).toEqual([
      "input.tag",
      "steps.y.output",
      "variables",
    ]);
  });
});

describe("a missing value", () => {
  it("DATA-5 is null, or an error where the workflow is strict", () => {
    expect(value("${ input.nothing }")).toBe(null);
    expect(rendered({ deep: ["${ input.nothing }"] }, true)).toEqual({
      kind: "failure",
      failure: {
        class: "permanent",
        code: "TEMPLATE_MISSING",
        message:
          "`input.nothing` has no value, and the workflow is strict; give a default with `input.nothing || 'default'`",
        path: "deep[0]",
      },
    });
  });

  it("DATA-5 is missing in text, under a null and behind an index too", () => {
    for (const template of [
      "x${ input.nothing }",
      "${ input.none.deeper }",
      "${ input.tag.deeper }",
      "${ input.list[5] }",
    ])
      expect(rendered(template, true)).toMatchObject({ failure: { code: "TEMPLATE_MISSING" } });
  });

  it("DATA-5 is not missing if the data has a null there, or if a default is given", () => {
    expect(rendered("${ input.none }", true)).toMatchObject({ kind: "value", value: null });
    expect(rendered("${ input.nothing || 'x' }", true)).toMatchObject({ kind: "value", value: "x" });
    expect(rendered("${ input.list[0] }", true)).toMatchObject({ kind: "value", value: 1 });
  });
});

describe("an expression that fails", () => {
  it("DATA-5 names the expression and its path", () => {
    expect(rendered({ a: ["ok", "${ abs(input.tag) }"] })).toMatchObject({
      failure: {
        class: "permanent",
        code: "EXPRESSION_TYPE",
        path: "a[1]",
        message: expect.stringContaining("abs(input.tag)") as string,
      },
    });
  });

  it("DATA-6 shares one tank of fuel with the rest of its template", () => {
    const big: JsonObject = { input: { list: Array.from({ length: 2000 }, (_, index) => index) } };
    const one = "${ input.list[*].[@, @, @, @] }";
    expect(rendered(one, false, big).kind).toBe("value");
    const many = rendered(
      Array.from({ length: 3000 }, () => one),
      false,
      big,
    );
    expect(many).toMatchObject({ failure: { code: "EXPRESSION_FUEL" } });
  });
});
