// The table of step keys in packages/contract/src/models/step-keys.ts is the only list of them. The compiler compares it with the
// models and the builder; these tests compare it with the rest.

import { CALL_KINDS, STEP_KEYS, STEP_KINDS, STEP_ORDER, type StepKey } from "@segno/contract/step-keys";
import { describe, expect, it } from "vitest";

import { readText } from "./repository.ts";

interface JsonSchemaFile {
  readonly $defs: Readonly<Record<string, { readonly properties: object }>>;
}

const KEYS = STEP_ORDER.toSorted();
const options = STEP_ORDER.filter((key) => STEP_KEYS[key].role === "option");

/** The fields of an interface, without those that it inherits. */
function interfaceFields(file: string, name: string): string[] {
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n(.*?)^\\}`, "msu").exec(readText(file))![1]!;
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gmu)].map((match) => match[1]!);
}

function schemaKeys(name: string): string[] {
  const schema = JSON.parse(readText("packages/contract/schema/contract.schema.json")) as JsonSchemaFile;
  return Object.keys(schema.$defs[name]!.properties).toSorted();
}

/** The first column of the tables between a heading and the next heading. */
function documentedKeys(file: string, heading: string): string[] {
  const section = readText(file).split(`\n${heading}\n`)[1]!.split(/^#/mu)[0]!;
  return [...section.matchAll(/^\| `(\w+)` \|/gmu)].map((match) => match[1]!).toSorted();
}

describe("the table of step keys", () => {
  it("has every field of a step in the kernel's definition, and of a step as it is written", () => {
    const defined = interfaceFields("packages/kernel/src/model/definition.ts", "StepDefinition");
    expect([...defined.filter((field) => field !== "action"), ...STEP_KINDS].toSorted()).toEqual(KEYS);
    const written = interfaceFields("packages/contract/src/models/step.ts", "RawStep");
    expect([...written, ...CALL_KINDS].toSorted()).toEqual(KEYS);
  });

  it("has every key of the published JSON Schema, for steps and for compensations", () => {
    expect(schemaKeys("Step")).toEqual(KEYS);
    const shared = options.filter((key) => "isOfCompensation" in STEP_KEYS[key]);
    expect(schemaKeys("Compensate")).toEqual([...CALL_KINDS, ...shared].toSorted());
  });

  it("has every key that the reference of contracts documents", () => {
    expect(documentedKeys("docs/reference/contract.md", "## Steps")).toEqual(KEYS);
  });

  it("says of every option how the builder takes it", () => {
    expect(options.filter((key: StepKey) => !("builder" in STEP_KEYS[key]))).toEqual([]);
  });
});
