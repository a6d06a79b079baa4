// Whether a user's schema is a schema: its keywords, its references, its patterns, each problem with its place.

import { closest, isJsonObject, type JsonObject, type JsonPath, type JsonSchema, type Problem } from "@segno/kernel";
import type { Ajv } from "ajv";

import { found } from "../found.ts";
import { valueAt } from "../value-at.ts";
import { compileSchema, dialectOf, validatorFor } from "./dialect.ts";
import { endlessReference } from "./endless-reference.ts";
import { pointerPath } from "./json-pointer.ts";
import { linearPattern } from "./linear-pattern.ts";
import { subSchemas, type SubSchema } from "./schema-walk.ts";

const TARGETS_MAX = 256;

/** Paths start at the schema itself. */
export function schemaProblems(schema: JsonSchema): readonly Problem[] {
  if (typeof schema === "boolean") return [];
  const dialect = dialectOf(schema);
  if (dialect === undefined) {
    return [
      problem(
        "SCHEMA_INVALID",
        ["$schema"],
        "expected draft 2020-12 or draft-07, found another dialect of JSON Schema",
      ),
    ];
  }
  const validator = validatorFor(dialect);
  const problems = [...metaProblems(schema, validator), ...wordProblems(schema, validator), ...graphProblems(schema)];
  return problems.length > 0 ? problems : compileProblems(schema, validator);
}

/** What the dialect's own schema says. Of several errors at one place the first is the most telling. */
function metaProblems(schema: JsonSchema, validator: Ajv): readonly Problem[] {
  if (validator.validateSchema(schema) === true) return [];
  const byPlace = new Map<string, Problem>();
  for (const { instancePath, message, params } of validator.errors ?? []) {
    if (byPlace.has(instancePath)) continue;
    const path = pointerPath(instancePath, schema);
    const allowed = (params as { allowedValues?: readonly string[] }).allowedValues;
    const expected =
      allowed === undefined ? (message ?? "a valid schema").replace(/^must be /u, "") : allowed.join(", ");
    const value = valueAt(schema, path);
    const near = typeof value === "string" && allowed !== undefined ? closest(value, allowed) : undefined;
    const hint = near === undefined ? undefined : `did you mean \`${near}\`?`;
    byPlace.set(
      instancePath,
      problem("SCHEMA_INVALID", path, `not a valid JSON Schema: expected ${expected}, found ${found(value)}`, hint),
    );
  }
  return [...byPlace.values()];
}

function wordProblems(schema: JsonSchema, validator: Ajv): readonly Problem[] {
  const problems: Problem[] = [];
  for (const sub of subSchemas(schema)) {
    problems.push(...keywordProblems(sub, validator), ...referenceProblems(sub), ...patternProblems(sub));
  }
  return problems;
}

/** Annotations that the validator does not know by itself. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "$anchor",
  "$comment",
  "$defs",
  "$dynamicAnchor",
  "$id",
  "$schema",
  "$vocabulary",
  "default",
  "definitions",
  "deprecated",
  "description",
  "examples",
  "readOnly",
  "title",
  "writeOnly",
]);

function keywordProblems({ schema, path }: SubSchema, validator: Ajv): readonly Problem[] {
  const problems: Problem[] = [];
  for (const keyword of Object.keys(schema)) {
    if (keyword.startsWith("x-") || ANNOTATIONS.has(keyword) || validator.getKeyword(keyword) !== false) continue;
    const near = closest(keyword, [...Object.keys(validator.RULES.all), ...ANNOTATIONS]);
    problems.push(
      problem(
        "SCHEMA_INVALID",
        [...path, keyword],
        `expected a keyword of JSON Schema, found \`${keyword}\``,
        near === undefined ? "keywords of your own start with `x-`" : `did you mean \`${near}\`?`,
      ),
    );
  }
  const { format } = schema;
  if (typeof format === "string" && !Object.hasOwn(validator.formats, format)) {
    const near = closest(format, Object.keys(validator.formats));
    problems.push(
      problem(
        "SCHEMA_INVALID",
        [...path, "format"],
        `expected a known format, found \`${format}\``,
        near === undefined ? undefined : `did you mean \`${near}\`?`,
      ),
    );
  }
  return problems;
}

function referenceProblems({ schema, path }: SubSchema): readonly Problem[] {
  const isNamedInside = path.length > 0 && schema["$id"] !== undefined;
  if (isNamedInside)
    return [
      problem(
        "SCHEMA_REFERENCE",
        [...path, "$id"],
        "expected no `$id` inside a schema, found one",
        "refer to `#/$defs/name`, or use `$anchor`",
      ),
    ];
  return ["$ref", "$dynamicRef"]
    .filter((keyword) => typeof schema[keyword] === "string" && !schema[keyword].startsWith("#"))
    .map((keyword) =>
      problem(
        "SCHEMA_REFERENCE",
        [...path, keyword],
        `expected a reference inside this schema, found ${found(schema[keyword])}`,
        "copy the definition into `$defs` and refer to `#/$defs/name`",
      ),
    );
}

function patternProblems({ schema, path }: SubSchema): readonly Problem[] {
  const patterns: [string, JsonPath][] = [];
  if (typeof schema["pattern"] === "string") patterns.push([schema["pattern"], [...path, "pattern"]]);
  if (isJsonObject(schema["patternProperties"])) {
    for (const pattern of Object.keys(schema["patternProperties"]))
      patterns.push([pattern, [...path, "patternProperties", pattern]]);
  }
  return patterns.flatMap(([pattern, at]) => {
    const reason = refusal(pattern);
    return reason === undefined
      ? []
      : [
          problem(
            "SCHEMA_PATTERN",
            at,
            `expected a pattern in RE2 syntax: ${reason}`,
            "look-around and back-references are not possible",
          ),
        ];
  });
}

function refusal(pattern: string): string | undefined {
  try {
    linearPattern(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^error parsing regexp: /u, "");
  }
}

/** A compiler follows references by recursion, so their number is bounded and every way along them must end. */
function graphProblems(schema: JsonObject): readonly Problem[] {
  const targets = new Set([...subSchemas(schema)].map(({ schema: sub }) => sub["$ref"]));
  if (targets.size > TARGETS_MAX)
    return [problem("SCHEMA_INVALID", [], `expected references to at most ${TARGETS_MAX} definitions, found more`)];
  const endless = endlessReference(schema);
  return endless === undefined
    ? []
    : [
        problem(
          "SCHEMA_REFERENCE",
          [...endless, "$ref"],
          "expected a reference that ends with the value, found one that leads back to itself",
        ),
      ];
}

function compileProblems(schema: JsonObject, validator: Ajv): readonly Problem[] {
  try {
    compileSchema(schema, validator);
    return [];
  } catch (error) {
    return [compileProblem(schema, error as Error & { missingRef?: string })];
  }
}

function compileProblem(schema: JsonObject, error: Error & { missingRef?: string }): Problem {
  const { missingRef } = error;
  if (missingRef === undefined) return problem("SCHEMA_INVALID", [], `not a valid JSON Schema: ${error.message}`);
  const holder = [...subSchemas(schema)].find(({ schema: sub }) => sub["$ref"] === missingRef);
  return problem(
    "SCHEMA_REFERENCE",
    [...(holder?.path ?? []), "$ref"],
    `expected a reference to something in this schema, found \`${missingRef}\``,
  );
}

function problem(code: Problem["code"], path: JsonPath, message: string, hint?: string): Problem {
  return { code, path, message, ...(hint === undefined ? {} : { hint }) };
}
