import { describe, expect, it } from "vitest";
import { escapeTemplates } from "../../src/steps/escape-templates.ts";

describe("texts of agents and logs in steps that are created at run time", () => {
  it("DATA-5 are data: every `${` in them is escaped, also in lists and maps", () => {
    expect(escapeTemplates({ a: ["x ${ steps.b.output } $& $1", 1, null], b: undefined, c: { d: "${" } })).toEqual({
      a: ["x $${ steps.b.output } $& $1", 1, null],
      c: { d: "$${" },
    });
  });
});
