// The dialects of JSON Schema that a contract may use, and the keywords of each.

import type { JsonSchema } from "@segno/kernel";

export type Dialect = "2020-12" | "draft-07";

const DIALECT_BY_URI: Readonly<Record<string, Dialect>> = {
  "https://json-schema.org/draft/2020-12/schema": "2020-12",
  "http://json-schema.org/draft-07/schema": "draft-07",
};

/** Returns nothing if `$schema` names an unknown dialect. */
export function schemaDialect(schema: JsonSchema): Dialect | undefined {
  const uri = typeof schema === "boolean" ? undefined : schema["$schema"];
  if (uri === undefined) return "2020-12";
  const bare = typeof uri === "string" ? uri.replace(/#$/u, "") : "";
  return Object.hasOwn(DIALECT_BY_URI, bare) ? DIALECT_BY_URI[bare] : undefined;
}

/** The required value of a keyword, in the words of a problem. */
export type KeywordShape =
  | "any"
  | "a list of values"
  | "a list of schemas with at least one"
  | "a list of texts without repetitions"
  | "a map of lists of texts"
  | "a map of schemas"
  | "a map of schemas or lists of texts"
  | "a number"
  | "a number above 0"
  | "a schema"
  | "a schema, or a list of schemas"
  | "a text"
  | "a type"
  | "a whole number that is not negative"
  | "true or false";

const SHARED: Readonly<Record<string, KeywordShape>> = {
  $comment: "a text",
  $defs: "a map of schemas",
  $id: "a text",
  $ref: "a text",
  $schema: "a text",
  additionalProperties: "a schema",
  allOf: "a list of schemas with at least one",
  anyOf: "a list of schemas with at least one",
  const: "any",
  contains: "a schema",
  contentEncoding: "a text",
  contentMediaType: "a text",
  default: "any",
  definitions: "a map of schemas",
  dependencies: "a map of schemas or lists of texts",
  deprecated: "true or false",
  description: "a text",
  else: "a schema",
  enum: "a list of values",
  examples: "a list of values",
  exclusiveMaximum: "a number",
  exclusiveMinimum: "a number",
  format: "a text",
  if: "a schema",
  maxItems: "a whole number that is not negative",
  maxLength: "a whole number that is not negative",
  maxProperties: "a whole number that is not negative",
  maximum: "a number",
  minItems: "a whole number that is not negative",
  minLength: "a whole number that is not negative",
  minProperties: "a whole number that is not negative",
  minimum: "a number",
  multipleOf: "a number above 0",
  not: "a schema",
  nullable: "true or false",
  oneOf: "a list of schemas with at least one",
  pattern: "a text",
  patternProperties: "a map of schemas",
  properties: "a map of schemas",
  propertyNames: "a schema",
  readOnly: "true or false",
  required: "a list of texts without repetitions",
  title: "a text",
  type: "a type",
  uniqueItems: "true or false",
  writeOnly: "true or false",
};

const KEYWORDS: Readonly<Record<Dialect, ReadonlyMap<string, KeywordShape>>> = {
  "2020-12": keywords({
    $anchor: "a text",
    $dynamicAnchor: "a text",
    $dynamicRef: "a text",
    $vocabulary: "any",
    contentSchema: "a schema",
    dependentRequired: "a map of lists of texts",
    dependentSchemas: "a map of schemas",
    items: "a schema",
    maxContains: "a whole number that is not negative",
    minContains: "a whole number that is not negative",
    prefixItems: "a list of schemas with at least one",
    unevaluatedItems: "a schema",
    unevaluatedProperties: "a schema",
  }),
  "draft-07": keywords({ additionalItems: "a schema", items: "a schema, or a list of schemas" }),
};

function keywords(own: Readonly<Record<string, KeywordShape>>): ReadonlyMap<string, KeywordShape> {
  // An object with a key `then` could be mistaken for a promise.
  return new Map([...Object.entries({ ...SHARED, ...own }), ["then", "a schema"]]);
}

/** All keywords of a dialect, with the value that each requires. */
export function dialectKeywords(dialect: Dialect): ReadonlyMap<string, KeywordShape> {
  return KEYWORDS[dialect];
}
