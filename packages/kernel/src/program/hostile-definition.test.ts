// Definitions that were expensive to check, because data was read again for each problem or each expression.

import { describe, expect, it } from "vitest";
import type { ResourceDefinition } from "../model/definition.ts";
import type { Json } from "../model/json.ts";
import { map, problemPaths, problems, step } from "../../test/properties/written-steps.ts";

function times<Each>(count: number, make: (index: number) => Each): Each[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const resources = (count: number): Readonly<Record<string, ResourceDefinition>> =>
  Object.fromEntries(times(count, (index) => [`r${index}`, { kind: "capacity", capacity: 1 }]));

describe("declared names", () => {
  it("CONTRACT-9 40,000 unknown resources among 40,000 are refused", () => {
    const asked = Object.fromEntries(times(40_000, (index) => [`x${index}`, 1]));
    expect(problems([step("a", { resources: asked })], { resources: resources(40_000) })).toHaveLength(40_000);
  });

  it("CONTRACT-9 8,000 maps share the names of 50,000 secrets and 20,000 resources", () => {
    const secrets = times(50_000, (index) => `s${index}`);
    const maps = times(8000, (index) => step(`m${index}`, map([step("i", { resources: { x: 1 } })])));
    expect(problems(maps, { secrets, resources: resources(20_000) })).toHaveLength(8000);
  });
});

describe("many expressions over one schema", () => {
  const reads = (count: number): string[] => times(count, (index) => `\${ input.a${index} }`);
  const doubling: Readonly<Record<string, Json>> = {
    ...Object.fromEntries(
      times(250, (index) => {
        const next = { $ref: `#/$defs/d${index + 1}` };
        return [`d${index}`, { allOf: [next, next] }];
      }),
    ),
    d250: { properties: { a: {} } },
  };

  it("CONTRACT-9 50,000 reads of a schema whose references double are accepted", () => {
    const input = { $ref: "#/$defs/d0", $defs: doubling };
    expect(problems([step("a", { input: reads(50_000) })], { input })).toEqual([]);
  });

  it("CONTRACT-9 50,000 reads through a reference of 300,000 characters are accepted", () => {
    const name = "n".repeat(300_000);
    const named = { [name]: { properties: { a: {} }, additionalProperties: true } };
    const input = { $ref: `#/$defs/${name}`, $defs: named };
    expect(problems([step("a", { input: reads(50_000) })], { input })).toEqual([]);
  });

  it("CONTRACT-11 the last of 10,000 reads of a schema of many parts is checked", () => {
    const allOf = times(50, (index) => ({ properties: { [`p${index}`]: { type: "string" } } }));
    const steps = times(10_000, (index) => step(`s${index}`, { when: `input.p${index % 50} == '${index}'` }));
    expect(problems(steps, { input: { allOf } })).toEqual([]);
    expect(problemPaths([...steps, step("last", { when: "input.q" })], { input: { allOf } })).toEqual([
      "UNKNOWN_FIELD steps[10000].when",
    ]);
  });

  it("CONTRACT-9 20,000 labels over one long list expression are accepted", () => {
    const over = `[${times(330, () => "input.list").join(", ")}]`;
    const label = times(20_000, () => "${ item.a }").join("");
    expect(problems([step("m", map([step("i")], { over, label }))], { input: { properties: { list: {} } } })).toEqual(
      [],
    );
  });
});
