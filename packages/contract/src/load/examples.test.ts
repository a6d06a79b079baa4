// The examples are contracts that people copy: each loads, round-trips, fits the schema, and together they show all. Those
// of ONEX and of code workflows have tests of their own.

import { readdirSync, readFileSync } from "node:fs";

import { isJsonArray, isJsonObject, compileOrThrow, render, type Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { contractJsonSchema } from "../models/contract-json-schema.ts";
import { definitionHash } from "../json/definition-hash.ts";
import { loadContract } from "./load-contract.ts";
import { STEP_KINDS } from "../models/step-keys.ts";
import { createSchemaCheck } from "../schema/schema-check.ts";
import { toYaml } from "../convert/to-yaml.ts";

const ROOT = new URL("../../../../examples/", import.meta.url);
/** ONEX contracts and templates of tasks. */
const NOT_CONTRACTS: ReadonlySet<string> = new Set(["code", "onex"]);
const EXAMPLES = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !NOT_CONTRACTS.has(entry.name))
  .flatMap(({ name }) =>
    readdirSync(new URL(`${name}/`, ROOT))
      .filter((file) => file.endsWith(".yaml"))
      .map((file) => `${name}/${file}`),
  );
const toText = (example: string): string => readFileSync(new URL(example, ROOT), "utf8");

describe("examples", () => {
  it.each(EXAMPLES)("CONTRACT-1 %s loads", (example) => {
    expect(loadContract(toText(example), { file: example }).steps.length).toBeGreaterThan(0);
  });

  it.each(EXAMPLES)("CONTRACT-8 %s round-trips to the same hash", (example) => {
    const definition = loadContract(toText(example));
    expect(definitionHash(loadContract(toYaml(definition)))).toBe(definitionHash(definition));
  });

  it.each(EXAMPLES)("CONTRACT-6 %s fits the schema that editors use", (example) => {
    expect(createSchemaCheck()(contractJsonSchema(), parse(toText(example)) as Json)).toEqual([]);
  });

  it("DATA-1 the trip's car is booked for the flight, whose output is what `previous` is", () => {
    const { steps } = compileOrThrow(loadContract(toText("trip/trip.yaml")));
    const car = steps.find(({ definition }) => definition.id === "car")!;
    expect(render(car.call!.template, { previous: { id: "F1" } }, true)).toMatchObject({
      kind: "value",
      value: { env: { FLIGHT: "F1" } },
    });
  });

  it("CONTRACT-1 together use every kind of step and every key of a step and a workflow", () => {
    const documents = EXAMPLES.map((example) => parse(toText(example)) as Json);
    const steps = documents.flatMap((document) => (isJsonObject(document) ? allSteps(document["steps"]) : []));
    const used = new Set(steps.flatMap((step) => Object.keys(step)));
    expect(STEP_KINDS.filter((kind) => !used.has(kind))).toEqual([]);
    expect(properties("Step").filter((key) => !used.has(key))).toEqual([]);
    expect(
      properties("Contract").filter((key) => !documents.some((document) => Object.hasOwn(document as object, key))),
    ).toEqual([]);
  });
});

function properties(name: string): string[] {
  return Object.keys((contractJsonSchema()["$defs"] as Record<string, { properties: object }>)[name]!.properties);
}

function allSteps(steps: Json | undefined): Record<string, Json>[] {
  if (!isJsonArray(steps)) return [];
  const own = steps.filter((step) => isJsonObject(step));
  const inMaps = own
    .map((step) => step["map"])
    .filter((map) => isJsonObject(map))
    .flatMap((map) => allSteps(map["steps"]));
  return [...own, ...inMaps];
}
