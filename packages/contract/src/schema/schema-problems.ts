// Checks that a user's schema is valid: its keywords, references and patterns. Each problem has a path.

import {
  closest,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonPath,
  type JsonSchema,
  type Problem,
} from "@segno/kernel";
import { quoteText } from "@segno/kernel/describe-value";

import { describeValue } from "../text/describe-value.ts";
import type { ContractErrorCode } from "../errors/error-codes.ts";
import { schemaDialect, dialectKeywords, type Dialect, type KeywordShape } from "./dialect.ts";
import { endlessReference } from "./endless-reference.ts";
import { FORMATS } from "./formats.ts";
import { hasShape, TYPES } from "./keyword-shape.ts";
import { Patterns } from "./linear-pattern.ts";
import { ReferenceTargets } from "./reference-targets.ts";
import { subSchemas, type SubSchema } from "./schema-walk.ts";

interface SchemaProblem extends Problem {
  readonly code: ContractErrorCode;
}

/** Paths start at the schema itself. The schemas of one document share one budget for patterns. */
export function schemaProblems(schema: JsonSchema, patterns: Patterns = new Patterns()): readonly SchemaProblem[] {
  if (typeof schema === "boolean") return [];
  const dialect = schemaDialect(schema);
  if (dialect === undefined) {
    const message = "expected draft 2020-12 or draft-07, found another dialect of JSON Schema";
    return [problem("SCHEMA_INVALID", ["$schema"], message)];
  }
  const targets = new ReferenceTargets(schema);
  const problems: SchemaProblem[] = [];
  for (const sub of subSchemas(schema)) {
    keywordProblems(sub, dialect, problems);
    problems.push(...referenceProblems(sub, targets), ...patternProblems(sub, patterns));
  }
  return problems.length > 0 ? problems : endlessProblems(schema, targets);
}

function keywordProblems({ schema, path }: SubSchema, dialect: Dialect, problems: SchemaProblem[]): void {
  const known = dialectKeywords(dialect);
  for (const keyword of Object.keys(schema)) {
    const shape = known.get(keyword);
    if (shape !== undefined && !hasShape(schema[keyword]!, shape))
      problems.push(misshapen(schema[keyword]!, shape, [...path, keyword]));
    if (shape === undefined && !keyword.startsWith("x-"))
      problems.push(unknownKeyword(keyword, known.keys(), [...path, keyword]));
  }
  const { format } = schema;
  if (typeof format === "string" && !FORMATS.has(format)) problems.push(unknownFormat(format, [...path, "format"]));
}

const OF_SCHEMAS: ReadonlySet<KeywordShape> = new Set(["a list of schemas with at least one", "a map of schemas"]);

/** In a list or a map of schemas, the problem is reported at the first entry that is not a schema. */
function misshapen(value: Json, shape: KeywordShape, path: JsonPath): SchemaProblem {
  const wrong = OF_SCHEMAS.has(shape) ? listEntries(value).find(([, each]) => !hasShape(each, "a schema")) : undefined;
  const [at, expected, given] =
    wrong === undefined ? [path, shape, value] : [[...path, wrong[0]], "a schema", wrong[1]];
  const near = shape === "a type" && typeof given === "string" ? closest(given, TYPES) : undefined;
  return problem(
    "SCHEMA_INVALID",
    at,
    `not a valid JSON Schema: expected ${expected === "a type" ? [...TYPES].join(", ") : expected}, found ${describeValue(given)}`,
    near === undefined ? undefined : `did you mean \`${near}\`?`,
  );
}

function listEntries(value: Json): readonly (readonly [string | number, Json])[] {
  if (isJsonArray(value)) return [...value.entries()];
  return isJsonObject(value) ? Object.entries(value) : [];
}

function unknownKeyword(keyword: string, known: Iterable<string>, path: JsonPath): SchemaProblem {
  const near = closest(keyword, known);
  return problem(
    "SCHEMA_INVALID",
    path,
    `expected a keyword of JSON Schema, found ${quoteText(keyword)}`,
    near === undefined ? "keywords of your own start with `x-`" : `did you mean \`${near}\`?`,
  );
}

function unknownFormat(format: string, path: JsonPath): SchemaProblem {
  const near = closest(format, FORMATS.keys());
  return problem(
    "SCHEMA_INVALID",
    path,
    `expected a known format, found ${quoteText(format)}`,
    near === undefined ? undefined : `did you mean \`${near}\`?`,
  );
}

function referenceProblems({ schema, path }: SubSchema, targets: ReferenceTargets): readonly SchemaProblem[] {
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
  return ["$ref", "$dynamicRef"].flatMap((keyword) => {
    const reference = schema[keyword];
    if (typeof reference !== "string" || targets.resolve(reference) !== undefined) return [];
    return [referenceProblem(reference, [...path, keyword])];
  });
}

function referenceProblem(reference: string, path: JsonPath): SchemaProblem {
  if (reference.startsWith("#"))
    return problem(
      "SCHEMA_REFERENCE",
      path,
      `expected a reference to a schema in this schema, found ${quoteText(reference)}, which does not exist`,
    );
  return problem(
    "SCHEMA_REFERENCE",
    path,
    `expected a reference inside this schema, found ${describeValue(reference)}`,
    "copy the definition into `$defs` and refer to `#/$defs/name`",
  );
}

function patternProblems({ schema, path }: SubSchema, known: Patterns): readonly SchemaProblem[] {
  const patterns: [string, JsonPath][] = [];
  if (typeof schema["pattern"] === "string") patterns.push([schema["pattern"], [...path, "pattern"]]);
  if (isJsonObject(schema["patternProperties"])) {
    for (const pattern of Object.keys(schema["patternProperties"]))
      patterns.push([pattern, [...path, "patternProperties", pattern]]);
  }
  return patterns.flatMap(([pattern, at]) => {
    const reason = refusal(pattern, known);
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

function refusal(pattern: string, known: Patterns): string | undefined {
  try {
    known.get(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^error parsing regexp: /u, "");
  }
}

/** Every chain of references must end. */
function endlessProblems(schema: JsonObject, targets: ReferenceTargets): readonly SchemaProblem[] {
  const endless = endlessReference(schema, targets);
  if (endless === undefined) return [];
  const message = "expected a chain of references that ends, found one that refers to itself";
  return [problem("SCHEMA_REFERENCE", [...endless, "$ref"], message)];
}

function problem(code: SchemaProblem["code"], path: JsonPath, message: string, hint?: string): SchemaProblem {
  return { code, path, message, ...(hint === undefined ? {} : { hint }) };
}
