// The dialects of JSON Schema that a contract may use, and the validator behind each.
//
//   D1. A validator is created when the first schema of its dialect is seen. Its module is imported statically: `require`
//       is not followed by bundlers, and the compiler drops the parentheses of `new (require(…) as X).Y()`.
//   D2. Nothing a schema says leaves the process: references stay inside the schema, and no loader is configured.
//   D3. An instance keeps nothing of the schemas that it compiled: they go in without their `$id`, under which it would
//       file them, and are removed at once. What is kept is bounded by `schema-check.ts`.

import type { JsonObject, JsonSchema } from "@segno/kernel";
import { Ajv, type Options, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";

import { linearPattern } from "./linear-pattern.ts";

export type Dialect = "2020-12" | "draft-07";

const DIALECT_BY_URI: Readonly<Record<string, Dialect>> = {
  "https://json-schema.org/draft/2020-12/schema": "2020-12",
  "http://json-schema.org/draft-07/schema": "draft-07",
};

const OPTIONS: Options = {
  // Keywords and formats that are unknown are reported with their place by `schema-walk.ts`.
  strict: false,
  logger: false,
  allErrors: true,
  ownProperties: true,
  // Code in place of a reference could grow exponentially.
  inlineRefs: false,
  validateSchema: false,
  code: { regExp: Object.assign((pattern: string) => linearPattern(pattern), { code: "linearPattern" }) },
};

const instances = new Map<Dialect, Ajv>();

/** Nothing when `$schema` names a dialect that is not known here. */
export function dialectOf(schema: JsonSchema): Dialect | undefined {
  const uri = typeof schema === "boolean" ? undefined : schema["$schema"];
  if (uri === undefined) return "2020-12";
  const bare = typeof uri === "string" ? uri.replace(/#$/u, "") : "";
  return Object.hasOwn(DIALECT_BY_URI, bare) ? DIALECT_BY_URI[bare] : undefined;
}

export function validatorFor(dialect: Dialect): Ajv {
  const known = instances.get(dialect);
  if (known !== undefined) return known;
  const created = dialect === "2020-12" ? new Ajv2020(OPTIONS) : new Ajv(OPTIONS);
  formats.default(created, { mode: "fast" });
  instances.set(dialect, created);
  return created;
}

export function compileSchema(schema: JsonObject, validator: Ajv): ValidateFunction {
  const { $id: _, ...anonymous } = schema;
  try {
    return validator.compile(anonymous);
  } finally {
    validator.removeSchema(anonymous);
  }
}
